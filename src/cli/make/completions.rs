//! `arena completions SHELL`: made from the definition of the commands.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::{Cli, Exit, Io};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), env!("CARGO_PKG_NAME"), &mut script);
    io.print_data(&String::from_utf8(script)?)?;
    Ok(Exit::Done)
}
