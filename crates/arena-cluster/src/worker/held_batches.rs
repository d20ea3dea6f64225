//! The batches that a worker has: which game is next, and which results can be sent. Pure.
//!
//! Results are sent by pairs: if this worker is lost between the two games of a pair, another one plays both, so that a pair
//! is always of one machine. A void game is retried here for the same reason.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use arena_core::event::Tournament;
use arena_core::record::{GameResult, Status};
use arena_core::schedule::{Job, RETRIES_MAX};
use arena_play::executor::Finished;

use crate::cluster::wire::{BYTES_MAX, GameMessage, retry};

/// Games of one event, in batches.
#[derive(Debug, Default)]
pub(super) struct HeldBatches {
    batches: BTreeMap<u64, HeldBatch>,
    /// Games to be played, in order.
    waiting: VecDeque<Job>,
    /// The batch that each open game belongs to.
    places: HashMap<u32, u64>,
    /// Pairs of which a game has begun: they are finished in any case.
    begun: HashSet<u32>,
    running: usize,
}

/// What is left of a batch.
#[derive(Debug, Default)]
struct HeldBatch {
    games: usize,
    done: usize,
    /// Open games of each pair.
    pairs: HashMap<u32, usize>,
    /// Results of pairs that are not finished.
    partial: HashMap<u32, Vec<GameMessage>>,
    /// Results that can be sent.
    ready: Vec<GameMessage>,
    ready_bytes: usize,
}

/// Results to be sent.
#[derive(Debug)]
pub(super) struct ReadyResults {
    pub(super) batch: u64,
    /// The games of each message.
    pub(super) messages: Vec<Vec<GameMessage>>,
    /// Whether nothing more of the batch follows.
    pub(super) is_last: bool,
}

impl HeldBatches {
    /// Takes a batch. Games that are here already, in another batch, stay there.
    pub(super) fn add(&mut self, batch: u64, jobs: Vec<Job>) {
        let portion = self.batches.entry(batch).or_default();
        for job in jobs {
            if self.places.contains_key(&job.place) {
                continue;
            }
            self.places.insert(job.place, batch);
            *portion.pairs.entry(job.game.pair).or_default() += 1;
            portion.games += 1;
            self.waiting.push_back(job);
        }
    }

    /// The next game to be played.
    pub(super) fn next_job(&mut self) -> Option<Job> {
        let job = self.waiting.pop_front()?;
        self.begun.insert(job.game.pair);
        self.running += 1;
        Some(job)
    }

    /// Takes a game back that has not begun.
    pub(super) fn put_back(&mut self, jobs: Vec<Job>) {
        self.running -= jobs.len();
        for job in jobs.into_iter().rev() {
            self.waiting.push_front(job);
        }
    }

    /// Number of games that were given out and have not come back.
    pub(super) const fn running(&self) -> usize {
        self.running
    }

    /// Number of games that were not given out.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// A game was played: `job` is what was given out, `message` its result.
    pub(super) fn finished(&mut self, job: &Job, finished: &Finished, message: GameMessage, event: &Tournament) {
        self.running -= 1;
        let pair = job.game.pair;
        let Some(portion) = self.places.get(&job.place).and_then(|batch| self.batches.get_mut(batch)) else { return };
        portion.partial.entry(pair).or_default().push(message);
        if is_retried(job, finished) {
            let disturbed = finished.record.disturbance.is_some();
            // As the scheduler has it for both games of a pair.
            let of_pair = self.waiting.iter_mut().filter(|other| other.game.pair == pair);
            of_pair.for_each(|other| other.quiet |= disturbed);
            self.waiting.push_front(retry(job, event, finished.starved, disturbed));
            return;
        }
        self.places.remove(&job.place);
        portion.done += 1;
        if portion.close(pair) {
            self.begun.remove(&pair);
        }
    }

    /// A game was played that does not count. The other game of its pair is dropped as well, and nothing of it is reported.
    pub(super) fn discard(&mut self, job: &Job) {
        self.running -= 1;
        let pair = job.game.pair;
        self.begun.remove(&pair);
        let Some(batch) = self.places.remove(&job.place) else { return };
        self.places.remove(&(job.place ^ 1));
        self.waiting.retain(|other| other.game.pair != pair);
        if let Some(portion) = self.batches.get_mut(&batch) {
            portion.games -= portion.pairs.remove(&pair).unwrap_or(0);
            portion.partial.remove(&pair);
        }
    }

    /// Drops the games of these batches that have not begun and whose pairs have not begun; the others are finished.
    pub(super) fn drop_waiting(&mut self, is_dropped: impl Fn(u64) -> bool) {
        let (places, begun, batches) = (&mut self.places, &self.begun, &mut self.batches);
        self.waiting.retain(|job| {
            let pair = job.game.pair;
            let batch = places.get(&job.place).copied().filter(|batch| is_dropped(*batch) && !begun.contains(&pair));
            let Some(batch) = batch else { return true };
            places.remove(&job.place);
            if let Some(portion) = batches.get_mut(&batch) {
                portion.games -= 1;
                portion.close(pair);
            }
            false
        });
    }

    /// Drops everything.
    pub(super) fn clear(&mut self) -> Vec<u64> {
        let batches = self.batches.keys().copied().collect();
        *self = Self::default();
        batches
    }

    /// The results to be sent now: those of batches that are finished, and if `all`, those of other batches.
    pub(super) fn take_ready(&mut self, all: bool) -> Vec<ReadyResults> {
        let mut parts = Vec::new();
        self.batches.retain(|batch, portion| {
            let is_last = portion.pairs.is_empty();
            if is_last || portion.ready_bytes >= BYTES_MAX / 2 || all && !portion.ready.is_empty() {
                parts.push(ReadyResults { batch: *batch, messages: portion.messages(), is_last });
            }
            !is_last
        });
        parts
    }

    /// Numbers of the batches, with their games and how many of them are played.
    pub(super) fn states(&self) -> impl Iterator<Item = (u64, usize, usize)> {
        self.batches.iter().map(|(batch, portion)| (*batch, portion.games, portion.done))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }
}

impl HeldBatch {
    /// A game of a pair will not be played any more. Returns whether that was the last one.
    fn close(&mut self, pair: u32) -> bool {
        let Some(open) = self.pairs.get_mut(&pair) else { return false };
        *open -= 1;
        if *open > 0 {
            return false;
        }
        self.pairs.remove(&pair);
        for message in self.partial.remove(&pair).unwrap_or_default() {
            self.ready_bytes += message.bytes();
            self.ready.push(message);
        }
        true
    }

    /// Its results in messages of a size that a broker takes.
    fn messages(&mut self) -> Vec<Vec<GameMessage>> {
        self.ready_bytes = 0;
        let (mut messages, mut bytes) = (Vec::new(), usize::MAX);
        for message in self.ready.drain(..) {
            let size = message.bytes();
            if bytes.saturating_add(size) > BYTES_MAX {
                messages.push(Vec::new());
                bytes = 0;
            }
            bytes += size;
            messages.last_mut().into_iter().for_each(|games: &mut Vec<_>| games.push(message.clone()));
        }
        messages
    }
}

/// Whether a game is tried again at once: the arena failed, and not because a bot's files have changed.
fn is_retried(job: &Job, finished: &Finished) -> bool {
    let record = &finished.record;
    record.result == GameResult::Void
        && record.statuses == [Status::Ok; 2]
        && finished.changes == [None, None]
        && job.retries < RETRIES_MAX
}

#[cfg(test)]
mod tests;
