//! Players that are objects of this program instead of processes, for a program that plays a tournament of its own
//! strategies.
//!
//! [`FoundBot::in_process`](crate::roster::FoundBot::in_process) puts one into a tournament, beside processes or not, and
//! [`builtins_in_process`](crate::roster::RosterSettings::builtins_in_process) does so for the built-in strategies.
//! Everything else is as for bots: the journal, formats, tests such as SPRT, tables and the report. A panic is a fault of
//! the player: it loses the game as one that crashed, if the program is built to unwind. Nothing ends a player that does not
//! return: its time is measured when it answers, so that it loses on time only then, and a stopped run waits for its answer.
//! Where processor time is charged, it is charged wall time.
//!
//! The page of sessions has an example of such a tournament.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arena_core::record::{Evidence, Status};
use arena_core::referee::{Answer, Fault, GameEnd, GameStart, Question};
use arena_core::text::shown;
use arena_sys::time::now;

use super::{Aftermath, Failure, LogLine, Player, limit_remarks};

/// The reason of a game that was abandoned with its run.
const ABANDONED: &str = "the run was abandoned";

/// Makes players of one kind. Every slot has its own, and gets another one after a fault, a void game, or now and then.
#[derive(Clone)]
pub struct PlayerFactory(Arc<dyn Fn() -> Box<dyn Player> + Send + Sync>);

impl PlayerFactory {
    /// Makes players by `make`.
    pub fn new(make: impl Fn() -> Box<dyn Player> + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }
}

impl fmt::Debug for PlayerFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlayerFactory").finish_non_exhaustive()
    }
}

/// A player of a slot: catches panics, and measures times.
pub(crate) struct InProcess {
    factory: PlayerFactory,
    player: Option<Box<dyn Player>>,
    is_abandoned: Arc<AtomicBool>,
    log: Vec<LogLine>,
}

impl InProcess {
    /// A player that is made for its first game, and makes no more moves once the run `is_abandoned`.
    pub(crate) fn new(factory: PlayerFactory, is_abandoned: Arc<AtomicBool>) -> Self {
        Self { factory, player: None, is_abandoned, log: Vec::new() }
    }

    /// Does something with the player.
    ///
    /// # Errors
    ///
    /// Returns the fault, of this status, if it panics. Its state is unknown then, so the next game gets another one.
    fn act<T>(&mut self, status: Status, act: impl FnOnce(&mut dyn Player) -> T) -> Result<T, Box<Fault>> {
        let Self { factory, player, .. } = self;
        let acted = catch_unwind(AssertUnwindSafe(|| act(player.get_or_insert_with(|| (factory.0)()).as_mut())));
        acted.map_err(|panic| {
            self.discard();
            let message = format!("it panicked: {}", shown(panic_text(panic.as_ref())));
            Box::new(Fault { status, evidence: Evidence { message, ..Evidence::default() } })
        })
    }

    /// Drops the player, which may panic as well.
    fn discard(&mut self) {
        let player = self.player.take();
        let _ = catch_unwind(AssertUnwindSafe(|| drop(player)));
    }
}

impl Player for InProcess {
    fn new_game(&mut self, game: &GameStart<'_>) -> Result<(), Failure> {
        self.act(Status::StartupFailed, |player| player.new_game(game)).map_err(Failure::Fault)?
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        if self.is_abandoned.load(Ordering::Relaxed) {
            return Answer::Void(ABANDONED.to_owned());
        }
        let begun = now();
        match self.act(Status::Crashed, |player| player.ask(question)) {
            Ok(Answer::Move(reply, _)) => {
                let taken = (now() - begun).into();
                Answer::Move(limit_remarks(reply, &mut self.log), taken)
            }
            Ok(answer) => answer,
            Err(fault) => Answer::Fault(*fault),
        }
    }

    fn at_fault(&mut self, evidence: &mut Evidence) {
        if let Some(player) = &mut self.player {
            let _ = catch_unwind(AssertUnwindSafe(|| player.at_fault(evidence)));
        }
        self.discard();
    }

    fn game_over(&mut self, end: &GameEnd<'_>) -> Aftermath {
        let mut log = std::mem::take(&mut self.log);
        if self.player.is_none() {
            return Aftermath { log, ..Aftermath::default() };
        }
        // The game is decided.
        let aftermath = self.act(Status::Crashed, |player| player.game_over(end)).unwrap_or_else(|fault| {
            let remark = LogLine::Remark(format!("after the game {}", fault.evidence.message));
            Aftermath { log: vec![remark], ..Aftermath::default() }
        });
        log.extend(aftermath.log);
        Aftermath { log, ..aftermath }
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        self.discard();
    }
}

/// What a panic says, if it is text.
fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}
