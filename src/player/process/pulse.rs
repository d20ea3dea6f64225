//! Whether we ourselves stood still: stopped by a signal (Ctrl-Z), or with the whole machine when it was paused.
//!
//! A thread beats regularly, and a beat that comes much too late says that nothing of ours ran meanwhile; the bot's reply
//! may have lain in its pipe all that time. Sleep of the machine needs no beat: the monotonic clock of Linux sleeps too.

use std::collections::VecDeque;
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use super::wire::now;

/// Time between two beats.
const PERIOD: Duration = Duration::from_millis(50);
/// A beat that comes so much too late is no scheduling noise: we stood still.
pub(super) const LATE: Duration = Duration::from_millis(250);
/// So many times of standing still are remembered, more than can matter to one move.
const REMEMBERED_MAX: usize = 64;

static PULSE: Mutex<Pulse> = Mutex::new(Pulse { last: None, stills: VecDeque::new() });

/// The last beat and the times without.
#[derive(Debug)]
struct Pulse {
    last: Option<Instant>,
    /// From when to when, in order.
    stills: VecDeque<(Instant, Instant)>,
}

impl Pulse {
    fn beat(&mut self, now: Instant) {
        if let Some(still) = self.missing(now) {
            if self.stills.len() == REMEMBERED_MAX {
                self.stills.pop_front();
            }
            self.stills.push_back(still);
        }
        self.last = Some(now);
    }

    /// The time without a beat that ends now, if it is too long.
    fn missing(&self, now: Instant) -> Option<(Instant, Instant)> {
        self.last.filter(|last| now.saturating_duration_since(*last) >= PERIOD + LATE).map(|last| (last, now))
    }

    /// How much of the time from `start` to `end` was without a beat.
    fn stood_still(&self, start: Instant, end: Instant) -> Duration {
        let still = self.stills.iter().copied().chain(self.missing(end));
        still.map(|(from, to)| to.min(end).saturating_duration_since(from.max(start))).sum()
    }
}

/// Has the pulse beat from now on.
pub(super) fn begin() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        PULSE.lock().unwrap_or_else(PoisonError::into_inner).beat(now());
        // Without the thread nothing would ever be found to be late.
        let thread = std::thread::Builder::new().name("pulse".to_owned()).spawn(|| {
            loop {
                let _ = rustix::event::poll(&mut [], Some(&super::wire::timespec(PERIOD)));
                PULSE.lock().unwrap_or_else(PoisonError::into_inner).beat(now());
            }
        });
        if thread.is_err() {
            PULSE.lock().unwrap_or_else(PoisonError::into_inner).last = None;
        }
    });
}

/// How long we stood still between `start` and `end`, which is now.
pub(super) fn stood_still(start: Instant, end: Instant) -> Duration {
    PULSE.lock().unwrap_or_else(PoisonError::into_inner).stood_still(start, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn what_lies_between_two_late_beats_is_found_whoever_looks_first() {
        let start = now();
        let mut pulse = Pulse { last: None, stills: VecDeque::new() };
        for beat in [0, 50, 100, 399] {
            pulse.beat(start + beat * MS);
        }
        assert_eq!(pulse.stood_still(start, start + 420 * MS), Duration::ZERO, "299 ms are noise");
        // Stopped from 400 to 2400; the move began at 410 and is judged before the next beat.
        assert_eq!(pulse.stood_still(start + 410 * MS, start + 2_400 * MS), 1_990 * MS);
        pulse.beat(start + 2_401 * MS);
        pulse.beat(start + 2_451 * MS);
        assert_eq!(pulse.stood_still(start + 410 * MS, start + 2_460 * MS), 1_991 * MS);
        assert_eq!(pulse.stood_still(start + 2_405 * MS, start + 2_460 * MS), Duration::ZERO);
    }

    #[test]
    fn only_the_latest_are_remembered() {
        let start = now();
        let mut pulse = Pulse { last: None, stills: VecDeque::new() };
        for beat in 0..100 {
            pulse.beat(start + beat * 1_000 * MS);
        }
        assert_eq!(pulse.stills.len(), REMEMBERED_MAX);
        assert_eq!(pulse.stood_still(start, start + 99_000 * MS), REMEMBERED_MAX as u32 * 1_000 * MS);
    }
}
