//! Games added up: everything the ratings need to know of them, in a size that does not grow with their number.
//!
//! The games of one opening and seed between two bots are one *cluster*: a swapped pair, a single game, or more when
//! an opening comes again. Bots that are deterministic replay the same game, so a cluster is one piece of evidence,
//! however many games it has. Most clusters look alike, so each look is stored once and counted per pairing:
//!
//! ```text
//! slots    (a, b, end) (a, b, end) …        one for each pairing that was played, sorted
//! entries  (look, clusters) (look, clusters) …     those of a pairing lie together, up to its `end`
//! looks    results by seat, as seen from a  6 single games, 9 swapped pairs, then whatever else occurred
//! ```

use std::collections::HashMap;

use super::Tally;
use crate::record::GameResult;
use crate::rules::Seat;

/// Single games (6) and swapped pairs (9) have fixed places among the looks.
const FIXED_LOOKS: usize = 15;

/// Collects games, in any order.
#[derive(Debug, Clone)]
pub struct CountsBuilder {
    bots: u32,
    /// From the top: lower bot (32 bits), higher bot (32), whether the game stands alone (24), cluster (32) and
    /// outcome (8). Sorted numbers have the games of a pairing, and within it of a cluster, side by side.
    games: Vec<u128>,
}

impl CountsBuilder {
    /// For games among `bots` bots.
    #[must_use]
    pub fn new(bots: usize) -> Self {
        Self { bots: u32::try_from(bots).unwrap_or(u32::MAX), games: Vec::new() }
    }

    /// Adds a game. Games with the same `cluster` between the same two bots are one piece of evidence; one without
    /// is a piece of its own. Void games, games of a bot against itself and games of unknown bots are ignored.
    pub fn add(&mut self, first: usize, second: usize, result: GameResult, cluster: Option<u32>) {
        let bots = self.bots as usize;
        if result == GameResult::Void || first == second || first >= bots || second >= bots {
            return;
        }
        let seat = if first < second { Seat::First } else { Seat::Second };
        let points = match result.winner() {
            None => 1,
            Some(winner) if winner == seat => 2,
            Some(_) => 0,
        };
        let outcome = 3 * seat.index() + points;
        let cluster = u64::from(cluster.unwrap_or(0)) | u64::from(cluster.is_none()) << 32;
        self.games.push(
            (first.min(second) as u128) << 96
                | (first.max(second) as u128) << 64
                | u128::from(cluster) << 8
                | outcome as u128,
        );
    }

    /// Adds everything up.
    #[must_use]
    pub fn finish(mut self) -> Counts {
        self.games.sort_unstable();
        let mut counts = Counts { bots: self.bots as usize, ..Counts::default() };
        counts.looks = (0..FIXED_LOOKS).map(Cluster::fixed).collect();
        let mut rare: HashMap<[u32; 6], u32> = HashMap::new();
        let mut found: Vec<u32> = Vec::new();
        for pairing in self.games.chunk_by(|x, y| x >> 64 == y >> 64) {
            let mut fixed = [0_u32; FIXED_LOOKS];
            for games in pairing.chunk_by(|x, y| x >> 8 == y >> 8 && x >> 40 & 1 == 0) {
                let outcome = |game: &u128| (game & 0xff) as usize;
                match games {
                    [one] => fixed[outcome(one)] += 1,
                    [as_first, as_second] if outcome(as_first) < 3 && outcome(as_second) >= 3 => {
                        fixed[6 + 3 * outcome(as_first) + outcome(as_second) - 3] += 1;
                    }
                    more => {
                        let mut look = [0; 6];
                        for game in more {
                            look[outcome(game)] += 1;
                        }
                        let next = (FIXED_LOOKS + rare.len()) as u32;
                        found.push(*rare.entry(look).or_insert(next));
                    }
                }
            }
            let common = (0..).zip(fixed).filter(|(_, clusters)| *clusters > 0);
            counts.entries.extend(common.map(|(look, clusters)| Entry { look, clusters }));
            found.sort_unstable();
            let rare = found.chunk_by(|x, y| x == y);
            counts.entries.extend(rare.map(|same| Entry { look: same[0], clusters: same.len() as u32 }));
            found.clear();
            let end = counts.entries.len() as u32;
            counts.slots.push(Slot { a: (pairing[0] >> 96) as u32, b: (pairing[0] >> 64) as u32, end });
        }
        counts.add_rare_looks(rare);
        counts.points = counts.looks.iter().map(SeatPoints::from).collect();
        counts.entries.shrink_to_fit();
        counts.slots.shrink_to_fit();
        counts
    }
}

/// The games of a set of bots, added up by pairing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts {
    bots: usize,
    slots: Vec<Slot>,
    entries: Vec<Entry>,
    looks: Vec<Cluster>,
    /// The points of each look, since they are needed over and over.
    points: Vec<SeatPoints>,
}

/// Points that bot `a` won and lost, by its seat.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct SeatPoints {
    pub(super) won: [f64; 2],
    pub(super) lost: [f64; 2],
}

impl From<&Cluster> for SeatPoints {
    fn from(games: &Cluster) -> Self {
        let points = |tally: Tally| tally.half_points() as f64 / 2.0;
        let seats = [games.as_first, games.as_second];
        Self { won: seats.map(points), lost: seats.map(|tally| points(tally.reversed())) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slot {
    a: u32,
    b: u32,
    end: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    look: u32,
    clusters: u32,
}

/// Games that are one piece of evidence, as seen from bot `a` of their pairing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cluster {
    /// The games in which `a` moved first.
    pub as_first: Tally,
    /// The games in which `a` moved second.
    pub as_second: Tally,
}

impl Cluster {
    /// Outcomes are 0 to 2 for the points of `a` in halves as first, 3 to 5 as second.
    fn of(games: [u32; 6]) -> Self {
        let [l, d, w, second @ ..] = games.map(u64::from);
        Self {
            as_first: Tally { wins: w, draws: d, losses: l },
            as_second: Tally { wins: second[2], draws: second[1], losses: second[0] },
        }
    }

    fn fixed(look: usize) -> Self {
        let mut games = [0; 6];
        if look < 6 {
            games[look] = 1;
        } else {
            games[(look - 6) / 3] = 1;
            games[3 + (look - 6) % 3] = 1;
        }
        Self::of(games)
    }

    /// All of its games.
    #[must_use]
    pub fn total(&self) -> Tally {
        self.as_first + self.as_second
    }
}

impl Counts {
    /// Renumbers rare looks by what they are, so that nothing depends on the numbers that clusters were given.
    fn add_rare_looks(&mut self, rare: HashMap<[u32; 6], u32>) {
        let mut rare: Vec<(Cluster, u32)> =
            rare.into_iter().map(|(games, provisional)| (Cluster::of(games), provisional)).collect();
        rare.sort_unstable();
        let mut place = vec![0; rare.len()];
        for (index, (look, provisional)) in rare.iter().enumerate() {
            place[*provisional as usize - FIXED_LOOKS] = (FIXED_LOOKS + index) as u32;
            self.looks.push(*look);
        }
        if rare.is_empty() {
            return;
        }
        let mut start = 0;
        for slot in &self.slots {
            let entries = &mut self.entries[start..slot.end as usize];
            for entry in entries.iter_mut().filter(|entry| entry.look as usize >= FIXED_LOOKS) {
                entry.look = place[entry.look as usize - FIXED_LOOKS];
            }
            entries.sort_unstable_by_key(|entry| entry.look);
            start = slot.end as usize;
        }
    }

    /// The number of bots, with games or without.
    #[must_use]
    pub const fn bots(&self) -> usize {
        self.bots
    }

    /// Every pairing that was played, sorted by `a` and then `b`.
    pub fn pairings(&self) -> impl ExactSizeIterator<Item = Pairing<'_>> {
        (0..self.slots.len()).map(|index| self.pairing(index))
    }

    /// The pairing at `index` of [`Counts::pairings`].
    ///
    /// # Panics
    ///
    /// If there are not so many.
    #[must_use]
    pub fn pairing(&self, index: usize) -> Pairing<'_> {
        let start = if index == 0 { 0 } else { self.slots[index - 1].end };
        let Slot { a, b, end } = self.slots[index];
        let entries = &self.entries[start as usize..end as usize];
        Pairing { a: a as usize, b: b as usize, entries, looks: &self.looks, points: &self.points }
    }

    /// The bots of every pairing, in the order of [`Counts::pairings`]: each `a` with all its `b`.
    pub(super) fn runs(&self) -> impl Iterator<Item = (usize, impl Iterator<Item = usize> + Clone)> {
        let runs = self.slots.chunk_by(|x, y| x.a == y.a);
        runs.map(|run| (run[0].a as usize, run.iter().map(|slot| slot.b as usize)))
    }

    /// Whether every two bots met, and all equally often: then points rank as fairly as ratings do.
    #[must_use]
    pub fn is_equal_schedule(&self) -> bool {
        let all = self.bots * self.bots.saturating_sub(1) / 2;
        let mut games = self.pairings().map(|pairing| pairing.total().games());
        self.slots.len() == all && games.next().is_none_or(|first| games.all(|other| other == first))
    }

    /// What the first seat won, drew and lost.
    #[must_use]
    pub fn first_seat(&self) -> Tally {
        self.pairings().fold(Tally::default(), |sum, pairing| {
            let Cluster { as_first, as_second } = pairing.games();
            sum + as_first + as_second.reversed()
        })
    }
}

/// What two bots played, as seen from the one with the lower index.
#[derive(Debug, Clone, Copy)]
pub struct Pairing<'a> {
    /// The lower index.
    pub a: usize,
    /// The higher index.
    pub b: usize,
    entries: &'a [Entry],
    looks: &'a [Cluster],
    points: &'a [SeatPoints],
}

impl<'a> Pairing<'a> {
    /// Each different look of the clusters of this pairing, with the number of clusters that have it.
    pub fn clusters(&self) -> impl Iterator<Item = (&'a Cluster, u64)> + Clone + use<'a> {
        let looks = self.looks;
        self.entries.iter().map(move |entry| (&looks[entry.look as usize], u64::from(entry.clusters)))
    }

    /// The points of each look, with the number of clusters that have it.
    pub(super) fn cluster_points(&self) -> impl Iterator<Item = (&'a SeatPoints, f64)> + Clone + use<'a> {
        let points = self.points;
        self.entries.iter().map(move |entry| (&points[entry.look as usize], f64::from(entry.clusters)))
    }

    /// The points of all games.
    pub(super) fn points(&self) -> SeatPoints {
        let mut sum = SeatPoints::default();
        for (points, count) in self.cluster_points() {
            for seat in 0..2 {
                sum.won[seat] += count * points.won[seat];
                sum.lost[seat] += count * points.lost[seat];
            }
        }
        sum
    }

    /// The number of clusters.
    #[must_use]
    pub fn cluster_count(&self) -> u64 {
        self.entries.iter().map(|entry| u64::from(entry.clusters)).sum()
    }

    /// All games, by the seat of `a`.
    #[must_use]
    pub fn games(&self) -> Cluster {
        self.clusters().fold(Cluster::default(), |sum, (cluster, count)| Cluster {
            as_first: sum.as_first + cluster.as_first.times(count),
            as_second: sum.as_second + cluster.as_second.times(count),
        })
    }

    /// All games.
    #[must_use]
    pub fn total(&self) -> Tally {
        self.games().total()
    }

    /// Swapped pairs by twice the points of `a` as first, then as second.
    #[must_use]
    pub fn table(&self) -> [[u64; 3]; 3] {
        let mut table = [[0; 3]; 3];
        for entry in self.entries {
            if let Some(cell) = (entry.look as usize).checked_sub(6).filter(|cell| *cell < 9) {
                table[cell / 3][cell % 3] += u64::from(entry.clusters);
            }
        }
        table
    }

    /// Swapped pairs by twice the points of `a` in both games: LL, LD, DD or WL, WD, WW.
    #[must_use]
    pub fn pairs(&self) -> [u64; 5] {
        let mut pairs = [0; 5];
        for (first, row) in self.table().iter().enumerate() {
            for (second, count) in row.iter().enumerate() {
                pairs[first + second] += count;
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{Game, counted, tables};
    use super::*;
    use crate::record::GameResult::{Draw, FirstWins, SecondWins, Void};

    fn counts(bots: usize, games: &[Game]) -> Counts {
        counted(bots, games.iter().copied())
    }

    #[test]
    fn pairs_singles_and_repeated_openings_are_told_apart() {
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
    fn an_equal_schedule_has_every_pairing_equally_often() {
        let full = [(0, 1, Draw, None), (1, 2, Draw, None), (2, 0, Draw, None)];
        assert!(counts(3, &full).is_equal_schedule());
        assert!(!counts(3, &full[..2]).is_equal_schedule());
        assert!(!counts(3, &[&full[..], &full[..1]].concat()).is_equal_schedule());
        assert!(counts(0, &[]).is_equal_schedule());
    }

    proptest! {
        #[test]
        fn neither_the_order_of_games_nor_the_numbers_of_clusters_matter((bots, games) in tables(), seed in any::<u64>()) {
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
