//! `arena tournament`: the main job.

use std::path::Path;

use anyhow::bail;

use super::again::this_command;
use super::arrange::{Arranged, arrange};
use super::event_args::EventArgs;
use super::play_games::play;
use super::rating_args::RatingArgs;
use super::until::Until;
use super::{Exit, print, tell, whole, write_tables};
use crate::event::{LeftOut, ROUNDS_MAX};
use crate::format::{FORMATS, Format};
use crate::report::{Machine, Results, summary_text, tournament_json, void_warnings};
use crate::stats::AnalysisOptions;
use crate::suggest::UnknownName;
use crate::text::counted;
use crate::tournament::Ending;

/// Pairs of games for every pairing, unless told otherwise.
const ROUNDS_DEFAULT: u32 = 50;
/// The most rounds of any pairing with `--until`, in multiples of `--rounds`, unless told otherwise.
const MAX_ROUNDS_TIMES: u32 = 20;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    event: EventArgs,
    #[command(flatten)]
    rating: RatingArgs,
    /// Rounds: in each, every two bots play one opening from both seats
    #[arg(long, value_name = "N", default_value_t = ROUNDS_DEFAULT, allow_negative_numbers = true, value_parser = whole(1..=ROUNDS_MAX))]
    rounds: u32,
    /// Play on where ratings overlap: until every neighbour is `separated`, or every margin is at most ±N Elo; ratings
    /// with an open end (> or <) are left as they are, since more games hardly close it
    #[arg(long, value_name = "separated|±N", allow_hyphen_values = true)]
    until: Option<Until>,
    /// The most rounds of any pairing with --until [default: 20 times --rounds]
    #[arg(long, value_name = "N", requires = "until", allow_negative_numbers = true, value_parser = whole(1..=ROUNDS_MAX))]
    max_rounds: Option<u32>,
    /// Format of the tournament
    #[arg(long, value_name = "FORMAT", default_value = "round-robin", value_parser = parse_format)]
    format: &'static Format,
    /// Print the tournament as JSON instead of tables
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let rounds_max = args.max_rounds.unwrap_or(args.rounds.saturating_mul(MAX_ROUNDS_TIMES)).min(ROUNDS_MAX);
    if rounds_max < args.rounds {
        bail!(
            "--max-rounds {rounds_max} is less than --rounds {}: every pairing plays these first; ask for fewer --rounds, or \
             allow more",
            args.rounds
        );
    }
    let name = args.event.name.clone().unwrap_or_else(|| args.event.game.label.to_owned());
    let mut event = args.event.define(name, args.format, args.rounds)?;
    let roster = args.event.bots.roster(&args.event.guard.settings()?)?;
    for (name, cause) in &roster.broken {
        tell(&format!("left out: {name}: {cause}"));
        event.left_out.push(LeftOut { name: name.clone(), cause: cause.clone() });
    }
    // What is wrong with an anchor is said before anything is written.
    let playing = roster.bots.iter().filter(|bot| bot.plays(&args.event.game));
    args.rating.options(&playing.map(|bot| bot.launch.name.as_str()).collect::<Vec<_>>(), false)?;
    let Some(mut arranged) = arrange(&args.event, event, args.format, roster.bots.clone(), &roster)? else {
        return Ok(Exit::Incomplete);
    };
    announce(&arranged, args);
    arranged.record_event()?;
    let machine = this_machine();
    let names: Vec<&str> = arranged.event.bots.iter().map(|entry| entry.id.name.as_str()).collect();
    let options = args.rating.options(&names, false).or_else(|error| {
        tell(&format!("warning: {error}, since it cannot play; the mean of all ratings is 0 instead"));
        args.rating.without_anchor().options(&names, false)
    })?;
    let ending = match play_enough(args, &mut arranged, &machine, &options, rounds_max) {
        Ok(ending) => ending,
        Err(error) => {
            // What was played is shown also where nothing more can be written.
            let _ = arranged.results(&options).and_then(|results| show(args, &results, &machine, &arranged.dir));
            return Err(error);
        }
    };
    let results = arranged.results(&options)?;
    let written = write_tables(&arranged.dir, &results, &machine);
    for warning in void_warnings(&results) {
        tell(&format!("warning: {warning}"));
    }
    show(args, &results, &machine, &arranged.dir)?;
    written?;
    if !args.json {
        print(&places(&arranged.dir))?;
    }
    let complete = results.progress().is_complete();
    if let Some(until) = args.until.filter(|_| complete) {
        tell(&until.outcome(&results, rounds_max));
    }
    if !complete {
        tell(&format!("go on with: {}", this_command()));
    }
    Ok(exit(args, &results, ending))
}

/// Plays what is missing, and with `--until` what is added to that.
fn play_enough(
    args: &Args,
    arranged: &mut Arranged,
    machine: &Machine,
    options: &AnalysisOptions,
    rounds_max: u32,
) -> anyhow::Result<Ending> {
    let mut nothing_new = arranged.catalogue.missing().is_empty();
    let mut ending = play(arranged, &args.event, machine, options, |_, _| false)?;
    while let (Some(until), Ending::Complete) = (args.until, ending) {
        let results = arranged.results(options)?;
        let Some(extra) = until.more(&results, rounds_max) else { break };
        if !results.progress().is_complete() {
            break;
        }
        arranged.extend(&args.event, extra)?;
        let missing = arranged.catalogue.missing().len();
        nothing_new &= missing == 0;
        if !args.event.quiet && missing > 0 {
            tell(&format!("not yet: {} more", counted(missing, "game")));
        }
        ending = play(arranged, &args.event, machine, options, |_, _| false)?;
    }
    if args.until.is_some() && ending == Ending::Complete && nothing_new {
        tell("nothing new to play");
    }
    Ok(ending)
}

fn announce(arranged: &Arranged, args: &Args) {
    let Arranged { event, catalogue, sitting_out, concurrency, .. } = arranged;
    let games = catalogue.schedule().len();
    let quiet = args.event.quiet;
    if !quiet {
        tell(&format!(
            "{}: {} bots, {}, {}, {}, seed {}",
            args.event.game,
            event.bots.len(),
            counted(event.rounds as usize, "round"),
            counted(games, "game"),
            event.clock,
            event.seed
        ));
        if !sitting_out.is_empty() {
            tell(&format!("sitting out, since they do not play it: {}", sitting_out.join(", ")));
        }
    }
    let missing = catalogue.missing().len();
    let done = games - missing;
    if missing == 0 && args.until.is_none() {
        tell("nothing new to play: every game is in the journal; ask for more --rounds, or change a bot");
    } else if quiet || missing == 0 {
    } else if done > 0 {
        tell(&format!("{done} of them are in the journal; playing the other {missing}, {concurrency} at a time"));
    } else {
        tell(&format!("playing {concurrency} at a time"));
    }
}

fn show(args: &Args, results: &Results<'_>, machine: &Machine, dir: &Path) -> anyhow::Result<()> {
    if args.json {
        let mut json = Vec::new();
        tournament_json(results, machine, &mut json)?;
        return print(&String::from_utf8_lossy(&json));
    }
    print(&summary_text(results, dir))
}

fn places(dir: &Path) -> String {
    format!("\ntables: {}  journal: {}", dir.join("*.csv").display(), dir.join(crate::journal::FILE_NAME).display())
}

fn exit(args: &Args, results: &Results<'_>, ending: Ending) -> Exit {
    let withdrawn = results.withdrawn().next().is_some();
    if ending == Ending::Killed {
        Exit::Killed
    } else if !results.progress().is_complete() {
        Exit::Incomplete
    } else if withdrawn || !results.event().left_out.is_empty() || args.event.strict && results.any_fault() {
        Exit::BotTrouble
    } else {
        Exit::Done
    }
}

fn parse_format(name: &str) -> Result<&'static Format, String> {
    format_named(name).map_err(|error| error.to_string())
}

/// The format called `name`.
pub(super) fn format_named(name: &str) -> anyhow::Result<&'static Format> {
    let known = FORMATS.iter().map(|format| format.name);
    let found = FORMATS.iter().find(|format| format.name == name);
    found.ok_or_else(|| UnknownName::new("format", name, known).into())
}

/// What is written down of the machine.
pub(super) fn this_machine() -> Machine {
    let uname = rustix::system::uname();
    Machine {
        host: uname.nodename().to_string_lossy().into_owned(),
        os: format!(
            "{} {} {}",
            uname.sysname().to_string_lossy(),
            uname.release().to_string_lossy(),
            std::env::consts::ARCH
        ),
        cpus: std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get),
    }
}
