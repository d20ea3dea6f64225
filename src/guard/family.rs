//! A bot and all that it has started, as seen from outside.

use std::time::Duration;

use rustix::process::Pid;

#[cfg(target_os = "linux")]
use super::{sys, tree};

/// The processes of one bot. To look at, not to signal: their numbers may have become others'.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    bot: Pid,
    /// Whose children the bot and its orphans are; absent where there is no guard.
    guard: Option<Pid>,
}

impl Family {
    pub(super) fn new(bot: Pid, guard: Option<Pid>) -> Self {
        Self { bot, guard }
    }

    /// The bot's own process.
    #[must_use]
    pub fn bot(self) -> Pid {
        self.bot
    }
}

#[cfg(target_os = "linux")]
impl Family {
    /// Processor time that the bot's own process has used in all its threads, to the nanosecond; nothing if it is gone.
    #[must_use]
    pub fn bot_cpu(self) -> Option<Duration> {
        sys::cpu_time(self.bot.as_raw_nonzero().get())
    }

    /// Looks at every process, parents before children, until `visit` says that it is enough. Returns the processor time
    /// of those that were looked at and of all that they have waited for, which the kernel counts in ticks (`clock_t`, a
    /// hundredth of a second); nothing if there is no process. Whoever ends without being waited for by anybody
    /// (`SIG_IGN` for `SIGCHLD`) is not in it any more.
    pub fn look(self, mut visit: impl FnMut(Pid) -> bool) -> Option<Duration> {
        let guard = self.guard?.as_raw_nonzero().get();
        let ticks = |pid| tree::Stat::of(pid).map_or(0, |stat| stat.waited_for_ticks);
        let (mut waited_for, mut used) = (ticks(guard), None);
        tree::walk(tree::children(guard), |pid| {
            // In this order: whoever is waited for in between is left out this time, and not counted twice.
            waited_for += ticks(pid);
            if let Some(time) = sys::cpu_time(pid) {
                used = Some(used.unwrap_or(Duration::ZERO) + time);
            }
            Pid::from_raw(pid).is_none_or(&mut visit)
        });
        let second = rustix::param::clock_ticks_per_second().max(1);
        used.map(|used| used + Duration::from_nanos(waited_for.saturating_mul(1_000_000_000 / second)))
    }
}

/// Where the system does not tell.
#[cfg(not(target_os = "linux"))]
impl Family {
    /// Nothing.
    #[must_use]
    pub fn bot_cpu(self) -> Option<Duration> {
        None
    }

    /// Nothing, and nobody is visited.
    pub fn look(self, _visit: impl FnMut(Pid) -> bool) -> Option<Duration> {
        self.guard.and(None)
    }
}
