//! How a game ended, as tables write it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::rules::Seat;

/// The result of a game as written in tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum GameResult {
    /// The first seat won.
    #[serde(rename = "1-0")]
    FirstWins,
    /// The second seat won.
    #[serde(rename = "0-1")]
    SecondWins,
    /// A draw: no winner.
    #[serde(rename = "1/2-1/2")]
    Draw,
    /// The arena failed to run the game, so it counts nowhere and is replaced; or both bots are withdrawn.
    #[serde(rename = "void")]
    Void,
}

impl GameResult {
    /// All results, in the order in which pages number them.
    pub const ALL: [Self; 4] = [Self::FirstWins, Self::SecondWins, Self::Draw, Self::Void];

    /// The result when `winner` won, or a draw.
    #[must_use]
    pub const fn of(winner: Option<Seat>) -> Self {
        match winner {
            Some(Seat::First) => Self::FirstWins,
            Some(Seat::Second) => Self::SecondWins,
            None => Self::Draw,
        }
    }

    /// The winning seat, if there is one.
    #[must_use]
    pub const fn winner(self) -> Option<Seat> {
        match self {
            Self::FirstWins => Some(Seat::First),
            Self::SecondWins => Some(Seat::Second),
            Self::Draw | Self::Void => None,
        }
    }

    /// `1-0`, `0-1`, `1/2-1/2` or `void`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FirstWins => "1-0",
            Self::SecondWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Void => "void",
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
