//! What the watcher knows of one process at a shared processor.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::process::Pid;

use super::{Seat, Turn};
use crate::guard::{Family, Stopped};
use crate::player::process::credit::Opening;

/// More than this, used by a bot that is not on move, is competing whatever it does at the moment.
const USED_MAX: Duration = Duration::from_millis(2);
/// Less than this is not looked into: a process that is looked at, or answers a signal, uses some microseconds.
const CHANGE_MIN: Duration = Duration::from_micros(100);

/// A process, and what was seen of it and of all that it has started.
#[derive(Debug)]
pub(super) struct Entry {
    seat: Arc<Seat>,
    /// Its processes, with what each had used when it was last looked at.
    known: Vec<(Pid, Duration)>,
    /// What all of them had used then, also those that have ended.
    used: Option<Duration>,
    /// Its turn then.
    turn: Turn,
    /// What it used between two looks that both found it off move.
    used_off_move: Duration,
    /// As much of it was told already.
    told: Duration,
    /// Likewise its guard; and what that had used when it was last looked at.
    guard_off_move: Duration,
    guard_used: Duration,
    /// If it is stopped.
    stopped: Option<Stopped>,
    /// The turn in which it was seen on move.
    on_move: Option<OnMove>,
}

/// A turn of a mover that was seen.
#[derive(Debug)]
struct OnMove {
    turn: Turn,
    /// Where the others stood when it was first seen.
    marks: Vec<Mark>,
    /// What the mover and whoever waits for it had waited for, once it was seen again.
    opening: Option<Opening>,
    /// The most processes of the mover that were seen at a time, where only those that live are counted.
    processes: usize,
}

/// What a process at the same processor had used off move when a mover's turn was first seen.
#[derive(Debug)]
struct Mark {
    seat: Arc<Seat>,
    used: Duration,
    guard: Duration,
}

impl Entry {
    pub(super) fn new(seat: Arc<Seat>) -> Self {
        Self {
            turn: seat.turn(),
            seat,
            known: Vec::new(),
            used: None,
            used_off_move: Duration::ZERO,
            told: Duration::ZERO,
            guard_off_move: Duration::ZERO,
            guard_used: Duration::ZERO,
            stopped: None,
            on_move: None,
        }
    }

    pub(super) fn is_of(&self, seat: &Arc<Seat>) -> bool {
        Arc::ptr_eq(&self.seat, seat)
    }

    /// Lets it go on if it was stopped by us.
    pub(super) fn resume(&mut self) {
        if let Some(stopped) = self.stopped.take() {
            self.seat.family.resume(&stopped);
        }
        self.seat.is_stopped.store(false, Ordering::SeqCst);
    }

    /// Stops it, once more for those who escaped the last time, unless it is on move.
    pub(super) fn stop(&mut self, wait: bool) {
        self.seat.is_stopped.store(true, Ordering::SeqCst);
        // In this order: see [`super::Place::begin_turn`].
        if self.seat.turn().is_on_move() {
            self.seat.is_stopped.store(self.stopped.is_some(), Ordering::SeqCst);
        } else {
            let stopped = self.seat.family.stop(wait);
            self.stopped = Some(match self.stopped.take() {
                Some(before) => before.and(stopped),
                None => stopped,
            });
        }
    }

    /// What it and its guard have used off move since a mover's turn was first seen. One that came later has been starting
    /// until now, and used nothing before.
    fn since(&self, marks: &[Mark]) -> (Duration, Duration) {
        let mark = marks.iter().find(|mark| self.is_of(&mark.seat));
        let (used, guard) = mark.map_or_else(Default::default, |mark| (mark.used, mark.guard));
        (self.used_off_move.saturating_sub(used), self.guard_off_move.saturating_sub(guard))
    }

    /// What it used off move since this was last asked.
    pub(super) fn take_used_off_move(&mut self) -> Duration {
        let told = std::mem::replace(&mut self.told, self.used_off_move);
        self.used_off_move.saturating_sub(told)
    }

    /// What its known processes have used since the last look; nothing if one of them has ended.
    fn grown(&self) -> Option<Duration> {
        let mut known = self.known.iter();
        known.try_fold(Duration::ZERO, |sum, (pid, before)| {
            Family::cpu_of(*pid).map(|used| sum + used.saturating_sub(*before))
        })
    }

    /// Whether nobody has asked it anything since the last look; from now on this is the last look.
    fn stays_off(&mut self) -> bool {
        let turn = self.seat.turn();
        let before = std::mem::replace(&mut self.turn, turn);
        turn == before && !turn.is_on_move()
    }

    /// Looks at what it has used. Cheap as long as its known processes do nothing: whoever starts another one does. Returns
    /// whether processes have come or gone.
    fn look(&mut self) -> bool {
        let stays_off = self.stays_off();
        let guard = self.seat.family.guard_cpu();
        if stays_off {
            self.guard_off_move += guard.saturating_sub(self.guard_used);
        }
        self.guard_used = guard;
        if self.used.is_some() && self.grown().is_some_and(|grown| grown < CHANGE_MIN) {
            return false;
        }
        let mut now = Vec::with_capacity(self.known.len());
        let used = self.seat.family.look(|pid| {
            now.extend(Family::cpu_of(pid).map(|used| (pid, used)));
            true
        });
        if let (Some(now), Some(before), true) = (used, self.used, stays_off) {
            self.used_off_move += now.saturating_sub(before);
        }
        let pids = |known: &[(Pid, Duration)]| known.iter().map(|(pid, _)| *pid).collect::<Vec<_>>();
        let is_restless = self.used.is_some() && pids(&now) != pids(&self.known);
        (self.known, self.used) = (now, used);
        is_restless
    }

    /// Stops it if it competes with a mover whose turn was first seen when `marks` were made.
    fn stop_if_competing(&mut self, marks: &[Mark]) {
        let turn = self.seat.turn();
        if turn.is_on_move() {
            return;
        }
        let grown = self.grown().filter(|_| self.used.is_some() && turn == self.turn).unwrap_or_default();
        // Before it is looked at more closely: to look at a crowd takes time.
        let is_stopped = self.since(marks).0 + grown > USED_MAX && grown >= CHANGE_MIN;
        if is_stopped {
            self.stop(false);
        }
        let is_restless = self.look();
        if is_restless || !is_stopped && self.since(marks).0 > USED_MAX && self.stopped.is_none() {
            self.stop(false);
        }
    }
}

pub(super) fn find<'a>(entries: &'a mut [Entry], seat: &Arc<Seat>) -> Option<&'a mut Entry> {
    entries.iter_mut().find(|entry| entry.is_of(seat))
}

/// Looks at all that share a processor, and stops whoever competes with one that has been on move since the last look.
pub(super) fn keep_order(entries: &mut [Entry]) {
    for index in 0..entries.len() {
        let turn = entries[index].seat.turn();
        if !turn.is_on_move() {
            continue;
        }
        let seen = entries[index].on_move.take().filter(|seen| seen.turn == turn);
        let on_move = if let Some(mut seen) = seen {
            for (_, other) in entries.iter_mut().enumerate().filter(|(other, _)| *other != index) {
                other.stop_if_competing(&seen.marks);
            }
            let mover = &entries[index].seat;
            seen.opening = seen.opening.or_else(|| Opening::of(&mover.family, mover.thread));
            if !mover.family.counts_the_dead() && seen.processes <= 1 {
                seen.processes = mover.family.count();
            }
            seen
        } else {
            OnMove { turn, marks: marks(entries, index), opening: None, processes: 0 }
        };
        entries[index].on_move = Some(on_move);
    }
}

/// Where all others than the one at `index` stand.
fn marks(entries: &mut [Entry], index: usize) -> Vec<Mark> {
    let others = entries.iter_mut().enumerate().filter(|(other, _)| *other != index);
    let marks = others.map(|(_, other)| {
        other.look();
        Mark { seat: Arc::clone(&other.seat), used: other.used_off_move, guard: other.guard_off_move }
    });
    marks.collect()
}

/// What the mover had waited for when the watcher began to look after its turn, and how many processes of it were seen at
/// a time since then.
pub(super) fn opening(entries: &mut [Entry], mover: &Arc<Seat>) -> Option<(Opening, usize)> {
    let turn = mover.turn();
    let seen = find(entries, mover)?.on_move.as_ref().filter(|seen| seen.turn == turn)?;
    seen.opening.clone().map(|opening| (opening, seen.processes))
}

/// What others used off move since the mover's turn was first looked at, with what their guards used on their behalf.
pub(super) fn taken_from(entries: &mut [Entry], mover: &Arc<Seat>) -> Vec<(Arc<Seat>, Duration)> {
    let turn = mover.turn();
    let seen = find(entries, mover).and_then(|entry| entry.on_move.take());
    // A turn that nobody has looked at is too short for anybody to have been in its way.
    let Some(seen) = seen.filter(|seen| seen.turn == turn) else { return Vec::new() };
    let others = entries.iter_mut().filter(|other| !other.is_of(mover));
    let taken = others.map(|other| {
        other.look();
        let (used, guard) = other.since(&seen.marks);
        (Arc::clone(&other.seat), used + guard)
    });
    let taken = taken.collect();
    if let Some(entry) = find(entries, mover) {
        entry.on_move = Some(seen);
    }
    taken
}
