//! Which games are published together, and which of them have to be published again. Pure: times are arguments.
//!
//! - The games of a pair are in one batch, so one machine plays them.
//! - A batch takes about [`BatchPace::target`], and less towards the end: no more than half a slot's share of what is left. So
//!   slots finish at nearly the same time.
//! - A batch is lost if no worker has named it for a while although one has nothing to do, or if the broker has given it
//!   up. It is published again; after the second loss in halves. A pair that is lost again is void.
//! - Every job has one outcome. A result without a job is a repetition, or it is kept until the scheduler issues its game:
//!   those found at the broker after a restart, and retries that a worker has played by itself.

mod form;
mod loss;
mod open_jobs;
mod receipts;
mod results;
#[cfg(test)]
mod tests;
mod workers;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::Duration;

use arena_core::event::GameId;
use arena_core::schedule::Job;
use arena_play::executor::Finished;

use open_jobs::OpenJobs;
use receipts::Receipts;
use workers::KnownWorkers;
pub use workers::Presence;

/// Maximum number of games in a batch.
pub const GAMES_MAX: usize = 1_000;

/// Times that batches are made by.
#[derive(Debug, Clone, Copy)]
pub struct BatchPace {
    /// How long a slot should play at a batch.
    pub target: Duration,
    /// How long a batch may be in no worker's hands before it is lost, while a worker has nothing to do.
    pub grace: Duration,
}

/// A batch to be published.
#[derive(Debug)]
pub struct Batch<'a> {
    /// Its number.
    pub number: u64,
    /// How often its games were lost before.
    pub tries: u32,
    /// Its games.
    pub jobs: Vec<&'a Job>,
}

/// Results of a batch, or a part of them.
#[derive(Debug)]
pub struct BatchResults {
    /// Number of the batch.
    pub batch: u64,
    /// Who played it.
    pub worker: String,
    /// Number by which the message is acknowledged: see [`Batches::synced`].
    pub receipt: u64,
    /// The games.
    pub games: Vec<Finished>,
    /// Whether the worker reports no more of this batch. What is missing is due again.
    pub is_last: bool,
    /// How long a slot was busy with a game, in seconds.
    pub seconds_per_game: Option<f64>,
}

/// What became of a job.
#[derive(Debug)]
pub enum BatchReport {
    /// It was played.
    Played(Box<Finished>),
    /// A game that was reported before was played once more.
    Again(Box<Finished>),
    /// It will not be played.
    Returned(Vec<Job>),
    /// It was lost again and again.
    Lost(Box<Job>, String),
}

/// The state of all jobs that were submitted.
#[derive(Debug)]
pub struct Batches {
    pace: BatchPace,
    jobs: OpenJobs,
    /// Jobs in no batch, by serial number, in order.
    waiting: VecDeque<u64>,
    /// Jobs of lost batches, and how often they were lost.
    again: VecDeque<(Vec<u64>, u32)>,
    out: BTreeMap<u64, Out>,
    /// Results of games that were not issued yet.
    early: HashMap<(u32, GameId), (Finished, u64)>,
    /// Places whose game is known.
    settled: Vec<u64>,
    /// Void attempts that were reported.
    void: HashSet<(u32, GameId)>,
    workers: KnownWorkers,
    receipts: Receipts,
    reports: VecDeque<BatchReport>,
    /// Games that may still be due, including the submitted ones.
    expected: usize,
    /// Seconds that a slot is busy with a game, and the number of games that this was measured over.
    measured: Option<(f64, f64)>,
    next_number: u64,
}

/// A batch that is published.
#[derive(Debug)]
struct Out {
    jobs: Vec<u64>,
    /// Games without a result.
    open: usize,
    tries: u32,
    /// When it was published, or last named by a worker.
    seen: Duration,
    /// Whether a worker has named it since it was published: then it was lost there.
    is_named: bool,
    /// Whether workers were told to stop playing it. Then what they have not played is returned.
    is_halted: bool,
}

impl Batches {
    /// No jobs yet. `settled` are the places whose games are known; numbers of batches begin at `first`, so that two runs of
    /// a coordinator use different ones.
    #[must_use]
    pub fn new(pace: BatchPace, settled: impl IntoIterator<Item = u32>, first: u64) -> Self {
        let mut batches = Self {
            pace,
            jobs: OpenJobs::default(),
            waiting: VecDeque::new(),
            again: VecDeque::new(),
            out: BTreeMap::new(),
            early: HashMap::new(),
            settled: Vec::new(),
            void: HashSet::new(),
            workers: KnownWorkers::default(),
            receipts: Receipts::default(),
            reports: VecDeque::new(),
            expected: 0,
            measured: None,
            next_number: first,
        };
        settled.into_iter().for_each(|place| batches.settle(place));
        batches
    }

    /// Tells how many games may still be due, including the submitted ones.
    pub fn expect(&mut self, games: usize) {
        self.expected = games;
    }

    /// Maximum number of jobs at once: enough for all batches that may be out, and one to be made.
    #[must_use]
    pub fn capacity(&self) -> usize {
        let capacity = (self.out_max() + 1) * self.size();
        // The second game of a pair can always follow the first, so that no pair is split.
        if self.jobs.awaits_second() { capacity.max(self.jobs.len() + 1) } else { capacity }
    }

    /// Takes a job of this size in a message, in bytes. It is reported at once if its result is known.
    pub fn submit(&mut self, job: Job, bytes: usize) {
        if let Some((finished, receipt)) = self.early.remove(&(job.place, job.game.id)) {
            self.report(finished, receipt);
            return;
        }
        self.waiting.push_back(self.jobs.add(job, bytes));
    }

    /// Gives back those jobs in no batch for which `unwanted` holds. Returns whether this holds for all jobs, so that workers
    /// should stop as well: those that they return are reported.
    pub fn take_back(&mut self, unwanted: &dyn Fn(&Job) -> bool, now: Duration) -> (Vec<Job>, bool) {
        let all = !self.out.is_empty() && self.jobs.all(unwanted);
        let mut returned = Vec::new();
        let mut keep = |serial: &u64| {
            if !self.jobs.is_waiting(*serial) {
                return false;
            }
            let job = self.jobs.take_if(*serial, unwanted);
            let is_kept = job.is_none();
            returned.extend(job);
            is_kept
        };
        self.waiting.retain(&mut keep);
        for (serials, _) in &mut self.again {
            serials.retain(&mut keep);
        }
        self.again.retain(|(serials, _)| !serials.is_empty());
        if all {
            for out in self.out.values_mut() {
                (out.is_halted, out.seen) = (true, now);
            }
        }
        (returned, all)
    }

    /// A worker tells what it is doing.
    pub fn presence(&mut self, presence: Presence, now: Duration) {
        for number in &presence.batches {
            if let Some(out) = self.out.get_mut(number) {
                (out.seen, out.is_named) = (now, true);
            }
        }
        self.workers.note(presence, now);
    }

    /// The next report.
    pub fn next_report(&mut self) -> Option<BatchReport> {
        self.reports.pop_front()
    }

    /// Everything reported is durable. Returns the receipts of messages that are no longer needed.
    pub fn synced(&mut self) -> Vec<u64> {
        self.receipts.synced()
    }

    /// Number of slots of the workers that are there, and of these workers.
    #[must_use]
    pub fn slots(&self) -> (usize, usize) {
        (self.workers.slots(), self.workers.count())
    }

    /// Whether this worker is there.
    #[must_use]
    pub fn has_worker(&self, id: &str) -> bool {
        self.workers.has(id)
    }

    /// Whether this batch is published and not finished.
    #[must_use]
    pub fn is_out(&self, number: u64) -> bool {
        self.out.contains_key(&number)
    }

    /// Whether no job has been submitted that has no outcome.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.jobs.len() == 0
    }

    fn settle(&mut self, place: u32) {
        let (word, bit) = (place as usize / 64, place % 64);
        if self.settled.len() <= word {
            self.settled.resize(word + 1, 0);
        }
        self.settled[word] |= 1 << bit;
    }

    fn is_settled(&self, place: u32) -> bool {
        self.settled.get(place as usize / 64).is_some_and(|word| word >> (place % 64) & 1 == 1)
    }
}
