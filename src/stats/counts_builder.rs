//! Aggregates games into [`Counts`].

use std::collections::HashMap;

use super::Tally;
use super::counts::{Cluster, Counts, FIXED_SHAPES, OpeningScore, PairingRow, SINGLE_SHAPES, SeatPoints, ShapeCount};
use crate::record::GameResult;
use crate::rules::Seat;

/// Collects games, in any order.
#[derive(Debug, Clone)]
pub struct CountsBuilder {
    bots: u32,
    /// Packed games. From the most significant bits: lower bot (32 bits), higher bot (32), whether the game has no
    /// cluster (24), cluster (32), whether it repeats a game of another pair (5), and outcome (3). Sorting brings the
    /// games of a pairing together, and within it those of a cluster.
    games: Vec<u128>,
    /// Games that repeat one of another pair, with their own pair in place of the cluster.
    repeats: Vec<u128>,
    /// Openings by number.
    openings: Vec<OpeningScore>,
}

impl CountsBuilder {
    /// Creates a builder for games among `bots` bots.
    #[must_use]
    pub fn new(bots: usize) -> Self {
        Self {
            bots: u32::try_from(bots).unwrap_or(u32::MAX),
            games: Vec::new(),
            repeats: Vec::new(),
            openings: Vec::new(),
        }
    }

    /// Adds a game. Games with the same `cluster` between the same two bots are one piece of evidence; a game without
    /// one is a cluster by itself. Ignores void games, games of a bot against itself, and games of unknown bots.
    pub fn add(&mut self, first: usize, second: usize, result: GameResult, cluster: Option<u32>) {
        self.games.extend(self.packed([first, second], result, cluster, false));
    }

    /// Adds a game of `pair` that belongs to `cluster`, which differs from `pair` if the game repeats one of another
    /// pair.
    pub fn add_of_pair(&mut self, first: usize, second: usize, result: GameResult, pair: u32, cluster: u32) {
        let repeats = pair != cluster;
        self.games.extend(self.packed([first, second], result, Some(cluster), repeats));
        if repeats {
            self.repeats.extend(self.packed([first, second], result, Some(pair), true));
        }
    }

    /// Records that a game began with this opening, which other pairings may share. Openings are numbered from 0.
    /// Memory grows with the largest number.
    pub fn add_opening(&mut self, opening: u32, result: GameResult) {
        let mut first = Tally::default();
        first.count(result, Seat::First);
        let place = opening as usize;
        if place >= self.openings.len() {
            self.openings.resize(place + 1, OpeningScore::default());
        }
        self.openings[place].half_points += first.half_points();
        self.openings[place].games += first.games();
    }

    fn packed(
        &self,
        [first, second]: [usize; 2],
        result: GameResult,
        cluster: Option<u32>,
        repeats: bool,
    ) -> Option<u128> {
        let bots = self.bots as usize;
        if result == GameResult::Void || first == second || first >= bots || second >= bots {
            return None;
        }
        let seat = if first < second { Seat::First } else { Seat::Second };
        let points = match result.winner() {
            None => 1,
            Some(winner) if winner == seat => 2,
            Some(_) => 0,
        };
        let outcome = u128::from(repeats) << 3 | (3 * seat.index() + points) as u128;
        let cluster = u64::from(cluster.unwrap_or(0)) | u64::from(cluster.is_none()) << 32;
        let bots = (first.min(second) as u128) << 96 | (first.max(second) as u128) << 64;
        Some(bots | u128::from(cluster) << 8 | outcome)
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
        self.games.sort_unstable();
        self.repeats.sort_unstable();
        let mut counts = Counts { bots: self.bots as usize, ..Counts::default() };
        counts.shapes = (0..FIXED_SHAPES).map(fixed_shape).collect();
        let mut rare: HashMap<[u32; 6], u32> = HashMap::new();
        let mut found: Vec<u32> = Vec::new();
        let mut repeats = self.repeats.chunk_by(|x, y| x >> 64 == y >> 64).peekable();
        for pairing in self.games.chunk_by(|x, y| x >> 64 == y >> 64) {
            let mut fixed = [0_u32; FIXED_SHAPES];
            for games in pairing.chunk_by(|x, y| x >> 8 == y >> 8 && x >> 40 & 1 == 0) {
                match games {
                    [one] => fixed[outcome(one)] += 1,
                    [as_first, as_second] if outcome(as_first) < 3 && outcome(as_second) >= 3 => {
                        fixed[SINGLE_SHAPES + 3 * outcome(as_first) + outcome(as_second) - 3] += 1;
                    }
                    more => {
                        let mut shape = [0; 6];
                        for game in more {
                            shape[outcome(game)] += 1;
                        }
                        let next = (FIXED_SHAPES + rare.len()) as u32;
                        found.push(*rare.entry(shape).or_insert(next));
                    }
                }
            }
            let common = (0..).zip(fixed).filter(|(_, clusters)| *clusters > 0);
            counts.entries.extend(common.map(|(shape, clusters)| ShapeCount { shape, clusters }));
            found.sort_unstable();
            let rare = found.chunk_by(|x, y| x == y);
            counts.entries.extend(rare.map(|same| ShapeCount { shape: same[0], clusters: same.len() as u32 }));
            found.clear();
            if let Some(repeats) = repeats.next_if(|repeats| repeats[0] >> 64 == pairing[0] >> 64) {
                counts.repeats.push((counts.rows.len() as u32, pairs(pairing, repeats)));
            }
            let end = counts.entries.len() as u32;
            counts.rows.push(PairingRow { a: (pairing[0] >> 96) as u32, b: (pairing[0] >> 64) as u32, end });
        }
        add_rare_shapes(&mut counts, rare);
        counts.points = counts.shapes.iter().map(SeatPoints::from).collect();
        counts.openings = self.openings;
        counts.openings.retain(|opening| opening.games > 0);
        counts.openings.sort_unstable();
        counts.entries.shrink_to_fit();
        counts.rows.shrink_to_fit();
        counts
    }
}

/// The outcome of a game: 0 to 2 are twice the points of `a` as first, 3 to 5 the same as second.
fn outcome(game: &u128) -> usize {
    (game & 7) as usize
}

/// The numbers of pairs by twice the points of `a`, except pairs whose games are both in `repeats`.
fn pairs(games: &[u128], repeats: &[u128]) -> [u64; 5] {
    let is_repeat = |game: &u128| game >> 3 & 1 == 1;
    let stands_alone = |game: &u128| game >> 40 & 1 == 1;
    let own = games.iter().filter(|game| !is_repeat(game) && !stands_alone(game));
    let mut by_pair: Vec<u128> = own.chain(repeats).copied().collect();
    by_pair.sort_unstable_by_key(|game| (game >> 8, outcome(game)));
    let mut pairs = [0; 5];
    for games in by_pair.chunk_by(|x, y| x >> 8 == y >> 8) {
        if let [as_first, as_second] = games
            && (outcome(as_first) < 3 && outcome(as_second) >= 3)
            && !(is_repeat(as_first) && is_repeat(as_second))
        {
            pairs[outcome(as_first) + outcome(as_second) - 3] += 1;
        }
    }
    pairs
}

/// The cluster with these numbers of games by [`outcome`].
fn cluster_of(games: [u32; 6]) -> Cluster {
    let [l, d, w, second @ ..] = games.map(u64::from);
    Cluster {
        as_first: Tally { wins: w, draws: d, losses: l },
        as_second: Tally { wins: second[2], draws: second[1], losses: second[0] },
    }
}

/// The shapes with fixed indices.
fn fixed_shape(shape: usize) -> Cluster {
    let mut games = [0; 6];
    if shape < SINGLE_SHAPES {
        games[shape] = 1;
    } else {
        games[(shape - SINGLE_SHAPES) / 3] = 1;
        games[3 + (shape - SINGLE_SHAPES) % 3] = 1;
    }
    cluster_of(games)
}

/// Sorts the rare shapes by content, so that nothing depends on the numbers of clusters.
fn add_rare_shapes(counts: &mut Counts, rare: HashMap<[u32; 6], u32>) {
    let mut rare: Vec<(Cluster, u32)> =
        rare.into_iter().map(|(games, provisional)| (cluster_of(games), provisional)).collect();
    rare.sort_unstable();
    let mut place = vec![0; rare.len()];
    for (index, (shape, provisional)) in rare.iter().enumerate() {
        place[*provisional as usize - FIXED_SHAPES] = (FIXED_SHAPES + index) as u32;
        counts.shapes.push(*shape);
    }
    if rare.is_empty() {
        return;
    }
    let mut start = 0;
    for row in &counts.rows {
        let entries = &mut counts.entries[start..row.end as usize];
        for entry in entries.iter_mut().filter(|entry| entry.shape as usize >= FIXED_SHAPES) {
            entry.shape = place[entry.shape as usize - FIXED_SHAPES];
        }
        entries.sort_unstable_by_key(|entry| entry.shape);
        start = row.end as usize;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{TestGame, counted, tables};
    use super::*;
    use crate::record::GameResult::{Draw, FirstWins, SecondWins, Void};

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
        assert_eq!(met.table(), [[0, 0, 0], [1, 0, 0], [0, 0, 1]]);
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
            builder.add_of_pair(first, second, result, pair, cluster);
        }
        builder.add(0, 1, FirstWins, None);
        let counts = builder.finish();
        let [met, other] = counts.pairings().collect::<Vec<_>>()[..] else { panic!("{counts:?}") };
        assert_eq!((met.pairs(), met.total().games()), ([0, 0, 2, 1, 0], 12));
        assert_eq!((met.cluster_count(), met.table()), (4, [[0; 3]; 3]));
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
