//! The thread that watches all shared processors.

use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use arena_sys::time::now;

use super::SharedProcessor;
use super::entry::{self, SharedBot};

/// Time between two looks. A move that is over within it is not inspected.
const PERIOD: Duration = Duration::from_millis(5);
/// Time after which a job is retried.
const RETRY_PERIOD: Duration = Duration::from_micros(200);
/// Time limit for the result of a job.
const JOB_LIMIT: Duration = Duration::from_secs(1);

/// What the thread is sent.
enum Message {
    /// A processor to watch as long as there are bots on it.
    Watch(Weak<Mutex<Vec<SharedBot>>>),
    Do(WatchStep),
}

/// Tries to work on the bots of a processor; false if another thread holds the lock.
type WatchStep = Box<dyn FnMut() -> bool + Send>;

/// Messages to the thread, which is started when it is first needed; `None` if it cannot be started now. Then no bot is
/// stopped until a later attempt succeeds.
fn watcher() -> Option<Sender<Message>> {
    static WATCHER: Mutex<Option<Sender<Message>>> = Mutex::new(None);
    let mut watcher = WATCHER.lock().unwrap_or_else(PoisonError::into_inner);
    if watcher.is_none() {
        let (sender, messages) = channel();
        let thread = std::thread::Builder::new().name("watcher".to_owned());
        *watcher = thread.spawn(move || run(&messages)).is_ok().then_some(sender);
    }
    watcher.clone()
}

/// Watches a processor from now on, as long as there are bots on it.
pub(super) fn watch(processor: &SharedProcessor) {
    if let Some(watcher) = watcher() {
        let _ = watcher.send(Message::Watch(Arc::downgrade(&processor.0)));
    }
}

/// Has the thread do something that takes long, and returns the result; `None` if it took too long. The calling thread may
/// be starved by the very bots that the work is about, and would block the watcher if it held the lock meanwhile: it does the
/// work itself only if there is no such thread.
pub(super) fn ask<T: Send + 'static>(
    processor: &SharedProcessor,
    mut work: impl FnMut(&mut Vec<SharedBot>) -> T + Send + 'static,
) -> Option<T> {
    let Some(watcher) = watcher() else { return Some(work(&mut processor.lock())) };
    let (sender, done) = sync_channel(1);
    let processor = processor.clone();
    let job = move || {
        let Some(mut entries) = processor.try_lock() else { return false };
        // Fails if the caller has stopped waiting.
        let _ = sender.send(work(&mut entries));
        true
    };
    watcher.send(Message::Do(Box::new(job))).ok()?;
    done.recv_timeout(JOB_LIMIT).ok()
}

fn run(messages: &Receiver<Message>) {
    arena_guard::run_before_others();
    let (mut processors, mut jobs) = (Vec::<Weak<_>>::new(), Vec::<WatchStep>::new());
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
        jobs.retain_mut(|job| !job());
        if now() < next_look {
            continue;
        }
        is_idle = true;
        processors.retain(|processor| processor.strong_count() > 0);
        for processor in processors.iter().filter_map(Weak::upgrade).map(SharedProcessor) {
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
