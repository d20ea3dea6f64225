//! `standings.csv`, `crosstable.csv` and `head_to_head.csv`: who won how much against whom. No column depends on
//! timing, so that deterministic bots give the same bytes on any machine.

use std::io::Write;

use super::{Results, cells};

const STANDINGS: [&str; 13] = [
    "rank",
    "name",
    "games",
    "points",
    "wins",
    "draws",
    "losses",
    "score",
    "direct",
    "sb",
    "first_score",
    "second_score",
    "forfeits",
];

const HEAD_TO_HEAD: [&str; 18] = [
    "a",
    "b",
    "games",
    "wins",
    "draws",
    "losses",
    "score",
    "LL",
    "LD",
    "DD_WL",
    "WD",
    "WW",
    "a_first_w",
    "a_first_d",
    "a_first_l",
    "a_second_w",
    "a_second_d",
    "a_second_l",
];

/// Writes the standings, best first. `score` is points per game (0 to 1, empty without games); `direct` and `sb` are
/// the tie-breaks of [`crate::stats::standings`]; `forfeits` are games lost by a fault.
///
/// # Errors
///
/// Returns an error if `out` does.
pub fn standings_csv(results: &Results<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut table = cells::csv_table(out, STANDINGS)?;
    for row in results.standings() {
        let total = row.total();
        table.write_record([
            &row.rank.to_string(),
            results.name(row.bot),
            &total.games().to_string(),
            &cells::halves(total.half_points()),
            &total.wins.to_string(),
            &total.draws.to_string(),
            &total.losses.to_string(),
            &cells::score(total.score()),
            &row.direct_halves.map(cells::halves).unwrap_or_default(),
            &cells::quarters(row.sb_quarters),
            &cells::score(row.as_first.score()),
            &cells::score(row.as_second.score()),
            &row.forfeits.to_string(),
        ])?;
    }
    Ok(table.flush()?)
}

/// Writes the crosstable in the order of the standings: a cell holds the points of the row's bot against the
/// column's and their games, `12.5/20`; it is empty if they did not play.
///
/// # Errors
///
/// Returns an error if `out` does.
pub fn crosstable_csv(results: &Results<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let bots: Vec<usize> = results.standings().iter().map(|row| row.bot).collect();
    let met = results.met();
    let header = std::iter::once("name").chain(bots.iter().map(|&bot| results.name(bot)));
    let mut table = cells::csv_table(out, header)?;
    for &row in &bots {
        let cells = bots.iter().map(|&column| match met.get(&[row, column]) {
            Some(tally) => format!("{}/{}", cells::halves(tally.half_points()), tally.games()),
            None => String::new(),
        });
        table.write_record(std::iter::once(results.name(row).to_owned()).chain(cells))?;
    }
    Ok(table.flush()?)
}

/// Writes one row for each pairing that was played, as seen from the bot listed higher. `LL` to `WW` count complete
/// pairs, the two games of one opening, by what they gave that bot.
///
/// # Errors
///
/// Returns an error if `out` does.
pub fn head_to_head_csv(results: &Results<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut table = cells::csv_table(out, HEAD_TO_HEAD)?;
    for row in results.head_to_head() {
        let total = row.total();
        let mut record = vec![results.name(row.a).to_owned(), results.name(row.b).to_owned()];
        record.extend([total.games(), total.wins, total.draws, total.losses].map(|count| count.to_string()));
        record.push(cells::score(total.score()));
        record.extend(row.pairs.map(|count| count.to_string()));
        for tally in [row.a_first, row.a_second] {
            record.extend([tally.wins, tally.draws, tally.losses].map(|count| count.to_string()));
        }
        table.write_record(record)?;
    }
    Ok(table.flush()?)
}
