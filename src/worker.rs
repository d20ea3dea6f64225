//! A worker: plays games that a coordinator has published, with slots of this machine.
//!
//! It takes batches when its slots would run out of games, plays one event at a time, and fences bots in as a session does.
//! Whatever happens to it costs time, never correctness: what it has not reported is played by others.

mod fit;
mod hand;
mod post;
mod prepare;
mod pull;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;
use async_nats::jetstream::AckKind;
use futures_util::StreamExt as _;
use tokio::sync::{broadcast, mpsc};

use crate::cluster::broker::{Access, Broker, Incident};
use crate::cluster::key::PublicKey;
use crate::cluster::store::Store;
use crate::cluster::subjects::{self, HALTS};
use crate::cluster::wire::{
    BatchMessage, BatchState, GameMessage, HaltMessage, PresenceMessage, ResultsMessage, VERSION, read, written,
};
use crate::executor::{Executor as _, Finished, Outcome};
use crate::machine::Machine;
use crate::record::Calibration;
use crate::rng::unpredictable;
use crate::schedule::Job;
use crate::session::{Runtime, Scratch};
use crate::text::{escaped, shown};
use crate::time::now;
use hand::{Hand, Parts};
use post::{Ackers, Letter, Posted};
use prepare::Ready;
use pull::Pulled;

/// Interval for sending results that are not a whole batch.
const FLUSH: Duration = Duration::from_secs(1);
/// Interval for saying what this worker is doing; a part of it is random, so that many workers do not speak at once.
const PRESENCE: Duration = Duration::from_millis(2_000);
/// Games that a slot should have before it, as time.
const AHEAD: f64 = 0.5;
/// Messages to be sent above which no batch is taken: the broker does not answer, or the coordinator is slow.
const LETTERS_MAX: usize = 64;
/// Pause before another batch is taken after one of an event that this worker does not play.
const DECLINE_PAUSE: Duration = Duration::from_secs(1);
/// Bots of an event leave after this time without games.
const KEEP_BOTS: Duration = Duration::from_secs(30);
/// Games that the measured time of a game is taken from.
const MEASURED_MAX: f64 = 100.0;

/// Settings of a worker.
#[derive(Debug, Clone)]
pub struct Settings {
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
pub enum End {
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
pub fn run(settings: Settings, runtime: &mut Runtime, say: &mut dyn FnMut(&str)) -> anyhow::Result<End> {
    let Runtime { tokio, signals } = runtime;
    tokio.block_on(async {
        let (broker, warnings) = Broker::connect(&settings.access, "arena worker").await?;
        warnings.iter().for_each(|warning| say(warning));
        let mut worker = Worker::start(broker, settings).await?;
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
                Some(posted) = worker.posted.recv() => worker.note(posted, say),
                Some(prepared) = worker.prepared.recv() => worker.begin(prepared, say).await,
                Some(message) = worker.halts.next() => worker.halt(&message.payload).await,
                incident = worker.incidents.recv() => worker.connection(incident, say)?,
                () = signals.next() => worker.signal(say).await,
                _ = tick.tick() => worker.tick().await,
            }
        }
    })
}

/// An event that is being played.
struct Playing {
    ready: Ready,
    /// Games that the slots have, by place.
    given: BTreeMap<u32, Job>,
    /// Whether its warnings were sent.
    warned: bool,
}

struct Worker {
    id: String,
    broker: Broker,
    settings: Arc<Settings>,
    scratch: Arc<Scratch>,
    machine: Machine,
    calibration: Option<Calibration>,
    playing: Option<Playing>,
    hand: Hand,
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
    tempo: Tempo,
    /// Whether a batch was asked for and has not come; and when the next one may be.
    is_wanting: bool,
    pause_until: Instant,
    wanted: mpsc::Sender<()>,
    pulled: mpsc::Receiver<Pulled>,
    letters: mpsc::UnboundedSender<Letter>,
    letters_sent: u64,
    posted: mpsc::UnboundedReceiver<Posted>,
    prepared: mpsc::Receiver<(String, anyhow::Result<Ready>)>,
    prepared_sender: mpsc::Sender<(String, anyhow::Result<Ready>)>,
    halts: async_nats::Subscriber,
    incidents: broadcast::Receiver<Incident>,
    ack_wait: Duration,
    is_waiting_for_queue: bool,
    idle_since: Instant,
    flushed: Instant,
    progressed: Instant,
    presented: Instant,
    stopping: Option<End>,
}

impl Worker {
    async fn start(broker: Broker, settings: Settings) -> anyhow::Result<Self> {
        let machine = Machine::this();
        let id =
            format!("{}-{}-{:04x}", subjects::token(&machine.host), std::process::id(), unpredictable() % 0x1_0000);
        let incidents = broker.incidents();
        let halts = broker.ask("listening to coordinators", broker.client().subscribe(HALTS)).await?;
        let (wanted, wants) = mpsc::channel(1);
        let (pulled_sender, pulled) = mpsc::channel(1);
        tokio::spawn(pull::run(broker.clone(), wants, pulled_sender));
        let (letters, queue) = mpsc::unbounded_channel();
        let (posted_sender, posted) = mpsc::unbounded_channel();
        tokio::spawn(post::run(broker.clone(), queue, posted_sender));
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
            hand: Hand::default(),
            ackers: Ackers::default(),
            next: VecDeque::new(),
            preparing: None,
            declined: BTreeMap::new(),
            last_words: Vec::new(),
            warning: None,
            games: 0,
            tempo: Tempo { busy: 0.0, games: 0.0, since: begun },
            is_wanting: false,
            pause_until: begun,
            wanted,
            pulled,
            letters,
            letters_sent: 0,
            posted,
            prepared,
            prepared_sender,
            halts,
            incidents,
            ack_wait: crate::cluster::coordinator::WORKER_TIMEOUT,
            is_waiting_for_queue: false,
            idle_since: begun,
            flushed: begun,
            progressed: begun,
            presented: begun.checked_sub(PRESENCE).unwrap_or(begun),
            stopping: None,
        })
    }

    /// Gives games to the slots, and asks for a batch if they would run out of games.
    fn feed(&mut self) {
        if let Some(playing) = &mut self.playing {
            while self.hand.running() < playing.ready.local.capacity()
                && let Some(job) = self.hand.next_job()
            {
                playing.given.insert(job.place, job.clone());
                self.tempo.update(playing.given.len().min(self.settings.slots), now());
                playing.ready.local.submit(job);
            }
        }
        if !self.next.is_empty() && self.hand.is_empty() && self.preparing.is_none() {
            self.advance();
        }
        let is_free = self.stopping.is_none() && self.next.is_empty() && self.preparing.is_none();
        if is_free && !self.is_wanting && now() >= self.pause_until && self.wants_more() {
            self.is_wanting = self.wanted.try_send(()).is_ok();
        }
    }

    /// Whether the slots would soon run out of games.
    fn wants_more(&self) -> bool {
        let slots = self.settings.slots;
        let unbegun = self.hand.waiting() + self.hand.running().saturating_sub(slots);
        let ahead = (AHEAD / self.tempo.seconds().unwrap_or(AHEAD)).clamp(1.0, 1_000.0);
        self.ackers.len() < LETTERS_MAX + slots && (unbegun as f64) < slots as f64 * ahead
    }

    /// Goes on with the batches that wait: of the event that is played, or of another one, which is prepared.
    fn advance(&mut self) {
        let Some(event) = self.next.front().map(|batch| batch.event.clone()) else { return };
        if self.playing.as_ref().is_some_and(|playing| playing.ready.id == event) {
            while let Some(batch) = self.next.pop_front() {
                self.add(batch);
            }
            return;
        }
        self.preparing = Some(event.clone());
        let (broker, settings) = (self.broker.clone(), Arc::clone(&self.settings));
        let (scratch, sender) = (Arc::clone(&self.scratch), self.prepared_sender.clone());
        // The bots of the last event leave first, so that those of two events never run at once.
        let last = self.playing.take();
        tokio::spawn(async move {
            if let Some(mut last) = last {
                last.ready.local.close();
                while last.ready.local.next().await.is_some() {}
            }
            let ready = prepare::prepare(broker, event.clone(), settings, scratch).await;
            // The worker has ended.
            let _ = sender.send((event, ready)).await;
        });
    }

    fn take(&mut self, pulled: Pulled, say: &mut dyn FnMut(&str)) -> anyhow::Result<()> {
        match pulled {
            Pulled::Batch(batch, acker) => {
                self.is_wanting = false;
                self.idle_since = now();
                self.ackers.add(batch.batch, acker);
                if let Some(why) = self.declined.get(&batch.event).cloned() {
                    self.decline(&batch.event, batch.batch, &why);
                } else if self.playing.as_ref().is_some_and(|playing| playing.ready.id == batch.event) {
                    self.add(batch);
                } else {
                    self.next.push_back(batch);
                }
            }
            Pulled::Ready(ack_wait) => {
                self.ack_wait = ack_wait;
                if std::mem::take(&mut self.is_waiting_for_queue) {
                    say("a coordinator has come");
                }
            }
            Pulled::NoQueue => {
                if !std::mem::replace(&mut self.is_waiting_for_queue, true) {
                    say("waiting for a coordinator; start one with `arena coordinate --nats URL`");
                }
            }
            Pulled::Unreadable(why) => say(&format!("a batch cannot be read: {why}")),
            Pulled::Denied(why) => bail!("{why}"),
        }
        Ok(())
    }

    /// Adds a batch of the event that is played.
    fn add(&mut self, batch: BatchMessage) {
        let Some(playing) = &self.playing else { return };
        let event = Arc::clone(&playing.ready.event);
        let jobs: Result<Vec<Job>, String> = batch.jobs.into_iter().map(|job| job.job(&event)).collect();
        match jobs {
            Ok(jobs) => self.hand.add(batch.batch, jobs),
            Err(why) => self.decline(&batch.event, batch.batch, &why),
        }
    }

    /// Tells the coordinator that a batch is not played here.
    fn decline(&mut self, event: &str, batch: u64, why: &str) {
        self.pause_until = now() + DECLINE_PAUSE;
        let message = ResultsMessage { declined: Some(why.to_owned()), ..self.message(event, batch, Vec::new(), true) };
        self.post(&message);
    }

    async fn begin(&mut self, (event, ready): (String, anyhow::Result<Ready>), say: &mut dyn FnMut(&str)) {
        self.preparing = None;
        match ready {
            Ok(ready) => {
                say(&format!("playing {}", shown(&ready.event.name)));
                self.warning = ready.warnings.last().cloned();
                self.playing = Some(Playing { ready, given: BTreeMap::new(), warned: false });
                self.tempo = Tempo { busy: 0.0, games: 0.0, since: now() };
                self.advance();
            }
            Err(error) => {
                let why = crate::text::causes(&error).join(": ");
                say(&format!("a tournament is not played here: {}", escaped(&why)));
                self.warning = Some(why.clone());
                for batch in std::mem::take(&mut self.next) {
                    if batch.event == event {
                        self.decline(&event, batch.batch, &why);
                    } else {
                        self.next.push_back(batch);
                    }
                }
                self.declined.insert(event, why);
            }
        }
        self.present().await;
    }

    async fn outcome(&mut self, outcome: Option<Outcome>) {
        match outcome {
            Some(Outcome::Played(finished, _waits)) => self.finished(*finished),
            Some(Outcome::Returned(jobs)) => self.discard(&jobs),
            Some(Outcome::LastWords(words)) => self.last_words.extend(words),
            Some(Outcome::Warning(text)) => self.warning = Some(text),
            Some(Outcome::Again(_) | Outcome::Workers { .. }) => {}
            None => {
                // All slots have ended, which they do only if they are told.
                self.playing = None;
                self.hand.clear();
                self.ackers.give_back().await;
            }
        }
        self.send_ready(false);
    }

    /// Leaves games whose bots were probably killed together with this worker to another one.
    fn discard(&mut self, jobs: &[Job]) {
        for job in jobs {
            self.playing.iter_mut().for_each(|playing| drop(playing.given.remove(&job.place)));
            self.hand.discard(job);
        }
    }

    fn finished(&mut self, mut finished: Finished) {
        let Some(playing) = &mut self.playing else { return };
        let Some(job) = playing.given.remove(&finished.place) else { return };
        self.games += 1;
        self.idle_since = now();
        self.tempo.game(playing.given.len().min(self.settings.slots), now());
        let message = fit::message(&mut finished, self.broker.payload_max());
        self.hand.finished(&job, &finished, message, &playing.ready.event);
    }

    /// Sends the results that are ready; if `all`, also those of batches that go on.
    fn send_ready(&mut self, all: bool) {
        let Some(event) = self.playing.as_ref().map(|playing| playing.ready.id.clone()) else { return };
        for Parts { batch, mut messages, is_last } in self.hand.take_ready(all) {
            if is_last && messages.is_empty() {
                messages.push(Vec::new());
            }
            let count = messages.len();
            for (index, games) in messages.into_iter().enumerate() {
                let message = self.message(&event, batch, games, is_last && index + 1 == count);
                self.post(&message);
            }
        }
    }

    fn message(&mut self, event: &str, batch: u64, games: Vec<GameMessage>, is_last: bool) -> ResultsMessage {
        let playing = self.playing.as_mut().filter(|playing| playing.ready.id == event);
        let is_of_event = playing.is_some();
        let warnings = match playing {
            Some(playing) if !playing.warned => {
                playing.warned = true;
                playing.ready.warnings.clone()
            }
            _ => Vec::new(),
        };
        ResultsMessage {
            version: VERSION,
            event: event.to_owned(),
            batch,
            worker: self.id.clone(),
            games,
            last_words: if is_of_event { std::mem::take(&mut self.last_words) } else { Vec::new() },
            warnings,
            is_last,
            seconds_per_game: self.tempo.seconds().filter(|_| is_of_event),
            declined: None,
        }
    }

    fn post(&mut self, message: &ResultsMessage) {
        self.letters_sent += 1;
        let letter = Letter {
            event: message.event.clone(),
            batch: message.batch,
            id: format!("{}.{}", self.id, self.letters_sent),
            bytes: written(message),
            closes: message.is_last.then(|| self.ackers.get(message.batch)).flatten(),
        };
        // Its receiver ends with this worker.
        let _ = self.letters.send(letter);
    }

    fn note(&mut self, posted: Posted, say: &mut dyn FnMut(&str)) {
        match posted {
            Posted::Closed(batch) => {
                self.ackers.remove(batch);
            }
            Posted::Delayed(why) => say(&format!("results cannot be sent, trying again: {}", escaped(&why))),
            Posted::Resumed => say("results are sent again"),
        }
    }

    /// A coordinator says that batches need not be played.
    async fn halt(&mut self, bytes: &[u8]) {
        let Ok(HaltMessage { event, batches: [from, to], at_once, .. }) = read(bytes) else { return };
        let is_halted = |batch: u64| (from..to).contains(&batch);
        let is_unwanted = |batch: &BatchMessage| batch.event == event && is_halted(batch.batch);
        let (halted, kept): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut self.next).into_iter().partition(is_unwanted);
        self.next = kept;
        for batch in halted {
            let message = self.message(&event, batch.batch, Vec::new(), true);
            self.post(&message);
        }
        let Some(playing) = self.playing.as_mut().filter(|playing| playing.ready.id == event) else { return };
        if at_once {
            playing.ready.local.abandon().await;
            self.playing = None;
            for batch in self.hand.clear() {
                if let Some(acker) = self.ackers.remove(batch) {
                    // The coordinator has removed it anyway.
                    let _ = acker.ack_with(AckKind::Term).await;
                }
            }
            return;
        }
        self.drop_waiting(is_halted);
    }

    /// Drops games that have not begun; the pairs of others are finished.
    fn drop_waiting(&mut self, is_dropped: impl Fn(u64) -> bool) {
        if let Some(playing) = &mut self.playing {
            let jobs = playing.ready.local.take_back(&|_| true);
            self.put_back(jobs);
        }
        self.hand.drop_waiting(is_dropped);
        self.send_ready(true);
    }

    /// Takes back games that have not begun.
    fn put_back(&mut self, jobs: Vec<Job>) {
        for job in &jobs {
            self.playing.iter_mut().for_each(|playing| drop(playing.given.remove(&job.place)));
        }
        self.hand.put_back(jobs);
    }

    async fn signal(&mut self, say: &mut dyn FnMut(&str)) {
        if self.stopping.replace(End::Stopped).is_some() {
            self.stopping = Some(End::Killed);
            return;
        }
        say("stopping after the running games; press Ctrl-C again to quit now");
        if let Some(playing) = &mut self.playing {
            let jobs = playing.ready.local.stop();
            self.put_back(jobs);
        }
        for batch in std::mem::take(&mut self.next) {
            if let Some(acker) = self.ackers.remove(batch.batch) {
                let _ = acker.ack_with(AckKind::Nak(None)).await;
            }
        }
        self.drop_waiting(|_| true);
    }

    fn connection(
        &mut self,
        incident: Result<Incident, broadcast::error::RecvError>,
        say: &mut dyn FnMut(&str),
    ) -> anyhow::Result<()> {
        match incident {
            Ok(Incident::Denied(words)) => bail!("{}", self.broker.denied("working for a coordinator", words)),
            Ok(Incident::Disconnected) => say("the connection to the broker is lost; waiting for it to come back"),
            Ok(Incident::Connected) => say("connected to the broker again"),
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
            && let Some(mut playing) = self.playing.take()
        {
            playing.ready.local.close();
            while playing.ready.local.next().await.is_some() {}
        }
    }

    /// Says what this worker is doing.
    async fn present(&mut self) {
        let jitter = Duration::from_millis(unpredictable() % 400);
        self.presented = now().checked_sub(jitter).unwrap_or_else(now);
        let slots = if self.stopping.is_some() && self.ackers.len() == 0 { 0 } else { self.settings.slots };
        let message = self.presence(slots);
        // If it is lost, the next one follows soon.
        let _ = self.broker.client().publish(subjects::worker(&self.id), written(&message).into()).await;
    }

    fn presence(&self, slots: usize) -> PresenceMessage {
        let event = self.playing.as_ref().map(|playing| &playing.ready);
        let id = event.map(|ready| ready.id.clone()).unwrap_or_default();
        let state = |(batch, games, done)| BatchState { event: id.clone(), batch, games, done };
        let mut batches: Vec<BatchState> = self.hand.states().map(state).collect();
        batches.extend(self.next.iter().map(|batch| BatchState {
            event: batch.event.clone(),
            batch: batch.batch,
            games: batch.jobs.len(),
            done: 0,
        }));
        let is_free = self.next.is_empty() && self.preparing.is_none();
        PresenceMessage {
            version: VERSION,
            worker: self.id.clone(),
            host: self.machine.host.clone(),
            pid: std::process::id(),
            arena: env!("CARGO_PKG_VERSION").to_owned(),
            class: self.machine.class.clone(),
            cpu: self.machine.cpu.clone(),
            calibration: self.calibration.map(Into::into),
            slots,
            free: if is_free { slots.saturating_sub(self.hand.running() + self.hand.waiting()) } else { 0 },
            tournament: event.map(|ready| ready.event.name.clone()),
            batches,
            games: self.games,
            warning: self.warning.clone(),
        }
    }

    /// How it ends, if it does now.
    fn end(&self) -> Option<End> {
        match self.stopping {
            Some(End::Killed) => Some(End::Killed),
            Some(end) if self.hand.is_empty() && self.ackers.len() == 0 => Some(end),
            Some(_) => None,
            None => {
                let idle = self.settings.idle.filter(|_| self.ackers.len() == 0 && self.preparing.is_none())?;
                (now() - self.idle_since >= idle).then_some(End::Idle)
            }
        }
    }

    /// Gives back what it still has, and lets the bots leave.
    async fn leave(&mut self, end: End) {
        self.stopping = Some(end);
        self.pulled.close();
        while let Some(pulled) = self.pulled.recv().await {
            if let Pulled::Batch(_, acker) = pulled {
                let _ = acker.ack_with(AckKind::Nak(None)).await;
            }
        }
        self.ackers.give_back().await;
        if let Some(mut playing) = self.playing.take() {
            if end == End::Killed {
                playing.ready.local.abandon().await;
            } else {
                playing.ready.local.close();
                while playing.ready.local.next().await.is_some() {}
            }
        }
        self.present().await;
        let _ = self.broker.client().flush().await;
    }
}

/// The next outcome of the slots; never without an event.
async fn next_outcome(playing: &mut Option<Playing>) -> Option<Outcome> {
    match playing {
        Some(playing) => playing.ready.local.next().await,
        None => std::future::pending().await,
    }
}

/// How long a slot is busy with a game.
struct Tempo {
    /// Seconds that slots were busy, and games that they have finished in this time.
    busy: f64,
    games: f64,
    since: Instant,
}

impl Tempo {
    /// Counts the time since the last call, in which so many slots were busy.
    fn update(&mut self, busy_slots: usize, now: Instant) {
        self.busy += (now - self.since).as_secs_f64() * busy_slots as f64;
        self.since = now;
    }

    /// A game ended; so many slots are busy now.
    fn game(&mut self, busy_slots: usize, now: Instant) {
        self.update(busy_slots + 1, now);
        self.games += 1.0;
        if self.games > MEASURED_MAX {
            self.busy /= 2.0;
            self.games /= 2.0;
        }
    }

    fn seconds(&self) -> Option<f64> {
        (self.games > 0.0).then(|| self.busy / self.games)
    }
}
