//! The processes below one process, and how to stop and kill them all.
//!
//! Killing processes one by one never ends a fork bomb: new ones are forked meanwhile. So all are stopped first, until a
//! scan finds no new process. Then none can fork, and all are killed.
//!
//! Process numbers may be reused, but hardly between a scan and a signal: the kernel uses all other numbers first, and a
//! scan takes microseconds unless the machine is overloaded.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::sync::LazyLock;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::time::pause;

/// Time limit for stopping processes; those that still run then are killed running.
pub(super) const FREEZE_LIMIT: Duration = Duration::from_millis(200);
/// Interval for checking whether all are stopped.
pub(super) const POLL_PERIOD: Duration = Duration::from_micros(20);
/// `PF_EXITING` of the kernel's `sched.h`.
const EXITING: u64 = 0x4;
/// More processes than any machine has for one bot; a scan ends there.
const PROCESSES_MAX: usize = 100_000;

/// A process, from `/proc/PID/stat`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stat {
    /// `R` runs, `S` sleeps, `T` is stopped, `Z` is dead, …
    pub(super) state: u8,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    /// It is exiting: no signal stops it any more, and its end may wake others.
    pub(super) is_exiting: bool,
    pub(super) threads: u64,
    /// Processor time, in ticks, of the children that it has waited for, and of theirs.
    pub(super) waited_for_ticks: u64,
    /// Resident memory in pages.
    pub(super) resident_pages: u64,
    /// The thread that was read: the first one, unless that has ended before the others.
    pub(super) thread: i32,
}

impl Stat {
    /// Reads it; `None` if there is no such process.
    pub(super) fn of(pid: i32) -> Option<Self> {
        let first = Self::of_thread(pid)?;
        if !first.is_dead() || first.threads < 2 {
            return Some(first);
        }
        // Its first thread has ended, which looks like a dead process without memory, while others run.
        let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let others = threads.filter_map(|thread| Self::of_thread(thread.file_name().to_str()?.parse().ok()?));
        others.filter(|other| !other.is_dead()).min_by_key(|other| !other.may_run()).or(Some(first))
    }

    /// Reads that of one thread.
    fn of_thread(pid: i32) -> Option<Self> {
        let mut text = [0; 1024];
        let count = fs::File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut text).ok()?;
        // The name is in parentheses and may contain parentheses.
        let end = text[..count].iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(&text[end + 1..count]).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().take(22).collect();
        Some(Self {
            state: *fields.first()?.as_bytes().first()?,
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            is_exiting: fields.get(6)?.parse::<u64>().ok()? & EXITING != 0,
            threads: fields.get(17)?.parse().ok()?,
            waited_for_ticks: fields.get(13)?.parse::<u64>().ok()?.saturating_add(fields.get(14)?.parse().ok()?),
            thread: pid,
            resident_pages: fields.get(21)?.parse().ok()?,
        })
    }

    pub(super) fn is_stopped(self) -> bool {
        matches!(self.state, b'T' | b't')
    }

    pub(super) fn is_dead(self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x')
    }

    /// Whether it may still run, unless a signal is pending. `D` cannot be stopped.
    fn may_run(self) -> bool {
        matches!(self.state, b'R' | b'S' | b'I')
    }
}

/// Whether the first thread of a process has ended, as happens when the process is exiting; false if unknown.
pub(super) fn has_first_thread_ended(process: Pid) -> bool {
    Stat::of_thread(process.as_raw_nonzero().get()).is_some_and(Stat::is_dead)
}

/// Whether a guard was stopped by a signal, as a bot without a sandbox can do.
pub(super) fn is_stopped(guard: &std::process::Child) -> bool {
    Stat::of(guard.id().cast_signed()).is_some_and(Stat::is_stopped)
}

/// The children of a process: those of all its threads.
pub(super) fn children(pid: i32) -> Vec<i32> {
    /// A kernel may have no lists of children.
    static ARE_LISTED: LazyLock<bool> = LazyLock::new(|| {
        let exists = |path| fs::exists(path).unwrap_or(false);
        exists("/proc/thread-self/children") || !exists("/proc/self/task")
    });
    if !*ARE_LISTED {
        return by_parent(pid);
    }
    let mut found = Vec::new();
    for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
        // It fails for a thread that has just ended.
        let list = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        found.extend(list.split_ascii_whitespace().filter_map(|word| word.parse::<i32>().ok()));
    }
    found
}

/// The children of a process, from the list of all processes.
fn by_parent(parent: i32) -> Vec<i32> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| Stat::of(*pid).is_some_and(|stat| stat.parent == parent))
        .collect()
}

/// `roots` and everything below them, parents before children.
pub(super) fn below(roots: Vec<i32>) -> Vec<i32> {
    let mut all = Vec::new();
    walk(roots, |pid| {
        all.push(pid);
        true
    });
    all
}

/// Visits `roots` and everything below them, parents before children, until `visit` returns false. Each process is visited
/// before its children are looked up: with many processes every look-up takes long.
pub(super) fn walk(roots: Vec<i32>, mut visit: impl FnMut(i32) -> bool) {
    let mut all = roots;
    let mut next = 0;
    while next < all.len() && all.len() < PROCESSES_MAX {
        if !visit(all[next]) {
            return;
        }
        all.extend(children(all[next]));
        next += 1;
    }
}

/// Sends SIGSTOP to everything below `roots`, which is evaluated for each scan, until a scan finds no new process.
///
/// There is no need to wait until they have stopped: the kernel does not complete a fork while a signal is pending. So once
/// every process has a signal, no new one can appear.
pub(super) fn freeze(roots: impl Fn() -> Vec<i32>) {
    let since = super::now();
    let mut stopped = BTreeSet::new();
    loop {
        let mut new = false;
        walk(roots(), |pid| {
            // Again for those that were resumed meanwhile. It does nothing to the dead.
            let is_new = stopped.insert(pid);
            if is_new || Stat::of(pid).is_some_and(Stat::may_run) {
                signal(pid, Signal::STOP);
            }
            new |= is_new;
            true
        });
        if !new || since.elapsed() > FREEZE_LIMIT {
            return;
        }
    }
}

/// Stops everything below `roots` and waits until nothing of it runs. An exiting process cannot be stopped, and its end may
/// send others SIGCONT: as the exit signal of `clone`, the parent death signal, or to an orphaned process group.
pub(super) fn freeze_and_wait(roots: impl Fn() -> Vec<i32>) {
    let since = super::now();
    loop {
        freeze(&roots);
        let may_wake = |stat: Stat| stat.may_run() || stat.is_exiting && !stat.is_dead();
        let is_held = !below(roots()).into_iter().any(|pid| Stat::of(pid).is_some_and(may_wake));
        if is_held || since.elapsed() > FREEZE_LIMIT {
            return;
        }
        // A process must run to handle the signal, perhaps on our processor.
        pause(POLL_PERIOD);
    }
}

/// Kills everything below `roots`; returns how many were alive.
pub(super) fn kill(roots: Vec<i32>) -> usize {
    let is_alive = |pid: &i32| Stat::of(*pid).is_some_and(|stat| !stat.is_dead());
    below(roots).into_iter().filter(is_alive).inspect(|pid| signal(*pid, Signal::KILL)).count()
}

/// Sends a signal. Failure means that the process is gone, which is as good.
pub(super) fn signal(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, signal);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_stopped_process_does_not_run() -> std::io::Result<()> {
        let mut command = Command::new("sh");
        command.args(["-c", "echo; while :; do :; done"]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut busy = command.spawn()?;
        let pid = busy.id() as i32;
        // While it is loaded it may wait for a disk, and cannot be stopped.
        busy.stdout.take().expect("a pipe").read_exact(&mut [0])?;
        let held = (0..20).all(|_| {
            freeze_and_wait(|| vec![pid]);
            // In the kernel it may be, on its way to obey.
            let is_held = Stat::of(pid).is_some_and(|stat| !stat.may_run());
            signal(pid, Signal::CONT);
            is_held
        });
        busy.kill()?;
        busy.wait()?;
        assert!(held);
        // Dead processes are not waited for.
        freeze_and_wait(|| vec![pid]);
        Ok(())
    }
}
