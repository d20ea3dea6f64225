//! `arena coordinate`: a tournament whose games are played by workers on other machines.

use anyhow::bail;
use arena_core::text::shown;

use super::tournament;
use crate::cli::args::nats::{WORKERS, WorkersArgs};
use crate::cli::{Exit, Io};

#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    #[command(flatten)]
    workers: WorkersArgs,
    /// Go on with a tournament; refuse to begin one
    #[arg(long, conflicts_with = "fresh", help_heading = WORKERS)]
    resume: bool,
    #[command(flatten)]
    tournament: tournament::Args,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    if args.tournament.is_in_parts() {
        bail!("--shard and --plan are for `arena tournament`: workers share out all games among themselves");
    }
    let contest = args.tournament.contest(io)?;
    if args.resume && contest.recorded.is_none() {
        let dir = args.tournament.results().join(&contest.name);
        bail!(
            "there is no tournament to resume in {}; leave out --resume to begin it, or name another one with --name NAME",
            shown(&dir.to_string_lossy())
        );
    }
    let workers = args.workers.workers(args.tournament.bot_settings(io)?, args.tournament.key()?, io)?;
    tournament::play(&args.tournament, &contest, args.tournament.deadline(), Some(workers), io)
}
