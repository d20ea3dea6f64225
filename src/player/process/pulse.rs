//! Whether we ourselves stood still: stopped by a signal (Ctrl-Z), or with the whole machine when it was paused.
//!
//! A thread beats regularly, and a beat that comes much too late says that nothing of ours ran meanwhile; the bot's reply
//! may have lain in its pipe all that time. Unless that thread alone was kept waiting for a processor, which says nothing of
//! others: that time is not counted. Sleep of the machine needs no beat: the monotonic clock of Linux sleeps too.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use super::account::waited_of;
use crate::time::now;

/// Time between two beats.
const PERIOD: Duration = Duration::from_millis(50);
/// A beat that comes so much too late is no scheduling noise: we stood still.
pub(super) const LATE: Duration = Duration::from_millis(250);
/// A beat that is late is waited for no longer than this.
const PATIENCE: Duration = Duration::from_secs(1);
/// So many times of standing still are remembered, more than can matter to one move.
const REMEMBERED_MAX: usize = 64;

static PULSE: Mutex<Pulse> = Mutex::new(Pulse { last: None, queued: Duration::ZERO, stills: VecDeque::new() });
static BEAT: Condvar = Condvar::new();

/// The last beat and the times without.
#[derive(Debug)]
struct Pulse {
    last: Option<Instant>,
    /// How long the beating thread had waited for a processor, in all its life, at the last beat.
    queued: Duration,
    /// From when to when, in order.
    stills: VecDeque<(Instant, Instant)>,
}

impl Pulse {
    fn beat(&mut self, now: Instant, queued: Duration) {
        // It is the last thing before a beat that it waits for a processor.
        let ready = now.checked_sub(queued.saturating_sub(self.queued)).unwrap_or(now);
        if let Some(last) = self.last.filter(|_| self.is_late(ready)) {
            if self.stills.len() == REMEMBERED_MAX {
                self.stills.pop_front();
            }
            self.stills.push_back((last, ready));
        }
        (self.last, self.queued) = (Some(now), queued);
    }

    fn is_late(&self, now: Instant) -> bool {
        self.last.is_some_and(|last| now.saturating_duration_since(last) >= PERIOD + LATE)
    }

    /// How much of the time from `start` to `end` was without a beat.
    fn stood_still(&self, start: Instant, end: Instant) -> Duration {
        self.stills.iter().map(|(from, to)| (*to).min(end).saturating_duration_since((*from).max(start))).sum()
    }
}

/// Has the pulse beat from now on.
pub(super) fn begin() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        lock().beat(now(), own_wait().unwrap_or_default());
        // Without the thread nothing would ever be found to be late.
        let thread = std::thread::Builder::new().name("pulse".to_owned()).spawn(|| {
            // This thread has waited for nothing yet.
            lock().queued = Duration::ZERO;
            loop {
                crate::time::pause(PERIOD);
                lock().beat(now(), own_wait().unwrap_or_default());
                BEAT.notify_all();
            }
        });
        if thread.is_err() {
            lock().last = None;
        }
    });
}

/// How long we stood still between `start` and `end`, which is now.
pub(super) fn stood_still(start: Instant, end: Instant) -> Duration {
    // Only the beat itself knows what it waited for.
    let waited = BEAT.wait_timeout_while(lock(), PATIENCE, |pulse| pulse.is_late(end));
    waited.unwrap_or_else(PoisonError::into_inner).0.stood_still(start, end)
}

fn lock() -> MutexGuard<'static, Pulse> {
    PULSE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long the calling thread has waited for a processor since it began; nothing where the system does not tell.
pub(super) fn own_wait() -> Option<Duration> {
    waited_of(&std::fs::read_to_string("/proc/thread-self/schedstat").ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn what_lies_between_two_late_beats_is_found_whoever_looks_first() {
        let start = now();
        let mut pulse = Pulse { last: None, queued: Duration::ZERO, stills: VecDeque::new() };
        for beat in [0, 50, 100, 399] {
            pulse.beat(start + beat * MS, Duration::ZERO);
        }
        assert_eq!(pulse.stood_still(start, start + 420 * MS), Duration::ZERO, "299 ms are noise");
        // Stopped from 400 to 2400; the move began at 410. Whoever looks before the next beat waits for it.
        assert!(!pulse.is_late(start + 698 * MS) && pulse.is_late(start + 2_400 * MS));
        pulse.beat(start + 2_401 * MS, Duration::ZERO);
        assert!(!pulse.is_late(start + 2_400 * MS));
        assert_eq!(pulse.stood_still(start + 410 * MS, start + 2_400 * MS), 1_990 * MS);
        pulse.beat(start + 2_451 * MS, Duration::ZERO);
        assert_eq!(pulse.stood_still(start + 410 * MS, start + 2_460 * MS), 1_991 * MS);
        assert_eq!(pulse.stood_still(start + 2_405 * MS, start + 2_460 * MS), Duration::ZERO);
    }

    #[test]
    fn a_beat_that_waited_for_a_processor_says_nothing_of_others() {
        let start = now();
        let mut pulse = Pulse { last: None, queued: Duration::ZERO, stills: VecDeque::new() };
        pulse.beat(start, 20 * MS);
        pulse.beat(start + 1_000 * MS, 960 * MS);
        assert_eq!(pulse.stood_still(start, start + 1_000 * MS), Duration::ZERO);
        // Stopped for 900 ms, and then in a queue for 100.
        pulse.beat(start + 2_000 * MS, 1_060 * MS);
        assert_eq!(pulse.stood_still(start, start + 2_000 * MS), 900 * MS);
    }

    #[test]
    fn only_the_latest_are_remembered() {
        let start = now();
        let mut pulse = Pulse { last: None, queued: Duration::ZERO, stills: VecDeque::new() };
        for beat in 0..100 {
            pulse.beat(start + beat * 1_000 * MS, Duration::ZERO);
        }
        assert_eq!(pulse.stills.len(), REMEMBERED_MAX);
        assert_eq!(pulse.stood_still(start, start + 99_000 * MS), REMEMBERED_MAX as u32 * 1_000 * MS);
    }
}
