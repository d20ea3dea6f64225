//! The results of a Swiss.

use super::{SwissMatch, SwissRounds};
use crate::format::Field;
use crate::format::sheet::{self, FormatColumn, KnownPair, MatchTable, Sheet, TableLayout};

/// The columns of a Swiss.
pub(super) const COLUMNS: &[FormatColumn] = &[
    sheet::SEED,
    FormatColumn { name: "byes", means: "rounds without an opponent", title: None },
    FormatColumn { name: "swiss_points", means: "points, with those of byes", title: Some("Swiss") },
    FormatColumn { name: "buchholz_cut1", means: "points of its opponents, without the fewest", title: None },
    FormatColumn { name: "buchholz", means: "points of its opponents", title: None },
];

/// Ranks by points and tie-breaks, and all matches.
pub(super) fn sheet(field: &Field, pairs: &[KnownPair]) -> Sheet {
    let rounds = SwissRounds::of(field, pairs);
    let standings = rounds.standings();
    let halves = |number: u32| format!("{}.{}", number / 2, number % 2 * 5);
    let cells = |cell: &dyn Fn(usize) -> String| (0..field.bots).map(cell).collect::<Vec<String>>();
    let row = |found: &SwissMatch| sheet::ShownMatch {
        round: found.round,
        kind: "swiss",
        stage: format!("round {}", found.round),
        bots: [Some(found.a), found.b],
        half_points: found.half_points,
        pairs: found.pairs,
        is_over: found.settled == found.pairs,
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
            layout: TableLayout::Rounds,
        }),
        first_round: None,
        caveat: Some(
            "A Swiss ranks by points of a few rounds and byes (column Swiss); the ratings show which of its differences are \
             more than chance.",
        ),
    }
}
