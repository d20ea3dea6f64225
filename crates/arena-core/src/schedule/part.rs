//! A part of the games, for a machine that knows nothing of the others.

use super::{PlaceState, Scheduler};
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
        let own: Vec<u32> = self.own_places().filter(|place| self.stages[*place as usize] == PlaceState::Due).collect();
        for stage in self.stages.iter_mut().filter(|stage| **stage == PlaceState::Due) {
            *stage = PlaceState::Elsewhere;
        }
        for place in own {
            self.stages[place as usize] = PlaceState::Due;
        }
        self.scan();
    }

    /// Whether only a part of the games is played here.
    #[must_use]
    pub const fn is_part(&self) -> bool {
        self.part.is_some()
    }

    /// The games of the part that is played here, in order of the schedule; none if that is not a part.
    pub fn own_places(&self) -> impl Iterator<Item = u32> + use<> {
        let pairs = self.part.map(|(shard, end)| shard.pairs(end / 2));
        pairs.into_iter().flatten().flat_map(|pair| [2 * pair, 2 * pair + 1])
    }

    /// Whether the game at `place` is left to others.
    #[must_use]
    pub fn is_elsewhere(&self, place: u32) -> bool {
        self.stages.get(place as usize) == Some(&PlaceState::Elsewhere)
    }
}
