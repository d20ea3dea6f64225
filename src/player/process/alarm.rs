//! A deadline for a read that blocks: cheaper than to poll first, for nothing is set as long as replies come soon.
//!
//! Each thread has one timer, which interrupts it some time after the last time it was set, and from then on again and
//! again. It is left alone while it runs: a thread that is interrupted too soon sets it anew. So it costs a call in
//! every few milliseconds, not two a move (after the "lazy" timers of event loops).

use std::cell::RefCell;
use std::time::{Duration, Instant};

use crate::guard::Alarm;

/// Rings again after this time: an interruption between two calls is lost.
const AGAIN: Duration = Duration::from_millis(1);

/// The timer of a thread.
#[derive(Debug)]
struct Timer {
    alarm: Alarm,
    /// When it rings first; none if it was switched off.
    due: Option<Instant>,
}

thread_local! {
    /// Nothing if the system has none to give.
    static TIMER: RefCell<Option<Timer>> =
        RefCell::new(Alarm::of_this_thread().ok().map(|alarm| Timer { alarm, due: None }));
}

/// Whether this thread can be interrupted.
pub(super) fn can_ring() -> bool {
    TIMER.with_borrow(Option::is_some)
}

/// Has the calls of this thread interrupted at `at`, or before; false if that cannot be had.
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

/// No more interruptions.
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
    use rustix::io::Errno;

    use super::*;
    use crate::player::process::wire::now;

    #[test]
    fn a_read_that_waits_for_nothing_is_interrupted_whenever_it_began() {
        let (nothing, _writer) = rustix::pipe::pipe().unwrap();
        let read = || rustix::io::read(&nothing, &mut [0; 1]).unwrap_err();
        let start = now();
        let at = start + Duration::from_millis(5);
        assert!(ring_by(at, start));
        assert_eq!(read(), Errno::INTR);
        assert!(now() >= at);
        // It rings on: this read began after the first time.
        assert_eq!(read(), Errno::INTR);
        off();
        // Set for later, it comes no later than asked for; set for the past, at once.
        assert!(ring_by(now() + Duration::from_secs(3_600), now()));
        assert!(ring_by(now() + Duration::from_millis(1), now()));
        assert_eq!(read(), Errno::INTR);
        assert!(ring_by(start, now()));
        assert_eq!(read(), Errno::INTR);
        off();
    }
}
