//! What a coordinator and its workers send each other: JSON, with a version. Pure.
//!
//! | subject | from | what |
//! |---|---|---|
//! | `work.TARGET.EVENT` | coordinator | [`BatchMessage`]: games to play |
//! | `res.EVENT.BATCH` | worker | [`ResultsMessage`]: journal lines of games |
//! | `worker.ID` | worker | [`PresenceMessage`], every few seconds |
//! | `halt.EVENT` | coordinator | [`HaltMessage`]: batches that need not be played |
//!
//! A result is a whole line of the journal. It is replayed through the rules before it counts, so a worker can lie about
//! times, but not about who has won.

mod error;
mod game;
mod job;

use serde::{Deserialize, Serialize};

pub use super::manifest::VERSION;
pub use error::WireError;
pub use game::GameMessage;
pub use job::{JobMessage, retry};

/// Maximum size of a message: half of what a broker takes by default.
pub const BYTES_MAX: usize = 512 << 10;

/// Games for one worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BatchMessage {
    /// [`VERSION`].
    pub version: u32,
    /// Id of the event.
    pub event: String,
    /// Number of the batch.
    pub batch: u64,
    /// How often it was lost before.
    pub tries: u32,
    /// The games.
    pub jobs: Vec<JobMessage>,
}

/// Games that were played, all or some of a batch.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ResultsMessage {
    /// [`VERSION`].
    pub version: u32,
    /// Id of the event.
    pub event: String,
    /// Number of the batch.
    pub batch: u64,
    /// Id of the worker.
    pub worker: String,
    /// The games.
    pub games: Vec<GameMessage>,
    /// Stderr lines that bots, by number, wrote after their last games.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_words: Vec<(usize, Vec<String>)>,
    /// What the machine lacks, once for each event.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Whether no more results of the batch follow from this worker.
    pub is_last: bool,
    /// How long a slot was busy with a game, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_per_game: Option<f64>,
    /// Why the worker plays no game of this event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declined: Option<String>,
}

/// What a worker is, and what it is doing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PresenceMessage {
    /// [`VERSION`].
    pub version: u32,
    /// Its id.
    pub worker: String,
    /// Its machine.
    pub host: String,
    /// Its process.
    pub pid: u32,
    /// Version of its arena.
    pub arena: String,
    /// Class of its machine, such as `x86_64-linux-v3`.
    pub class: String,
    /// Model of its processors, if known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cpu: String,
    /// Speed of one slot alone, and of each with all slots busy, if it was measured (`arena doctor --calibrate`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<[u32; 2]>,
    /// Number of games at a time; 0 when it leaves.
    pub slots: usize,
    /// Slots that have nothing to do.
    pub free: usize,
    /// Name of the tournament that it plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament: Option<String>,
    /// The batches that it has.
    pub batches: Vec<BatchState>,
    /// Games that it has played.
    pub games: u64,
    /// Its last warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// A batch that a worker has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchState {
    /// Id of the event.
    pub event: String,
    /// Number of the batch.
    pub batch: u64,
    /// Games in it.
    pub games: usize,
    /// Games of it that are played.
    pub done: usize,
}

/// Batches that need not be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HaltMessage {
    /// [`VERSION`].
    pub version: u32,
    /// Id of the event.
    pub event: String,
    /// The first of them, and the number after the last one.
    pub batches: [u64; 2],
    /// Whether running games are abandoned; else they are finished.
    pub at_once: bool,
}

/// Reads a message.
///
/// # Errors
///
/// Returns an error if it is none of this version.
pub fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, WireError> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let mistake = |error: serde_json::Error| WireError::Malformed(arena_core::text::json_mistake(&error));
    let Version { version } = serde_json::from_slice(bytes).map_err(mistake)?;
    if version != VERSION {
        return Err(WireError::OtherVersion(version));
    }
    serde_json::from_slice(bytes).map_err(mistake)
}

/// Writes a message.
///
/// # Panics
///
/// Never: messages serialise to memory.
#[must_use]
pub fn written(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("messages serialise to memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_refused_with_the_cure() {
        let why = read::<HaltMessage>(br#"{"version":2,"more":[]}"#).unwrap_err().to_string();
        assert_eq!(why, "it has version 2, and this arena reads 1; use one version of arena on all machines");
        assert!(read::<HaltMessage>(b"[]").is_err());
    }
}
