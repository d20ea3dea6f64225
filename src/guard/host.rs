//! The referee's own protection, and what it does when a guard was killed.

/// What could be done for the referee.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hardened {
    /// No other process of the same user may trace it, read its memory or use its descriptors.
    pub not_dumpable: bool,
    /// Orphans of bots whose guard was killed come to it, and [`sweep`] finds them.
    pub subreaper: bool,
    /// Files it may open.
    pub open_files: u64,
}

/// What a sweep found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Processes that were killed.
    pub killed: u32,
    /// Processes that were dead already and are reaped now.
    pub reaped: u32,
}

/// Protects this process: to be called once, early in `main`.
#[cfg_attr(
    not(target_os = "linux"),
    expect(clippy::must_use_candidate, reason = "what could not be done is of interest to `arena doctor` alone")
)]
pub fn harden_referee() -> Hardened {
    let mut hardened = Hardened::default();
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, getpid, set_child_subreaper, set_dumpable_behavior};
        INHERITED.get_or_init(inherited);
        hardened.not_dumpable = set_dumpable_behavior(DumpableBehavior::NotDumpable).is_ok();
        hardened.subreaper = set_child_subreaper(Some(getpid())).is_ok();
    }
    hardened.open_files = raise_open_files();
    hardened
}

/// A file that may not grow any more is then an error with a name, as a full disk is: to be called once, early in `main`.
pub fn outlive_file_limit() {
    #[cfg(target_os = "linux")]
    super::sys::ignore_file_limit();
}

/// Raises the soft limit to the hard one: each bot takes six descriptors.
fn raise_open_files() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    // More than any tournament needs; without a bound some programs would try to close a thousand million of them.
    const ENOUGH: u64 = 65_536;
    let old = getrlimit(Resource::Nofile);
    let current = old.current.unwrap_or(ENOUGH);
    let wanted = old.maximum.unwrap_or(ENOUGH).min(ENOUGH);
    if wanted > current && setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..old }).is_ok() {
        return wanted;
    }
    current
}

/// Sessions of what was below us before we started anything ([`harden_referee`]), and what may become one: whoever becomes
/// another program (`exec`) keeps its children.
#[cfg(target_os = "linux")]
static INHERITED: std::sync::OnceLock<std::collections::BTreeSet<i32>> = std::sync::OnceLock::new();

#[cfg(target_os = "linux")]
fn inherited() -> std::collections::BTreeSet<i32> {
    use super::tree::{self, Stat};
    let me = rustix::process::getpid().as_raw_nonzero().get();
    let all = tree::below(tree::children(me));
    all.into_iter().flat_map(|pid| [Some(pid), Stat::of(pid).map(|stat| stat.session)]).flatten().collect()
}

/// Lets the calling thread run on any processor that this process may use, as its first thread does.
#[cfg(target_os = "linux")]
pub(crate) fn roam() {
    roam_as(Some(rustix::process::getpid()));
}

/// Lets the calling thread run wherever another one may. Where that is refused, it only waits longer for its turn.
#[cfg(target_os = "linux")]
pub(super) fn roam_as(other: Option<rustix::process::Pid>) {
    if let Ok(processors) = rustix::thread::sched_getaffinity(other) {
        let _ = rustix::thread::sched_setaffinity(None, &processors);
    }
}

/// The processors that the calling thread may run on; absent where the system does not tell.
#[cfg(target_os = "linux")]
pub(super) fn own_processors() -> Option<Vec<usize>> {
    let set = rustix::thread::sched_getaffinity(None).ok()?;
    Some((0..rustix::thread::CpuSet::MAX_CPU).filter(|processor| set.is_set(*processor)).collect())
}

/// At the end: nothing that we have started outlives us.
pub fn clear_up() {
    #[cfg(target_os = "linux")]
    {
        super::spare::end();
        // A guard may have been lost and not looked after.
        if super::link::may_leave_somebody() {
            sweep();
        }
    }
}

/// Ends every orphan that has come to us because its guard was killed.
///
/// Such a process is a child of ours in a session that is neither ours nor was there before us: a bot is given a session
/// of its own and cannot come back. What we start ourselves stays in our session and is left alone. Only the numbers of
/// orphans are waited for, never «any child».
#[cfg(target_os = "linux")]
pub fn sweep() -> Swept {
    use super::{KILL_BOUND, tree};
    super::link::reap_late();
    let start = super::now();
    let mut swept = Swept::default();
    if orphans().is_empty() {
        return swept;
    }
    tree::freeze(orphans);
    loop {
        swept.killed += tree::kill(orphans()) as u32;
        let mut left = false;
        for pid in orphans() {
            match rustix::process::Pid::from_raw(pid)
                .map(|pid| rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::NOHANG))
            {
                Some(Ok(Some(_))) => swept.reaped += 1,
                Some(Ok(None)) => left = true,
                _ => {}
            }
        }
        if !left || start.elapsed() > KILL_BOUND {
            return swept;
        }
        crate::time::pause(std::time::Duration::from_millis(1));
    }
}

/// Orphans come to nobody in particular here.
#[cfg(not(target_os = "linux"))]
pub fn sweep() -> Swept {
    Swept::default()
}

#[cfg(target_os = "linux")]
fn orphans() -> Vec<i32> {
    use super::tree::{self, Stat};
    let me = rustix::process::getpid().as_raw_nonzero().get();
    // Read, not asked for with getsid: where the session began outside of our container its number is 0, which rustix
    // does not know of.
    let Some(ours) = Stat::of(me).map(|stat| stat.session) else { return Vec::new() };
    let is_orphan = |session| session != ours && INHERITED.get().is_none_or(|inherited| !inherited.contains(&session));
    tree::children(me).into_iter().filter(|pid| Stat::of(*pid).is_some_and(|stat| is_orphan(stat.session))).collect()
}
