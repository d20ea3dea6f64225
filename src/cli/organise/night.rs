//! `arena night`: a night of a league. It checks all bots, plays as long as there is time, and publishes the results.
//!
//! Each step is the function of the command that does it alone. A step that fails does not keep the others from being done.

use std::path::{Path, PathBuf};

use anyhow::bail;
use arena_core::text::{counted, grouped, shown};
use arena_run::session::Outputs;
use arena_store::journal;
use arena_store::report::{INDEX_FILE, REPORT_FILE, Results, ResultsOptions, first_places};
use arena_sys::results_folder::{Place, ResultsFolder};

use crate::cli::inspect::similar;
use crate::cli::inspect::standings::{open, read_tournament};
use crate::cli::make::publish;
use crate::cli::run::event_args::RESULTS;
use crate::cli::run::feedback::{read_checks, write_feedback};
use crate::cli::run::tournament;
use crate::cli::{Exit, Io};

/// The step whose exit code is that of the night.
const PLAY: &str = "play";

// A league keeps the last version that worked. What plays a part or prints data is for `tournament`.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(
    mut_arg("keep_last_good", |arg| arg.default_value("true").hide(true)),
    mut_arg("shard", |arg| arg.hide(true)),
    mut_arg("round", |arg| arg.hide(true)),
    mut_arg("plan", |arg| arg.hide(true)),
    mut_arg("json", |arg| arg.hide(true)),
)]
pub(crate) struct Args {
    #[command(flatten)]
    tournament: tournament::Args,
    /// Write a text for the author of each bot into this folder: what the check found, and what to do about it
    #[arg(long, value_name = "DIR", help_heading = RESULTS)]
    texts: Option<PathBuf>,
    /// Write a text and a page for the author of each bot into this folder after the games, as `arena standings --feedback`
    /// does
    #[arg(long, value_name = "DIR", help_heading = RESULTS)]
    feedback: Option<PathBuf>,
    /// Make a folder of all results for a web server, without what is private, as `arena publish` does
    #[arg(long, value_name = "DIR", help_heading = RESULTS)]
    publish: Option<PathBuf>,
}

/// What is done, and its name.
type Step<'a> = (&'static str, Box<dyn Fn() -> anyhow::Result<Exit> + 'a>);

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let tournament = &args.tournament;
    if tournament.is_in_parts() || tournament.prints_json() {
        bail!("--shard, --plan and --json are for `arena tournament`; a night plays all games and prints for people");
    }
    // The check takes its part of the time too.
    let deadline = tournament.deadline();
    let contest = tournament.contest(io)?;
    let place = Place::at(tournament.results().join(&contest.name));
    let before = games(&place);

    let mut steps: Vec<Step<'_>> = vec![
        ("check", Box::new(|| tournament.check_all(&contest, args.texts.as_deref(), io))),
        (PLAY, Box::new(|| tournament::play(tournament, &contest, deadline, None, io))),
        ("similar", Box::new(|| similar::show(&place, false, io))),
    ];
    if let Some(dir) = &args.feedback {
        steps.push(("feedback", Box::new(|| feedback(args, dir, &place, io))));
    }
    if let Some(dir) = &args.publish {
        steps.push(("publish", Box::new(|| publish::publish(tournament.results(), dir, true, io))));
    }
    let (mut exit, mut failed) = (Exit::Done, Vec::new());
    for (number, (name, step)) in (1..).zip(&steps) {
        io.tell(&format!("night, step {number} of {}: {name}", steps.len()));
        match step() {
            Ok(Exit::Killed) => return Ok(Exit::Killed),
            Ok(code) if *name == PLAY => exit = code,
            Ok(_) => {}
            Err(error) => {
                io.warn(&format!("step {number}, {name}, failed: {error:#}"));
                failed.push(*name);
            }
        }
    }
    io.print(&summary(args, &place, before, &failed, io)?)?;
    Ok(if failed.is_empty() { exit } else { Exit::Error })
}

/// The number of games in the journal; 0 if there is none that can be read, which playing will say.
fn games(place: &Place) -> usize {
    let contents = place.open().ok().and_then(|folder| journal::read(&folder).ok());
    contents.map_or(0, |(_, contents)| contents.games.len())
}

/// Writes the feedback for all authors. It includes what tonight's check found.
fn feedback(args: &Args, dir: &Path, place: &Place, io: &Io) -> anyhow::Result<Exit> {
    let folder = open(place)?;
    with_results(&folder, io, |results| {
        let checks = args.texts.as_deref().map(|texts| read_checks(texts, results)).transpose()?;
        let overwriting = args.tournament.overwriting(folder.clone());
        write_feedback(dir, checks.unwrap_or_default(), &folder, results, overwriting, io)
    })?;
    Ok(Exit::Done)
}

/// The results in a folder, with the options that its tables have.
fn with_results<T>(
    folder: &ResultsFolder,
    io: &Io,
    of: impl FnOnce(&Results<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let (scheduler, reader, stop) = read_tournament(folder, false, io)?;
    let tables = Outputs::read(folder)?.tables;
    let names: Vec<&str> = scheduler.event().bots.iter().map(|entry| entry.id.name.as_str()).collect();
    // That the anchor is gone was said with the tables.
    let (analysis, _) = tables.analysis_of_those_left(&names);
    let options = ResultsOptions { stop, ..tables.for_results(analysis) };
    of(&Results::new(&scheduler, &reader, options)?)
}

/// What a night was worth, in lines.
fn summary(args: &Args, place: &Place, before: usize, failed: &[&str], io: &Io) -> anyhow::Result<String> {
    let mut lines = vec![String::new()];
    let path = place.path();
    match place.open() {
        Ok(_) => lines.extend(of_results(place, before, io)?),
        Err(_) => lines.push(format!("no game of {} was played", shown(&path.to_string_lossy()))),
    }
    if !failed.is_empty() {
        lines.push(format!("failed, as said above: {}", failed.join(", ")));
    }
    let files = [("report", Some(path.join(REPORT_FILE))), ("texts for authors", args.texts.clone())];
    let feedback = ("feedback for authors", args.feedback.clone());
    let site = ("site", args.publish.as_ref().map(|dir| dir.join(INDEX_FILE)));
    let is_there = |(_, path): &(_, Option<PathBuf>)| path.as_deref().is_some_and(Path::exists);
    for (what, path) in files.into_iter().chain([feedback, site]).filter(is_there) {
        lines.push(format!("{what}: {}", shown(&path.unwrap_or_default().to_string_lossy())));
    }
    Ok(lines.join("\n"))
}

/// The games, who leads and how sure that is, and who does not play and why.
fn of_results(place: &Place, before: usize, io: &Io) -> anyhow::Result<Vec<String>> {
    let tonight = games(place).saturating_sub(before);
    with_results(&open(place)?, io, |results| {
        let (event, counts) = (results.event(), results.progress());
        let mut lines = vec![format!(
            "{}: {} tonight; {} count",
            shown(results.heading()),
            counted(tonight, "game"),
            grouped(counts.played as u64)
        )];
        lines.extend(first_places(results.ranking(), event, counts.is_complete()));
        lines.extend(event.left_out.iter().map(|bot| format!("left out: {}: {}", shown(&bot.name), shown(&bot.cause))));
        lines.extend(event.earlier.iter().map(arena_core::event::EarlierVersion::sentence));
        lines.extend(results.withdrawn().map(|(bot, reason)| format!("withdrawn: {}: {reason}", shown(bot))));
        Ok(lines)
    })
}
