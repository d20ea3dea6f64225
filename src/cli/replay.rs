//! `arena replay ID`: a recorded game, step by step.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufReader, IsTerminal};
use std::path::Path;

use anyhow::{Context, bail};
use console::{Key, Term};

use super::{Exit, ResultsArgs, print, tell};
use crate::event::{GameId, bot_seeds};
use crate::journal::{self, Line};
use crate::player::process::STARTUP_DEFAULT;
use crate::record::Record;
use crate::report::{Frame, frames};
use crate::rules::{Seat, Variant};
use crate::text::{json, printable, shown};
use crate::transcript::{request, transcript};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Id of the game in games.csv, or the beginning of it
    id: String,
    /// Name or folder of the tournament [default: all of them]
    #[arg(long)]
    name: Option<String>,
    /// Print all positions at once, as when the output is not a terminal
    #[arg(long)]
    all: bool,
    /// Print the request for the move after PLY moves, as the bot got it, with other ids
    #[arg(long, value_name = "PLY", conflicts_with_all = ["all", "wire", "json"])]
    request: Option<usize>,
    /// Print what the bot in this seat was sent, and its replies; the bot takes this as input
    #[arg(long, value_name = "SEAT", conflicts_with_all = ["all", "json"])]
    wire: Option<SeatArg>,
    /// Print the game as JSON, as it is in the journal
    #[arg(long, conflicts_with = "all")]
    json: bool,
    #[command(flatten)]
    results: ResultsArgs,
}

/// A seat, by its name or number.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum SeatArg {
    /// Moves first
    #[value(alias = "0")]
    First,
    /// Moves second
    #[value(alias = "1")]
    Second,
}

impl From<SeatArg> for Seat {
    fn from(seat: SeatArg) -> Self {
        match seat {
            SeatArg::First => Self::First,
            SeatArg::Second => Self::Second,
        }
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let (record, event_seed) = find(args)?;
    if let Some(ply) = args.request {
        print(&request(&record, ply)?)?;
        return Ok(Exit::Done);
    }
    if let Some(seat) = args.wire.map(Seat::from) {
        // The record has neither the bot's seed nor its time to start.
        let seed = bot_seeds(event_seed.unwrap_or_default(), &record.id)[seat.index()];
        print(&transcript(&record, seat, seed, STARTUP_DEFAULT, None)?)?;
        return Ok(Exit::Done);
    }
    if args.json {
        print(&json(&serde_json::to_string(&record)?))?;
        return Ok(Exit::Done);
    }
    let variant = Variant::from_json(&record.game, &record.params)?;
    let frames = frames(&record, &variant)?;
    let term = Term::stdout();
    if args.all || !term.is_term() || !std::io::stdin().is_terminal() {
        let all: Vec<String> = frames.iter().map(text).collect();
        print(&all.join("\n\n"))?;
    } else {
        step(&term, &frames)?;
    }
    Ok(Exit::Done)
}

/// The game, and the seed of its tournament.
fn find(args: &Args) -> anyhow::Result<(Record, Option<u64>)> {
    let dirs = args.results.tournaments(args.name.as_deref())?;
    // The first record of a game counts, as in the tables; the flag says whether its tournament has others.
    let mut found: Vec<(&Path, Record, bool)> = Vec::new();
    let mut seeds: HashMap<&Path, u64> = HashMap::new();
    let mut ids = HashSet::new();
    for dir in &dirs {
        let path = dir.join(journal::FILE_NAME);
        let reading = || format!("reading journal {}", path.display());
        let file = File::open(&path).with_context(reading)?;
        for located in journal::lines(BufReader::with_capacity(1 << 16, file)) {
            match located.with_context(reading)?.line {
                Ok(Line::Event(event)) => {
                    seeds.insert(dir, event.seed);
                }
                Ok(Line::Game(record)) if record.id.starts_with(&args.id) => {
                    ids.insert(GameId::of(&record.id));
                    match found.last_mut() {
                        Some((known, _, repeated)) if known == dir => *repeated = true,
                        _ => found.push((dir, *record, false)),
                    }
                }
                // `verify` reports damaged lines; they must not hide the others.
                _ => {}
            }
        }
    }
    if ids.len() > 1 {
        bail!("`{}` matches {} games; give more of the id", shown(&args.id), ids.len());
    }
    let mut found = found.into_iter();
    let Some((dir, record, repeated)) = found.next() else {
        let place = if args.name.is_some() { &dirs[0] } else { &args.results.results };
        bail!("no game `{}` in {}; ids are in games.csv", shown(&args.id), place.display());
    };
    if repeated {
        tell(&format!(
            "{} has several records of this game; the first one counts (`arena verify` lists them)",
            dir.join(journal::FILE_NAME).display()
        ));
    }
    let others: Vec<String> = found.map(|(dir, ..)| name_of(dir)).collect();
    if !others.is_empty() {
        tell(&format!(
            "showing the game from {}; --name selects another tournament that has it: {}",
            name_of(dir),
            others.join(", ")
        ));
    }
    Ok((record, seeds.get(dir).copied()))
}

fn name_of(dir: &Path) -> String {
    shown(&dir.file_name().unwrap_or(dir.as_os_str()).to_string_lossy())
}

fn text(frame: &Frame) -> String {
    let note = if frame.note.is_empty() { String::new() } else { format!("\n{}", frame.note) };
    format!("{}\n{}{note}", frame.title, frame.board)
}

fn step(term: &Term, frames: &[Frame]) -> anyhow::Result<()> {
    let mut index = 0;
    loop {
        let help = "→ or space: next · ←: back · home/end: first/last · q: quit";
        let screen = format!("{}\n\n{}/{}  {help}", text(&frames[index]), index + 1, frames.len());
        term.clear_screen()?;
        term.write_line(&printable(&screen))?;
        let last = frames.len() - 1;
        index = match term.read_key()? {
            Key::ArrowRight | Key::ArrowDown | Key::Enter | Key::Char(' ' | 'n' | 'l' | 'j') => (index + 1).min(last),
            Key::ArrowLeft | Key::ArrowUp | Key::Backspace | Key::Char('b' | 'p' | 'h' | 'k') => {
                index.saturating_sub(1)
            }
            Key::Home | Key::Char('g') => 0,
            Key::End | Key::Char('G') => last,
            Key::Char('q') | Key::Escape | Key::CtrlC => return Ok(()),
            _ => index,
        };
    }
}
