//! `arena check`: the score card of one bot, of all bots, or of a program of rules.

mod all;
mod building;
mod strength;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::bail;
use arena_core::clock::TimeControl;
use arena_core::openings::Lost;
use arena_core::rules::{Move, Variant};
use arena_core::text::{shown, wrap, wrap_json};
use arena_play::check::{BuildError, CheckMark, Tests, rules_card, score_card, side_by_side};
use arena_play::program::game_of;
use arena_play::roster::FoundBot;
use arena_run::session::{OpeningSource, Runtime};
use arena_store::report::Tone;
use arena_sys::flags::GAME;
use serde_json::json;

use super::one_bot::{StartArgs, refuse_unplayable};
use crate::cli::args::game::GameArg;
use crate::cli::{Exit, Io, whole};

/// Openings tried of each game, and those that are asked for.
const OPENINGS: [usize; 2] = [1, 5];
/// The seed openings are drawn from: each check is the same.
const OPENINGS_SEED: u64 = 0;
/// Indentation of what belongs to a row.
const INDENT: usize = 6;
/// The longest line of prose, on a wider terminal too.
const WIDTH_MAX: usize = 100;

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags are bools")]
pub(crate) struct Args {
    /// Games to try, as for `tournament --game` [default: every game the bot claims]
    #[arg(long = "game", value_name = "GAME")]
    games: Vec<GameArg>,
    /// File of openings, as for `tournament`; the first five are tried
    #[arg(long, value_name = "FILE", conflicts_with = "opening_plies", requires = "games")]
    openings: Option<PathBuf>,
    /// Random moves that games from an opening start with; 0 for none [default: as for `tournament`]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(0..=u16::MAX))]
    opening_plies: Option<u16>,
    /// Only the first moves of two games of each kind
    #[arg(long)]
    quick: bool,
    /// Check all bots of the folder
    #[arg(long, conflicts_with_all = ["bot", "strength"])]
    all: bool,
    #[command(flatten)]
    of_all: all::AllArgs,
    /// First run the `build` of manifests, in a sandbox that can change only the bot's folder and has no network
    #[arg(long, conflicts_with = "strength")]
    build: bool,
    /// Tell how strong the bot is instead: play against built-in bots of known strength for up to a minute
    #[arg(long, conflicts_with = "quick", requires = "bot")]
    strength: bool,
    /// Print one JSON object at the end instead of rows
    #[arg(long)]
    json: bool,
    /// Name of a bot in the bots folder, or the path of one; without one, the rules of --game are checked, which are a program
    #[arg(required_unless_present_any = ["games", "all"])]
    bot: Option<String>,
    #[command(flatten)]
    how: StartArgs,
}

/// Checks all bots of the folder for one game, after their builds; `texts` is the folder of the texts for their authors.
pub(crate) fn check_all(
    game: &Variant,
    clock: TimeControl,
    how: StartArgs,
    texts: Option<&Path>,
    io: &Io,
) -> anyhow::Result<Exit> {
    let args = Args {
        games: vec![GameArg::of(game)],
        openings: None,
        opening_plies: None,
        quick: false,
        all: true,
        of_all: all::AllArgs::with_texts(texts),
        build: true,
        strength: false,
        json: false,
        bot: None,
        how,
    };
    all::run(&args, std::slice::from_ref(game), clock, io)
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let clock = args.how.clock.control()?;
    let load = |game| args.how.load_game(game, io);
    let asked: Vec<Variant> = args.games.iter().map(load).collect::<anyhow::Result<_>>()?;
    if let (true, Some(bot)) = (args.strength, &args.bot) {
        return strength::run(args, bot, &asked, clock, io);
    }
    if args.all {
        return all::run(args, &asked, clock, io);
    }
    let Some(bot) = &args.bot else {
        if args.build {
            bail!("--build is for bots; name one, or check all with --all");
        }
        return check_rules(args, &asked, io);
    };
    let mut found = args.how.find(bot, io)?;
    if args.build {
        let name = found.launch.name.clone();
        let Some(failed) = building::build_all(&[found], args.how.bots_folder(), 1, io)? else {
            return Ok(Exit::Killed);
        };
        if let Some((_, BuildError { cause, output, .. })) = failed.into_iter().next() {
            bail!("{name}: {}", [&[cause], output.as_slice()].concat().join("\n  "));
        }
        found = args.how.find(bot, io)?;
    }
    refuse_unplayable(&found, &asked)?;
    let tests = tests(args, &found, &asked, clock, io)?;
    let scratch = args.how.prepare(vec![&mut found], clock.charge, io)?;
    let launch = Arc::new(scratch.launch(&found));
    let mut runtime = Runtime::start()?;
    let handle = runtime.tokio.handle().clone();
    let width = width(io);
    if !args.json {
        io.print(&wrap(&head(&found), width, INDENT))?;
    }
    let stop = AtomicBool::new(false);
    let card = || {
        let mut marks = Vec::new();
        let mut printed = Ok(());
        score_card(&launch, &tests, &handle, &mut |mark| {
            // The bot is killed after a signal: what it does then means nothing.
            if !args.json && printed.is_ok() && !stop.load(Ordering::Relaxed) {
                printed = print_row(&mark, &row(&mark, tests.name_width(), width), io);
            }
            marks.push(mark);
        });
        printed.map(|()| marks)
    };
    let Some(marks) = runtime.unless_stopped(&stop, card, || {})? else {
        return Ok(Exit::Killed);
    };
    let marks = marks?;
    if args.json {
        io.print_json(&as_json(&found, &marks))?;
    }
    Ok(if is_ok(&marks) { Exit::Done } else { Exit::BotTrouble })
}

/// What to test of a bot: the games asked for, or all that it claims.
fn tests(args: &Args, found: &FoundBot, asked: &[Variant], clock: TimeControl, io: &Io) -> anyhow::Result<Tests> {
    let mut variants = asked.to_vec();
    if variants.is_empty() {
        variants = Variant::names().filter_map(|name| Variant::named(name).ok()).collect();
        variants.retain(|variant| found.plays(variant));
        // mnk without parameters is tictactoe, the name that comes after it.
        variants.reverse();
        variants.dedup();
        variants.reverse();
    }
    let games = variants.into_iter().map(|variant| openings(args, &variant, io).map(|openings| (variant, openings)));
    Ok(Tests {
        games: games.collect::<anyhow::Result<_>>()?,
        // Those of JSON bots are in their hello.
        plays: found.launch.speech().and_then(|_| Some(found.games()?.into_iter().map(str::to_owned).collect())),
        clock,
        quick: args.quick,
    })
}

fn is_ok(marks: &[CheckMark]) -> bool {
    marks.iter().all(|mark| mark.good != Some(false))
}

fn as_json(found: &FoundBot, marks: &[CheckMark]) -> serde_json::Value {
    json!({ "bot": found.launch.name, "command": found.command, "ok": is_ok(marks), "rows": marks })
}

/// What a card begins with.
fn head(found: &FoundBot) -> String {
    format!("{}  {}", found.launch.name, shown(&found.command))
}

/// The score cards of programs of rules.
fn check_rules(args: &Args, games: &[Variant], io: &Io) -> anyhow::Result<Exit> {
    let mut all_ok = true;
    let mut cards = Vec::new();
    for variant in games {
        let Some(game) = game_of(variant) else {
            bail!("{variant} is a built-in game; name a bot to check, or a program of rules with {GAME}");
        };
        let rows = rules_card(game, variant);
        all_ok &= is_ok(&rows);
        if args.json {
            cards.push(json!({ "game": variant.to_string(), "rules": game.name, "rows": rows }));
            continue;
        }
        io.print(&wrap(&format!("{}  {}", game.name, shown(&game.program.launch.command_line())), width(io), INDENT))?;
        for mark in &rows {
            print_row(mark, &row(mark, "slowest answer".len(), width(io)), io)?;
        }
    }
    if args.json {
        io.print_json(&json!({ "ok": all_ok, "games": cards }))?;
    }
    Ok(if all_ok { Exit::Done } else { Exit::Error })
}

/// The openings to try of a game; none where the game has hidden information, unless they are asked for.
fn openings(args: &Args, variant: &Variant, io: &Io) -> anyhow::Result<Vec<Vec<Move>>> {
    let is_asked = args.openings.is_some() || args.opening_plies.is_some();
    if !variant.rules.open_information && (args.games.is_empty() || !is_asked) {
        return Ok(Vec::new());
    }
    let count = OPENINGS[usize::from(is_asked)];
    let source = OpeningSource::asked(args.openings.as_deref(), args.opening_plies);
    let taken = source.take(variant, OPENINGS_SEED, count as u32, Lost::Last)?;
    if let Some(note) = taken.note {
        io.tell(&note);
    }
    Ok(taken.openings)
}

/// The width to print in; 0 where stdout is no terminal, so that nothing is wrapped.
pub(crate) fn width(io: &Io) -> usize {
    io.on_stdout().width.map_or(0, |width| width.min(WIDTH_MAX))
}

/// Does each of the jobs, several at a time.
fn in_parallel(concurrency: usize, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= jobs {
                break;
            }
            job(index);
        }
    };
    side_by_side(concurrency.min(jobs), &work);
}

/// Prints a row of a card.
pub(crate) fn print_row(mark: &CheckMark, row: &str, io: &Io) -> anyhow::Result<()> {
    print_verdict(mark.good, row, io)
}

/// Prints a row that begins with a verdict, which is shown in colour.
fn print_verdict(good: Option<bool>, row: &str, io: &Io) -> anyhow::Result<()> {
    let tone = match good {
        Some(true) => Tone::Good,
        Some(false) => Tone::Fault,
        None => Tone::Warning,
    };
    let (verdict, rest) = row.split_once(' ').unwrap_or((row, ""));
    io.print_labelled(verdict, tone, &format!(" {rest}"))
}

/// A verdict in a word.
fn verdict(good: Option<bool>) -> &'static str {
    match good {
        Some(true) => "ok",
        Some(false) => "FAIL",
        None => "note",
    }
}

/// A row of the card and what belongs to it; names of rows take `name_width`.
pub(crate) fn row(mark: &CheckMark, name_width: usize, width: usize) -> String {
    let mut text = format!("{:<4}  {:<name_width$}  ", verdict(mark.good), mark.what);
    let hanging = text.len();
    text.push_str(&mark.found);
    text = wrap(&text, width, hanging);
    let indented = |line: &str| format!("\n{:INDENT$}{line}", "");
    // A line of carets points at the one before, and is worth nothing where that is broken.
    let points = |line: &str| line.chars().all(|c| " ^~".contains(c)) && width > 0 && INDENT + line.len() > width;
    for line in mark.details.iter().filter(|line| !points(line)) {
        text.push_str(&wrap_json(&indented(line), width, INDENT + 2));
    }
    if let Some(advice) = &mark.advice {
        text.push_str(&wrap(&indented(&format!("→ {advice}")), width, INDENT + 2));
    }
    if let Some(code) = mark.code {
        let _ = write!(text, "{}", indented(&format!("next: arena explain {code}")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_fits_a_narrow_terminal() {
        let mark = CheckMark {
            what: "plays connect4".to_owned(),
            good: Some(false),
            found: "crashed in seat 0: it exited with status 1 while a move was owed".to_owned(),
            details: vec![r#"last sent: {"type":"move_request","id":1,"ply":0,"seat":0}"#.to_owned()],
            advice: Some("read its stderr, and give it the last line sent by hand".to_owned()),
            code: Some("crashed"),
        };
        insta::assert_snapshot!(row(&mark, 16, 50), @r#"
        FAIL  plays connect4    crashed in seat 0: it
                                exited with status 1 while
                                a move was owed
              last sent: {"type":"move_request","id":1,
                "ply":0,"seat":0}
              → read its stderr, and give it the last line
                sent by hand
              next: arena explain crashed
        "#);
        assert_eq!(row(&mark, 16, 0).lines().count(), 4);
    }
}
