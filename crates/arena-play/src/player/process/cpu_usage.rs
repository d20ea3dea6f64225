//! Processor time of a bot and of everything that it started: how long it ran, and how long it waited for a processor.

use std::time::{Duration, Instant};

use arena_guard::Family;
use arena_sys::time::now;

use super::process_state::{THREADS_MAX, threads};

/// Statistics of the kernel's scheduler about a bot and everything that it started, at one time.
#[derive(Debug, Clone)]
pub(super) struct CpuUsage {
    pub(super) at: Instant,
    /// Processor time of all processes, also of those that have ended.
    pub(super) ran: Duration,
    /// Number of live processes.
    pub(super) processes: usize,
    /// Processes that ended without being waited for are included.
    pub(super) is_whole: bool,
    /// How long each thread was ready to run and waited for a processor.
    pub(super) waits: Vec<(u32, Duration)>,
}

impl CpuUsage {
    /// The usage of a bot; `None` where the system keeps no statistics, or if it has too many threads.
    pub(super) fn of(family: &Family) -> Option<Self> {
        let (mut waits, mut processes) = (Vec::new(), 0);
        let ran = family.inspect(|process| {
            processes += 1;
            waits.extend(threads(process).filter_map(|thread| {
                // Omits a thread that ends meanwhile.
                let waited = waited_of(&std::fs::read_to_string(thread.join("schedstat")).ok()?)?;
                Some((thread.file_name()?.to_str()?.parse().ok()?, waited))
            }));
            waits.len() < THREADS_MAX
        })?;
        let is_whole = family.counts_the_dead();
        (waits.len() < THREADS_MAX).then(|| Self { at: now(), ran, processes, is_whole, waits })
    }

    /// How long the bot has waited for a processor since `earlier`, if all of its usage is known: the longest wait of any
    /// thread, but at most the time in which the bot as a whole had none. Threads that wait for each other starve only
    /// themselves.
    pub(super) fn waited_since(&self, earlier: &Self) -> Duration {
        let before =
            |id| earlier.waits.iter().find(|(known, _)| *known == id).map_or(Duration::ZERO, |(_, waited)| *waited);
        let longest = self.waits.iter().map(|(id, waited)| waited.saturating_sub(before(*id))).max();
        longest.unwrap_or_default().min(self.unused_since(earlier))
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

/// Where counting begins.
#[derive(Debug, Clone)]
pub(super) struct Baseline {
    pub(super) bot: CpuUsage,
    /// How long our thread that waits for the bot had waited for a processor then, or when it last began to wait again.
    pub(super) own: Duration,
}

impl Baseline {
    /// That of a process which was just started and has used nothing yet, for the thread that calls this; `None` where the
    /// system keeps no statistics.
    pub(super) fn of_new_process() -> Option<Self> {
        let bot = CpuUsage { at: now(), ran: Duration::ZERO, processes: 1, is_whole: true, waits: Vec::new() };
        Some(Self { bot, own: own_wait()? })
    }

    /// The present statistics of a bot, and of our thread with this number, which waits for it.
    pub(super) fn of(family: &Family, thread: i32) -> Option<Self> {
        let own = std::fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
        Some(Self { bot: CpuUsage::of(family)?, own: waited_of(&own)? })
    }
}

/// How long the calling thread has waited for a processor since it began; `None` where the system does not tell.
pub(super) fn own_wait() -> Option<Duration> {
    waited_of(&std::fs::read_to_string("/proc/thread-self/schedstat").ok()?)
}

/// Parses `/proc/PID/task/TID/schedstat`: nanoseconds on a processor, nanoseconds ready and waiting for one, and more.
fn waited_of(schedstat: &str) -> Option<Duration> {
    schedstat.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// What bots of some threads earn in 200 ms, in which they ran for `ran` ms, if the threads waited from `before` to
    /// `after` ms.
    fn earned<const N: usize, const M: usize>(before: [u32; N], after: [u32; M], ran: u32) -> Duration {
        let usage = |at, ran: u32, waits: &[u32]| {
            let waits = (0..).zip(waits).map(|(id, waited)| (id, *waited * MS)).collect();
            CpuUsage { at, ran: ran * MS, processes: 1, is_whole: true, waits }
        };
        let start = now();
        usage(start + 200 * MS, ran, &after).waited_since(&usage(start, 0, &before))
    }

    #[test]
    fn a_starved_thread_earns_its_wait() {
        assert_eq!(earned([5], [75], 130), 70 * MS);
    }

    #[test]
    fn a_sleeping_and_a_computing_thread_earn_nothing() {
        assert_eq!(earned([5], [5], 100), Duration::ZERO);
        assert_eq!(earned([5], [5], 200), Duration::ZERO);
    }

    #[test]
    fn a_bot_that_starves_itself_earns_nothing() {
        // Three threads on one processor: each waits two thirds of the time, and no time is left unused.
        assert_eq!(earned([], [132, 134, 134], 200), Duration::ZERO);
        // The same if the threads that had the processor have ended.
        assert_eq!(earned([], [132], 200), Duration::ZERO);
    }

    #[test]
    fn schedstat_is_parsed() {
        assert_eq!(waited_of("1000000 2000000 3\n"), Some(2 * MS));
        assert_eq!(waited_of("1000000"), None);
        assert_eq!(waited_of("0 x"), None);
    }
}
