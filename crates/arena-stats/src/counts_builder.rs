//! Aggregates games into [`Counts`].

use std::collections::HashSet;

use super::counts::{BySeat, Counts, OpeningGames, PairingRow, SeatPoints, ShapeCount};
use arena_rules::result::GameResult;
use arena_rules::rules::Seat;

/// Collects games, in any order.
#[derive(Debug, Clone)]
pub struct CountsBuilder {
    bots: usize,
    /// The games; those that were counted before are still in the order that counting needs.
    games: Vec<CountedGame>,
    /// The games that were counted before, in the order of their openings.
    by_opening: Vec<CountedGame>,
}

/// What a game has in common with others. The numbers mean nothing but that games with the same number share it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sample {
    /// The piece of evidence that the game belongs to, among the games of its bots; without one, it is one by itself.
    pub cluster: Option<u32>,
    /// The same, unless the game repeats one of another pair and belongs to the other's cluster.
    pub pair: Option<u32>,
    /// The opening, which games of other bots may share.
    pub opening: Option<u32>,
}

/// A game between two bots.
#[derive(Debug, Clone, Copy)]
struct CountedGame {
    /// The bot with the lower index.
    a: u32,
    b: u32,
    sample: Sample,
    /// The seat of `a`.
    seat: Seat,
    result: GameResult,
}

impl CountedGame {
    fn has_bots_of(&self, other: &Self) -> bool {
        (self.a, self.b) == (other.a, other.b)
    }

    fn has_cluster_of(&self, other: &Self) -> bool {
        self.has_bots_of(other) && self.sample.cluster.is_some() && self.sample.cluster == other.sample.cluster
    }

    fn has_pair_of(&self, other: &Self) -> bool {
        self.sample.pair.is_some() && self.sample.pair == other.sample.pair
    }

    fn has_opening_of(&self, other: &Self) -> bool {
        self.sample.opening == other.sample.opening
    }
}

impl CountsBuilder {
    /// Creates a builder for games among `bots` bots.
    #[must_use]
    pub const fn new(bots: usize) -> Self {
        Self { bots, games: Vec::new(), by_opening: Vec::new() }
    }

    /// Adds a game. Games with the same `cluster` between the same two bots are one piece of evidence; a game without
    /// one is a cluster by itself. Ignores void games, games of a bot against itself, and games of unknown bots.
    pub fn add(&mut self, first: usize, second: usize, result: GameResult, cluster: Option<u32>) {
        self.add_sample(first, second, result, Sample { cluster, pair: cluster, opening: None });
    }

    /// Adds a game, with all that it shares with others.
    pub fn add_sample(&mut self, first: usize, second: usize, result: GameResult, sample: Sample) {
        if result != GameResult::Void && first != second && first < self.bots && second < self.bots {
            let seat = if first < second { Seat::First } else { Seat::Second };
            let (a, b) = (first.min(second) as u32, first.max(second) as u32);
            self.games.push(CountedGame { a, b, sample, seat, result });
        }
    }

    /// Aggregates the games. `unrated` lists further games, which are not rated, by bots and result. Returns the counts
    /// of all games, and those of the rated games if they are not the same.
    #[must_use]
    pub fn finish_with(
        self,
        unrated: impl IntoIterator<Item = (usize, usize, GameResult)>,
    ) -> (Counts, Option<Counts>) {
        let mut unrated = unrated.into_iter().peekable();
        if unrated.peek().is_none() {
            return (self.finish(), None);
        }
        let mut all = self.clone();
        unrated.for_each(|(first, second, result)| all.add(first, second, result, None));
        (all.finish(), Some(self.finish()))
    }

    /// Aggregates the games.
    #[must_use]
    pub fn finish(mut self) -> Counts {
        let mut counts = self.count();
        add_openings(&mut self.games, &mut counts);
        counts
    }

    /// Aggregates the games so far; more can be added. Counting again takes time for the games that were added, and to go over
    /// the others, but not to sort those once more.
    #[must_use]
    pub fn so_far(&mut self) -> Counts {
        self.by_opening.extend_from_slice(&self.games[self.by_opening.len()..]);
        let mut counts = self.count();
        add_openings(&mut self.by_opening, &mut counts);
        counts
    }

    /// Aggregates the games by bots and clusters.
    fn count(&mut self) -> Counts {
        // Stable sorts are fast where most is in order already.
        self.games.sort_by_key(|game| {
            // One number compares much faster than a tuple.
            let cluster = game.sample.cluster.map_or(u64::MAX, u64::from);
            u128::from(game.a) << 96 | u128::from(game.b) << 64 | u128::from(cluster)
        });
        let shapes: HashSet<BySeat> = self.games.chunk_by(CountedGame::has_cluster_of).map(cluster_of).collect();
        let mut shapes = Vec::from_iter(shapes);
        shapes.sort_unstable_by_key(shape_order);
        let shape_of = |games: &[CountedGame]| {
            let order = shape_order(&cluster_of(games));
            shapes.partition_point(|shape| shape_order(shape) < order) as u32
        };
        let mut counts = Counts { bots: self.bots, ..Counts::default() };
        for games in self.games.chunk_by_mut(CountedGame::has_bots_of) {
            let mut found: Vec<u32> = games.chunk_by(CountedGame::has_cluster_of).map(shape_of).collect();
            found.sort_unstable();
            let same = found.chunk_by(|x, y| x == y);
            counts.entries.extend(same.map(|same| ShapeCount { shape: same[0], clusters: same.len() as u32 }));
            counts.rows.push(PairingRow { a: games[0].a, b: games[0].b, end: counts.entries.len() as u32 });
            counts.pairs.push(pairs(games));
        }
        counts.points = shapes.iter().map(SeatPoints::from).collect();
        counts.shapes = shapes;
        counts
    }
}

/// Aggregates the games by opening, if every game has one.
fn add_openings(games: &mut [CountedGame], counts: &mut Counts) {
    if games.iter().any(|game| game.sample.opening.is_none()) {
        return;
    }
    games.sort_by_key(|game| (game.sample.opening, game.a, game.b));
    let (mut rows, mut openings) = (Vec::new(), Vec::new());
    for opening in games.chunk_by(CountedGame::has_opening_of) {
        let start = rows.len();
        rows.extend(opening.chunk_by(CountedGame::has_bots_of).map(|games| {
            let row = counts.place(games[0].a as usize, games[0].b as usize).unwrap_or_default();
            OpeningGames::new(row as u32, &cluster_of(games))
        }));
        openings.push(start..rows.len());
    }
    // Sorted by content, so that nothing depends on the numbers of openings.
    openings.sort_unstable_by(|x, y| rows[x.clone()].cmp(&rows[y.clone()]));
    for opening in openings {
        counts.opening_games.extend_from_slice(&rows[opening]);
        counts.openings.push(counts.opening_games.len() as u32);
    }
}

/// Adds up games, as seen from `a`.
fn cluster_of(games: &[CountedGame]) -> BySeat {
    let mut cluster = BySeat::default();
    for game in games {
        let tally = if game.seat == Seat::First { &mut cluster.as_first } else { &mut cluster.as_second };
        tally.count(game.result, game.seat);
    }
    cluster
}

/// Sorts shapes by content, so that nothing depends on the numbers of clusters: single games, pairs, and then the rest.
fn shape_order(shape: &BySeat) -> (u8, BySeat) {
    let kind = match (shape.as_first.games(), shape.as_second.games()) {
        (1, 0) => 0,
        (0, 1) => 1,
        (1, 1) => 2,
        _ => 3,
    };
    (kind, *shape)
}

/// The numbers of pairs by twice the points of `a`, except pairs whose games both repeat others.
fn pairs(games: &mut [CountedGame]) -> [u32; 5] {
    games.sort_by_key(|game| game.sample.pair);
    let mut pairs = [0; 5];
    for games in games.chunk_by(CountedGame::has_pair_of) {
        let BySeat { as_first, as_second } = cluster_of(games);
        let repeats = games.iter().all(|game| game.sample.pair != game.sample.cluster);
        if (as_first.games(), as_second.games()) == (1, 1) && !repeats {
            pairs[(as_first + as_second).half_points() as usize] += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Tally;
    use super::super::openings::Openings;
    use super::super::testing::{TestGame, counted, tables};
    use super::*;
    use arena_rules::result::GameResult::{Draw, FirstWins, SecondWins, Void};

    fn counts(bots: usize, games: &[TestGame]) -> Counts {
        counted(bots, games.iter().copied())
    }

    #[test]
    fn pairs_single_games_and_repeated_openings_are_distinguished() {
        let added = counts(
            3,
            &[
                (1, 0, SecondWins, Some(7)),
                (0, 1, FirstWins, Some(7)),
                (0, 1, Draw, Some(8)),
                (1, 0, FirstWins, Some(8)),
                (0, 1, FirstWins, None),
                (0, 1, FirstWins, None),
                (0, 2, SecondWins, Some(7)),
                (0, 2, SecondWins, Some(7)),
                (0, 2, Void, Some(7)),
                (0, 0, Draw, None),
                (0, 3, Draw, None),
            ],
        );
        let [met, again] = added.pairings().collect::<Vec<_>>()[..] else { panic!("{added:?}") };
        assert_eq!((met.a, met.b, met.cluster_count(), met.total().games()), (0, 1, 4, 6));
        assert_eq!(met.pairs(), [0, 1, 0, 0, 1]);
        assert_eq!(met.games().as_first, Tally { wins: 3, draws: 1, losses: 0 });
        assert_eq!((again.a, again.b, again.cluster_count(), again.total().losses), (0, 2, 1, 2));
        assert_eq!(added.first_seat(), Tally { wins: 4, draws: 1, losses: 3 });
    }

    #[test]
    fn an_equal_schedule_has_equally_many_games_per_pairing() {
        let full = [(0, 1, Draw, None), (1, 2, Draw, None), (2, 0, Draw, None)];
        assert!(counts(3, &full).is_equal_schedule());
        assert!(!counts(3, &full[..2]).is_equal_schedule());
        assert!(!counts(3, &[&full[..], &full[..1]].concat()).is_equal_schedule());
        assert!(counts(0, &[]).is_equal_schedule());
    }

    #[test]
    fn a_schedule_is_not_equal_if_a_bot_mostly_moved_first() {
        let one_way = [(0, 1, Draw, None), (0, 1, Draw, None)];
        assert!(!counts(2, &one_way).is_equal_schedule());
        // An odd number of games cannot be balanced any better.
        assert!(counts(2, &[&one_way[..], &[(1, 0, Draw, None)]].concat()).is_equal_schedule());
        assert!(!counts(3, &[(0, 1, Draw, None), (2, 1, Draw, None), (0, 2, Draw, None)]).is_equal_schedule());
    }

    #[test]
    fn a_pair_counts_unless_both_of_its_games_repeat_others() {
        // WL; the same with one new game; the same again; two draws, then repeated in both orders.
        let games = [
            (0, 1, FirstWins, 5, 5),
            (1, 0, FirstWins, 5, 5),
            (0, 1, FirstWins, 6, 5),
            (1, 0, Draw, 6, 6),
            (1, 0, FirstWins, 7, 5),
            (0, 1, FirstWins, 7, 5),
            (0, 1, Draw, 2, 8),
            (1, 0, Draw, 2, 8),
            (1, 0, Draw, 8, 8),
            (0, 1, Draw, 8, 8),
            (0, 1, Draw, 9, 8),
            (0, 2, Draw, 1, 1),
            (2, 0, Draw, 1, 1),
        ];
        let mut builder = CountsBuilder::new(3);
        for (first, second, result, pair, cluster) in games {
            let sample = Sample { pair: Some(pair), cluster: Some(cluster), opening: None };
            builder.add_sample(first, second, result, sample);
        }
        builder.add(0, 1, FirstWins, None);
        let counts = builder.finish();
        let [met, other] = counts.pairings().collect::<Vec<_>>()[..] else { panic!("{counts:?}") };
        assert_eq!((met.pairs(), met.total().games()), ([0, 0, 2, 1, 0], 12));
        assert_eq!(met.cluster_count(), 4);
        assert_eq!(other.pairs(), [0, 0, 1, 0, 0]);
    }

    proptest! {
        #[test]
        fn neither_the_order_of_games_nor_cluster_numbers_matter((bots, games) in tables(), seed in any::<u64>()) {
            let mut other: Vec<_> = games.iter().map(|&(f, s, r, c)| (f, s, r, c.map(|c| 9 - c))).collect();
            other.sort_by_cached_key(|game| blake3::hash(format!("{seed}{game:?}").as_bytes()).to_hex());
            prop_assert_eq!(counts(bots, &games), counts(bots, &other));
        }

        #[test]
        fn neither_the_order_of_games_nor_opening_numbers_matter((bots, games) in tables(), seed in any::<u64>()) {
            let of_openings = |games: &[TestGame], number: fn(u32) -> u32| {
                let mut builder = CountsBuilder::new(bots);
                for (first, second, result, opening) in games.iter().copied() {
                    let opening = Some(number(opening.unwrap_or(0)));
                    builder.add_sample(first, second, result, Sample { opening, ..Sample::default() });
                }
                builder.finish()
            };
            let mut other = games.clone();
            other.sort_by_cached_key(|game| blake3::hash(format!("{seed}{game:?}").as_bytes()).to_hex());
            let counted = of_openings(&games, |opening| opening);
            prop_assert_eq!(&counted, &of_openings(&other, |opening| u32::MAX - opening));
            let first: f64 = Openings::of(&counted).map_or(0.0, |openings| openings.games());
            prop_assert_eq!(first as u64, counted.first_seat().games());
        }

        #[test]
        fn counts_so_far_are_those_of_the_games_so_far((bots, games) in tables(), every in 1_usize..5) {
            let mut growing = CountsBuilder::new(bots);
            for (index, &(first, second, result, number)) in games.iter().enumerate() {
                let sample = Sample { cluster: number, pair: number.map(|pair| pair / 2), opening: number.or(Some(3)) };
                growing.add_sample(first, second, result, sample);
                if index % every == 0 {
                    let mut fresh = CountsBuilder::new(bots);
                    fresh.games.extend_from_slice(&growing.games);
                    prop_assert_eq!(growing.so_far(), fresh.finish());
                }
            }
            let counted = growing.so_far();
            prop_assert_eq!(growing.finish(), counted);
        }

        #[test]
        fn every_game_is_counted_once((bots, games) in tables()) {
            let counted = counts(bots, &games);
            let sum: u64 = counted.pairings().map(|pairing| pairing.total().games()).sum();
            let mut first = Tally::default();
            let known = games.iter().filter(|game| game.0 != game.1 && game.0.max(game.1) < bots);
            known.for_each(|game| first.count(game.2, Seat::First));
            prop_assert_eq!(sum, first.games());
            prop_assert_eq!(counted.first_seat(), first);
        }
    }
}
