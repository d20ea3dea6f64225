//! Bots that share a processor: while one is on move, the others wait.
//!
//! The thread that plays a game shares a processor with its bots. A bot may compute while its opponent is on move, as long
//! as that costs the opponent nothing. A bot that competes with the one on move is stopped until its own next turn. That
//! cannot be complete: a long system call runs to its end. So the watcher also counts what each bot uses while others are
//! on move, and a bot that used what another one lacked is at fault ([`Place::interference`]).
//!
//! The [watcher] is one thread for all processors, pinned to none of them: the thread that plays the game may be waiting
//! for the processor that a bot keeps busy. A fast move costs two atomic additions.

mod entry;
#[cfg(test)]
mod tests;
mod watcher;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use arena_guard::{Family, ShortTurns, own_thread};
use arena_sys::time::{now, pause};

use super::cpu_usage::Baseline;
use super::end::ExchangeEnd;
use crate::player::Disturbed;
use entry::SharedBot;

/// Number of bots that are named when they disturb a game together.
const DISTURBERS_MAX: usize = 8;

/// Time limit for bots that wait for a game to end, or to come to rest.
const REST_LIMIT: Duration = Duration::from_secs(10);
const REST_POLL: Duration = Duration::from_millis(1);

/// The bots on one processor; or on any, where games are not pinned.
#[derive(Debug, Clone, Default)]
pub struct SharedProcessor(Arc<Mutex<Vec<SharedBot>>>);

impl SharedProcessor {
    fn lock(&self) -> MutexGuard<'_, Vec<SharedBot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all bots that wait for a game, whether they compete or not; they are started anew for their next one. One that has
    /// no cgroup is stopped until its next request instead. Returns when none runs any more, or after ten seconds: a process in
    /// a long system call ends or stops only after it.
    pub fn end_waiting(&self) {
        let begun = now();
        let end = |entries: &mut Vec<SharedBot>| {
            entries.iter_mut().for_each(SharedBot::end_waiting);
            entries.iter().all(SharedBot::is_at_rest_or_seated)
        };
        while watcher::ask(self, end) != Some(true) && begun.elapsed() < REST_LIMIT {
            pause(REST_POLL);
        }
    }

    /// `None` if another thread holds the lock.
    fn try_lock(&self) -> Option<MutexGuard<'_, Vec<SharedBot>>> {
        match self.0.try_lock() {
            Ok(entries) => Some(entries),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// State of a process that the thread that plays and the watcher share.
#[derive(Debug)]
struct Occupant {
    name: String,
    family: Family,
    /// The system's number of the thread that started it and plays its games.
    thread: i32,
    /// Incremented at the start and at the end of each of its turns; odd during a turn.
    turn: AtomicU64,
    /// It is stopped, or about to be.
    is_stopped: AtomicBool,
    /// It plays a game.
    is_seated: AtomicBool,
    /// It disturbed a game that it did not play.
    is_condemned: AtomicBool,
}

impl Occupant {
    fn turn(&self) -> BotTurn {
        BotTurn(self.turn.load(Ordering::SeqCst))
    }

    fn is_on_move(&self) -> bool {
        self.turn().is_on_move()
    }
}

/// One turn of a bot, or the time between two turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BotTurn(u64);

impl BotTurn {
    fn is_on_move(self) -> bool {
        self.0 % 2 == 1
    }
}

/// The place of a process among those that share its processor.
#[derive(Debug)]
pub(super) struct SharedPlace {
    processor: SharedProcessor,
    occupant: Arc<Occupant>,
    at_rest: Mutex<Option<Baseline>>,
}

impl SharedPlace {
    /// Takes a place for a process that was just started. Its first turn begins at once.
    pub(super) fn take(processor: &SharedProcessor, name: &str, family: Family) -> Self {
        let occupant = Arc::new(Occupant {
            name: name.to_owned(),
            family,
            thread: own_thread(),
            turn: AtomicU64::new(1),
            is_stopped: AtomicBool::new(false),
            is_seated: AtomicBool::new(false),
            is_condemned: AtomicBool::new(false),
        });
        processor.lock().push(SharedBot::new(Arc::clone(&occupant)));
        watcher::watch(processor);
        Self { processor: processor.clone(), occupant, at_rest: Mutex::new(Baseline::of_new_process()) }
    }

    /// The processes.
    pub(super) fn family(&self) -> &Family {
        &self.occupant.family
    }

    /// The baseline when the bot was last seen at rest.
    pub(super) fn at_rest(&self) -> Option<Baseline> {
        self.at_rest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records that the bot is at rest: it has answered, and has no new question yet. Costs some system calls.
    pub(super) fn note_rest(&self) {
        let now = Baseline::of(self.family(), self.occupant.thread);
        *self.at_rest.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// Begins the bot's turn: it is not stopped any more.
    pub(super) fn begin_turn(&self) {
        if !self.occupant.is_on_move() {
            self.occupant.turn.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Resumes it if it was stopped. To be called after its turn has begun: the watcher reads the turn after it sets
    /// `is_stopped`, so one of both sees the other.
    pub(super) fn resume(&self) {
        if self.occupant.is_stopped.load(Ordering::SeqCst) {
            // The first one that is resumed may take the processor, while the watcher waits for the lock.
            let _turns = ShortTurns::begin();
            if let Some(entry) = entry::find(&mut self.processor.lock(), &self.occupant) {
                entry.resume();
            }
        }
    }

    /// Ends the bot's turn.
    pub(super) fn end_turn(&self) {
        if self.occupant.is_on_move() {
            self.occupant.turn.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Stops it now, whether it competes or not.
    pub(super) fn stop(&self) {
        let occupant = Arc::clone(&self.occupant);
        // If the result is late, the thread stops it later.
        let stop = move |entries: &mut Vec<SharedBot>| entry::find(entries, &occupant).map(|entry| entry.stop(true));
        let _ = watcher::ask(&self.processor, stop);
    }

    /// Whether it plays a game.
    pub(super) fn is_seated(&self) -> bool {
        self.occupant.is_seated.load(Ordering::SeqCst)
    }

    /// Begins or ends a game.
    pub(super) fn set_seated(&self, is_seated: bool) {
        self.occupant.is_seated.store(is_seated, Ordering::SeqCst);
    }

    /// Whether it disturbed a game that it did not play.
    pub(super) fn is_condemned(&self) -> bool {
        self.occupant.is_condemned.load(Ordering::SeqCst)
    }

    /// Processor time that it used while it was not on move and another bot was, as far as the watcher saw, since the last
    /// call.
    pub(super) fn take_used_off_move(&self) -> Duration {
        let mut entries = self.processor.lock();
        entry::find(&mut entries, &self.occupant).map(SharedBot::take_used_off_move).unwrap_or_default()
    }

    /// The baseline when the watcher first saw the present turn, and the most processes that it saw at a time since then;
    /// `None` if it has not seen this turn.
    pub(super) fn watched_since(&self) -> Option<(Option<Baseline>, usize)> {
        entry::watched_since(&mut self.processor.lock(), &self.occupant)
    }

    /// From now on no thread inspects or signals its processes: other processes may get their numbers.
    pub(super) fn give_up(&self) {
        self.processor.lock().retain(|entry| !entry.is_of(&self.occupant));
    }

    /// Finds the bot that used what this one lacks of its processor time in this turn, provided that all bots which were
    /// not on move used `missing` together. It is the opponent if that used at least half of it; otherwise a bot that does
    /// not play this game, and then all such bots are condemned.
    pub(super) fn interference(&self, missing: Duration) -> Option<ExchangeEnd> {
        let own = &self.occupant;
        let mover = Arc::clone(own);
        let mut taken = watcher::ask(&self.processor, move |entries| entry::taken_from(entries, &mover))?;
        taken.retain(|(_, used)| *used > entry::USED_MAX);
        if taken.iter().map(|(_, used)| *used).sum::<Duration>() < missing {
            return None;
        }
        let describe = |victim: &str, used: Duration| {
            let (used, missing) = (used.as_millis(), missing.as_millis());
            format!("used {used} ms of CPU time while {victim} was on move and was {missing} ms short of CPU time")
        };
        let is_opponent = |thief: &Occupant| thief.thread == own.thread && thief.is_seated.load(Ordering::SeqCst);
        let (opponent, others): (Vec<_>, Vec<_>) = taken.into_iter().partition(|(thief, _)| is_opponent(thief));
        if let Some((_, used)) = opponent.into_iter().find(|(_, used)| *used * 2 >= missing) {
            return Some(ExchangeEnd::Disturbed(format!("it {}", describe("its opponent", used))));
        }
        let mut by: Vec<(String, Duration)> = Vec::new();
        for (thief, used) in others {
            thief.is_condemned.store(true, Ordering::SeqCst);
            // A bot may have a process in each slot of a processor.
            match by.iter_mut().find(|(name, _)| *name == thief.name) {
                Some((_, total)) => *total += used,
                None => by.push((thief.name.clone(), used)),
            }
        }
        by.sort_by_key(|(_, used)| std::cmp::Reverse(*used));
        by.truncate(DISTURBERS_MAX);
        let (name, used) = by.first()?;
        let how = describe(&format!("bot `{}`", own.name), *used);
        let why = format!("bot `{name}`, which does not play this game, {how}; `{name}` is ended");
        Some(ExchangeEnd::DisturbedByOthers(Disturbed { missing, by }, why))
    }
}

impl Drop for SharedPlace {
    fn drop(&mut self) {
        self.give_up();
    }
}
