//! Flags that all commands which play games share.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::ArgAction;

use super::again::check_command;
use super::guard_args::GuardArgs;
use super::progress::Progress;
use super::shared_args::one_of;
use super::strikes_arg::parse_strikes;
use super::{BotsArgs, ClockArgs, tell, whole};
use crate::event::StrikeLimits;
use crate::format::Format;
use crate::observer::{JsonLines, Observers};
use crate::roster::Found;
use crate::rules::Variant;
use crate::session::{OpeningSource, Settings};

/// Rounds that take seconds to prepare.
const MANY_ROUNDS: u32 = 100_000;

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags are independent of each other")]
pub(super) struct EventArgs {
    /// The game, with parameters if need be: connect4:rows=6,cols=9; `arena games` lists them
    #[arg(long, value_name = "GAME", default_value = "connect4")]
    pub(super) game: Variant,
    /// Games at a time [default: the number of processors]
    #[arg(short = 'j', long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=u16::MAX))]
    pub(super) concurrency: Option<u16>,
    /// Allow more games at a time than there are processors
    #[arg(long)]
    pub(super) oversubscribe: bool,
    /// Where a game and its bots run: `core` keeps each game to one processor, `off` leaves it to the system
    #[arg(
        long,
        value_name = "WHERE",
        default_value = "core",
        action = ArgAction::Set,
        value_parser = one_of([("core", true), ("off", false)])
    )]
    pub(super) pin: bool,
    /// The seed that openings, games and the bots' own seeds are drawn from [default: a random one, kept for as long as
    /// the tournament goes on]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(0..=u64::MAX))]
    pub(super) seed: Option<u64>,
    /// File of openings: a JSON list of moves a line
    #[arg(long, value_name = "FILE", conflicts_with = "opening_plies")]
    pub(super) openings: Option<PathBuf>,
    /// Random moves that games start from; 0 for none [default: what suits the game, and one or two more once there are
    /// no other openings left]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(0..=u16::MAX))]
    pub(super) opening_plies: Option<u16>,
    #[command(flatten)]
    pub(super) clock: ClockArgs,
    /// A game is a draw once this many moves were made
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=u32::MAX))]
    pub(super) max_plies: Option<u32>,
    /// When a bot is withdrawn: after N failed starts in a row, or if its first N games are all lost by timeout or crash;
    /// `off` for never, or as one of the N [default: starts=3,games=10, or those of the tournament that goes on]
    #[arg(long, value_name = "KEY=N,…", value_parser = parse_strikes)]
    pub(super) strikes: Option<StrikeLimits>,
    #[command(flatten)]
    pub(super) guard: GuardArgs,
    #[command(flatten)]
    pub(super) bots: BotsArgs,
    /// Folder of all results
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub(super) results: PathBuf,
    /// Name of the tournament: its folder within the results [default: the game's name; of a match GAME-A-vs-B]
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    pub(super) name: Option<String>,
    /// Put the journal aside and play everything again
    #[arg(long)]
    pub(super) fresh: bool,
    /// Seat every bot, also one that fails the check before the first game
    #[arg(long)]
    pub(super) no_check: bool,
    /// End with exit code 2 if any game was lost by a fault
    #[arg(long)]
    pub(super) strict: bool,
    /// Write everything that happens to a file or pipe, as JSON lines (docs/events.md)
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// No progress
    #[arg(short, long)]
    pub(super) quiet: bool,
}

impl EventArgs {
    /// The settings of a session with this many rounds; `name` is the default name.
    pub(super) fn settings(&self, name: &str, format: &'static Format, rounds: u32) -> anyhow::Result<Settings> {
        if rounds >= MANY_ROUNDS && !self.quiet {
            tell(&format!("preparing {rounds} rounds; that takes a while"));
        }
        Ok(Settings {
            format,
            rounds,
            seed: self.seed,
            openings: OpeningSource::asked(self.openings.as_deref(), self.opening_plies),
            clock: self.clock.control()?,
            max_plies: self.max_plies,
            strikes: self.strikes,
            concurrency: self.concurrency()?,
            pin: self.pin,
            results: self.results.clone(),
            bots: self.bots.bots.clone(),
            fresh: self.fresh,
            check: !self.no_check,
            ..Settings::new(self.game.clone(), self.name.as_deref().unwrap_or(name))
        })
    }

    /// The observers of a session with these bots: progress on stderr, and the event stream if there is one.
    pub(super) fn observers<'a>(&'a self, bots: &'a [Found]) -> anyhow::Result<Observers<'a>> {
        let progress = Progress::new(self.quiet, |name| {
            let bot = bots.iter().find(|bot| bot.launch.name == name);
            bot.map(|bot| check_command(bot, &self.bots, &self.game))
        });
        let mut observers = Observers(vec![Box::new(progress)]);
        if let Some(path) = &self.events {
            let events = File::create(path).and_then(|file| JsonLines::start(BufWriter::new(file)));
            observers.0.push(Box::new(events.with_context(|| format!("writing events {}", path.display()))?));
        }
        Ok(observers)
    }

    /// Games at a time.
    fn concurrency(&self) -> anyhow::Result<usize> {
        let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
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

fn parse_name(name: &str) -> Result<String, String> {
    if crate::roster::is_plain_name(name) {
        return Ok(name.to_owned());
    }
    Err(format!("a tournament's name is a folder's name too: use {}", crate::roster::PLAIN_NAME))
}
