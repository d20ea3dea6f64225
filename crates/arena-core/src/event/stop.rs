//! Why a run stopped, as the journal stores it.

use serde::{Deserialize, Serialize};

/// A run stopped itself before its last game. Later games in the journal are those of another run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// Why.
    pub why: StopReason,
}

/// Why a run stopped itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Its budget of time was spent.
    Budget,
}
