//! The check before the first game: who cannot play is left out, and told of as soon as that is known.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::again::check_command;
use super::event_args::EventArgs;
use super::{Scratch, tell, unless_stopped};
use crate::check::{Readiness, readiness};
use crate::clock::TimeControl;
use crate::event::LeftOut;
use crate::roster::Found;
use crate::tournament::{BotLogs, Signals};

/// What the check is made with.
pub(super) struct FirstCheck<'a> {
    pub(super) args: &'a EventArgs,
    pub(super) clock: TimeControl,
    /// Bots at a time.
    pub(super) concurrency: usize,
    pub(super) scratch: &'a Scratch,
    pub(super) logs_dir: PathBuf,
    pub(super) runtime: &'a tokio::runtime::Runtime,
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
struct State<'a> {
    logs: BotLogs,
    tried: usize,
    /// Who is being tried.
    trying: BTreeSet<&'a str>,
    turned_away: TurnedAway,
}

impl FirstCheck<'_> {
    /// Tries the bots, several at a time. Returns nothing if a signal came.
    pub(super) fn run(&self, bots: &[&Found], signals: &mut Signals) -> anyhow::Result<Option<TurnedAway>> {
        let stop = AtomicBool::new(false);
        let state = Mutex::new(State {
            logs: BotLogs::open(&self.logs_dir, bots.iter().map(|bot| &bot.launch)),
            tried: 0,
            trying: BTreeSet::new(),
            turned_away: TurnedAway::default(),
        });
        let waiting = || {
            let state = state.lock().unwrap_or_else(PoisonError::into_inner);
            if !self.args.quiet && !state.trying.is_empty() {
                tell(&progress(state.tried, bots.len(), &state.trying));
            }
        };
        let all = || self.try_all(bots, &state, &stop);
        if unless_stopped(self.runtime, signals, &stop, all, waiting)?.is_none() {
            return Ok(None);
        }
        let mut turned_away = state.into_inner().unwrap_or_else(PoisonError::into_inner).turned_away;
        turned_away.left_out.sort_by(|a, b| a.name.cmp(&b.name));
        turned_away.sitting_out.sort();
        Ok(Some(turned_away))
    }

    /// Whoever could not be tried for a failure of ours is tried again when nobody else is.
    fn try_all<'a>(&self, bots: &[&'a Found], state: &Mutex<State<'a>>, stop: &AtomicBool) {
        let next = AtomicUsize::new(0);
        let again = Mutex::new(Vec::new());
        let try_them = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(bot) = bots.get(index).filter(|_| !stop.load(Ordering::Relaxed)) else { break };
                match self.try_one(bot, state) {
                    Readiness::Untried(_) => again.lock().unwrap_or_else(PoisonError::into_inner).push(index),
                    readiness => self.note(index, bot, readiness, state, stop),
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
                self.note(index, bots[index], self.try_one(bots[index], state), state, stop);
            }
        }
    }

    fn try_one<'a>(&self, bot: &'a Found, state: &Mutex<State<'a>>) -> Readiness {
        let name = bot.launch.name.as_str();
        state.lock().unwrap_or_else(PoisonError::into_inner).trying.insert(name);
        let mut launch = bot.launch.clone();
        launch.scratch.clone_from(&self.scratch.0);
        let readiness = readiness(&Arc::new(launch), &self.args.game, self.clock, self.runtime.handle());
        state.lock().unwrap_or_else(PoisonError::into_inner).trying.remove(name);
        readiness
    }

    /// Tells of a bot that cannot play, unless it was we who ended it.
    fn note(&self, index: usize, bot: &Found, readiness: Readiness, state: &Mutex<State<'_>>, stop: &AtomicBool) {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let name = &bot.launch.name;
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.tried += 1;
        let (cause, lines) = match readiness {
            Readiness::Ready => return,
            Readiness::DoesNotPlay(_) => return state.turned_away.sitting_out.push(name.clone()),
            Readiness::Broken { cause, log } => (cause, log),
            Readiness::Untried(why) => (format!("it could not be tried: {why}"), Vec::new()),
        };
        if let Err(error) = state.logs.append_lines(index, "check before the first game", &lines) {
            tell(&format!("warning: {error:#}"));
        }
        let log = if lines.is_empty() {
            String::new()
        } else {
            format!("; log: {}", self.logs_dir.join(format!("{name}.log")).display())
        };
        let next = check_command(bot, &self.args.bots, &self.args.game);
        tell(&format!("left out: {name}: {cause}{log}; next: {next}"));
        state.turned_away.left_out.push(LeftOut { name: name.clone(), cause });
    }
}

/// What is said while nothing else is.
fn progress(tried: usize, bots: usize, trying: &BTreeSet<&str>) -> String {
    let trying: Vec<&str> = trying.iter().copied().collect();
    format!("checking the bots: {tried} of {bots} tried, waiting for {}", trying.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_waited_for_is_named() {
        let said = progress(3, 6, &BTreeSet::from(["slow", "asleep"]));
        assert_eq!(said, "checking the bots: 3 of 6 tried, waiting for asleep, slow");
    }
}
