//! Games on this machine: slots, each a thread that plays one game after the other with bots of its own.

use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::processors::Processors;
use super::queue::Queue;
use super::slot;
use super::{Executor, KILL_AGAIN, Outcome};
use crate::event::Event;
use crate::observer::EventSender;
use crate::player::process::Launch;
use crate::rules::Variant;
use crate::schedule::Job;
use crate::time::now;

/// The longest wait for slots whose bots were killed.
const ABANDON_LIMIT: Duration = Duration::from_secs(1);

/// What is the same for all games of a run.
#[derive(Debug)]
pub struct SlotSettings {
    /// The tournament.
    pub event: Arc<Event>,
    /// Its game.
    pub variant: Variant,
    /// How each bot of the event is started.
    pub launches: Vec<Launch>,
    /// Bots that a slot keeps alive for its next games.
    pub live_bots: usize,
    /// The machine's name.
    pub host: String,
    /// Where moves are reported, if an observer wants them.
    pub events: Option<EventSender>,
}

/// Slots on this machine.
#[derive(Debug)]
pub struct Local {
    queue: Arc<Queue>,
    outcomes: mpsc::Receiver<Outcome>,
    threads: Vec<JoinHandle<()>>,
    slots: usize,
}

/// What the slots share.
pub(super) struct Shared {
    pub(super) settings: SlotSettings,
    pub(super) queue: Arc<Queue>,
    /// Held while a game is tried again, for two would take from each other what the machine is short of.
    pub(super) alone: Mutex<()>,
    pub(super) runtime: Handle,
    pub(super) processors: Processors,
}

impl Local {
    /// Starts `slots` slots, each on a processor of its own if `pin`; within a runtime, which drains what bots write to
    /// stderr.
    ///
    /// # Errors
    ///
    /// Returns an error if not even one thread can be had.
    pub fn start(settings: SlotSettings, slots: usize, pin: bool) -> anyhow::Result<Self> {
        let processors =
            if pin { Processors::choose(&crate::guard::own_processors(), slots) } else { Processors::default() };
        let queue = Arc::new(Queue::default());
        let runtime = Handle::current();
        let shared =
            Arc::new(Shared { settings, queue: Arc::clone(&queue), alone: Mutex::new(()), runtime, processors });
        // Bounded by the number of slots: each waits for its game to be taken before it begins the next but one.
        let (sender, outcomes) = mpsc::channel(slots.max(1));
        let mut threads = Vec::with_capacity(slots);
        for index in 0..slots {
            let (shared, slot_sender) = (Arc::clone(&shared), sender.clone());
            let thread = std::thread::Builder::new().name(format!("slot {index}"));
            match thread.spawn(move || slot::run(&shared, index, &slot_sender)) {
                Ok(thread) => threads.push(thread),
                Err(error) if index == 0 => return Err(error).context("starting a thread to play on"),
                Err(error) => {
                    let why = format!("only {index} at a time: no thread for another game: {error}");
                    // There is room: nothing was submitted yet.
                    let _ = sender.try_send(Outcome::Reduced(why));
                    break;
                }
            }
        }
        Ok(Self { queue, outcomes, slots: threads.len(), threads })
    }
}

impl Executor for Local {
    /// One game is ready for each slot while another is played there.
    fn capacity(&self) -> usize {
        2 * self.slots
    }

    fn submit(&mut self, job: Job) {
        self.queue.push(job);
    }

    fn take_back(&mut self, unwanted: &dyn Fn(&Job) -> bool) -> Vec<Job> {
        self.queue.remove(unwanted)
    }

    async fn next(&mut self) -> Option<Outcome> {
        self.outcomes.recv().await
    }

    fn close(&mut self) {
        self.queue.close();
    }

    async fn abandon(&mut self) {
        self.queue.close();
        self.outcomes.close();
        while self.outcomes.try_recv().is_ok() {}
        // A bot that is being started just now is not listed yet, so one look is not enough.
        let end = now() + ABANDON_LIMIT;
        while !self.threads.iter().all(JoinHandle::is_finished) && now() < end {
            crate::guard::end_all();
            tokio::time::sleep(KILL_AGAIN).await;
        }
    }
}
