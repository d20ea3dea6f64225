//! `arena-make check-book`: solves entries of the shipped book again.

use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::scope;

use anyhow::Context as _;
use arena_core::solver::BookCheck;
use arena_sys::entropy::unpredictable;

use crate::progress::progress;
use crate::{Exit, ThreadArgs, tell};

/// All entries up to this ply are solved, whatever is asked for.
const FIRST_PLIES: u32 = 4;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Number of random entries
    #[arg(value_name = "N")]
    random: usize,
    #[command(flatten)]
    threads: ThreadArgs,
}

/// Solves random entries and those of the first plies again, on several threads, and tells which are wrong.
pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    // Different entries each time, so that runs add up.
    let check = BookCheck::new(FIRST_PLIES, args.random, unpredictable()).context("this program has no book")?;
    let bar = progress(check.entries(), 0);
    let (next, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        loop {
            let entry = next.fetch_add(1, Ordering::Relaxed);
            if entry >= check.entries() {
                return;
            }
            if let Err(error) = check.check(entry) {
                wrong.fetch_add(1, Ordering::Relaxed);
                bar.suspend(|| tell(&error));
            }
            bar.inc(1);
        }
    };
    scope(|threads| {
        for _ in 0..args.threads.count() {
            threads.spawn(work);
        }
    });
    bar.finish_and_clear();
    let (entries, wrong) = (check.entries(), wrong.into_inner());
    writeln!(std::io::stdout(), "{} of {entries} entries are right", entries - wrong).context("writing to stdout")?;
    Ok(if wrong == 0 { Exit::Done } else { Exit::Error })
}
