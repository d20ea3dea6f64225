//! `arena export`: tables that are not in the results folder.

use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use arena_run::session::Overwriting;
use arena_store::report::moves_csv;
use arena_sys::results_folder::{Durability, replace};

use crate::cli::args::shared::BOTS_DEFAULT;
use crate::cli::inspect::standings::{open, read_tournament};
use crate::cli::run::remembered::remember;
use crate::cli::{Exit, Io, ResultsArgs};

const OUTPUT: &str = "--output";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name or folder of a tournament [default: the only one there is]
    #[arg(value_name = "TOURNAMENT")]
    name: Option<String>,
    /// Write one row per move, as CSV, with its time, eval and comment
    #[arg(long, required = true)]
    moves: bool,
    /// File to write [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite the file of --output, whatever it is now
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    results: ResultsArgs,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let place = args.results.tournament(args.name.as_deref(), io)?;
    let folder = open(&place)?;
    if let Some(path) = &args.output {
        let overwriting = Overwriting {
            inputs: Vec::new(),
            bots: BOTS_DEFAULT.into(),
            results: args.results.results.clone(),
            home: Some(folder.clone()),
            is_forced: args.force,
        };
        overwriting.check(OUTPUT, path)?;
    }
    let (schedule, journal, _) = read_tournament(&folder, false, io)?;
    let mut warnings = Vec::new();
    if let Some(path) = &args.output {
        replace(path, Durability::Flushed, |out| {
            warnings = moves_csv(&schedule, &journal, out)?;
            Ok(())
        })?;
        remember(&folder, OUTPUT, std::slice::from_ref(path))?;
        io.tell(&format!("wrote {}", path.display()));
    } else {
        let mut out = BufWriter::with_capacity(1 << 16, io.stdout());
        warnings = moves_csv(&schedule, &journal, &mut out)?;
        out.flush()?;
    }
    for warning in warnings {
        io.warn(&warning);
    }
    Ok(Exit::Done)
}
