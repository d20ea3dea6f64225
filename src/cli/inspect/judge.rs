//! `arena judge`: the rules as a service.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use anyhow::Context as _;
use arena_core::rules::{self, Rules};
use arena_core::text::shown;

use crate::cli::args::game::RulesArgs;
use crate::cli::{Exit, Io};

/// An example question and its answer, abbreviated by `…`.
const EXAMPLE: &str = r#"A line in:
  {"game":"tictactoe","board":["XXX","OO.","..."]}
A line out, shortened:
  {"to_move":null,"outcome":"first","reason":"line","legal_moves":[],
  "legal_count":0,"lines":[[[0,0],[0,1],[0,2]],[]],…,"error":null}

Fields of a question:
  game    name of the game, as in `arena games`
  params  parameters that differ from the defaults: {"rows":6,"cols":9}
  moves   moves from the start, or from the board
  board   rows of `.`, `X` and `O` from the top; {fields}
  layout  how the board is written: rows (default), columns or tiles
  first   the mark that moves first: "X" (default) or "O"
  code    the hidden code of {secrets}, or
  seed    the seed it is drawn from
  legal   false leaves out the list of legal moves
  value   true adds an evaluation
  solve   true adds who wins with best play, and what each move is worth
  nodes   with solve: positions that may be searched

A bad line gets an answer with an error and never stops the rest.
docs/judge.md describes all fields; `arena schema judge` prints the JSON Schema."#;

/// The example, with the games that have positions as objects and hidden codes.
fn help() -> String {
    let fields = rules::all().filter_map(|rules| Some(format!("{}: {}", rules.label(), rules.from_fields?.example)));
    let secrets = rules::all().filter(|rules| rules.from_secret.is_some()).map(Rules::label);
    let [fields, secrets] = [fields.collect::<Vec<_>>().join(", "), secrets.collect::<Vec<_>>().join(" or ")];
    EXAMPLE.replace("{fields}", &fields).replace("{secrets}", &secrets)
}

#[derive(Debug, clap::Args)]
#[command(after_help = help())]
pub(crate) struct Args {
    /// File of questions, one per line [default: stdin, also written `-`]
    file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    args.rules.load(io)?;
    let stdout = io.stdout();
    match args.file.as_ref().filter(|path| path.as_os_str() != "-") {
        None => arena_core::judge::run(io.stdin(), stdout)?,
        Some(path) => {
            let name = shown(&path.to_string_lossy());
            let file = File::open(path).with_context(|| format!("could not open `{name}`"))?;
            arena_core::judge::run(BufReader::new(file), stdout)
                .with_context(|| format!("could not judge `{name}`"))?;
        }
    }
    Ok(Exit::Done)
}
