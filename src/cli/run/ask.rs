//! `arena ask BOT`: one position, the request for it, and what the bot replies.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::bail;
use arena_core::record::reason_in_words;
use arena_core::rules::{RULES, Seat, State, Variant, Viewer, play};
use arena_core::text::{counted, shown, wrap};
use arena_play::check::{AnsweredPosition, AskedPosition, CheckMark, ask};
use arena_run::session::Runtime;
use arena_store::report::Tone;
use serde_json::json;

use super::check::{print_row, row, width};
use super::one_bot::{OneBotArgs, launch, patient, refuse_unplayable};
use crate::cli::args::game::GameArg;
use crate::cli::args::moves::read_moves;
use crate::cli::args::shared::game_help;
use crate::cli::{Exit, Io, whole};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(long, value_name = "GAME", default_value = RULES[0].name, help = game_help())]
    game: GameArg,
    /// Moves to the position, such as 3,3,2 or [[0,0],[1,1]]; `@FILE` reads a file, `-` stdin
    #[arg(long, value_name = "MOVES", default_value = "", allow_hyphen_values = true, hide_default_value = true)]
    moves: String,
    /// Seed of the game, such as that of Mastermind's code
    #[arg(long, value_name = "N", default_value = "1", allow_negative_numbers = true, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Wait for the bot without a time limit, for debuggers
    #[arg(long, conflicts_with_all = ["move_time", "time"])]
    patient: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    bot: OneBotArgs,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let mut clock = args.bot.clock.control()?;
    if args.patient {
        clock = patient(clock);
    }
    let game = args.bot.load_game(&args.game, io)?;
    let mut state = game.start(args.seed)?;
    let moves = read_moves(&args.moves, state.as_ref(), io)?;
    if let Err((index, why)) = play(state.as_mut(), &moves) {
        bail!("--moves, move {}: {why}", index + 1);
    }
    if let Some(outcome) = state.outcome() {
        bail!(
            "the game is over after these moves ({}); leave out the last ones",
            reason_in_words(outcome.reason, Some(&game))
        );
    }
    let seat = state.to_move();
    let mut found = args.bot.find(io)?;
    refuse_unplayable(&found, std::slice::from_ref(&game))?;
    let scratch = args.bot.prepare(vec![&mut found], clock.charge, io)?;
    let launch = launch(&scratch, &found, args.patient);
    if !args.json {
        io.print(&wrap(&format!("{}  {}", found.launch.name, shown(&found.command)), width(io), 0))?;
        io.print(&position(&game, state.as_ref(), moves.len(), seat))?;
    }
    let mut runtime = Runtime::start()?;
    let handle = runtime.tokio.handle().clone();
    let position = AskedPosition { variant: &game, seed: args.seed, moves: &moves, seat, clock };
    let stop = AtomicBool::new(false);
    let Some(asked) = runtime.unless_stopped(&stop, || ask(&launch, &position, &handle), || {})? else {
        return Ok(Exit::Killed);
    };
    if args.json {
        print_answer(&found.launch.name, &found.command, seat, &asked, io)?;
    } else {
        show(&asked, io)?;
    }
    Ok(match (asked.mark.good, asked.mark.code) {
        (Some(false), Some("void")) => Exit::Error,
        (Some(false), _) => Exit::BotTrouble,
        _ => Exit::Done,
    })
}

/// The position as the bot may see it.
fn position(game: &Variant, state: &dyn State, plies: usize, seat: Seat) -> String {
    let after = if plies == 0 { "the start".to_owned() } else { counted(plies, "move") };
    let picture = state.picture(Viewer::Seat(seat)).to_string();
    let picture: String = picture.lines().flat_map(|line| ["\n  ", line]).collect();
    format!("{game} after {after}; seat {} ({}) is to move\n{picture}\n\n", seat.index(), seat.name())
}

fn show(asked: &AnsweredPosition, io: &Io) -> anyhow::Result<()> {
    for (mark, line) in [("→", &asked.request), ("←", &asked.reply)] {
        if let Some(line) = line {
            for line in line.lines() {
                io.print_labelled(mark, Tone::Plain, &format!(" {line}"))?;
            }
        }
    }
    // A bot that was not asked has its stderr among the details.
    if asked.request.is_some() {
        for line in &asked.log {
            io.print_labelled("!", Tone::Plain, &format!(" {line}"))?;
        }
    }
    let mark = CheckMark { found: format!("{}{}", asked.mark.found, times(asked)), ..asked.mark.clone() };
    print_row(&mark, &row(&mark, mark.what.len(), width(io)), io)
}

/// The time of the reply, unless the verdict tells it.
fn times(asked: &AnsweredPosition) -> String {
    let Some(time) = asked.time else { return String::new() };
    let ms = |time: Duration| format!("{:.2} ms", 1_000.0 * time.as_secs_f64());
    let cpu = asked.cpu.map_or_else(String::new, |cpu| format!(", {} of CPU time", ms(cpu)));
    format!(" (after {}{cpu})", ms(time))
}

fn print_answer(name: &str, command: &str, seat: Seat, asked: &AnsweredPosition, io: &Io) -> anyhow::Result<()> {
    let ms = |time: Option<Duration>| time.map(|time| 1_000.0 * time.as_secs_f64());
    let log: Vec<String> = asked.log.iter().map(ToString::to_string).collect();
    let object = json!({
        "bot": name,
        "command": command,
        "ok": asked.mark.good != Some(false),
        "seat": seat.index(),
        "request": asked.request,
        "reply": asked.reply,
        "move": asked.played,
        "ms": ms(asked.time),
        "cpu_ms": ms(asked.cpu),
        "log": log,
        "verdict": asked.mark,
    });
    io.print_json(&object)
}
