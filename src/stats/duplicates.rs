//! Games that were played before, move for move: they look like evidence and are none.

use std::collections::{BTreeMap, HashSet};

use crate::rules::Move;

/// How many games repeat an earlier one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Duplicates {
    /// Games looked at.
    pub games: u64,
    /// Games that repeat an earlier one, by pairing: the lower index of the two bots first.
    pub by_pairing: BTreeMap<[usize; 2], u64>,
}

impl Duplicates {
    /// Games that repeat an earlier one.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.by_pairing.values().sum()
    }
}

/// Counts the games, given as bots by seat and all moves, that have the same bots in the same seats and the same
/// moves, the opening included, as another that was already counted. The count does not depend on the order.
#[must_use]
pub fn duplicates<'a>(games: impl IntoIterator<Item = ([usize; 2], &'a [Move])>) -> Duplicates {
    let mut seen = HashSet::new();
    let mut found = Duplicates::default();
    for game in games {
        found.games += 1;
        if !seen.insert(game) {
            let [first, second] = game.0;
            *found.by_pairing.entry([first.min(second), first.max(second)]).or_default() += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_moves_in_the_same_seats_repeat_a_game() {
        let long = [Move::Int(1), Move::Int(2)];
        let short = [Move::Int(1)];
        let games: [([usize; 2], &[Move]); 6] =
            [([0, 1], &long), ([1, 0], &long), ([0, 1], &short), ([0, 1], &long), ([0, 1], &long), ([1, 0], &long)];
        let found = duplicates(games);
        assert_eq!((found.games, found.total()), (6, 3));
        assert_eq!(found.by_pairing, BTreeMap::from([([0, 1], 3)]));
        assert_eq!(duplicates([]), Duplicates::default());
    }
}
