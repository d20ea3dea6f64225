//! What defines an event, as typed: the flags that all commands which play games share.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::guard_args::GuardArgs;
use super::{BotsArgs, ClockArgs, tell, whole};
use crate::event::{Event, Extra};
use crate::format::Format;
use crate::journal;
use crate::openings;
use crate::rng::unpredictable;
use crate::rules::{Move, Variant};
use crate::text::{counted, utf8};

/// So many rounds take seconds to prepare.
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
    #[arg(long, value_name = "WHERE", default_value = "core")]
    pub(super) pin: Pin,
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
    /// No progress
    #[arg(short, long)]
    pub(super) quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Pin {
    Core,
    Off,
}

impl EventArgs {
    /// The event without its bots.
    pub(super) fn define(&self, name: String, format: &Format, rounds: u32) -> anyhow::Result<Event> {
        let variant = &self.game;
        let seed = self.seed_in(&self.results.join(&name));
        if rounds >= MANY_ROUNDS && !self.quiet {
            tell(&format!("preparing {rounds} rounds; that takes a while"));
        }
        Ok(Event {
            name,
            game: variant.rules.name().to_owned(),
            label: variant.label.to_owned(),
            params: variant.params.to_json(),
            rules_version: variant.rules.version(),
            format: format.name.to_owned(),
            rounds,
            seed,
            clock: self.clock.control()?,
            max_plies: self.max_plies.map(|plies| plies as usize),
            openings: openings_of(self, seed, rounds)?,
            bots: Vec::new(),
            extra: Vec::new(),
            sprt: None,
            left_out: Vec::new(),
            warnings: Vec::new(),
        })
    }

    /// The seed that was asked for, else that of the tournament in `dir`, if it is one in the same game and goes on, else
    /// one that nobody can guess: whoever knows the seed knows what is hidden, and what each bot draws.
    fn seed_in(&self, dir: &Path) -> u64 {
        let goes_on = |last: &Event| last.game == self.game.rules.name() && last.params == self.game.params.to_json();
        let recorded = || journal::last_event(dir).filter(|last| !self.fresh && goes_on(last)).map(|last| last.seed);
        self.seed.or_else(recorded).unwrap_or_else(unpredictable)
    }

    /// Gives some pairings of the event more rounds; what was defined before stays as it is.
    pub(super) fn extend(&self, event: &mut Event, extra: Vec<Extra>) -> anyhow::Result<()> {
        let rounds = extra.iter().map(|extra| extra.rounds).max().unwrap_or(0).max(event.rounds);
        event.openings = openings_of(self, event.seed, rounds)?;
        event.extra = extra;
        Ok(())
    }
}

/// The openings of `rounds` rounds.
fn openings_of(args: &EventArgs, seed: u64, rounds: u32) -> anyhow::Result<Vec<Vec<Move>>> {
    let variant = &args.game;
    let openings = if let Some(path) = &args.openings {
        if !variant.rules.open_information() {
            bail!("--openings: {} has hidden information, its games cannot start from given moves", variant.label);
        }
        let bytes = std::fs::read(path).with_context(|| format!("reading openings {}", path.display()))?;
        let text =
            utf8(bytes).map_err(|line| anyhow::anyhow!("openings {}, line {line}: it is not UTF-8", path.display()))?;
        openings::parse(variant, &text).map_err(|(line, why)| match line {
            0 => anyhow::anyhow!("openings {}: {why}", path.display()),
            line => anyhow::anyhow!("openings {}, line {line}: {why}", path.display()),
        })?
    } else if let Some(plies) = args.opening_plies.map(usize::from) {
        if plies > 0 && !variant.rules.open_information() {
            bail!("--opening-plies: {} has hidden information, its games cannot start from given moves", variant.label);
        }
        let drawn = openings::draw(variant, plies, seed, rounds as usize);
        let reached = drawn.iter().map(Vec::len).max().unwrap_or(0);
        if reached < plies {
            let why = if openings::none_is_undecided_after(variant, plies) {
                format!("no game of {variant} is undecided after {plies}")
            } else {
                format!("none of {} random games of {variant} was undecided after {plies}", openings::FAILED_DRAWS_MAX)
            };
            tell(&format!("openings have {reached} plies: {why}"));
        }
        drawn
    } else {
        openings::suitable(variant, seed, rounds as usize)
    };
    if let Some(max) = args.max_plies
        && let Some(long) = openings.iter().find(|opening| opening.len() >= max as usize)
    {
        let plies = long.len();
        let moves = counted(plies, "move");
        let shorten = if args.openings.is_some() { "" } else { " with --opening-plies" };
        bail!(
            "--max-plies {max}: an opening has {moves}, so that nothing is left to play; raise it above {plies}, or \
             shorten the openings{shorten}"
        );
    }
    Ok(openings)
}

/// Games at a time.
pub(super) fn concurrency(args: &EventArgs) -> anyhow::Result<usize> {
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

fn parse_name(name: &str) -> Result<String, String> {
    if crate::roster::is_plain_name(name) {
        return Ok(name.to_owned());
    }
    Err(format!("a tournament's name is a folder's name too: use {}", crate::roster::PLAIN_NAME))
}
