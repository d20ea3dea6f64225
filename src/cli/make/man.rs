//! `arena man`: pages made from the definition of the commands.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use arena_run::session::Overwriting;
use arena_sys::results_folder::{Durability, replace};
use clap::CommandFactory as _;

use crate::cli::args::shared::BOTS_DEFAULT;
use crate::cli::{Cli, Exit, Io, whole_program};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write one page per command to this folder, instead of the main page to stdout
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Overwrite files of these names, whatever they are now
    #[arg(long, requires = "dir")]
    force: bool,
}

/// Adds the pages of a command and of those in it, each with its file name.
fn pages(command: clap::Command, all: &mut Vec<(String, Vec<u8>)>) -> anyhow::Result<()> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        pages(inner.clone(), all)?;
    }
    let man = clap_mangen::Man::new(command);
    let mut page = Vec::new();
    man.render(&mut page)?;
    all.push((man.get_filename(), page));
    Ok(())
}

/// Whether this is a man page of the arena.
fn is_page_of_ours(path: &Path) -> bool {
    std::fs::read_to_string(path).is_ok_and(|page| page.lines().any(|line| line.starts_with(".TH arena")))
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let Some(dir) = &args.dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        io.print_data(&String::from_utf8(page)?)?;
        return Ok(Exit::Done);
    };
    let mut written = Vec::new();
    pages(whole_program(), &mut written)?;
    for (name, _) in &written {
        let path = dir.join(name);
        // This command may have written it.
        let is_forced = args.force || is_page_of_ours(&path);
        Overwriting { bots: BOTS_DEFAULT.into(), is_forced, ..Overwriting::default() }.check("--dir", &path)?;
    }
    std::fs::create_dir_all(dir).with_context(|| format!("making folder {}", dir.display()))?;
    for (name, page) in written {
        replace(&dir.join(name), Durability::Flushed, |out| Ok(out.write_all(&page)?))?;
    }
    io.tell(&format!("wrote man pages to {}", dir.display()));
    Ok(Exit::Done)
}
