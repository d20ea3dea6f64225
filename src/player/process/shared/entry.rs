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

/// Of more processes than these it is not looked who comes and goes.
const CROWD: usize = 16;

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
    /// What its guard had used in all.
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

    /// What it has used off move since a mover's turn was first seen, and its guard has on its behalf. One that came later
    /// has been starting until now, and used nothing before.
    fn since(&self, marks: &[Mark]) -> (Duration, Duration) {
        let mark = marks.iter().find(|mark| self.is_of(&mark.seat));
        let (used, guard) = mark.map_or((Duration::ZERO, None), |mark| (mark.used, Some(mark.guard)));
        let guard = guard.map_or(Duration::ZERO, |before| self.seat.family.guard_cpu().saturating_sub(before));
        (self.used_off_move.saturating_sub(used), guard)
    }

    /// What it used off move since this was last asked.
    pub(super) fn take_used_off_move(&mut self) -> Duration {
        let told = std::mem::replace(&mut self.told, self.used_off_move);
        self.used_off_move.saturating_sub(told)
    }

    /// Whether nobody has asked it anything since the last look; from now on this is the last look.
    fn stays_off(&mut self) -> bool {
        let turn = self.seat.turn();
        let before = std::mem::replace(&mut self.turn, turn);
        turn == before && !turn.is_on_move()
    }

    /// Counts what its known processes have used since the last look, and returns it: some tenths of a microsecond for each.
    /// Nothing if one of them has ended, or none is known; then nothing is counted.
    fn glance(&mut self) -> Option<Duration> {
        let used = self.used?;
        let mut grown = Duration::ZERO;
        let mut now = Vec::with_capacity(self.known.len());
        for (pid, before) in &self.known {
            let used = Family::cpu_of(*pid)?;
            grown += used.saturating_sub(*before);
            now.push((*pid, used));
        }
        if self.stays_off() {
            self.used_off_move += grown;
        }
        (self.known, self.used) = (now, Some(used + grown));
        Some(grown)
    }

    /// Goes through all of its processes and counts what they have used; returns whether some have come or gone.
    fn walk(&mut self) -> bool {
        let stays_off = self.stays_off();
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

    /// Brings up to date what it has used, going through its processes only where that must be.
    fn look(&mut self) {
        if self.glance().is_none() {
            self.walk();
        }
    }

    /// Stops it if it competes with a mover whose turn was first seen when `marks` were made: before it is looked at more
    /// closely, for to go through a crowd takes long while that keeps the processor busy.
    fn stop_if_competing(&mut self, marks: &[Mark]) {
        if self.seat.turn().is_on_move() {
            return;
        }
        let is_known = !self.known.is_empty();
        let grown = self.glance();
        let has_used = self.since(marks).0 > USED_MAX;
        match grown {
            Some(grown) if grown < CHANGE_MIN => {}
            // Of a crowd it is enough what it uses.
            Some(_) if !has_used && (self.known.len() > CROWD || !self.walk()) => {}
            None if !is_known => drop(self.walk()),
            _ => {
                self.stop(false);
                self.walk();
            }
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
            if !mover.family.counts_the_dead() && seen.processes <= 1 {
                seen.processes = mover.family.count(2);
            }
            // Whoever has several processes that cannot be counted has no credit anyway.
            if seen.opening.is_none() && seen.processes <= 1 {
                seen.opening = Opening::of(&mover.family, mover.thread);
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
        // Of a crowd that comes and goes, the next look will tell.
        if other.glance().is_none() && other.known.len() <= CROWD {
            other.walk();
        }
        Mark { seat: Arc::clone(&other.seat), used: other.used_off_move, guard: other.seat.family.guard_cpu() }
    });
    marks.collect()
}

/// What the mover had waited for when the watcher began to look after its turn, and how many processes of it were seen at
/// a time since then.
pub(super) fn opening(entries: &mut [Entry], mover: &Arc<Seat>) -> Option<(Option<Opening>, usize)> {
    let turn = mover.turn();
    let seen = find(entries, mover)?.on_move.as_ref().filter(|seen| seen.turn == turn)?;
    Some((seen.opening.clone(), seen.processes))
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
