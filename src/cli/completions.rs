//! `arena completions SHELL` and `arena man`: made from the definition of the commands.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_complete::Shell;

use super::{Cli, Exit, print_data, tell};

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

#[derive(Debug, clap::Args)]
pub(super) struct ManArgs {
    /// Write one page per command to this folder, instead of the main page to stdout
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(super) fn man(args: &ManArgs) -> anyhow::Result<Exit> {
    let Some(dir) = &args.dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        print_data(&String::from_utf8(page)?)?;
        return Ok(Exit::Done);
    };
    std::fs::create_dir_all(dir).with_context(|| format!("making folder {}", dir.display()))?;
    clap_mangen::generate_to(Cli::command(), dir).with_context(|| format!("writing man pages to {}", dir.display()))?;
    tell(&format!("wrote man pages to {}", dir.display()));
    Ok(Exit::Done)
}
