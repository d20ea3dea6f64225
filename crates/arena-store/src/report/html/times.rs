//! Time: how long each bot thinks.

use arena_core::text::millis;
use maud::{Markup, html};

use super::BOTS_DETAILED_MAX;
use super::parts::{figures, file, folded, scrolling, table};
use crate::report::facts::by_ply::ByPly;
use crate::report::facts::conduct::Conduct;
use crate::report::{Conducts, Results, plots};

/// Bots in the plot of times; the table beside it has more.
const DRAWN_MAX: usize = 12;

pub(super) fn content(results: &Results<'_>, conducts: &Conducts) -> Markup {
    let standings = &results.ranking.analysis.standings;
    let order = results.ranking.first(BOTS_DETAILED_MAX);
    html! {
        p class="note" {
            "Time control: " (results.event().clock) ". Half of a bot's moves took no longer than p50, 99 of 100 no longer \
             than p99."
            @if standings.len() > order.len() { " The first " (order.len()) " of " (standings.len()) " bots." }
        }
        @if conducts.bots.iter().all(|conduct| conduct.times.count() == 0) {
            p class="empty" { "No move has been made yet." }
        } @else {
            (scrolling("Plot of times", &plots::times(results, conducts, DRAWN_MAX).in_page()))
            (figures("Times", &in_numbers(results, conducts, &order)))
            @if let Some(plot) = plots::times_by_ply(results, conducts) {
                @let shown = conducts.by_ply.bots.len();
                (folded("By ply", &html! {
                    p class="note" {
                        (plot.description) " Times are rounded to 3 %."
                        @if shown < standings.len() { " The first " (shown) " bots." }
                    }
                    (scrolling("Plot of times by ply", &plot.in_page()))
                    (scrolling("Times by ply", &table_by_ply(results, &conducts.by_ply)))
                }))
            }
        }
        p class="note" { "Data: " (file("bots.csv")) }
    }
}

fn in_numbers(results: &Results<'_>, conducts: &Conducts, order: &[usize]) -> Markup {
    let bots = order.iter().filter(|bot| conducts.bots[**bot].games > 0);
    let has_timeouts = bots.clone().any(|bot| conducts.bots[*bot].timeouts() > 0);
    let columns = ["Moves", "p50", "p90", "p99", "Max"].into_iter().chain(has_timeouts.then_some("Timeouts"));
    let columns = columns.map(|title| (title, "number"));
    let rows = bots.map(|bot| line(&results.ranking.name(*bot), &conducts.bots[*bot], has_timeouts));
    table("sortable", "Time per move in milliseconds", [("Bot", "text")].into_iter().chain(columns), rows)
}

/// The figures of the plot.
fn table_by_ply(results: &Results<'_>, by_ply: &ByPly) -> Markup {
    let names: Vec<String> = by_ply.bots.iter().map(|bot| results.ranking.name(*bot)).collect();
    let columns = ["Ply"].into_iter().chain(names.iter().map(String::as_str)).map(|title| (title, ""));
    let row = |range: [usize; 2]| {
        html! {
            tr {
                th scope="row" { (range[0]) @if range[1] > range[0] { "–" (range[1]) } }
                @for place in 0..by_ply.bots.len() {
                    @match by_ply.times(place, range) {
                        None => td { "-" },
                        Some([p50, p90]) => td { (millis(p50)) " " small { (millis(p90)) } },
                    }
                }
            }
        }
    };
    table("", "p50 and p90 in milliseconds by ply", columns, by_ply.ranges().into_iter().map(row))
}

fn line(name: &str, conduct: &Conduct, has_timeouts: bool) -> Markup {
    let timeouts = conduct.timeouts();
    html! {
        tr {
            th scope="row" { (name) }
            td { (conduct.moves) }
            @if let Some([_, p50, p90, p99, max]) = conduct.times.summary() {
                @for us in [p50, p90, p99, max] { td { (millis(us)) } }
            } @else {
                td {} td {} td {} td {}
            }
            @if has_timeouts { td class=[(timeouts > 0).then_some("fault")] { (timeouts) } }
        }
    }
}
