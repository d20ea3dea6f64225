//! A bot: an external program, spoken to over its pipes. Only this module knows about processes.
//!
//! A process is started when a game first needs it, plays many games, and is replaced after a fault. A start that fails
//! because the machine gave the bot no processor is tried again. A process runs under a
//! [guard](arena_guard), which removes everything that it started. Every wait has a deadline, and no output of a bot
//! extends one.

mod alarm;
mod cpu_meter;
mod cpu_usage;
mod credit;
mod end;
mod exit;
mod fault;
mod file_snapshot;
mod heartbeat;
mod interrupts;
mod launch;
mod live;
mod load;
mod looks;
mod near;
mod process_state;
mod shared;
mod start;
mod stderr;
mod talk;
mod tap;
mod wire;

use std::sync::Arc;
use std::time::{Duration, Instant};

use arena_core::cause::Cause;
use arena_core::record::{DeniedCalls, Evidence, Status};
use arena_core::referee::{Answer, Fault, GameEnd, GameStart, Question};
use arena_wire::protocol::{Introduction, Outgoing, Response};

use end::ExchangeEnd;
pub(crate) use exit::describe;
use fault::{OwedReply, after, note_about};
pub use file_snapshot::{FileSnapshot, READ_LIMIT};
pub use launch::{Launch, STARTUP_DEFAULT};
pub(crate) use launch::{PrivateFolder, elf_machine};
use live::LiveProcess;
use near::{explained_silence, near_memory};
pub use shared::SharedProcessor;
pub use talk::{Talk, TalkNews, WrittenLine};
pub use tap::{Stream, Tap, TappedLine};

use super::{Aftermath, Failure, LogLine, Player, limit_remarks};

/// Time limit for `ready`.
const READY_LIMIT: Duration = Duration::from_secs(5);
/// Time limit for being done with earlier work, before a question; a bot that needs longer is late anyway if its move has
/// less time.
const IDLE_LIMIT: Duration = Duration::from_secs(5);
/// Time of that which is no part of the move.
const IDLE_FREE: Duration = Duration::from_millis(50);
/// Time limit for writing a message that needs no answer.
const NOTICE_LIMIT: Duration = Duration::from_millis(100);
/// Time limit for exiting after `quit`.
const LEAVE_LIMIT: Duration = Duration::from_secs(1);

/// A bot, started or not.
#[derive(Debug)]
pub struct Bot {
    launch: Arc<Launch>,
    runtime: tokio::runtime::Handle,
    processor: SharedProcessor,
    live: Option<LiveProcess>,
    /// What the process that was started last said about itself.
    hello: Introduction,
    /// The aftermath of the present game so far.
    aftermath: Aftermath,
    /// The last lines exchanged with the process before this one.
    ended: Exchange,
    /// How its files have changed, if they have.
    change: Option<String>,
    /// It is only tested, so it may decline its first game.
    is_check: bool,
    /// What it said when it declined the last game that it was asked to play.
    declined: Option<String>,
    /// Where what it reads and writes is shown.
    tap: Option<Arc<Tap>>,
    /// Its last process was ended because of its own fault, so the time of its next start counts.
    pub was_at_fault: bool,
    /// The next game is a retry because a bot got no processor. If that happens again, the bot loses on time.
    pub is_retry: bool,
}

impl Bot {
    /// A bot that is not started yet and shares `processor` with others. `runtime` drains its stderr.
    #[must_use]
    pub fn new(launch: Arc<Launch>, runtime: tokio::runtime::Handle, processor: SharedProcessor) -> Self {
        Self {
            launch,
            runtime,
            processor,
            live: None,
            hello: Introduction::default(),
            aftermath: Aftermath::default(),
            ended: Exchange::default(),
            change: None,
            is_check: false,
            declined: None,
            tap: None,
            was_at_fault: false,
            is_retry: false,
        }
    }

    /// Shows what the processes that are started from now on read and write.
    #[must_use]
    pub fn tapped(self, tap: Arc<Tap>) -> Self {
        Self { tap: Some(tap), ..self }
    }

    /// For a test of the bot, in which it may decline the first game of a process, and nothing more is waited for soon after an
    /// answer to `hello` or `new_game` that is not valid.
    #[must_use]
    pub fn in_check(self) -> Self {
        Self { is_check: true, ..self }
    }

    /// That it does not play the last game that it was asked to play, and why, if it has declined that game in time:
    /// `does not play connect4: too wide`. That is not a fault.
    #[must_use]
    pub fn declined(&self) -> Option<&str> {
        self.declined.as_deref()
    }

    /// What the process said about itself when it was started.
    #[must_use]
    pub fn hello(&self) -> &Introduction {
        &self.hello
    }

    /// How its files have changed, if a change was seen. It is then a different bot, and none of its results count.
    #[must_use]
    pub fn change(&self) -> Option<&str> {
        self.change.as_deref()
    }

    /// The last lines exchanged with its process, or with the last one if there is none now.
    #[must_use]
    pub fn exchange(&self) -> Exchange {
        self.live.as_ref().map_or_else(|| self.ended.clone(), |live| live.wire.exchange())
    }

    /// Whether there is a process, as far as is known.
    #[must_use]
    pub fn is_started(&self) -> bool {
        self.live.is_some()
    }

    /// Whether it has disturbed a game that it did not play.
    #[must_use]
    pub fn is_condemned(&self) -> bool {
        self.live.as_ref().is_some_and(|live| live.place.is_condemned())
    }

    /// How near its process has come to the limit on memory so far, if it has come near: `it used 980 of 1024 MB`.
    #[must_use]
    pub fn near_memory_limit(&self) -> Option<String> {
        near_memory(self.live.as_ref()?.memory_peak(), &self.launch.limits)
    }

    /// The system calls that its sandbox has refused since its last game, as far as they are noted: at its end, all of them.
    #[must_use]
    pub fn denied(&self) -> &DeniedCalls {
        &self.aftermath.denied
    }

    /// Takes the log lines that belong to no game.
    pub fn take_log(&mut self) -> Vec<LogLine> {
        std::mem::take(&mut self.aftermath.log)
    }

    /// Sends `quit` unless it is condemned; [`Bot::leave`] waits for the exit.
    pub fn say_quit(&mut self) {
        if let Some(live) = self.live.as_mut().filter(|live| !live.place.is_condemned()) {
            live.wire.quit(NOTICE_LIMIT);
        }
    }

    /// Sends `quit`, waits for the process to exit, and removes what is left of it; kills a condemned bot at once, and one whose
    /// protocol has no way to ask it to leave. Returns whether it exited in time.
    pub fn leave(&mut self) -> bool {
        self.say_quit();
        self.live.take().is_none_or(|mut live| {
            let is_killed = live.place.is_condemned() || !self.launch.protocol.is_greeted;
            let limit = if is_killed { Duration::ZERO } else { LEAVE_LIMIT };
            let exited = live.guarded.wait_exited(limit).is_some() || live.guarded.is_over();
            live.kill().log_as(LogLine::Stderr, &mut self.aftermath.log);
            self.aftermath.note_denied(live.take_denied());
            exited
        })
    }
}

/// The last message in each direction, whole and escaped; empty if there was none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exchange {
    /// What the bot was sent; a message of several lines has all of them, with newlines between.
    pub sent: String,
    /// What it wrote to stdout.
    pub received: String,
    /// Whether it wrote that after it was sent the other.
    pub is_reply: bool,
}

impl Player for Bot {
    fn new_game(&mut self, game: &GameStart<'_>) -> Result<(), Failure> {
        self.get_ready(game)
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        let Some(live) = &mut self.live else { return Answer::Void(GONE.to_owned()) };
        let log = &mut self.aftermath.log;
        // Of all that a bot does at its start nothing shows when that is done: its first move has the time for both.
        let starting = if live.is_up { Duration::ZERO } else { self.launch.startup };
        live.is_up = true;
        let time = question.time.and(starting);
        let (synced, before) = if starting.is_zero() {
            let limit = IDLE_LIMIT.min(IDLE_FREE + time.deadline());
            (live.wire.sync(limit, IDLE_FREE, time.charge, log), self.launch.protocol.words.before_question)
        } else {
            // What it writes before it reads answers nothing.
            let limit = IDLE_LIMIT.min(starting);
            let waited = live.wire.wait_for_reader(limit, limit, log);
            (waited.map(|[waited, _]| waited.into()), "to start")
        };
        let (asked, owed) = match synced {
            Ok(held) => {
                let limit = time.deadline().saturating_sub(held.wall);
                let asked = live.wire.ask(Outgoing::Question(&question), limit, log);
                let asked = asked.map(|(response, taken)| (response, taken.after(held)));
                // The clock judges it, and knows only the sum.
                if asked.as_ref().is_ok_and(|(_, taken)| taken.wall > time.deadline() && !held.wall.is_zero()) {
                    log.push(LogLine::Remark(after(time.missed().to_string(), held.wall, before)));
                }
                (asked, OwedReply::Move(time, held.wall, before))
            }
            // As in every message, without the margin.
            Err(end) => (Err(end), OwedReply::Idle(IDLE_LIMIT.min(IDLE_FREE + time.wall_limit))),
        };
        match asked {
            Ok((response, taken)) => {
                if !self.launch.freeze_idle {
                    live.wire.sync_ahead();
                }
                live.rest();
                match response {
                    Response::Move(reply) => {
                        Answer::Move(limit_remarks(reply, &mut self.aftermath.log), taken.beyond(starting))
                    }
                    Response::Resign => Answer::Resign,
                    _ => Answer::Void("a reply of the wrong kind was taken for a move".to_owned()),
                }
            }
            Err(ExchangeEnd::Disturbed(how)) => {
                // Nothing is wrong with this bot; its reply is not needed any more.
                alarm::off();
                live.rest();
                Answer::Disturbed(Fault::new(Status::Interference, Cause::TookProcessor, how))
            }
            Err(end) => match self.fail(end, owed) {
                Failure::Fault(fault) => Answer::Fault(*fault),
                Failure::Void(why) => Answer::Void(why),
            },
        }
    }

    fn at_fault(&mut self, evidence: &mut Evidence) {
        alarm::off();
        // A bot whose scripts or data files are replaced while it runs may fail because of that.
        self.change = self.change.take().or_else(|| self.launch.change());
        // A fault that was seen here has ended the process already.
        if let Some(mut live) = self.live.take() {
            live.wire.note_second_answers(evidence, &mut self.aftermath.log);
            note_about(live.wire.about_fault(), evidence);
            if let Some(cause) = evidence.cause.filter(|cause| cause.is_silence()) {
                let found = (cause, std::mem::take(&mut evidence.message));
                let (cause, message) = explained_silence(&live.near_limits(), evidence.time_use(), found);
                (evidence.cause, evidence.message) = (Some(cause), message);
            }
            self.kill_and_collect(live, evidence);
            self.was_at_fault = true;
        }
    }

    fn game_over(&mut self, end: &GameEnd<'_>) -> Aftermath {
        alarm::off();
        if let Some(live) = self.live.as_mut().filter(|live| live.place.is_seated()) {
            let Aftermath { surplus_lines, off_move, cpu, log, .. } = &mut self.aftermath;
            *off_move += live.place.take_used_off_move();
            *cpu = live.wire.meter.end_game();
            // What it says about the end belongs to no game, whenever that is read.
            *surplus_lines += live.wire.restart_counts();
            live.has_played = true;
            live.place.set_seated(false);
            let was_sent = live.wire.tell(Outgoing::GameEnd(end), NOTICE_LIMIT, log);
            live.rest();
            let goes_on = was_sent && !live.guarded.is_over();
            // If it does not, that is no fault, since the game is decided: it exited after its last move, or stopped reading.
            let stderr = if goes_on { live.stderr.take() } else { live.kill() };
            stderr.log_as(LogLine::Stderr, log);
            self.aftermath.note_denied(live.take_denied());
            if !goes_on {
                self.live = None;
            }
        }
        if self.launch.fresh {
            self.leave();
        }
        std::mem::take(&mut self.aftermath)
    }
}

/// There should be a process and is none.
const GONE: &str = "the bot's process is gone";

/// A point in monotonic time.
type Deadline = Instant;
