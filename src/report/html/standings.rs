//! Who is better: the standings with a bar for each rating.

use maud::{Markup, html};

use super::bars::{Axis, llr_bar};
use super::parts::{bare, file, rows_left_out, scrolling, sortable};
use super::{BOTS_DETAILED_MAX, ROWS_MAX};
use crate::report::rows::{ShownRow, shown_rows};
use crate::report::sprt::{TestResult, test_sentence};
use crate::report::{Ranking, Results};
use crate::stats::{Estimate, RankBy};

pub(super) fn content(results: &Results<'_>) -> Markup {
    let ranking = &results.ranking;
    let bots = ranking.analysis.standings.len();
    html! {
        @if let Some(sentence) = test_sentence(results) {
            div class="test" {
                p { strong { (sentence) } }
                @if let Some(TestResult { llr: Some(llr), lower, upper, .. }) = TestResult::of(results) {
                    (llr_bar(llr, [lower, upper]))
                }
            }
        }
        @if bots == 0 {
            p class="empty" { "No bot takes part." }
        } @else {
            @if ranking.games() == 0 { p class="empty" { "No game has been played yet." } }
            p class="note" { (how_ranked(ranking)) }
            (scrolling("Standings", &table(results)))
            (rows_left_out(bots, "bots", "standings.csv"))
        }
        p class="note" { "Data: " (file("standings.csv")) }
    }
}

fn how_ranked(ranking: &Ranking) -> String {
    let by = match ranking.analysis.rank_by {
        RankBy::Elo => "Elo",
        RankBy::Points => "points",
        RankBy::Format => {
            return "Ranked by the rule of the format; a rank such as 5–8 is shared. Elo, LOS and the bars (95 % intervals; arrows \
                    are unbounded) are from the joint fit to all games."
                .to_owned();
        }
    };
    format!(
        "Ranked by {by}. A rank such as 2–4 means that the ratings allow each of these. Bars are 95 % intervals; arrows are \
         unbounded. LOS is the probability of being stronger than the next bot."
    )
}

fn table(results: &Results<'_>) -> Markup {
    let ranking = &results.ranking;
    let analysis = &ranking.analysis;
    let rating = |bot: usize| analysis.ratings.of(bot).map(|rating| rating.elo);
    let detailed = analysis.standings.iter().take(BOTS_DETAILED_MAX);
    let axis = Axis::of(detailed.filter_map(|row| rating(row.bot)));
    let grouped = analysis.ratings.groups() > 1;
    let anchor = analysis.ratings.options.anchor.map_or(0.0, |anchor| anchor.elo);
    html! {
        table class="sortable standings" {
            caption { "Standings, best first" }
            thead {
                tr {
                    th scope="col" data-sort="number" { "Rank" }
                    th scope="col" data-sort="text" { "Bot" }
                    @if let Some((title, _)) = ranking.shown_column() { th scope="col" data-sort="number" { (title) } }
                    th scope="col" data-sort="number" { "Elo" }
                    th scope="col" data-sort="number" { "± 95 %" }
                    @if let Some(axis) = &axis { th scope="col" class="bars" { (axis.head(anchor)) } }
                    @if grouped { th scope="col" data-sort="number" { "Group" } }
                    th scope="col" data-sort="number" { "Games" }
                    th scope="col" data-sort="number" { "W-D-L" }
                    th scope="col" data-sort="number" { "Score %" }
                    th scope="col" data-sort="number" { "LOS %" }
                    th scope="col" data-sort="number" { "Faults" }
                    @if analysis.davidson.is_some() { th scope="col" data-sort="number" { "Davidson" } }
                    @if ranking.nash().is_some() { th scope="col" data-sort="number" { "Nash %" } }
                }
            }
            tbody {
                @for (place, row) in (1..).zip(shown_rows(ranking)).take(ROWS_MAX) {
                    (line(place, &row, rating(row.bot), axis.as_ref().map(|axis| (axis, anchor)), ranking))
                }
            }
        }
    }
}

/// A row. Those after the first bots have no bar, which takes most of the bytes.
fn line(place: usize, row: &ShownRow, elo: Option<Estimate>, axis: Option<(&Axis, f64)>, ranking: &Ranking) -> Markup {
    let wins = row.results.split('-').next().unwrap_or_default();
    let withdrawn = ranking.withdrawn.contains(&row.bot);
    html! {
        tr data-bot=(row.bot) {
            td data-value=(place) { (row.rank) }
            th scope="row" { (row.name) @if withdrawn { " " span class="tag" { "withdrawn" } } }
            @if let Some(of_format) = &row.of_format { td data-value=(place) { (of_format) } }
            td data-value=[elo.map(|elo| sortable(elo.elo))] { (row.elo) }
            td { (row.margin) }
            @if let Some((axis, anchor)) = axis {
                td class="bars" {
                    @if let Some(elo) = elo.filter(|_| place <= BOTS_DETAILED_MAX) {
                        (axis.bar(&elo, anchor, &format!("{} {}", row.elo, margin(&row.margin))))
                    }
                }
            }
            @if let Some(group) = &row.group { td { (group) } }
            td { (row.games) }
            td data-value=(wins) { (row.results) }
            td { (bare(&row.score)) }
            td { (bare(&row.los)) }
            td class=[(row.faults != "0").then_some("fault")] { (row.faults) }
            @if let Some(davidson) = &row.davidson { td { (davidson) } }
            @if let Some(nash) = &row.nash { td { (bare(nash)) } }
        }
    }
}

fn margin(margin: &str) -> String {
    if margin.is_empty() { "(unbounded)".to_owned() } else { format!("± {margin}") }
}
