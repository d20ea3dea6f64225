//! What two bots did against each other.

use std::collections::BTreeMap;

use super::{GameScore, Standing, Tally, counted};
use crate::rules::Seat;

/// Everything two bots played against each other, as seen from `a`, who is listed above `b` in the standings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadToHead {
    /// Index of the bot listed higher.
    pub a: usize,
    /// Index of the bot listed lower.
    pub b: usize,
    /// The games in which `a` moved first.
    pub a_first: Tally,
    /// The games in which `a` moved second.
    pub a_second: Tally,
    /// Complete pairs by twice the points of `a` in the two games: LL, LD, DD or WL, WD, WW.
    pub pairs: [u64; 5],
}

impl HeadToHead {
    /// All of their games, as seen from `a`.
    #[must_use]
    pub fn total(&self) -> Tally {
        self.a_first + self.a_second
    }
}

/// The two games of a pair, as seen from the bot listed higher.
#[derive(Default)]
struct Pair {
    by_seat: [Tally; 2],
}

/// Every pairing that was played, in the order of `standings`.
#[must_use]
pub fn head_to_head(standings: &[Standing], games: &[GameScore]) -> Vec<HeadToHead> {
    let mut place = vec![0; standings.len()];
    for (index, row) in standings.iter().enumerate() {
        place[row.bot] = index;
    }
    // Keyed by places in the standings, so that iteration is in their order.
    let mut pairs: BTreeMap<[usize; 2], BTreeMap<u32, Pair>> = BTreeMap::new();
    for game in counted(standings.len(), games) {
        let [first, second] = game.bots().map(|bot| place[bot]);
        let seat_of_a = if first < second { Seat::First } else { Seat::Second };
        let pairing = pairs.entry([first.min(second), first.max(second)]).or_default();
        pairing.entry(game.pair).or_default().by_seat[seat_of_a.index()].count(game.result, seat_of_a);
    }
    pairs
        .iter()
        .map(|([a, b], pairs)| {
            let mut row = HeadToHead {
                a: standings[*a].bot,
                b: standings[*b].bot,
                a_first: Tally::default(),
                a_second: Tally::default(),
                pairs: [0; 5],
            };
            for Pair { by_seat: [first, second] } in pairs.values() {
                row.a_first = row.a_first + *first;
                row.a_second = row.a_second + *second;
                if first.games() == 1 && second.games() == 1 {
                    row.pairs[(first.half_points() + second.half_points()) as usize] += 1;
                }
            }
            row
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::standings;
    use super::super::testing::{game, tables};
    use super::*;
    use crate::record::GameResult::{Draw, FirstWins, SecondWins};

    #[test]
    fn pairs_are_counted_from_the_side_of_the_higher_bot() {
        let games = [
            game(0, 1, SecondWins, 1),
            game(1, 0, FirstWins, 1),
            game(0, 1, Draw, 2),
            game(1, 0, FirstWins, 2),
            game(0, 1, SecondWins, 3),
        ];
        let rows = head_to_head(&standings(2, &games), &games);
        assert_eq!(
            rows,
            [HeadToHead {
                a: 1,
                b: 0,
                a_first: Tally { wins: 2, draws: 0, losses: 0 },
                a_second: Tally { wins: 2, draws: 1, losses: 0 },
                // The third pair lacks a game and is in none of the classes.
                pairs: [0, 0, 0, 1, 1],
            }]
        );
    }

    #[test]
    fn two_games_from_the_same_seat_are_no_pair() {
        let games = [game(0, 1, Draw, 1), game(0, 1, Draw, 1)];
        assert_eq!(head_to_head(&standings(2, &games), &games)[0].pairs, [0; 5]);
    }

    proptest! {
        #[test]
        fn pairings_add_up_to_the_standings((bots, games) in tables()) {
            let rows = standings(bots, &games);
            let met = head_to_head(&rows, &games);
            for row in &rows {
                let mut halves = 0;
                for pairing in &met {
                    let total = pairing.total();
                    if pairing.a == row.bot {
                        halves += total.half_points();
                    } else if pairing.b == row.bot {
                        halves += 2 * total.games() - total.half_points();
                    }
                }
                prop_assert_eq!(halves, row.total().half_points());
            }
            for pairing in &met {
                prop_assert!(2 * pairing.pairs.iter().sum::<u64>() <= pairing.total().games());
                prop_assert!(pairing.total().games() > 0);
            }
        }
    }
}
