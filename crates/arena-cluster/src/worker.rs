//! A worker: plays games that a coordinator has published, with slots of this machine.
//!
//! It takes batches when its slots would run out of games, plays one event at a time, and fences bots in as a session does.
//! Whatever happens to it costs time, never correctness: what it has not reported is played by others.

mod ackers;
mod fit;
mod game_duration;
mod held_batches;
mod intake;
mod prepare;
mod presence;
mod pull;
mod report;
mod send_results;
mod stop;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;
use arena_core::record::Calibration;
use arena_core::schedule::Job;
use arena_core::text::{causes, escaped};
use arena_play::executor::{Executor as _, JobOutcome};
use arena_run::session::{Runtime, Scratch};
use arena_sys::entropy::unpredictable;
use arena_sys::machine::{self, Machine};
use arena_sys::time::now;
use async_nats::datetime::DateTime;
use futures_util::StreamExt as _;
use tokio::sync::{broadcast, mpsc};

use crate::cluster::broker::{Access, Broker, Incident};
use crate::cluster::key::PublicKey;
use crate::cluster::store::Store;
use crate::cluster::subjects::{self, HALTS};
use crate::cluster::wire::BatchMessage;
use ackers::Ackers;
use game_duration::GameDuration;
use held_batches::HeldBatches;
use prepare::Ready;
use pull::Pulled;
use send_results::{Delivery, ResultsToSend};

/// Interval for sending results that are not a whole batch.
const FLUSH: Duration = Duration::from_secs(1);
/// Interval for saying what this worker is doing; a part of it is random, so that many workers do not speak at once.
const PRESENCE: Duration = Duration::from_secs(2);
/// Bots of an event leave after this time without games.
const KEEP_BOTS: Duration = Duration::from_secs(30);

/// Settings of a worker.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// How to reach the broker.
    pub access: Access,
    /// Games at a time.
    pub slots: usize,
    /// Whether each slot is pinned to one processor.
    pub pin: bool,
    /// Keys that must have signed an event; if there are none, every event is played.
    pub trusted: Vec<PublicKey>,
    /// Leaves after this time without games.
    pub idle: Option<Duration>,
    /// Where received bots are kept.
    pub store: Store,
}

/// How a worker ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerEnd {
    /// It had no games for a while.
    Idle,
    /// A signal came; running games were finished and reported.
    Stopped,
    /// The second signal: running games were abandoned.
    Killed,
}

/// Plays until a signal comes. `say` gets lines for people.
///
/// # Errors
///
/// Returns an error if there is no broker, or it does not allow a worker what it needs.
pub fn run(settings: WorkerSettings, runtime: &mut Runtime, say: &mut dyn FnMut(&str)) -> anyhow::Result<WorkerEnd> {
    let Runtime { tokio, signals } = runtime;
    tokio.block_on(async {
        let (broker, warnings) = Broker::connect(&settings.access, "arena worker").await?;
        for warning in &warnings {
            say(warning);
        }
        if let Err(error) = calibrate(settings.slots, say).await {
            say(&format!(
                "records will not say how fast this machine is: {}",
                escaped(&causes(error.as_ref()).join(": "))
            ));
        }
        let mut worker = RunningWorker::start(broker, settings).await?;
        say(&format!("{} is connected to {}", worker.id, worker.broker.place()));
        let mut tick = tokio::time::interval(FLUSH / 4);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            worker.feed();
            if let Some(end) = worker.end() {
                worker.leave(end).await;
                return Ok(end);
            }
            tokio::select! {
                outcome = next_outcome(&mut worker.playing) => worker.outcome(outcome).await,
                Some(pulled) = worker.pulled.recv() => worker.take(pulled, say)?,
                Some(delivery) = worker.delivery.recv() => worker.note(delivery, say).await,
                Some(prepared) = worker.prepared.recv() => worker.begin(prepared, say).await,
                Some(message) = worker.halts.next() => worker.halt(&message.payload).await,
                incident = worker.incidents.recv() => worker.connection(incident, say).await?,
                () = signals.next() => worker.signal(say).await,
                _ = tick.tick() => worker.tick().await,
            }
        }
    })
}

/// Measures this machine unless its calibration is stored: on a cluster it need not be done by hand on every node.
async fn calibrate(slots: usize, say: &mut dyn FnMut(&str)) -> anyhow::Result<()> {
    if machine::known(slots).is_some() {
        return Ok(());
    }
    say("measuring how fast this machine is, which takes a second; it is stored");
    let calibration = tokio::task::spawn_blocking(move || machine::measure(slots)).await??;
    machine::store(slots, calibration).map(|_| ())
}

/// An event that is being played.
struct Playing {
    ready: Ready,
    /// Games that the slots have, by place.
    given: BTreeMap<u32, Job>,
    /// Whether its warnings were sent.
    warned: bool,
}

struct RunningWorker {
    id: String,
    broker: Broker,
    settings: Arc<WorkerSettings>,
    scratch: Arc<Scratch>,
    machine: Machine,
    calibration: Option<Calibration>,
    playing: Option<Playing>,
    held: HeldBatches,
    ackers: Ackers,
    /// Batches of an event that is not ready yet, or that comes after the one that is played.
    next: VecDeque<BatchMessage>,
    /// The event that is being prepared.
    preparing: Option<String>,
    /// Events that are not played, and why.
    declined: BTreeMap<String, String>,
    last_words: Vec<(usize, Vec<String>)>,
    warning: Option<String>,
    games: u64,
    game_duration: GameDuration,
    /// Whether a batch was asked for and has not come; and when the next one may be.
    is_wanting: bool,
    pause_until: Instant,
    wanted: mpsc::Sender<()>,
    pulled: mpsc::Receiver<Pulled>,
    results: mpsc::UnboundedSender<ResultsToSend>,
    results_sent: u64,
    delivery: mpsc::UnboundedReceiver<Delivery>,
    prepared: mpsc::Receiver<(String, anyhow::Result<Ready>)>,
    prepared_sender: mpsc::Sender<(String, anyhow::Result<Ready>)>,
    halts: async_nats::Subscriber,
    incidents: broadcast::Receiver<Incident>,
    ack_wait: Duration,
    is_waiting_for_queue: bool,
    /// When the queue was created that batches come from.
    queue: Option<DateTime>,
    idle_since: Instant,
    flushed: Instant,
    progressed: Instant,
    presented: Instant,
    stopping: Option<WorkerEnd>,
}

impl RunningWorker {
    async fn start(broker: Broker, settings: WorkerSettings) -> anyhow::Result<Self> {
        let machine = Machine::this();
        let id =
            format!("{}-{}-{:04x}", subjects::token(&machine.host), std::process::id(), unpredictable() % 0x1_0000);
        let incidents = broker.incidents();
        let halts = broker.ask("listening to coordinators", broker.client().subscribe(HALTS)).await?;
        let (wanted, wants) = mpsc::channel(1);
        let (pulled_sender, pulled) = mpsc::channel(1);
        tokio::spawn(pull::run(broker.clone(), wants, pulled_sender));
        let (results, queue) = mpsc::unbounded_channel();
        let (delivery_sender, delivery) = mpsc::unbounded_channel();
        tokio::spawn(send_results::run(broker.clone(), queue, delivery_sender));
        let (prepared_sender, prepared) = mpsc::channel(1);
        let begun = now();
        Ok(Self {
            id,
            broker,
            scratch: Arc::new(Scratch::create()?),
            calibration: machine.played_on(settings.slots).calibration,
            machine,
            settings: Arc::new(settings),
            playing: None,
            held: HeldBatches::default(),
            ackers: Ackers::default(),
            next: VecDeque::new(),
            preparing: None,
            declined: BTreeMap::new(),
            last_words: Vec::new(),
            warning: None,
            games: 0,
            game_duration: GameDuration::new(begun),
            is_wanting: false,
            pause_until: begun,
            wanted,
            pulled,
            results,
            results_sent: 0,
            delivery,
            prepared,
            prepared_sender,
            halts,
            incidents,
            ack_wait: crate::cluster::coordinator::WORKER_TIMEOUT,
            is_waiting_for_queue: false,
            queue: None,
            idle_since: begun,
            flushed: begun,
            progressed: begun,
            presented: begun.checked_sub(PRESENCE).unwrap_or(begun),
            stopping: None,
        })
    }

    async fn outcome(&mut self, outcome: Option<JobOutcome>) {
        match outcome {
            Some(JobOutcome::Played(finished, _waits)) => self.finished(*finished),
            Some(JobOutcome::Returned(places)) => self.discard(&places),
            Some(JobOutcome::LastWords(words)) => self.last_words.extend(words),
            Some(JobOutcome::Warning(text)) => self.warning = Some(text),
            Some(JobOutcome::Again(_) | JobOutcome::Workers { .. }) => {}
            None => {
                // All slots have ended, which they do only if they are told.
                self.playing = None;
                self.held.clear();
                self.ackers.give_back().await;
            }
        }
        self.send_ready(false);
    }

    /// Leaves games whose bots were probably killed together with this worker to another one.
    fn discard(&mut self, places: &[u32]) {
        let Some(playing) = &mut self.playing else { return };
        for job in places.iter().filter_map(|place| playing.given.remove(place)) {
            self.held.discard(&job);
        }
    }

    async fn connection(
        &mut self,
        incident: Result<Incident, broadcast::error::RecvError>,
        say: &mut dyn FnMut(&str),
    ) -> anyhow::Result<()> {
        match incident {
            Ok(Incident::Denied(words)) => bail!("{}", self.broker.denied("working for a coordinator", words)),
            Ok(Incident::Disconnected) => say("the connection to the broker is lost; waiting for it to come back"),
            Ok(Incident::Connected) => {
                say("connected to the broker again");
                if let Ok(created) = self.broker.queue_created(&subjects::target()).await {
                    self.note_queue(created);
                }
            }
            Err(_) => {}
        }
        Ok(())
    }

    async fn tick(&mut self) {
        let time = now();
        if time - self.flushed >= FLUSH {
            self.flushed = time;
            self.send_ready(true);
        }
        if time - self.progressed >= self.ack_wait / 3 {
            self.progressed = time;
            self.ackers.progress().await;
        }
        if time >= self.presented + PRESENCE {
            self.present().await;
        }
        if self.ackers.len() > 0 {
            self.idle_since = time;
        } else if time - self.idle_since >= KEEP_BOTS
            && let Some(playing) = self.playing.take()
        {
            playing.ready.end().await;
        }
    }
}

/// The next outcome of the slots; never without an event.
async fn next_outcome(playing: &mut Option<Playing>) -> Option<JobOutcome> {
    match playing {
        Some(playing) => playing.ready.local.next().await,
        None => std::future::pending().await,
    }
}
