//! The workers that are there, by what they say of themselves.

use std::collections::BTreeMap;
use std::time::Duration;

/// A worker that has said nothing for this long is gone, or stopped.
const SILENCE_MAX: Duration = Duration::from_secs(10);

/// A worker with a free slot for this long found the queue empty: between two batches a slot is free for a moment.
const IDLE_MIN: Duration = Duration::from_secs(5);

/// What a worker says of itself every few seconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Presence {
    /// Its id.
    pub worker: String,
    /// Number of games that it plays at a time; 0 when it leaves.
    pub slots: usize,
    /// Slots that have nothing to do.
    pub free: usize,
    /// Numbers of the batches that it has.
    pub batches: Vec<u64>,
}

/// Workers by id.
#[derive(Debug, Default)]
pub(super) struct KnownWorkers {
    seen: BTreeMap<String, LastSeen>,
    slots: usize,
}

#[derive(Debug)]
struct LastSeen {
    presence: Presence,
    /// When it was heard of last.
    at: Duration,
    /// Since when it has had a free slot.
    free_since: Option<Duration>,
    /// Whether it will not play the bots of this tournament.
    declines: bool,
}

impl KnownWorkers {
    pub(super) fn note(&mut self, presence: Presence, now: Duration) {
        let before = self.seen.remove(&presence.worker);
        self.slots = self.slots + presence.slots - before.as_ref().map_or(0, |before| before.presence.slots);
        if presence.slots > 0 {
            let free_since = before.as_ref().and_then(|before| before.free_since).unwrap_or(now);
            let free_since = (presence.free > 0).then_some(free_since);
            let declines = before.is_some_and(|before| before.declines);
            self.seen.insert(presence.worker.clone(), LastSeen { presence, at: now, free_since, declines });
        }
    }

    /// A worker will not play the bots of this tournament.
    pub(super) fn note_declining(&mut self, worker: &str) {
        if let Some(seen) = self.seen.get_mut(worker) {
            seen.declines = true;
        }
    }

    /// Whether there are workers, and none of them plays.
    pub(super) fn all_decline(&self) -> bool {
        !self.seen.is_empty() && self.seen.values().all(|seen| seen.declines)
    }

    /// Forgets those that have been silent for long.
    pub(super) fn sweep(&mut self, now: Duration) {
        self.seen.retain(|_, seen| now.saturating_sub(seen.at) <= SILENCE_MAX);
        self.slots = self.seen.values().map(|seen| seen.presence.slots).sum();
    }

    /// Slots of all workers.
    pub(super) const fn slots(&self) -> usize {
        self.slots
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.seen.contains_key(id)
    }

    pub(super) fn count(&self) -> usize {
        self.seen.len()
    }

    /// Whether one of them has had nothing to do for a while.
    pub(super) fn any_free(&self, now: Duration) -> bool {
        self.seen.values().filter_map(|seen| seen.free_since).any(|since| now.saturating_sub(since) >= IDLE_MIN)
    }

    /// Whether another worker than this one has a batch.
    pub(super) fn others_have(&self, batch: u64, worker: &str) -> bool {
        self.seen.iter().any(|(id, seen)| id != worker && seen.presence.batches.contains(&batch))
    }
}
