//! The check before the first game: bots that cannot play are left out, and reported at once. The others are timed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arena_core::event::LeftOut;
use arena_play::check::{Readiness, readiness, side_by_side};
use arena_play::roster::FoundBot;
use arena_show::observer::{Observer, RunEvent};
use arena_sys::results_folder::ResultsFolder;

use super::estimate::BotTimes;
use super::{Runtime, Scratch, SessionSettings};
use crate::tournament::{BOTS_FOLDER, BotLogs, log_name};

/// Settings of the check.
pub(super) struct FirstCheck<'a> {
    settings: &'a SessionSettings,
    /// The results folder, for the logs.
    folder: &'a ResultsFolder,
    /// Bots at a time.
    concurrency: usize,
    scratch: &'a Scratch,
    /// Drains what bots write to stderr.
    tokio: tokio::runtime::Handle,
}

/// What was found out; bots that do not play are sorted by name.
#[derive(Debug, Default)]
pub(super) struct Checked {
    /// Those that cannot, and those that declined.
    pub(super) failed: Vec<FailedBot>,
    /// Names of those that work, and play other games.
    pub(super) sitting_out: Vec<String>,
    /// How fast each of the others is.
    pub(super) times: BTreeMap<String, BotTimes>,
}

/// A bot that cannot play, or declined.
#[derive(Debug)]
pub(super) struct FailedBot {
    /// Which one, and why.
    pub(super) bot: LeftOut,
    /// Whether it starts; `None` if it declined, or could not be tried because of us. Then no earlier version plays instead.
    pub(super) starts: Option<bool>,
    /// The log of its output.
    log: Option<PathBuf>,
}

impl Checked {
    /// The bots that cannot play.
    pub(super) fn left_out(&self) -> Vec<LeftOut> {
        self.failed.iter().map(|failed| failed.bot.clone()).collect()
    }

    /// Whether the bot with this name was tried.
    fn has(&self, name: &str) -> bool {
        self.times.contains_key(name)
            || self.sitting_out.iter().any(|other| other == name)
            || self.failed.iter().any(|failed| failed.bot.name == name)
    }

    /// Only the bots with these names.
    fn only(mut self, names: &BTreeSet<&str>) -> Self {
        self.failed.retain(|failed| names.contains(failed.bot.name.as_str()));
        self.sitting_out.retain(|name| names.contains(name.as_str()));
        self.times.retain(|name, _| names.contains(name.as_str()));
        self
    }
}

/// How far the check has come.
struct CheckProgress<'a> {
    observer: &'a mut dyn Observer,
    /// Set when a signal came.
    stop: &'a AtomicBool,
    /// Bots that were not tried yet.
    waiting: std::iter::Copied<std::slice::Iter<'a, &'a FoundBot>>,
    /// Names of the bots being tried.
    trying: BTreeSet<&'a str>,
    tried: usize,
    /// Whether it was reported how far it has come: then its end is too.
    has_reported: bool,
    /// Those that could not be tried because of us.
    again: Vec<&'a FoundBot>,
    checked: Checked,
    /// Whether those that cannot play are reported.
    reports: bool,
}

impl<'a> FirstCheck<'a> {
    pub(super) fn new(
        settings: &'a SessionSettings,
        folder: &'a ResultsFolder,
        concurrency: usize,
        scratch: &'a Scratch,
        runtime: &Runtime,
    ) -> Self {
        Self { settings, folder, concurrency, scratch, tokio: runtime.tokio.handle().clone() }
    }
}

impl FirstCheck<'_> {
    /// Tries the bots, except those that were tried before, and reports those that cannot play. Returns nothing if a signal
    /// came.
    pub(super) fn run(
        &self,
        bots: &[&FoundBot],
        before: Checked,
        runtime: &mut Runtime,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<Option<Checked>> {
        let before = before.only(&bots.iter().map(|bot| bot.launch.name.as_str()).collect());
        for FailedBot { bot, log, .. } in &before.failed {
            observer.observe(&RunEvent::LeftOut { bot: bot.clone(), log: log.clone() });
        }
        let untried: Vec<&FoundBot> = bots.iter().copied().filter(|bot| !before.has(&bot.launch.name)).collect();
        self.try_bots(&untried, true, before, runtime, observer)
    }

    /// Tries the bots, and reports none. Returns nothing if a signal came.
    pub(super) fn run_quietly(
        &self,
        bots: &[&FoundBot],
        runtime: &mut Runtime,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<Option<Checked>> {
        self.try_bots(bots, false, Checked::default(), runtime, observer)
    }

    /// Tries the bots, several at a time, and adds them to `before`.
    fn try_bots(
        &self,
        bots: &[&FoundBot],
        reports: bool,
        before: Checked,
        runtime: &mut Runtime,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<Option<Checked>> {
        let stop = AtomicBool::new(false);
        let progress = Mutex::new(CheckProgress {
            observer,
            stop: &stop,
            waiting: bots.iter().copied(),
            trying: BTreeSet::new(),
            tried: 0,
            has_reported: false,
            again: Vec::new(),
            checked: before,
            reports,
        });
        let report = || {
            let CheckProgress { observer, tried, trying, has_reported, .. } = &mut *lock(&progress);
            if !trying.is_empty() {
                *has_reported = true;
                let waiting_for = trying.iter().map(|name| (*name).to_owned()).collect();
                observer.observe(&RunEvent::Checking { tried: *tried, bots: bots.len(), waiting_for });
            }
        };
        let all = || self.try_all(bots.len(), &progress);
        let is_stopped = runtime.unless_stopped(&stop, all, report)?.is_none();
        let CheckProgress { observer, tried, has_reported, mut checked, .. } =
            progress.into_inner().unwrap_or_else(PoisonError::into_inner);
        if has_reported {
            observer.observe(&RunEvent::Checking { tried, bots: bots.len(), waiting_for: Vec::new() });
        }
        if is_stopped {
            return Ok(None);
        }
        checked.failed.sort_by(|a, b| a.bot.name.cmp(&b.bot.name));
        checked.sitting_out.sort();
        Ok(Some(checked))
    }

    /// A bot that could not be tried because of us is tried again alone.
    fn try_all(&self, bots: usize, progress: &Mutex<CheckProgress<'_>>) {
        let try_them = || {
            loop {
                // The lock is not held while a bot is tried.
                let next = lock(progress).waiting.next();
                let Some(bot) = next else { break };
                self.try_one(bot, false, progress);
            }
        };
        side_by_side(self.concurrency.min(bots), &try_them);
        let again = std::mem::take(&mut lock(progress).again);
        for bot in again {
            self.try_one(bot, true, progress);
        }
    }

    /// Tries a bot and reports it if it cannot play. Does nothing after a signal, since the arena then ends the bots.
    fn try_one<'a>(&self, bot: &'a FoundBot, is_last_try: bool, progress: &Mutex<CheckProgress<'a>>) {
        let stop = lock(progress).stop;
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let name = bot.launch.name.as_str();
        lock(progress).trying.insert(name);
        let readiness =
            readiness(&Arc::new(self.scratch.launch(bot)), &self.settings.game, self.settings.clock, &self.tokio);
        let mut progress = lock(progress);
        progress.trying.remove(name);
        if stop.load(Ordering::Relaxed) {
            return;
        }
        if !is_last_try && matches!(readiness, Readiness::Untried(_)) {
            return progress.again.push(bot);
        }
        progress.tried += 1;
        let (cause, starts, lines) = match readiness {
            Readiness::Ready { start, reply } => {
                let start = if bot.launch.fresh { start } else { Duration::ZERO };
                progress.checked.times.insert(name.to_owned(), BotTimes { reply, start });
                return;
            }
            Readiness::DoesNotPlay(_) => return progress.checked.sitting_out.push(name.to_owned()),
            Readiness::Declined(says) => {
                let bot = LeftOut { name: name.to_owned(), cause: says, declined: true };
                return progress.leave_out(FailedBot { bot, starts: None, log: None });
            }
            Readiness::Broken { cause, starts, log } => (cause, Some(starts), log),
            Readiness::Untried(why) => (format!("it could not be tried: {why}"), None, Vec::new()),
        };
        let cause = match &bot.earlier {
            Some(earlier) => earlier.fails_too(&cause),
            None => cause,
        };
        let mut logs = BotLogs::open(self.folder, [&bot.launch]);
        if let Err(error) = logs.append_lines(0, "check before the first game", &lines) {
            progress.observer.observe(&RunEvent::Warning { text: format!("{error:#}") });
        }
        let log = (!lines.is_empty()).then(|| self.folder.path_of(BOTS_FOLDER).join(log_name(name)));
        progress.leave_out(FailedBot { bot: LeftOut::unable(name, cause), starts, log });
    }
}

impl CheckProgress<'_> {
    /// Notes a bot that does not play, and reports it.
    fn leave_out(&mut self, failed: FailedBot) {
        if self.reports {
            self.observer.observe(&RunEvent::LeftOut { bot: failed.bot.clone(), log: failed.log.clone() });
        }
        self.checked.failed.push(failed);
    }
}

fn lock<'a, 'b>(progress: &'a Mutex<CheckProgress<'b>>) -> MutexGuard<'a, CheckProgress<'b>> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}
