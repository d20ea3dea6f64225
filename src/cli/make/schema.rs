//! `arena schema`: the protocol or `arena judge` as JSON Schema.

use clap::ValueEnum;

use crate::cli::{Exit, Io};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What to describe
    #[arg(default_value = "protocol")]
    of: Described,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Described {
    /// The lines between the referee and a bot
    Protocol,
    /// The lines in and out of `arena judge`
    Judge,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let schema = match args.of {
        Described::Protocol => arena_wire::protocol::schema(),
        Described::Judge => arena_core::judge::schema(),
    };
    io.print_json(&schema)?;
    Ok(Exit::Done)
}
