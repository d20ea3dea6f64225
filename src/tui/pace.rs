//! How often a screen is drawn.

use std::time::{Duration, Instant};

/// Frames that may follow each other at once, so that a key is answered at once.
const BURST: u32 = 3;
/// Time between frames that follow each other for longer: with a burst, 30 in any second.
const STEP: Duration = Duration::from_millis(37);

/// Allows at most 30 frames in any second.
#[derive(Debug)]
pub(super) struct FramePace {
    /// When the last frame is paid for.
    paid: Instant,
}

impl FramePace {
    pub(super) const fn new(now: Instant) -> Self {
        Self { paid: now }
    }

    /// The time until the next frame may be drawn.
    pub(super) fn wait(&self, now: Instant) -> Duration {
        (self.paid.saturating_duration_since(now)).saturating_sub(STEP * (BURST - 1))
    }

    /// Notes a frame.
    pub(super) fn drawn(&mut self, now: Instant) {
        self.paid = self.paid.max(now) + STEP;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_drawn_at_once_and_at_most_thirty_in_a_second() {
        let start = arena_sys::time::now();
        let mut pace = FramePace::new(start);
        let mut frames = Vec::new();
        for ms in 0..5_000 {
            let now = start + Duration::from_millis(ms);
            while pace.wait(now).is_zero() {
                pace.drawn(now);
                frames.push(ms);
            }
        }
        assert_eq!(frames[..3], [0, 0, 0]);
        let busiest = frames.iter().map(|from| frames.iter().filter(|ms| (*from..from + 1_000).contains(ms)).count());
        assert_eq!(busiest.max(), Some(30));
        let rested = start + Duration::from_mins(1);
        assert_eq!(pace.wait(rested), Duration::ZERO);
        pace.drawn(rested);
        assert_eq!(pace.wait(rested), Duration::ZERO);
    }
}
