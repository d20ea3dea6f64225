//! Standings, crosstable and what people should know, as plain text for a terminal.

use std::path::Path;

use super::{Results, cells, fault_sentences, first_seat_sentence, warnings};
use crate::stats::Tally;
use crate::text::shown;

/// Characters that a line of a crosstable may have.
const LINE_CHARS_MAX: usize = 110;
/// Bots up to which a crosstable is shown; beyond, nobody can read it.
const CROSSTABLE_BOTS_MAX: usize = 15;

/// Everything to show when a tournament ends or stops: standings, crosstable, faults, warnings, the first seat's
/// score. `dir` is the results folder, named where a file shows what the terminal cannot.
#[must_use]
pub fn summary_text(results: &Results<'_>, dir: &Path) -> String {
    let mut parts = vec![standings_text(results)];
    if results.standings().len() > 1 {
        parts.push(crosstable_text(results).unwrap_or_else(|| {
            let file = shown(&dir.join("crosstable.csv").to_string_lossy());
            format!("The crosstable of {} bots is in {file}.\n", results.standings().len())
        }));
    }
    let mut sentences = fault_sentences(results);
    sentences.extend(warnings(results));
    sentences.extend(first_seat_sentence(results));
    if !sentences.is_empty() {
        parts.push(sentences.join("\n") + "\n");
    }
    parts.join("\n")
}

/// The standings, best first, every line ended by a newline.
#[must_use]
pub fn standings_text(results: &Results<'_>) -> String {
    let header = ["Rank", "Name", "Games", "W-D-L", "Points", "Score", "First", "Second", "Faults"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for row in results.standings() {
        let total = row.total();
        rows.push(vec![
            row.rank.to_string(),
            shown(results.name(row.bot)),
            total.games().to_string(),
            wins_draws_losses(total),
            cells::halves(total.half_points()),
            cells::percent(total.score()),
            cells::percent(row.as_first.score()),
            cells::percent(row.as_second.score()),
            row.forfeits.to_string(),
        ]);
    }
    aligned(&rows)
}

/// The crosstable in the order of the standings, columns numbered as in chess: wins, draws and losses of the row
/// against the column, or points where those are too wide. `None` if there are too many bots to show.
#[must_use]
pub fn crosstable_text(results: &Results<'_>) -> Option<String> {
    if results.standings().len() > CROSSTABLE_BOTS_MAX {
        return None;
    }
    let wide = ("Wins-draws-losses of the row against the column:", crosstable(results, wins_draws_losses));
    let narrow =
        ("Points of the row against the column:", crosstable(results, |tally| cells::halves(tally.half_points())));
    let (title, table) = [wide, narrow]
        .into_iter()
        .find(|(_, table)| table.lines().all(|line| line.chars().count() <= LINE_CHARS_MAX))?;
    Some(format!("{title}\n{table}"))
}

fn crosstable(results: &Results<'_>, cell: fn(Tally) -> String) -> String {
    let bots: Vec<usize> = results.standings().iter().map(|row| row.bot).collect();
    let met = results.met();
    let mut rows = vec![vec!["#".to_owned(), "Name".to_owned()]];
    // Places, not ranks: a shared rank would name two columns alike.
    rows[0].extend((1..=bots.len()).map(|place| place.to_string()));
    for (place, &bot) in bots.iter().enumerate() {
        let mut row = vec![(place + 1).to_string(), shown(results.name(bot))];
        row.extend(bots.iter().map(|&other| match met.get(&[bot, other]) {
            Some(tally) => cell(*tally),
            None if other == bot => "*".to_owned(),
            None => "-".to_owned(),
        }));
        rows.push(row);
    }
    aligned(&rows)
}

fn wins_draws_losses(tally: Tally) -> String {
    format!("{}-{}-{}", tally.wins, tally.draws, tally.losses)
}

/// Columns two spaces apart and right-aligned, but for the second, which holds names. All rows are equally long.
fn aligned(rows: &[Vec<String>]) -> String {
    const NAMES: usize = 1;
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column == NAMES { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}
