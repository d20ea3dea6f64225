//! Tournament formats: which pairs are played. Pure functions of the field and of settled results, so resuming and playing
//! on several machines need no code per format.
//!
//! A fixed format gives all of its pairs at once; a stepwise one is called again as results come in. Both keep the
//! following laws, which property tests check for every format in [`FORMATS`]:
//!
//! - *Monotone*: more results only add pairs at the end. The place of a pair never changes.
//! - *Blind*: the pairs due depend on the field and on [`Settled`] pairs; never on names, times or the order of finishing.
//! - *Progress*: once everything due is settled, more is due or the tournament is over; the number of pairs is bounded.
//! - *Sound*: no bot plays itself.

#[cfg(test)]
pub(crate) mod laws;
mod round_robin;

pub use round_robin::BY_ROSTER;

/// Every format, in the order listed.
pub static FORMATS: &[Format] = &[
    round_robin::ROUND_ROBIN,
    #[cfg(test)]
    laws::KING_OF_THE_HILL,
];

/// A tournament format.
#[derive(Debug)]
pub struct Format {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Computes the pairs that are due.
    pub plan: Plan,
}

impl Format {
    /// The format called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.name == name)
    }
}

/// How a format computes its pairs.
#[derive(Debug, Clone, Copy)]
pub enum Plan {
    /// All pairs follow from the field alone: every round has the same pairings, in the same order.
    Fixed {
        /// Number of pairings in a round.
        pairings: fn(&Field) -> usize,
        /// The bots of the pairing with this number, below [`Plan::Fixed::pairings`].
        pairing: fn(&Field, usize) -> [usize; 2],
    },
    /// The next pairs follow from earlier results. The function gets all settled pairs up to the first gap, and returns all
    /// pairs due so far.
    Stepwise(fn(&Field, &[Settled]) -> Due),
}

/// The inputs of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Number of bots; formats use indices below it.
    pub bots: usize,
    /// Requested rounds.
    pub rounds: u32,
    /// Seed for random formats.
    pub seed: u64,
}

/// A pair of games: two bots, one opening, once from each seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pair {
    /// Round, from 1, for people.
    pub round: u32,
    /// Running number of the opening, from 0; openings are used again from the first one when they run out.
    pub opening: u32,
    /// Indices of the bots; the first one moves first in the first game.
    pub bots: [usize; 2],
}

/// A pair of which both games are settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settled {
    /// The pair.
    pub pair: Pair,
    /// Twice the points of each bot, 0 to 4, in the order of the pair.
    pub half_points: [u8; 2],
    /// Whether each bot was withdrawn in it.
    pub withdrawn: [bool; 2],
}

/// The result of a stepwise format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// All pairs that are due, from the first of the tournament on.
    pub pairs: Vec<Pair>,
    /// The format is called again when this many pairs are settled without a gap; `None` if the tournament is over after
    /// [`Due::pairs`].
    pub again_after: Option<usize>,
}
