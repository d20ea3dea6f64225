//! How the ratings settled, round by round.

use arena_show::views::Ranking;
use maud::{Markup, html};

use super::parts::{figures, scrolling, table, with_small_margin};
use crate::report::facts::settling::Settling;
use crate::report::{Results, plots};

pub(super) fn content(results: &Results<'_>) -> Markup {
    match results.settling() {
        None => html! { p class="empty" { "Not computed: there are too many bots to rate them after every round." } },
        Some(settling) if !settling.is_of_several() => {
            html! { p class="empty" { "Fewer than two rounds are complete." } }
        }
        Some(settling) => html! {
            p class="note" {
                "Elo after complete rounds, each a rating of all games up to then. Intervals narrow as games are added; \
                 a rating that leaves its earlier intervals is a reason to look at the games. Bands in the plot are 95 % \
                 intervals; of more than three bots, that of the one pointed at."
                @let shown = settling.bots.len();
                @if shown < results.event().bots.len() { " The first " (shown) " bots." }
            }
            (scrolling("Plot of Elo over rounds", &plots::settled(&results.ranking, settling).in_page()))
            (figures("Elo after rounds", &in_numbers(&results.ranking, settling)))
        },
    }
}

fn in_numbers(ranking: &Ranking, settling: &Settling) -> Markup {
    let names: Vec<String> = settling.bots.iter().map(|bot| ranking.name(*bot)).collect();
    let columns =
        ["Rounds", "Rated games"].into_iter().chain(names.iter().map(String::as_str)).map(|title| (title, ""));
    let rows = settling.steps.iter().map(|step| {
        html! {
            tr {
                th scope="row" { (step.rounds) }
                td { (step.games) }
                @for elo in &step.elo { td { (with_small_margin(elo.as_ref())) } }
            }
        }
    });
    table("settled", "Elo with its 95 % margin after each number of rounds", columns, rows)
}
