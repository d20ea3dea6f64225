//! The pairs of the bots of a tournament that its journal has, however they came about.

use super::{Brief, Scheduler};
use crate::format::Pair;

impl Scheduler {
    /// The first pairs of every two bots up to the first one that is not complete, round by round; empty unless the format
    /// begins with them.
    pub(super) fn known_pairs(&self) -> Vec<Pair> {
        if !self.games.begins_with_known_pairs() || self.others.is_empty() {
            return Vec::new();
        }
        let seating = &self.games.seating;
        let bots = seating.field.bots;
        let mut pairings: Vec<[usize; 2]> = (0..bots).flat_map(|a| (a + 1..bots).map(move |b| [a, b])).collect();
        let mut pairs = Vec::new();
        for opening in 0..seating.field.rounds {
            let pair = |pairing: &[usize; 2]| Pair { round: 0, opening, bots: pairing.map(|seed| seating.bot(seed)) };
            pairings.retain(|pairing| self.has_pair(pair(pairing)));
            pairs.extend(pairings.iter().map(pair));
            if pairings.is_empty() {
                break;
            }
        }
        pairs
    }

    /// Whether both games of a pair count.
    fn has_pair(&self, pair: Pair) -> bool {
        (0..2).all(|game| (0..).map_while(|repeat| self.other(pair, game, repeat)).any(Brief::counts))
    }

    /// The attempt at a game of a pair after `repeat` void ones.
    fn other(&self, pair: Pair, game: usize, repeat: u32) -> Option<&Brief> {
        self.others.get(&(self.games.id(pair, game, repeat), repeat))
    }
}
