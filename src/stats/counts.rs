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
//! repeats  (slot, pairs)                    only of pairings in which a game repeats one of another pair
//! openings points of the first seat, games  of all pairings together, for the error of the side advantage
//! ```

use super::Tally;

/// Single games have the first places among the looks,
pub(super) const SINGLE_LOOKS: usize = 6;

/// and these and the swapped pairs the first of all.
pub(super) const FIXED_LOOKS: usize = 15;

/// The games of a set of bots, added up by pairing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts {
    pub(super) bots: usize,
    pub(super) slots: Vec<Slot>,
    pub(super) entries: Vec<Entry>,
    pub(super) looks: Vec<Cluster>,
    /// The points of each look, since they are needed over and over.
    pub(super) points: Vec<SeatPoints>,
    /// The pairs of pairings whose clusters do not show them, sorted by slot: a game that repeats one of another pair
    /// is in the cluster of that.
    pub(super) repeats: Vec<(u32, [u64; 5])>,
    /// Each opening that is known, sorted: by what it is, so that nothing depends on the numbers they were given.
    pub(super) openings: Vec<Opening>,
}

/// What became of an opening in all games that began with it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Opening {
    /// Twice the points of the first seat.
    pub(super) half_points: u64,
    pub(super) games: u64,
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
pub(super) struct Slot {
    pub(super) a: u32,
    pub(super) b: u32,
    /// Where its entries end.
    pub(super) end: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) look: u32,
    pub(super) clusters: u32,
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
    /// All of its games.
    #[must_use]
    pub fn total(&self) -> Tally {
        self.as_first + self.as_second
    }
}

impl Counts {
    /// The number of bots, with games or without.
    #[must_use]
    pub const fn bots(&self) -> usize {
        self.bots
    }

    /// Every pairing that was played, sorted by `a` and then `b`.
    #[must_use]
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
        let repeats = self.repeats.binary_search_by_key(&(index as u32), |(slot, _)| *slot);
        let pairs = repeats.ok().map(|place| &self.repeats[place].1);
        Pairing { a: a as usize, b: b as usize, entries, looks: &self.looks, points: &self.points, pairs }
    }

    /// The place in [`Counts::pairings`] of what `a` and `b`, the lower index first, played.
    pub(super) fn place(&self, a: usize, b: usize) -> Option<usize> {
        self.slots.binary_search_by_key(&(a, b), |slot| (slot.a as usize, slot.b as usize)).ok()
    }

    /// The bots of every pairing, in the order of [`Counts::pairings`]: each `a` with all its `b`.
    pub(super) fn runs(&self) -> impl Iterator<Item = (usize, impl Iterator<Item = usize> + Clone)> {
        let runs = self.slots.chunk_by(|x, y| x.a == y.a);
        runs.map(|run| (run[0].a as usize, run.iter().map(|slot| slot.b as usize)))
    }

    /// Whether every two bots met, all equally often, and every bot moved first in half of its games, or one game
    /// more or less: then points rank as fairly as ratings do.
    #[must_use]
    pub fn is_equal_schedule(&self) -> bool {
        let all = self.bots * self.bots.saturating_sub(1) / 2;
        let mut games = self.pairings().map(|pairing| pairing.total().games());
        let met_alike = self.slots.len() == all && games.next().is_none_or(|first| games.all(|other| other == first));
        let mut seats = vec![[0_u64; 2]; self.bots];
        for met in self.pairings() {
            let Cluster { as_first, as_second } = met.games();
            for (bot, [first, second]) in [(met.a, [as_first, as_second]), (met.b, [as_second, as_first])] {
                seats[bot][0] += first.games();
                seats[bot][1] += second.games();
            }
        }
        met_alike && seats.iter().all(|[first, second]| first.abs_diff(*second) <= 1)
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
    pairs: Option<&'a [u64; 5]>,
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
            if let Some(cell) =
                (entry.look as usize).checked_sub(SINGLE_LOOKS).filter(|cell| cell + SINGLE_LOOKS < FIXED_LOOKS)
            {
                table[cell / 3][cell % 3] += u64::from(entry.clusters);
            }
        }
        table
    }

    /// Swapped pairs by twice the points of `a` in both games: LL, LD, DD or WL, WD, WW. A pair counts unless both of
    /// its games repeat others.
    #[must_use]
    pub fn pairs(&self) -> [u64; 5] {
        if let Some(pairs) = self.pairs {
            return *pairs;
        }
        let mut pairs = [0; 5];
        for (first, row) in self.table().iter().enumerate() {
            for (second, count) in row.iter().enumerate() {
                pairs[first + second] += count;
            }
        }
        pairs
    }
}
