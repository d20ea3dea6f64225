//! A part of the games, for a machine that knows nothing of the others.

use super::{Scheduler, Stage};
use crate::event::Shard;

impl Scheduler {
    /// Leaves all games to others, except those of `shard`; of a stepwise format only those added by the
    /// decisions up to this number, since a ladder decides before the last games of a round.
    ///
    /// A part makes no decisions. Strikes are counted over the games that are known, in the order of the schedule: those of
    /// this part, and those of others that were given. So a bot may be withdrawn here that is not in the end; its games are
    /// then still missing once all parts are merged.
    pub fn keep_to(&mut self, shard: Shard, decision: Option<u32>) {
        let end = decision.map_or(self.total, |number| {
            let decided = number.checked_sub(1).and_then(|index| self.prefix.ends.get(index as usize));
            decided.copied().unwrap_or(self.total)
        });
        self.part = Some((shard, end));
        for place in 0..self.total {
            if !self.is_own(place) && self.stages[place as usize] == Stage::Due {
                self.stages[place as usize] = Stage::Elsewhere;
            }
        }
        self.scan();
    }

    /// Whether the game at `place` is of the part that is played here.
    #[must_use]
    pub fn is_own(&self, place: u32) -> bool {
        self.part.as_ref().is_none_or(|(shard, end)| place < *end && shard.has(place / 2))
    }

    /// Whether the game at `place` is left to others.
    #[must_use]
    pub fn is_elsewhere(&self, place: u32) -> bool {
        self.stages.get(place as usize) == Some(&Stage::Elsewhere)
    }
}
