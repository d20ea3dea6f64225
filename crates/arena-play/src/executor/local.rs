//! Games on this machine: slots, each a thread that plays one game after another with its own bots.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context;
use arena_core::schedule::Job;
use arena_sys::time::{now, wait_until};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::held::Held;
use super::processors::Processors;
use super::queue::Queue;
use super::slot::{self, SlotSettings, SlotsShared};
use super::{Executor, JobOutcome, KILL_AGAIN};

/// Maximum wait for slots whose bots were killed.
const ABANDON_LIMIT: Duration = Duration::from_secs(1);

/// Slots on this machine.
#[derive(Debug)]
pub struct Local {
    queue: Arc<Queue>,
    outcomes: mpsc::Receiver<JobOutcome>,
    threads: Vec<JoinHandle<()>>,
    held: Held,
    is_abandoned: Arc<AtomicBool>,
    /// Whether this process was told to stop.
    is_stopping: bool,
}

impl Local {
    /// Starts `slots` slots, each on its own processor if `pin`. Must be called within a runtime, which drains the bots'
    /// stderr.
    ///
    /// # Errors
    ///
    /// Returns an error if no thread can be started.
    pub fn start(settings: SlotSettings, slots: usize, pin: bool) -> anyhow::Result<Self> {
        let processors = if pin { arena_guard::own_processors() } else { Vec::new() };
        let processors = Processors::choose(&processors, slots);
        if let Some(boards) = &settings.boards {
            boards.open(slots, processors.cpus());
        }
        let queue = Arc::new(Queue::default());
        let (alone, runtime, is_abandoned) = (Mutex::new(()), Handle::current(), Arc::default());
        let (own_queue, own_end) = (Arc::clone(&queue), Arc::clone(&is_abandoned));
        let shared = SlotsShared { settings, queue: own_queue, alone, runtime, processors, is_abandoned: own_end };
        let shared = Arc::new(shared);
        // Bounded by the number of slots: each waits until its game is taken before it begins the one after next.
        let (sender, outcomes) = mpsc::channel(slots.max(1));
        let mut threads = Vec::with_capacity(slots);
        for index in 0..slots {
            let (shared, slot_sender) = (Arc::clone(&shared), sender.clone());
            let thread = std::thread::Builder::new().name(format!("slot {index}"));
            match thread.spawn(move || slot::run(&shared, index, &slot_sender)) {
                Ok(thread) => threads.push(thread),
                Err(error) if index == 0 => return Err(error).context("starting a thread to play on"),
                Err(error) => {
                    let why = format!("only {index} at a time: cannot start a thread for another game: {error}");
                    // The channel has room: nothing was submitted yet.
                    let _ = sender.try_send(JobOutcome::Warning(why));
                    break;
                }
            }
        }
        Ok(Self { queue, outcomes, threads, held: Held::default(), is_abandoned, is_stopping: false })
    }
}

impl Executor for Local {
    /// Each slot has one game running and one waiting.
    fn capacity(&self) -> usize {
        2 * self.threads.len()
    }

    fn submit(&mut self, job: Job) {
        self.queue.push(job);
    }

    fn take_back(&mut self, unwanted: &dyn Fn(&Job) -> bool) -> Vec<Job> {
        self.queue.remove(unwanted)
    }

    async fn next(&mut self) -> Option<JobOutcome> {
        loop {
            if let Some((finished, _waits)) = self.held.pop_if(self.is_stopping) {
                return Some(JobOutcome::Returned(vec![finished.place]));
            }
            let held = self.held.next();
            tokio::select! {
                biased;
                outcome = self.outcomes.recv() => match outcome {
                    Some(JobOutcome::Played(finished, waits)) if Held::concerns(&finished) => {
                        self.held.push(finished, waits, now());
                    }
                    // The slots have ended; what is held is still reported.
                    None if held.is_none() => return None,
                    None => wait_until(held).await,
                    outcome => return outcome,
                },
                () = wait_until(held) => {}
            }
            if let Some((finished, waits)) = self.held.pop_if(held.is_some_and(|due| due <= now())) {
                return Some(JobOutcome::Played(finished, waits));
            }
        }
    }

    fn stop(&mut self) -> Vec<Job> {
        self.is_stopping = true;
        self.queue.end();
        self.take_back(&|_| true)
    }

    fn close(&mut self) {
        self.queue.close();
    }

    async fn abandon(&mut self) {
        self.is_abandoned.store(true, Ordering::Relaxed);
        self.queue.close();
        self.outcomes.close();
        while self.outcomes.try_recv().is_ok() {}
        // A bot that is just being started is not listed yet, so killing once is not enough.
        let end = now() + ABANDON_LIMIT;
        while !self.threads.iter().all(JoinHandle::is_finished) && now() < end {
            arena_guard::end_all();
            tokio::time::sleep(KILL_AGAIN).await;
        }
    }
}
