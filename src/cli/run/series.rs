//! `arena series`: tournaments of several games with the same bots, and one table of all.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, bail};
use arena_core::event::LeftOut;
use arena_core::format::{self, Format};
use arena_core::rules::Variant;
use arena_core::schedule::Scheduler;
use arena_core::text::{counted, shown};
use arena_play::roster::{FoundBot, KeptVersions, Roster};
use arena_run::session::{
    Goal, MoreRounds, SeriesFile, SeriesPart, SeriesTournament, Session, SessionSettings, TimeBudget, check_two_bots,
    default_name, play_series,
};
use arena_show::observer::{Observer, RunEnding, RunEvent};
use arena_store::journal;
use arena_store::report::{
    COMBINED_FILE, Combined, REPORT_FILE, SeriesGame, copy_warnings, fault_lines, warnings, write_series,
};
use arena_sys::results_folder::{Durability, Place, ResultsFolder};
use clap::ArgAction;

use super::again::{stopped_before_the_first_game, this_command};
use super::contest::Contest;
use super::event_args::{EventArgs, GAMES};
use super::index::renew_index;
use super::left_out::left_out_lines;
use super::progress::Progress;
use super::roster_args::RosterArgs;
use super::tournament::setup_line;
use crate::cli::args::budget::BudgetArgs;
use crate::cli::args::format::FormatArgs;
use crate::cli::args::game::GameArg;
use crate::cli::args::rating::{DecidingArgs, analysis};
use crate::cli::{Exit, Io};

/// Its folder unless it has a name.
const NAME: &str = "series";
/// The table of all games.

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Game and parameters; at least two games
    #[arg(long = "game", value_name = "GAME", required = true, action = ArgAction::Append, help_heading = GAMES)]
    games: Vec<GameArg>,
    /// Weight of a game in the combined table, such as gomoku=2 [default: 1]
    #[arg(long, value_name = "GAME=X", value_parser = parse_weight, help_heading = GAMES)]
    weight: Vec<(String, f64)>,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten, next_help_heading = "Format")]
    budget: BudgetArgs,
    #[command(flatten)]
    event: EventArgs,
    #[command(flatten)]
    roster: RosterArgs,
    #[command(flatten, next_help_heading = "Ratings")]
    rating: DecidingArgs,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let games =
        args.games.iter().map(|game| args.event.load_game(game, io)).collect::<anyhow::Result<Vec<Variant>>>()?;
    let labels = labels(&games)?;
    let name = args.event.name.as_deref().unwrap_or(NAME);
    let dir = args.event.results.join(name);
    let there = Place::at(&dir).open_if_there().with_context(|| format!("opening folder {}", dir.display()))?;
    let mut known = Vec::new();
    if let Some(folder) = there {
        if folder.has(journal::FILE_NAME) {
            bail!("{} is a tournament; --name NAME gives the series another folder", dir.display());
        }
        if folder.has(COMBINED_FILE) && !SeriesFile::is_in(&folder) {
            bail!(
                "{} has `{COMBINED_FILE}`, and is no series; --name NAME gives the series another folder",
                dir.display()
            );
        }
        if SeriesFile::is_in(&folder) && !args.event.fresh {
            known = SeriesFile::read(&folder)?.games;
        }
    }
    if let Some(missing) = known.iter().find(|part| !labels.contains(&part.game)) {
        let game = shown(&missing.game);
        bail!(
            "{} is a series with {game}, which is not asked for; add it to go on, or --name NAME for another series",
            dir.display()
        );
    }
    let weights = weights(&args.weight, &labels, &known)?;
    let contests = games.iter().zip(&labels).map(|(game, label)| contest(args, game, label, &dir, &known, io));
    let contests = contests.collect::<anyhow::Result<Vec<Contest>>>()?;
    let found = args.roster.find(&args.event, io, |bot| games.iter().any(|game| bot.plays(game)))?;
    let of_game = |game| args.roster.for_game(&args.event, game, &found, io);
    let rosters = games.iter().map(of_game).collect::<anyhow::Result<Vec<_>>>()?;
    let mut told = BTreeSet::new();
    for line in rosters.iter().flat_map(|(roster, _)| left_out_lines(roster)) {
        if told.insert(line.clone()) {
            io.tell_left_out(&line);
        }
    }
    // Before a folder is created for any of them.
    for (game, (roster, _)) in games.iter().zip(&rosters) {
        let playing = roster.bots.iter().filter(|bot| bot.plays(game));
        let playing: Vec<&str> = playing.map(|bot| bot.launch.name.as_str()).collect();
        let others: Vec<String> = roster.bots.iter().filter_map(|bot| bot.other_games(game)).collect();
        check_two_bots(game, &playing, &others.iter().map(String::as_str).collect::<Vec<_>>())
            .with_context(|| format!("--game {game}"))?;
    }
    let deadline = args.budget.deadline();
    let progress = Mutex::new(args.event.progress(&games[0], &found.bots, io));
    let progress = Arc::new(progress);
    let mut parts = Vec::new();
    for ((contest, label), bots) in contests.iter().zip(&labels).zip(rosters) {
        let observer = OfGame { progress: Arc::clone(&progress), game: label, has_begun: false };
        let budget = deadline.map(|deadline| TimeBudget { deadline, may_change_format: false });
        let Some(part) = open(args, contest, &dir, bots, budget, observer, io)
            .with_context(|| format!("--game {}", contest.game))?
        else {
            return Ok(stopped_before_the_first_game(io));
        };
        parts.push(part);
    }
    let of_part = |(part, (game, weight)): (&SeriesTournament<'_, _>, (&String, &f64))| {
        let folder = part.session.event().name.clone();
        SeriesPart { game: game.clone(), folder, weight: *weight }
    };
    let games = parts.iter().zip(labels.iter().zip(&weights)).map(of_part).collect();
    let series = SeriesFile { games, strict: args.event.strict };
    let folder = Place::at(dir).create("--results")?;
    series.write(&folder)?;
    if !args.event.quiet {
        for contest in &contests {
            contest.tell(io);
        }
        announce(&parts, &labels, args.format.chosen(None, deadline.is_some()).goal()?, io);
    }
    let ending = play_series(&mut parts, deadline)?;
    lock(&progress).observe(&RunEvent::Over { ending });
    finish(args, ending, &parts, series, &folder, io)
}

/// Writes all tables, and shows the combined one.
fn finish(
    args: &Args,
    ending: RunEnding,
    parts: &[SeriesTournament<'_, MoreRounds>],
    series: SeriesFile,
    folder: &ResultsFolder,
    io: &Io,
) -> anyhow::Result<Exit> {
    let mut games = Vec::new();
    for (part, own) in parts.iter().zip(series.games) {
        let label = &own.game;
        let results = part.session.results(&part.options)?;
        part.session.write_tables(&results)?;
        // Copies were reported when it was opened.
        let copies = copy_warnings(results.event());
        for text in warnings(&results).iter().filter(|text| !copies.contains(text)) {
            io.warn(&format!("{label}: {text}"));
        }
        for line in fault_lines(&results) {
            io.tell(&format!("{label}: {line}"));
        }
        games.push(own.with(results));
    }
    show_combined(&games, series.strict, folder, io)?.context("writing the combined table")?;
    renew_index(&args.event.results, io);
    let is_out_of_time = ending == RunEnding::OutOfTime;
    let is_complete = games.iter().all(|game| game.results.progress().is_complete());
    if !is_complete && !is_out_of_time {
        io.tell_command("resume with: ", &this_command(io));
    }
    let trouble = games.iter().any(|game| {
        let results = &game.results;
        results.withdrawn().next().is_some()
            || results.event().has_failed_bots()
            || results.has_broken_rules()
            || args.event.strict && results.any_fault()
    });
    Ok(match ending {
        RunEnding::Killed => Exit::Killed,
        RunEnding::RulesFailed => Exit::Error,
        _ if !is_complete && !is_out_of_time => Exit::Incomplete,
        _ if trouble => Exit::BotTrouble,
        _ => Exit::Done,
    })
}

/// Writes the combined table and the report, and shows the table. Returns whether they could be written.
pub(crate) fn show_combined(
    games: &[SeriesGame<'_>],
    strict: bool,
    folder: &ResultsFolder,
    io: &Io,
) -> anyhow::Result<anyhow::Result<()>> {
    let combined = Combined::new(games, strict);
    let written = write_series(folder, &combined, games, Durability::Synced);
    let place = folder.path().display();
    io.print_page(&combined.page(&format!(
        "report: {place}/{REPORT_FILE}; each game has its own, with tables and journal, in a folder beside it"
    )))?;
    Ok(written)
}

/// Opens the tournament of a game; `None` if a signal came first.
fn open<'a>(
    args: &'a Args,
    contest: &Contest,
    dir: &Path,
    (roster, kept): (Roster, Option<KeptVersions>),
    budget: Option<TimeBudget>,
    mut observer: OfGame<'a>,
    io: &Io,
) -> anyhow::Result<Option<SeriesTournament<'a, MoreRounds>>> {
    let game = &contest.game;
    let chosen = args.format.chosen(contest.recorded.as_ref(), budget.is_some());
    if !chosen.format.has_shares {
        let able = format::all().filter(|format| format.has_shares).map(|format| format!("{}s", format.title));
        let (able, format) = (able.collect::<Vec<_>>().join(" or "), chosen.format.name);
        bail!("a series has {able}; a {format} does not tell what share of points a bot deserves");
    }
    let defaults = args.event.settings(contest, chosen.format, chosen.rounds(), io)?;
    let playing: Vec<&FoundBot> = roster.bots.iter().filter(|bot| bot.plays(game)).collect();
    let tables = args.rating.asked(args.event.no_times);
    tables.analysis(&playing.iter().map(|bot| bot.launch.name.as_str()).collect::<Vec<_>>(), false)?;
    let settings = SessionSettings {
        // The folder of the series has that of each game.
        results: dir.to_owned(),
        in_series: true,
        budget,
        goal: chosen.goal()?,
        kept,
        tables,
        format_options: chosen.options(&playing)?,
        left_out: roster.left_out().map(|(name, cause)| LeftOut::unable(name, cause)).collect(),
        ..defaults
    };
    let Some((session, ())) = Session::open(settings, roster.bots.clone(), &roster, || (), &mut observer)? else {
        return Ok(None);
    };
    let options = analysis(session.tables(), session.event(), &format!("{game}: "), io);
    let policy = MoreRounds::new(&session, &options);
    Ok(Some(SeriesTournament { session, policy, options, observer: Box::new(observer) }))
}

/// The contest of a game, in the folder that the series has for it, or a new one.
fn contest(
    args: &Args,
    game: &Variant,
    label: &str,
    dir: &Path,
    known: &[SeriesPart],
    io: &Io,
) -> anyhow::Result<Contest> {
    let folder = known.iter().find(|part| part.game == label).map(|part| part.folder.clone());
    let new = || default_name(game, None, args.format.format.unwrap_or(Format::usual()));
    let name = folder.unwrap_or_else(new);
    let place = Place::within(dir, &name);
    args.event.contest_in(&place, name, Some(game.clone()), args.format.format, io)
}

/// What is played.
fn announce(parts: &[SeriesTournament<'_, MoreRounds>], labels: &[String], goal: Option<Goal>, io: &Io) {
    for (part, label) in parts.iter().zip(labels) {
        io.tell(&setup_line(&part.session, label, goal));
    }
    let schedules = || parts.iter().map(|part| part.session.scheduler());
    let missing: usize = schedules().map(|schedule| schedule.missing().count()).sum();
    let is_open = schedules().any(Scheduler::is_open);
    let capacity = parts.first().map_or(0, |part| part.session.capacity().games);
    if is_open {
        io.tell(&format!("playing in turns, {capacity} at a time"));
    } else if missing > 0 {
        io.tell(&format!("playing {} in turns, {capacity} at a time", counted(missing, "game")));
    } else if goal.is_none() {
        io.tell("nothing new to play: every game is in the journals; ask for more --rounds, or change a bot");
    }
}

/// How each game is called in columns: as its folder.
fn labels(games: &[Variant]) -> anyhow::Result<Vec<String>> {
    let labels: Vec<String> = games.iter().map(|game| default_name(game, None, Format::usual())).collect();
    let mut known = BTreeSet::new();
    if let Some(twice) = labels.iter().find(|label| !known.insert(*label)) {
        bail!("--game {twice} is given twice");
    }
    if labels.len() < 2 {
        bail!("a series has two games or more; `arena tournament --game {}` plays one", games[0]);
    }
    Ok(labels)
}

/// The weight of each game: as given, else as the series has it.
fn weights(given: &[(String, f64)], labels: &[String], known: &[SeriesPart]) -> anyhow::Result<Vec<f64>> {
    let of_series = |label: &String| known.iter().find(|part| part.game == *label).map_or(1.0, |part| part.weight);
    let mut weights: Vec<f64> = labels.iter().map(of_series).collect();
    for (name, weight) in given {
        let Some(place) = labels.iter().position(|label| label == name) else {
            bail!("--weight: the series has no game `{}`; it has {}", shown(name), labels.join(", "));
        };
        weights[place] = *weight;
    }
    Ok(weights)
}

fn parse_weight(text: &str) -> Result<(String, f64), String> {
    let wrong = || format!("`{}` is not GAME=X with X above 0, such as gomoku=2", shown(text));
    // Names of variants have equals signs too.
    let (name, weight) = text.rsplit_once('=').ok_or_else(wrong)?;
    let weight = weight.parse().ok().filter(|weight: &f64| *weight > 0.0 && weight.is_finite()).ok_or_else(wrong)?;
    Ok((name.to_owned(), weight))
}

/// The progress of a game as a part of the whole.
struct OfGame<'a> {
    progress: Arc<Mutex<Progress<'a>>>,
    game: &'a str,
    has_begun: bool,
}

impl Observer for OfGame<'_> {
    fn observe(&mut self, event: &RunEvent) {
        let game = self.game;
        let event = match event {
            // Each turn begins and ends; its games are counted once.
            RunEvent::Begun { .. } if std::mem::replace(&mut self.has_begun, true) => return,
            RunEvent::Over { .. } | RunEvent::Estimate { .. } => return,
            RunEvent::Note { text } => RunEvent::Note { text: format!("{game}: {text}") },
            RunEvent::Warning { text } => RunEvent::Warning { text: format!("{game}: {text}") },
            RunEvent::Withdrawn { name, why, games } => {
                RunEvent::Withdrawn { name: name.clone(), why: format!("{why} ({game})"), games: *games }
            }
            RunEvent::LeftOut { bot, log } => {
                let bot = LeftOut { cause: format!("{game}: {}", bot.cause), ..bot.clone() };
                RunEvent::LeftOut { bot, log: log.clone() }
            }
            other => return lock(&self.progress).observe(other),
        };
        lock(&self.progress).observe(&event);
    }
}

fn lock<'a, 'b>(progress: &'a Mutex<Progress<'b>>) -> std::sync::MutexGuard<'a, Progress<'b>> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}
