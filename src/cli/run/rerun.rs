//! `arena rerun`: plays a recorded tournament again, and compares the games.

use anyhow::anyhow;
use arena_core::event::Tournament;
use arena_core::text::{counted, shown};
use arena_play::roster::RosterSettings;
use arena_run::session::{Comparison, RecordedPairs, Recording, Session, SessionSettings};
use arena_show::observer::{Observers, RunEnding};
use arena_sys::flags::NAME;
use arena_sys::results_folder::Place;

use super::again::{check_command, stopped_before_the_first_game};
use super::event_args::{BOTS, GAMES, ProcessorArgs, RESULTS, TIME, parse_name};
use super::play_games::GamesCommand;
use super::progress::Progress;
use crate::cli::args::game::GameArg;
use crate::cli::args::guard::GuardArgs;
use crate::cli::args::rating::analysis;
use crate::cli::{BotsArgs, ClockArgs, Exit, Io, ResultsArgs};

/// Causes that are listed, and games of each.
const CAUSES_MAX: usize = 10;
const LISTED_MAX: usize = 3;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name or folder of a tournament
    tournament: String,
    /// File of the program of rules, for a game that is not built in
    #[arg(long, value_name = "FILE", help_heading = GAMES)]
    game: Option<GameArg>,
    #[command(flatten, next_help_heading = TIME)]
    clock: ClockArgs,
    #[command(flatten)]
    processors: ProcessorArgs,
    #[command(flatten, next_help_heading = BOTS)]
    bots: BotsArgs,
    #[command(flatten, next_help_heading = BOTS)]
    guard: GuardArgs,
    #[command(flatten, next_help_heading = RESULTS)]
    results: ResultsArgs,
    /// Name of the new results and of their folder [default: that of the tournament, and -rerun]
    #[arg(long, value_name = "NAME", value_parser = parse_name, help_heading = RESULTS)]
    name: Option<String>,
    /// Set the journal of the new results aside and start over
    #[arg(long, help_heading = RESULTS)]
    fresh: bool,
    /// Print the comparison as JSON
    #[arg(long, help_heading = RESULTS)]
    json: bool,
    /// Show no progress
    #[arg(short, long, help_heading = RESULTS)]
    quiet: bool,
}

impl Args {
    /// The name of the new results.
    fn new_name(&self, place: &Place) -> anyhow::Result<String> {
        if let Some(name) = &self.name {
            return Ok(name.clone());
        }
        let path = place.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        parse_name(&format!("{name}-rerun")).map_err(|why| anyhow!("`{}`: {why}; {NAME} NAME gives one", shown(&name)))
    }
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let place = args.results.tournament(Some(&args.tournament), io)?;
    let hidden = [args.bots.bots.as_path(), &args.results.results];
    let guard = args.guard.settings(io)?;
    // First: the journal is read by the rules that are there.
    let named = args.game.as_ref().map(|game| game.load(&guard, &hidden, io)).transpose()?;
    let recording = Recording::read(&place)?;
    let (event, game) = (recording.event(), recording.game(named.as_ref())?);
    let guard = as_recorded(guard, event, io);
    let mut settings = SessionSettings {
        clock: if args.clock.is_given() { args.clock.control()? } else { event.clock },
        concurrency: args.processors.concurrency()?,
        pin: args.processors.pin,
        results: args.results.results.clone(),
        bots: args.bots.bots.clone(),
        fresh: args.fresh,
        bot_options: Some(guard.recorded()),
        ..SessionSettings::new(game.clone(), &args.new_name(&place)?)
    };
    recording.set(&mut settings)?;
    let roster = args.bots.roster_with_builtins(&guard, |bot| bot.plays(&game))?;
    let bots = recording.seat(&roster.bots, &args.bots.bots)?;
    let check = |name: &str| {
        let bot = bots.iter().find(|bot| bot.launch.name == name);
        bot.map(|bot| check_command(bot, &args.bots, &game, io))
    };
    let mut observers = Observers(vec![Box::new(Progress::new(args.quiet, io, check))]);
    let policy = || RecordedPairs(&recording);
    let Some((session, policy)) = Session::open(settings, bots.clone(), &roster, policy, &mut observers)? else {
        return Ok(stopped_before_the_first_game(io));
    };
    if !args.quiet {
        let dir = session.dir();
        io.tell(&format!("playing the games of {} again in {}", place.path().display(), dir.display()));
    }
    let options = analysis(session.tables(), session.event(), "", io);
    let mut play = GamesCommand { session, policy, options, show: &|_| Ok(()), io, strict: false };
    let ending = play.play(&mut observers)?;
    let results = play.finish(&mut observers)?;
    let comparison = recording.compare(&play.session)?;
    if args.json {
        io.print_json(&comparison)?;
    } else {
        io.print(&text(&comparison, &shown(&args.tournament)))?;
    }
    let is_other = comparison.equal < comparison.games;
    Ok(match play.exit(ending, &results, is_other, Exit::Done) {
        Exit::BotTrouble if comparison.missing > 0 && ending != RunEnding::Killed => Exit::Incomplete,
        exit => exit,
    })
}

/// The options for bots as they were recorded, unless others are given or these would give bots more than usual.
fn as_recorded(guard: RosterSettings, event: &Tournament, io: &Io) -> RosterSettings {
    let Some(options) = &event.bot_options else { return guard };
    let (guard, looser) = guard.as_recorded(options);
    if !looser.is_empty() {
        io.warn(&format!(
            "it was played with {}, which gives bots more than usual and is not taken from a record; add it to play so",
            looser.join(" ")
        ));
    }
    guard
}

/// The comparison for people.
fn text(found: &Comparison, recorded: &str) -> String {
    let Comparison { games, equal, played_now, played_before, changes, causes, differences, .. } = found;
    let which = match games {
        1 if equal == games => "the only game".to_owned(),
        _ if equal == games => format!("all {}", counted(*games, "game")),
        _ => format!("{equal} of {}", counted(*games, "game")),
    };
    let mut lines = vec![format!("{which} of {recorded} went as recorded, move for move and in the result")];
    lines.push(match (played_now, played_before) {
        (now, 0) => format!("played now: {}", counted(*now, "game")),
        (now, before) => format!("played now: {}; here before: {before}", counted(*now, "game")),
    });
    lines.extend(changes.iter().map(|change| format!("changed: {change}")));
    let more = |all: usize, shown: usize, of: &str| {
        (all > shown).then(|| format!("{of}and {} more (--json lists all)", all - shown))
    };
    for cause in causes.iter().take(CAUSES_MAX) {
        lines.push(format!("{}: {}", counted(cause.games, "game"), cause.says));
        let own = || differences.iter().filter(|difference| difference.cause == cause.cause);
        lines.extend(own().take(LISTED_MAX).map(|difference| format!("  {}", difference.text())));
        lines.extend(more(own().count(), LISTED_MAX, "  "));
    }
    lines.extend(more(causes.len(), CAUSES_MAX, "causes: "));
    lines.join("\n") + "\n"
}
