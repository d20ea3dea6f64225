//! `tournament.json`: the definition of the tournament, the machine, its progress and warnings.

use std::io::Write;

use arena_core::event::{StopReason, Tournament};
use arena_core::format::Over;
use arena_core::text::json;
use arena_sys::machine::Machine;
use arena_wire::protocol;
use serde::Serialize;
use serde_json::Value;

use super::summary::Summary;
use crate::report::cells::rounded_to;
use crate::report::tables::rounds::{MatchJson, matches_json};
use crate::report::text::headline::leading;
use crate::report::words::sprt::TestResult;
use crate::report::{GameCounts, Results, ResultsOptions, fault_sentences, statements, warnings};

/// When the results were taken, and how fast the games of a run are played.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RunPace {
    /// Time of the results, in UTC.
    pub updated: String,
    /// Games per second of the run; `None` outside of one.
    #[serde(serialize_with = "in_hundredths")]
    pub games_per_second: Option<f64>,
    /// Seconds until the games of the schedule are played; `None` if that is not known, or nothing is played.
    pub seconds_left: Option<u64>,
}

impl RunPace {
    /// The pace of a run that has these games missing.
    pub(crate) fn of(options: &ResultsOptions, missing: usize) -> Self {
        let rate = options.games_per_second.filter(|rate| options.estimates_end && *rate > 0.0);
        Self {
            updated: options.updated.clone().unwrap_or_else(arena_sys::time::timestamp),
            games_per_second: options.games_per_second,
            seconds_left: rate.map(|rate| (missing as f64 / rate).ceil() as u64),
        }
    }
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn in_hundredths<S: serde::Serializer>(rate: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    rate.map(|rate| rounded_to(rate, 2)).serialize(serializer)
}

#[derive(Serialize)]
struct TournamentFile<'a> {
    #[serde(flatten)]
    event: Tournament,
    /// What pages are headed with, if not with the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    counts: GameCounts,
    #[serde(skip_serializing_if = "Option::is_none")]
    decisions: Option<Decisions>,
    /// Why the last run stopped itself before the last game.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<StopReason>,
    /// Who leads, in sentences.
    headline: Vec<String>,
    summary: Summary,
    warnings: Vec<String>,
    versions: Value,
    machine: Machine,
    #[serde(flatten)]
    pace: &'a RunPace,
}

/// The decisions of a stepwise format.
#[derive(Serialize)]
struct Decisions {
    made: u32,
    /// Why there are no more.
    over: Option<Over>,
    /// The matches, where they determine the ranks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    matches: Vec<MatchJson>,
}

/// Writes the event with all its settings, then counts, summary, warnings (the event's own first), versions, the machine
/// and the pace.
///
/// # Errors
///
/// Returns an error if `out` fails.
pub fn tournament_json(results: &Results<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    // Merge the lists of warnings: the event's own would be a second field of that name.
    let mut event = results.event().clone();
    if results.schedule.is_cut() {
        // Later rounds start no game any more, and there may be thousands.
        event.rounds = results.rounds();
        event.openings.truncate(event.rounds.max(1) as usize);
    }
    if let Some(needed) = event.openings_needed().filter(|needed| *needed < event.openings.len()) {
        // Earlier versions have whole books. Pairs that were added may have more than the definition needs.
        let used = results.schedule.pairs().map(|pair| pair.opening as usize + 1).max().unwrap_or(0);
        event.openings.truncate(used.max(needed));
    }
    let mut all = std::mem::take(&mut event.warnings);
    all.extend(warnings(results));
    all.extend(fault_sentences(results));
    all.extend(statements(&results.ranking, results.rounds_played()));
    let tournament = TournamentFile {
        event,
        title: results.title.as_deref(),
        counts: results.progress,
        decisions: results.schedule.is_stepwise().then(|| Decisions {
            made: results.schedule.decisions(),
            over: results.schedule.over(),
            matches: matches_json(results),
        }),
        stopped: results.stop.filter(|_| results.is_out_of_time()).map(|stop| stop.why),
        headline: leading(results),
        summary: Summary::of(&results.ranking, TestResult::of(results)),
        warnings: all,
        versions: serde_json::json!({ "arena": env!("CARGO_PKG_VERSION"), "protocol": protocol::VERSION }),
        machine: Machine::this(),
        pace: &results.pace,
    };
    let text = serde_json::to_string_pretty(&tournament)?;
    Ok(writeln!(out, "{}", json(&with_compact_lists(&text)))?)
}

/// Pretty JSON with each array within an array on one line, because hundreds of openings would otherwise take thousands
/// of lines.
fn with_compact_lists(pretty: &str) -> String {
    let mut text = String::with_capacity(pretty.len());
    let mut arrays = 0;
    for line in pretty.lines() {
        let token = line.trim_start();
        let is_within = arrays > 1;
        // Brackets in strings are neither at the beginning nor at the end of a line.
        arrays += usize::from(token.ends_with('['));
        arrays -= usize::from(token.starts_with(']'));
        if !is_within && !text.is_empty() {
            text.push('\n');
        }
        text.push_str(if is_within { token } else { line });
        if arrays > 1 && token.ends_with(',') {
            text.push(' ');
        }
    }
    text
}
