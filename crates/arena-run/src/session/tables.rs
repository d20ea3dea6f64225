//! Tables that are there whatever happens.

use std::time::{Duration, Instant};

use anyhow::Context;
use arena_core::schedule::Scheduler;
use arena_core::stats::AnalysisOptions;
use arena_core::text::shell_word;
use arena_show::observer::Observer;
use arena_store::journal::{self, Reader};
use arena_store::report::{Results, ResultsOptions, write_all, write_standings};
use arena_sys::results_folder::{Durability, ResultsFolder};
use arena_sys::time::now;

/// Standings are rewritten while a tournament runs, but never for more than a small part of its time.
const REWRITE_EVERY: Duration = Duration::from_secs(2);
const REWRITE_SHARE: u32 = 20;

/// Writes all tables of a tournament.
///
/// # Errors
///
/// Returns an error if one cannot be written, and how to do it later.
pub fn write_tables(folder: &ResultsFolder, results: &Results<'_>) -> anyhow::Result<()> {
    write_all(folder, results, Durability::Synced).with_context(|| games_are_safe(folder))
}

/// What to know where tables cannot be written.
fn games_are_safe(folder: &ResultsFolder) -> String {
    format!(
        "every game is safe in {}, and not all tables are written: `arena standings {}` does it when there is room",
        folder.path_of(journal::FILE_NAME).display(),
        shell_word(&folder.path().to_string_lossy())
    )
}

/// Counts the games of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Speed {
    begun: Instant,
    /// Games that were known then.
    known: u32,
}

impl Speed {
    pub(super) fn start(scheduler: &Scheduler) -> Self {
        Self { begun: now(), known: scheduler.attempts() }
    }

    /// Games per second since the start; `None` before the first.
    pub(super) fn games_per_second(&self, scheduler: &Scheduler) -> Option<f64> {
        let games = scheduler.attempts().saturating_sub(self.known);
        (games > 0).then(|| f64::from(games) / (now() - self.begun).as_secs_f64().max(1e-3))
    }
}

/// Writes the standings of a running tournament when it is called, if there is something new and it is time for it. How
/// much time is left is not known of a run that `may_end_early`.
pub(super) fn rewriting(
    reader: &Reader,
    options: &AnalysisOptions,
    title: Option<&str>,
    speed: Speed,
    may_end_early: bool,
) -> impl FnMut(&Scheduler, &mut dyn Observer) -> anyhow::Result<()> {
    let mut next = now() + REWRITE_EVERY;
    // Games that were known when they were written last.
    let mut written = 0;
    move |scheduler, observer| {
        let begun = now();
        if begun < next || written == scheduler.attempts() {
            return Ok(());
        }
        let options = ResultsOptions {
            analysis: *options,
            title: title.map(str::to_owned),
            games_per_second: speed.games_per_second(scheduler),
            estimates_end: !may_end_early && !scheduler.is_open(),
            ..ResultsOptions::default()
        };
        let results = Results::new(scheduler, reader, options)?;
        let folder = reader.folder();
        write_standings(folder, &results, Durability::Flushed).with_context(|| games_are_safe(folder))?;
        observer.tables_written(results.ranking());
        written = scheduler.attempts();
        next = now() + REWRITE_EVERY.max((now() - begun) * REWRITE_SHARE);
        Ok(())
    }
}
