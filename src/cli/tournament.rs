//! `arena tournament`: the main job.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::progress::Progress;
use super::{BotsArgs, ClockArgs, Exit, Scratch, is_broken_pipe, print, runtime, tell, unless_stopped};
use crate::check::{Readiness, readiness};
use crate::event::{Entry, Event, LeftOut, ScheduledGame};
use crate::format::{FORMATS, Format};
use crate::journal::{Contents, Journal};
use crate::openings;
use crate::player::process::Launch;
use crate::record::{BotId, Record};
use crate::report::{Durability, Machine, Results, summary_text, tournament_json, write_all};
use crate::roster::Found;
use crate::rules::{Move, Variant};
use crate::text::counted;
use crate::tournament::{Ending, Plan, Signals, Update};

/// Pairs of games for every pairing, unless told otherwise.
const ROUNDS_DEFAULT: u32 = 50;
/// The seed, unless told otherwise; always printed and stored.
const SEED_DEFAULT: u64 = 1;
/// Tables are rewritten while a tournament runs, but never for more than a small part of its time.
const REWRITE_EVERY: Duration = Duration::from_secs(2);
const REWRITE_SHARE: u32 = 20;

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags are independent of each other")]
pub(super) struct Args {
    /// The game, with parameters if need be: connect4:rows=6,cols=9; `arena games` lists them
    #[arg(long, value_name = "GAME", default_value = "connect4")]
    game: Variant,
    /// Rounds: in each, every two bots play one opening from both seats
    #[arg(long, value_name = "N", default_value_t = ROUNDS_DEFAULT, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rounds: u32,
    /// Games at a time [default: the number of processors]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: Option<u16>,
    /// Allow more games at a time than there are processors
    #[arg(long)]
    oversubscribe: bool,
    /// Where a game and its bots run: `core` keeps each game to one processor, `off` leaves it to the system
    #[arg(long, value_name = "WHERE", default_value = "core")]
    pin: Pin,
    /// The seed that openings and games are drawn from
    #[arg(long, value_name = "N", default_value_t = SEED_DEFAULT)]
    seed: u64,
    /// File of openings: a JSON list of moves a line
    #[arg(long, value_name = "FILE", conflicts_with = "opening_plies")]
    openings: Option<PathBuf>,
    /// Random moves that games start from; 0 for none [default: what suits the game]
    #[arg(long, value_name = "N")]
    opening_plies: Option<u16>,
    #[command(flatten)]
    clock: ClockArgs,
    /// A game is a draw once this many moves were made
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_plies: Option<u32>,
    #[command(flatten)]
    bots: BotsArgs,
    /// Folder of all results
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// Name of the tournament: its folder within the results [default: the game's name]
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    name: Option<String>,
    /// Format of the tournament
    #[arg(long, value_name = "FORMAT", default_value = "round-robin", value_parser = parse_format)]
    format: &'static Format,
    /// Put the journal aside and play everything again
    #[arg(long)]
    fresh: bool,
    /// Seat every bot, also one that fails the check before the first game
    #[arg(long)]
    no_check: bool,
    /// End with exit code 2 if any game was lost by a fault
    #[arg(long)]
    strict: bool,
    /// No progress
    #[arg(short, long)]
    quiet: bool,
    /// Print the tournament as JSON instead of tables
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Pin {
    Core,
    Off,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let concurrency = concurrency(args)?;
    let name = args.name.clone().unwrap_or_else(|| args.game.label.to_owned());
    let dir = args.results.join(&name);
    let mut event = define(args, name)?;
    let roster = args.bots.roster()?;
    for (name, cause) in &roster.broken {
        tell(&format!("left out: {name}: {cause}"));
        event.left_out.push(left_out(name, cause));
    }
    let (mut seated, others): (Vec<Found>, Vec<Found>) = roster.bots.into_iter().partition(|bot| bot.plays(&args.game));
    let mut sitting_out: Vec<String> = others.into_iter().map(|bot| bot.launch.name).collect();
    enough(&seated, &sitting_out, args)?;

    let (mut journal, contents) = open_journal(&dir, args.fresh)?;
    let runtime = runtime()?;
    let mut signals = {
        let _context = runtime.enter();
        Signals::listen()?
    };
    let scratch = Scratch::create()?;
    let mut schedule = seat(&mut event, &seated, args, &contents.games);
    let mut missing = missing(&schedule, &contents.games);
    if !args.no_check && !missing.is_empty() {
        let needed: BTreeSet<usize> = missing.iter().flat_map(|game| game.bots).collect();
        let needed: Vec<&Found> = needed.into_iter().map(|bot| &seated[bot]).collect();
        let stop = AtomicBool::new(false);
        let check = || check_all(&needed, &event, args, concurrency, &scratch, &stop, runtime.handle());
        let Some(turned_away) = unless_stopped(&runtime, &mut signals, &stop, check) else {
            tell(&format!("stopped while the bots were checked; begin with: {}", this_command()));
            return Ok(Exit::Incomplete);
        };
        if !turned_away.is_empty() {
            seated.retain(|bot| !turned_away.iter().any(|(name, _)| *name == bot.launch.name));
            for (name, cause) in turned_away {
                if let Some(cause) = cause {
                    tell(&format!("left out: {name}: {cause}"));
                    event.left_out.push(left_out(&name, &cause));
                } else {
                    sitting_out.push(name);
                }
            }
            enough(&seated, &sitting_out, args)?;
            schedule = seat(&mut event, &seated, args, &contents.games);
            missing = self::missing(&schedule, &contents.games);
        }
    }
    note_others(&contents.games, &schedule, &dir);
    if contents.event.as_ref().is_none_or(|last| !same(last, &event)) {
        journal.append_event(&event)?;
    }
    let event = Arc::new(event);
    announce(&event, args, &schedule, &sitting_out, missing.len(), concurrency);

    let machine = this_machine();
    let mut records = contents.games;
    let nothing_to_play = missing.is_empty();
    let ending = if nothing_to_play {
        Ending::Complete
    } else {
        let plan = Plan {
            event: Arc::clone(&event),
            variant: args.game.clone(),
            games: missing,
            launches: seated.iter().map(|bot| Launch { scratch: scratch.0.clone(), ..bot.launch.clone() }).collect(),
            concurrency,
            pin: args.pin == Pin::Core,
            host: machine.host.clone(),
            dir: dir.clone(),
        };
        let mut watcher = Watcher {
            progress: Progress::new(plan.games.len() as u64, args.quiet),
            event: &event,
            schedule: &schedule,
            records: &mut records,
            machine: &machine,
            dir: &dir,
            next_write: now() + REWRITE_EVERY,
        };
        let ending =
            runtime.block_on(crate::tournament::run(plan, &mut journal, &mut signals, |update| watcher.note(&update)));
        watcher.progress.end();
        ending?
    };

    let results = Results::new(&event, &schedule, &records);
    write_all(&dir, &results, &machine, &[], Durability::Synced)?;
    match show(args, &results, &machine, &dir) {
        // Whoever read our output has seen enough; how it ended is still true.
        Err(error) if is_broken_pipe(&error) => {}
        shown => shown?,
    }
    if results.counts().played < results.counts().scheduled {
        tell(&format!("go on with: {}", this_command()));
    }
    Ok(exit(args, &results, ending))
}

/// Two bots are needed, and whoever has fewer needs to know why.
fn enough(seated: &[Found], sitting_out: &[String], args: &Args) -> anyhow::Result<()> {
    if seated.len() >= 2 {
        return Ok(());
    }
    let only = seated.first().map_or_else(|| "none".to_owned(), |bot| format!("only {}", bot.launch.name));
    let others = match sitting_out {
        [] => String::new(),
        others => format!(" (for other games: {})", others.join(", ")),
    };
    bail!(
        "a tournament needs two bots that play {}, and {} has {only}{others}; `arena bots` lists what was found, \
         `arena check NAME` says what is wrong with a bot, --bot NAME=PATH adds one",
        args.game,
        args.bots.bots.display()
    )
}

fn open_journal(dir: &Path, fresh: bool) -> anyhow::Result<(Journal, Contents)> {
    if fresh {
        let (journal, old) = Journal::open_afresh(dir)?;
        if let Some(old) = old {
            tell(&format!("the old journal is now {}", old.display()));
        }
        return Ok((journal, Contents::default()));
    }
    let (journal, contents) = Journal::open(dir)?;
    if contents.torn_bytes > 0 {
        tell(&format!("the last line of the journal was torn ({} bytes) and was cut off", contents.torn_bytes));
    }
    Ok((journal, contents))
}

/// What was typed, without `--fresh`: that would begin again instead of going on.
fn this_command() -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    let words = std::env::args_os().filter(|word| word != "--fresh").map(|word| {
        let word = word.to_string_lossy().into_owned();
        if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The event without its bots.
fn define(args: &Args, name: String) -> anyhow::Result<Event> {
    let variant = &args.game;
    Ok(Event {
        name,
        game: variant.rules.name().to_owned(),
        label: variant.label.to_owned(),
        params: variant.params.iter().map(|(name, value)| (name.to_owned(), value.into())).collect(),
        rules_version: variant.rules.version(),
        format: args.format.name.to_owned(),
        rounds: args.rounds,
        seed: args.seed,
        clock: args.clock.control()?,
        max_plies: args.max_plies.map(|plies| plies as usize),
        openings: openings_of(args)?,
        bots: Vec::new(),
        left_out: Vec::new(),
    })
}

fn openings_of(args: &Args) -> anyhow::Result<Vec<Vec<Move>>> {
    let variant = &args.game;
    let openings = if let Some(path) = &args.openings {
        if !variant.rules.open_information() {
            bail!("--openings: {} has hidden information, its games cannot start from given moves", variant.label);
        }
        let bytes = std::fs::read(path).with_context(|| format!("reading openings {}", path.display()))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + memchr::memchr_iter(b'\n', good).count();
            anyhow::anyhow!("openings {}, line {line}: it is not UTF-8", path.display())
        })?;
        openings::parse(variant, &text).map_err(|(line, why)| match line {
            0 => anyhow::anyhow!("openings {}: {why}", path.display()),
            line => anyhow::anyhow!("openings {}, line {line}: {why}", path.display()),
        })?
    } else {
        let default = variant.rules.opening_plies(&variant.params);
        let plies = args.opening_plies.map_or(default, usize::from);
        if plies > 0 && !variant.rules.open_information() {
            bail!("--opening-plies: {} has hidden information, its games cannot start from given moves", variant.label);
        }
        let drawn = openings::draw(variant, plies, args.seed, args.rounds as usize);
        let reached = drawn.iter().map(Vec::len).max().unwrap_or(0);
        if args.opening_plies.is_some() && reached < plies {
            tell(&format!("openings have {reached} plies: no game of {variant} is undecided after {plies}"));
        }
        drawn
    };
    if let Some(max) = args.max_plies
        && let Some(long) = openings.iter().find(|opening| opening.len() >= max as usize)
    {
        let plies = long.len();
        let shorten = if args.openings.is_some() { "" } else { " with --opening-plies" };
        bail!(
            "--max-plies {max}: an opening has {plies} moves, so that nothing is left to play; raise it above {plies}, or \
             shorten the openings{shorten}"
        );
    }
    Ok(openings)
}

/// Puts the bots into the event and returns the schedule that follows.
fn seat(event: &mut Event, seated: &[Found], args: &Args, games: &[Record]) -> Vec<ScheduledGame> {
    let entry = |bot: &Found| Entry {
        id: BotId { name: bot.launch.name.clone(), fingerprint: bot.fingerprint.clone() },
        command: bot.command.clone(),
    };
    event.bots = seated.iter().map(entry).collect();
    event.schedule(args.format, args.game.rules.open_information(), games)
}

fn missing(schedule: &[ScheduledGame], games: &[Record]) -> Vec<ScheduledGame> {
    let played: HashSet<&str> = games.iter().filter(|game| game.counts()).map(|game| game.id.as_str()).collect();
    schedule.iter().filter(|game| !played.contains(game.id.as_str())).cloned().collect()
}

/// Tries the bots, several at a time. Returns those that cannot play, with the cause if it
/// is a fault of theirs.
fn check_all(
    bots: &[&Found],
    event: &Event,
    args: &Args,
    concurrency: usize,
    scratch: &Scratch,
    stop: &AtomicBool,
    runtime: &tokio::runtime::Handle,
) -> Vec<(String, Option<String>)> {
    let next = AtomicUsize::new(0);
    let turned_away = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..concurrency.min(bots.len()) {
            scope.spawn(|| {
                while let Some(bot) = bots.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let mut launch = bot.launch.clone();
                    launch.scratch = scratch.0.join(format!("{}-check", launch.name));
                    let cause = match readiness(&Arc::new(launch), &args.game, event.clock, runtime) {
                        Readiness::Ready => continue,
                        Readiness::DoesNotPlay(_) => None,
                        Readiness::Broken(cause) => Some(cause),
                    };
                    let mut turned_away = turned_away.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    turned_away.push((bot.launch.name.clone(), cause));
                }
            });
        }
    });
    let mut turned_away = turned_away.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    turned_away.sort();
    turned_away
}

/// Says that a journal also holds games of other settings or bots: they stay in it, but the tables leave them out.
fn note_others(games: &[Record], schedule: &[ScheduledGame], dir: &Path) {
    let scheduled: HashSet<&str> = schedule.iter().map(|game| game.id.as_str()).collect();
    let others: HashSet<&str> =
        games.iter().map(|game| game.id.as_str()).filter(|id| !scheduled.contains(id)).collect();
    if !others.is_empty() {
        tell(&format!(
            "{} in {} of other settings, rounds or bots: kept in the journal, left out of the tables (--name keeps \
             tournaments apart)",
            counted(others.len(), "game"),
            dir.display()
        ));
    }
}

fn same(a: &Event, b: &Event) -> bool {
    serde_json::to_value(a).ok() == serde_json::to_value(b).ok()
}

fn announce(
    event: &Event,
    args: &Args,
    schedule: &[ScheduledGame],
    sitting_out: &[String],
    missing: usize,
    concurrency: usize,
) {
    if !args.quiet {
        tell(&format!(
            "{}: {} bots, {}, {}, {}, seed {}",
            args.game,
            event.bots.len(),
            counted(event.rounds as usize, "round"),
            counted(schedule.len(), "game"),
            event.clock,
            event.seed
        ));
        if !sitting_out.is_empty() {
            tell(&format!("sitting out, since they do not play it: {}", sitting_out.join(", ")));
        }
    }
    let done = schedule.len() - missing;
    if missing == 0 {
        tell("nothing new to play: every game is in the journal; ask for more --rounds, or change a bot");
    } else if args.quiet {
    } else if done > 0 {
        tell(&format!("{done} of them are in the journal; playing the other {missing}, {concurrency} at a time"));
    } else {
        tell(&format!("playing {concurrency} at a time"));
    }
}

fn show(args: &Args, results: &Results<'_>, machine: &Machine, dir: &Path) -> anyhow::Result<()> {
    if args.json {
        let mut json = Vec::new();
        tournament_json(results, machine, &[], &mut json)?;
        return print(&String::from_utf8_lossy(&json));
    }
    print(&summary_text(results, dir))?;
    print(&format!(
        "\ntables: {}  journal: {}",
        dir.join("*.csv").display(),
        dir.join(crate::journal::FILE_NAME).display()
    ))?;
    if let Some((_, record)) = results.first_lost_by_fault() {
        let elsewhere = if args.results == Path::new("results") {
            String::new()
        } else {
            format!(" --results {}", args.results.display())
        };
        print(&format!(
            "look at a lost game: arena replay {}{elsewhere}   logs: {}",
            record.id,
            dir.join("bots").display()
        ))?;
    }
    Ok(())
}

fn exit(args: &Args, results: &Results<'_>, ending: Ending) -> Exit {
    let counts = results.counts();
    if ending == Ending::Killed {
        Exit::Killed
    } else if counts.played < counts.scheduled {
        Exit::Incomplete
    } else if !results.event().left_out.is_empty() || args.strict && results.first_lost_by_fault().is_some() {
        Exit::BotTrouble
    } else {
        Exit::Done
    }
}

/// Follows a running tournament: progress, and tables that are there whatever happens.
struct Watcher<'a> {
    progress: Progress,
    event: &'a Event,
    schedule: &'a [ScheduledGame],
    records: &'a mut Vec<Record>,
    machine: &'a Machine,
    dir: &'a Path,
    next_write: Instant,
}

impl Watcher<'_> {
    fn note(&mut self, update: &Update<'_>) -> anyhow::Result<()> {
        match update {
            Update::Finished(record) => {
                self.progress.finished(record);
                self.records.push((*record).clone());
            }
            Update::Tick => self.rewrite()?,
            Update::Stopping => {
                self.progress.say("stopping: running games are finished first; once more to leave at once");
            }
        }
        Ok(())
    }

    fn rewrite(&mut self) -> anyhow::Result<()> {
        let begun = now();
        if begun < self.next_write {
            return Ok(());
        }
        let results = Results::new(self.event, self.schedule, &*self.records);
        write_all(self.dir, &results, self.machine, &[], Durability::Flushed)?;
        let took = now() - begun;
        self.next_write = now() + REWRITE_EVERY.max(took * REWRITE_SHARE);
        Ok(())
    }
}

fn concurrency(args: &Args) -> anyhow::Result<usize> {
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let wanted = args.concurrency.map_or(cpus, usize::from);
    if wanted > cpus && !args.oversubscribe {
        bail!(
            "--concurrency {wanted} is more than the {cpus} processors: bots would lose time to each other; add \
             --oversubscribe if that is wanted"
        );
    }
    Ok(wanted)
}

fn left_out(name: &str, cause: &str) -> LeftOut {
    LeftOut { name: name.to_owned(), cause: cause.to_owned() }
}

fn parse_name(name: &str) -> Result<String, String> {
    if crate::roster::is_plain_name(name) {
        return Ok(name.to_owned());
    }
    Err(format!("a tournament's name is a folder's name too: use {}", crate::roster::PLAIN_NAME))
}

fn parse_format(name: &str) -> Result<&'static Format, String> {
    format_named(name).map_err(|error| error.to_string())
}

/// The format called `name`.
pub(super) fn format_named(name: &str) -> anyhow::Result<&'static Format> {
    let known = || FORMATS.iter().map(|format| format.name);
    FORMATS.iter().find(|format| format.name == name).with_context(|| {
        let hint = crate::suggest::did_you_mean(name, known());
        format!(
            "no format named `{}`{hint}; known: {}",
            crate::text::shown(name),
            known().collect::<Vec<_>>().join(", ")
        )
    })
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

#[expect(clippy::disallowed_methods, reason = "the command line is part of the shell")]
fn now() -> Instant {
    Instant::now()
}
