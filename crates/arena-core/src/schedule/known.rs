//! The pairs of the bots of a tournament that its journal has, however they came about.

use super::{Brief, Scheduler};
use crate::format::Pair;

impl Scheduler {
    /// The pairs of every two bots up to the first one that is not complete: from the first openings on, as a round-robin
    /// plays them, and then in the order of the format. Empty unless the format begins with them.
    pub(super) fn known_pairs(&self) -> Vec<Pair> {
        let Some(order) = self.games.known_order().filter(|_| !self.others.is_empty()) else { return Vec::new() };
        let (seating, field) = (&self.games.seating, &self.games.seating.field);
        let pair =
            |indices: [usize; 2], opening| Pair { round: 0, opening, bots: indices.map(|index| seating.bot(index)) };
        let all = (0..field.bots).flat_map(|a| (a + 1..field.bots).map(move |b| [a, b]));
        let mut open: Vec<[usize; 2]> = all.collect();
        // With the number of their first openings that are known.
        let mut known: Vec<([usize; 2], u32)> = Vec::new();
        let mut pairs = Vec::new();
        for opening in 0..=field.rounds {
            let has = |indices: &[usize; 2]| opening < field.rounds && self.has_pair(pair(*indices, opening));
            let (more, done): (Vec<_>, Vec<_>) = open.into_iter().partition(has);
            pairs.extend(more.iter().map(|indices| pair(*indices, opening)));
            known.extend(done.into_iter().map(|indices| (indices, opening)));
            open = more;
        }
        for step in 0.. {
            let next = |(indices, known): &([usize; 2], u32)| {
                let opening = order(indices.map(|index| field.keys[index]), field.rounds, *known, step)?;
                Some(pair(*indices, opening)).filter(|pair| self.has_pair(*pair))
            };
            known.retain(|pairing| next(pairing).inspect(|pair| pairs.push(*pair)).is_some());
            if known.is_empty() {
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
