//! The dispatcher: games that are missing are played by slot threads, and one task owns everything that happens.
//!
//! A slot is one thread, pinned to a processor, that plays one game after the other with bots of its own. The
//! dispatcher hears of every finished game through one channel; it alone writes the journal and the logs.

mod ledger;
mod log;
mod processors;
mod remarks;
mod slot;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context;
use tokio::sync::mpsc;

use crate::catalogue::Due;
use crate::event::{Event, ScheduledGame};
use crate::journal::{Brief, Journal};
use crate::player::process::Launch;
use crate::record::Record;
use crate::rules::Variant;
use crate::strikes::Strikes;
use crate::time::now;
use ledger::Ledger;
pub(crate) use log::BotLogs;
use processors::Processors;
use remarks::Remarks;
pub(crate) use slot::LIVE_BOTS_MAX;
use slot::Message;
pub use slot::{Finished, Slot, allowed_cpus, settle};

/// How often what was appended to the journal is forced to disk, and the caller is given a chance to write tables.
const TICK: Duration = Duration::from_secs(1);

/// The longest wait for slots whose bots were killed.
const ABANDON_LIMIT: Duration = Duration::from_secs(1);
/// Time between looks for bots that were started after the others were killed.
pub(crate) const KILL_AGAIN: Duration = Duration::from_millis(10);

/// Everything the dispatcher needs to play.
#[derive(Debug)]
pub struct Plan {
    /// The tournament.
    pub event: Arc<Event>,
    /// Its game.
    pub variant: Variant,
    /// The schedule.
    pub games: Arc<[ScheduledGame]>,
    /// The games to be played, in order.
    pub missing: Vec<Due>,
    /// How each bot of the event is started.
    pub launches: Vec<Launch>,
    /// Who is withdrawn, or on the way to it, by the games that were played before.
    pub strikes: Strikes,
    /// Games at a time.
    pub concurrency: usize,
    /// Whether each slot keeps to one processor.
    pub pin: bool,
    /// The machine's name.
    pub host: String,
    /// The folder of the tournament.
    pub dir: PathBuf,
}

impl Plan {
    /// The game that is due.
    fn attempt(&self, due: Due) -> ScheduledGame {
        self.event.attempt(&self.games[due.place as usize], due.repeat)
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every game of the plan was tried.
    Complete,
    /// Some games were not tried: a signal came, a bot is gone, or too many failed because of us. What was running was
    /// finished, the rest is left for another run.
    Stopped,
    /// The second signal: running games were abandoned.
    Killed,
    /// The watcher has seen enough: running games were abandoned, the rest need not be played.
    Enough,
}

/// What a watcher is told.
#[derive(Debug)]
pub enum Update<'a> {
    /// The game at this place of the schedule was finished and is in the journal.
    Finished(usize, &'a Record, Brief),
    /// The game at this place came out void and is in the journal; another attempt is made at once.
    TriedAgain(usize, &'a Record, Brief),
    /// A bot is withdrawn: so many of its games are recorded next without being played.
    Withdrawn {
        /// Its name.
        name: &'a str,
        /// Why, in one sentence.
        why: &'a str,
        /// The games.
        games: usize,
    },
    /// About every second; a time for writing tables.
    Tick,
    /// A signal came: running games are finished, no new ones are begun.
    Stopping,
    /// A bot is not the one of the event any more: its game was thrown away and it plays no other. Says who, and what
    /// has become of its files.
    Gone(&'a str, &'a str),
    /// Something went wrong that is worth knowing; the answer changes nothing.
    Trouble(&'a str),
}

/// What the slots share.
#[derive(Debug)]
struct Shared {
    plan: Plan,
    /// The next game to be taken.
    next: AtomicUsize,
    /// By game that is missing, whether somebody has it: a slot that plays it, or the ledger where it is not played at all.
    taken: Vec<AtomicBool>,
    stop: AtomicBool,
    /// Held while a game is tried again, for two would take from each other what the machine is short of.
    again: Mutex<()>,
    /// Which bots of the event are not there any more, and play no further game.
    gone: Vec<AtomicBool>,
    runtime: tokio::runtime::Handle,
    processors: Processors,
}

/// Plays the games of `plan`, appending each to `journal` before `watch` hears of it. The first of `signals` lets
/// running games finish, the second does not. A watcher that breaks ends the run at once.
///
/// # Errors
///
/// Returns an error if the journal or a log cannot be written; what was played before is safe.
pub async fn run(
    mut plan: Plan,
    journal: &mut Journal,
    signals: &mut Signals,
    watch: impl FnMut(Update<'_>) -> anyhow::Result<ControlFlow<()>>,
) -> anyhow::Result<Ending> {
    let logs = BotLogs::open(&plan.dir.join("bots"), &plan.launches);
    let strikes = std::mem::take(&mut plan.strikes);
    let slots = plan.concurrency.min(plan.missing.len());
    let games = plan.missing.len();
    let processors = if plan.pin { Processors::choose(&allowed_cpus(), slots) } else { Processors::default() };
    let gone = plan.launches.iter().map(|_| AtomicBool::new(false)).collect();
    let shared = Arc::new(Shared {
        taken: plan.missing.iter().map(|_| AtomicBool::new(false)).collect(),
        plan,
        again: Mutex::new(()),
        gone,
        next: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        runtime: tokio::runtime::Handle::current(),
        processors,
    });
    let mut ledger = Ledger {
        journal,
        logs,
        strikes,
        remarks: Remarks::default(),
        shared: &shared,
        watch,
        entered: 0,
        failures: 0,
        void: Vec::new(),
    };
    if ledger.forfeit_for_those_before()?.is_break() {
        ledger.journal.sync()?;
        return Ok(Ending::Enough);
    }
    // Bounded by the number of slots: each waits for its game to be taken before it begins the next but one.
    let (sender, mut finished) = mpsc::channel(slots.max(1));
    let mut threads = Vec::with_capacity(slots);
    for index in 0..slots {
        let (shared, sender) = (Arc::clone(&shared), sender.clone());
        let thread = std::thread::Builder::new().name(format!("slot {index}"));
        match thread.spawn(move || slot::run(&shared, index, &sender)) {
            Ok(thread) => threads.push(thread),
            Err(error) if index == 0 => return Err(error).context("starting a thread to play on"),
            Err(error) => {
                let why = format!("only {index} at a time: no thread for another game: {error}");
                let _ = (ledger.watch)(Update::Trouble(&why))?;
                break;
            }
        }
    }
    drop(sender);

    let mut stopping = false;
    let mut tick = tokio::time::interval_at((now() + TICK).into(), TICK);
    let enough = |flow: ControlFlow<()>| flow.map_break(|()| Ending::Enough);
    let outcome = loop {
        let step = tokio::select! {
            // A finished game is taken before anything else, so that none is lost to a signal.
            biased;
            game = finished.recv() => match game {
                // A slot that waits until its game is written down goes on when `_waits` is dropped.
                Some(Message::Game(place, mut finished, _waits)) => ledger.enter(place, &mut finished).map(enough),
                Some(Message::Failed(place, mut finished)) => ledger.enter_failed(place, &mut finished).map(enough),
                Some(Message::LastWords(words)) => ledger.log_last_words(&words).map(enough),
                None if ledger.entered == games => ledger.forfeit_at_the_end().map(|flow| {
                    ControlFlow::Break(if flow.is_break() { Ending::Enough } else { Ending::Complete })
                }),
                None => Ok(ControlFlow::Break(Ending::Stopped)),
            },
            () = signals.next() => {
                if std::mem::replace(&mut stopping, true) {
                    Ok(ControlFlow::Break(Ending::Killed))
                } else {
                    shared.stop.store(true, Ordering::Relaxed);
                    (ledger.watch)(Update::Stopping).map(enough)
                }
            }
            _ = tick.tick() => ledger.journal.sync().and_then(|()| (ledger.watch)(Update::Tick)).map(enough),
        };
        match step {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(ending)) => break Ok(ending),
            Err(error) => break Err(error),
        }
    };
    shared.stop.store(true, Ordering::Relaxed);
    if matches!(outcome, Ok(Ending::Complete | Ending::Stopped)) {
        for thread in threads {
            thread.join().map_err(|_| anyhow::anyhow!("a slot thread panicked; please report this"))?;
        }
    } else {
        // The slots are in the middle of games that no longer matter. A bot that is being started just now is not
        // listed yet, so one look is not enough.
        drop(finished);
        let end = now() + ABANDON_LIMIT;
        while !threads.iter().all(std::thread::JoinHandle::is_finished) && now() < end {
            crate::guard::end_all();
            tokio::time::sleep(KILL_AGAIN).await;
        }
    }
    // What went wrong first is what is told.
    outcome.and_then(|ending| ledger.journal.sync().map(|()| ending))
}

/// SIGINT, SIGTERM and SIGHUP: all mean stop, but for a SIGHUP that we were started to ignore, as by `nohup`.
#[derive(Debug)]
pub struct Signals(Vec<tokio::signal::unix::Signal>);

impl Signals {
    /// Listens from now on; the process is no longer ended by them. To be called within a runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if the system refuses.
    pub fn listen() -> anyhow::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
        if !is_hangup_ignored() {
            kinds.push(SignalKind::hangup());
        }
        Ok(Self(kinds.into_iter().map(signal).collect::<Result<_, _>>().context("listening for signals")?))
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        std::future::poll_fn(|context| {
            let came = self.0.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
            if came { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
    }
}

/// Whether this process ignores SIGHUP; not where the system does not tell.
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // A bit for each signal, from the first, which is SIGHUP.
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
