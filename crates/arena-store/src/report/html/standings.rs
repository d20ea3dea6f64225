//! Who is better: the standings with a bar for each rating.

use arena_core::stats::RankBy;
use arena_core::text::signed;
use arena_show::views::{RankedBot, Ranking};
use maud::{Markup, html};

use super::bars::{Axis, llr_bar};
use super::bots::id;
use super::parts::{bare, file, left_out, scrolling, sortable, whole, with_small_margin};
use super::{BOTS_DETAILED_MAX, ROWS_MAX};
use crate::report::Results;
use crate::report::cells::{elo_and_margin, percent, wins_draws_losses};
use crate::report::words::sprt::{TestResult, test_sentence};

pub(super) fn content(results: &Results<'_>) -> Markup {
    let ranking = &results.ranking;
    let bots = ranking.analysis.standings.len();
    html! {
        @if let Some(sentence) = test_sentence(results) {
            div class="test" {
                @let test = TestResult::of(results);
                @if let Some(words) = test.as_ref().and_then(|test| test.words.as_ref()) { p { strong { (words) } } }
                p { (sentence) }
                @if let Some(TestResult { llr: Some(llr), lower, upper, .. }) = test {
                    (llr_bar(llr, [lower, upper]))
                }
            }
        }
        @if bots == 0 {
            p class="empty" { "No bot takes part." }
        } @else {
            @if ranking.games() == 0 { p class="empty" { "No game has been played yet." } }
            p class="note" { (how_ranked(ranking)) }
            @if let Some(options) = ranking.options_in_words() { p class="note" { (options) } }
            (scrolling("Standings", &table(results)))
            (left_out(ROWS_MAX, bots, "bots", "standings.csv"))
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
    let [together, alone] = match ranking.analysis.holm {
        Some(_) => [", at 95 % for all bots together", " of each bot alone"],
        None => ["", ""],
    };
    format!(
        "Ranked by {by}. A rank such as 2–4 means that the ratings allow each of these{together}. Bars are 95 % intervals{alone}; \
         arrows are unbounded. LOS is the probability of being stronger than the next bot."
    )
}

fn table(results: &Results<'_>) -> Markup {
    let ranking = &results.ranking;
    let analysis = &ranking.analysis;
    let axis = Axis::of(ranking.bots().take(BOTS_DETAILED_MAX).filter_map(|row| row.elo()));
    let grouped = analysis.ratings.groups() > 1;
    let anchor = analysis.ratings.options.anchor.map_or(0.0, |anchor| anchor.elo);
    html! {
        table class="sortable standings" {
            caption { "Standings, best first" }
            thead {
                tr {
                    th scope="col" data-sort="rank" { "Rank" }
                    th scope="col" data-sort="text" { "Bot" }
                    @if let Some((title, _)) = ranking.shown_column() { th scope="col" data-sort="number" { (title) } }
                    th scope="col" data-sort="number" { "Elo ± 95 %" }
                    @if let Some(axis) = &axis { th scope="col" class="bars" { (axis.head(anchor)) } }
                    @if grouped { th scope="col" data-sort="number" { "Group" } }
                    th scope="col" data-sort="number" { "Games" }
                    th scope="col" data-sort="number" { "W-D-L" }
                    th scope="col" data-sort="number" { "Score %" }
                    @if has_los(ranking) { th scope="col" data-sort="number" { "LOS %" } }
                    @if has_faults(ranking) { th scope="col" data-sort="number" { "Faults" } }
                    @if analysis.davidson.is_some() { th scope="col" data-sort="number" { "Davidson" } }
                    @if ranking.nash().is_some() { th scope="col" data-sort="number" { "Nash %" } }
                }
            }
            tbody {
                @for (place, row) in (1..).zip(ranking.bots()).take(ROWS_MAX) {
                    (line(place, &row, axis.as_ref().map(|axis| (axis, anchor)), results))
                }
            }
        }
    }
}

/// Whether the column of probabilities has any.
fn has_los(ranking: &Ranking) -> bool {
    ranking.bots().any(|row| row.los.is_some())
}

/// Whether any bot lost a game by a fault.
fn has_faults(ranking: &Ranking) -> bool {
    ranking.analysis.standings.iter().any(|row| row.forfeits > 0)
}

/// A row. Those after the first bots have no bar, which takes most of the bytes.
fn line(place: usize, row: &RankedBot<'_>, axis: Option<(&Axis, f64)>, results: &Results<'_>) -> Markup {
    let ranking = &results.ranking;
    let (elo, margin) = elo_and_margin(row.elo().as_ref());
    let faults = row.standing.forfeits;
    html! {
        tr data-bot=(row.bot) {
            td data-value=(place) { (row.rank()) }
            th scope="row" title=[whole(&row.name)] {
                @if place <= BOTS_DETAILED_MAX { a href={ "#" (id(&results.event().bots[row.bot].id.name, row.bot)) } { (row.name) } } @else { (row.name) }
                @if row.is_withdrawn { " " span class="tag" { "withdrawn" } } }
            @if let Some(of_format) = row.of_format { td data-value=(place) { (of_format) } }
            td data-value=[row.elo().map(|elo| sortable(elo.elo))] { (with_small_margin(row.elo().as_ref())) }
            @if let Some((axis, anchor)) = axis {
                td class="bars" {
                    @if let Some(estimate) = row.elo().filter(|_| place <= BOTS_DETAILED_MAX) {
                        (axis.bar(&estimate, anchor, &format!("{elo} {}", with_sign(&margin))))
                    }
                }
            }
            @if ranking.analysis.ratings.groups() > 1 { td { @if let Some(group) = row.group() { (group) } } }
            td { (row.total.games()) }
            td data-value=(row.total.wins) { (wins_draws_losses(row.total)) }
            td { (share(row.total.score())) }
            @if has_los(ranking) { td { @if let Some(los) = row.los { (share(Some(los))) } } }
            @if has_faults(ranking) { td class=[(faults > 0).then_some("fault")] { (faults) } }
            @if ranking.analysis.davidson.is_some() { td { @if let Some(elo) = row.davidson_elo { (signed(elo)) } } }
            @if ranking.nash().is_some() { td { (share(row.nash)) } }
        }
    }
}

/// A share in %, under a head that has the sign.
fn share(share: Option<f64>) -> String {
    bare(&percent(share)).to_owned()
}

fn with_sign(margin: &str) -> String {
    if margin.is_empty() { "(unbounded)".to_owned() } else { format!("± {margin}") }
}
