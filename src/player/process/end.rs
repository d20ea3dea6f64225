//! Ways in which an exchange with a bot ends without a reply.

use std::io;
use std::time::Duration;

use crate::cause::Cause;
use crate::record::Status;
use crate::referee::Fault;

/// Why an exchange ended without a reply.
#[derive(Debug)]
pub(super) enum End {
    /// Nothing that was expected came in time.
    TimedOut,
    /// The bot broke the protocol; says how.
    Violation(Cause, String),
    /// The bot exited or closed its output.
    Closed,
    /// Another bot used the processor time that this one needed.
    Disturbed(Interference),
    /// The machine gave it no processor for this long, and no more credit is granted.
    Starved(Duration),
    /// A system call of ours failed.
    Error(io::Error),
}

/// A bot that used the processor while another one was on move and needed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Interference {
    /// Its name.
    pub(super) by: String,
    /// It plays the same game.
    pub(super) is_opponent: bool,
    /// Processor time that it used while the other bot was on move.
    pub(super) used: Duration,
    /// Processor time that the bot on move lacked.
    pub(super) missing: Duration,
}

impl Interference {
    /// The fault of an opponent.
    pub(super) fn fault(&self) -> Fault {
        Fault::new(Status::Interference, Cause::TookProcessor, format!("it {}", self.describe("its opponent")))
    }

    /// Why the game of `victim` is void if the other bot does not play it.
    pub(super) fn void_reason(&self, victim: &str) -> String {
        let by = &self.by;
        format!("bot `{by}`, which does not play this game, {}; `{by}` is ended", self.describe(victim))
    }

    fn describe(&self, victim: &str) -> String {
        let (used, missing) = (self.used.as_millis(), self.missing.as_millis());
        format!(
            "used {used} ms of the processor while {victim} was on move, which lacked the last {missing} ms of its time"
        )
    }
}
