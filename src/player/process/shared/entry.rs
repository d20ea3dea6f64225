//! What the watcher knows of one process at a shared processor.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::process::Pid;

use super::{Seat, Turn};
use crate::guard::{Family, Stopped};
use crate::player::process::account::Opening;

/// More than this, used by a bot that is not on move, is competing whatever it does at the moment.
pub(super) const USED_MAX: Duration = Duration::from_millis(2);
/// Less than this is not looked into: a process that is looked at, or answers a signal, uses some microseconds.
const CHANGE_MIN: Duration = Duration::from_micros(100);

/// Every so many looks at a turn processes are looked for that none of the known ones took long to start.
const THOROUGH_EVERY: u32 = 4;
/// Of more processes than these it is not looked who comes and goes.
const CROWD: usize = 16;

/// A process, and what was seen of it and of all that it has started.
#[derive(Debug)]
pub(super) struct Entry {
    seat: Arc<Seat>,
    /// Its processes, with what each had used at the last look.
    known: Vec<(Pid, Duration)>,
    /// What all of it had used when that was last counted, and its turn then.
    total: Option<(Turn, Duration)>,
    /// What of that was counted since, by known processes alone.
    glanced: Duration,
    /// Its turn at the last look.
    turn: Turn,
    /// What it used between two looks that both found it off move.
    used_off_move: Duration,
    /// As much of it was told already.
    told: Duration,
    /// If it is stopped.
    stopped: Option<Stopped>,
    /// The turn in which it was seen on move.
    on_move: Option<OnMove>,
    /// What it had used off move when it was first seen that nobody is on move.
    between_turns: Option<Duration>,
}

/// A turn of a mover that was seen.
#[derive(Debug)]
struct OnMove {
    turn: Turn,
    /// Where the others stood when it was first seen.
    marks: Vec<Mark>,
    /// What the mover and whoever waits for it had waited for, once it was seen again.
    opening: Option<Opening>,
    /// How often it was looked at.
    looks: u32,
    /// The most processes of the mover that were seen at a time, where only those that live are counted.
    processes: usize,
}

/// What a process at the same processor had used off move when a mover's turn was first seen.
#[derive(Debug)]
struct Mark {
    seat: Arc<Seat>,
    used: Duration,
}

impl Entry {
    pub(super) fn new(seat: Arc<Seat>) -> Self {
        Self {
            turn: seat.turn(),
            seat,
            known: Vec::new(),
            total: None,
            glanced: Duration::ZERO,
            used_off_move: Duration::ZERO,
            told: Duration::ZERO,
            stopped: None,
            on_move: None,
            between_turns: None,
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
        // In this order: see [`super::Place::resume`].
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

    /// What it had used off move when `marks` were made. One that came later has been starting until now, and had used nothing.
    fn before(&self, marks: &[Mark]) -> Duration {
        marks.iter().find(|mark| self.is_of(&mark.seat)).map_or(Duration::ZERO, |mark| mark.used)
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
        let mut grown = Duration::ZERO;
        let mut now = Vec::with_capacity(self.known.len());
        for (pid, before) in &self.known {
            let used = Family::cpu_of(*pid)?;
            grown += used.saturating_sub(*before);
            now.push((*pid, used));
        }
        if now.is_empty() {
            return None;
        }
        if self.stays_off() {
            self.used_off_move += grown;
            self.glanced += grown;
        }
        self.known = now;
        Some(grown)
    }

    /// Counts what all of its processes have used since the last such count, also those that have ended, if it was off move
    /// all the time. By one call where it has a cgroup; else, or `through` all of them, by looking at each. Returns whether
    /// some have come or gone, as far as was looked.
    fn count(&mut self, through: bool) -> bool {
        self.stays_off();
        let mut is_restless = false;
        let mut total = self.seat.family.total_cpu().filter(|_| !through && !self.known.is_empty());
        if total.is_none() {
            let mut now = Vec::with_capacity(self.known.len());
            total = self.seat.family.inspect(|pid| {
                now.extend(Family::cpu_of(pid).map(|used| (pid, used)));
                true
            });
            let pids = |known: &[(Pid, Duration)]| known.iter().map(|(pid, _)| *pid).collect::<Vec<_>>();
            is_restless = !self.known.is_empty() && pids(&now) != pids(&self.known);
            self.known = now;
        }
        let Some(total) = total else { return is_restless };
        let (turn, before) = self.total.unwrap_or((self.turn, total));
        if turn == self.turn && !turn.is_on_move() {
            self.used_off_move += total.saturating_sub(before).saturating_sub(self.glanced);
        }
        // Ticks and clocks differ, so a total may fall; what comes after it is not to count twice.
        self.total = Some((self.turn, total.max(before)));
        self.glanced = Duration::ZERO;
        is_restless
    }

    /// Stops it if it competes: if it has used much off move since that was `before`. That is done before it is looked at
    /// more closely, for to go through a crowd takes long while that keeps the processor busy. `thoroughly` looks for
    /// processes that none of the known ones took long to start.
    fn stop_if_competing(&mut self, before: Duration, thoroughly: bool) {
        if self.seat.turn().is_on_move() {
            return;
        }
        let is_new = self.known.is_empty();
        let grown = self.glance();
        let is_crowd = self.known.len() > CROWD;
        let mut is_restless = grown.is_none() && !is_new;
        if is_new || !is_restless && !is_crowd && (thoroughly || grown.is_some_and(|grown| grown >= CHANGE_MIN)) {
            is_restless |= self.count(false);
        } else if thoroughly && self.seat.family.counts_the_dead() {
            self.count(false);
        }
        let is_active = is_restless || grown.is_none_or(|grown| grown >= CHANGE_MIN) || self.stopped.is_none();
        if is_restless || is_active && self.used_off_move.saturating_sub(before) > USED_MAX {
            self.stop(false);
            self.count(true);
        }
    }
}

pub(super) fn find<'a>(entries: &'a mut [Entry], seat: &Arc<Seat>) -> Option<&'a mut Entry> {
    entries.iter_mut().find(|entry| entry.is_of(seat))
}

/// Looks at all that share a processor, and stops whoever competes with one that has been on move since the last look; or,
/// if nobody has been, with the thread that plays the game.
pub(super) fn keep_order(entries: &mut [Entry]) {
    keep_order_between_turns(entries);
    for index in 0..entries.len() {
        let turn = entries[index].seat.turn();
        if !turn.is_on_move() {
            // It holds on to others, perhaps such as have ended.
            entries[index].on_move = None;
            continue;
        }
        let seen = entries[index].on_move.take().filter(|seen| seen.turn == turn);
        let on_move = if let Some(mut seen) = seen {
            for (_, other) in entries.iter_mut().enumerate().filter(|(other, _)| *other != index) {
                other.stop_if_competing(other.before(&seen.marks), seen.looks % THOROUGH_EVERY == 0);
            }
            seen.looks += 1;
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
            OnMove { turn, marks: marks(entries, index), opening: None, processes: 0, looks: 1 }
        };
        entries[index].on_move = Some(on_move);
    }
}

fn keep_order_between_turns(entries: &mut [Entry]) {
    let is_anybody_on_move = entries.iter().any(|entry| entry.seat.turn().is_on_move());
    for entry in entries {
        match entry.between_turns {
            _ if is_anybody_on_move => entry.between_turns = None,
            Some(before) => entry.stop_if_competing(before, false),
            None => {
                entry.glance();
                entry.between_turns = Some(entry.used_off_move);
            }
        }
    }
}

/// Where all others than the one at `index` stand.
fn marks(entries: &mut [Entry], index: usize) -> Vec<Mark> {
    let others = entries.iter_mut().enumerate().filter(|(other, _)| *other != index);
    let marks = others.map(|(_, other)| {
        // Of a crowd that comes and goes, the next look will tell.
        let is_known = other.glance().is_some();
        if other.seat.family.counts_the_dead() || !is_known && other.known.len() <= CROWD {
            other.count(!is_known);
        }
        Mark { seat: Arc::clone(&other.seat), used: other.used_off_move }
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

/// What others used off move since the mover's turn was first looked at; nothing of a turn that was not looked at.
pub(super) fn taken_from(entries: &mut [Entry], mover: &Arc<Seat>) -> Vec<(Arc<Seat>, Duration)> {
    let turn = mover.turn();
    let seen = find(entries, mover).and_then(|entry| entry.on_move.take());
    let Some(seen) = seen.filter(|seen| seen.turn == turn) else { return Vec::new() };
    let others = entries.iter_mut().filter(|other| !other.is_of(mover));
    let taken = others.map(|other| {
        other.glance();
        other.count(true);
        (Arc::clone(&other.seat), other.used_off_move.saturating_sub(other.before(&seen.marks)))
    });
    let taken = taken.collect();
    if let Some(entry) = find(entries, mover) {
        entry.on_move = Some(seen);
    }
    taken
}
