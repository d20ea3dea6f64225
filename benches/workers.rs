//! A fleet of simulated workers on one coordinator: `cargo bench --features nats --bench workers`. It needs `nats-server`, or
//! `$NATS_SERVER`.
//!
//! By default 1,000 workers of one slot play 100,000 games of 0.1 s. `-- --full` is the row of docs/benchmarks.md: 10,000 workers and
//! 1,000,000 games of 2 s. `--workers N`, `--games N` and `--seconds S` set each.
//!
//! The coordinator is the real one, with its journal: it replays every game through the rules. The workers are tasks of another
//! process that share connections. They take batches, wait as long as the games would take, report valid records, and say what
//! they do every two seconds. Their speeds are log-normal with σ = 0.35. *Ideal* is all work divided by all speeds.

#![expect(clippy::print_stdout, reason = "it prints a table")]
#![allow(dead_code, reason = "the support of the tests has more than is needed here")]

#[path = "../tests/it/procfs.rs"]
mod procfs;
#[path = "../tests/cluster/server.rs"]
mod server;
#[path = "../tests/it/support.rs"]
mod support;

use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arena::cluster::broker::{Access, Broker};
use arena::cluster::coordinator::{Coordinator, PackedEvent, WorkerTerms};
use arena::cluster::subjects;
use arena::cluster::wire::{
    BatchMessage, BatchState, GameMessage, PresenceMessage, ResultsMessage, VERSION, read, written,
};
use arena::event::{Entry, Tournament};
use arena::executor::Finished;
use arena::journal::Journal;
use arena::observer::RunEvent;
use arena::record::{GameResult, Played};
use arena::referee::Verdict;
use arena::results_folder::Place;
use arena::rng::Rng;
use arena::rules::{Move, Variant};
use arena::schedule::{Job, Scheduler, record};
use arena::tournament::{self, BotLogs, Run, Signals};
use async_nats::jetstream::AckKind;
use futures_util::StreamExt as _;
use server::Server;

/// Spread of the speeds of workers.
const SIGMA: f64 = 0.35;
/// Connections of all workers.
const CONNECTIONS: usize = 16;
/// Seed of the speeds.
const SEED: u64 = 2026;
/// Bots; each round has a pair for every two of them.
const BOTS: u32 = 5;

/// How much is simulated.
#[derive(Debug, Clone, Copy)]
struct Size {
    workers: usize,
    games: u32,
    /// Time of a game on a worker of mean speed.
    seconds: f64,
}

fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let has = |flag: &str| words.iter().any(|word| word == flag);
    let value = |flag: &str| words.iter().position(|word| word == flag).and_then(|place| words.get(place + 1));
    // Cargo passes `--bench`, except in tests of benches.
    let mut size = match (has("--bench") || has("--full"), has("--full")) {
        (_, true) => Size { workers: 10_000, games: 1_000_000, seconds: 2.0 },
        (true, _) => Size { workers: 1_000, games: 100_000, seconds: 0.1 },
        (false, _) => Size { workers: 5, games: 100, seconds: 0.001 },
    };
    if let Some(workers) = value("--workers") {
        size.workers = workers.parse()?;
    }
    if let Some(games) = value("--games") {
        size.games = games.parse()?;
    }
    if let Some(seconds) = value("--seconds") {
        size.seconds = seconds.parse()?;
    }
    match value("--simulate") {
        Some(url) => tokio::runtime::Runtime::new()?.block_on(simulate(url, size)),
        None => measure(size),
    }
}

fn event(games: u32) -> Tournament {
    let variant = Variant::named("connect4").expect("a game");
    let rounds = games.div_ceil(BOTS * (BOTS - 1)).max(1);
    let bots = (0..BOTS).map(|bot| Entry::new(&format!("bot{bot}"), &format!("print{bot}"), ""));
    Tournament { rounds, bots: bots.collect(), ..Tournament::new("bench", &variant) }
}

/// The id of the event at the broker; there is no manifest, since no bot is started.
const ID: &str = "0123456789abcdef";

fn measure(size: Size) -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let Some(server) = Server::start(dir.path()) else { return Ok(()) };
    let url = server.url();
    let event = Arc::new(event(size.games));
    let (mut journal, _) = Journal::open(&Place::at(dir.path().join("results")).create("another")?)?;
    journal.append_event(&event)?;
    let mut scheduler = Scheduler::new(Arc::clone(&event), &[], &[], &mut ())?;
    let games = scheduler.total();
    // As a session: one thread for connections, this one for the dispatcher.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let terms =
        WorkerTerms { access: Access::new(&url).map_err(anyhow::Error::msg)?, worker_timeout: Duration::from_secs(30) };
    let mut shares = Shares { games: 0, total: games, begun: now(), at: Vec::new() };
    let (begun, seconds) = runtime.block_on(async {
        let parcel = PackedEvent { id: ID.to_owned(), objects: Vec::new() };
        let mut executor = Coordinator::start(event, "bench".to_owned(), parcel, &terms, [], false).await?;
        let _workers = Fleet::start(&url, size)?;
        let (begun, before) = (now(), cpu_of(std::process::id()));
        shares.begun = begun;
        let run = Run {
            scheduler: &mut scheduler,
            policy: &mut (),
            journal: &mut journal,
            logs: BotLogs::open(&Place::at(dir.path()).open()?, []),
            signals: &mut Signals::default(),
            observer: &mut |event: &RunEvent| match event {
                RunEvent::GameEnded { .. } => shares.count(),
                RunEvent::Warning { text } => println!("warning: {text}"),
                _ => {}
            },
            moves: None,
            deadline: None,
            until: u32::MAX,
            rules_failed: &mut |_| Ok(None),
            tick: &mut |_, _| Ok(()),
        };
        tournament::run(run, &mut executor).await?;
        let took = (begun.elapsed(), cpu_of(std::process::id()) - before);
        executor.finish(true).await;
        anyhow::Ok(took)
    })?;
    let speed: f64 = speeds(size.workers).iter().sum();
    let ideal = f64::from(games) * size.seconds / speed;
    let took = begun.as_secs_f64();
    println!("workers  games    s/game  ideal s  took s  efficiency  games/s  coordinator CPU s  cores  MB");
    println!(
        "{:7}  {games:7}  {:6}  {ideal:7.1}  {took:6.1}  {:10.2}  {:7.0}  {seconds:17.1}  {:5.2}  {:.0}",
        size.workers,
        size.seconds,
        ideal / took,
        f64::from(games) / took,
        seconds / took,
        peak_mb(std::process::id())
    );
    let at: Vec<String> = shares.at.iter().map(|(percent, at)| format!("{percent} % after {at:.0} s")).collect();
    println!("games played: {}", at.join(", "));
    println!("server: {:.1} CPU s, {:.0} MB", cpu_of(server.pid()), peak_mb(server.pid()));
    Ok(())
}

/// When which share of the games was played.
struct Shares {
    games: u32,
    total: u32,
    begun: Instant,
    /// Percent and seconds.
    at: Vec<(u32, f64)>,
}

impl Shares {
    fn count(&mut self) {
        const PERCENT: [u32; 7] = [1, 10, 50, 90, 95, 99, 100];
        self.games += 1;
        let share = u64::from(self.games) * 100 / u64::from(self.total);
        if let Some(percent) = PERCENT.get(self.at.len()).filter(|percent| share >= u64::from(**percent)) {
            self.at.push((*percent, self.begun.elapsed().as_secs_f64()));
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "it measures")]
fn now() -> Instant {
    Instant::now()
}

/// Processor time of a process, in seconds; 0 where the system does not tell.
fn cpu_of(process: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |field: usize| fields.get(field).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / rustix::param::clock_ticks_per_second() as f64
}

/// Peak memory of a process, in MB; 0 where the system does not tell.
fn peak_mb(process: u32) -> f64 {
    procfs::status_kb(process, "VmHWM").unwrap_or(0) as f64 / 1024.0
}

/// The process of the workers.
struct Fleet(Child);

impl Fleet {
    fn start(url: &str, size: Size) -> anyhow::Result<Self> {
        let Size { workers, games, seconds } = size;
        let numbers = [workers.to_string(), games.to_string(), seconds.to_string()];
        let [workers, games, seconds] = &numbers;
        let words =
            ["--simulate", url, "--workers", workers, "--games", games, "--seconds", seconds].map(str::to_owned);
        Ok(Self(Command::new(std::env::current_exe()?).args(words).stdin(Stdio::null()).spawn()?))
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The speeds of all workers, log-normal.
fn speeds(workers: usize) -> Vec<f64> {
    let mut rng = Rng::new(SEED);
    (0..workers).map(|_| (SIGMA * rng.normal()).exp()).collect()
}

async fn simulate(url: &str, size: Size) -> anyhow::Result<()> {
    let mut brokers = Vec::new();
    for _ in 0..CONNECTIONS.min(size.workers) {
        let access = Access::new(url).map_err(anyhow::Error::msg)?;
        brokers.push(Broker::connect(&access, "bench").await?.0);
    }
    let event = Arc::new(event(size.games));
    let mut tasks = Vec::new();
    for (number, speed) in speeds(size.workers).into_iter().enumerate() {
        let worker = Worker {
            id: format!("w{number}"),
            broker: brokers[number % brokers.len()].clone(),
            event: Arc::clone(&event),
            seconds: size.seconds / speed,
        };
        tasks.push(tokio::spawn(worker.run()));
    }
    for task in tasks {
        task.await??;
    }
    Ok(())
}

struct Worker {
    id: String,
    broker: Broker,
    event: Arc<Tournament>,
    /// Time of a game.
    seconds: f64,
}

impl Worker {
    /// Plays until it is killed.
    async fn run(self) -> anyhow::Result<()> {
        let consumer = self.broker.work_consumer(&subjects::target()).await?;
        let mut sent = 0_u64;
        let mut presence = tokio::time::interval(Duration::from_secs(2));
        presence.tick().await;
        self.present(None).await?;
        loop {
            let mut messages = consumer.batch().max_messages(1).expires(Duration::from_secs(30)).messages().await?;
            let message = loop {
                tokio::select! {
                    message = messages.next() => break message,
                    _ = presence.tick() => self.present(None).await?,
                }
            };
            let Some(Ok(message)) = message else { continue };
            let batch: BatchMessage = read(&message.payload).map_err(anyhow::Error::msg)?;
            let number = batch.batch;
            let jobs: Vec<Job> = batch
                .jobs
                .into_iter()
                .map(|job| job.job(&self.event).map_err(anyhow::Error::msg))
                .collect::<Result<_, _>>()?;
            let mut open = jobs.as_slice();
            let mut due = tokio::time::Instant::now();
            let state = |done| BatchState { event: ID.to_owned(), batch: number, games: jobs.len(), done };
            // As real workers: what is played is sent every second.
            while !open.is_empty() {
                let some = ((1.0 / self.seconds) as usize / 2 * 2).clamp(2, open.len().max(2)).min(open.len());
                due += Duration::from_secs_f64(self.seconds * some as f64);
                loop {
                    tokio::select! {
                        () = tokio::time::sleep_until(due) => break,
                        _ = presence.tick() => {
                            self.present(Some(state(jobs.len() - open.len()))).await?;
                            message.ack_with(AckKind::Progress).await.map_err(|error| anyhow::anyhow!(error))?;
                        }
                    }
                }
                let games = open[..some].iter().map(|job| GameMessage::of(&self.played(job))).collect();
                open = &open[some..];
                let results = ResultsMessage {
                    version: VERSION,
                    event: ID.to_owned(),
                    batch: number,
                    worker: self.id.clone(),
                    games,
                    last_words: Vec::new(),
                    warnings: Vec::new(),
                    is_last: open.is_empty(),
                    seconds_per_game: Some(self.seconds),
                    declined: None,
                };
                sent += 1;
                let id = format!("{}.{sent}", self.id);
                while self.broker.publish(subjects::results(ID, number), &id, written(&results)).await.is_err() {}
            }
            message.ack().await.map_err(|error| anyhow::anyhow!(error))?;
        }
    }

    async fn present(&self, batch: Option<BatchState>) -> anyhow::Result<()> {
        let message = PresenceMessage {
            version: VERSION,
            worker: self.id.clone(),
            host: "bench".to_owned(),
            pid: 1,
            arena: String::new(),
            class: subjects::target(),
            cpu: String::new(),
            calibration: None,
            slots: 1,
            free: usize::from(batch.is_none()),
            tournament: None,
            batches: batch.into_iter().collect(),
            games: 0,
            warning: None,
        };
        Ok(self.broker.client().publish(subjects::worker(&self.id), written(&message).into()).await?)
    }

    /// A game that the first bot wins in seven plies.
    fn played(&self, job: &Job) -> Finished {
        let verdict = Verdict::new(GameResult::FirstWins, "line".to_owned());
        let mut record = record(&self.event, &job.game, &job.opening, verdict);
        record.moves = [3, 2, 3, 2, 3, 2, 3].map(Move::Int).into();
        record.played = vec![Played { us: 100, ..Played::default() }; record.moves.len()];
        "2026-01-01T00:00:00.000Z".clone_into(&mut record.started);
        Finished::new(job, record)
    }
}
