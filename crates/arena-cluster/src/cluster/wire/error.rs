//! Why a message is not used.

use arena_core::event::GameId;
use arena_core::text::shown;
use arena_store::journal::LineError;
use thiserror::Error;

use super::VERSION;

/// What is wrong with a message, or a game in it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WireError {
    /// It is not a message of its kind.
    #[error("{0}")]
    Malformed(String),
    /// It is of another version.
    #[error("it has version {0}, and this arena reads {VERSION}; use one version of arena on all machines")]
    OtherVersion(u32),
    /// It is of another event.
    #[error("it is of another event")]
    OtherEvent,
    /// A game is of bots that the event does not have.
    #[error("game {} is of bots {} and {}, of {known}", shown(id), bots[0], bots[1])]
    NoSuchBots {
        /// Id of the game.
        id: String,
        /// Its bots.
        bots: [usize; 2],
        /// Number of bots of the event.
        known: usize,
    },
    /// The event has another game there.
    #[error("game {} is not of this event, which has {known} there", shown(id))]
    OtherGame {
        /// Id of the game.
        id: String,
        /// Id of the game there.
        known: GameId,
    },
    /// The line of a game is damaged.
    #[error(transparent)]
    Line(#[from] LineError),
    /// A game has other bots than the event.
    #[error("game {} is of bots that are not those of the event", shown(.0))]
    OtherBots(String),
    /// A game does not follow the rules.
    #[error("game {}: {problem}", shown(id))]
    Game {
        /// Id of the game.
        id: String,
        /// What is wrong with it.
        problem: String,
    },
}
