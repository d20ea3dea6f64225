//! Against best play: what the moves of each bot cost, if the games are analysed.

use arena_core::analysis::{AnalysisRow, PHASES};
use arena_core::text::{counted, shown};
use arena_show::views::svg::at;
use maud::{Markup, html};

use super::ROWS_MAX;
use super::parts::{self, file, left_out, scrolling};
use crate::report::AnalysisReport;
use crate::report::analysis::{REGRETS_SHOWN, SAID_OF_REGRETS, SAID_OF_TABLE, SHOWN, ShownColumn};

/// Height of the bars in their own units.
const HEIGHT: f64 = 20.0;
/// Distance of the bars, and their width.
const STEP: f64 = 60.0;
const WIDTH: f64 = 52.0;

/// The title of the chapter.
pub(super) fn title(report: &AnalysisReport) -> &'static str {
    if report.regrets.is_empty() { "Against best play" } else { "Against a reference strategy" }
}

pub(super) fn content(report: &AnalysisReport, for_others: bool) -> Markup {
    let AnalysisReport { games, analysed, rows, regrets, .. } = report;
    let is_guessed = !regrets.is_empty();
    html! {
        p class="note" {
            (if is_guessed { SAID_OF_REGRETS } else { SAID_OF_TABLE }) " "
            @if analysed == games { "All " (counted(*games, "game")) " are analysed." }
            @else { (analysed) " of " (games) " games are analysed." }
        }
        (scrolling(title(report), &if is_guessed { regret_table(report) } else { result_table(report) }))
        (left_out(ROWS_MAX, rows.len().max(regrets.len()), "bots", "analysis.jsonl"))
        @if !for_others {
            p class="note" { "Data: " (file("analysis.jsonl")) "; " code { "arena analyze" } " makes a table of it." }
        }
    }
}

fn regret_table(report: &AnalysisReport) -> Markup {
    table("Guesses lost by each bot, the fewest a guess first", &REGRETS_SHOWN, &report.regrets, None)
}

fn result_table(report: &AnalysisReport) -> Markup {
    let most =
        report.rows.iter().flat_map(|(_, row)| row.phases).map(|phase| phase.gave_away).max().unwrap_or_default();
    let head = format!("Gave away with the board full (or the heap taken) to {}", PHASES.join(", "));
    let caption = "Results given away by each bot, the fewest a game first";
    table(caption, &SHOWN, &report.rows, Some((&head, &|row| bars(row, most))))
}

/// A head, and the bars of a row.
type BarColumn<'a, Row> = (&'a str, &'a dyn Fn(&Row) -> Markup);

/// A row for each bot, and a column of bars if there is one.
fn table<Row>(
    caption: &str,
    columns: &[ShownColumn<Row>],
    rows: &[(String, Row)],
    bars: Option<BarColumn<'_, Row>>,
) -> Markup {
    let numbers = columns.iter().map(|(head, ..)| (*head, "number"));
    let titles = [("Bot", "text")].into_iter().chain(numbers).chain(bars.map(|(head, _)| (head, "bars")));
    let line = |(name, row): &(String, Row)| {
        html! {
            tr {
                th scope="row" { (shown(name)) }
                @for (_, _, cell) in columns { td { (cell(row)) } }
                @if let Some((_, bars)) = bars { td class="bars" { (bars(row)) } }
            }
        }
    };
    parts::table("sortable", caption, titles, rows.iter().take(ROWS_MAX).map(line))
}

/// A bar for each phase; the longest one of the table has the whole height.
fn bars(row: &AnalysisRow, most: u64) -> Markup {
    let said = PHASES.iter().zip(row.phases);
    let said: Vec<String> =
        said.map(|(phase, count)| format!("{phase}: {} of {} that could", count.gave_away, count.could)).collect();
    html! {
        svg class="bar" viewBox="0 0 240 20" role="img" {
            title { (said.join(", ")) }
            @for (place, count) in row.phases.iter().enumerate() {
                @let height = HEIGHT * count.gave_away as f64 / most.max(1) as f64;
                rect x=(at(STEP * place as f64)) y=(at(HEIGHT - height)) width=(at(WIDTH)) height=(at(height)) {}
            }
        }
    }
}
