//! `index.html` beside the folders of tournaments: who won each, as `tournament.json` says.

use std::cmp::Reverse;
use std::io::Read;

use arena_core::stats::Estimate;
use arena_core::text::{counted, escaped, grouped, percent, percent_encoded, shown};
use arena_show::web::TABLES_SCRIPT;
use maud::{Markup, html};
use serde::Deserialize;

use super::bars::Axis;
use super::bots::id;
use crate::report::cells::{self, elo_and_margin};
use crate::report::text::headline::leading;
use crate::report::{REPORT_FILE, Results};

/// Bots in the picture of a tournament.
const PICTURED: usize = 5;
/// Sentences on who leads at most that are read from a file.
const SENTENCES_MAX: usize = 4;
/// Bytes of such a sentence at most; ours name few bots.
const SENTENCE_BYTES_MAX: usize = 2 << 10;
/// Bots of equal share that are named.
const EQUAL_MAX: usize = 3;

/// A tournament in the list.
#[derive(Debug)]
pub struct IndexEntry {
    /// The path of its folder from the page's.
    folder: String,
    /// What it is called in the list, if not as its folder.
    title: Option<String>,
    /// Whether it has a report.
    has_report: bool,
    /// The game and the format.
    played: String,
    /// When, as far as that is known.
    date: String,
    bots: usize,
    /// Games that were played, and those of the schedule.
    games: [u64; 2],
    /// The first bots, where the report has them, and their ratings; of a series their shares of points in percent.
    top: Vec<(String, String, Option<Estimate>)>,
    /// Who leads and how sure that is, in sentences.
    leading: Vec<String>,
    /// The options of its tables that change numbers, in words.
    options: Option<String>,
    /// Those of a series.
    parts: Vec<Self>,
}

/// What `tournament.json` says. The file may be anyone's, and of another version.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Known {
    title: Option<String>,
    label: String,
    format: String,
    updated: String,
    bots: Vec<Row>,
    counts: Counts,
    /// Not in files of earlier versions.
    headline: Vec<String>,
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
    options: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Row {
    name: String,
    elo: serde_json::Value,
    elo_lo: serde_json::Value,
    elo_hi: serde_json::Value,
}

/// A row of `combined.csv`. A bot without a rank has no score.
#[derive(Debug, Deserialize)]
struct CombinedRow {
    rank: Option<usize>,
    name: String,
    score: Option<f64>,
    score_lo: Option<f64>,
    score_hi: Option<f64>,
    los: Option<f64>,
}

impl IndexEntry {
    /// What it is called: its title, or its folder.
    fn heading(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.folder)
    }

    /// The tournament in `folder`, from its `tournament.json`.
    ///
    /// # Errors
    ///
    /// Returns an error if `json` is not such a file.
    pub fn read(folder: &str, has_report: bool, json: &[u8]) -> Result<Self, serde_json::Error> {
        let Known { title, label, format, updated, bots, counts, mut headline, summary } =
            serde_json::from_slice(json)?;
        let options = summary.options;
        headline.retain(|sentence| sentence.len() <= SENTENCE_BYTES_MAX);
        headline.truncate(SENTENCES_MAX);
        let top = summary.standings.into_iter().take(PICTURED).map(|row| {
            let bot = bots.iter().position(|bot| bot.name == row.name).unwrap_or_default();
            (format!("#{}", id(&row.name, bot)), row.elo(), row.name)
        });
        Ok(Self {
            folder: folder.to_owned(),
            title,
            has_report,
            played: format!("{label} {format}"),
            date: updated,
            bots: bots.len(),
            games: [counts.played, counts.scheduled],
            top: top.map(|(id, elo, name)| (name, id, elo)).collect(),
            leading: headline,
            options,
            parts: Vec::new(),
        })
    }

    /// The tournament of these results, whose report will be in `folder`. Its date is that of the last game.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn of(folder: &str, results: &Results<'_>) -> anyhow::Result<Self> {
        let (event, counts) = (results.event(), results.progress);
        let [_, last] = &results.conducts()?.started;
        let top = results.ranking.bots().take(PICTURED).map(|row| {
            let name = results.name(row.bot);
            (name.to_owned(), format!("#{}", id(name, row.bot)), row.elo())
        });
        Ok(Self {
            folder: folder.to_owned(),
            title: results.title.clone(),
            has_report: true,
            played: format!("{} {}", event.label, event.format),
            date: if results.with_times { last.clone() } else { String::new() },
            bots: event.bots.len(),
            games: [counts.played, counts.scheduled].map(|count| count as u64),
            top: top.collect(),
            leading: leading(results),
            options: results.ranking.options_in_words(),
            parts: Vec::new(),
        })
    }

    /// Who leads, in sentences.
    fn leads(&self) -> String {
        self.leading.iter().map(|sentence| escaped(sentence)).collect::<Vec<_>>().join(" ")
    }

    /// The address of its report, if it has one.
    fn report(&self) -> Option<String> {
        self.has_report.then(|| format!("{}/{REPORT_FILE}", address(&self.folder)))
    }

    /// The series in `folder` of these tournaments, with its table of all if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if `table` is not such a table.
    pub fn series(
        folder: &str,
        has_report: bool,
        table: Option<impl Read>,
        parts: Vec<Self>,
    ) -> Result<Self, csv::Error> {
        let rows = table.map(|table| csv::Reader::from_reader(table).into_deserialize::<CombinedRow>());
        let rows = rows.into_iter().flatten().collect::<Result<Vec<_>, _>>()?;
        let sum = |of: usize| parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.games[of]));
        let leader = leader(rows.iter().map(|row| (row.name.clone(), row.rank.zip(row.score), row.los)));
        let share = |row: &CombinedRow| Some(in_percent([row.score?, row.score_lo?, row.score_hi?]));
        Ok(Self {
            folder: folder.to_owned(),
            title: None,
            has_report,
            played: format!("series of {}", counted(parts.len(), "game")),
            date: parts.iter().map(|part| part.date.clone()).max().unwrap_or_default(),
            bots: rows.len(),
            games: [sum(0), sum(1)],
            top: rows.iter().take(PICTURED).map(|row| (row.name.clone(), String::new(), share(row))).collect(),
            leading: leader.into_iter().collect(),
            options: None,
            parts,
        })
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

/// Who leads a series, given the name of each bot, its rank and share of points, and the probability that it is better than the
/// next: `mcts is first with 71.2% of the points; it is better than greedy with a probability of 98.0%.`
pub(super) fn leader(
    mut rows: impl Iterator<Item = (String, Option<(usize, f64)>, Option<f64>)> + Clone,
) -> Option<String> {
    let all = rows.clone();
    let (first, place, los) = rows.next()?;
    let (rank, share) = place?;
    let share = cells::percent(Some(share));
    let equal = all.filter(|(_, place, _)| place.is_some_and(|(other, _)| other == rank));
    let equal: Vec<String> = equal.map(|(name, ..)| shown(&name)).collect();
    if equal.len() > 1 {
        let names = cells::first_of(equal.into_iter(), EQUAL_MAX, " and");
        return Some(format!("{names} share the first place with {share} of the points each."));
    }
    let better = rows.next().zip(los).map(|((next, ..), los)| {
        format!("; it is better than {} with a probability of {}", shown(&next), cells::percent(Some(los)))
    });
    Some(format!("{} is first with {share} of the points{}.", shown(&first), better.unwrap_or_default()))
}

/// The page of all tournaments, the newest first.
#[must_use]
pub fn index_html(mut entries: Vec<IndexEntry>) -> String {
    entries.sort_by(|a, b| (Reverse(&a.date), &a.folder).cmp(&(Reverse(&b.date), &b.folder)));
    let body = html! {
        header class="top" {
            h1 { "Tournaments" }
            p class="facts" { (counted(entries.len(), "tournament")) ", the newest first" }
            @if let Some(newest) = entries.first().filter(|newest| !newest.leading.is_empty()) {
                p class="headline" { (linked(newest.report().as_deref(), "", &shown(newest.heading()))) ": " (newest.leads()) }
            }
        }
        main {
            @if entries.is_empty() { p class="empty" { "No tournament has been played here." } }
            div class="cards" { @for entry in &entries { (card(entry)) } }
        }
    };
    super::page("Tournaments", &TABLES_SCRIPT, &body)
}

pub(super) fn card(entry: &IndexEntry) -> Markup {
    let IndexEntry { played, bots, games: [done, all], top, parts, .. } = entry;
    let report = entry.report();
    let is_series = !parts.is_empty();
    let value = |elo: &Option<Estimate>| match elo {
        Some(share) if is_series => format!("{}%", percent(share.elo / 100.0)),
        _ => elo_and_margin(elo.as_ref()).0,
    };
    let middle = if is_series { 50.0 } else { 0.0 };
    let games = if done == all { grouped(*done) } else { format!("{} of {}", grouped(*done), grouped(*all)) };
    let axis = Axis::of(top.iter().filter_map(|(.., elo)| *elo));
    // A date, as far as it is one.
    let date: String = entry.date.chars().take("2026-11-28".len()).collect();
    html! {
        article class="card" {
            h2 { (linked(report.as_deref(), "", &shown(entry.heading()))) }
            p class="facts" {
                (shown(played)) " · " (counted(*bots, "bot")) " · " (games) " games"
                @if !date.is_empty() { " · " time { (shown(&date)) } }
            }
            @if !entry.leading.is_empty() { p { (entry.leads()) } }
            @if !top.is_empty() {
                table {
                    caption class="visually-hidden" { "The first bots" }
                    tbody { @for (name, id, elo) in top { tr {
                        th scope="row" { (linked(report.as_deref(), id, &shown(name))) }
                        td { (value(elo)) }
                        td class="bars" { @if let (Some(axis), Some(elo)) = (&axis, elo) { (axis.bar(elo, middle, &shown(name))) } }
                    } } }
                }
            }
            @if let Some(options) = &entry.options { p class="note" { (shown(options)) } }
            @if is_series {
                ul class="files" { @for part in parts {
                    li {
                        (linked(part.report().as_deref(), "", &shown(part.folder.rsplit('/').next().unwrap_or_default())))
                        @if let Some((name, ..)) = part.top.first() { ": " (shown(name)) }
                    }
                } }
            }
        }
    }
}

/// A share of points and its interval, for a bar.
pub(super) fn in_percent([score, lo, hi]: [f64; 3]) -> Estimate {
    Estimate { elo: 100.0 * score, lo: 100.0 * lo, hi: 100.0 * hi }
}

/// A link to a part of a report, if there is one.
fn linked(report: Option<&str>, part: &str, name: &str) -> Markup {
    html! { @if let Some(report) = report { a href={ (report) (part) } { (name) } } @else { (name) } }
}

/// A relative path as an address, so that it stays a path below the page.
pub(super) fn address(folder: &str) -> String {
    format!("./{}", percent_encoded(folder.as_bytes()))
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
    fn each_card_and_the_page_say_who_leads() {
        let json = |updated: &str, headline: &[&str]| serde_json::json!({ "updated": updated, "headline": headline });
        let page = index_html(vec![
            entry("old", &json("2026-01-01", &["mcts won the knockout."])),
            entry(
                "<b>",
                &json("2026-11-28", &["<i>a\u{202e} (+9.0 ± 3.1) is first,", "stronger than every other bot at 95 %."]),
            ),
            entry("older", &serde_json::json!({ "updated": "2025-01-01" })),
            entry("oldest", &json("2024-01-01", &["x".repeat(1 << 20).as_str(); 9])),
        ]);
        assert!(page.len() < 1 << 19, "{}", page.len());
        let leads = r"&lt;i&gt;a\u{202e} (+9.0 ± 3.1) is first, stronger than every other bot at 95 %.";
        let headline = format!(r#"<p class="headline"><a href="./%3Cb%3E/report.html">&lt;b&gt;</a>: {leads}</p>"#);
        assert!(page.contains(&headline) && page.contains(&format!("<p>{leads}</p>")), "{page}");
        assert_eq!(
            (page.matches("<p>").count(), page.matches("<p>mcts won the knockout.</p>").count()),
            (2, 1),
            "{page}"
        );
    }

    #[test]
    fn a_series_is_one_card_with_its_games() {
        let json = serde_json::json!({ "updated": "2026-11-28", "counts": { "played": 2, "scheduled": 3 } });
        let parts = ["s/a=1", "s/b"].map(|folder| entry(folder, &json)).into();
        let table = "rank,name,score,score_lo,score_hi,los\n1,<b>,0.75,0.7,0.8,\n,late,,,,\n";
        let series = IndexEntry::series("s", true, Some(table.as_bytes()), parts).unwrap();
        let page = index_html(vec![series]);
        assert!(page.contains("series of 2 games · 2 bots · 4 of 6 games · <time>2026-11-28</time>"), "{page}");
        assert!(page.contains("<a href=\"./s/report.html\">&lt;b&gt;</a></th><td>75.0%"), "{page}");
        assert_eq!(page.matches("&lt;b&gt; is first with 75.0% of the points.").count(), 2, "{page}");
        assert!(page.contains("<a href=\"./s/a%3D1/report.html\">a=1</a>") && page.matches("<article").count() == 1);
        assert!(IndexEntry::series("s", true, Some(&b"rank\n1\n"[..]), Vec::new()).is_err(), "no names");
    }

    #[test]
    fn what_is_no_definition_is_an_error() {
        for json in ["", "7", "{\"bots\":7}"] {
            assert!(IndexEntry::read("x", true, json.as_bytes()).is_err(), "{json}");
        }
    }
}
