//! What a bot uses of what its limits allow: a look at one that is silent, and what its guard saw before it ended.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::order::USERS_SLACK;
use super::sandbox::spaces;
use super::tree::{self, Stat};
use super::{Effective, Family, Limits, Share, Usage, memory};

/// The most processes that a look visits.
const PROCESSES_MAX: usize = 256;
/// What was seen before the last one or two of these is forgotten.
const RECENT: Duration = Duration::from_secs(1);

/// Looks once at the processes of a bot.
pub(super) fn look(family: &Family, limits: &Limits, sandbox: &Effective) -> Usage {
    let mut all = Vec::new();
    tree::walk(family.roots(), |pid| {
        all.extend(Stat::of(pid).filter(|_| Pid::from_raw(pid) != family.init).map(|stat| (pid, stat)));
        all.len() < PROCESSES_MAX
    });
    let of_cgroup = || family.cgroup.as_ref()?.memory_kb();
    Usage {
        memory: memory::look(&all, limits.memory_mb, sandbox.seccomp, of_cgroup),
        threads: Share { used: threads(&all), allowed: threads_max(limits, sandbox.namespaces) },
        open_files: open_files(&all, limits),
    }
}

/// The threads of `all` processes. Dead processes that were not reaped use up numbers as well.
pub(super) fn threads(all: &[(i32, Stat)]) -> u64 {
    all.iter().map(|(_, stat)| stat.threads.max(1)).sum()
}

/// Maximum number of threads and dead processes, 0 for any: that of the guard, or of the kernel where it refuses earlier.
pub(super) fn threads_max(limits: &Limits, namespaces: bool) -> u64 {
    of_kernel(limits.processes, namespaces, rustix::process::getuid().is_root()).min(limits.threads())
}

/// The kernel counts threads as processes: those in a namespace, or else all of a user, of which the others are not known
/// here. Root is limited by the numbers of a namespace only.
fn of_kernel(processes: u64, namespaces: bool, is_root: bool) -> u64 {
    match (namespaces, is_root) {
        (true, false) => processes,
        (true, true) => spaces::numbers_max(processes),
        (false, false) => processes.saturating_add(USERS_SLACK),
        (false, true) => u64::MAX,
    }
}

/// Open files of the process that has most.
fn open_files(all: &[(i32, Stat)], limits: &Limits) -> Share {
    let of_process = |(_, stat): &(i32, Stat)| {
        let open = fs::read_dir(format!("/proc/{}/fd", stat.thread)).into_iter().flatten();
        // That of the arena itself may be lower, and the bot may have lowered its own.
        let text = fs::read_to_string(format!("/proc/{}/limits", stat.thread)).unwrap_or_default();
        Share { used: open.count() as u64, allowed: most_open(&text).unwrap_or(limits.open_files) }
    };
    let living = all.iter().filter(|(_, stat)| limits.open_files > 0 && !stat.is_dead());
    living.map(of_process).max_by_key(|share| share.used).unwrap_or_default()
}

/// The limit in force, in a text such as `Max open files            256                  256                  files`.
fn most_open(text: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    rest.split_ascii_whitespace().next()?.parse().ok()
}

/// The most that was used in the last second or two, not only at the last look: a process that ends has let go of its memory
/// and its threads before it is gone.
#[derive(Debug)]
pub(super) struct Recent {
    since: Instant,
    now: Usage,
    before: Usage,
}

impl Recent {
    pub(super) fn new(since: Instant) -> Self {
        Self { since, now: Usage::default(), before: Usage::default() }
    }

    pub(super) fn note(&mut self, used: Usage, at: Instant) {
        if at.saturating_duration_since(self.since) >= RECENT {
            *self = Self { since: at, now: Usage::default(), before: self.now };
        }
        self.now = self.now.most(used);
    }

    pub(super) fn most(&self) -> Usage {
        self.now.most(self.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_limited_by_who_refuses_first() {
        let allowed = |processes, namespaces, is_root| {
            let limits = Limits { processes, ..Limits::default() };
            of_kernel(processes, namespaces, is_root).min(limits.threads())
        };
        assert_eq!([allowed(128, true, false), allowed(128, true, true)], [128, 428]);
        assert_eq!([allowed(128, false, false), allowed(128, false, true)], [640, 1_024]);
        assert_eq!([allowed(20, true, false), allowed(20, true, true), allowed(20, false, false)], [20, 160, 160]);
        assert_eq!(threads_max(&Limits { processes: 0, ..Limits::default() }, true), 0, "there is no limit");
        assert!(!Share { used: 5, allowed: 0 }.is_near());
        assert_eq!([9, 8].map(|used| Share { used, allowed: 10 }.is_near()), [true, false]);
    }

    #[test]
    fn what_was_used_long_ago_is_forgotten() {
        let start = super::super::now();
        let mut recent = Recent::new(start);
        let mut most = |ms, used| {
            let threads = Share { used, allowed: 10 };
            recent.note(Usage { threads, ..Usage::default() }, start + Duration::from_millis(ms));
            recent.most().threads.used
        };
        assert_eq!([most(0, 9), most(900, 1), most(1_100, 1), most(1_900, 2)], [9; 4], "it may be ending");
        assert_eq!([most(2_200, 1), most(3_300, 1)], [2, 1]);
    }

    #[test]
    fn open_files_are_counted_against_the_limit_in_force() {
        let me = std::process::id().cast_signed();
        let all = [(me, Stat::of(me).expect("this process"))];
        let seen = open_files(&all, &Limits::default());
        let own = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        assert!(seen.used >= 3 && Some(seen.allowed) == own.or(Some(256)), "{seen:?}");
        assert_eq!(open_files(&all, &Limits { open_files: 0, ..Limits::default() }), Share::default());
        let text = "Max processes   1  2  processes\nMax open files            256                  512      files\n";
        assert_eq!([most_open(text), most_open("Max open files unlimited"), most_open("")], [Some(256), None, None]);
    }
}
