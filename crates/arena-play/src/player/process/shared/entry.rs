//! What the watcher knows about one process at a shared processor.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use arena_guard::{Family, Stopped};
use rustix::process::Pid;

use super::{BotTurn, Occupant};
use crate::player::process::cpu_usage::Baseline;

/// A bot that has used more than this while it was not on move competes, whatever it does at the moment.
pub(super) const USED_MAX: Duration = Duration::from_millis(2);
/// Increases below this are ignored: a process that is inspected, or handles a signal, uses some microseconds.
const CHANGE_MIN: Duration = Duration::from_micros(100);

/// Number of looks at a turn after which new processes are searched for, even if none of the known ones used much time.
const THOROUGH_EVERY: u32 = 4;
/// Above this number of processes, coming and going is not tracked.
const TRACKED_MAX: usize = 16;

/// A bot, and what was seen of all its processes.
#[derive(Debug)]
pub(super) struct SharedBot {
    occupant: Arc<Occupant>,
    /// Its processes, with the time that each had used at the last look.
    known: Vec<(Pid, Duration)>,
    /// Its turn at the last full count, and the time that all had used, with what glances have counted since.
    total: Option<(BotTurn, Duration)>,
    /// Its turn at the last look.
    turn: BotTurn,
    /// Time used between two looks that both found it off move.
    used_off_move: Duration,
    /// The part of it that was taken already.
    taken_off_move: Duration,
    /// If it is stopped.
    stopped: Option<Stopped>,
    /// The turn in which it was seen on move.
    on_move: Option<OnMove>,
    /// Its off-move time when no bot was first seen on move.
    between_turns: Option<Duration>,
}

/// A turn that was seen.
#[derive(Debug)]
struct OnMove {
    turn: BotTurn,
    /// Off-move time of the other bots when the turn was first seen.
    marks: Marks,
    /// Read when the turn was seen again.
    baseline: Option<Baseline>,
    /// Number of looks at it.
    looks: u32,
    /// The most processes of the bot that were seen at a time, where only live ones are counted.
    processes: usize,
}

/// Off-move time of bots at the same processor.
type Marks = Vec<(Arc<Occupant>, Duration)>;

impl SharedBot {
    pub(super) fn new(occupant: Arc<Occupant>) -> Self {
        Self {
            turn: occupant.turn(),
            occupant,
            known: Vec::new(),
            total: None,
            used_off_move: Duration::ZERO,
            taken_off_move: Duration::ZERO,
            stopped: None,
            on_move: None,
            between_turns: None,
        }
    }

    pub(super) fn is_of(&self, occupant: &Arc<Occupant>) -> bool {
        Arc::ptr_eq(&self.occupant, occupant)
    }

    /// Resumes it if it was stopped by us.
    pub(super) fn resume(&mut self) {
        if let Some(stopped) = self.stopped.take() {
            self.occupant.family.resume(&stopped);
        }
        self.occupant.is_stopped.store(false, Ordering::SeqCst);
    }

    /// Stops it unless it is on move. If it is stopped already, stops processes that escaped the last time.
    pub(super) fn stop(&mut self, wait: bool) {
        self.occupant.is_stopped.store(true, Ordering::SeqCst);
        // In this order: see [`super::Place::resume`].
        if self.occupant.is_on_move() {
            self.occupant.is_stopped.store(self.stopped.is_some(), Ordering::SeqCst);
        } else {
            let stopped = self.occupant.family.stop(wait);
            self.stopped = Some(self.stopped.take().unwrap_or_default().and(stopped));
        }
    }

    /// Ends it if it is in no game, or else stops it; does not wait for that.
    pub(super) fn end_waiting(&mut self) {
        let waits = !self.occupant.is_seated.load(Ordering::SeqCst) && !self.occupant.is_on_move();
        if waits && !self.occupant.family.kill() {
            self.stop(false);
        }
    }

    /// Whether it is in a game, or on move, or none of its processes runs.
    pub(super) fn is_at_rest_or_seated(&self) -> bool {
        self.occupant.is_seated.load(Ordering::SeqCst)
            || self.occupant.is_on_move()
            || self.occupant.family.is_stopped()
    }

    /// Its off-move time at the time of `marks`. A bot that came later was starting until now, and had used nothing.
    fn before(&self, marks: &Marks) -> Duration {
        marks.iter().find(|(occupant, _)| self.is_of(occupant)).map_or(Duration::ZERO, |(_, used)| *used)
    }

    /// Time used off move since the last call.
    pub(super) fn take_used_off_move(&mut self) -> Duration {
        let taken = std::mem::replace(&mut self.taken_off_move, self.used_off_move);
        self.used_off_move.saturating_sub(taken)
    }

    /// Whether it has been off move since the last look; this becomes the last look.
    fn stays_off(&mut self) -> bool {
        let turn = self.occupant.turn();
        let before = std::mem::replace(&mut self.turn, turn);
        turn == before && !turn.is_on_move()
    }

    /// Counts what its known processes have used since the last look, and returns it: some tenths of a microsecond for each.
    /// Counts nothing and returns `None` if one of them has ended, or none is known.
    fn glance(&mut self) -> Option<Duration> {
        let now: Option<Vec<_>> = self.known.iter().map(|(pid, _)| Some((*pid, Family::cpu_of(*pid)?))).collect();
        let now = now.filter(|now| !now.is_empty())?;
        let grown = now.iter().zip(&self.known).map(|((_, now), (_, before))| now.saturating_sub(*before)).sum();
        if self.stays_off() {
            self.used_off_move += grown;
            self.total = self.total.map(|(turn, total)| (turn, total + grown));
        }
        self.known = now;
        Some(grown)
    }

    /// Counts what all of its processes have used since the last full count, also those that have ended, if it was off move
    /// all the time. Reads its cgroup if it has one and not `through` is requested; otherwise inspects each process.
    /// Returns whether processes were seen to come or go.
    fn count(&mut self, through: bool) -> bool {
        self.stays_off();
        let mut is_restless = false;
        let mut total = self.occupant.family.total_cpu().filter(|_| !through && !self.known.is_empty());
        if total.is_none() {
            let mut now = Vec::with_capacity(self.known.len());
            total = self.occupant.family.inspect(|pid| {
                now.extend(Family::cpu_of(pid).map(|used| (pid, used)));
                true
            });
            let pid = |(pid, _): &(Pid, Duration)| *pid;
            is_restless = !self.known.is_empty() && now.iter().map(pid).ne(self.known.iter().map(pid));
            self.known = now;
        }
        let Some(total) = total else { return is_restless };
        let (turn, before) = self.total.unwrap_or((self.turn, total));
        if turn == self.turn && !turn.is_on_move() {
            self.used_off_move += total.saturating_sub(before);
        }
        // Ticks and clocks differ, so a total may fall; later growth must not be counted twice.
        self.total = Some((self.turn, total.max(before)));
        is_restless
    }

    /// Stops it if it competes: if its off-move time has grown much since it was `before`. It is stopped before its processes
    /// are inspected, since inspecting many takes long while they keep the processor busy. `thoroughly` searches for
    /// processes that were started without much use of time.
    fn stop_if_competing(&mut self, before: Duration, thoroughly: bool) {
        if self.occupant.is_on_move() {
            return;
        }
        let is_new = self.known.is_empty();
        let grown = self.glance();
        let has_grown = |least| grown.is_none_or(|grown| grown >= least);
        let is_tracked = self.known.len() <= TRACKED_MAX;
        let mut is_restless = grown.is_none() && !is_new;
        if is_new || !is_restless && is_tracked && (thoroughly || has_grown(CHANGE_MIN)) {
            is_restless |= self.count(false);
        } else if thoroughly && self.occupant.family.counts_the_dead() {
            self.count(false);
        }
        let is_active = has_grown(CHANGE_MIN) || self.stopped.is_none();
        if is_restless || is_active && self.used_off_move.saturating_sub(before) > USED_MAX {
            self.stop(false);
            self.count(true);
        }
    }

    /// Its off-move time now.
    fn mark(&mut self) -> (Arc<Occupant>, Duration) {
        // Processes that come and go are counted at the next look if they are many.
        let is_known = self.glance().is_some();
        if self.occupant.family.counts_the_dead() || !is_known && self.known.len() <= TRACKED_MAX {
            self.count(!is_known);
        }
        (Arc::clone(&self.occupant), self.used_off_move)
    }
}

pub(super) fn find<'a>(entries: &'a mut [SharedBot], occupant: &Arc<Occupant>) -> Option<&'a mut SharedBot> {
    entries.iter_mut().find(|entry| entry.is_of(occupant))
}

/// All but the one at `index`.
fn others(entries: &mut [SharedBot], index: usize) -> impl Iterator<Item = &mut SharedBot> {
    entries.iter_mut().enumerate().filter(move |(other, _)| *other != index).map(|(_, entry)| entry)
}

/// Looks at all bots on a processor, and stops those that compete with a bot that has been on move since the last look; or,
/// if none has been, with the thread that plays the game.
pub(super) fn keep_order(entries: &mut [SharedBot]) {
    keep_order_between_turns(entries);
    for index in 0..entries.len() {
        let occupant = Arc::clone(&entries[index].occupant);
        let turn = occupant.turn();
        let seen = entries[index].on_move.take().filter(|seen| turn.is_on_move() && seen.turn == turn);
        entries[index].on_move = if let Some(mut seen) = seen {
            for other in others(entries, index) {
                other.stop_if_competing(other.before(&seen.marks), seen.looks % THOROUGH_EVERY == 0);
            }
            seen.looks += 1;
            if !occupant.family.counts_the_dead() && seen.processes <= 1 {
                seen.processes = occupant.family.count(2);
            }
            // A bot with several processes that cannot be counted gets no credit anyway.
            if seen.baseline.is_none() && seen.processes <= 1 {
                seen.baseline = Baseline::of(&occupant.family, occupant.thread);
            }
            Some(seen)
        } else {
            turn.is_on_move().then(|| {
                let marks = others(entries, index).map(SharedBot::mark).collect();
                OnMove { turn, marks, baseline: None, looks: 1, processes: 0 }
            })
        };
    }
}

fn keep_order_between_turns(entries: &mut [SharedBot]) {
    let is_any_on_move = entries.iter().any(|entry| entry.occupant.is_on_move());
    for entry in entries {
        match entry.between_turns {
            _ if is_any_on_move => entry.between_turns = None,
            Some(before) => entry.stop_if_competing(before, false),
            None => {
                entry.glance();
                entry.between_turns = Some(entry.used_off_move);
            }
        }
    }
}

/// The baseline when the watcher first saw the present turn of this bot, and the most processes that it saw at a time since.
pub(super) fn watched_since(entries: &mut [SharedBot], mover: &Arc<Occupant>) -> Option<(Option<Baseline>, usize)> {
    let seen = find(entries, mover)?.on_move.as_ref().filter(|seen| seen.turn == mover.turn())?;
    Some((seen.baseline.clone(), seen.processes))
}

/// Off-move time of the other bots since this bot's turn was first seen; empty if the turn was not seen.
pub(super) fn taken_from(entries: &mut [SharedBot], mover: &Arc<Occupant>) -> Marks {
    let seen = find(entries, mover).and_then(|entry| entry.on_move.as_ref());
    let Some(before) = seen.filter(|seen| seen.turn == mover.turn()).map(|seen| seen.marks.clone()) else {
        return Vec::new();
    };
    let others = entries.iter_mut().filter(|other| !other.is_of(mover));
    let taken = others.map(|other| {
        other.glance();
        other.count(true);
        (Arc::clone(&other.occupant), other.used_off_move.saturating_sub(other.before(&before)))
    });
    taken.collect()
}
