//! `arena-make`: makes and checks the files that `arena` ships, for those who change a solver or a strategy.
//!
//! | command | file | time on 2 cores |
//! |---|---|---|
//! | `book` | `crates/arena-rules/src/solver/connect4/6x7.book`: scores of connect four on 6×7 | hours |
//! | `check-book` | none: solves entries of the shipped book again | minutes |
//! | `table` | `crates/arena-rules/src/solver/mastermind/4x6.tree`: the strategy of Mastermind | seconds |
//! | `ladder` | `crates/arena-play/src/strength/GAME.csv`: ratings of the built-in opponents of `arena check --strength` | half an hour |
//!
//! No command replaces a file. Copy the new file over the shipped one, and run the tests.

mod book;
mod check_book;
mod ladder;
mod progress;
mod table;

use std::io::Write as _;
use std::path::Path;
use std::thread::available_parallelism;

use anyhow::bail;
use arena_core::text::{causes, printable, shown};
use arena_guard::outlive_file_limit;
use arena_sys::results_folder::{Durability, replace};
use clap::{Parser, Subcommand};

/// How a command ended. The codes are those of `arena` (`docs/exit-codes.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Everything was done.
    Done = 0,
    /// Wrong usage, an error, or a wrong entry in the book.
    Error = 1,
    /// The tournament of a ladder is incomplete; run the same command to resume.
    Incomplete = 3,
    /// Stopped by a signal; run the same command to resume.
    Killed = 130,
}

/// Make and check the files that `arena` ships.
#[derive(Debug, Parser)]
#[command(name = "arena-make", version, max_term_width = 100, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make the book of connect4 on 6×7, which takes hours; after an interruption, run it again to resume.
    Book(book::Args),
    /// Solve N random entries of the shipped book of connect4 again, and all of its first plies.
    CheckBook(check_book::Args),
    /// Make the strategy of Mastermind with 4 pegs and 6 colours, which takes seconds.
    Table(table::Args),
    /// Make the ladder of a game: a tournament of all built-in opponents, which takes half an hour.
    Ladder(ladder::Args),
}

/// Reads the command line, runs the command, prints an error chain once, and returns the exit code.
#[must_use]
pub fn main() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // A failure to print it is ignored.
            let _ = error.print();
            return if error.use_stderr() { Exit::Error } else { Exit::Done };
        }
    };
    // The work of hours is not to end by a signal because of a file.
    outlive_file_limit();
    let outcome = match &cli.command {
        Command::Book(args) => book::run(args),
        Command::CheckBook(args) => check_book::run(args),
        Command::Table(args) => table::run(args),
        Command::Ladder(args) => ladder::run(args),
    };
    outcome.unwrap_or_else(|error| {
        tell(&format!("error: {}", causes(error.as_ref()).join("\n  caused by: ")));
        Exit::Error
    })
}

/// The number of threads that solve positions.
#[derive(Debug, clap::Args)]
struct ThreadArgs {
    /// Positions solved at a time [default: number of CPUs]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    concurrency: Option<u16>,
}

impl ThreadArgs {
    fn count(&self) -> usize {
        self.concurrency.map_or_else(|| available_parallelism().map_or(1, Into::into), usize::from)
    }
}

/// Prints a message to stderr; ignored if stderr is closed.
fn tell(text: &str) {
    let _ = std::io::stderr().write_all(format!("{}\n", printable(text)).as_bytes());
}

/// Fails if there is a file of this name: each took long to make.
fn refuse_existing(path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        bail!("{} is there already; remove it, or name another file", shown(&path.to_string_lossy()));
    }
    Ok(())
}

/// Writes a file that is made, and says so.
fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    replace(path, Durability::Flushed, |out| Ok(out.write_all(bytes)?))?;
    tell(&format!("wrote {} ({} bytes)", path.display(), bytes.len()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
