//! Plays moves that may not be legal.

use std::mem::discriminant;

use thiserror::Error;

use super::setup::RULES_FAILED;
use super::{Legal, Move, Outcome, Refusal, RulesFault, State};
use crate::text::shown;

/// The error for a rejected move.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MoveError {
    /// The game is already over.
    #[error("move {played} comes after the end of the game ({reason})")]
    GameOver {
        /// The move, escaped.
        played: String,
        /// The reason of the [`Outcome`].
        reason: &'static str,
    },
    /// The move is not one of the legal moves.
    #[error("move {played} {problem}; legal: {legal}")]
    Illegal {
        /// The move, escaped.
        played: String,
        /// What is wrong with it.
        problem: &'static str,
        /// The legal moves, or the first few and their number.
        legal: String,
    },
    /// The rules, which do not list their moves, refuse it.
    #[error("move {played} is not legal: {why}")]
    Refused {
        /// The move, escaped.
        played: String,
        /// What the rules say, escaped.
        why: String,
    },
    /// The rules fail on it.
    #[error("move {played} is not listed, and the rules fail on it: {why}")]
    Deadly {
        /// The move, escaped.
        played: String,
        /// How they failed, escaped.
        why: String,
    },
    /// The rules failed.
    #[error(transparent)]
    Broken(Box<RulesFault>),
}

impl MoveError {
    /// The same, with the move as a player wrote it before the arena's own notation: ``move `3,14` ([14,3])``.
    #[must_use]
    pub fn in_words(self, words: Option<&str>) -> Self {
        let both =
            |played: String| words.map_or_else(|| played.clone(), |words| format!("`{}` ({played})", shown(words)));
        match self {
            Self::GameOver { played, reason } => Self::GameOver { played: both(played), reason },
            Self::Illegal { played, problem, legal } => Self::Illegal { played: both(played), problem, legal },
            Self::Refused { played, why } => Self::Refused { played: both(played), why },
            Self::Deadly { played, why } => Self::Deadly { played: both(played), why },
            Self::Broken(fault) => Self::Broken(fault),
        }
    }

    /// The fault, if the rules failed.
    ///
    /// # Errors
    ///
    /// Returns the error itself if they did not.
    pub fn into_fault(self) -> Result<Box<RulesFault>, Self> {
        match self {
            Self::Broken(fault) => Ok(fault),
            other => Err(other),
        }
    }

    /// The stable identifier: `game_over`, `illegal_move` or `rules_failed`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::GameOver { .. } => "game_over",
            Self::Illegal { .. } | Self::Refused { .. } | Self::Deadly { .. } => "illegal_move",
            Self::Broken(_) => RULES_FAILED,
        }
    }
}

/// Plays `moves` from `state`.
///
/// # Errors
///
/// Returns the index of the first move that cannot be played, and why; `state` is then the position before that move.
pub fn play(state: &mut dyn State, moves: &[Move]) -> Result<(), (usize, MoveError)> {
    moves.iter().enumerate().try_for_each(|(index, played)| step(state, played).map_err(|error| (index, error)))
}

/// Plays one move.
///
/// # Errors
///
/// Returns [`MoveError`] if the move is not legal or the rules fail; `state` is then unchanged.
pub fn step(state: &mut dyn State, played: &Move) -> Result<(), MoveError> {
    if let Some(Outcome { reason, .. }) = state.outcome() {
        return Err(MoveError::GameOver { played: shown(&played.to_string()), reason });
    }
    if !state.is_legal(played) {
        return Err(illegal_move(state, played));
    }
    state.apply(played).map_err(|refusal| match refusal {
        Refusal::Illegal(why) => MoveError::Refused { played: shown(&played.to_string()), why: shown(&why) },
        Refusal::Deadly(why) => MoveError::Deadly { played: shown(&played.to_string()), why },
        Refusal::Broken(fault) => MoveError::Broken(fault),
    })
}

/// The error for a move that is not legal in `state`, with as many legal moves as fit into a short message.
#[must_use]
pub fn illegal_move(state: &dyn State, played: &Move) -> MoveError {
    const CHARS_MAX: usize = 100;
    /// Legal moves whose form is looked at: a game may have moves of several forms.
    const FORMS_MAX: u64 = 1_000;
    let count = state.legal_count();
    let total = if let Legal::Sampled { count: Some(total) } = state.legal() { total } else { count };
    let mut legal = String::new();
    for index in 0..count {
        let separator = if index == 0 { "" } else { ", " };
        let next = format!("{separator}{}", state.nth_legal(index));
        if legal.len() + next.len() > CHARS_MAX {
            legal = match state.legal() {
                Legal::Listed | Legal::Sampled { count: Some(_) } => format!("{legal}, … ({total} in all)"),
                Legal::Sampled { count: None } => format!("{legal}, …"),
            };
            break;
        }
        legal.push_str(&next);
        if index + 1 == count && matches!(state.legal(), Legal::Sampled { .. }) {
            legal.push_str(", …");
        }
    }
    // A bot that takes this for another game answers with moves of that.
    let form = discriminant(played);
    let is_alike = count == 0 || (0..count.min(FORMS_MAX)).any(|index| discriminant(&state.nth_legal(index)) == form);
    let problem = if is_alike { "is not legal" } else { "has the wrong form for this game" };
    MoveError::Illegal { played: shown(&played.to_string()), problem, legal }
}
