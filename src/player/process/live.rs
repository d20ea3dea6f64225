//! A process from its start to its end: whatever becomes of it, it and all that it has started are removed.

use std::sync::Arc;
use std::time::Duration;

use super::credit::Credit;
use super::doing::{Doing, doing};
use super::exit::{comes_from_outside, describe};
use super::launch::Scratch;
use super::meter::Meter;
use super::shared::{Place, Table};
use super::stderr::Stderr;
use super::wire::Wire;
use super::{Deadline, Launch};
use crate::cause::Cause;
use crate::guard::{Guarded, Limits};
use crate::player::{LogLine, NotReady};
use crate::rng::unpredictable;
use crate::time::now;

/// Time for a process that closed its output to exit, so that its exit status can be told.
const EXIT_STATUS_LIMIT: Duration = Duration::from_millis(100);
/// How long a reply that is stuck in a bot's own buffer is waited for after a timeout. The protocol allows 200 ms; the
/// rest is left for ending the process, since all of it is the opponent's time.
const STUCK_LIMIT: Duration = Duration::from_millis(150);

/// A process that runs.
#[derive(Debug)]
pub(super) struct Live {
    guarded: Guarded,
    limits: Limits,
    place: Arc<Place>,
    /// It is stopped whenever nothing is asked of it.
    freezes: bool,
    pub(super) wire: Wire,
    pub(super) stderr: Stderr,
    pub(super) spawned: Deadline,
    // The last field, so that it goes when nobody writes to it any more.
    _scratch: Scratch,
}

impl Live {
    /// Starts the process.
    pub(super) fn spawn(launch: &Launch, table: &Table, runtime: &tokio::runtime::Handle) -> Result<Self, NotReady> {
        let scratch = Scratch::create(launch)?;
        let spawned = now();
        let (guarded, pipes) = launch.spawn(&scratch)?;
        let void = |error| NotReady::Void(format!("connecting to bot `{}`: {error}", launch.name));
        let stderr = Stderr::drain(pipes.stderr, runtime).map_err(void)?;
        let exited = guarded.exit_fd().map(|fd| fd.try_clone_to_owned()).transpose().map_err(void)?;
        let place = Arc::new(Place::take(table, &launch.name, guarded.family()));
        let dialect = (launch.protocol.dialect)([unpredictable(), unpredictable()], &launch.options);
        let ends = [pipes.stdin, pipes.stdout];
        let meter = Meter::new(Arc::clone(&place), launch.count_all);
        let wire = Wire::new(ends, exited, dialect, Arc::clone(&place), meter, stderr.clone()).map_err(void)?;
        Ok(Self {
            guarded,
            limits: launch.limits.clone(),
            place,
            freezes: launch.freeze_idle,
            wire,
            stderr,
            spawned,
            _scratch: scratch,
        })
    }

    /// It has said hello.
    pub(super) fn settled(&mut self) {
        self.wire.meter.include_family();
        self.place.note_rest();
    }

    /// Nothing is asked of it until something is sent to it. It is stopped meanwhile if that is wanted, or if it gets in the way of
    /// others.
    pub(super) fn rest(&self) {
        self.place.end_turn();
        if self.freezes {
            self.place.stop();
        }
    }

    /// Its place among those that share its processor.
    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// Whether the process is gone already.
    pub(super) fn has_exited(&mut self) -> bool {
        self.guarded.is_over()
    }

    /// Waits for the process to exit; true if it has.
    pub(super) fn wait_for_exit(&mut self, limit: Duration) -> bool {
        self.guarded.wait_exited(limit).is_some() || self.guarded.is_over()
    }

    /// Removes the process and all that it has started.
    pub(super) fn kill(&mut self) {
        self.wire.close_input();
        self.place.give_up();
        // How it ended was looked at before, if it matters; whoever is stuck in the kernel is left to its guard.
        let _ = self.guarded.kill();
    }

    /// Says how a process ended that has exited or closed its output; `when` completes the sentence.
    ///
    /// An error if that may have been somebody else's doing: its guard is gone as well, or it was killed while nothing
    /// keeps other bots from doing so. Then it is nobody's fault.
    pub(super) fn describe_end(&mut self, when: &str) -> Result<(Cause, String), String> {
        let kept_in = self.guarded.sandbox().keeps_signals_in();
        let ended = self.guarded.wait_exited(EXIT_STATUS_LIMIT);
        if let Some(exited) = ended
            && exited.overrun.is_none()
            && exited.signal.is_some_and(comes_from_outside)
            && !kept_in
        {
            let (_, how) = describe(exited, &self.limits);
            return Err(format!("it {how}, perhaps from outside: no sandbox keeps other bots from it"));
        }
        let (cause, mut text) = match ended.map(|exited| describe(exited, &self.limits)) {
            Some((cause, ended)) => (cause, format!("it {ended} {when}")),
            None if self.guarded.is_over() => return Err("its guard was killed".to_owned()),
            None => (Cause::ClosedOutput, format!("it closed its output {when}")),
        };
        if let Some(fragment) = self.wire.lines().fragment() {
            text.push_str("; it wrote a line without a newline: ");
            text.push_str(&fragment);
        }
        Ok((cause, text))
    }

    /// Most memory it may hold, in MB; 0 is no limit.
    pub(super) fn memory_limit_mb(&self) -> u64 {
        self.limits.memory_mb
    }

    /// Says why nothing came; `silence` is the cause if no more than that is known. Closes the bot's input and, if that was what it waited for, looks whether that brings
    /// the response out: then the bot had the answer and never sent it. A bot that is doing something else is not waited for,
    /// nor is one in the middle of a line: what came from it would merely be late.
    pub(super) fn diagnose_silence(&mut self, late: &str, silence: Cause, log: &mut Vec<LogLine>) -> (Cause, String) {
        let doing = doing(self.place.family(), self.wire.input_inode());
        // In this order: whoever was seen to wait for input has written by then what it has to say.
        let came = self.wire.has_come(log);
        let fragment = self.wire.lines().fragment();
        let deaf = self.wire.is_deaf();
        self.wire.close_input();
        if came {
            return (silence, late.to_owned());
        }
        if doing == Doing::Stopped {
            return (Cause::Stopped, format!("{late}; it is stopped (SIGSTOP)"));
        }
        if deaf {
            return (Cause::ClosedInput, format!("{late}; it closed its input"));
        }
        // Half of its characters would be NUL bytes, and its first two bytes make it stray.
        if [fragment.as_deref().unwrap_or_default(), &self.wire.lines().last_line()].concat().contains("\\u{0}") {
            let how = format!("{late}; its output has NUL bytes in it: write UTF-8, not UTF-16");
            return (Cause::NotUtf8, how);
        }
        if let Some(fragment) = fragment {
            return (Cause::NoNewline, format!("{late}; it wrote a line without a newline: {fragment}"));
        }
        // Whoever has answered before reads line by line.
        let to_the_end =
            if silence == Cause::NoHello { ", or reads to the end of its input before it answers" } else { "" };
        let likely = match doing {
            Doing::Reading => format!("it most likely forgot to flush its output{to_the_end}"),
            Doing::Unknown => format!("it was late, or forgot to flush its output{to_the_end}"),
            Doing::Stopped | Doing::Running | Doing::Waiting => return (silence, self.name_dropped(late)),
        };
        if self.wire.receive(Credit::none(STUCK_LIMIT), log).is_ok() {
            let found = format!("{late}; the answer came out when its input was closed: {likely}");
            log.push(LogLine::Remark(found.clone()));
            return (Cause::NotFlushed, found);
        }
        (silence, self.name_dropped(late))
    }

    /// Adds what came instead of the answer.
    fn name_dropped(&self, late: &str) -> String {
        let lines = self.wire.lines();
        lines.last_dropped().map_or_else(
            || late.to_owned(),
            |why| format!("{late}; its last line was dropped as {}: {}", why.word(), lines.last_line()),
        )
    }
}

impl Drop for Live {
    /// Nothing outlives its owner.
    fn drop(&mut self) {
        self.kill();
    }
}
