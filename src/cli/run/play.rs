//! `arena play`: a person against a bot, two people, or two bots that are watched.

mod choose;
mod hints;
mod plain;
#[cfg(feature = "tui")]
mod screen;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{anyhow, bail};
use arena_core::clock::{Bank, TimeControl};
use arena_core::record::Record;
use arena_core::rng::{Rng, derive_seed};
use arena_core::rules::{self, Move, RULES, Variant};
use arena_core::text::{counted, shell_word, shown};
use arena_play::player::human::HUMAN;
use arena_play::program::game_of;
use arena_play::roster::{FoundBot, RosterSettings, is_plain_name};
use arena_run::session::{PLAY_FOLDER, Runtime};
use arena_run::sitting::{GameThread, Participant, Sitting, SittingNews, SittingSetup, ThreadSettings};
use arena_sys::entropy::unpredictable;
use arena_sys::flags::{GAME, NAME};
use arena_sys::machine::Machine;
use clap::{Args as _, FromArgMatches as _};

use super::one_bot::{launch, patient, prepare, refuse_unplayable};
use crate::cli::args::game::{GameArg, written};
use crate::cli::args::guard::GuardArgs;
use crate::cli::args::shared::{RESULTS_DEFAULT, game_help, ms, one_of};
use crate::cli::{BotsArgs, ClockArgs, Exit, Io, ResultsArgs, whole};
use choose::ChosenOpponent;
use hints::hints;

/// The seat of a person, or of the bot named first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnSeat {
    First,
    Second,
    Random,
}

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags are bools")]
pub(crate) struct Args {
    /// A bot by name or path, or `human`; alone, it plays against you [default: choose from a list]
    #[arg(value_name = "A")]
    a: Option<String>,
    /// Who A plays against: a bot, or `human`
    #[arg(value_name = "B")]
    b: Option<String>,
    #[arg(long, value_name = "GAME", default_value = RULES[0].name, help = game_help())]
    game: GameArg,
    /// Your seat; the seat of A if both or neither are human [default: first, or as named]
    #[arg(
        long,
        value_name = "SEAT",
        value_parser = one_of([("first", OwnSeat::First), ("second", OwnSeat::Second), ("random", OwnSeat::Random)])
    )]
    seat: Option<OwnSeat>,
    /// Let bots wait for a key before each move
    #[arg(long)]
    step: bool,
    /// Time for a person in a game, and increment for each move, such as 5m+3s [default: no limit]
    #[arg(long, value_name = "TIME[+TIME]")]
    my_time: Option<Bank>,
    /// Wait for bots without a time limit, for debuggers
    #[arg(long, conflicts_with_all = ["move_time", "time"])]
    patient: bool,
    /// The bot that gives hints [default: a built-in one; in a game of your own the best bot of the folder]
    #[arg(long, value_name = "BOT")]
    hints: Option<String>,
    /// Without a screen: show what bots write to stderr as it comes
    #[arg(long)]
    stderr: bool,
    /// Seed of hidden codes and of bots [default: random]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(0..=u64::MAX))]
    seed: Option<u64>,
    /// Read moves line by line and print positions, as when this is not a terminal
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    bots: BotsArgs,
    #[command(flatten)]
    clock: ClockArgs,
    #[command(flatten)]
    guard: GuardArgs,
    #[command(flatten)]
    results: ResultsArgs,
}

/// A stored game to continue.
#[derive(Debug)]
struct StoredGame {
    seed: u64,
    moves: Vec<Move>,
}

/// A bot or a person.
#[derive(Debug)]
enum AskedPlayer {
    Person,
    Bot(Box<FoundBot>),
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    play(args, None, io)
}

/// Continues a game after `ply` moves: a person takes the seat on move, against the other player.
///
/// # Errors
///
/// Returns why that is not possible, or why playing failed.
pub(crate) fn go_on(record: &Record, ply: usize, results: &Path, is_plain: bool, io: &Io) -> anyhow::Result<Exit> {
    let game = Variant::from_json(&record.game, &record.params)?;
    if !game.rules.open_information {
        bail!("--play: {} has hidden information, which the record reveals", game.label);
    }
    let moves = &record.moves[..ply];
    let mut state = game.start(record.seed)?;
    rules::play(state.as_mut(), moves).map_err(|(index, why)| anyhow!("move {}: {why}", index + 1))?;
    if state.outcome().is_some() {
        bail!("--play: the game is over after {}; give an earlier --from PLY", counted(ply, "move"));
    }
    let seat = state.to_move();
    let opponent = &record.bots[seat.other().index()].name;
    // The name is from a file, and must not be a path.
    if !is_plain_name(opponent) {
        bail!("--play: the other player of the game is `{}`, which is not the name of a bot", shown(opponent));
    }
    let words = ["play", HUMAN, opponent, "--seat", seat.name(), "--game"].map(OsString::from);
    let words = words.into_iter().chain([written(&game).into(), "--results".into(), results.into()]);
    let words = words.chain(is_plain.then(|| "--plain".into()));
    let typed = Args::augment_args(clap::Command::new("play")).try_get_matches_from(words)?;
    let start = StoredGame { seed: record.seed, moves: moves.to_vec() };
    play(&Args::from_arg_matches(&typed)?, Some(start), io)
}

fn play(args: &Args, start: Option<StoredGame>, io: &Io) -> anyhow::Result<Exit> {
    let settings = args.guard.settings(io)?;
    let game = args.game.load(&settings, &[&args.bots.bots, &args.results.results], io)?;
    let clock = args.clock.control()?;
    let is_screen = cfg!(feature = "tui") && !args.plain && io.can_show_screens();
    let mut names = match (&args.a, &args.b) {
        (Some(a), Some(b)) => [a.clone(), b.clone()],
        (Some(a), None) => [HUMAN.to_owned(), a.clone()],
        _ => match choose::opponent(args, &game, &settings, is_screen, io)? {
            ChosenOpponent::Name(opponent) => [HUMAN.to_owned(), opponent],
            ChosenOpponent::Cancelled => return Ok(Exit::Done),
            ChosenOpponent::Killed => return Ok(Exit::Killed),
        },
    };
    if names[1] == HUMAN && names[0] != HUMAN && args.seat.is_some() {
        // `--seat` is that of the person.
        names.swap(0, 1);
    }
    let [mut a, mut b] = {
        let [a, b] = names.each_ref().map(|name| player(args, &game, name, &settings));
        [a?, b?]
    };
    let mut hints = hints(args, &game, &settings)?;
    let bots = [&mut a, &mut b].into_iter().filter_map(AskedPlayer::bot_mut).chain(hints.as_mut()).collect();
    let scratch = prepare(bots, clock.charge, &[&args.bots.bots, &args.results.results], io)?;
    let seed = args.seed.unwrap_or_else(unpredictable);
    let seats = match args.seat {
        Some(OwnSeat::Second) => [1, 0],
        Some(OwnSeat::Random) if Rng::new(derive_seed(seed, "seat", &[])).below(2) == 1 => [1, 0],
        _ => [0, 1],
    };
    let hint_launch = hints.as_ref().map(|bot| (launch(&scratch, bot, false), clock));
    let clock = if args.patient { patient(clock) } else { clock };
    let person_clock = args.my_time.map(person_clock).transpose()?;
    if person_clock.is_some() && [&a, &b].iter().all(|player| player.bot().is_some()) {
        bail!("--my-time is the time of a person, and two bots play here; they have --move-time and --time");
    }
    let folder = args.results.results.join(PLAY_FOLDER);
    let machine = Machine::this();
    let settings = ThreadSettings {
        variant: game.clone(),
        clock,
        person_clock,
        bots: [&a, &b].map(|player| player.bot().map(|bot| launch(&scratch, bot, args.patient))),
        hints: hint_launch,
        replay_args: replay_args(&game, (args.results.results != Path::new(RESULTS_DEFAULT)).then_some(&folder)),
        folder,
        machine: machine.played_on(1),
        host: machine.host,
    };
    let setup = SittingSetup {
        variant: game,
        seed,
        first_seed: start.as_ref().map(|start| start.seed),
        clock,
        is_timed: person_clock.is_some(),
        opening: start.map(|start| start.moves).unwrap_or_default(),
        participants: [a.participant(), b.participant()],
        seats,
        is_paused: args.step,
        hints: hints.as_ref().map(|bot| bot.launch.name.clone()),
    };
    let Runtime { tokio, signals } = Runtime::start()?;
    #[cfg(feature = "tui")]
    if is_screen {
        return screen::run(setup, settings, &tokio, io);
    }
    plain::run(setup, settings, &tokio, signals, args.stderr, io)
}

/// The clock of a person with this time.
fn person_clock(time: Bank) -> anyhow::Result<TimeControl> {
    if time.initial.is_zero() {
        bail!("--my-time must be at least 1ms, not counting the increment");
    }
    let (bank_ms, increment_ms) = (Some(ms(time.initial)), Some(ms(time.increment)));
    Ok(TimeControl { move_ms: None, bank_ms, increment_ms, ..TimeControl::per_move(time.initial) })
}

/// Starts a sitting whose news go to `post`.
fn sit_down(
    setup: SittingSetup,
    settings: ThreadSettings,
    tokio: &tokio::runtime::Runtime,
    post: impl Fn(SittingNews) + Send + Sync + 'static,
) -> anyhow::Result<Sitting> {
    let thread = GameThread::start(settings, tokio.handle().clone(), Arc::new(post))?;
    Ok(Sitting::new(setup, Box::new(thread))?)
}

fn player(args: &Args, game: &Variant, name: &str, settings: &RosterSettings) -> anyhow::Result<AskedPlayer> {
    if name == HUMAN {
        return Ok(AskedPlayer::Person);
    }
    let found = args.bots.find(name, settings)?;
    check_plays(&found, game)?;
    Ok(AskedPlayer::Bot(Box::new(found)))
}

fn check_plays(found: &FoundBot, game: &Variant) -> anyhow::Result<()> {
    refuse_unplayable(found, std::slice::from_ref(game))?;
    if !plays(found, game) {
        bail!("{} does not play {game}", found.launch.name);
    }
    Ok(())
}

/// What a command to replay a game needs beside the game: the folder of its results, if it is not the usual one, and its rules.
fn replay_args(game: &Variant, folder: Option<&PathBuf>) -> String {
    let folder = folder.map_or_else(String::new, |folder| format!(" {NAME} {}", shell_word(&folder.to_string_lossy())));
    let rules = game_of(game).map(|program| shell_word(&program.program.path.to_string_lossy()));
    folder + &rules.map_or_else(String::new, |path| format!(" {GAME} {path}"))
}

/// Whether a bot plays this, as far as is known before it is started.
fn plays(found: &FoundBot, game: &Variant) -> bool {
    found.plays(game) && choose::builtin(found).is_none_or(|strategy| (strategy.plays)(game))
}

impl AskedPlayer {
    fn bot(&self) -> Option<&FoundBot> {
        match self {
            Self::Person => None,
            Self::Bot(found) => Some(found),
        }
    }

    fn bot_mut(&mut self) -> Option<&mut FoundBot> {
        match self {
            Self::Person => None,
            Self::Bot(found) => Some(found),
        }
    }

    fn participant(&self) -> Participant {
        self.bot().map_or_else(Participant::person, |bot| Participant::bot(&bot.launch.name, &bot.fingerprint))
    }
}
