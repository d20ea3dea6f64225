//! What the kernel has counted of a bot and all that it has started: how long it ran, and how long it waited to.

use std::time::{Duration, Instant};

use crate::guard::Family;
use crate::time::now;

/// More processes and threads than this are not looked at: their waiting then earns no credit.
const TASKS_MAX: usize = 256;

/// What the kernel has counted of a bot and all that it has started, at one time.
#[derive(Debug, Clone)]
pub(super) struct Account {
    pub(super) at: Instant,
    /// Processor time of all, also of those that have ended.
    pub(super) ran: Duration,
    /// Processes that there are.
    pub(super) processes: usize,
    /// The time of those that ended unseen is in it.
    pub(super) is_whole: bool,
    /// How long each thread was ready to run and waited for a processor.
    pub(super) waits: Vec<(u32, Duration)>,
}

impl Account {
    /// The account of a bot; nothing where the system keeps none.
    pub(super) fn of(family: &Family) -> Option<Self> {
        let (mut waits, mut processes) = (Vec::new(), 0);
        let ran = family.inspect(|process| {
            processes += 1;
            let threads = std::fs::read_dir(format!("/proc/{}/task", process.as_raw_nonzero()));
            for thread in threads.into_iter().flatten().flatten() {
                // A thread that ends meanwhile is left out.
                let Ok(counted) = std::fs::read_to_string(thread.path().join("schedstat")) else { continue };
                let id = thread.file_name().to_string_lossy().parse().unwrap_or(0);
                waits.extend(waited_of(&counted).map(|waited| (id, waited)));
            }
            waits.len() <= TASKS_MAX
        })?;
        let is_whole = family.counts_the_dead();
        (waits.len() <= TASKS_MAX).then(|| Self { at: now(), ran, processes, is_whole, waits })
    }

    /// Whether all that the bot has used since `earlier` is known: that of processes which ended unseen is, or there was
    /// but one process.
    pub(super) fn is_complete_since(&self, earlier: &Self) -> bool {
        self.is_whole || self.processes <= 1 && earlier.processes <= 1
    }

    /// How long the bot has waited for a processor since `earlier` without that being its own doing, if all that it used
    /// is known.
    pub(super) fn waited_since(&self, earlier: &Self) -> Duration {
        waited(&earlier.waits, &self.waits, self.unused_since(earlier))
    }

    /// How long the bot had no processor since `earlier`.
    pub(super) fn unused_since(&self, earlier: &Self) -> Duration {
        self.at.saturating_duration_since(earlier.at).saturating_sub(self.ran_since(earlier))
    }

    /// Processor time since `earlier`.
    pub(super) fn ran_since(&self, earlier: &Self) -> Duration {
        self.ran.saturating_sub(earlier.ran)
    }
}

/// Where counting began.
#[derive(Debug, Clone)]
pub(super) struct Opening {
    pub(super) bot: Account,
    /// What the thread of ours that waits for the bot had waited for a processor then, or when it last began to wait again.
    pub(super) own: Duration,
}

impl Opening {
    /// What the kernel has counted by now of a bot, and of the thread with this number that waits for it.
    pub(super) fn of(family: &Family, thread: i32) -> Option<Self> {
        let own = std::fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
        Some(Self { bot: Account::of(family)?, own: waited_of(&own)? })
    }
}

/// Reads `/proc/PID/task/TID/schedstat`: nanoseconds on a processor, nanoseconds ready and waiting for one, and more.
pub(super) fn waited_of(schedstat: &str) -> Option<Duration> {
    schedstat.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

/// The longest that any thread has waited, but no more than the bot as a whole left `unused`: threads that wait for each
/// other's turn on a processor starve nobody but themselves.
fn waited(before: &[(u32, Duration)], after: &[(u32, Duration)], unused: Duration) -> Duration {
    let earlier = |id| before.iter().find(|(known, _)| *known == id).map_or(Duration::ZERO, |(_, waited)| *waited);
    let longest = after.iter().map(|(id, waited)| waited.saturating_sub(earlier(*id))).max().unwrap_or_default();
    longest.min(unused)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn waits<const N: usize>(ms: [u32; N]) -> Vec<(u32, Duration)> {
        (0..).zip(ms).map(|(id, waited)| (id, waited * MS)).collect()
    }

    #[test]
    fn a_starved_thread_earns_what_it_waited() {
        assert_eq!(waited(&waits([5]), &waits([75]), 70 * MS), 70 * MS);
    }

    #[test]
    fn a_sleeper_and_a_thinker_earn_nothing() {
        assert_eq!(waited(&waits([5]), &waits([5]), 100 * MS), Duration::ZERO);
        assert_eq!(waited(&waits([5]), &waits([5]), Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn whoever_starves_himself_earns_nothing() {
        // Three threads on one processor: each waits two thirds of the time, and no time is left unused.
        assert_eq!(waited(&[], &waits([66, 67, 67]), Duration::ZERO), Duration::ZERO);
        // Nor if those that had the processor have ended.
        assert_eq!(waited(&[], &waits([66]), Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn what_the_kernel_writes_is_read() {
        assert_eq!(waited_of("1000000 2000000 3\n"), Some(2 * MS));
        assert_eq!(waited_of("1000000"), None);
        assert_eq!(waited_of("0 x"), None);
    }
}
