//! How it was played: the definition, the bots, where the games come from, and how to go on.

use std::collections::BTreeSet;

use arena_core::event::Tournament;
use arena_core::text::{shell_word, shown};
use arena_sys::flags::NAME;
use arena_wire::protocol;
use maud::{Markup, html};

use super::parts::{file, folded, scrolling, table};
use super::{BOTS_DETAILED_MAX, words};
use crate::report::words::reproduce::game_flag;
use crate::report::{Conducts, Results, cells, format_text};

/// Openings that are listed.
const OPENINGS_MAX: usize = 12;

/// The game as the command line takes it: `connect4:cols=9`.
pub(super) fn game(event: &Tournament) -> String {
    event.variant().map_or_else(|_| event.label.clone(), |variant| variant.to_string())
}

pub(super) fn content(results: &Results<'_>, conducts: &Conducts) -> Markup {
    let event = results.event();
    html! {
        (folded("How it was played", &html! {
            dl class="definition" {
                @for (name, value) in definition(results, conducts) { dt { (name) } dd { (value) } }
            }
        }))
        @if !event.warnings.is_empty() {
            h3 { "Warnings about the machine" }
            ul class="said warnings" { @for warning in &event.warnings { li { (shown(warning)) } } }
        }
        (folded("Openings", &openings(results)))
        (folded("Bots", &html! {
            @if event.bots.len() > BOTS_DETAILED_MAX {
                p class="note" { "The first " (BOTS_DETAILED_MAX) " of the roster. All are in " (file("bots.csv")) "." }
            }
            (scrolling("Bots", &bots(event)))
        }))
        @if !results.for_others { (folded("Commands", &commands(event, &game_flag(results)))) }
        (folded("Files", &files(results)))
        (folded("Words", &words::content()))
    }
}

fn definition(results: &Results<'_>, conducts: &Conducts) -> Vec<(&'static str, String)> {
    let event = results.event();
    let counts = results.progress;
    let of = results.planned_games().map_or_else(String::new, |planned| format!(" of {planned}"));
    let limit = |limit: Option<std::num::NonZeroU32>| limit.map_or_else(|| "off".to_owned(), |limit| limit.to_string());
    let mut all = vec![
        ("Tournament", shown(&event.name)),
        ("Game", format!("{}, version {} of its rules", shown(&game(event)), event.rules_version)),
        ("Format", format_text(event)),
        ("Games", format!("{}{of} played", counts.played)),
        ("Seed", event.seed.to_string()),
        ("Time control", event.clock.to_string()),
    ];
    all.extend(event.max_plies.map(|plies| ("Draw after", format!("{plies} plies"))));
    all.extend(event.sprt.as_ref().map(|test| {
        let of = format!("alpha {}, beta {}", test.alpha, test.beta);
        ("Test", format!("SPRT, {} Elo, elo0 {}, elo1 {}, {of}", shown(&test.model), test.elo0, test.elo1))
    }));
    let strikes = event.strikes;
    all.push((
        "Withdrawn after",
        format!(
            "{} failed starts, {} first games lost by timeout or crash",
            limit(strikes.starts),
            limit(strikes.games)
        ),
    ));
    all.extend(listed(&conducts.arenas).map(|arenas| ("Played by arena", arenas)));
    all.push(("Protocol", protocol::VERSION.to_string()));
    all.extend(listed(&conducts.hosts).map(|hosts| ("Machine", hosts)));
    all.extend(listed(&conducts.classes()).map(|classes| ("Class of machine", classes)));
    let [first, last] = conducts.started.each_ref().map(|time| shown(time));
    if results.with_times && !first.is_empty() {
        all.push(("First game", first));
        all.push(("Last game", last));
    }
    all
}

fn listed(names: &BTreeSet<String>) -> Option<String> {
    let names: Vec<String> = names.iter().map(|name| shown(name)).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn openings(results: &Results<'_>) -> Markup {
    let event = results.event();
    let drawn = event.openings.iter().filter(|opening| !opening.is_empty()).count();
    html! {
        @if drawn == 0 {
            p class="note" { "Games begin without an opening." }
        } @else {
            ol class="openings" {
                @for opening in event.openings.iter().take(OPENINGS_MAX) { li { code { (shown(&cells::moves(opening))) } } }
            }
            @if event.openings.len() > OPENINGS_MAX {
                p class="note" {
                    "and " (event.openings.len() - OPENINGS_MAX) " more"
                    @if !results.for_others { " in " (file("tournament.json")) } "."
                }
            }
        }
    }
}

fn bots(event: &Tournament) -> Markup {
    // Where they are not published, there are none.
    let has_commands = event.bots.iter().any(|bot| !bot.command.is_empty());
    let columns = ["Bot", "Command", "Fingerprint"].into_iter().filter(|title| has_commands || *title != "Command");
    let rows = event.bots.iter().take(BOTS_DETAILED_MAX).map(|bot| {
        html! {
            tr {
                th scope="row" { (shown(&bot.id.name)) }
                @if has_commands { td { (shown(&bot.command)) } }
                td { (short(&bot.id.fingerprint)) }
            }
        }
    });
    table("roster", "Bots in the order of the roster", columns.map(|title| (title, "")), rows)
}

/// The beginning of a fingerprint; all of it is in `bots.csv`.
fn short(fingerprint: &str) -> String {
    const SHORT: usize = 16;
    shown(&fingerprint.chars().take(SHORT).collect::<String>())
}

fn commands(event: &Tournament, game: &str) -> Markup {
    let name = shown(&shell_word(&event.name));
    let game = shown(game);
    let all = [
        (format!("arena standings {name}{game}"), "write these files again from the journal"),
        (format!("arena replay ID {NAME} {name}{game}"), "show a game move by move"),
        (format!("arena verify {name}{game}"), "check every game against the rules"),
    ];
    html! {
        ul class="commands" { @for (command, what) in all { li { code { (command) } " " (what) } } }
    }
}

fn files(results: &Results<'_>) -> Markup {
    let mut all = vec![
        ("standings.csv", "one row a bot"),
        ("crosstable.csv", "points of every two bots"),
        ("head_to_head.csv", "every two bots in detail"),
        ("bots.csv", "times and faults"),
        ("games.csv", "one row a game"),
    ];
    if !results.for_others {
        all.push(("tournament.json", "the definition, counts and warnings"));
        all.push(("games.jsonl", "the journal, from which all else is made"));
    }
    if results.ranking.analysis.covariance {
        all.push(("covariance.csv", "errors of all differences"));
        all.push(("los.csv", "likelihood of superiority of every two bots"));
    }
    html! {
        ul class="files" { @for (name, what) in all { li { (file(name)) " " (what) } } }
    }
}
