//! `arena completions SHELL`: made from the definition of the commands.

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::{Cli, Exit, print_data};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), env!("CARGO_PKG_NAME"), &mut script);
    print_data(&String::from_utf8(script)?)?;
    Ok(Exit::Done)
}
