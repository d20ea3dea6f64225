//! The executor whose games are played by workers.
//!
//! One task publishes, one reads results, one hears of workers; [`Batches`] decides. A result is acknowledged once the
//! dispatcher has made it durable, so the broker keeps it until then.

mod hear;
mod listen;
mod publish;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arena_core::event::Tournament;
use arena_core::record::GameResult;
use arena_core::referee::Verdict;
use arena_core::schedule::{Job, record};
use arena_play::executor::{Executor, Finished, JobOutcome};
use arena_sys::entropy::unpredictable;
use arena_sys::time::{now, timestamp};
use async_nats::jetstream::message::Acker;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Interval, MissedTickBehavior};

use super::batches::{Batch, BatchPace, BatchReport, Batches};
use super::broker::{Access, Broker};
use super::subjects;
use super::wire::{BatchMessage, HaltMessage, JobMessage, PresenceMessage, VERSION, written};
use listen::CoordinatorNews;
use publish::{PublishOrder, Publisher};

/// Silence of a worker after which its batches are delivered to another one, unless another time is asked for.
pub const WORKER_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a slot plays at a batch; and if the tournament may end early.
const TARGET: Duration = Duration::from_secs(60);
const TARGET_SHORT: Duration = Duration::from_secs(5);
/// A batch is lost if no worker has named it for this multiple of the time after which the broker delivers it once more.
const GRACE: u32 = 4;
/// Interval for finding lost batches and reporting workers.
const SWEEP: Duration = Duration::from_secs(1);
/// Maximum time for what is left to do at the broker when the run is over.
const FAREWELL_MAX: Duration = Duration::from_secs(10);
/// Messages that were received and not looked at yet.
const HEARD_MAX: usize = 256;
/// Workers that are listed.
const LISTED_MAX: usize = 100;

/// How a tournament is played by workers.
#[derive(Debug, Clone)]
pub struct WorkerTerms {
    /// How to reach the broker.
    pub access: Access,
    /// Silence of a worker after which its batches are delivered to another one.
    pub worker_timeout: Duration,
}

/// What workers need to play an event, as it is stored at the broker.
#[derive(Debug, Clone)]
pub struct PackedEvent {
    /// Id of the event, which is the name of its manifest.
    pub id: String,
    /// Names and contents of the manifest and of the packages of bots.
    pub objects: Vec<(String, Vec<u8>)>,
}

/// A tournament whose games are played by workers.
pub struct Coordinator {
    event: Arc<Tournament>,
    id: String,
    host: String,
    batches: Batches,
    /// Number of the first batch and of the one after the last.
    numbers: [u64; 2],
    heard: mpsc::Receiver<CoordinatorNews>,
    orders: mpsc::UnboundedSender<PublishOrder>,
    /// How the messages with these receipts are acknowledged.
    ackers: HashMap<u64, Acker>,
    next_receipt: u64,
    /// Batches by their numbers in the stream.
    sequences: BTreeMap<u64, u64>,
    workers: BTreeMap<String, PresenceMessage>,
    workers_changed: bool,
    pending: VecDeque<JobOutcome>,
    begun: Instant,
    sweep: Interval,
    /// Whether no job follows, and whether nothing can be done any more.
    is_closed: bool,
    has_failed: bool,
}

impl Coordinator {
    /// Connects, stores what workers need, and begins to read results. `settled` are the places whose games are known. Must be
    /// called within a runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no broker, or it refuses something.
    pub async fn start(
        event: Arc<Tournament>,
        host: String,
        packed: PackedEvent,
        terms: &WorkerTerms,
        settled: impl IntoIterator<Item = u32>,
        may_end_early: bool,
    ) -> anyhow::Result<Self> {
        let (broker, warnings) = Broker::connect(&terms.access, "arena coordinate").await?;
        let (sender, heard) = mpsc::channel(HEARD_MAX);
        let id = packed.id.clone();
        let publisher = Publisher::new(broker.clone(), packed, terms.worker_timeout, sender.clone());
        publisher.set_up().await?;
        broker.purge_work(&publisher.subject()).await?;
        listen::start(&broker, &id, &event, &sender).await?;
        let (orders, queue) = mpsc::unbounded_channel();
        tokio::spawn(publisher.run(queue));
        let target = if may_end_early { TARGET_SHORT } else { TARGET };
        let pace = BatchPace { target, grace: terms.worker_timeout * GRACE };
        // Numbers that no other run has used; and exact as numbers of JSON.
        let first = unpredictable() >> 12;
        let mut sweep = tokio::time::interval(SWEEP);
        sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(Self {
            event,
            id,
            host,
            batches: Batches::new(pace, settled, first),
            numbers: [first; 2],
            heard,
            orders,
            ackers: HashMap::new(),
            next_receipt: 0,
            sequences: BTreeMap::new(),
            workers: BTreeMap::new(),
            workers_changed: false,
            pending: warnings.into_iter().map(JobOutcome::Warning).collect(),
            begun: now(),
            sweep,
            is_closed: false,
            has_failed: false,
        })
    }

    /// Finishes what is left to do at the broker: acknowledgements; and if the tournament `is_over`, everything of it is
    /// removed. If the broker does not answer, that is dropped by its age.
    pub async fn finish(self, is_over: bool) {
        let (done, finished) = oneshot::channel();
        self.order(PublishOrder::Finish { is_over, done });
        // Nobody waits for what is heard now.
        drop(self.heard);
        let _ = tokio::time::timeout(FAREWELL_MAX, finished).await;
    }

    fn now(&self) -> Duration {
        now() - self.begun
    }

    fn order(&self, order: PublishOrder) {
        // The publisher ends with this coordinator, or has failed, which was reported.
        let _ = self.orders.send(order);
    }

    fn publish(&mut self) {
        let now = self.now();
        while let Some(Batch { number, tries, jobs }) = self.batches.publish(now) {
            let jobs = jobs.into_iter().map(JobMessage::of).collect();
            let message = BatchMessage { version: VERSION, event: self.id.clone(), batch: number, tries, jobs };
            self.numbers[1] = number + 1;
            let order = PublishOrder::Publish { batch: number, bytes: written(&message) };
            let _ = self.orders.send(order);
        }
    }

    fn halt(&mut self, at_once: bool) {
        let message = HaltMessage { version: VERSION, event: self.id.clone(), batches: self.numbers, at_once };
        self.order(PublishOrder::Halt(message));
    }

    fn outcome(&self, report: BatchReport) -> JobOutcome {
        match report {
            BatchReport::Played(finished) => JobOutcome::Played(finished, None),
            BatchReport::Again(finished) => JobOutcome::Again(finished),
            BatchReport::Returned(jobs) => JobOutcome::Returned(jobs.into_iter().map(|job| job.place).collect()),
            BatchReport::Lost(job, why) => JobOutcome::Played(Box::new(self.void(&job, why)), None),
        }
    }

    /// The record of a game that no worker could play.
    fn void(&self, job: &Job, why: String) -> Finished {
        let mut record = record(&self.event, &job.game, &job.opening, Verdict::new(GameResult::Void, why));
        (record.host, record.started) = (self.host.clone(), timestamp());
        Finished::new(job, record)
    }
}

impl Executor for Coordinator {
    fn capacity(&self) -> usize {
        self.batches.capacity()
    }

    fn expect(&mut self, games: u32) {
        self.batches.expect(games as usize);
    }

    fn submit(&mut self, job: Job) {
        let bytes = JobMessage::bytes_max(&job);
        self.batches.submit(job, bytes);
    }

    fn take_back(&mut self, unwanted: &dyn Fn(&Job) -> bool) -> Vec<Job> {
        let now = self.now();
        let (jobs, halts) = self.batches.take_back(unwanted, now);
        if halts {
            self.halt(false);
        }
        jobs
    }

    async fn next(&mut self) -> Option<JobOutcome> {
        loop {
            self.publish();
            if let Some(outcome) = self.pending.pop_front() {
                return Some(outcome);
            }
            if let Some(report) = self.batches.next_report() {
                return Some(self.outcome(report));
            }
            if self.has_failed || self.is_closed && self.batches.is_idle() {
                return None;
            }
            tokio::select! {
                biased;
                heard = self.heard.recv() => match heard {
                    Some(heard) => self.take(heard),
                    None => self.fail("the connection to the broker has ended".to_owned()),
                },
                _ = self.sweep.tick() => self.look_around(),
            }
        }
    }

    fn synced(&mut self) {
        let complete = self.batches.synced();
        let ackers: Vec<Acker> = complete.iter().filter_map(|receipt| self.ackers.remove(receipt)).collect();
        if !ackers.is_empty() {
            self.order(PublishOrder::Acknowledge(ackers));
        }
    }

    fn close(&mut self) {
        self.is_closed = true;
    }

    async fn abandon(&mut self) {
        self.halt(true);
    }
}

/// Checks that a broker can be reached, and that this user may create what a coordinator needs. Returns warnings about it.
///
/// # Errors
///
/// Returns the error that [`Coordinator::start`] would return.
pub fn try_out(terms: &WorkerTerms) -> anyhow::Result<Vec<String>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (broker, warnings) = Broker::connect(&terms.access, "arena coordinate").await?;
        broker.set_up(&subjects::target(), terms.worker_timeout).await?;
        Ok(warnings)
    })
}
