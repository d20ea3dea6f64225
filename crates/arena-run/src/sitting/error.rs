//! What cannot be done at a board.

use arena_core::rules::{MoveError, RulesFault};
use arena_core::text::shown;
use arena_sys::flags::HINTS;
use thiserror::Error;

/// Why a person cannot do something; for the person.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SittingError {
    /// The opening has a move that is not legal.
    #[error("move {number}: {why}")]
    Opening {
        /// Number of the move, from 1.
        number: usize,
        /// What is wrong with it.
        why: MoveError,
    },
    /// The rules failed.
    #[error(transparent)]
    Rules(#[from] Box<RulesFault>),
    /// What was typed is not a move.
    #[error("`{}` is not a move; write one as {example}", shown(typed))]
    NotAMove {
        /// What was typed.
        typed: String,
        /// A legal move as it is typed.
        example: String,
    },
    /// The move is not legal.
    #[error(transparent)]
    Illegal(#[from] MoveError),
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// A move is being made.
    #[error("one moment, please")]
    Busy,
    /// Another one is on move.
    #[error("it is {0}'s move")]
    NotOnMove(String),
    /// Nothing gives hints.
    #[error("no built-in bot plays this; name one with {HINTS} BOT")]
    NoHints,
    /// A bot is thinking about a hint.
    #[error("{0} is thinking about it")]
    ThinksAlready(String),
    /// The game has hidden information.
    #[error("{0} has hidden information: what a move has shown cannot be taken back")]
    Hidden(&'static str),
    /// No move can be taken back.
    #[error("there is nothing to take back")]
    NothingToUndo,
    /// No move was taken back.
    #[error("there is nothing to play again")]
    NothingToRedo,
}
