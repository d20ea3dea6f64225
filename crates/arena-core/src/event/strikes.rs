//! When bots are withdrawn.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// Number of strikes after which a bot is withdrawn; `None` for no limit. [`crate::schedule`] defines a strike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrikeLimits {
    /// Consecutive failed starts. If `None`, neither the time of restarts after faults nor the number of
    /// disturbances is limited.
    pub starts: Option<NonZeroU32>,
    /// Games lost by timeout or crash, consecutively from the bot's first game on.
    pub games: Option<NonZeroU32>,
}

impl StrikeLimits {
    /// No bot is withdrawn.
    pub const OFF: Self = Self { starts: None, games: None };
}

/// The limits of new tournaments.
impl Default for StrikeLimits {
    fn default() -> Self {
        Self { starts: NonZeroU32::new(3), games: NonZeroU32::new(10) }
    }
}
