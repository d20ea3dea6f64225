//! `arena check BOT`: the score card of one bot.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::guard_args::GuardArgs;
use super::{BotsArgs, ClockArgs, Exit, print, warn};
use crate::check::score_card;
use crate::rules::Variant;
use crate::session::{Runtime, Scratch, closed_folders, fence_in, refused, try_out};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Name of a bot in the bots folder, or the path of one
    bot: String,
    /// Games to try, as for `tournament --game` [default: every game the bot claims]
    #[arg(long = "game", value_name = "GAME")]
    games: Vec<Variant>,
    #[command(flatten)]
    bots: BotsArgs,
    #[command(flatten)]
    clock: ClockArgs,
    #[command(flatten)]
    guard: GuardArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let clock = args.clock.control()?;
    let mut found = args.bots.find(&args.bot, &args.guard.settings()?)?;
    let mut variants = args.games.clone();
    if variants.is_empty() {
        variants = Variant::names().filter_map(|name| Variant::named(name).ok()).collect();
        variants.retain(|variant| found.plays(variant));
        // mnk without parameters is tic-tac-toe.
        variants.dedup();
    }
    let scratch = Scratch::create()?;
    fence_in([&mut found], clock.charge, &[&args.bots.bots, Path::new("results")]);
    let weak = try_out(&[&found], &scratch)?;
    for warning in [refused([&found]), closed_folders(&[&found]), weak].concat() {
        warn(&warning);
    }
    let launch = Arc::new(scratch.launch(&found));
    let mut runtime = Runtime::start()?;
    let handle = runtime.tokio.handle().clone();
    let card = || score_card(&launch, &variants, clock, &handle);
    let Some(marks) = runtime.unless_stopped(&AtomicBool::new(false), card, || {})? else {
        return Ok(Exit::Killed);
    };
    let mut text = format!("{}  {}\n", found.launch.name, crate::text::shown(&found.command));
    let width = marks.iter().map(|mark| mark.what.len()).max().unwrap_or(0);
    for mark in &marks {
        let word = match mark.good {
            Some(true) => "ok  ",
            Some(false) => "FAIL",
            None => "note",
        };
        let _ = writeln!(text, "{word}  {:<width$}  {}", mark.what, mark.found);
        let advice = mark.advice.map(|advice| format!("→ {advice}"));
        let next = mark.code.map(|code| format!("next: arena explain {code}"));
        for line in mark.details.iter().cloned().chain(advice).chain(next) {
            let _ = writeln!(text, "      {:<width$}  {line}", "");
        }
    }
    print(&text)?;
    Ok(if marks.iter().any(|mark| mark.good == Some(false)) { Exit::BotTrouble } else { Exit::Done })
}
