//! The processes of a bot as seen by the referee: their processor time, stopping and resuming them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::cgroup::Cgroup;
use super::{ShortTurns, sys, tree};

/// The processes of one bot. Their numbers are valid until its [`super::Guarded`] is killed.
#[derive(Debug, Clone)]
pub struct Family {
    pub(super) bot: Pid,
    /// The parent of the bot and of its orphans.
    guard: Pid,
    /// The first process of the bot's namespace, if it has one; it is ours.
    pub(super) init: Option<Pid>,
    pub(super) cgroup: Option<Arc<Cgroup>>,
}

/// What [`Family::stop`] has stopped, for [`Family::resume`].
#[derive(Debug, Default)]
pub struct Stopped {
    /// Its cgroup was frozen.
    is_frozen: bool,
    /// The process group of the bot was signalled.
    group: bool,
    /// These processes were signalled.
    signalled: BTreeSet<i32>,
}

impl Stopped {
    /// Combines what two calls have stopped.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.signalled.extend(other.signalled);
        Self { is_frozen: self.is_frozen || other.is_frozen, group: self.group || other.group, ..self }
    }
}

impl Family {
    /// A bot and its guard; nothing is known yet of a first process of its namespace, nor of a cgroup.
    #[must_use]
    pub const fn new(bot: Pid, guard: Pid) -> Self {
        Self { bot, guard, init: None, cgroup: None }
    }

    /// The bot's own process.
    #[must_use]
    pub fn bot(&self) -> Pid {
        self.bot
    }

    /// Processor time of a process, all threads; `None` if there is no such process.
    #[must_use]
    pub fn cpu_of(process: Pid) -> Option<Duration> {
        sys::cpu_time(process.as_raw_nonzero().get())
    }

    /// Processor time of all processes it ever had, by one call; `None` without a cgroup.
    #[must_use]
    pub fn total_cpu(&self) -> Option<Duration> {
        self.cgroup.as_ref()?.usage()
    }

    /// Whether processes that ended without being waited for are counted too.
    #[must_use]
    pub fn counts_the_dead(&self) -> bool {
        self.cgroup.is_some()
    }

    /// Visits every process, parents before children, until `visit` returns false. Returns the processor time of the visited
    /// processes and of the children they have waited for, which the kernel counts in ticks (`clock_t`, 10 ms), or the time
    /// of the cgroup if that is more; `None` if there is no process. Without a cgroup, a process that ended without being
    /// waited for (`SIG_IGN` for `SIGCHLD`) is not counted.
    pub fn inspect(&self, mut visit: impl FnMut(Pid) -> bool) -> Option<Duration> {
        let guard = self.guard.as_raw_nonzero().get();
        let ticks = |pid| tree::Stat::of(pid).map_or(0, |stat| stat.waited_for_ticks);
        let (mut waited_for, mut used) = (ticks(guard), None);
        self.walk(|pid| {
            // In this order, a child that is waited for in between is missed this time rather than counted twice.
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

    /// Number of processes of the bot, counted up to `most`.
    #[must_use]
    pub fn count(&self, most: usize) -> usize {
        let mut visited = 0;
        self.walk(|_| {
            visited += 1;
            visited < most
        });
        visited
    }

    fn walk(&self, mut visit: impl FnMut(i32) -> bool) {
        // They may all be running, and each look at one is a system call or more.
        let _turns = ShortTurns::begin();
        tree::walk(self.roots(), |pid| self.init == Pid::from_raw(pid) || visit(pid));
    }

    /// Stops all processes until [`Family::resume`]: through the cgroup, or else through the process group, which a bot in
    /// a sandbox cannot leave, and then one by one outside of that group. If `wait`, returns when none runs any more. A
    /// process in a long system call stops at its end.
    #[must_use]
    pub fn stop(&self, wait: bool) -> Stopped {
        if let Some(cgroup) = self.cgroup.as_ref().filter(|cgroup| cgroup.freeze(true)) {
            let since = super::now();
            while wait && !cgroup.is_frozen() && since.elapsed() < tree::FREEZE_LIMIT {
                crate::time::pause(tree::POLL_PERIOD);
            }
            return Stopped { is_frozen: true, ..Stopped::default() };
        }
        // First, since it is one call for any number of processes, and inspecting them takes time.
        let group = self.signal_group(Signal::STOP);
        let roots = || self.roots();
        let bot = self.bot.as_raw_nonzero().get();
        let elsewhere = || {
            let all = tree::below(roots()).into_iter().filter_map(|pid| Some((pid, tree::Stat::of(pid)?)));
            all.filter(move |(_, stat)| !group || stat.group != bot)
        };
        let (before, running): (Vec<_>, Vec<_>) = elsewhere().partition(|(_, stat)| stat.is_stopped());
        if wait {
            tree::freeze_and_wait(roots);
        } else if !running.is_empty() {
            tree::freeze(roots);
        }
        let stopped_itself = |pid: &i32| before.iter().any(|(other, _)| other == pid);
        let signalled = elsewhere().map(|(pid, _)| pid).filter(|pid| !stopped_itself(pid)).collect();
        Stopped { is_frozen: false, group, signalled }
    }

    /// Kills all of its processes at once, through its cgroup; false without one, since numbers of processes may be reused.
    #[must_use]
    pub fn kill(&self) -> bool {
        self.cgroup.as_ref().is_some_and(|cgroup| cgroup.kill())
    }

    /// Whether none of its processes runs, after [`Family::stop`] or [`Family::kill`].
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        if self.cgroup.as_ref().is_some_and(|cgroup| cgroup.is_frozen()) {
            return true;
        }
        let runs = |pid| tree::Stat::of(pid).is_some_and(|stat| !stat.is_stopped() && !stat.is_dead());
        let mut is_stopped = true;
        self.walk(|pid| {
            is_stopped &= !runs(pid);
            is_stopped
        });
        is_stopped
    }

    /// Resumes what was stopped.
    pub fn resume(&self, stopped: &Stopped) {
        if let Some(cgroup) = self.cgroup.as_ref().filter(|_| stopped.is_frozen) {
            // The file has been open since the stop, so this fails only if the cgroup is gone.
            cgroup.freeze(false);
        }
        if stopped.group {
            self.signal_group(Signal::CONT);
        }
        if !stopped.signalled.is_empty() {
            let still_ours = tree::below(self.roots());
            for pid in still_ours.into_iter().filter(|pid| stopped.signalled.contains(pid)) {
                tree::signal(pid, Signal::CONT);
            }
        }
    }

    /// Signals the bot's process group, if there is one. The number is valid only until the bot is reaped.
    fn signal_group(&self, signal: Signal) -> bool {
        let is_there = self.roots().contains(&self.bot.as_raw_nonzero().get());
        is_there && rustix::process::kill_process_group(self.bot, signal).is_ok()
    }

    /// The children of the guard: the bot and its orphans.
    pub(super) fn roots(&self) -> Vec<i32> {
        tree::children(self.guard.as_raw_nonzero().get())
    }
}
