//! A process from its start to its end: when it ends, everything that it started is removed with it.

use std::sync::Arc;
use std::time::Duration;

use arena_core::cause::Cause;
use arena_core::clock::TimeUse;
use arena_core::record::DeniedCalls;
use arena_guard::{Guarded, MemoryUse};
use arena_sys::entropy::unpredictable;

use super::cpu_meter::Meter;
use super::credit::Credit;
use super::exit::{describe, is_sent};
use super::launch::{Launch, PrivateFolder};
use super::near::{NearLimit, near_limits};
use super::process_state::ProcessState;
use super::shared::{SharedPlace, SharedProcessor};
use super::stderr::{KeptOutput, Stderr};
use super::tap::Tap;
use super::wire::Wire;
use crate::player::{Failure, LogLine};

/// Time limit for the exit of a process that closed its output, so that its exit status is known.
const EXIT_STATUS_LIMIT: Duration = Duration::from_millis(100);
/// Time to wait after a timeout for a reply in the bot's own buffer. The protocol allows 200 ms; the rest is for ending
/// the process, since all of it is the opponent's time.
const STUCK_LIMIT: Duration = Duration::from_millis(150);
/// Time to wait for the end of stderr after a kill.
const STDERR_LIMIT: Duration = Duration::from_millis(30);

/// A running process.
#[derive(Debug)]
pub(super) struct LiveProcess {
    pub(super) guarded: Guarded,
    launch: Arc<Launch>,
    pub(super) place: Arc<SharedPlace>,
    pub(super) wire: Wire,
    pub(super) stderr: Arc<Stderr>,
    /// The calls that its sandbox has refused, as far as they are noted.
    denied: DeniedCalls,
    /// It has finished a game.
    pub(super) has_played: bool,
    /// It has answered, or was asked for a move. Until then it may still be starting.
    pub(super) is_up: bool,
    // The last field, so that the folder is removed when no process writes to it any more.
    _scratch: PrivateFolder,
}

impl LiveProcess {
    /// Starts the process.
    pub(super) fn spawn(
        launch: &Arc<Launch>,
        processor: &SharedProcessor,
        runtime: &tokio::runtime::Handle,
        tap: Option<&Arc<Tap>>,
    ) -> Result<Self, Failure> {
        let scratch = PrivateFolder::create(launch)?;
        let (guarded, pipes) = launch.spawn(&scratch)?;
        let void = |error| Failure::Void(format!("connecting to bot `{}`: {error}", launch.name));
        let stderr = Stderr::drain(pipes.stderr, runtime, tap.cloned()).map_err(void)?;
        let exited = guarded.exit_fd().map(|fd| fd.try_clone_to_owned()).transpose().map_err(void)?;
        let place = Arc::new(SharedPlace::take(processor, &launch.name, guarded.family()));
        let dialect = launch.dialect([unpredictable(), unpredictable()]);
        let ends = [pipes.stdin, pipes.stdout];
        let meter = Meter::new(Arc::clone(&place), launch.count_all);
        let wire = Wire::new(ends, exited, dialect, Arc::clone(&place), meter, Arc::clone(&stderr), tap.cloned())
            .map_err(void)?;
        let launch = Arc::clone(launch);
        let denied = DeniedCalls::default();
        Ok(Self { guarded, launch, place, wire, stderr, denied, has_played: false, is_up: false, _scratch: scratch })
    }

    /// Ends the bot's turn. Until the next message it is stopped if that is configured, if it is still starting, or if it
    /// competes with others.
    pub(super) fn rest(&self) {
        self.place.end_turn();
        if self.launch.freeze_idle || !self.is_up {
            self.place.stop();
        }
    }

    /// Removes the process and everything that it started. Returns the stderr that was not taken yet.
    pub(super) fn kill(&mut self) -> KeptOutput {
        self.wire.close_input();
        self.place.give_up();
        // How it ended was inspected before, if that matters. A process stuck in the kernel is left to its guard.
        let _ = self.guarded.kill();
        self.stderr.finish(STDERR_LIMIT)
    }

    /// The limits that it is near now.
    pub(super) fn near_limits(&self) -> Vec<NearLimit> {
        near_limits(&self.guarded.look(&self.launch.limits), &self.launch.limits)
    }

    /// The most memory that it has had so far: its guard looks only so often, so now is looked once more.
    pub(super) fn memory_peak(&self) -> MemoryUse {
        self.guarded.memory_peak().most(self.guarded.look(&self.launch.limits).memory)
    }

    /// The calls that its sandbox has refused since this was last asked.
    pub(super) fn take_denied(&mut self) -> DeniedCalls {
        let denied: DeniedCalls = self.guarded.denied().into_iter().collect();
        let new = denied.since(&self.denied);
        self.denied = denied;
        new
    }

    /// Describes the end of a process that exited or closed its output; `when` completes the sentence.
    ///
    /// Returns an error if something else may have ended it: its guard is gone as well, or it was killed while no sandbox
    /// keeps other bots from doing so. It is then not the bot's fault.
    pub(super) fn describe_end(&mut self, when: &str) -> Result<(Cause, String), String> {
        let is_protected = self.guarded.sandbox().keeps_signals_in();
        let ended = self.guarded.wait_exited(EXIT_STATUS_LIMIT).map(|exited| {
            let may_be_foreign = !is_protected && exited.overrun.is_none() && exited.signal.is_some_and(is_sent);
            (describe(exited, &self.launch.limits), may_be_foreign)
        });
        let (cause, mut text) = match ended {
            Some(((_, how), true)) => {
                return Err(format!("it {how}, possibly by another bot, since no sandbox blocks signals"));
            }
            Some(((cause, how), false)) => (cause, format!("it {how} {when}")),
            None if self.guarded.has_lost_guard() => return Err("its guard was killed".to_owned()),
            None => (Cause::ClosedOutput, format!("it closed its output {when}")),
        };
        if let Some(fragment) = self.wire.lines().fragment() {
            text.push_str("; it wrote a line without a newline: ");
            text.push_str(&fragment);
        }
        Ok((cause, text))
    }

    /// Finds out why nothing came; `silence` is the cause if nothing else is known. Closes the bot's input. If the bot was
    /// waiting for input, waits briefly for its answer: if that comes now, the bot had it and never sent it. A bot that is
    /// busy is not waited for, nor is one in the middle of a line: their answers would only be late. `late` says that nothing
    /// came; `spent` is how the time went, to be told where nothing else explains it.
    pub(super) fn diagnose_silence(
        &mut self,
        late: &str,
        spent: Option<TimeUse>,
        silence: Cause,
        log: &mut Vec<LogLine>,
    ) -> (Cause, String) {
        let with_time = |text: String| spent.map(|spent| spent.after(&text)).unwrap_or(text);
        let state = ProcessState::of(self.place.family(), self.wire.input_inode());
        // In this order: a bot that was seen to wait for input has written its answer by then.
        let came = self.wire.has_come(log);
        // In the middle of its remarks, it may be that of another one.
        let is_remark = state == ProcessState::Busy && self.wire.has_remarked();
        let fragment = self.wire.lines().fragment().filter(|_| !is_remark);
        let deaf = self.wire.is_deaf();
        self.wire.close_input();
        if came {
            return (silence, with_time(late.to_owned()));
        }
        if state == ProcessState::Stopped {
            return (Cause::Stopped, format!("{late}; it is stopped (SIGSTOP)"));
        }
        if deaf {
            return (Cause::ClosedInput, format!("{late}; it closed its input"));
        }
        let words = &self.launch.protocol.words;
        let asked = if silence == Cause::NoHello { words.hello } else { words.new_game };
        if let Some(attempt) = self.wire.attempt().filter(|attempt| attempt.is_clear) {
            return (attempt.cause, format!("its answer to {asked} was not understood: {}", attempt.why));
        }
        // In UTF-16 every other byte would be NUL, and the first two bytes make the line stray.
        if [fragment.as_deref().unwrap_or_default(), &self.wire.lines().last_line()].concat().contains("\\u{0}") {
            let how = format!("{late}; its output has NUL bytes in it: write UTF-8, not UTF-16");
            return (Cause::NotUtf8, how);
        }
        if let Some([begun, line]) = self.wire.lines().joined().filter(|_| state != ProcessState::Busy) {
            let how = format!("{late}; its line `{line}` began with `{begun}`, which it wrote before it was asked");
            return (Cause::NoNewline, how);
        }
        if let Some(fragment) = fragment {
            return (Cause::NoNewline, format!("{late}; it wrote a line without a newline: {fragment}"));
        }
        let likely = match state {
            ProcessState::Reading => "it probably did not flush its output",
            ProcessState::Unknown => "it was late, or did not flush its output",
            ProcessState::Stopped | ProcessState::Busy => "",
        };
        if !likely.is_empty() && self.wire.receive(Credit::none(STUCK_LIMIT), log).is_ok() {
            // A bot that has answered before reads line by line.
            let or_reads =
                if silence == Cause::NoHello { ", or reads to the end of its input before it answers" } else { "" };
            let found = format!("{likely}{or_reads}: the answer came when its input was closed; {late}");
            log.push(LogLine::Remark(found.clone()));
            return (Cause::NotFlushed, found);
        }
        if let Some(attempt) = self.wire.attempt() {
            return (attempt.cause, format!("{late}; a line of its output was not understood: {}", attempt.why));
        }
        let lines = self.wire.lines();
        if silence == Cause::NoHello && lines.last_line().is_empty() {
            return (silence, format!("{late}; {}", words.silent_start));
        }
        let found = lines.last_dropped().map_or_else(
            || late.to_owned(),
            |why| format!("{late}; its last line was dropped as {}: {}", why.word(), lines.last_line()),
        );
        (silence, with_time(found))
    }
}

impl Drop for LiveProcess {
    /// No process outlives its owner.
    fn drop(&mut self) {
        self.kill();
    }
}
