//! The results of a knockout.

use super::{Bracket, Kind, Match, Reason};
use crate::format::Field;
use crate::format::sheet::{self, Known, Sheet};

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Final => "final",
            Self::Third => "third",
        }
    }
}

impl Reason {
    const fn name(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Tiebreak => "tiebreak",
            Self::Seed => "seed",
            Self::Bye => "bye",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// Ranks by how far each bot got, and all matches.
pub(super) fn sheet(field: &Field, pairs: &[Known]) -> Sheet {
    let bracket = Bracket::of(field, pairs);
    let placings = bracket.placings();
    let row = |found: &Match| sheet::Match {
        round: found.stage,
        kind: found.kind.name(),
        stage: if found.kind == Kind::Third { "third place".to_owned() } else { bracket.stage_name(found.stage) },
        bots: [Some(found.a), found.b],
        half_points: found.half_points,
        pairs: found.pairs,
        winner: found.won.map(|(winner, _)| winner),
        how: found.won.map_or("", |(_, why)| why.name()),
        floats: [None; 2],
        first_pair: found.first_pair,
    };
    Sheet {
        ranks: placings.iter().map(|placing| placing.ranks).collect(),
        columns: vec![
            ("seed", (1..=field.bots).map(|seed| seed.to_string()).collect()),
            ("reached", placings.iter().map(|placing| bracket.stage_name(placing.reached)).collect()),
        ],
        shown_column: Some(("reached", "Reached")),
        matches: bracket.matches().map(row).collect(),
        caveat: Some(
            "A knockout finds a winner, not an order: one match decides, and only the ratings say how sure that is.",
        ),
    }
}
