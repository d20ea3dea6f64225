//! `report.html`: all results on one page that loads nothing and is complete without scripts.
//!
//! The page is a function of the results alone: no clock, no path, no order of a host. Numbers and sentences come from
//! the functions that the terminal uses; nothing is computed here but colours and positions. Foreign text passes through
//! [`arena_core::text::shown`] and then through the escaping of the templates.

mod bars;
mod best_play;
mod bots;
mod faults;
mod games;
pub(super) mod index;
mod matrix;
mod origin;
mod parts;
pub(super) mod series;
mod settled;
mod standings;
#[cfg(test)]
pub(super) mod tests;
mod times;
mod words;

use arena_core::text::{counted, shown};
use arena_show::web::{REPORT_SCRIPT, REPORT_STYLE, WebPage};
use maud::{Markup, html};

use crate::report::facts::analysed::analysed;
use crate::report::text::bot_page::bot_pages;
use crate::report::text::headline::{Headline, surety};
use crate::report::words::sprt::TestResult;
use crate::report::words::warnings::stopped;
use crate::report::{BIASED, Results, statements, warnings};
use parts::file;

/// A chapter: its fragment, its title, and its content.
type Chapter = (&'static str, &'static str, Markup);

/// Bots of which everything is shown; the others have a row in the standings and are in the CSV files.
const BOTS_DETAILED_MAX: usize = 60;
/// Rows of a table at most.
const ROWS_MAX: usize = 1_000;
/// Bytes of the whole file at most.
const BYTES_MAX: usize = 2 << 20;

/// The page.
///
/// # Errors
///
/// Returns an error if a game cannot be read.
pub(super) fn report_html(results: &Results<'_>) -> anyhow::Result<String> {
    of_bytes(results, BYTES_MAX)
}

/// The page in at most `most` bytes, if the list of the games fits with all else.
fn of_bytes(results: &Results<'_>, most: usize) -> anyhow::Result<String> {
    let conducts = results.conducts()?;
    let games = 1;
    let mut chapters = vec![
        ("who", "Who is better?", standings::content(results)),
        ("games", "Games", html! {}),
        ("pairings", "Who beats whom", matrix::content(&results.ranking)),
        (
            "bots",
            "Each bot",
            bots::content(results, &bot_pages(results, conducts, |place, _| place < BOTS_DETAILED_MAX)),
        ),
        ("faults", "What went wrong", faults::content(results)),
    ];
    if results.with_times {
        chapters.push(("time", "Time", times::content(results, conducts)));
    }
    chapters.push(("settled", "How it settled", settled::content(results)));
    let found = analysed(results)?;
    chapters.extend(
        found.map(|found| ("best-play", best_play::title(&found), best_play::content(&found, results.for_others))),
    );
    let fine_print = html! { (limits(results)) (origin::content(results, conducts)) };
    chapters.push(("fine-print", "Fine print", fine_print));
    let headline = Headline::of(results, conducts);
    // The games get the room that the page has left without them.
    let taken = whole(results, &headline, &chapters).len();
    chapters[games].2 = games::content(results, &headline.games, most.saturating_sub(taken))?;
    Ok(whole(results, &headline, &chapters))
}

/// The page of these chapters.
fn whole(results: &Results<'_>, headline: &Headline, chapters: &[Chapter]) -> String {
    let body = html! {
        a class="skip" href="#main" { "Skip to the results" }
        (header(results, headline))
        div class="page" {
            (contents(chapters))
            main id="main" tabindex="-1" { @for (number, chapter) in (1..).zip(chapters) { (section(number, chapter)) } }
        }
    };
    page(&title(results), &REPORT_SCRIPT, &body)
}

/// A page with the style of reports.
fn page(title: &str, script: &str, body: &Markup) -> String {
    let body = html! { (body) div aria-live="polite" id="announce" class="visually-hidden" {} };
    let document = WebPage { title, style: &REPORT_STYLE, script, body };
    let policy = document.policy("");
    document.html(Some(&policy))
}

/// `connect4 — 4 bots, 600 games, seed 1`.
fn title(results: &Results<'_>) -> String {
    let event = results.event();
    let [bots, games] =
        [(event.bots.len(), "bot"), (results.progress.played, "game")].map(|(n, what)| counted(n, what));
    format!("{} — {bots}, {games}, seed {}", shown(&origin::game(event)), event.seed)
}

fn header(results: &Results<'_>, headline: &Headline) -> Markup {
    html! {
        header class="top" {
            h1 { (shown(results.heading())) }
            p class="facts" { (headline.facts) }
            // Who leads comes first, also where games are missing.
            @for sentence in headline.verdict.iter().chain(&headline.sentences).chain(&surety(results)).chain(&stopped(results)).chain(&headline.faults) { p class="headline" { (sentence) } }
            @if !headline.games.is_empty() {
                p { "Worth seeing: "
                    @for (place, game) in headline.games.iter().enumerate() {
                        @if place > 0 { "; " }
                        a href={ "#game-" (game.id) } { (game.what) }
                    }
                }
            }
        }
    }
}

fn contents(chapters: &[Chapter]) -> Markup {
    html! {
        nav class="contents" aria-label="Contents" {
            ol {
                @for (number, (id, title, _)) in (1..).zip(chapters) {
                    li { a href={ "#" (id) } { span class="number" { (number) } " " (title) } }
                }
            }
        }
    }
}

fn section(number: usize, (id, title, content): &Chapter) -> Markup {
    html! {
        section id=(id) aria-labelledby={ (id) "-title" } {
            h2 id={ (id) "-title" } { span class="number" { (number) } " " (title) }
            (content)
        }
    }
}

/// The sentences on what follows from the numbers and what does not, and the warnings.
fn limits(results: &Results<'_>) -> Markup {
    let is_decided = TestResult::of(results).is_some_and(|test| test.is_decided);
    let said: Vec<String> = is_decided
        .then(|| BIASED.to_owned())
        .into_iter()
        .chain(statements(&results.ranking, results.rounds_played()))
        .collect();
    let warnings = warnings(results);
    html! {
        @if said.is_empty() {
            p class="empty" { "No conclusions: no game has been played." }
        } @else {
            ul class="said" { @for sentence in &said { li { (sentence) } } }
        }
        @if !warnings.is_empty() {
            h3 { "Warnings" }
            ul class="said warnings" { @for warning in &warnings { li { (warning) } } }
        }
        @if !results.for_others { p class="note" { "Settings and warnings are also in " (file("tournament.json")) "." } }
    }
}
