//! `report.html` of a series: the table of all its games, and a card for each.

use arena_core::stats::Estimate;
use arena_core::text::{self, counted, shown};
use arena_show::views::range_of_ranks;
use arena_show::web::TABLES_SCRIPT;
use maud::{Markup, html};

use super::bars::Axis;
use super::index::{IndexEntry, address, card, in_percent, leader};
use super::parts::{file, left_out, scrolling};
use super::{BOTS_DETAILED_MAX, ROWS_MAX, page};
use crate::report::cells::{elo_and_margin, percent};
use crate::report::combined::{CombinedRow, GamePlace};
use crate::report::{COMBINED_FILE, Combined, REPORT_FILE, SeriesGame};

/// The page of the series `name`, in whose folder those of its games are.
///
/// # Errors
///
/// Returns an error if a game cannot be read.
pub(in crate::report) fn series_html(
    name: &str,
    combined: &Combined,
    games: &[SeriesGame<'_>],
) -> anyhow::Result<String> {
    let cards = games.iter().map(|game| IndexEntry::of(&game.folder, &game.results));
    let cards = cards.collect::<anyhow::Result<Vec<_>>>()?;
    let (name, bots) = (shown(name), combined.rows.len());
    let place = |row: &'_ CombinedRow| {
        let place = row.place.as_ref();
        (row.name.clone(), place.map(|place| (place.rank, place.share.score)), place.and_then(|place| place.los))
    };
    let body = html! {
        header class="top" {
            h1 { (name) }
            p class="facts" { "series of " (counted(games.len(), "game")) " · " (counted(bots, "bot")) }
            @if let Some(leader) = leader(combined.rows.iter().map(place)) { p class="headline" { (leader) } }
        }
        main {
            section class="whole" aria-labelledby="all" {
                h2 id="all" { "All games" }
                (scrolling("Table of all games", &table(combined, games)))
                (left_out(ROWS_MAX, bots, "bots", COMBINED_FILE))
                @for note in combined.notes() { p class="note" { (note) } }
                p class="note" { "Data: " (file(COMBINED_FILE)) }
            }
            div class="cards" { @for entry in &cards { (card(entry)) } }
        }
    };
    Ok(page(&name, &TABLES_SCRIPT, &body))
}

fn table(combined: &Combined, games: &[SeriesGame<'_>]) -> Markup {
    let shares = combined.rows.iter().map(|row| row.place.as_ref().map(|place| place.share));
    let shares: Vec<Option<Estimate>> =
        shares.map(|share| share.map(|share| in_percent([share.score, share.lo, share.hi]))).collect();
    let axis = Axis::of(shares.iter().flatten().copied());
    let has_los = combined.rows.iter().any(|row| row.place.as_ref().is_some_and(|place| place.los.is_some()));
    html! {
        table class="sortable standings" {
            caption { "Mean share of points; share, Elo and rank in each game" }
            thead { tr {
                th scope="col" data-sort="rank" { abbr title="the best and the worst rank at 95 %" { "Rank" } }
                th scope="col" data-sort="text" { "Bot" }
                th scope="col" data-sort="number" { "Score" }
                @if axis.is_some() { th scope="col" { abbr title="95 % interval of the score" { "95 %" } } }
                @if has_los { th scope="col" data-sort="number" { abbr title="probability of a better mean than the next bot" { "LOS" } } }
                @for game in games {
                    th scope="col" { a href={ (address(&game.folder)) "/" (REPORT_FILE) } { (shown(&game.label)) } }
                }
            } }
            tbody { @for (number, (row, share)) in combined.rows.iter().zip(&shares).take(ROWS_MAX).enumerate() { tr {
                @let place = row.place.as_ref();
                td data-value=(number + 1) { @if let Some(place) = place { (range_of_ranks(place.ranks)) } }
                th scope="row" { (shown(&row.name)) }
                td { (percent(place.map(|place| place.share.score))) }
                @if let Some(axis) = &axis {
                    td class="bars" {
                        @if let Some(share) = share.filter(|_| number < BOTS_DETAILED_MAX) {
                            (axis.bar(&share, 50.0, &format!("{} % to {} %", text::percent(share.lo / 100.0), text::percent(share.hi / 100.0))))
                        }
                    }
                }
                @if has_los { td { (percent(place.and_then(|place| place.los))) } }
                @for game in &row.games {
                    td { @if let Some(GamePlace { share, elo, ranks, .. }) = game {
                        (percent(Some(*share))) " "
                        small { (elo_and_margin(elo.as_ref()).0) ", " (range_of_ranks(*ranks)) "." }
                    } }
                }
            } } }
        }
    }
}
