//! The clocks of the system, and waiting. Nothing else reads a clock: pure code takes durations.

use std::time::{Duration, Instant};

use rustix::event::{Timespec, poll};

/// The monotonic clock: deadlines and measured times.
#[expect(clippy::disallowed_methods, reason = "the one place where it is read")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// The wall clock, in UTC, as records have it. It may jump: nothing is computed from it.
#[expect(clippy::disallowed_methods, reason = "the one place where it is read")]
pub(crate) fn timestamp() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}

/// A duration as system calls take it.
pub(crate) fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: duration.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: duration.subsec_nanos().into() }
}

/// Sleeps, where there is no event to wait on. A signal may end it early.
pub(crate) fn pause(duration: Duration) {
    let _ = poll(&mut [], Some(&timespec(duration)));
}
