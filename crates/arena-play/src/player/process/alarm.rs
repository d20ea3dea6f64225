//! A deadline for a blocking read: cheaper than polling first, since no timer is set as long as replies come soon.
//!
//! Each thread has one timer, which interrupts it at its time and then periodically. A running timer is not set again for
//! an earlier return: a thread that is interrupted too soon sets it anew. So it costs one call in some milliseconds, not
//! two for each move (like the lazy timers of event loops).

use std::cell::RefCell;
use std::time::{Duration, Instant};

use arena_guard::Alarm;

/// Period of further interruptions: one that comes between two calls is lost.
const AGAIN: Duration = Duration::from_millis(1);

/// The timer of a thread.
#[derive(Debug)]
struct Timer {
    alarm: Alarm,
    /// When it first interrupts; `None` if it is off.
    due: Option<Instant>,
}

thread_local! {
    /// `None` if the system provides no timer.
    static TIMER: RefCell<Option<Timer>> =
        RefCell::new(Alarm::of_this_thread().ok().map(|alarm| Timer { alarm, due: None }));
}

/// Whether this thread can be interrupted.
pub(super) fn can_ring() -> bool {
    TIMER.with_borrow(Option::is_some)
}

/// Interrupts the system calls of this thread at `at` or before; false if there is no timer.
pub(super) fn ring_by(at: Instant, now: Instant) -> bool {
    TIMER.with_borrow_mut(|timer| {
        let Some(timer) = timer else { return false };
        if !timer.due.is_some_and(|due| now < due && due <= at) {
            timer.alarm.set(at.saturating_duration_since(now).max(Duration::from_nanos(1)), AGAIN);
            timer.due = Some(at);
        }
        true
    })
}

/// Stops the interruptions.
pub(super) fn off() {
    TIMER.with_borrow_mut(|timer| {
        if let Some(timer) = timer
            && timer.due.take().is_some()
        {
            timer.alarm.set(Duration::ZERO, Duration::ZERO);
        }
    });
}

#[cfg(test)]
mod tests {
    use arena_sys::time::now;
    use rustix::io::Errno;

    use super::*;

    #[test]
    fn a_blocking_read_is_interrupted_whenever_it_began() {
        let (nothing, _writer) = rustix::pipe::pipe().unwrap();
        let read = || rustix::io::read(&nothing, &mut [0; 1]).unwrap_err();
        let start = now();
        let at = start + Duration::from_millis(5);
        assert!(ring_by(at, start));
        assert_eq!(read(), Errno::INTR);
        assert!(now() >= at);
        // Again: this read began after the first interruption.
        assert_eq!(read(), Errno::INTR);
        off();
        // If it is set for later, it still comes by the earlier time; if set for the past, at once.
        assert!(ring_by(now() + Duration::from_secs(3_600), now()));
        assert!(ring_by(now() + Duration::from_millis(1), now()));
        assert_eq!(read(), Errno::INTR);
        assert!(ring_by(start, now()));
        assert_eq!(read(), Errno::INTR);
        off();
    }
}
