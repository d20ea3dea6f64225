//! Tournament formats: which pairs of games are due. Pure functions of the field, so that going on after a stop needs no code
//! of its own.

mod round_robin;

/// Every format, in the order shown to people.
pub static FORMATS: &[Format] = &[round_robin::ROUND_ROBIN];

/// A tournament format.
pub struct Format {
    /// Name on the command line and in files.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// All pairs of games up to now, for this many bots and rounds, in order of play.
    pub due: fn(bots: usize, rounds: u32) -> Vec<Pair>,
}

/// A pair of games: two bots, one opening, once from each seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pair {
    /// Round, from 1; it selects the opening.
    pub round: u32,
    /// Indices of the bots; the first one moves first in the first game.
    pub bots: [usize; 2],
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Format({})", self.name)
    }
}
