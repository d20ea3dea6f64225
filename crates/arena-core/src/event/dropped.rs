//! Bots that the organiser took out of a tournament whose field is fixed.

use serde::{Deserialize, Serialize};

/// A bot that loses its further games unplayed, and is not paired again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Index of the bot.
    pub bot: usize,
    /// The first place of the schedule that it loses.
    pub from: u32,
    /// Number of decisions about pairs before it was taken out.
    pub after: u32,
}
