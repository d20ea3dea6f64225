//! Who beats whom: scores and chances of every two bots.

use arena_show::views::svg::competition;
use arena_show::views::{Cell, Matrix, Ranking, shade, whole_percent};
use maud::{Markup, html};

use super::BOTS_DETAILED_MAX;
use super::parts::{bare, file, left_out, scrolling, table};
use crate::report::cells;
use crate::report::tables::rounds::shown_matches;

/// Bots in the table of probabilities.
const CHANCES_MAX: usize = 30;
/// Bots in a table with numbers and decimals. Cells of a larger one are small, and have their numbers when pointed at.
const NUMBERS_MAX: usize = 15;

pub(super) fn content(ranking: &Ranking) -> Markup {
    let bots = ranking.analysis.standings.len();
    if bots < 2 {
        return html! { p class="empty" { "There are no two bots to compare." } };
    }
    html! {
        (left_out(BOTS_DETAILED_MAX, bots, "bots", "crosstable.csv"))
        p class="note" {
            "Columns are in the order of the rows. Scores are of the games of the two bots; the likelihood that one is \
             stronger is by the ratings, which all games are in."
        }
        p class="legend" aria-hidden="true" {
            "0 % " @for shade in 0..=10 { span class={ "s" (shade) } {} } " 100 %"
        }
        @if let Some(plot) = competition(ranking, true) {
            h3 { (plot.title) }
            p class="note" { (plot.description) }
            (scrolling(&format!("Drawing: {}", plot.title), &plot.with_links()))
        } @else if let Some((title, matches)) = shown_matches(ranking) {
            @let lines = matches.rows().iter().map(|cells| line(cells));
            (scrolling(title, &table("", title, matches.heads().map(|(head, _)| (head, "")), lines)))
        }
        div class="matrices" {
            div {
                h3 { "Score" }
                (scrolling("Scores", &square(ranking, "Score of the row against the column, %", &ranking.scores(BOTS_DETAILED_MAX), true)))
            }
            div {
                h3 { "Likelihood of superiority" @if bots > CHANCES_MAX { " of the first " (CHANCES_MAX) } }
                (scrolling("Likelihood of superiority", &square(ranking, "Row is stronger than column, %", &ranking.chances(CHANCES_MAX), false)))
            }
        }
        p class="note" { "Data: " (file("crosstable.csv")) ", " (file("head_to_head.csv"))
            @if ranking.analysis.covariance { ", " (file("los.csv")) }
        }
    }
}

/// A row of the matches of a format that is not drawn.
fn line(cells: &[String]) -> Markup {
    html! { tr { @for cell in cells { td { (cell) } } } }
}

/// A row and a column for each bot; in a gauntlet a row for each challenger, since the others do not meet. Those of bots whose
/// games are listed have their numbers.
fn square(ranking: &Ranking, caption: &str, matrix: &Matrix, has_games: bool) -> Markup {
    let bots = &matrix.bots;
    let is_challenger = |bot: &usize| ranking.challengers.contains(bot);
    let has_all_rows = !bots.iter().any(is_challenger);
    html! {
        table class=(if bots.len() > NUMBERS_MAX { "matrix small" } else { "matrix" }) {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" { "#" }
                    th scope="col" { "Row ↓ against column →" }
                    @for (place, bot) in (1..).zip(bots) {
                        th scope="col" title=(ranking.name(*bot)) data-b=[has_games.then_some(bot)] { (place) }
                    }
                }
            }
            tbody {
                @let rows = (1..).zip(bots.iter().zip(&matrix.cells));
                @for (place, (bot, cells)) in rows.filter(|(_, (bot, _))| has_all_rows || is_challenger(bot)) {
                    tr data-a=[has_games.then_some(bot)] {
                        td { (place) }
                        th scope="row" { (ranking.name(*bot)) }
                        @for cell in cells {
                            @match cell {
                                Cell::Same => td class="self" {},
                                Cell::Unplayed | Cell::Apart => td class="none" {},
                                Cell::Share(share) => td class={ "s" (shade(*share)) } { (percent(*share, bots.len())) },
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A share in %: with a decimal in a small table, and without in a large one.
fn percent(share: f64, bots: usize) -> String {
    if bots <= NUMBERS_MAX { bare(&cells::percent(Some(share))).to_owned() } else { whole_percent(share) }
}
