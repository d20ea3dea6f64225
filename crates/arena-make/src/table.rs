//! `arena-make table`: the strategy of Mastermind.

use std::path::PathBuf;

use anyhow::Context as _;
use arena_core::solver::{Limits, TABLE_WIDTH, TABLE_WORST, make_table};

use crate::{Exit, refuse_existing, write};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// File to make
    file: PathBuf,
}

/// Makes the file.
pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    refuse_existing(&args.file)?;
    let table = make_table(TABLE_WIDTH, TABLE_WORST, &Limits::NONE)?.context("no strategy takes so few guesses")?;
    write(&args.file, &table)?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strategy_is_the_shipped_one_and_replaces_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let args = Args { file: folder.path().join("4x6.tree") };
        assert_eq!(run(&args).unwrap(), Exit::Done);
        let made = std::fs::read(&args.file).unwrap();
        assert_eq!(made, include_bytes!("../../arena-rules/src/solver/mastermind/4x6.tree"));
        let error = run(&args).unwrap_err().to_string();
        assert!(error.ends_with("4x6.tree is there already; remove it, or name another file"), "{error}");
    }
}
