//! The results of a stepwise format, by bot of the tournament.

use super::Scheduler;
use crate::format::{KnownPair, Sheet};

impl Scheduler {
    /// The results as the format tells them; `None` for a fixed format.
    #[must_use]
    pub fn sheet(&self) -> Option<Sheet> {
        let seating = &self.games.seating;
        let pairs: Vec<KnownPair> = (0..self.total / 2).map(|number| self.known(number)).collect();
        Some(self.games.sheet(&pairs, &self.prefix.withdrawn)?.relabelled(|index| seating.bot(index)))
    }

    fn known(&self, number: u32) -> KnownPair {
        let is_settled = |game| self.at(2 * number + game).is_some_and(|brief| brief.is_settled());
        let settled = self.settled_pair(number);
        (settled.pair, (0..2).all(is_settled).then_some(settled))
    }
}
