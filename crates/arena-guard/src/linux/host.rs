//! Protection of the referee's own process, and removal of what a killed guard has left.

use std::collections::BTreeSet;
use std::io;
use std::process::Child;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rustix::process::{
    DumpableBehavior, Pid, WaitOptions, getpid, set_child_subreaper, set_dumpable_behavior, waitpid,
};

use super::KILL_BOUND;
use super::tree::{self, Stat};
use crate::time::pause;

/// Protects this process, once, early in `main`: other processes of the same user cannot trace it, read its memory or use
/// its descriptors, and it adopts the orphans of killed guards, for [`sweep`]. `arena doctor` tests both.
pub fn harden_referee() {
    INHERITED.get_or_init(|| {
        let all = tree::below(tree::children(getpid().as_raw_nonzero().get()));
        all.into_iter().flat_map(|pid| [Some(pid), Stat::of(pid).map(|stat| stat.session)]).flatten().collect()
    });
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let _ = set_child_subreaper(Some(getpid()));
    crate::raise_open_files();
}

/// Whether this process adopts orphans.
pub(crate) fn adopts_orphans() -> io::Result<bool> {
    Ok(rustix::process::child_subreaper()?.is_some())
}

/// Sessions of the processes that were below this one before it started any ([`harden_referee`]), and their process numbers,
/// which may become sessions. A process keeps its children when it becomes another program (`exec`).
static INHERITED: OnceLock<BTreeSet<i32>> = OnceLock::new();

/// Guards that still wait for processes stuck in the kernel; reaped when they exit.
static LEAVING: Mutex<Vec<Child>> = Mutex::new(Vec::new());

/// Time for a guard to exit after its last report.
pub(super) const LEAVE_LIMIT: Duration = Duration::from_millis(100);

/// Reaps a guard that exits. One that does not exit within [`LEAVE_LIMIT`] is reaped later.
pub(super) fn collect(mut guard: Child) {
    const POLL_PERIOD: Duration = Duration::from_micros(50);
    let start = super::now();
    while matches!(guard.try_wait(), Ok(None)) {
        if start.elapsed() > LEAVE_LIMIT {
            LEAVING.lock().unwrap_or_else(PoisonError::into_inner).push(guard);
            return;
        }
        pause(POLL_PERIOD);
    }
}

/// Reaps the guards that have exited meanwhile; whether some have not.
pub(super) fn reap_leaving() -> bool {
    let mut late = LEAVING.lock().unwrap_or_else(PoisonError::into_inner);
    late.retain_mut(|guard| matches!(guard.try_wait(), Ok(None)));
    !late.is_empty()
}

/// Kills the orphans that this process adopted because their guard was killed.
///
/// An orphan is a child in a session that is neither ours nor inherited: every bot gets a session of its own and cannot
/// leave it for ours. Processes that we start ourselves stay in our session and are left alone. Only orphans are waited
/// for, by number, never any child.
pub fn sweep() {
    reap_leaving();
    let start = super::now();
    if orphans().is_empty() {
        return;
    }
    tree::freeze(orphans);
    loop {
        tree::kill(orphans());
        let is_left = |pid| matches!(waitpid(Some(pid), WaitOptions::NOHANG), Ok(None));
        let left = orphans().into_iter().filter_map(Pid::from_raw).filter(|pid| is_left(*pid)).count();
        if left == 0 || start.elapsed() > KILL_BOUND {
            return;
        }
        pause(Duration::from_millis(1));
    }
}

fn orphans() -> Vec<i32> {
    let me = getpid().as_raw_nonzero().get();
    // Read from /proc, since `getsid` of rustix cannot return 0, the number of a session from outside of our container.
    let Some(ours) = Stat::of(me).map(|stat| stat.session) else { return Vec::new() };
    let is_orphan = |session| session != ours && INHERITED.get().is_none_or(|inherited| !inherited.contains(&session));
    tree::children(me).into_iter().filter(|pid| Stat::of(*pid).is_some_and(|stat| is_orphan(stat.session))).collect()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_guard_that_does_not_leave_is_not_waited_for_without_end() -> io::Result<()> {
        let stuck = Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn()?;
        let pid = stuck.id().cast_signed();
        collect(stuck);
        let state = || tree::Stat::of(pid);
        reap_leaving();
        assert!(state().is_some_and(|stat| !stat.is_dead()));
        tree::signal(pid, rustix::process::Signal::KILL);
        while state().is_some() {
            reap_leaving();
        }
        Ok(())
    }
}
