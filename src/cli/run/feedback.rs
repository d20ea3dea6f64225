//! Writes feedback for the authors of bots.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use arena_core::text::counted;
use arena_run::session::{Feedback, FeedbackPlan, Overwriting};
use arena_store::report::{Results, text_names};
use arena_sys::flags::FEEDBACK;
use arena_sys::results_folder::{ResultsFolder, if_there};

use crate::cli::Io;
use crate::cli::run::remembered::{is_read_only, remember};

/// The longest text of a check that is read.
const CHECK_BYTES_MAX: u64 = 256 << 10;

#[derive(Debug, clap::Args)]
pub(crate) struct FeedbackArgs {
    /// Write a text and a page for the author of each bot into this folder: rank, change since the last time, lost games with the
    /// moves where they turned, faults with the input that repeats them, times
    #[arg(long, value_name = "DIR")]
    pub(crate) feedback: Option<PathBuf>,
    /// Add to each the text that `arena check --all --out DIR` has written
    #[arg(long, value_name = "DIR", requires = "feedback")]
    checks: Option<PathBuf>,
}

impl FeedbackArgs {
    /// Writes the files, if they were asked for. `folder` is that of the results.
    pub(crate) fn write(
        &self,
        folder: &ResultsFolder,
        results: &Results<'_>,
        overwriting: Overwriting<'_>,
        io: &Io,
    ) -> anyhow::Result<()> {
        let Some(dir) = &self.feedback else { return Ok(()) };
        let checks = self.checks.as_deref().map(|checks| read_checks(checks, results)).transpose()?;
        write_feedback(dir, checks.unwrap_or_default(), folder, results, overwriting, io)
    }
}

/// Writes the feedback of a tournament into `dir`, and remembers that in `folder`, its results folder. `checks` has what the
/// check says of bots, by their names.
pub(crate) fn write_feedback(
    dir: &Path,
    checks: BTreeMap<String, String>,
    folder: &ResultsFolder,
    results: &Results<'_>,
    overwriting: Overwriting<'_>,
    io: &Io,
) -> anyhow::Result<()> {
    let feedback = Feedback::of(folder, results, FeedbackPlan { dir, checks, overwriting })?;
    if let Some(note) = &feedback.note {
        io.warn(note);
    }
    std::fs::create_dir_all(dir).with_context(|| format!("creating folder {}", dir.display()))?;
    // First, so that what a killed command leaves is ours.
    remember(folder, FEEDBACK, &feedback.paths())?;
    feedback.write()?;
    match feedback.remember(folder) {
        Err(error) if is_read_only(&error) => {
            io.tell("the results are read-only: the next feedback compares with the same games");
        }
        written => written?,
    }
    io.tell(&format!("feedback: {} in {}", counted(feedback.paths().len(), "file"), dir.display()));
    Ok(())
}

/// The texts that `arena check --all --out` wrote into a folder, for the bots of a tournament.
pub(crate) fn read_checks(dir: &Path, results: &Results<'_>) -> anyhow::Result<BTreeMap<String, String>> {
    let folder = ResultsFolder::open(dir).with_context(|| format!("opening folder {}", dir.display()))?;
    let event = results.event();
    let bots = event.bots.iter().map(|bot| bot.id.name.as_str());
    let names: Vec<&str> = bots.chain(event.left_out.iter().map(|bot| bot.name.as_str())).collect();
    let mut checks = BTreeMap::new();
    for name in names {
        let [file] = &text_names([(name, Some(name))].into_iter())[..] else { continue };
        let reading = || format!("reading {}", folder.path_of(file).display());
        let Some(found) = if_there(folder.read(file)).with_context(reading)? else { continue };
        let mut text = Vec::new();
        found.take(CHECK_BYTES_MAX).read_to_end(&mut text).with_context(reading)?;
        checks.insert(name.to_owned(), String::from_utf8_lossy(&text).into_owned());
    }
    Ok(checks)
}
