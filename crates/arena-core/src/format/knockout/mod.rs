//! Knockout: the winner of a match goes on, the loser is out.

mod bracket;
mod sheet;
#[cfg(test)]
mod tests;

pub use bracket::Bracket;

use super::flags::{self, DROP, Flag, PAIRS, SEEDING};
use super::{Due, Format, FormatKind, Over, Pair, Settled, Stepwise};
use crate::text::counted;

/// Enough for 65,536 bots.
const STAGES_MAX: u32 = 16;

/// A decision is a stage of the bracket, or a further pair for each of its level matches.
pub(super) const KNOCKOUT: Format = Format {
    flags: &[&PAIRS, &SEEDING, &THIRD_PLACE, &DROP],
    // The loser of a match has no other chance.
    rounds: (&PAIRS, 3),
    rates: false,
    bottleneck: Some(|field| ("the final", 2 * field.rounds as usize)),
    columns: sheet::COLUMNS,
    sheet: Some(sheet::sheet),
    ..Format::new(
        "knockout",
        FormatKind::Stepwise {
            start: |field| Box::new(Knockout { bracket: Bracket::new(field), added: 0 }),
            openings: |pairs, _| STAGES_MAX.saturating_mul(pairs.saturating_add(bracket::TIEBREAKS_MAX)),
            known: None,
        },
        |field| format!("{} a match", counted(field.rounds as usize, "pair")),
    )
};

static THIRD_PLACE: Flag = Flag {
    option: Some("third_place"),
    is_fixed: true,
    ..Flag::new("third-place", flags::FlagKind::Switch, 10, "Play for third place in a knockout")
};

/// The name of a stage with so many stages after it: `final`, `semifinal`, `quarterfinal`, or `round of 16`.
#[must_use]
pub fn stage_name(later: u32) -> String {
    match later {
        0 => "final".to_owned(),
        1 => "semifinal".to_owned(),
        2 => "quarterfinal".to_owned(),
        _ => format!("round of {}", 2_u64.pow(later + 1)),
    }
}

/// A match of a knockout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnockoutMatch {
    /// Stage, from 1.
    pub stage: u32,
    /// Place in its stage, from 0 at the top: the winners of places 0 and 1 meet in place 0 of the next stage. The match for
    /// third place comes after the final.
    pub place: usize,
    /// What it decides.
    pub kind: MatchKind,
    /// The upper bot, or the one with the bye.
    pub a: usize,
    /// The lower bot; `None` for a bye.
    pub b: Option<usize>,
    /// Twice the points of both bots in settled pairs.
    pub half_points: [u32; 2],
    /// Pairs added.
    pub pairs: u32,
    /// Pairs settled.
    pub settled: u32,
    /// Number of its first pair in the schedule, if it has any.
    pub first_pair: Option<usize>,
    /// The bot that won, and by what; `None` while the match is open.
    pub won: Option<(usize, Reason)>,
}

/// What a match decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatchKind {
    /// Who goes on to the next stage.
    Main,
    /// First and second place.
    Final,
    /// Third and fourth place.
    Third,
}

/// Why a bot won a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// More points.
    Points,
    /// More points after further pairs.
    Tiebreak,
    /// Equal points after all further pairs: the better seed won.
    Seed,
    /// It had no opponent.
    Bye,
    /// The opponent was withdrawn; if both were, the better seed won.
    Withdrawn,
}

/// How far a bot got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placing {
    /// The last stage it is known to be in; see [`Bracket::stage_name`]. The match for third place does not count.
    pub reached: u32,
    /// The best and the worst rank it can still have, from 1.
    pub ranks: [usize; 2],
}

impl KnockoutMatch {
    /// The bot that lost; `None` while the match is open, and for a bye.
    #[must_use]
    pub fn loser(&self) -> Option<usize> {
        let (winner, _) = self.won?;
        self.b.map(|b| if winner == b { self.a } else { b })
    }

    fn new([stage, place]: [usize; 2], kind: MatchKind, a: usize, b: Option<usize>) -> Self {
        let (half_points, first_pair) = ([0; 2], None);
        Self { stage: stage as u32, place, kind, a, b, half_points, pairs: 0, settled: 0, first_pair, won: None }
    }
}

#[derive(Debug)]
struct Knockout {
    bracket: Bracket,
    added: usize,
}

impl Stepwise for Knockout {
    fn add(&mut self, pairs: &[Pair]) {
        self.added += pairs.len();
        for pair in pairs {
            self.bracket.add(pair);
        }
    }

    fn settle(&mut self, settled: &Settled) {
        self.bracket.settle(settled);
    }

    fn withdraw(&mut self, bot: usize) {
        self.bracket.withdraw(bot);
    }

    fn waits_for(&self) -> usize {
        self.added
    }

    fn due(&self) -> Due {
        if self.bracket.stages() == 0 {
            return Due::Over(Over::NoBots);
        }
        let pairs = self.bracket.due();
        if pairs.is_empty() { Due::Over(Over::Complete) } else { Due::Pairs(pairs) }
    }

    fn to_come(&self) -> Option<usize> {
        Some(self.bracket.to_come())
    }
}
