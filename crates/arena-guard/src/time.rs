//! The monotonic clock, and waiting. Nothing else reads it.

use std::time::{Duration, Instant};

use rustix::event::{Timespec, poll};

/// The monotonic clock: deadlines and measured times.
#[expect(clippy::disallowed_methods, reason = "the one place where it is read")]
#[must_use]
pub fn now() -> Instant {
    Instant::now()
}

/// A duration as system calls take it.
#[must_use]
pub fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: duration.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: duration.subsec_nanos().into() }
}

/// Sleeps, where there is no event to wait on. A signal may end it early.
pub fn pause(duration: Duration) {
    let _ = poll(&mut [], Some(&timespec(duration)));
}
