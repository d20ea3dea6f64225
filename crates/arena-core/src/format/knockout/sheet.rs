//! The results of a knockout.

use super::{Bracket, KnockoutMatch, MatchKind, Reason};
use crate::format::Field;
use crate::format::sheet::{self, FirstRound, FormatColumn, KnownPair, MatchTable, Sheet, TableLayout};

/// The columns of a knockout.
pub(super) const COLUMNS: &[FormatColumn] =
    &[sheet::SEED, FormatColumn { name: "reached", means: "how far the bot got", title: Some("Reached") }];

impl MatchKind {
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
pub(super) fn sheet(field: &Field, pairs: &[KnownPair]) -> Sheet {
    let bracket = Bracket::of(field, pairs);
    let placings = bracket.placings();
    let row = |found: &KnockoutMatch| sheet::ShownMatch {
        round: found.stage,
        kind: found.kind.name(),
        stage: if found.kind == MatchKind::Third { "third place".to_owned() } else { bracket.stage_name(found.stage) },
        bots: [Some(found.a), found.b],
        half_points: found.half_points,
        pairs: found.pairs,
        is_over: found.won.is_some(),
        winner: found.won.map(|(winner, _)| winner),
        how: found.won.map_or("", |(_, why)| why.name()),
        floats: [None; 2],
        first_pair: found.first_pair,
    };
    let seeds = (1..=field.bots).map(|seed| seed.to_string()).collect();
    let reached = placings.iter().map(|placing| bracket.stage_name(placing.reached)).collect();
    let first = bracket.matches().filter(|found| found.stage == 1 && found.kind != MatchKind::Third);
    Sheet {
        ranks: placings.iter().map(|placing| placing.ranks).collect(),
        columns: COLUMNS.iter().zip([seeds, reached]).collect(),
        matches: bracket.matches().map(row).collect(),
        table: Some(MatchTable { heading: "The bracket (* wins the match):", layout: TableLayout::Matches }),
        first_round: (bracket.stages() > 0)
            .then(|| FirstRound { of: "knockout", matches: first.map(|found| [Some(found.a), found.b]).collect() }),
        caveat: Some(
            "A knockout finds a winner, not an order: one match decides, and only the ratings say how sure that is.",
        ),
    }
}
