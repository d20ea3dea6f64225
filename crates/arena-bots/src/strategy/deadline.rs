//! Deadlines of engines. The only place in the strategies that reads a clock.
//!
//! An engine with a fixed amount of work reaches its deadline only on an overloaded machine, where it prevents a loss
//! on time. Otherwise its games stay reproducible.

use std::time::{Duration, Instant};

use arena_sys::time::now;

/// Percentage of the limit that is used. The rest covers transmission and slow machines.
const USED_PERCENT: u32 = 80;
/// Minimum reserve, for short limits.
const RESERVE: Duration = Duration::from_millis(3);

/// The time by which an engine should have chosen a move.
#[derive(Debug, Clone, Copy)]
pub struct SearchDeadline(Instant);

impl SearchDeadline {
    /// Creates a deadline for an answer that may take `limit` from now.
    #[must_use]
    pub fn within(limit: Duration) -> Self {
        let used = (limit / 100 * USED_PERCENT).saturating_sub(RESERVE);
        Self(now() + used)
    }

    /// Whether the deadline has passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        now() >= self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_below_the_reserve_has_passed_immediately() {
        assert!(SearchDeadline::within(Duration::from_millis(3)).passed());
        assert!(!SearchDeadline::within(Duration::from_secs(60)).passed());
    }
}
