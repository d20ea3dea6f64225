//! When bots are withdrawn.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// How many strikes withdraw a bot; `None` for as many as it likes. What a strike is, [`crate::schedule`] says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrikeLimits {
    /// Failed starts in a row. If they are not counted, neither is the time that it takes to start again after its faults.
    pub starts: Option<NonZeroU32>,
    /// Games lost by timeout or crash, in a row from its very first one on.
    pub games: Option<NonZeroU32>,
}

impl StrikeLimits {
    /// No bot is withdrawn.
    pub const OFF: Self = Self { starts: None, games: None };
    /// Those of tournaments whose definition has none: earlier versions knew no others.
    pub const EARLIER: Self = Self { starts: NonZeroU32::new(3), games: None };

    pub(super) const fn earlier() -> Self {
        Self::EARLIER
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) fn are_earlier(&self) -> bool {
        *self == Self::EARLIER
    }
}

/// Those of new tournaments.
impl Default for StrikeLimits {
    fn default() -> Self {
        Self { starts: NonZeroU32::new(3), games: NonZeroU32::new(10) }
    }
}
