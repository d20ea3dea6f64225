//! The thread that looks after all shared processors.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::{Entries, Seat, entry};
use crate::player::process::wire::now;

/// Time between two looks. A move that is over within it is not looked at.
const PERIOD: Duration = Duration::from_millis(5);
/// A bot that is to be stopped is waited for no longer than this.
const PATIENCE: Duration = Duration::from_secs(1);

static WATCHER: Mutex<Watcher> =
    Mutex::new(Watcher { processors: Vec::new(), to_stop: Vec::new(), runs: false, has_news: false });
static CALL: Condvar = Condvar::new();

/// What the thread has to do.
struct Watcher {
    processors: Vec<Weak<Entries>>,
    to_stop: Vec<ToStop>,
    /// The thread was started.
    runs: bool,
    /// Somebody came since the last look.
    has_news: bool,
}

/// A process that is to be stopped, and whoever waits for it.
struct ToStop {
    processor: Arc<Entries>,
    seat: Arc<Seat>,
    done: SyncSender<()>,
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

/// Stops a process unless it is on move; returns when it is stopped.
pub(super) fn stop(processor: &Arc<Entries>, seat: &Arc<Seat>) {
    let (done, stopped) = sync_channel(1);
    let mut watcher = lock();
    if !watcher.runs {
        drop(watcher);
        return stop_now(processor, seat);
    }
    watcher.to_stop.push(ToStop { processor: Arc::clone(processor), seat: Arc::clone(seat), done });
    drop(watcher);
    CALL.notify_all();
    // A thread that does not come to it in this time is starved itself; the bot is looked at again when it does.
    let _ = stopped.recv_timeout(PATIENCE);
}

fn stop_now(processor: &Entries, seat: &Arc<Seat>) {
    if let Some(entry) = entry::find(&mut processor.lock(), seat) {
        entry.stop(true);
    }
}

fn run() {
    settle();
    let mut next_look = now();
    let mut watcher = lock();
    loop {
        for ToStop { processor, seat, done } in std::mem::take(&mut watcher.to_stop) {
            drop(watcher);
            stop_now(&processor, &seat);
            // Nobody waits any more after a while.
            let _ = done.send(());
            watcher = lock();
        }
        let left = next_look.saturating_duration_since(now());
        if !left.is_zero() {
            watcher = CALL.wait_timeout(watcher, left).unwrap_or_else(PoisonError::into_inner).0;
            continue;
        }
        watcher.has_news = false;
        watcher.processors.retain(|processor| processor.strong_count() > 0);
        let processors: Vec<Arc<Entries>> = watcher.processors.iter().filter_map(Weak::upgrade).collect();
        drop(watcher);
        let mut is_anybody_there = false;
        for processor in processors {
            let mut entries = processor.lock();
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

/// Has this thread run on any processor and before all bots, as far as the system lets us.
fn settle() {
    #[cfg(target_os = "linux")]
    {
        crate::guard::roam();
        crate::guard::run_before_others();
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
    }
}

fn lock() -> MutexGuard<'static, Watcher> {
    WATCHER.lock().unwrap_or_else(PoisonError::into_inner)
}
