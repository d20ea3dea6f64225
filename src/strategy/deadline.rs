//! When a brain has to stop thinking. The one place in the strategies that looks at a clock.
//!
//! Brains whose work is fixed by an option never get here on a sound machine, so their games stay reproducible; the
//! deadline only saves them from losing on time where the machine is overloaded.

use std::time::{Duration, Instant};

use crate::time::now;

/// Share of the limit that is used, in percent. The rest covers the way of the answer and a slow machine.
const USED_PERCENT: u32 = 80;
/// Kept back from short limits, where a share would be too little.
const RESERVE: Duration = Duration::from_millis(3);

/// The moment by which an answer should be on its way.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// The deadline for an answer that may take `limit` from now.
    #[must_use]
    pub fn within(limit: Duration) -> Self {
        let used = (limit / 100 * USED_PERCENT).saturating_sub(RESERVE);
        Self(Some(now() + used))
    }

    /// No deadline: for work that ends by itself.
    #[must_use]
    pub const fn never() -> Self {
        Self(None)
    }

    /// Whether it is time to answer with the best found so far.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.0.is_some_and(|end| now() >= end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_within_the_reserve_has_passed_at_once() {
        assert!(Deadline::within(Duration::from_millis(3)).passed());
        assert!(!Deadline::within(Duration::from_secs(60)).passed());
        assert!(!Deadline::never().passed());
    }
}
