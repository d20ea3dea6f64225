//! A bot and all that it has started, as seen from outside.

use std::collections::BTreeSet;
#[cfg(target_os = "linux")]
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal};

#[cfg(target_os = "linux")]
use super::{cgroup::Cgroup, sys, tree};

/// The processes of one bot. The numbers are theirs as long as its [`super::Guarded`] was not killed.
#[derive(Debug, Clone)]
pub struct Family {
    bot: Pid,
    /// Whose children the bot and its orphans are; absent where there is no guard.
    guard: Option<Pid>,
    /// Processes among them that are ours: the first one of its namespace.
    ours: usize,
    #[cfg(target_os = "linux")]
    cgroup: Option<Arc<Cgroup>>,
}

/// What [`Family::stop`] has stopped, for [`Family::resume`].
#[derive(Debug, Default)]
pub struct Stopped {
    /// All of it, by its cgroup.
    is_frozen: bool,
    /// Those in the group of the bot, by a signal.
    group: bool,
    /// These, by a signal.
    signalled: BTreeSet<i32>,
}

impl Stopped {
    /// What two calls have stopped.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.signalled.extend(other.signalled);
        Self { is_frozen: self.is_frozen || other.is_frozen, group: self.group || other.group, ..self }
    }
}

impl Family {
    pub(crate) fn new(bot: Pid, guard: Option<Pid>) -> Self {
        Self {
            bot,
            guard,
            ours: 0,
            #[cfg(target_os = "linux")]
            cgroup: None,
        }
    }

    /// How many of the processes that [`Family::look`] has visited are the bot's.
    #[must_use]
    pub fn own(&self, visited: usize) -> usize {
        visited.saturating_sub(self.ours)
    }

    /// The bot's own process.
    #[must_use]
    pub fn bot(&self) -> Pid {
        self.bot
    }
}

#[cfg(target_os = "linux")]
impl Family {
    /// The same, of which so many processes are ours.
    pub(super) fn with_ours(self, ours: usize) -> Self {
        Self { ours, ..self }
    }

    pub(super) fn in_cgroup(self, cgroup: Option<Arc<Cgroup>>) -> Self {
        Self { cgroup, ..self }
    }

    /// Processor time that the bot's own process has used in all its threads, to the nanosecond; nothing if it is gone.
    #[must_use]
    pub fn bot_cpu(&self) -> Option<Duration> {
        sys::cpu_time(self.bot.as_raw_nonzero().get())
    }

    /// Processor time that a process has used in all its threads; nothing if there is no such process.
    #[must_use]
    pub fn cpu_of(process: Pid) -> Option<Duration> {
        sys::cpu_time(process.as_raw_nonzero().get())
    }

    /// Processor time that its guard has used on its behalf.
    #[must_use]
    pub fn guard_cpu(&self) -> Duration {
        self.guard.and_then(Self::cpu_of).unwrap_or_default()
    }

    /// Processor time of all that was ever part of it, at the cost of one call; nothing without a cgroup.
    #[must_use]
    pub fn total_cpu(&self) -> Option<Duration> {
        self.cgroup.as_ref()?.usage()
    }

    /// Whether the time of all that was ever part of it is counted, also of what ended without being waited for.
    #[must_use]
    pub fn counts_the_dead(&self) -> bool {
        self.cgroup.is_some()
    }

    /// Looks at every process, parents before children, until `visit` says that it is enough. Returns the processor time
    /// of those that were looked at and of all that they have waited for, which the kernel counts in ticks (`clock_t`, a
    /// hundredth of a second), or that of its cgroup if that is more; nothing if there is no process. Without a cgroup,
    /// whoever ends without being waited for by anybody (`SIG_IGN` for `SIGCHLD`) is not in it any more.
    pub fn look(&self, mut visit: impl FnMut(Pid) -> bool) -> Option<Duration> {
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
        let seen = used? + Duration::from_nanos(waited_for.saturating_mul(1_000_000_000 / second));
        Some(self.cgroup.as_ref().and_then(|cgroup| cgroup.usage()).unwrap_or_default().max(seen))
    }

    /// Processes of the bot that there are, counted up to `most`.
    #[must_use]
    pub fn count(&self, most: usize) -> usize {
        let mut visited = 0;
        tree::walk(self.roots().unwrap_or_default(), |_| {
            visited += 1;
            self.own(visited) < most
        });
        self.own(visited)
    }

    /// Stops everything, until [`Family::resume`]: at once through its cgroup, or through the group that a bot cannot leave
    /// in a sandbox; then, if there is no cgroup, whatever is elsewhere. If `wait`, returns when nothing runs any more.
    /// Whoever is in a long system call stops at its end.
    #[must_use]
    pub fn stop(&self, wait: bool) -> Stopped {
        if let Some(cgroup) = self.cgroup.as_ref().filter(|cgroup| cgroup.freeze(true)) {
            let since = super::now();
            while wait && !cgroup.is_frozen() && since.elapsed() < tree::FREEZE_LIMIT {
                crate::time::pause(tree::GLANCE);
            }
            return Stopped { is_frozen: true, ..Stopped::default() };
        }
        // Before all else: one call, however many there are, and to look at a crowd takes time.
        let group = self.signal_group(Signal::STOP);
        let roots = || self.roots().unwrap_or_default();
        let bot = self.bot.as_raw_nonzero().get();
        let elsewhere = || {
            let all = tree::below(roots()).into_iter().filter_map(|pid| Some((pid, tree::Stat::of(pid)?)));
            all.filter(move |(_, stat)| !group || stat.group != bot)
        };
        let (before, running): (Vec<_>, Vec<_>) = elsewhere().partition(|(_, stat)| stat.is_stopped());
        if wait {
            tree::hold(roots);
        } else if !running.is_empty() {
            tree::freeze(roots);
        }
        let stopped_itself = |pid: &i32| before.iter().any(|(other, _)| other == pid);
        let signalled = elsewhere().map(|(pid, _)| pid).filter(|pid| !stopped_itself(pid)).collect();
        Stopped { is_frozen: false, group, signalled }
    }

    /// Lets go on what was stopped.
    pub fn resume(&self, stopped: &Stopped) {
        if let Some(cgroup) = self.cgroup.as_ref().filter(|_| stopped.is_frozen) {
            // The file is open since it was stopped, so it fails only with the end of the cgroup.
            cgroup.freeze(false);
        }
        if stopped.group {
            self.signal_group(Signal::CONT);
        }
        if !stopped.signalled.is_empty() {
            let still_ours = tree::below(self.roots().unwrap_or_default());
            for pid in still_ours.into_iter().filter(|pid| stopped.signalled.contains(pid)) {
                tree::signal(pid, Signal::CONT);
            }
        }
    }

    /// Signals the group of the bot, if there is one. Only while the bot itself is there, dead or not, is the number its own.
    fn signal_group(&self, signal: Signal) -> bool {
        let is_there = self.roots().is_some_and(|roots| roots.contains(&self.bot.as_raw_nonzero().get()));
        is_there && rustix::process::kill_process_group(self.bot, signal).is_ok()
    }

    /// The children of the guard: the bot, and orphans of the bot.
    fn roots(&self) -> Option<Vec<i32>> {
        Some(tree::children(self.guard?.as_raw_nonzero().get()))
    }
}

/// Where the system does not tell.
#[cfg(not(target_os = "linux"))]
impl Family {
    /// Nothing.
    #[must_use]
    pub fn bot_cpu(&self) -> Option<Duration> {
        None
    }

    /// Nothing.
    #[must_use]
    pub fn cpu_of(_process: Pid) -> Option<Duration> {
        None
    }

    /// Nothing.
    #[must_use]
    pub fn guard_cpu(&self) -> Duration {
        Duration::ZERO
    }

    /// Nothing.
    #[must_use]
    pub fn total_cpu(&self) -> Option<Duration> {
        None
    }

    /// No.
    #[must_use]
    pub fn counts_the_dead(&self) -> bool {
        false
    }

    /// Nothing, and nobody is visited.
    pub fn look(&self, _visit: impl FnMut(Pid) -> bool) -> Option<Duration> {
        self.guard.and(None)
    }

    /// Not known.
    #[must_use]
    pub fn count(&self, _most: usize) -> usize {
        0
    }

    /// Stops its group.
    #[must_use]
    pub fn stop(&self, _wait: bool) -> Stopped {
        // It fails if nobody is left.
        let _ = rustix::process::kill_process_group(self.bot, Signal::STOP);
        Stopped::default()
    }

    /// Lets its group go on.
    pub fn resume(&self, _stopped: &Stopped) {
        let _ = rustix::process::kill_process_group(self.bot, Signal::CONT);
    }
}
