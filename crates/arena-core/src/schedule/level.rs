//! Places at which a run can be cut so that its bots have played alike.

use super::Scheduler;

/// Where a run can be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Borders {
    /// Whether it can be cut before the place asked for, with all bots of a round-robin having played equally many games.
    pub is_level: bool,
    /// The next such place.
    pub level: u32,
    /// The next place at which they are within one pair of each other.
    pub near: u32,
}

impl Scheduler {
    /// The borders after `place`: in a fixed format by rounds, and by the turns within a round; otherwise by decisions, and by
    /// pairs.
    #[must_use]
    pub fn borders(&self, place: u32) -> Borders {
        let number = place / 2;
        let [level, near] = self.games.steps(number as usize).map(|step| step as u32);
        if level > 0 {
            let next = |step: u32| 2 * (number / step + 1) * step;
            return Borders { is_level: place.is_multiple_of(2 * level), level: next(level), near: next(near) };
        }
        let (begin, level) = self.decision_around(place);
        let is_level = begin.is_none_or(|begin| begin == place);
        Borders { is_level, level, near: 2 * number + 2 }
    }

    /// The decision that added the game at `place`: the place of its first game, which the first decision does not have, and the
    /// place after its last one.
    pub(super) fn decision_around(&self, place: u32) -> (Option<u32>, u32) {
        let ends = &self.prefix.ends;
        let decided = ends.partition_point(|end| *end <= place);
        let begin = decided.checked_sub(1).map(|before| ends[before]);
        (begin, ends.get(decided).copied().unwrap_or(self.total))
    }
}
