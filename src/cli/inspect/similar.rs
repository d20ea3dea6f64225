//! `arena similar`: bots of a tournament that may have something in common.

use anyhow::Error;
use arena_store::report::Similarity;
use arena_sys::results_folder::Place;

use super::standings::{open, read_tournament};
use crate::cli::args::game::{RulesArgs, recall};
use crate::cli::{Exit, Io, ResultsArgs};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name or folder of a tournament [default: the only one there is]
    #[arg(value_name = "TOURNAMENT")]
    name: Option<String>,
    /// Print JSON, with all pairs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
    #[command(flatten)]
    results: ResultsArgs,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    args.rules.load(io)?;
    show(&args.results.tournament(args.name.as_deref(), io)?, args.json, io)
}

/// Prints what the bots of a tournament have in common.
pub(crate) fn show(place: &Place, as_json: bool, io: &Io) -> anyhow::Result<Exit> {
    let folder = open(place)?;
    let (schedule, journal, _) = read_tournament(&folder, false, io)?;
    recall(&folder, &schedule.event().game, io).map_err(Error::msg)?;
    let game = schedule.event().variant()?;
    let similarity = Similarity::of(&schedule, &journal, &game)?;
    if as_json {
        io.print_json(&similarity.json())?;
    } else {
        io.print_page(&similarity.page())?;
    }
    Ok(Exit::Done)
}
