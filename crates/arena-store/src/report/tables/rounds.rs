//! The matches of formats with rounds: `rounds.csv`, and tables for people.

use std::collections::HashMap;
use std::io::Write;

use arena_core::format::{MatchTable, Sheet, ShownMatch, TableLayout};
use arena_show::views::{Ranking, RoundCell, RoundTable, Table};
use serde::Serialize;

use crate::report::cells::CsvColumn;
use crate::report::{Results, cells};

/// Maximum number of bots in a table of matches that is shown.
const SHOWN_BOTS_MAX: usize = 32;

/// A match, and its number from 1.
struct MatchRow<'a> {
    results: &'a Results<'a>,
    number: usize,
    found: &'a ShownMatch,
}

impl MatchRow<'_> {
    fn name(&self, bot: Option<usize>) -> String {
        bot.map_or_else(String::new, |bot| self.results.ranking.cell(bot))
    }

    /// Empty for the opponent of a bye.
    fn points(&self, side: usize) -> String {
        self.found.bots[side].map_or_else(String::new, |_| cells::halves(self.found.half_points[side].into()))
    }

    fn float(&self, side: usize) -> String {
        let signed = |halves: i32| {
            let sign = if halves < 0 { "-" } else { "" };
            format!("{sign}{}", cells::halves(halves.unsigned_abs().into()))
        };
        self.found.floats[side].map_or_else(String::new, signed)
    }
}

/// Writes a row for each match, in the order of the rounds. `how` says by what it was decided; it is empty while the match
/// is open and for a draw. `b` is empty for a bye. `a_float` and `b_float` are the points by which the bot was above its
/// opponent before it, in a Swiss.
///
/// # Errors
///
/// Returns an error if `out` fails.
pub fn rounds_csv(results: &Results<'_>, sheet: &Sheet, out: &mut dyn Write) -> anyhow::Result<()> {
    let columns: [CsvColumn<MatchRow<'_>>; 13] = [
        ("round", |row| row.found.round.to_string()),
        ("match", |row| row.number.to_string()),
        ("stage", |row| row.found.kind.to_owned()),
        ("a", |row| row.name(row.found.bots[0])),
        ("b", |row| row.name(row.found.bots[1])),
        ("a_points", |row| row.points(0)),
        ("b_points", |row| row.points(1)),
        ("pairs", |row| row.found.pairs.to_string()),
        ("winner", |row| row.name(row.found.winner)),
        ("how", |row| row.found.how.to_owned()),
        ("a_float", |row| row.float(0)),
        ("b_float", |row| row.float(1)),
        ("first_game", |row| {
            let first = row.found.first_pair.map(|pair| row.results.schedule.id(2 * pair as u32));
            first.map_or_else(String::new, |id| id.to_string())
        }),
    ];
    let rows = (1..).zip(&sheet.matches).map(|(number, found)| Ok(MatchRow { results, number, found }));
    cells::write_table(out, &columns, rows)
}

/// A match in `tournament.json`.
#[derive(Debug, Serialize)]
pub(crate) struct MatchJson {
    round: u32,
    stage: String,
    bots: [Option<String>; 2],
    points: [f64; 2],
    winner: Option<String>,
    how: &'static str,
}

/// The matches of a competition; none where ratings determine the ranks.
pub(crate) fn matches_json(results: &Results<'_>) -> Vec<MatchJson> {
    let sheet = results.ranking.sheet.as_ref().filter(|sheet| !sheet.ranks.is_empty());
    let name = |bot: Option<usize>| bot.map(|bot| results.name(bot).to_owned());
    let json = |found: &ShownMatch| MatchJson {
        round: found.round,
        stage: found.stage.clone(),
        bots: found.bots.map(name),
        points: found.half_points.map(|halves| f64::from(halves) / 2.0),
        winner: name(found.winner),
        how: found.how,
    };
    sheet.into_iter().flat_map(|sheet| sheet.matches.iter().map(json)).collect()
}

/// The number of the match of each pair of bots, from 1. Two bots meet in one match at most, except where each pair is a match.
pub(crate) fn match_numbers(sheet: &Sheet) -> HashMap<[usize; 2], usize> {
    let bots = |found: &ShownMatch| found.bots[0].zip(found.bots[1]).map(|(a, b)| [a.min(b), a.max(b)]);
    (1..).zip(&sheet.matches).filter_map(|(number, found)| Some((bots(found)?, number))).collect()
}

/// The matches for people, under a title. `None` where ratings rank, and for many bots.
pub(crate) fn shown_matches(ranking: &Ranking) -> Option<(&'static str, Table)> {
    let sheet = ranking.sheet.as_ref().filter(|sheet| sheet.ranks.len() <= SHOWN_BOTS_MAX)?;
    let MatchTable { heading, layout } = sheet.table?;
    let table = match layout {
        TableLayout::Matches => by_match(ranking, sheet),
        TableLayout::Rounds => by_round(ranking, sheet),
    };
    Some((heading, table))
}

/// A row for each match.
fn by_match(ranking: &Ranking, sheet: &Sheet) -> Table {
    let mut table = Table::new().names("Stage").names("Name").column("Points").names("Against").names("Decided by");
    let mut last = "";
    for found in &sheet.matches {
        let stage = if found.stage == last { "" } else { &found.stage };
        last = &found.stage;
        let name = |side: usize| {
            let mark = |bot| if found.winner == Some(bot) { "*" } else { "" };
            found.bots[side].map_or_else(String::new, |bot| ranking.name(bot) + mark(bot))
        };
        let points = found.half_points.map(|halves| cells::halves(halves.into())).join("–");
        let points = if found.bots[1].is_some() { points } else { String::new() };
        let how = if found.how.is_empty() { "open" } else { found.how };
        table.row(vec![stage.to_owned(), name(0), points, name(1), how.to_owned()]);
    }
    table
}

/// A row for each bot in the order of the standings: in each round, the place of its opponent and its points.
fn by_round(ranking: &Ranking, sheet: &Sheet) -> Table {
    let RoundTable { bots, cells } = RoundTable::of(sheet, ranking.first(usize::MAX));
    let rounds = cells.first().map_or(0, Vec::len);
    let table = Table::new().column("#").names("Name");
    let mut table = (1..=rounds).fold(table, |table, round| table.column(format!("R{round}")));
    let text = |cell: &Option<RoundCell<'_>>| {
        let Some(RoundCell { found, side, opponent, .. }) = *cell else { return String::new() };
        let opponent = opponent.map_or_else(|| "bye".to_owned(), |place| place.to_string());
        let is_open = !found.is_over && found.half_points == [0; 2];
        let points = if is_open { "…".to_owned() } else { cells::halves(found.half_points[side].into()) };
        format!("{opponent}: {points}")
    };
    for (place, (bot, cells)) in (1..).zip(bots.into_iter().zip(cells)) {
        table.row([place.to_string(), ranking.name(bot)].into_iter().chain(cells.iter().map(text)).collect());
    }
    table
}
