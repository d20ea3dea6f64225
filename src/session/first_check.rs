//! The check before the first game: who cannot play is left out, and told of as soon as that is known.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Runtime, Scratch};
use crate::check::{Readiness, readiness};
use crate::clock::TimeControl;
use crate::event::LeftOut;
use crate::observer::{Observer, RunEvent};
use crate::roster::Found;
use crate::rules::Variant;
use crate::tournament::BotLogs;

/// What the check is made with.
pub(super) struct FirstCheck<'a> {
    pub(super) game: &'a Variant,
    pub(super) clock: TimeControl,
    /// Bots at a time.
    pub(super) concurrency: usize,
    pub(super) scratch: &'a Scratch,
    pub(super) logs_dir: PathBuf,
    /// Drains what bots write to stderr.
    pub(super) tokio: tokio::runtime::Handle,
}

/// Who does not play, sorted by name.
#[derive(Debug, Default)]
pub(super) struct TurnedAway {
    /// Those that cannot.
    pub(super) left_out: Vec<LeftOut>,
    /// Names of those that work, and play other games.
    pub(super) sitting_out: Vec<String>,
}

/// How far the check has come.
struct Progress<'a> {
    observer: &'a mut dyn Observer,
    logs: BotLogs,
    tried: usize,
    /// Who is being tried.
    trying: BTreeSet<&'a str>,
    turned_away: TurnedAway,
}

impl FirstCheck<'_> {
    /// Tries the bots, several at a time. Returns nothing if a signal came.
    pub(super) fn run(
        &self,
        bots: &[&Found],
        runtime: &mut Runtime,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<Option<TurnedAway>> {
        let stop = AtomicBool::new(false);
        let progress = Mutex::new(Progress {
            observer,
            logs: BotLogs::open(&self.logs_dir, bots.iter().map(|bot| &bot.launch)),
            tried: 0,
            trying: BTreeSet::new(),
            turned_away: TurnedAway::default(),
        });
        let waiting = || {
            let Progress { observer, tried, trying, .. } =
                &mut *progress.lock().unwrap_or_else(PoisonError::into_inner);
            if !trying.is_empty() {
                let waiting_for = trying.iter().map(|name| (*name).to_owned()).collect();
                observer.observe(&RunEvent::Checking { tried: *tried, bots: bots.len(), waiting_for });
            }
        };
        let all = || self.try_all(bots, &progress, &stop);
        if runtime.unless_stopped(&stop, all, waiting)?.is_none() {
            return Ok(None);
        }
        let mut turned_away = progress.into_inner().unwrap_or_else(PoisonError::into_inner).turned_away;
        turned_away.left_out.sort_by(|a, b| a.name.cmp(&b.name));
        turned_away.sitting_out.sort();
        Ok(Some(turned_away))
    }

    /// A bot that could not be tried because of us is tried again alone.
    fn try_all<'a>(&self, bots: &[&'a Found], progress: &Mutex<Progress<'a>>, stop: &AtomicBool) {
        let next = AtomicUsize::new(0);
        let again = Mutex::new(Vec::new());
        let try_them = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(bot) = bots.get(index).filter(|_| !stop.load(Ordering::Relaxed)) else { break };
                match self.try_one(bot, progress) {
                    Readiness::Untried(_) => again.lock().unwrap_or_else(PoisonError::into_inner).push(index),
                    readiness => self.note(index, bot, readiness, progress, stop),
                }
            }
        };
        std::thread::scope(|scope| {
            // This thread is one of them, and enough where no other can be had.
            for _ in 1..self.concurrency.min(bots.len()) {
                if std::thread::Builder::new().spawn_scoped(scope, try_them).is_err() {
                    break;
                }
            }
            try_them();
        });
        for index in again.into_inner().unwrap_or_else(PoisonError::into_inner) {
            if !stop.load(Ordering::Relaxed) {
                let bot = bots[index];
                self.note(index, bot, self.try_one(bot, progress), progress, stop);
            }
        }
    }

    fn try_one<'a>(&self, bot: &'a Found, progress: &Mutex<Progress<'a>>) -> Readiness {
        let name = bot.launch.name.as_str();
        progress.lock().unwrap_or_else(PoisonError::into_inner).trying.insert(name);
        let mut launch = bot.launch.clone();
        self.scratch.path().clone_into(&mut launch.scratch);
        let readiness = readiness(&Arc::new(launch), self.game, self.clock, &self.tokio);
        progress.lock().unwrap_or_else(PoisonError::into_inner).trying.remove(name);
        readiness
    }

    /// Tells of a bot that cannot play, unless it was we who ended it.
    fn note(&self, index: usize, bot: &Found, readiness: Readiness, progress: &Mutex<Progress<'_>>, stop: &AtomicBool) {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let name = &bot.launch.name;
        let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.tried += 1;
        let (cause, lines) = match readiness {
            Readiness::Ready => return,
            Readiness::DoesNotPlay(_) => return progress.turned_away.sitting_out.push(name.clone()),
            Readiness::Broken { cause, log } => (cause, log),
            Readiness::Untried(why) => (format!("it could not be tried: {why}"), Vec::new()),
        };
        if let Err(error) = progress.logs.append_lines(index, "check before the first game", &lines) {
            progress.observer.observe(&RunEvent::Warning { text: format!("{error:#}") });
        }
        let log = (!lines.is_empty()).then(|| self.logs_dir.join(format!("{name}.log")));
        let left_out = LeftOut { name: name.clone(), cause };
        progress.observer.observe(&RunEvent::LeftOut { bot: left_out.clone(), log });
        progress.turned_away.left_out.push(left_out);
    }
}
