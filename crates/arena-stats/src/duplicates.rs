//! Detects games that repeat an earlier one move for move, and are therefore no additional evidence.

use std::collections::HashMap;
use std::hash::Hash;

/// Finds games that repeat an earlier one. `M` identifies the moves of a game.
#[derive(Debug, Clone)]
pub struct Duplicates<M> {
    /// Cluster of the first game by bots and moves. Uses small integers, since every game has an entry.
    first: HashMap<([u32; 2], M), u32>,
    repeated: u64,
}

impl<M> Default for Duplicates<M> {
    fn default() -> Self {
        Self { first: HashMap::new(), repeated: 0 }
    }
}

impl<M: Hash + Eq> Duplicates<M> {
    /// Adds a game between two bots, given by seat, and returns its cluster: its own, or that of the first game with
    /// the same bots in the same seats and the same moves.
    pub fn add(&mut self, bots: [usize; 2], moves: M, cluster: u32) -> u32 {
        match self.first.entry((bots.map(|bot| bot as u32), moves)) {
            std::collections::hash_map::Entry::Occupied(first) => {
                self.repeated += 1;
                *first.get()
            }
            std::collections::hash_map::Entry::Vacant(place) => *place.insert(cluster),
        }
    }

    /// The number of games that repeat an earlier one.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.repeated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_moves_in_the_same_seats_repeat_a_game() {
        let mut found = Duplicates::default();
        let games = [([0, 1], "12"), ([1, 0], "12"), ([0, 1], "1"), ([0, 1], "12"), ([0, 1], "12"), ([1, 0], "12")];
        let clusters: Vec<u32> = (10..).zip(games).map(|(own, (bots, moves))| found.add(bots, moves, own)).collect();
        assert_eq!(clusters, [10, 11, 12, 10, 10, 11]);
        assert_eq!(found.total(), 3);
    }
}
