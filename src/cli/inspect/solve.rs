//! `arena solve`: positions against perfect play.

mod asked;
mod bulk;
mod text;

use std::thread::available_parallelism;

use anyhow::bail;
use arena_core::rules::{RULES, Variant};
use arena_core::text::shown;
use clap::ArgGroup;

use crate::cli::args::moves::read_moves;
use crate::cli::args::shared::parse_nodes;
use crate::cli::{Exit, Io, whole};
use asked::{Asked, Limited, question};
use text::{CSV_HEADER, Form};

#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("form").args(["json", "csv"]))]
pub(crate) struct Args {
    /// Game and parameters [default: connect4], then positions: digits of columns from 1, as positions of connect4 are
    /// published
    #[arg(value_name = "GAME|POSITION")]
    words: Vec<String>,
    /// Moves to the position, from 0 as everywhere else: 3,2,0 or [[0,0],[1,1]]; `@FILE` reads a file, `-` stdin
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    moves: Option<String>,
    /// Look for results alone, without distances: faster
    #[arg(long)]
    result_only: bool,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    /// Print CSV
    #[arg(long)]
    csv: bool,
    /// Positions solved at a time [default: number of CPUs]
    #[arg(short = 'j', long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=1_024_usize))]
    concurrency: Option<usize>,
    /// Positions searched for an answer
    #[arg(long, value_name = "N", default_value = "50M", value_parser = parse_nodes)]
    nodes: u64,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let concurrency = args.concurrency.unwrap_or_else(|| available_parallelism().map_or(1, Into::into));
    let (game, positions) = match args.words.split_first() {
        Some((first, rest)) if !first.bytes().all(|byte| byte.is_ascii_digit()) => (first.as_str(), rest),
        _ => (RULES[0].name, args.words.as_slice()),
    };
    let game: Variant = game.parse()?;
    let limited = Limited { only_result: args.result_only, nodes: args.nodes };
    let form = match (args.json, args.csv) {
        (true, _) => Form::Json,
        (_, true) => Form::Csv,
        _ => Form::Text { board: io.on_stdout().colour },
    };
    if form == Form::Csv {
        io.print_data(CSV_HEADER)?;
    }
    if let Some(typed) = &args.moves {
        if let Some(position) = positions.first() {
            bail!("give --moves or positions such as {}, not both", shown(position));
        }
        let moves = read_moves(typed, game.start(0)?.as_ref(), io)?;
        return show(&Asked::new(String::new(), game, moves), limited, form, io);
    }
    if positions.is_empty() && !io.stdin_is_terminal() {
        bulk::run(io, concurrency, &|line| {
            let asked = question(&game, line);
            form.line(&asked, &asked.answer(limited))
        })?;
        return Ok(Exit::Done);
    }
    if positions.is_empty() {
        return show(&Asked::new(String::new(), game, Vec::new()), limited, form, io);
    }
    for position in positions {
        show(&question(&game, position), limited, form, io)?;
    }
    Ok(Exit::Done)
}

fn show(asked: &Asked, limited: Limited, form: Form, io: &Io) -> anyhow::Result<Exit> {
    let text = form.whole(asked, &asked.answer(limited));
    if matches!(form, Form::Text { .. }) {
        io.print(&text)?;
    } else {
        io.print_data(&text)?;
    }
    Ok(Exit::Done)
}
