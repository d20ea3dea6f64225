//! Who beats whom: scores and chances of every two bots.

use maud::{Markup, html};

use super::BOTS_DETAILED_MAX;
use super::parts::{bare, file, scrolling};
use crate::report::columns::Table;
use crate::report::rounds::shown_matches;
use crate::report::{Ranking, cells};
use crate::stats::Tally;

/// Bots in the table of probabilities.
const CHANCES_MAX: usize = 30;
/// Bots in a table with decimals.
const DECIMALS_MAX: usize = 20;
/// Classes of colours from 0 to 100 %.
const SHADES: [&str; 11] = ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10"];

/// The matches of a format with rounds.
fn matches(table: &Table) -> Markup {
    html! {
        table {
            thead { tr { @for (head, _) in table.heads() { th scope="col" { (head) } } } }
            tbody { @for row in table.rows() { tr { @for cell in row { td { (cell) } } } } }
        }
    }
}

pub(super) fn content(ranking: &Ranking) -> Markup {
    let bots = ranking.analysis.standings.len();
    if bots < 2 {
        return html! { p class="empty" { "There are no two bots to compare." } };
    }
    html! {
        @if bots > BOTS_DETAILED_MAX {
            p class="note" { "The first " (BOTS_DETAILED_MAX) " of " (bots) " bots. All are in " (file("crosstable.csv")) "." }
        }
        p class="note" {
            "Columns are in the order of the rows. Scores are of the games of the two bots; the likelihood that one is \
             stronger is by the ratings, which all games are in."
        }
        p class="legend" aria-hidden="true" {
            "0 % " @for shade in SHADES { span class=(shade) {} } " 100 %"
        }
        @if let Some((title, table)) = shown_matches(ranking) {
            h3 { (title) }
            (scrolling(title, &matches(&table)))
        }
        div class="matrices" {
            div {
                h3 { "Score" }
                (scrolling("Scores", &scores(ranking)))
            }
            div {
                h3 { "Likelihood of superiority" @if bots > CHANCES_MAX { " of the first " (CHANCES_MAX) } }
                (scrolling("Likelihood of superiority", &chances(ranking)))
            }
        }
        p class="note" { "Data: " (file("crosstable.csv")) ", " (file("head_to_head.csv"))
            @if ranking.analysis.covariance { ", " (file("los.csv")) }
        }
    }
}

/// Scores of the row against the column.
fn scores(ranking: &Ranking) -> Markup {
    let order = ranking.first(BOTS_DETAILED_MAX);
    let meetings = ranking.meetings(order.len());
    html! {
        table class="matrix" {
            caption { "Score of the row against the column, %" }
            (head(ranking, &order))
            tbody {
                @for (place, (bot, met)) in meetings.enumerate() {
                    tr {
                        (row_head(ranking, place, bot))
                        @for (other, met) in order.iter().zip(met) {
                            @match met.and_then(Tally::score) {
                                _ if *other == bot => td class="self" {},
                                None => td class="none" {},
                                Some(score) => {
                                    td class=(shade(score)) data-a=(bot) data-b=(other) { (percent(score, order.len())) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Probabilities that the row is stronger than the column.
fn chances(ranking: &Ranking) -> Markup {
    let order = ranking.first(CHANCES_MAX);
    html! {
        table class="matrix" {
            caption { "Row is stronger than column, %" }
            (head(ranking, &order))
            tbody {
                @for (place, bot) in order.iter().enumerate() {
                    tr {
                        (row_head(ranking, place, *bot))
                        @for other in &order {
                            @match ranking.analysis.ratings.los(*bot, *other) {
                                _ if other == bot => td class="self" {},
                                None => td class="none" {},
                                Some(los) => td class=(shade(los)) { (percent(los, order.len())) },
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A share in %: with a decimal in a small table, and without in a large one, where only all is 100 and only nothing 0.
fn percent(share: f64, bots: usize) -> String {
    if bots <= DECIMALS_MAX {
        return bare(&cells::percent(Some(share))).to_owned();
    }
    let whole = (share * 100.0).round();
    let whole = if share > 0.0 && share < 1.0 { whole.clamp(1.0, 99.0) } else { whole };
    format!("{whole:.0}")
}

fn head(ranking: &Ranking, order: &[usize]) -> Markup {
    html! {
        thead {
            tr {
                th scope="col" { "#" }
                th scope="col" { "Bot" }
                @for (place, bot) in (1..).zip(order) { th scope="col" title=(ranking.name(*bot)) { (place) } }
            }
        }
    }
}

fn row_head(ranking: &Ranking, place: usize, bot: usize) -> Markup {
    html! {
        td { (place + 1) }
        th scope="row" { (ranking.name(bot)) }
    }
}

fn shade(share: f64) -> &'static str {
    SHADES[(share.clamp(0.0, 1.0) * 10.0).round() as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_all_is_100_and_only_nothing_is_0() {
        assert_eq!([0.0, 0.001, 0.5, 0.999, 1.0].map(|share| percent(share, 21)), ["0", "1", "50", "99", "100"]);
        assert_eq!(percent(0.999, 20), "99.9");
    }
}
