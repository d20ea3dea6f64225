//! Looks at a bot from which no reply has come, to find out whether others have the processor.
//!
//! While it starts, they are counted. The kernel's statistics of a process end with it, so they say little about a bot
//! that starts through scripts, each a row of short processes. So its state counts: where a look finds it ready to run, it
//! waited in half of the time to the look before and to the next one, as far as it did not run then. A bot that sleeps is
//! not found so. For moves this is not exact enough.
//!
//! Looks take time on the processor that the bot needs. At many threads a look takes as long as the pause between two, so
//! it is followed by a longer one.

use std::time::{Duration, Instant};

/// Least time between two looks.
const PAUSE_MIN: Duration = Duration::from_millis(20);
/// The pause after a look, as a multiple of the time that it took.
const PAUSE_FACTOR: u32 = 5;

/// What the looks at a bot have found.
#[derive(Debug, Default)]
pub(super) struct Looks {
    last: Option<Look>,
    waited: Duration,
    /// How long the last one took.
    took: Duration,
}

#[derive(Debug)]
struct Look {
    at: Instant,
    /// Processor time of all its processes.
    ran: Duration,
    is_ready: bool,
}

impl Looks {
    /// The time until the next look.
    pub(super) fn pause(&self) -> Duration {
        PAUSE_MIN.max(self.took * PAUSE_FACTOR)
    }

    /// Notes how long the last look took.
    pub(super) fn note_time(&mut self, took: Duration) {
        self.took = took;
    }

    /// Adds a look at `at`, until when all processes of the bot `ran` for so long.
    pub(super) fn add(&mut self, at: Instant, ran: Duration, is_ready: bool) {
        if let Some(last) = self.last.replace(Look { at, ran, is_ready }) {
            let passed = at.saturating_duration_since(last.at);
            let did_not_run = passed.saturating_sub(ran.saturating_sub(last.ran));
            self.waited += did_not_run / 2 * (u32::from(last.is_ready) + u32::from(is_ready));
        }
    }

    /// Whether it was looked at.
    pub(super) fn are_taken(&self) -> bool {
        self.last.is_some()
    }

    /// How long it has waited.
    pub(super) fn waited(&self) -> Duration {
        self.waited
    }
}

/// What is known at a time when a bot is late.
#[derive(Debug, Clone, Copy)]
pub(super) struct LateLook {
    pub(super) at: Instant,
    /// Processor time of all processes of the bot.
    pub(super) ran: Duration,
    /// How long our own thread had waited for a processor, where the system tells.
    pub(super) own: Option<Duration>,
}

impl LateLook {
    /// Whether others had the processor since the look `before`: the bot did not run at all, or our own thread waited for
    /// most of the time, and not for the bot. A bot that got a little of it may have been waiting ever since.
    pub(super) fn others_ran_since(&self, before: &Self) -> bool {
        let ran = self.ran.saturating_sub(before.ran);
        let waited = self.own.zip(before.own).map_or(Duration::ZERO, |(now, then)| now.saturating_sub(then));
        let passed = self.at.saturating_duration_since(before.at);
        ran.is_zero() || waited.saturating_sub(ran) > passed / 2
    }
}

#[cfg(test)]
mod tests {
    use arena_sys::time::now;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn slow_looks_are_rare() {
        let mut looks = Looks::default();
        let mut pause = |took: u32| {
            looks.note_time(took * MS);
            looks.pause()
        };
        assert_eq!([0, 1, 4, 15].map(&mut pause), [20, 20, 20, 75].map(|ms: u32| ms * MS));
    }

    #[test]
    fn others_ran_if_the_bot_did_not_or_if_we_waited_for_somebody_else() {
        let start = now();
        // In 100 ms the bot `ran` and our thread `waited` for so long.
        let others_ran = |ran: u32, waited: Option<u32>| {
            let look = |at: u32, ran: u32, own: Option<u32>| LateLook {
                at: start + at * MS,
                ran: ran * MS,
                own: own.map(|own| own * MS),
            };
            look(600, 20 + ran, waited.map(|waited| 7 + waited)).others_ran_since(&look(500, 20, Some(7)))
        };
        assert!(others_ran(0, Some(0)) && others_ran(0, None), "it may be waiting on another processor than ours");
        assert!(others_ran(1, Some(90)), "it ran, and waits again");
        assert!(!others_ran(1, Some(10)) && !others_ran(1, None), "it may have slept");
        assert!(!others_ran(60, Some(95)), "we waited for the bot itself");
    }

    #[test]
    fn time_around_a_look_at_a_ready_bot_is_counted_as_far_as_it_did_not_run() {
        let start = now();
        let mut looks = Looks::default();
        let mut look = |at: u32, ran: u32, is_ready| {
            looks.add(start + at * MS, ran * MS, is_ready);
            looks.waited()
        };
        assert_eq!(look(20, 0, true), Duration::ZERO);
        assert_eq!(look(320, 4, true), 296 * MS, "by another process, perhaps");
        assert_eq!(look(340, 24, true), 296 * MS, "it ran");
        assert_eq!(look(350, 30, false), 298 * MS, "half of the time that it did not run");
        assert_eq!(look(990, 30, false), 298 * MS, "it slept");
        assert_eq!(look(1_000, 30, true), 303 * MS);
        assert_eq!(look(1_010, 30, true), 313 * MS);
    }
}
