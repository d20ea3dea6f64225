//! Whether this process itself was suspended: stopped by a signal (Ctrl-Z), or with the whole machine when it was paused.
//!
//! A thread beats regularly. A beat that comes much too late means that nothing of ours ran meanwhile, and a bot's reply
//! may have been in its pipe all that time. The time that the thread itself waited for a processor is not counted, since
//! it says nothing about other threads. Sleep of the machine needs no beat: the monotonic clock of Linux does not advance
//! then.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use arena_sys::time::now;

use super::cpu_usage::own_wait;

/// Time between two beats.
const PERIOD: Duration = Duration::from_millis(50);
/// A beat this late is not scheduling noise: the process was suspended.
pub(super) const LATE: Duration = Duration::from_millis(250);
/// Time limit for waiting for a late beat.
const BEAT_LIMIT: Duration = Duration::from_secs(1);
/// Number of suspensions that are remembered, more than can matter to one move.
const REMEMBERED_MAX: usize = 64;

static HEARTBEAT: Mutex<Heartbeat> =
    Mutex::new(Heartbeat { last: None, queued: Duration::ZERO, suspensions: VecDeque::new() });
static BEAT: Condvar = Condvar::new();

/// The last beat, and the intervals without beats.
#[derive(Debug)]
struct Heartbeat {
    last: Option<Instant>,
    /// How long the beating thread had waited for a processor since its start, at the last beat.
    queued: Duration,
    /// Starts and ends, in order.
    suspensions: VecDeque<(Instant, Instant)>,
}

impl Heartbeat {
    fn beat(&mut self, now: Instant, queued: Duration) {
        // Waiting for a processor is the last thing before a beat.
        let ready = now.checked_sub(queued.saturating_sub(self.queued)).unwrap_or(now);
        if let Some(last) = self.last.filter(|_| self.is_late(ready)) {
            if self.suspensions.len() == REMEMBERED_MAX {
                self.suspensions.pop_front();
            }
            self.suspensions.push_back((last, ready));
        }
        (self.last, self.queued) = (Some(now), queued);
    }

    fn is_late(&self, now: Instant) -> bool {
        self.last.is_some_and(|last| now.saturating_duration_since(last) >= PERIOD + LATE)
    }

    /// How much of the time from `start` to `end` was without a beat.
    fn suspended(&self, start: Instant, end: Instant) -> Duration {
        self.suspensions.iter().map(|(from, to)| (*to).min(end).saturating_duration_since((*from).max(start))).sum()
    }
}

/// Starts the thread that beats.
pub(super) fn begin() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        // Without the thread there is no last beat, so none is ever late.
        let _ = std::thread::Builder::new().name("heartbeat".to_owned()).spawn(|| {
            loop {
                lock().beat(now(), own_wait().unwrap_or_default());
                BEAT.notify_all();
                arena_sys::time::pause(PERIOD);
            }
        });
    });
}

/// How long this process was suspended between `start` and `end`, which is now.
pub(super) fn suspended(start: Instant, end: Instant) -> Duration {
    // Only the beat itself knows how long its thread waited for a processor.
    let waited = BEAT.wait_timeout_while(lock(), BEAT_LIMIT, |heartbeat| heartbeat.is_late(end));
    waited.unwrap_or_else(PoisonError::into_inner).0.suspended(start, end)
}

fn lock() -> MutexGuard<'static, Heartbeat> {
    HEARTBEAT.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_suspension_between_two_beats_is_found() {
        let start = now();
        let mut heartbeat = Heartbeat { last: None, queued: Duration::ZERO, suspensions: VecDeque::new() };
        for beat in [0, 50, 100, 399] {
            heartbeat.beat(start + beat * MS, Duration::ZERO);
        }
        assert_eq!(heartbeat.suspended(start, start + 420 * MS), Duration::ZERO, "299 ms are noise");
        // Stopped from 400 to 2400; the move began at 410. A query before the next beat waits for it.
        assert!(!heartbeat.is_late(start + 698 * MS) && heartbeat.is_late(start + 2_400 * MS));
        heartbeat.beat(start + 2_401 * MS, Duration::ZERO);
        assert!(!heartbeat.is_late(start + 2_400 * MS));
        assert_eq!(heartbeat.suspended(start + 410 * MS, start + 2_400 * MS), 1_990 * MS);
        heartbeat.beat(start + 2_451 * MS, Duration::ZERO);
        assert_eq!(heartbeat.suspended(start + 410 * MS, start + 2_460 * MS), 1_991 * MS);
        assert_eq!(heartbeat.suspended(start + 2_405 * MS, start + 2_460 * MS), Duration::ZERO);
    }

    #[test]
    fn the_wait_of_the_thread_for_a_processor_is_not_counted() {
        let start = now();
        let mut heartbeat = Heartbeat { last: None, queued: Duration::ZERO, suspensions: VecDeque::new() };
        heartbeat.beat(start, 20 * MS);
        heartbeat.beat(start + 1_000 * MS, 960 * MS);
        assert_eq!(heartbeat.suspended(start, start + 1_000 * MS), Duration::ZERO);
        // Suspended for 900 ms, then waiting for a processor for 100.
        heartbeat.beat(start + 2_000 * MS, 1_060 * MS);
        assert_eq!(heartbeat.suspended(start, start + 2_000 * MS), 900 * MS);
    }

    #[test]
    fn only_the_latest_suspensions_are_remembered() {
        let start = now();
        let mut heartbeat = Heartbeat { last: None, queued: Duration::ZERO, suspensions: VecDeque::new() };
        for beat in 0..100 {
            heartbeat.beat(start + beat * 1_000 * MS, Duration::ZERO);
        }
        assert_eq!(heartbeat.suspensions.len(), REMEMBERED_MAX);
        assert_eq!(heartbeat.suspended(start, start + 99_000 * MS), REMEMBERED_MAX as u32 * 1_000 * MS);
    }
}
