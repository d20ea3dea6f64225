//! Bots that share a processor, of which one is on move: the others wait.
//!
//! A game and its bots have one processor, and a bot may compute while its opponent is to move, as long as that costs the
//! opponent nothing. Who competes with a mover is stopped until something is asked of it again. Stopping cannot be
//! complete: what is in a long system call runs on to its end. So it is also counted what each bot uses while others are
//! on move, and whoever takes what a mover lacks is at fault ([`SharedProcessor`], [`Place::interference`]).
//!
//! The [watcher] is one thread for all processors, pinned to none of them: the thread that plays the game may be waiting
//! for the processor that a bot keeps busy. At rest a move costs two atomic additions.

mod entry;
#[cfg(test)]
mod tests;
mod watcher;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use super::account::Opening;
use crate::guard::{Family, own_thread};
use entry::Entry;

/// The bots that may run on one processor; or on any, where games are not kept to one.
#[derive(Debug, Clone, Default)]
pub struct SharedProcessor(Arc<Entries>);

#[derive(Debug, Default)]
struct Entries(Mutex<Vec<Entry>>);

impl Entries {
    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing if another thread has it.
    fn try_lock(&self) -> Option<MutexGuard<'_, Vec<Entry>>> {
        match self.0.try_lock() {
            Ok(entries) => Some(entries),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// The bots of one slot, two of which play at a time.
#[derive(Debug, Clone)]
pub struct Table {
    processor: SharedProcessor,
    number: u64,
}

impl Table {
    /// A table of its own at `processor`.
    #[must_use]
    pub fn at(processor: SharedProcessor) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        Self { processor, number: COUNT.fetch_add(1, Ordering::Relaxed) }
    }
}

/// What the thread that plays and the watcher both know of a process.
#[derive(Debug)]
struct Seat {
    name: String,
    table: u64,
    family: Family,
    /// The thread that waits for it, by the system's number.
    thread: i32,
    /// Raised whenever it begins or ends to be asked something; odd while it is.
    turn: AtomicU64,
    /// It is stopped, or about to be.
    is_stopped: AtomicBool,
    /// It plays a game.
    is_seated: AtomicBool,
    /// It disturbed a game that it did not play.
    is_condemned: AtomicBool,
}

impl Seat {
    fn turn(&self) -> Turn {
        Turn(self.turn.load(Ordering::SeqCst))
    }
}

/// One time of being asked something, or of waiting between two such times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Turn(u64);

impl Turn {
    fn is_on_move(self) -> bool {
        self.0 % 2 == 1
    }
}

/// The place of a process among those that share its processor.
#[derive(Debug)]
pub(super) struct Place {
    processor: Arc<Entries>,
    seat: Arc<Seat>,
    /// What had been waited for when nothing was asked of it, as far as is known.
    at_rest: Mutex<Option<Opening>>,
}

/// A bot that took a mover's processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Interference {
    /// Its name.
    pub(super) by: String,
    /// It plays the same game.
    pub(super) is_opponent: bool,
    /// What it used while the other was on move.
    pub(super) used: Duration,
}

impl Place {
    /// Takes a place for a process that was started just now, and is asked something from the beginning.
    pub(super) fn take(table: &Table, name: &str, family: Family) -> Self {
        let seat = Arc::new(Seat {
            name: name.to_owned(),
            table: table.number,
            family,
            thread: own_thread(),
            turn: AtomicU64::new(1),
            is_stopped: AtomicBool::new(false),
            is_seated: AtomicBool::new(false),
            is_condemned: AtomicBool::new(false),
        });
        let processor = Arc::clone(&table.processor.0);
        processor.lock().push(Entry::new(Arc::clone(&seat)));
        watcher::watch(&processor);
        Self { processor, seat, at_rest: Mutex::new(None) }
    }

    /// The processes.
    pub(super) fn family(&self) -> &Family {
        &self.seat.family
    }

    /// What had been waited for a processor when the bot was last seen at rest.
    pub(super) fn at_rest(&self) -> Option<Opening> {
        self.at_rest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// It is at rest: it has answered, and nothing is asked of it yet. That costs some system calls.
    pub(super) fn note_rest(&self) {
        let now = Opening::of(self.family(), self.seat.thread);
        *self.at_rest.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// Something is asked of it from now on: it is not stopped any more.
    pub(super) fn begin_turn(&self) {
        if !self.seat.turn().is_on_move() {
            self.seat.turn.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// It goes on if it was stopped. To be called when its turn has begun: whoever stops it looks at its turn after this is
    /// set, so that one of both sees the other.
    pub(super) fn resume(&self) {
        if self.seat.is_stopped.load(Ordering::SeqCst)
            && let Some(entry) = entry::find(&mut self.processor.lock(), &self.seat)
        {
            entry.resume();
        }
    }

    /// Nothing is asked of it any more.
    pub(super) fn end_turn(&self) {
        if self.seat.turn().is_on_move() {
            self.seat.turn.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Stops it now, whether it competes or not.
    pub(super) fn stop(&self) {
        let seat = Arc::clone(&self.seat);
        // Whoever is not stopped by now will be when the thread comes to it.
        let _ = watcher::ask(&self.processor, move |entries| {
            if let Some(entry) = entry::find(entries, &seat) {
                entry.stop(true);
            }
        });
    }

    /// It begins or ends a game.
    pub(super) fn set_seated(&self, is_seated: bool) {
        self.seat.is_seated.store(is_seated, Ordering::SeqCst);
    }

    /// Whether it disturbed a game that it did not play.
    pub(super) fn is_condemned(&self) -> bool {
        self.seat.is_condemned.load(Ordering::SeqCst)
    }

    /// Processor time that it used while it was not on move and another one was, as far as that was looked at, since this
    /// was last asked.
    pub(super) fn take_used_off_move(&self) -> Duration {
        let mut entries = self.processor.lock();
        entry::find(&mut entries, &self.seat).map(entry::Entry::take_used_off_move).unwrap_or_default()
    }

    /// What had been waited for a processor when the watcher began to look after its turn, and how many processes were seen
    /// at a time since then; nothing if it did not.
    pub(super) fn opening(&self) -> Option<(Option<Opening>, usize)> {
        entry::opening(&mut self.processor.lock(), &self.seat)
    }

    /// From now on nobody looks at its processes, or sends them a signal: their numbers may become others'.
    pub(super) fn give_up(&self) {
        self.processor.lock().retain(|entry| !entry.is_of(&self.seat));
    }

    /// Who has taken what this mover lacks of its processor, since its turn was first looked at, if all that do not wait as
    /// they should took `missing` together. Its opponent if that took at least half of it; else one that does not play this
    /// game, and then all such are condemned.
    pub(super) fn interference(&self, missing: Duration) -> Option<Interference> {
        let seat = Arc::clone(&self.seat);
        let mut taken = watcher::ask(&self.processor, move |entries| entry::taken_from(entries, &seat))?;
        taken.retain(|(_, used)| *used > entry::USED_MAX);
        let all: Duration = taken.iter().map(|(_, used)| *used).sum();
        if all < missing {
            return None;
        }
        let is_opponent = |thief: &Seat| thief.table == self.seat.table && thief.is_seated.load(Ordering::SeqCst);
        let (opponent, others): (Vec<_>, Vec<_>) = taken.into_iter().partition(|(thief, _)| is_opponent(thief));
        if let Some((thief, used)) = opponent.into_iter().find(|(_, used)| *used * 2 >= missing) {
            return Some(Interference { by: thief.name.clone(), is_opponent: true, used });
        }
        for (thief, _) in &others {
            thief.is_condemned.store(true, Ordering::SeqCst);
        }
        let (thief, used) = others.into_iter().max_by_key(|(_, used)| *used)?;
        Some(Interference { by: thief.name.clone(), is_opponent: false, used })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.give_up();
    }
}
