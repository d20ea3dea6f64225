//! The games of a schedule by their state.

use arena_core::schedule::Scheduler;

/// Numbers of games in each state; played, void, withdrawn and missing ones add up to those scheduled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct GameCounts {
    /// Games in the schedule.
    pub scheduled: usize,
    /// Games with a result that counts.
    pub played: usize,
    /// Games that failed because of the arena, not of a bot.
    pub void: usize,
    /// Games without a winner, not played because both bots were withdrawn.
    pub withdrawn: usize,
    /// Games not yet tried, and those that neither bot could start.
    pub missing: usize,
    /// Those of the missing games that neither bot could start.
    #[serde(skip_serializing_if = "is_zero")]
    pub unstartable: usize,
    /// Whether more games follow from the results of these.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference to the field")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl GameCounts {
    pub(crate) fn of(schedule: &Scheduler) -> Self {
        let mut counts = Self { scheduled: schedule.total() as usize, open: schedule.is_open(), ..Self::default() };
        for (_, brief) in schedule.tried() {
            match (brief.counts(), brief.is_settled()) {
                (true, _) => counts.played += 1,
                (false, true) => counts.withdrawn += 1,
                (false, false) if brief.is_unstartable() => counts.unstartable += 1,
                (false, false) => counts.void += 1,
            }
        }
        counts.missing = counts.scheduled - counts.played - counts.withdrawn - counts.void;
        counts
    }

    /// Whether all games have been played.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.played + self.withdrawn == self.scheduled && !self.open
    }
}
