//! What the authors of bots are told after a night, as files: which, what they compare with, and what is remembered of that.
//!
//! A night ends where its feedback is written, so a run that is killed, and goes on later, belongs to the same night.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use arena_core::event::{self, Tournament};
use arena_core::schedule::Scheduler;
use arena_play::player::process::STARTUP_DEFAULT;
use arena_store::journal::{self, GamePlace};
use arena_store::report::{
    Before, BotFeedback, FEEDBACK_INPUTS_MAX, FeedbackOptions, Results, Versions, feedback, text_names,
};
use arena_sys::flags::FEEDBACK;
use arena_sys::results_folder::{Durability, ResultsFolder};

use super::feedback_file::{FEEDBACK_FILE, Told};
use super::match_evaluation::MatchEvaluation;
use super::outputs::Outputs;
use super::overwriting::Overwriting;

/// What feedback is made of.
#[derive(Debug)]
pub struct FeedbackPlan<'a> {
    /// The folder to write into, which need not exist.
    pub dir: &'a Path,
    /// What the check says of bots, by their names.
    pub checks: BTreeMap<String, String>,
    /// What may be overwritten.
    pub overwriting: Overwriting<'a>,
}

/// Feedback that may be written.
#[derive(Debug)]
pub struct Feedback {
    dir: PathBuf,
    /// The bots, each with the name of its files.
    bots: Vec<(String, BotFeedback)>,
    /// Files of an earlier feedback that this one does not replace and that would be taken for its own.
    stale: Vec<String>,
    told: Option<Told>,
    /// Something to say about it.
    pub note: Option<String>,
}

impl Feedback {
    /// Makes the feedback of these results, whose folder is `folder`.
    ///
    /// # Errors
    ///
    /// Returns an error if a file may not be written, or the journal or `feedback.json` cannot be read.
    pub fn of(folder: &ResultsFolder, results: &Results<'_>, plan: FeedbackPlan<'_>) -> anyhow::Result<Self> {
        let known = Told::read(folder)?;
        let last = GamePlace::last(results.schedule());
        let told = last.map(|last| Told::after(known, last));
        let compared = told.as_ref().and_then(|told| told.before.clone());
        let earlier =
            compared.as_ref().map(|place| Earlier::read(folder, place, results.event())).transpose()?.flatten();
        let is_lost = compared.is_some() && earlier.is_none();
        let FeedbackPlan { dir, checks, overwriting } = plan;
        let options = FeedbackOptions {
            before: earlier.as_ref().zip(compared.as_ref()).map(|(earlier, last)| earlier.before(last)),
            private: private_texts(folder, dir, &overwriting),
            checks,
            startup: STARTUP_DEFAULT,
        };
        let event = results.event();
        let names: Vec<&str> = event.bots.iter().map(|bot| bot.id.name.as_str()).collect();
        let names: Vec<&str> = names.into_iter().chain(event.left_out.iter().map(|bot| bot.name.as_str())).collect();
        let stems: BTreeMap<&str, String> = names.iter().copied().zip(stems(&names)).collect();
        let stem = |name: &str| stems.get(name).cloned().unwrap_or_default();
        let bots: Vec<(String, BotFeedback)> =
            feedback(results, &options, stem)?.into_iter().map(|bot| (stem(&bot.name), bot)).collect();
        let files: Vec<String> = bots.iter().flat_map(|(stem, bot)| files(stem, bot)).map(|(name, _)| name).collect();
        overwriting.check_all(FEEDBACK, dir, files.iter().map(String::as_str))?;
        let outputs = Outputs::read(folder)?;
        let numbered =
            |stem: &String| (1..=FEEDBACK_INPUTS_MAX).map(|number| input_name(stem, number)).collect::<Vec<_>>();
        let inputs = bots.iter().flat_map(|(stem, _)| numbered(stem)).filter(|name| !files.contains(name));
        let stale = inputs.filter(|name| outputs.has(folder, FEEDBACK, &dir.join(name))).collect();
        let note = is_lost.then(|| {
            let path = folder.path_of(FEEDBACK_FILE);
            format!(
                "the journal lacks the last game of the feedback before ({}), so nothing is compared with it",
                path.display()
            )
        });
        Ok(Self { dir: dir.to_owned(), bots, stale, told, note })
    }

    /// The paths of all files.
    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        self.files().map(|(name, _)| self.dir.join(name)).collect()
    }

    fn files(&self) -> impl Iterator<Item = (String, &str)> {
        self.bots.iter().flat_map(|(stem, bot)| files(stem, bot))
    }

    /// Writes the files into their folder, which must exist.
    ///
    /// # Errors
    ///
    /// Returns an error if one cannot be written. The same feedback is then made again.
    pub fn write(&self) -> anyhow::Result<()> {
        let folder =
            ResultsFolder::open(&self.dir).with_context(|| format!("opening folder {}", self.dir.display()))?;
        for (name, text) in self.files() {
            folder.replace(name, Durability::Flushed, |out| Ok(out.write_all(text.as_bytes())?))?;
        }
        for name in &self.stale {
            folder.remove(name).with_context(|| format!("removing {}", folder.path_of(name).display()))?;
        }
        Ok(())
    }

    /// Remembers in the results folder what the authors now know.
    ///
    /// # Errors
    ///
    /// Returns an error if `feedback.json` cannot be written.
    pub fn remember(&self, folder: &ResultsFolder) -> anyhow::Result<()> {
        self.told.as_ref().map_or(Ok(()), |told| told.write(folder))
    }
}

/// The results at the end of an earlier feedback.
struct Earlier {
    schedule: Scheduler,
    until: String,
    versions: Option<Versions>,
}

impl Earlier {
    /// Those up to `last`; `None` if that game is not in the journal, or no definition before it.
    fn read(folder: &ResultsFolder, last: &GamePlace, now: &Tournament) -> anyhow::Result<Option<Self>> {
        let Some((reader, contents)) = journal::read_up_to(folder, last)? else { return Ok(None) };
        let Some(event) = contents.event else { return Ok(None) };
        let mut evaluation = MatchEvaluation::new(event.sprt.as_ref().and_then(event::Test::sprt));
        let schedule = Scheduler::as_left(Arc::new(event), &contents.games, &contents.rounds, &mut evaluation)?;
        let mut earlier = Self { schedule, until: reader.started(last)?, versions: None };
        if earlier.before(last).has_replaced(now) {
            earlier.versions = Some(Versions::read(folder, Some(now))?);
        }
        Ok(Some(earlier))
    }

    fn before<'a>(&'a self, last: &'a GamePlace) -> Before<'a> {
        Before { schedule: &self.schedule, last, until: &self.until, versions: self.versions.as_ref() }
    }
}

/// For each bot the name of its files, without an ending. Names in a journal may be any text.
fn stems(names: &[&str]) -> Vec<String> {
    let texts = text_names(names.iter().map(|name| (*name, Some(*name))));
    texts.into_iter().map(|name| name.strip_suffix(".txt").unwrap_or(&name).to_owned()).collect()
}

fn input_name(stem: &str, number: usize) -> String {
    format!("{stem}.{number}.input")
}

/// The files of a bot, and what is in them.
fn files<'a>(stem: &str, bot: &'a BotFeedback) -> Vec<(String, &'a str)> {
    let pages = [(format!("{stem}.txt"), bot.text.as_str()), (format!("{stem}.html"), bot.html.as_str())];
    let inputs = (1..).zip(&bot.inputs).map(|(number, input)| (input_name(stem, number), input.as_str()));
    pages.into_iter().chain(inputs).collect()
}

/// The organiser's folders, as they may be written in what is told of bots.
fn private_texts(folder: &ResultsFolder, dir: &Path, overwriting: &Overwriting<'_>) -> Vec<String> {
    let here = std::env::current_dir().unwrap_or_default();
    let folders = [folder.path(), dir, &overwriting.bots, &overwriting.results, Path::new(".")];
    let joined = folders.iter().map(|path| here.join(path));
    let real = folders.iter().filter_map(|path| path.canonicalize().ok());
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let all = joined.chain(real).chain(home).chain([std::env::temp_dir()]);
    all.map(|path| path.to_string_lossy().into_owned()).filter(|path| path.starts_with('/')).collect()
}
