//! Positions that are given instead of played, and the errors of rejected ones.

use serde_json::value::RawValue;
use thiserror::Error;

use super::{RulesFault, State};

/// The stable identifier of a fault of the rules.
pub(super) const RULES_FAILED: &str = "rules_failed";

/// A position, or the reason why it cannot be set up.
pub type StartResult = Result<Box<dyn State>, SetupError>;

/// The cells `[row, col]` of each seat's winning lines, ascending.
pub type WinningLines = [Vec<[usize; 2]>; 2];

/// One of the two marks on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// `X`, which moves first unless a board says otherwise.
    X,
    /// `O`.
    O,
}

impl Mark {
    /// The marks of both seats if this one moves first.
    pub(super) const fn by_seat(self) -> [u8; 2] {
        match self {
            Self::X => [b'X', b'O'],
            Self::O => [b'O', b'X'],
        }
    }
}

/// A position that cannot be set up.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct SetupError {
    code: &'static str,
    message: String,
    fault: Option<Box<RulesFault>>,
}

impl SetupError {
    /// Creates an error with a stable identifier for programs and a message for people.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), fault: None }
    }

    /// The stable identifier: `bad_cell`, `floating_disc`, …
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.code
    }
}

impl From<Box<RulesFault>> for SetupError {
    /// The rules failed when they were to set the position up.
    fn from(fault: Box<RulesFault>) -> Self {
        Self { code: RULES_FAILED, message: fault.message.clone(), fault: Some(fault) }
    }
}

impl From<SetupError> for Box<RulesFault> {
    /// For parameters that the rules have accepted.
    fn from(error: SetupError) -> Self {
        error.fault.unwrap_or_else(|| Self::new(RulesFault::new(error.message)))
    }
}

/// A rejected board, with the facts about it if it could be read.
#[derive(Debug, Error)]
#[error("{source}")]
pub struct BoardError {
    /// Why it was rejected.
    pub source: SetupError,
    /// The winning lines on it, unless its size or a cell is wrong.
    pub lines: Option<WinningLines>,
    /// Its [value](State::value), unless its size or a cell is wrong.
    pub value: Option<Box<RawValue>>,
}

impl From<SetupError> for BoardError {
    fn from(source: SetupError) -> Self {
        Self { source, lines: None, value: None }
    }
}
