//! Why a session cannot be opened or continue.

use arena_core::format::Rejection;
use arena_core::format::flags::{DROP, either};
use arena_core::schedule::ScheduleError;

/// Why a session cannot be opened or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// Fewer than two bots play the game.
    #[error(
        "{game} needs two bots; there {}{}",
        only.as_ref().map_or_else(|| "are none".to_owned(), |only| format!("is only `{only}`")),
        for_other_games(others)
    )]
    TooFewBots {
        /// The game.
        game: String,
        /// The only one that plays it.
        only: Option<String>,
        /// Bots that work but play other games.
        others: Vec<String>,
    },
    /// Two bots have the same name.
    #[error("two bots are called `{0}` (names ignore case)")]
    SameName(String),
    /// The format rejects these bots.
    #[error(transparent)]
    Format(#[from] Rejection),
    /// A bot is to be taken out of a tournament that has not begun.
    #[error(
        "{DROP} {0} is for a {formats} that has begun; to play without a bot, take it out of the folder",
        formats = either(DROP.formats().map(|format| format.title))
    )]
    NothingToDrop(String),
    /// The settings have no schedule.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// Any other error, with its causes.
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

fn for_other_games(others: &[String]) -> String {
    if others.is_empty() { String::new() } else { format!(" (for other games: {})", listed_bots(others)) }
}

/// A list of bots that play other games, separated by semicolons if one has a reason, which may contain commas.
#[must_use]
pub fn listed_bots(others: &[String]) -> String {
    let has_reasons = others.iter().any(|other| other.contains(": "));
    others.join(if has_reasons { "; " } else { ", " })
}
