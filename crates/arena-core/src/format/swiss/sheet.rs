//! The results of a Swiss.

use super::{Match, Rounds};
use crate::format::Field;
use crate::format::sheet::{self, Known, Sheet};

/// Ranks by points and tie-breaks, and all matches.
pub(super) fn sheet(field: &Field, pairs: &[Known]) -> Sheet {
    let rounds = Rounds::of(field, pairs);
    let standings = rounds.standings();
    let halves = |number: u32| format!("{}.{}", number / 2, number % 2 * 5);
    let cells = |cell: &dyn Fn(usize) -> String| (0..field.bots).map(cell).collect::<Vec<String>>();
    let row = |found: &Match| sheet::Match {
        round: found.round,
        kind: "swiss",
        stage: format!("round {}", found.round),
        bots: [Some(found.a), found.b],
        half_points: found.half_points,
        pairs: found.pairs,
        winner: found.winner(),
        how: match (found.b, found.winner()) {
            (None, _) => "bye",
            _ if found.is_forfeit && found.settled == found.pairs => "withdrawn",
            (_, Some(_)) => "points",
            _ => "",
        },
        floats: found.floats().map(|float| found.b.map(|_| float)),
        first_pair: found.first_pair,
    };
    Sheet {
        ranks: standings.iter().map(|standing| [standing.rank; 2]).collect(),
        columns: vec![
            ("seed", cells(&|bot| (bot + 1).to_string())),
            ("byes", cells(&|bot| standings[bot].byes.to_string())),
            ("swiss_points", cells(&|bot| halves(standings[bot].half_points))),
            ("buchholz_cut1", cells(&|bot| halves(standings[bot].buchholz_cut_1))),
            ("buchholz", cells(&|bot| halves(standings[bot].buchholz))),
        ],
        shown_column: Some(("swiss_points", "Swiss")),
        matches: rounds.matches().map(row).collect(),
        caveat: Some(
            "A Swiss ranks by points of a few rounds and byes (column Swiss); the ratings show which of its differences are \
             more than chance.",
        ),
    }
}
