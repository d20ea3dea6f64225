//! Flags shared by all commands that play games.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
#[cfg(feature = "nats")]
use arena_cluster::cluster::SecretKey;
use arena_core::event::StrikeLimits;
use arena_core::rules::{RULES, Variant};
use arena_play::roster::FoundBot;
use arena_run::session::{Overwriting, SessionSettings, ShardPart, TOURNAMENT_NAME, is_tournament_name, shard_dir};
use arena_show::observer::{JsonLines, Observers};
use arena_store::journal::Signer;
use arena_store::report::{Results, junit_xml};
use arena_sys::results_folder::ResultsFolder;
use clap::ArgAction;

use super::again::check_command;
use super::progress::Progress;
use crate::cli::args::game::GameArg;
use crate::cli::args::guard::GuardArgs;
use crate::cli::args::shared::{RESULTS_DEFAULT, game_help, on_or_off, one_of};
#[cfg(not(feature = "nats"))]
use crate::cli::args::signatures::NO_SIGNATURES;
use crate::cli::args::strikes::parse_strikes;
use crate::cli::{BotsArgs, ClockArgs, Io, whole};

const EVENTS: &str = "--events";
const JUNIT: &str = "--junit";

/// Headings of the help.
pub(crate) const GAMES: &str = "Games";
pub(crate) const TIME: &str = "Time and processors";
pub(crate) const BOTS: &str = "Bots";
pub(crate) const RESULTS: &str = "Results";

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags are independent of each other")]
pub(crate) struct EventArgs {
    /// Seed of all random choices [default: random, or that of the results]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(0..=u64::MAX), help_heading = GAMES)]
    pub(crate) seed: Option<u64>,
    /// File of openings, one JSON list of moves per line
    #[arg(long, value_name = "FILE", conflicts_with = "opening_plies", help_heading = GAMES)]
    pub(crate) openings: Option<PathBuf>,
    /// Random moves at the start of each game [default: depends on the game]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(0..=u16::MAX), help_heading = GAMES)]
    pub(crate) opening_plies: Option<u16>,
    /// Moves after which a game is a draw
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=u32::MAX), help_heading = GAMES)]
    pub(crate) max_plies: Option<u32>,
    #[command(flatten, next_help_heading = TIME)]
    pub(crate) clock: ClockArgs,
    #[command(flatten)]
    pub(super) processors: ProcessorArgs,
    #[command(flatten, next_help_heading = BOTS)]
    pub(crate) bots: BotsArgs,
    #[command(flatten, next_help_heading = BOTS)]
    pub(crate) guard: GuardArgs,
    /// Play all bots without checking them first
    #[arg(long, help_heading = BOTS)]
    pub(crate) no_check: bool,
    /// Withdraw a bot after N consecutive failed starts, or if it loses its first N games by timeout or crash [default:
    /// starts=3,games=10]
    #[arg(long, value_name = "KEY=N,…", value_parser = parse_strikes, help_heading = BOTS)]
    pub(crate) strikes: Option<StrikeLimits>,
    /// Folder of all results
    #[arg(long, value_name = "DIR", default_value = RESULTS_DEFAULT, help_heading = RESULTS)]
    pub(crate) results: PathBuf,
    /// Name of these results and of their folder [default: game and parameters]
    #[arg(long, value_name = "NAME", value_parser = parse_name, help_heading = RESULTS)]
    pub(crate) name: Option<String>,
    /// Set the journal aside and start over
    #[arg(long, help_heading = RESULTS)]
    pub(crate) fresh: bool,
    /// Sign the journal, and what workers get, with the key in this file, which is created if it is missing (`arena verify
    /// --trust`)
    // Without `nats` it can only fail, and says why.
    #[arg(long, value_name = "FILE", hide = cfg!(not(feature = "nats")), help_heading = RESULTS)]
    pub(super) sign_key: Option<PathBuf>,
    /// End with exit code 2 if a game was lost by a fault
    #[arg(long, help_heading = RESULTS)]
    pub(crate) strict: bool,
    /// Leave times out of report.html
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on", hide_possible_values = true, value_parser = on_or_off(), help_heading = RESULTS)]
    pub(crate) no_times: Option<bool>,
    /// Show no progress
    #[arg(short, long, help_heading = RESULTS)]
    pub(crate) quiet: bool,
}

/// How many games are played at a time, and where.
#[derive(Debug, clap::Args)]
pub(crate) struct ProcessorArgs {
    /// Concurrent games [default: the number of processors]
    #[arg(
        short = 'j',
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = whole(1..=u16::MAX),
        help_heading = TIME
    )]
    concurrency: Option<u16>,
    /// Allow more concurrent games than processors
    #[arg(long, help_heading = TIME)]
    oversubscribe: bool,
    /// Pin each game to one processor, or not
    #[arg(
        long,
        value_name = "core|off",
        hide_possible_values = true,
        default_value = "core",
        action = ArgAction::Set,
        value_parser = one_of([("core", true), ("off", false)]),
        help_heading = TIME
    )]
    pub(crate) pin: bool,
}

/// The number of concurrent games unless another is asked for.
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
}

impl ProcessorArgs {
    /// The number of concurrent games.
    pub(crate) fn concurrency(&self) -> anyhow::Result<usize> {
        let cpus = processors();
        let wanted = self.concurrency.map_or(cpus, usize::from);
        if wanted > cpus && !self.oversubscribe {
            bail!(
                "--concurrency {wanted} is more than the {cpus} processors: bots would lose time to each other; add \
                 --oversubscribe if that is wanted"
            );
        }
        Ok(wanted)
    }
}

/// The game of a command that plays one.
#[derive(Debug, clap::Args)]
pub(crate) struct GameArgs {
    #[arg(long, value_name = "GAME", help = played_game_help(), help_heading = GAMES)]
    pub(crate) game: Option<GameArg>,
}

fn played_game_help() -> String {
    format!("{} [default: that of --name, or {}]", game_help(), RULES[0].name)
}

/// How a run is watched, besides its progress, and what is written of it elsewhere.
#[derive(Debug, clap::Args)]
pub(crate) struct WatchArgs {
    /// Write all events as JSON lines (docs/events.md)
    #[arg(long, value_name = "FILE", help_heading = RESULTS)]
    events: Option<PathBuf>,
    /// Write the results as JUnit XML, for a CI server
    #[arg(long, value_name = "FILE", help_heading = RESULTS)]
    junit: Option<PathBuf>,
    /// Overwrite the files that options name, whatever they are now
    #[arg(long, help_heading = RESULTS)]
    force: bool,
    /// Serve a live page for browsers [default: 127.0.0.1 and a free port]
    #[cfg(feature = "serve")]
    #[arg(
        long,
        value_name = "ADDR:PORT",
        num_args = 0..=1,
        default_missing_value = super::serve::ADDRESS_USUAL,
        value_parser = super::serve::parse_address,
        help_heading = RESULTS
    )]
    serve: Option<std::net::SocketAddr>,
    /// Time that each position of the first board of the live page stays at least, such as 1s: for an audience
    #[cfg(feature = "serve")]
    #[arg(
        long,
        value_name = "TIME",
        requires = "serve",
        value_parser = arena_core::clock::parse_duration,
        help_heading = RESULTS
    )]
    watch_pace: Option<std::time::Duration>,
}

impl EventArgs {
    /// The game. Starts the program that is its rules, if they are one.
    pub(crate) fn load_game(&self, game: &GameArg, io: &Io) -> anyhow::Result<Variant> {
        let hidden = [self.bots.bots.as_path(), &self.results];
        game.load(&self.guard.settings(io)?, &hidden, io)
    }

    /// The key that signs what workers get.
    #[cfg(feature = "nats")]
    pub(crate) fn key(&self) -> anyhow::Result<Option<Arc<SecretKey>>> {
        Ok(self.sign_key.as_deref().map(SecretKey::read_or_create).transpose()?.map(Arc::new))
    }

    /// Progress on stderr.
    pub(crate) fn progress<'a>(&'a self, game: &'a Variant, bots: &'a [FoundBot], io: &'a Io) -> Progress<'a> {
        Progress::new(self.quiet, io, |name| {
            let bot = bots.iter().find(|bot| bot.launch.name == name);
            bot.map(|bot| check_command(bot, &self.bots, game, io))
        })
    }
}

/// Files that a command names besides those that all commands have.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NamedFiles<'a> {
    /// What it reads, besides the files of its settings and bots.
    pub(crate) reads: &'a [&'a Path],
    /// What options write at the end.
    pub(crate) writes: &'a [(&'static str, &'a Path)],
    /// The shard that is played, if only that: its folder knows what a run before has written.
    pub(crate) share: Option<ShardPart>,
}

impl WatchArgs {
    /// What files besides those of a run may overwrite; `home` is the results folder.
    pub(crate) fn overwriting<'a>(&self, event: &'a EventArgs, home: ResultsFolder) -> Overwriting<'a> {
        Overwriting {
            inputs: event.openings.as_deref().into_iter().collect(),
            bots: event.bots.bots.clone(),
            results: event.results.clone(),
            home: Some(home),
            is_forced: self.force,
        }
    }

    /// Writes the results for a CI server, if they are wanted.
    pub(crate) fn write_junit(&self, results: &Results<'_>) -> anyhow::Result<()> {
        write_named(JUNIT, self.junit.as_deref(), || junit_xml(results))
    }

    /// The observers of a session with these settings and bots: progress, and the event stream and the live page if they are
    /// wanted. Returns the settings with what the observers add: files that are written, and open files to leave to
    /// viewers. A session is opened with these, so it cannot be opened without them.
    pub(crate) fn observers<'a>(
        &'a self,
        event: &'a EventArgs,
        game: &'a Variant,
        settings: SessionSettings,
        bots: &'a [FoundBot],
        NamedFiles { reads, writes, share }: NamedFiles<'_>,
        io: &'a Io,
    ) -> anyhow::Result<(SessionSettings, Observers<'a>)> {
        let progress =
            event.progress(game, bots, io).toward(settings.goal, settings.budget.map(|budget| budget.deadline));
        let mut observers = Observers(vec![Box::new(progress)]);
        let own = [(EVENTS, self.events.as_deref()), (JUNIT, self.junit.as_deref())];
        let own = own.into_iter().filter_map(|(option, path)| Some((option, path?)));
        let files: Vec<(&'static str, &Path)> = own.chain(writes.iter().copied()).collect();
        if !files.is_empty() {
            let home = settings.dir();
            let home = match share {
                Some(share) => shard_dir(&home, share.shard),
                None => home,
            };
            let named = [event.openings.as_deref(), event.sign_key.as_deref()];
            let outside = event.bots.extra.iter().map(|(_, path)| path.as_path());
            let programs = bots.iter().flat_map(|bot| bot.own.iter().chain([&bot.path]).map(PathBuf::as_path));
            let overwriting = Overwriting {
                inputs: named
                    .into_iter()
                    .flatten()
                    .chain(outside)
                    .chain(programs)
                    .chain(reads.iter().copied())
                    .collect(),
                bots: event.bots.bots.clone(),
                results: settings.results.clone(),
                home: ResultsFolder::open(&home).ok(),
                is_forced: self.force,
            };
            overwriting.check_files(&files)?;
        }
        let mut settings = settings;
        settings.outputs.extend(files.iter().map(|(option, path)| (*option, path.to_path_buf())));
        if let Some(path) = &self.events {
            let events = File::create(path).and_then(|file| JsonLines::start(BufWriter::new(file)));
            observers.0.push(Box::new(events.with_context(|| format!("writing events {}", path.display()))?));
        }
        #[cfg(feature = "serve")]
        if self.watch_pace.is_some() && settings.workers.is_some() {
            anyhow::bail!("--watch-pace: the games are played by workers, and their boards are not shown");
        }
        #[cfg(feature = "serve")]
        if let Some(address) = self.serve {
            settings.pace = self.watch_pace.filter(|pace| !pace.is_zero());
            let (page, files) = super::serve::serve(address, &settings, bots.len(), io)?;
            observers.0.push(Box::new(page));
            settings.spare_files = files;
        }
        Ok((settings, observers))
    }
}

/// Writes a file that an option names, if it names one. Whether it may was checked before.
pub(crate) fn write_named(option: &str, file: Option<&Path>, text: impl FnOnce() -> String) -> anyhow::Result<()> {
    let Some(path) = file else { return Ok(()) };
    // In its place, and not renamed: it may be a pipe, or be shared with a container.
    std::fs::write(path, text()).with_context(|| format!("writing {option} {}", path.display()))
}

/// The key in this file, which signs a journal.
#[cfg(feature = "nats")]
pub(super) fn signer(file: &Path) -> anyhow::Result<Arc<dyn Signer>> {
    Ok(Arc::new(SecretKey::read_or_create(file)?))
}

#[cfg(not(feature = "nats"))]
pub(super) fn signer(file: &Path) -> anyhow::Result<Arc<dyn Signer>> {
    bail!("--sign-key {}: {NO_SIGNATURES}", file.display())
}

pub(crate) fn parse_name(name: &str) -> Result<String, String> {
    if is_tournament_name(name) {
        return Ok(name.to_owned());
    }
    Err(format!("not a valid tournament name; use {TOURNAMENT_NAME}"))
}
