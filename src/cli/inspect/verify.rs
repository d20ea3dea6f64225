//! `arena verify`: replays every record through the rules, and says what that proves.

mod report;
mod signed;

use std::collections::BTreeMap;
use std::io::BufReader;
use std::sync::Arc;

use anyhow::Context;
use arena_core::event::{self, Tournament};
use arena_core::format::Format;
use arena_core::record::Record;
use arena_core::rules::Variant;
use arena_core::schedule::{Brief, Scheduler};
use arena_core::text::{counted, shown};
use arena_core::verify::{Unproven, event_problems, problems, round_problems, twin_problem};
use arena_run::session::{MatchEvaluation, is_of_play};
use arena_store::journal::{self, JournalContents, JournalLine, LineDamage, Located, SeenGames, Sighting, event_cure};
use arena_sys::flags::GAME;
use arena_sys::results_folder::ResultsFolder;

use super::standings::open;
use crate::cli::args::game::{RulesArgs, recall_quietly};
use crate::cli::{Exit, Io, ResultsArgs};
use report::{JournalFinding, JournalReport, Missing};
use signed::TrustArgs;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name or folder of a tournament [default: all of them]
    tournament: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
    #[command(flatten)]
    trust: TrustArgs,
    #[command(flatten)]
    results: ResultsArgs,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let named = args.rules.load(io)?;
    let trusted = args.trust.keys()?;
    let places = args.results.tournaments(args.tournament.as_deref(), io)?;
    let mut reports = Vec::new();
    for place in &places {
        let folder = open(place)?;
        recall_quietly(&folder, io);
        let mut report = verify(&folder, named.as_ref())?;
        signed::check(&folder, &trusted, &mut report)?;
        if !args.json {
            io.print(&report.text())?;
        }
        reports.push(report);
    }
    if args.json {
        io.print_json(&reports)?;
    }
    Ok(if reports.iter().all(|report| report.problems.is_empty()) { Exit::Done } else { Exit::Error })
}

/// Compares the games with the schedule: adds the decisions that would be made otherwise, and notes the games that are missing.
fn compare(folder: &ResultsFolder, report: &mut JournalReport) -> anyhow::Result<()> {
    // A damaged journal has problems already.
    let Ok((_, contents)) = journal::read(folder) else { return Ok(()) };
    let JournalContents { event: Some(event), games, rounds, .. } = contents else { return Ok(()) };
    let event = Arc::new(event);
    if Format::named(&event.format).is_some_and(Format::is_stepwise) {
        let text = |n| format!("decision {n} is not the one that follows from the results before it");
        let differing = Scheduler::differing_rounds(Arc::clone(&event), &games, &rounds)?;
        report.problems.extend(differing.into_iter().map(|n| JournalFinding { line: None, text: text(n) }));
    }
    let mut evaluation = MatchEvaluation::new(event.sprt.as_ref().and_then(event::Test::sprt));
    let scheduler = Scheduler::as_left(event, &games, &rounds, &mut evaluation)?;
    report.missing = Some(Missing::of(&scheduler));
    Ok(())
}

/// Rules of a definition that are not there.
struct MissingRules {
    /// `NAME@HASH`.
    name: &'static str,
    /// Says how they are missing.
    why: String,
    /// Line of the definition.
    line: usize,
}

/// That the program is missing that is the rules of the game, or is another one than the `named` one.
fn missing_rules(event: &Tournament, line: usize, named: Option<&Variant>) -> Option<MissingRules> {
    let variant = event.variant().ok().filter(|variant| variant.rules.is_absent())?;
    let other =
        named.map(|named| named.rules).filter(|rules| rules.is_external() && rules.label() == variant.rules.label());
    let name = variant.rules.name;
    let why = match other {
        Some(rules) => format!("played under {name}; these rules are {}", rules.name),
        None => variant.start(0).err()?.to_string(),
    };
    Some(MissingRules { name, why, line })
}

/// `NAME@HASH` of the program of a game if it is not there.
fn absent_program(record: &Record) -> Option<&'static str> {
    Variant::named(&record.game)
        .ok()
        .map(|variant| variant.rules)
        .filter(|rules| rules.is_absent())
        .map(|rules| rules.name)
}

fn verify(folder: &ResultsFolder, named: Option<&Variant>) -> anyhow::Result<JournalReport> {
    let path = folder.path_of(journal::FILE_NAME);
    let reading = || format!("reading journal {}", path.display());
    let mut lines =
        journal::lines(BufReader::with_capacity(1 << 16, folder.read(journal::FILE_NAME).with_context(reading)?));
    let (mut found, mut remarks) = (Vec::new(), Vec::new());
    let mut games = 0;
    let mut without_rules: Vec<MissingRules> = Vec::new();
    // Games that are not replayed, by their rules.
    let mut not_replayed: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unproven = Unproven::default();
    // The current definition, and its line.
    let mut definition = None;
    let mut seen = SeenGames::default();
    // The highest number of a decision.
    let mut decided = 0;
    while let Some(located) = lines.next() {
        let Located { number, offset, bytes, line } = located.with_context(reading)?;
        let complaints = match line {
            Ok(JournalLine::Event(now)) => {
                without_rules.extend(missing_rules(now.without_book(), number, named));
                match lines.complete(*now) {
                    Ok(event) => {
                        let complaints = event_problems(&event);
                        definition = Some((number, event));
                        complaints
                    }
                    Err(why) => vec![format!("{why}; {}", event_cure())],
                }
            }
            Ok(JournalLine::Game(record)) => {
                let absent = absent_program(&record);
                *absent.map_or(&mut games, |rules| not_replayed.entry(rules).or_default()) += 1;
                let mut complaints = if absent.is_some() { Vec::new() } else { problems(&record) };
                unproven.note(&record);
                let brief = Brief::of(&record, offset, bytes);
                if let Sighting::Contradiction(earlier) = seen.note(&brief, number) {
                    complaints.push(format!("line {earlier} has it with another result"));
                }
                complaints.into_iter().map(|problem| format!("game {}: {problem}", shown(&record.id))).collect()
            }
            // The basis of a decision is checked when the schedule is made.
            Ok(JournalLine::Round(round)) => {
                let problems = definition.as_ref().map_or_else(Vec::new, |(_, event)| round_problems(&round, event));
                // A changed field begins at an earlier number, and one that is as it was goes on where it ended.
                let gap = (round.n > decided + 1).then(|| format!("decision {} is missing before it", decided + 1));
                decided = decided.max(round.n);
                problems.into_iter().chain(gap).collect()
            }
            Ok(JournalLine::Openings | JournalLine::Stop(_)) => Vec::new(),
            Err(LineDamage { why, is_event: false }) => vec![why.to_string()],
            Err(LineDamage { why, is_event: true }) => vec![format!("{why}; {}", event_cure())],
        };
        let finding = |text| JournalFinding { line: Some(number as u64), text };
        found.extend(complaints.into_iter().map(finding));
    }
    let current = definition.as_ref().and_then(|(_, event)| event.variant().ok()).map(|variant| variant.rules.name);
    let needed = without_rules.into_iter().filter(|missing| Some(missing.name) == current);
    found.extend(needed.map(|missing| JournalFinding { line: Some(missing.line as u64), text: missing.why }));
    games += current.and_then(|rules| not_replayed.remove(rules)).unwrap_or_default();
    for (rules, count) in not_replayed {
        let text = format!("{} of {rules} cannot be replayed, whose program is missing", counted(count, "game"));
        if definition.is_some() {
            remarks.push(format!("{text}; the tournament has other rules now, so they count nowhere in it"));
        } else {
            games += count;
            found.push(JournalFinding { line: None, text: format!("{text}; name it with {GAME}") });
        }
    }
    if let Some((number, event)) = &definition {
        let finding = |text| JournalFinding { line: Some(*number as u64), text };
        found.extend(twin_problem(event).map(finding));
    } else if games > 0 && !is_of_play(folder.path()) {
        let text = "no line defines the tournament; run it again with its settings, bots and `--seed N` to write one (its \
                    tournament.json has the seed)";
        found.push(JournalFinding { line: None, text: text.to_owned() });
    }
    if !seen.twice.is_empty() {
        remarks.push(seen.twice.to_string());
    }
    let torn = lines.torn_bytes;
    if torn > 0 {
        let why = "harmless: the write of a game was interrupted; the next run replays it";
        remarks.push(format!("the last line is torn ({torn} bytes): {why}"));
    }
    let mut report = JournalReport::new(path.display().to_string(), games, found, remarks, unproven);
    if definition.is_some() {
        compare(folder, &mut report)?;
    }
    Ok(report)
}
