//! What went wrong: faults with their causes and cures.

use arena_core::text::{counted, shown};
use maud::{Markup, html};

use super::ROWS_MAX;
use super::games::FAULTS_LINKED;
use super::parts::{file, left_out, scrolling, table};
use crate::report::Results;
use crate::report::text::bot_page::replay;
use crate::report::words::faults::{FaultRow, fault_rows};

pub(super) fn content(results: &Results<'_>) -> Markup {
    let rows = fault_rows(results);
    let withdrawn: Vec<_> = results.withdrawn().collect();
    if rows.is_empty() && withdrawn.is_empty() {
        return html! { p class="empty" { "No bot committed a fault." } };
    }
    html! {
        @if !rows.is_empty() {
            // What is not published is in no row.
            @let has_happened = rows.iter().any(|row| !happened(row).is_empty());
            @let columns = COLUMNS.into_iter().filter(|(title, _)| has_happened || *title != HAPPENED);
            @let lines = rows.iter().take(ROWS_MAX).enumerate().map(|(place, row)| line(results, row, has_happened, place < FAULTS_LINKED));
            (scrolling("Faults", &table("sortable faults", "Faults by bot and kind, with the first game of each", columns, lines)))
            (left_out(ROWS_MAX, rows.len(), "rows", "bots.csv"))
            @if let Some(first) = rows.first() {
                p class="note" {
                    @if !results.for_others { "To see the first: " code { (replay(results, first.first.0)) } ". " }
                    "To read about it: " code { "arena explain " (first.status) } "."
                }
            }
        }
        @if !withdrawn.is_empty() {
            h3 { "Withdrawn bots" }
            ul class="said" {
                @for (name, why) in withdrawn.iter().take(ROWS_MAX) { li { strong { (shown(name)) } " was " (shown(why)) } }
            }
            (left_out(ROWS_MAX, withdrawn.len(), "bots", "bots.csv"))
        }
        p class="note" { "Data: " (file("bots.csv")) ", " (file("games.csv")) }
    }
}

/// The title of the column on the first game of each kind.
const HAPPENED: &str = "What happened first";

/// The columns of the table, and by what they are sorted.
const COLUMNS: [(&str, &str); 7] = [
    ("Bot", "text"),
    ("Fault", "text"),
    ("Games", "number"),
    (HAPPENED, ""),
    ("Common cause", ""),
    ("Cure", ""),
    ("Game", ""),
];

/// What happened first, and the part of the machine.
fn happened(row: &FaultRow) -> String {
    let machine = row.machine.as_ref().map(|machine| format!("({machine})"));
    let parts = [Some(row.happened.clone()).filter(|text| !text.is_empty()), machine];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// A row, whose cells have the titles of their columns for pages that are too narrow for these; only the first ones link to games
/// that the page has without scripts.
fn line(results: &Results<'_>, row: &FaultRow, has_happened: bool, is_linked: bool) -> Markup {
    let [games, lost] = row.games;
    let (id, round) = row.first;
    html! {
        tr {
            th scope="row" { (results.ranking.name(row.bot)) }
            td data-label="Fault" { (row.status.words()) }
            td data-label="Games" data-value=(games) { (counted(games as usize, "game")) @if lost != games { ", " (lost) " lost" } }
            @if has_happened { td data-label=(HAPPENED) { (happened(row)) } }
            td data-label="Common cause" { @if let Some(advice) = row.advice { (advice.what) } }
            td data-label="Cure" { @if let Some(advice) = row.advice { (advice.cure) } }
            td data-label="First game" {
                @if is_linked { a href={ "#game-" (id) } { (id.short()) } } @else { code { (id.short()) } }
                " round " (round)
            }
        }
    }
}
