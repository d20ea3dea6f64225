//! A bot: an external program spoken to over its pipes. The only module that knows of processes.
//!
//! A process is started when a game first needs it, serves many games, and is replaced after a fault. It runs
//! under a [guard](crate::guard), so that whatever it started goes with it. Every wait has a deadline, and nothing a bot
//! prints extends one.

mod account;
mod alarm;
mod credit;
mod doing;
mod exit;
mod fault;
mod launch;
mod live;
mod meter;
mod original;
mod pulse;
mod shared;
mod stderr;
mod wire;

use std::sync::Arc;
use std::time::{Duration, Instant};

use fault::Owed;
pub use launch::{Launch, STARTUP_DEFAULT};
use live::Live;
pub use original::Original;
pub use shared::{SharedProcessor, Table};
use stderr::Kept;
use wire::End;

use super::{Aftermath, LogLine, NotReady, Player};
use crate::cause::Cause;
use crate::protocol::{COMMENT_CHARS_MAX, DEBUG_BYTES_MAX, Introduction, Outgoing, Response};
use crate::record::{Evidence, Status};
use crate::referee::{Answer, Fault, GameEnd, GameStart, Question, Reply};
use crate::rules::Variant;
use crate::text::shown;
use crate::time::now;

/// Time for `ready`.
const READY_LIMIT: Duration = Duration::from_secs(5);
/// Time for a bot to take a message that needs no answer.
const NOTICE_LIMIT: Duration = Duration::from_millis(100);
/// Time for a bot to leave after `quit`.
const LEAVE_LIMIT: Duration = Duration::from_secs(1);
/// How long the end of stderr is waited for once a bot was killed.
const STDERR_LIMIT: Duration = Duration::from_millis(30);

/// A bot, started or not.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is true or not whatever the others are")]
pub struct Bot {
    launch: Arc<Launch>,
    runtime: tokio::runtime::Handle,
    table: Table,
    live: Option<Live>,
    /// What the process that was started last said of itself.
    hello: Introduction,
    /// The live process was told of a game and not yet of its end.
    in_game: bool,
    /// The live process has played a game.
    has_played: bool,
    log: Vec<LogLine>,
    surplus_lines: u32,
    off_move: Duration,
    /// Processor time in this game, once that has ended.
    cpu: Option<Duration>,
    /// Its last process was ended by a fault of its own.
    was_at_fault: bool,
    /// Time that starts after such ends took in this game.
    restart: Duration,
    /// What has become of its files, if they are not what they were.
    change: Option<String>,
    /// The game at hand is played again for want of a processor.
    is_retry: bool,
    /// It was void for that.
    was_starved: bool,
}

impl Bot {
    /// A bot that is not started yet, at a table of its own. `runtime` drains its stderr.
    #[must_use]
    pub fn new(launch: Arc<Launch>, runtime: tokio::runtime::Handle) -> Self {
        Self::at(Table::at(SharedProcessor::default()), launch, runtime)
    }

    /// A bot that is not started yet and will share its processor with others. `runtime` drains its stderr.
    #[must_use]
    pub fn at(table: Table, launch: Arc<Launch>, runtime: tokio::runtime::Handle) -> Self {
        Self {
            launch,
            runtime,
            table,
            is_retry: false,
            was_starved: false,
            live: None,
            hello: Introduction::default(),
            in_game: false,
            has_played: false,
            log: Vec::new(),
            surplus_lines: 0,
            off_move: Duration::ZERO,
            cpu: None,
            was_at_fault: false,
            restart: Duration::ZERO,
            change: None,
        }
    }

    /// Whether its last process was ended by a fault of its own, so that the time of its next start counts.
    #[must_use]
    pub const fn was_at_fault(&self) -> bool {
        self.was_at_fault
    }

    /// Says that of a bot which played here before.
    pub const fn set_at_fault(&mut self, was_at_fault: bool) {
        self.was_at_fault = was_at_fault;
    }

    /// What the process said of itself when it was started.
    #[must_use]
    pub fn hello(&self) -> &Introduction {
        &self.hello
    }

    /// What has become of its files, if they were seen not to be what they were: then it is not the bot any more that it
    /// is taken for, and nothing that it does counts.
    #[must_use]
    pub fn change(&self) -> Option<&str> {
        self.change.as_deref()
    }

    /// Whether there is a process to speak to, as far as is known.
    #[must_use]
    pub fn is_started(&self) -> bool {
        self.live.is_some()
    }

    /// Whether the last game came out void because the machine gave it no processor.
    #[must_use]
    pub fn was_starved(&self) -> bool {
        self.was_starved
    }

    /// Says whether the next game is played again because the machine gave a bot no processor: if it does so once more, that
    /// bot loses on time.
    pub fn set_retry(&mut self, is_retry: bool) {
        self.is_retry = is_retry;
    }

    /// Whether it has disturbed a game that it did not play.
    #[must_use]
    pub fn is_condemned(&self) -> bool {
        self.live.as_ref().is_some_and(|live| live.place().is_condemned())
    }

    /// Starts the process and exchanges `hello`.
    ///
    /// # Errors
    ///
    /// Returns whose failure it is that there is no process to speak to.
    pub fn start(&mut self) -> Result<(), NotReady> {
        self.look_for_change()?;
        let (begun, again) = (now(), std::mem::take(&mut self.was_at_fault));
        let mut greeted = self.greet();
        if greeted.is_err() && self.launch.is_touched() {
            // A file that is replaced by its like in the middle of a start is another one to the sandbox.
            greeted = self.greet();
        }
        if again {
            self.restart += now() - begun;
        }
        // Files replaced since then may have been what was run, whatever came of it.
        if let Err(changed) = self.look_for_change() {
            self.live = None;
            return Err(changed);
        }
        greeted
    }

    fn look_for_change(&mut self) -> Result<(), NotReady> {
        self.change = self.launch.change();
        self.change.clone().map_or(Ok(()), |change| Err(NotReady::Void(change)))
    }

    fn greet(&mut self) -> Result<(), NotReady> {
        pulse::begin();
        self.hello = Introduction::default();
        self.has_played = false;
        let live = self.live.insert(Live::spawn(&self.launch, &self.table, &self.runtime)?);
        let startup = self.launch.startup;
        let limit = startup.saturating_sub(now() - live.spawned);
        let end = match live.wire.ask(Outgoing::Hello { startup }, limit, &mut self.log) {
            Ok((Response::Hello(hello), _)) => {
                self.hello = hello;
                live.settled();
                live.rest();
                return Ok(());
            }
            Ok(_) => End::Violation(Cause::NoHello, "it did not answer hello with hello".to_owned()),
            Err(end) => end,
        };
        Err(self.not_ready(end, Owed::Hello(startup)))
    }

    /// What there is for its log that no game has taken.
    pub fn take_log(&mut self) -> Vec<LogLine> {
        std::mem::take(&mut self.log)
    }

    /// Asks the process to leave; [`Bot::leave`] sees it off.
    pub fn say_quit(&mut self) {
        if let Some(live) = &mut self.live {
            live.wire.quit(NOTICE_LIMIT);
        }
    }

    /// Ends the process now.
    pub fn end(&mut self) {
        if let Some(live) = self.live.take() {
            self.bury(live, &mut Evidence::default(), Kept::log_to);
        }
    }

    /// Waits for the process to leave by itself and removes whatever is left of it. Returns whether it left in time.
    pub fn leave(&mut self) -> bool {
        self.say_quit();
        self.live.take().is_none_or(|mut live| {
            let left = live.wait_for_exit(LEAVE_LIMIT);
            live.kill();
            live.stderr.finish(STDERR_LIMIT).log_to(&mut self.log);
            left
        })
    }

    /// Begins a game with the live process.
    fn get_ready(&mut self, game: &GameStart<'_>) -> Result<(), End> {
        let gone = || End::Error(std::io::Error::other("there is no process"));
        let live = self.live.as_mut().ok_or_else(gone)?;
        live.wire.ask(Outgoing::NewGame(game), READY_LIMIT, &mut self.log)?;
        self.surplus_lines = live.wire.restart_counts();
        // Not sooner: a bot on our processor may have come to its end of the last game only now.
        if self.has_played {
            live.stderr.take().log_between_games_to(&mut self.log);
        }
        live.place().set_seated(true);
        live.wire.meter.start_game();
        live.rest();
        self.in_game = true;
        Ok(())
    }

    /// The games that its hello names, if `variant` is not among them.
    #[must_use]
    pub fn other_games(&self, variant: &Variant) -> Option<String> {
        let games = self.hello.games.as_ref()?;
        let plays = games.iter().any(|name| variant.is_called(name));
        (!plays).then(|| shown(&games.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ")))
    }

    fn check_claims(&self, variant: &Variant) -> Result<(), NotReady> {
        let Some(others) = self.other_games(variant) else { return Ok(()) };
        let message = format!("it does not play {}; its hello names {others}", variant.rules.name());
        Err(Fault::new(Status::StartupFailed, Cause::GameNotPlayed, message).into())
    }

    /// Whether an end before `ready` may be about the last game. Then no game is lost by it: a process that has left, or
    /// cannot be trusted to keep games apart, gets a successor.
    fn is_of_last_game(&self, end: &End) -> bool {
        match end {
            End::Closed => true,
            End::Violation(..) => self.has_played,
            End::TimedOut | End::Disturbed(..) | End::Starved(_) | End::Error(_) => false,
        }
    }

    /// Drops or cuts remarks that are out of bounds.
    fn accept(&mut self, reply: Reply) -> Reply {
        let mut note = |text: String| self.log.push(LogLine::Remark(text));
        let eval = reply.eval.filter(|eval| {
            let fits = (-1.0..=1.0).contains(eval);
            if !fits {
                note(format!("eval {eval} dropped: it must lie within -1 and 1"));
            }
            fits
        });
        let debug = reply.debug.filter(|debug| {
            let fits = debug.get().len() <= DEBUG_BYTES_MAX;
            if !fits {
                note(format!("debug of {} bytes dropped: at most {DEBUG_BYTES_MAX} are kept", debug.get().len()));
            }
            fits
        });
        let comment = reply.comment.map(|comment| {
            let chars = comment.chars().count();
            if chars > COMMENT_CHARS_MAX {
                note(format!("comment of {chars} characters cut: {COMMENT_CHARS_MAX} are kept"));
            }
            comment.chars().take(COMMENT_CHARS_MAX).collect()
        });
        Reply { eval, comment, debug, ..reply }
    }
}

impl Player for Bot {
    fn new_game(&mut self, game: &GameStart<'_>) -> Result<(), NotReady> {
        self.was_starved = false;
        if self.live.is_some() {
            self.check_claims(game.variant)?;
            match self.get_ready(game) {
                Err(end) if self.is_of_last_game(&end) => self.replace(&end),
                other => return other.map_err(|end| self.not_ready(end, Owed::Ready)),
            }
        }
        self.start()?;
        self.check_claims(game.variant)?;
        self.get_ready(game).map_err(|end| self.not_ready(end, Owed::Ready))
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        let Some(live) = &mut self.live else {
            return Answer::Void("the bot's process is gone".to_owned());
        };
        let time = question.time;
        match live.wire.ask(Outgoing::Question(question), time.deadline(), &mut self.log) {
            Ok((Response::Move(reply), taken)) => {
                live.rest();
                Answer::Move(self.accept(reply), taken)
            }
            Ok((Response::Resign, _)) => {
                live.rest();
                Answer::Resign
            }
            Ok(_) => Answer::Void("a reply of the wrong kind was taken for a move".to_owned()),
            Err(end) => self.fault(end, Owed::Move(time)),
        }
    }

    fn at_fault(&mut self, evidence: &mut Evidence) {
        alarm::off();
        // A script is read, and files are opened, while it runs: with others in their place it may well fail.
        self.change = self.change.take().or_else(|| self.launch.change());
        // Faults that were seen here have ended the process already.
        if let Some(live) = self.live.take() {
            self.bury(live, evidence, Kept::log_to);
            self.was_at_fault = true;
        }
    }

    fn game_over(&mut self, end: &GameEnd<'_>) -> Aftermath {
        alarm::off();
        if let (Some(live), true) = (&mut self.live, self.in_game) {
            self.off_move += live.place().take_used_off_move();
            self.cpu = live.wire.meter.end_game();
            // What it says of the end is of no game, whenever that is read.
            self.surplus_lines += live.wire.restart_counts();
            self.has_played = true;
            live.place().set_seated(false);
            let told = live.wire.tell(Outgoing::GameEnd(end), NOTICE_LIMIT, &mut self.log);
            live.rest();
            if told && !live.has_exited() {
                live.stderr.take().log_to(&mut self.log);
            } else {
                // Decided already, so no fault: it left after its last move, or stopped reading.
                live.kill();
                live.stderr.finish(STDERR_LIMIT).log_to(&mut self.log);
                self.live = None;
            }
        }
        self.in_game = false;
        if self.launch.fresh {
            self.leave();
        }
        Aftermath {
            surplus_lines: std::mem::take(&mut self.surplus_lines),
            off_move: std::mem::take(&mut self.off_move),
            cpu: self.cpu.take(),
            restart: std::mem::take(&mut self.restart),
            log: std::mem::take(&mut self.log),
        }
    }
}

/// A deadline is a point in monotonic time.
type Deadline = Instant;
