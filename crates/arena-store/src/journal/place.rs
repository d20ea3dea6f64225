//! Where a game is in a journal, to be kept in another file.

use arena_core::event::GameId;
use arena_core::schedule::{Brief, Scheduler};
use serde::{Deserialize, Serialize};

/// The place of a game's line in a journal, and which game that is. A journal only grows, so the games up to a place stay the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamePlace {
    /// The id of the game, by which another journal is recognised.
    pub(super) id: String,
    /// Where its line begins, in bytes.
    pub(super) offset: u64,
    /// The length of the line, in bytes.
    pub(super) bytes: u32,
}

impl GamePlace {
    /// The place of the game of this schedule that is last in its journal; `None` if none is in it.
    #[must_use]
    pub fn last(schedule: &Scheduler) -> Option<Self> {
        let all = schedule.tried().chain(schedule.void()).map(|(_, brief)| brief);
        Self::of(&all.filter(|brief| brief.bytes > 0).max_by_key(|brief| brief.offset)?)
    }

    /// The place of a game; `None` if it is not in this journal.
    #[must_use]
    pub fn of(brief: &Brief) -> Option<Self> {
        let Brief { id, offset, bytes, .. } = *brief;
        (bytes > 0).then(|| Self { id: id.to_string(), offset, bytes })
    }

    /// Which game it is.
    pub(super) fn id(&self) -> GameId {
        GameId::of(&self.id)
    }

    /// The end of its line, in bytes.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.offset.saturating_add(self.bytes as u64)
    }
}
