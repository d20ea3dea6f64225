//! Aggregated games: everything the ratings need, in a size that does not grow with the number of games.
//!
//! The games of one opening and seed between two bots form one *cluster*: usually a swapped pair or a single game, more
//! if an opening repeats. Deterministic bots replay the same game, so a cluster is one piece of evidence, however many
//! games it has. Most clusters have one of a few shapes. Each shape is stored once and counted per pairing:
//!
//! ```text
//! rows     (a, b, end) (a, b, end) …        one per pairing that was played, sorted
//! entries  (shape, clusters) …              those of a pairing are adjacent, up to its `end`
//! pairs    swapped pairs by points of a     one per row
//! shapes   results by seat, as seen from a  sorted
//! openings end                              one per opening, if every game's is known
//!   games  (row, points by seat) …          those of an opening are adjacent, up to its `end`
//! ```

use super::Tally;

/// The games of a set of bots, aggregated by pairing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts {
    pub(super) bots: usize,
    pub(super) rows: Vec<PairingRow>,
    pub(super) entries: Vec<ShapeCount>,
    pub(super) shapes: Vec<BySeat>,
    /// The points of each shape, precomputed.
    pub(super) points: Vec<SeatPoints>,
    /// The numbers of pairs of each row. The clusters do not show them: a game that repeats one of another pair is in
    /// the other pair's cluster.
    pub(super) pairs: Vec<[u32; 5]>,
    /// The end of each opening's range in `opening_games`; empty unless the opening of every game is known.
    pub(super) openings: Vec<u32>,
    pub(super) opening_games: Vec<OpeningGames>,
}

/// The games of a pairing that began with an opening. All openings together have as many of these as there are
/// clusters, or fewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OpeningGames {
    /// The pairing.
    pub(super) row: u32,
    /// Twice the points that bot `a` won and lost, by its seat.
    won: [u32; 2],
    lost: [u32; 2],
}

impl OpeningGames {
    pub(super) fn new(row: u32, games: &BySeat) -> Self {
        let half_points = |tally: Tally| tally.half_points() as u32;
        let seats = [games.as_first, games.as_second];
        Self { row, won: seats.map(half_points), lost: seats.map(|tally| half_points(tally.reversed())) }
    }

    pub(super) fn points(&self) -> SeatPoints {
        let points = |half_points: [u32; 2]| half_points.map(|half_points| f64::from(half_points) / 2.0);
        SeatPoints { won: points(self.won), lost: points(self.lost) }
    }
}

/// Points that bot `a` won and lost, by its seat.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct SeatPoints {
    pub(super) won: [f64; 2],
    pub(super) lost: [f64; 2],
}

impl From<&BySeat> for SeatPoints {
    fn from(games: &BySeat) -> Self {
        let points = |tally: Tally| tally.half_points() as f64 / 2.0;
        let seats = [games.as_first, games.as_second];
        Self { won: seats.map(points), lost: seats.map(|tally| points(tally.reversed())) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PairingRow {
    pub(super) a: u32,
    pub(super) b: u32,
    /// End of its range in `entries`.
    pub(super) end: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ShapeCount {
    pub(super) shape: u32,
    pub(super) clusters: u32,
}

/// The games of a bot by its seat.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BySeat {
    /// The games in which it moved first.
    pub as_first: Tally,
    /// The games in which it moved second.
    pub as_second: Tally,
}

impl BySeat {
    /// All of its games.
    #[must_use]
    pub fn total(&self) -> Tally {
        self.as_first + self.as_second
    }

    /// The same games from the opponents' side.
    #[must_use]
    pub const fn reversed(&self) -> Self {
        Self { as_first: self.as_second.reversed(), as_second: self.as_first.reversed() }
    }
}

impl std::ops::Add for BySeat {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { as_first: self.as_first + other.as_first, as_second: self.as_second + other.as_second }
    }
}

impl Counts {
    /// The number of bots, including those without games.
    #[must_use]
    pub const fn bots(&self) -> usize {
        self.bots
    }

    /// Every pairing that was played, sorted by `a` and then `b`.
    #[must_use]
    pub fn pairings(&self) -> impl ExactSizeIterator<Item = Pairing<'_>> {
        (0..self.rows.len()).map(|index| self.pairing(index))
    }

    /// The pairing at `index` of [`Counts::pairings`].
    ///
    /// # Panics
    ///
    /// Panics if `index` is out of range.
    #[must_use]
    pub fn pairing(&self, index: usize) -> Pairing<'_> {
        let start = if index == 0 { 0 } else { self.rows[index - 1].end };
        let PairingRow { a, b, end } = self.rows[index];
        let entries = &self.entries[start as usize..end as usize];
        let (shapes, points, pairs) = (&self.shapes, &self.points, &self.pairs[index]);
        Pairing { a: a as usize, b: b as usize, entries, shapes, points, pairs }
    }

    /// The index in [`Counts::pairings`] of the pairing of `a` and `b`, lower index first.
    pub(super) fn place(&self, a: usize, b: usize) -> Option<usize> {
        self.rows.binary_search_by_key(&(a, b), |row| (row.a as usize, row.b as usize)).ok()
    }

    /// The bots of the pairing at `row`, the lower index first.
    pub(super) fn bots_of(&self, row: u32) -> (usize, usize) {
        let PairingRow { a, b, .. } = self.rows[row as usize];
        (a as usize, b as usize)
    }

    /// Whether ranking by points is as fair as by ratings: all pairings have equally many games, and each bot moved
    /// first in half of its games, give or take one.
    #[must_use]
    pub fn is_equal_schedule(&self) -> bool {
        let all = self.bots * self.bots.saturating_sub(1) / 2;
        let mut games = self.pairings().map(|pairing| pairing.total().games());
        let met_alike = self.rows.len() == all && games.next().is_none_or(|first| games.all(|other| other == first));
        let mut seats = vec![[0_u64; 2]; self.bots];
        for met in self.pairings() {
            for (bot, games) in [(met.a, met.games()), (met.b, met.games().reversed())] {
                seats[bot][0] += games.as_first.games();
                seats[bot][1] += games.as_second.games();
            }
        }
        met_alike && seats.iter().all(|[first, second]| first.abs_diff(*second) <= 1)
    }

    /// The number of openings; 0 unless they are known for all games.
    #[must_use]
    pub const fn openings(&self) -> usize {
        self.openings.len()
    }

    /// The wins, draws and losses of the first seat.
    #[must_use]
    pub fn first_seat(&self) -> Tally {
        self.pairings()
            .fold(Tally::default(), |sum, pairing| sum + pairing.games().as_first + pairing.games().reversed().as_first)
    }
}

/// The games between two bots, as seen from the one with the lower index.
#[derive(Debug, Clone, Copy)]
pub struct Pairing<'a> {
    /// The lower index.
    pub a: usize,
    /// The higher index.
    pub b: usize,
    entries: &'a [ShapeCount],
    shapes: &'a [BySeat],
    points: &'a [SeatPoints],
    pairs: &'a [u32; 5],
}

impl<'a> Pairing<'a> {
    /// Each distinct shape of cluster in this pairing, with the number of clusters.
    pub fn clusters(&self) -> impl Iterator<Item = (&'a BySeat, u64)> + Clone + use<'a> {
        let shapes = self.shapes;
        self.entries.iter().map(move |entry| (&shapes[entry.shape as usize], u64::from(entry.clusters)))
    }

    /// The points of each shape of cluster, with the number of clusters.
    pub(super) fn cluster_points(&self) -> impl Iterator<Item = (&'a SeatPoints, f64)> + Clone + use<'a> {
        let points = self.points;
        self.entries.iter().map(move |entry| (&points[entry.shape as usize], f64::from(entry.clusters)))
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
    pub fn games(&self) -> BySeat {
        self.clusters().fold(BySeat::default(), |sum, (cluster, count)| {
            let BySeat { as_first, as_second } = *cluster;
            sum + BySeat { as_first: as_first.times(count), as_second: as_second.times(count) }
        })
    }

    /// All games.
    #[must_use]
    pub fn total(&self) -> Tally {
        self.games().total()
    }

    /// The numbers of swapped pairs, by twice the points of `a` in both games: LL, LD, DD or WL, WD, WW. A pair counts
    /// unless both of its games repeat others.
    #[must_use]
    pub fn pairs(&self) -> [u64; 5] {
        self.pairs.map(u64::from)
    }
}
