//! `index.html` beside the folders of tournaments: who won each, as `tournament.json` says.

use std::cmp::Reverse;

use maud::{Markup, html};
use serde::Deserialize;

use super::bars::Axis;
use crate::report::REPORT_FILE;
use crate::report::cells::elo_and_margin;
use crate::stats::Estimate;
use crate::text::{counted, grouped, shown};
use crate::web::{REPORT_SCRIPT, REPORT_STYLE, WebPage};

/// Bots in the picture of a tournament.
const PICTURED: usize = 5;

/// A tournament in the list.
#[derive(Debug)]
pub struct IndexEntry {
    /// The path of its folder from the page's.
    folder: String,
    /// Whether it has a report.
    has_report: bool,
    known: Known,
}

/// What the list says of a tournament. The file may be anyone's, and of another version.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Known {
    label: String,
    format: String,
    updated: String,
    bots: Vec<serde::de::IgnoredAny>,
    counts: Counts,
    summary: Summary,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Counts {
    played: u64,
    scheduled: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Summary {
    standings: Vec<Row>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Row {
    name: String,
    elo: serde_json::Value,
    elo_lo: serde_json::Value,
    elo_hi: serde_json::Value,
}

impl IndexEntry {
    /// The tournament in `folder`, from its `tournament.json`.
    ///
    /// # Errors
    ///
    /// Returns an error if `json` is not such a file.
    pub fn read(folder: &str, has_report: bool, json: &[u8]) -> Result<Self, serde_json::Error> {
        Ok(Self { folder: folder.to_owned(), has_report, known: serde_json::from_slice(json)? })
    }
}

impl Row {
    /// Its rating; unbounded ones are words in the file.
    fn elo(&self) -> Option<Estimate> {
        let number = |value: &serde_json::Value| match value.as_str() {
            Some("inf") => Some(f64::INFINITY),
            Some("-inf") => Some(f64::NEG_INFINITY),
            _ => value.as_f64(),
        };
        Some(Estimate { elo: number(&self.elo)?, lo: number(&self.elo_lo)?, hi: number(&self.elo_hi)? })
    }
}

/// The page of all tournaments, the newest first.
#[must_use]
pub fn index_html(mut entries: Vec<IndexEntry>) -> String {
    entries.sort_by(|a, b| (Reverse(&a.known.updated), &a.folder).cmp(&(Reverse(&b.known.updated), &b.folder)));
    let body = html! {
        header class="top" {
            h1 { "Tournaments" }
            p class="facts" { (counted(entries.len(), "tournament")) ", the newest first" }
        }
        main {
            @if entries.is_empty() { p class="empty" { "No tournament has been played here." } }
            div class="cards" { @for entry in &entries { (card(entry)) } }
        }
        div aria-live="polite" id="announce" class="visually-hidden" {}
    };
    let page = WebPage { title: "Tournaments", style: &REPORT_STYLE, script: &REPORT_SCRIPT, body };
    let policy = page.policy("");
    page.html(Some(&policy))
}

fn card(entry: &IndexEntry) -> Markup {
    let IndexEntry { folder, has_report, known } = entry;
    let name = shown(folder);
    let Counts { played, scheduled } = known.counts;
    let games =
        if played == scheduled { grouped(played) } else { format!("{} of {}", grouped(played), grouped(scheduled)) };
    let top = &known.summary.standings[..known.summary.standings.len().min(PICTURED)];
    let axis = Axis::of(top.iter().filter_map(Row::elo));
    // A date, as far as it is one.
    let date: String = known.updated.chars().take("2026-11-28".len()).collect();
    html! {
        article class="card" {
            h2 { @if *has_report { a href={ (address(folder)) "/" (REPORT_FILE) } { (name) } } @else { (name) } }
            p class="facts" {
                (shown(&known.label)) " " (shown(&known.format)) " · " (counted(known.bots.len(), "bot")) " · " (games) " games · "
                (shown(&date))
            }
            @if !top.is_empty() {
                table {
                    caption class="visually-hidden" { "The first bots" }
                    tbody { @for row in top { tr {
                        th scope="row" { (shown(&row.name)) }
                        td { (elo_and_margin(row.elo().as_ref()).0) }
                        td class="bars" {
                            @if let (Some(axis), Some(elo)) = (&axis, row.elo()) { (axis.bar(&elo, 0.0, &shown(&row.name))) }
                        }
                    } } }
                }
            }
        }
    }
}

/// A relative path as an address: whatever is no plain character is escaped, so that it stays a path below the page.
fn address(folder: &str) -> String {
    use std::fmt::Write as _;
    folder.bytes().fold(String::from("./"), |mut text, byte| {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b'/' => text.push(byte.into()),
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(folder: &str, json: &serde_json::Value) -> IndexEntry {
        IndexEntry::read(folder, true, json.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn the_newest_tournament_comes_first_and_foreign_text_stays_text() {
        let row = |name: &str, elo| serde_json::json!({ "name": name, "elo": elo, "elo_lo": "-inf", "elo_hi": 9.0 });
        let json = |updated: &str, name: &str| {
            serde_json::json!({
                "label": name, "format": "swiss", "updated": updated, "bots": [{}, {}],
                "counts": { "played": 1_000, "scheduled": 2_000 }, "summary": { "standings": [row(name, 5.0)] },
            })
        };
        let hostile = "</script><img src=x onerror=alert(1)>\u{1b}[31m";
        let page = index_html(vec![
            entry("old", &json("2026-01-01T00:00:00Z", "a")),
            entry("new/it is", &json("2026-11-28T06:21:18Z", hostile)),
            entry("empty", &serde_json::json!({})),
        ]);
        assert_eq!((page.matches("<script").count(), page.matches("<img").count()), (1, 0));
        assert!(!page.contains('\u{1b}') && page.contains("1,000 of 2,000 games"), "{page}");
        let order =
            ["./new/it%20is/report.html", "./old/report.html", "./empty/report.html"].map(|part| page.find(part));
        assert!(order.is_sorted() && order[0].is_some(), "{order:?}");
    }

    #[test]
    fn what_is_no_definition_is_an_error() {
        for json in ["", "7", "{\"bots\":7}"] {
            assert!(IndexEntry::read("x", true, json.as_bytes()).is_err(), "{json}");
        }
    }
}
