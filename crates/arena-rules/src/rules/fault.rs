//! What can go wrong with the rules themselves. Built-in rules have no faults; those of a program may.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Move;

/// A fault of the rules: they broke the contracts of [`State`](super::State), or the program that is the rules failed. No bot
/// is to blame for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct RulesFault {
    /// One sentence for people: whose rules failed, where, and how.
    pub message: String,
    /// Whether it happened again when new rules were given the same game.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// The number of moves before it; none if the game could not be set up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<usize>,
    /// The move that was being played, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "move")]
    pub played: Option<Move>,
    /// The last line of the program, escaped and cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_received: Option<String>,
    /// The end of what it wrote to stderr.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr_tail: Option<String>,
}

impl RulesFault {
    /// A fault of which only a message is known.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }
}

/// Why a move was not played; the position is as it was before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It is not legal, as the rules say that do not list their moves; with their words.
    Illegal(String),
    /// It was not listed, and the rules failed on it, and again when they were started anew; how. So it is the player's fault,
    /// who could otherwise make every lost game void.
    Deadly(String),
    /// The rules failed.
    Broken(Box<RulesFault>),
}

impl From<Refusal> for Box<RulesFault> {
    /// For a move that the rules gave: they may not refuse it.
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Illegal(why) | Refusal::Deadly(why) => {
                Self::new(RulesFault::new(format!("the rules refuse a move of theirs: {why}")))
            }
            Refusal::Broken(fault) => fault,
        }
    }
}
