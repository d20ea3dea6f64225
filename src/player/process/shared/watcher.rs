//! The thread that watches all shared processors.

use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use super::Entries;
use super::entry::{self, Entry};
use crate::time::now;

/// Time between two looks. A move that is over within it is not inspected.
const PERIOD: Duration = Duration::from_millis(5);
/// Time after which a job is retried.
const RETRY_PERIOD: Duration = Duration::from_micros(200);
/// Time limit for the result of a job.
const JOB_LIMIT: Duration = Duration::from_secs(1);

/// What the thread is sent.
enum Message {
    /// A processor to watch as long as there are bots on it.
    Watch(Weak<Entries>),
    Do(Job),
}

type Work = Box<dyn FnOnce(&mut Vec<Entry>) + Send>;

/// Work on the bots of a processor.
struct Job {
    processor: Arc<Entries>,
    work: Work,
}

/// Watches a processor from now on, as long as there are bots on it.
pub(super) fn watch(processor: &Arc<Entries>) {
    // Without the thread no bot is stopped.
    if let Some(watcher) = watcher() {
        let _ = watcher.send(Message::Watch(Arc::downgrade(processor)));
    }
}

/// Has the thread do something that takes long, and returns the result; `None` if it took too long. The calling thread may
/// be starved by the very bots that the work is about, and would block the watcher if it held the lock meanwhile.
pub(super) fn ask<T: Send + 'static>(
    processor: &Arc<Entries>,
    work: impl FnOnce(&mut Vec<Entry>) -> T + Send + 'static,
) -> Option<T> {
    let Some(watcher) = watcher() else { return Some(work(&mut processor.lock())) };
    let (sender, done) = sync_channel(1);
    let work = Box::new(move |entries: &mut Vec<Entry>| {
        // Fails if the caller has stopped waiting.
        let _ = sender.send(work(entries));
    });
    watcher.send(Message::Do(Job { processor: Arc::clone(processor), work })).ok()?;
    done.recv_timeout(JOB_LIMIT).ok()
}

/// The way to the thread, which is started by the first call; `None` if it cannot be started.
fn watcher() -> Option<&'static Sender<Message>> {
    static WATCHER: OnceLock<Option<Sender<Message>>> = OnceLock::new();
    let start = || {
        let (sender, messages) = channel();
        let thread = std::thread::Builder::new().name("watcher".to_owned()).spawn(move || run(&messages));
        thread.is_ok().then_some(sender)
    };
    WATCHER.get_or_init(start).as_ref()
}

fn run(messages: &Receiver<Message>) {
    crate::guard::run_before_others();
    let (mut processors, mut jobs): (Vec<Weak<Entries>>, Vec<Job>) = Default::default();
    let (mut next_look, mut is_idle) = (now(), true);
    loop {
        let left = next_look.saturating_duration_since(now());
        let message = if is_idle && jobs.is_empty() {
            messages.recv().ok()
        } else {
            messages.recv_timeout(if jobs.is_empty() { left } else { left.min(RETRY_PERIOD) }).ok()
        };
        match message {
            Some(Message::Watch(processor)) => {
                is_idle = false;
                if !processors.iter().any(|known| known.ptr_eq(&processor)) {
                    processors.push(processor);
                }
            }
            Some(Message::Do(job)) => jobs.push(job),
            None => {}
        }
        jobs = jobs.into_iter().filter_map(carry_out).collect();
        if now() < next_look {
            continue;
        }
        is_idle = true;
        processors.retain(|processor| processor.strong_count() > 0);
        for processor in processors.iter().filter_map(Weak::upgrade) {
            // The thread that holds the lock may be waiting for a processor, which must not delay the others.
            let Some(mut entries) = processor.try_lock() else {
                is_idle = false;
                continue;
            };
            is_idle &= entries.is_empty();
            entry::keep_order(&mut entries);
        }
        next_look = now() + PERIOD;
    }
}

/// Does a job; returns it if another thread holds the lock of its processor.
fn carry_out(job: Job) -> Option<Job> {
    let Job { processor, work } = job;
    let Some(mut entries) = processor.try_lock() else { return Some(Job { processor, work }) };
    work(&mut entries);
    drop(entries);
    None
}
