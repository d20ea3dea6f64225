//! The referee's own protection, and what it does when a guard was killed.

use std::collections::BTreeSet;
use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use rustix::process::{
    DumpableBehavior, Pid, WaitOptions, getpid, set_child_subreaper, set_dumpable_behavior, waitpid,
};

use super::tree::{self, Stat};
use super::{KILL_BOUND, guarded, spare};

/// Protects this process: no other process of the same user may trace it, read its memory or use its descriptors, and
/// orphans of bots whose guard was killed come to it, for [`sweep`]. To be called once, early in `main`. What the system
/// refuses shows in `arena doctor`.
pub fn harden_referee() {
    INHERITED.get_or_init(inherited);
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let _ = set_child_subreaper(Some(getpid()));
    crate::guard::raise_open_files();
}

/// Whether orphans of bots come to this process.
pub(in crate::guard) fn adopts_orphans() -> io::Result<bool> {
    Ok(rustix::process::child_subreaper()?.is_some())
}

/// A file that may not grow any more is then an error with a name, as a full disk is: to be called once, early in `main`.
pub fn outlive_file_limit() {
    super::sys::ignore_file_limit();
}

/// Sessions of what was below us before we started anything ([`harden_referee`]), and what may become one: whoever becomes
/// another program (`exec`) keeps its children.
static INHERITED: OnceLock<BTreeSet<i32>> = OnceLock::new();

fn inherited() -> BTreeSet<i32> {
    let me = getpid().as_raw_nonzero().get();
    let all = tree::below(tree::children(me));
    all.into_iter().flat_map(|pid| [Some(pid), Stat::of(pid).map(|stat| stat.session)]).flatten().collect()
}

/// At the end: nothing that we have started outlives us.
pub fn clear_up() {
    spare::end();
    // A guard may have been lost and not looked after.
    if guarded::may_leave_somebody() {
        sweep();
    }
}

/// Ends every orphan that has come to us because its guard was killed.
///
/// Such a process is a child of ours in a session that is neither ours nor was there before us: a bot is given a session
/// of its own and cannot come back. What we start ourselves stays in our session and is left alone. Only the numbers of
/// orphans are waited for, never «any child».
pub fn sweep() {
    guarded::reap_late();
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
        tree::pause(Duration::from_millis(1));
    }
}

fn orphans() -> Vec<i32> {
    let me = getpid().as_raw_nonzero().get();
    // Read, not asked for with getsid: where the session began outside of our container its number is 0, which rustix
    // does not know of.
    let Some(ours) = Stat::of(me).map(|stat| stat.session) else { return Vec::new() };
    let is_orphan = |session| session != ours && INHERITED.get().is_none_or(|inherited| !inherited.contains(&session));
    tree::children(me).into_iter().filter(|pid| Stat::of(*pid).is_some_and(|stat| is_orphan(stat.session))).collect()
}
