//! Pairs by the round of a tournament: two games of the same two players in the same round, from the same opening, with
//! seats swapped.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Numbers the pairs of one file.
#[derive(Default)]
pub(super) struct RoundNumbers {
    /// For each round, players by seat and opening, the pairs that lack this game.
    open: HashMap<[u8; 16], Vec<u32>>,
    /// Number of games in `open`.
    pub(super) alone: usize,
    next: u32,
    /// Number of pairs of two games.
    pub(super) complete: usize,
}

impl RoundNumbers {
    /// Returns the number of the pair of this game: the first one that lacks it, else a new one.
    pub(super) fn pair(&mut self, round: &[u8], players: [&[u8]; 2], opening: &[u8]) -> u32 {
        let [first, second] = players;
        if let Entry::Occupied(mut open) = self.open.entry(key([round, first, second, opening])) {
            let pair = open.get_mut().pop();
            // Pairs that are complete take no memory.
            if open.get().is_empty() {
                open.remove();
            }
            if let Some(pair) = pair {
                self.alone -= 1;
                self.complete += 1;
                return pair;
            }
        }
        let pair = self.next;
        self.next += 1;
        self.alone += 1;
        self.open.entry(key([round, second, first, opening])).or_default().push(pair);
        pair
    }
}

fn key(parts: [&[u8]; 4]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    let mut key = [0; 16];
    key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_two_games_of_a_round_with_swapped_seats() {
        let mut rounds = RoundNumbers::default();
        let mut pair = |round: &str, first: &str, second: &str, opening: &str| {
            rounds.pair(round.as_bytes(), [first.as_bytes(), second.as_bytes()], opening.as_bytes())
        };
        let numbers = [
            pair("1", "a", "b", ""),
            pair("2", "b", "a", ""),
            pair("1", "a", "c", ""),
            pair("1", "b", "a", "x"),
            pair("1", "b", "a", ""),
            pair("1", "a", "b", ""),
            pair("1", "a", "b", ""),
            pair("2", "a", "b", ""),
        ];
        assert_eq!(numbers, [0, 1, 2, 3, 0, 4, 5, 1]);
        assert_eq!((rounds.complete, rounds.alone), (2, 4));
    }
}
