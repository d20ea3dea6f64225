//! The results of a Swiss.

use super::{Match, Rounds};
use crate::format::Field;
use crate::format::sheet::{self, Column, Known, Layout, MatchTable, Sheet};

/// The columns of a Swiss.
pub(super) const COLUMNS: &[Column] = &[
    sheet::SEED,
    Column { name: "byes", means: "rounds without an opponent", title: None },
    Column { name: "swiss_points", means: "points, with those of byes", title: Some("Swiss") },
    Column { name: "buchholz_cut1", means: "points of its opponents, without the fewest", title: None },
    Column { name: "buchholz", means: "points of its opponents", title: None },
];

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
    let columns = [
        cells(&|bot| (bot + 1).to_string()),
        cells(&|bot| standings[bot].byes.to_string()),
        cells(&|bot| halves(standings[bot].half_points)),
        cells(&|bot| halves(standings[bot].buchholz_cut_1)),
        cells(&|bot| halves(standings[bot].buchholz)),
    ];
    Sheet {
        ranks: standings.iter().map(|standing| [standing.rank; 2]).collect(),
        columns: COLUMNS.iter().zip(columns).collect(),
        matches: rounds.matches().map(row).collect(),
        table: Some(MatchTable {
            heading: "Points in each round, after the place of the opponent:",
            layout: Layout::Rounds,
        }),
        first_round: None,
        caveat: Some(
            "A Swiss ranks by points of a few rounds and byes (column Swiss); the ratings show which of its differences are \
             more than chance.",
        ),
    }
}
