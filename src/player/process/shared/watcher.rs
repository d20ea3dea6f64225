//! The thread that looks after all shared processors.

use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::Entries;
use super::entry::{self, Entry};
use crate::player::process::wire::now;

/// Time between two looks. A move that is over within it is not looked at.
const PERIOD: Duration = Duration::from_millis(5);
/// Time after which a job is tried again that could not be done.
const AGAIN: Duration = Duration::from_micros(200);
/// What the thread is asked for is waited for no longer than this.
const PATIENCE: Duration = Duration::from_secs(1);

static WATCHER: Mutex<Watcher> =
    Mutex::new(Watcher { processors: Vec::new(), jobs: Vec::new(), runs: false, has_news: false });
static CALL: Condvar = Condvar::new();

/// What the thread has to do.
struct Watcher {
    processors: Vec<Weak<Entries>>,
    jobs: Vec<Job>,
    /// The thread was started.
    runs: bool,
    /// Somebody came since the last look.
    has_news: bool,
}

type Work = Box<dyn FnOnce(&mut Vec<Entry>) + Send>;

/// Something to be done with those at a processor.
struct Job {
    processor: Arc<Entries>,
    work: Work,
}

/// Looks after a processor from now on, as long as there is somebody at it.
pub(super) fn watch(processor: &Arc<Entries>) {
    let mut watcher = lock();
    if !watcher.processors.iter().any(|known| known.as_ptr() == Arc::as_ptr(processor)) {
        watcher.processors.push(Arc::downgrade(processor));
    }
    watcher.has_news = true;
    if !watcher.runs {
        // Without the thread nobody is stopped: as without a watcher.
        watcher.runs = std::thread::Builder::new().name("watcher".to_owned()).spawn(run).is_ok();
    }
    CALL.notify_all();
}

/// Has the thread do something that takes long, and returns what came of it; nothing if that took too long. Whoever asks
/// may be starved by the very bots that it is about, and would keep the thread from them if it did it by itself.
pub(super) fn ask<T: Send + 'static>(
    processor: &Arc<Entries>,
    work: impl FnOnce(&mut Vec<Entry>) -> T + Send + 'static,
) -> Option<T> {
    let (sender, done) = sync_channel(1);
    let mut watcher = lock();
    if !watcher.runs {
        drop(watcher);
        return Some(work(&mut processor.lock()));
    }
    let work = Box::new(move |entries: &mut Vec<Entry>| {
        // Nobody waits any more after a while.
        let _ = sender.send(work(entries));
    });
    watcher.jobs.push(Job { processor: Arc::clone(processor), work });
    drop(watcher);
    CALL.notify_all();
    done.recv_timeout(PATIENCE).ok()
}

fn run() {
    crate::guard::run_before_others();
    let mut next_look = now();
    let mut watcher = lock();
    loop {
        let jobs = std::mem::take(&mut watcher.jobs);
        if !jobs.is_empty() {
            drop(watcher);
            let undone: Vec<Job> = jobs.into_iter().filter_map(carry_out).collect();
            watcher = lock();
            watcher.jobs.extend(undone);
        }
        let left = next_look.saturating_duration_since(now());
        if !left.is_zero() {
            let left = if watcher.jobs.is_empty() { left } else { left.min(AGAIN) };
            watcher = CALL.wait_timeout(watcher, left).unwrap_or_else(PoisonError::into_inner).0;
            continue;
        }
        watcher.has_news = false;
        watcher.processors.retain(|processor| processor.strong_count() > 0);
        let processors: Vec<Arc<Entries>> = watcher.processors.iter().filter_map(Weak::upgrade).collect();
        drop(watcher);
        let mut is_anybody_there = false;
        for processor in processors {
            // Whoever has it just now may be waiting for a processor: the others are not to wait for that.
            let Some(mut entries) = processor.try_lock() else {
                is_anybody_there = true;
                continue;
            };
            is_anybody_there |= !entries.is_empty();
            entry::keep_order(&mut entries);
        }
        next_look = now() + PERIOD;
        watcher = lock();
        while !is_anybody_there && !watcher.has_news {
            watcher = CALL.wait(watcher).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Does a job; gives it back if somebody else has that processor just now.
fn carry_out(job: Job) -> Option<Job> {
    let Job { processor, work } = job;
    let Some(mut entries) = processor.try_lock() else { return Some(Job { processor, work }) };
    work(&mut entries);
    drop(entries);
    None
}

fn lock() -> MutexGuard<'static, Watcher> {
    WATCHER.lock().unwrap_or_else(PoisonError::into_inner)
}
