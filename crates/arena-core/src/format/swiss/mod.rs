//! Swiss: bots of equal points meet, and no two bots meet twice.

mod pairing;
mod rounds;
mod sheet;
mod standings;
#[cfg(test)]
mod tests;

pub use rounds::SwissRounds;

use super::flags::{DROP, Flag, FlagKind, PAIRS, SEEDING};
use super::{Due, Field, Format, FormatKind, FormatOptions, Over, Pair, ROUNDS_MAX, Rejection, Settled, Stepwise};
use crate::text::counted;

/// Above the default number of rounds of 512 bots.
const ROUNDS_USUAL: u32 = 12;

/// Maximum number of bots. Exact pairing takes cubic time and quadratic memory.
pub const BOTS_MAX: usize = 512;

/// A decision is a round.
pub(super) const SWISS: Format = Format {
    title: "Swiss",
    flags: &[&PAIRS, &SEEDING, &SWISS_ROUNDS, &DROP],
    rounds: (&PAIRS, 1),
    length: Some(&SWISS_ROUNDS),
    bottleneck: Some(|field| ("a round", 2 * field.rounds as usize * (field.bots / 2))),
    seats,
    columns: sheet::COLUMNS,
    sheet: Some(sheet::sheet),
    ..Format::new(
        "swiss",
        FormatKind::Stepwise {
            start: |field| Box::new(Swiss { planned: planned(field), rounds: SwissRounds::new(field), added: 0 }),
            openings: |pairs, options| pairs.saturating_mul(asked(options).unwrap_or(ROUNDS_USUAL)),
            known: None,
        },
        |field| format!("{} of {}", counted(planned(field) as usize, "round"), counted(field.rounds as usize, "pair")),
    )
};

static SWISS_ROUNDS: Flag = Flag {
    option: Some("swiss_rounds"),
    ..Flag::new(
        "swiss-rounds",
        FlagKind::Number(1, ROUNDS_MAX as u64),
        9,
        "Rounds of a Swiss [default: depends on the number of bots]",
    )
};

fn asked(options: &FormatOptions) -> Option<u32> {
    options.number(&SWISS_ROUNDS).map(|rounds| rounds as u32)
}

fn seats(options: &FormatOptions, bots: &[&str]) -> Result<(), Rejection> {
    let (rounds, bots) = (asked(options).unwrap_or(0), bots.len());
    if bots > BOTS_MAX {
        return Err(Rejection(format!(
            "a swiss has at most {BOTS_MAX} bots, there are {bots}; the format `ladder` is for larger fields"
        )));
    }
    if rounds as usize >= bots {
        return Err(Rejection(format!(
            "{SWISS_ROUNDS} {rounds}: in fewer rounds each of {bots} bots has met all others; use the format `round-robin`"
        )));
    }
    Ok(())
}

/// A match of a round. Bots are indices in order of seed, the best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwissMatch {
    /// Round, from 1.
    pub round: u32,
    /// The bot with more points before the round, the better seed of equal ones; or the one with the bye.
    pub a: usize,
    /// Its opponent; `None` for a bye.
    pub b: Option<usize>,
    /// Twice the points of both bots before the round.
    pub before: [u32; 2],
    /// Twice the points of both bots in settled pairs. A bye gives three quarters of a match's points.
    pub half_points: [u32; 2],
    /// Games each bot won.
    pub wins: [u32; 2],
    /// Pairs added.
    pub pairs: u32,
    /// Pairs settled.
    pub settled: u32,
    /// Number of its first pair in the schedule; `None` for a bye.
    pub first_pair: Option<usize>,
    /// Whether a bot was withdrawn in it, and lost a game unplayed.
    pub is_forfeit: bool,
}

/// A bot's place in a Swiss. Ties in points are broken by the fields in their order, from `buchholz_cut_1` to `wins`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwissStanding {
    /// Rank, from 1. Bots equal in everything share one.
    pub rank: usize,
    /// Twice its points, with those of byes.
    pub half_points: u32,
    /// Rounds without an opponent.
    pub byes: u32,
    /// Twice the Buchholz score without the opponent of fewest points.
    pub buchholz_cut_1: u32,
    /// Twice the Buchholz score: the points of its opponents. A bye counts as an opponent of its own points.
    pub buchholz: u32,
    /// Twice its points against the bots it is tied with so far, if all of them met each other; else 0.
    pub direct_encounter: u32,
    /// Four times the Sonneborn–Berger score: for each match the product of its points and the opponent's total.
    pub sonneborn_berger: u64,
    /// Games it won.
    pub wins: u32,
}

impl SwissMatch {
    /// Twice the floats of both bots: their points minus those of the opponent, before the round. 0 for a bye.
    #[must_use]
    pub fn floats(&self) -> [i32; 2] {
        let float = if self.b.is_some() { self.before[0] as i32 - self.before[1] as i32 } else { 0 };
        [float, -float]
    }

    /// The bot with more points in this match, when it is settled.
    #[must_use]
    pub fn winner(&self) -> Option<usize> {
        let [a, b] = self.half_points;
        if self.settled < self.pairs || a == b {
            return None;
        }
        if a > b { Some(self.a) } else { self.b }
    }
}

/// Number of rounds: as requested, or ⌈log₂ n⌉ + 2, and at most half as many as bots: up to there the bots that have not met
/// can always be paired (Dirac 1952: each of them can meet at least half of the others).
#[must_use]
pub fn planned(field: &Field) -> u32 {
    let usual = field.bots.max(1).next_power_of_two().ilog2() + 2;
    asked(&field.options).unwrap_or_else(|| usual.min(field.bots.div_ceil(2) as u32))
}

#[derive(Debug)]
struct Swiss {
    planned: u32,
    rounds: SwissRounds,
    added: usize,
}

impl Stepwise for Swiss {
    fn add(&mut self, pairs: &[Pair]) {
        self.added += pairs.len();
        self.rounds.add(pairs);
    }

    fn settle(&mut self, settled: &Settled) {
        self.rounds.settle(settled);
    }

    fn withdraw(&mut self, bot: usize) {
        self.rounds.withdraw(bot);
    }

    fn waits_for(&self) -> usize {
        self.added
    }

    fn due(&self) -> Due {
        if self.rounds.players().len() < 2 {
            return Due::Over(Over::NoBots);
        }
        if self.rounds.count() >= self.planned {
            return Due::Over(Over::Complete);
        }
        self.rounds.next().map_or(Due::Over(Over::NoPairing), Due::Pairs)
    }

    fn to_come(&self) -> Option<usize> {
        let rounds = self.planned.saturating_sub(self.rounds.count());
        Some(rounds as usize * self.rounds.pairs_of_next())
    }
}
