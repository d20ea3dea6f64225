//! Ways in which an exchange with a bot ends without a reply.

use std::io;

use arena_core::cause::Cause;

use crate::player::Disturbed;

/// Why an exchange ended without a reply.
#[derive(Debug)]
pub(super) enum ExchangeEnd {
    /// Nothing that was expected came in time.
    TimedOut,
    /// The bot broke the protocol; says how.
    Violation(Cause, String),
    /// The bot declined the game; what it says, as the end of a sentence about it.
    Declined(String),
    /// The bot exited or closed its output.
    Closed,
    /// The opponent used the processor time that the bot needed; says how, as a sentence about the opponent.
    Disturbed(String),
    /// Bots that do not play this game used the processor time that the bot needed; says how.
    DisturbedByOthers(Disturbed, String),
    /// The machine gave it too little processor time, and no more credit is granted.
    Starved,
    /// A system call of ours failed.
    Error(io::Error),
}
