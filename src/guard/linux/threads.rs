//! Threads of ours: which processors they run on, and how soon.

use std::num::NonZeroU64;

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity, set_current_timer_slack};

use super::sys;

/// The system calls that wait for a line of input, by their numbers.
pub(crate) const READS: &[i64] = &[libc::SYS_read, libc::SYS_readv];

/// The system calls that wait for any of several things, of which a line of input may be one: what event loops wait in.
/// The older three exist on old architectures only.
pub(crate) const POLLS: &[i64] = &[
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_select,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_epoll_wait,
];

/// The number of the calling thread.
pub(crate) fn own_thread() -> i32 {
    rustix::thread::gettid().as_raw_nonzero().get()
}

/// The processors that the calling thread may run on; none where the system does not tell.
#[must_use]
pub fn own_processors() -> Vec<usize> {
    let set = sched_getaffinity(None).ok();
    set.map_or_else(Vec::new, |set| (0..CpuSet::MAX_CPU).filter(|processor| set.is_set(*processor)).collect())
}

/// Keeps the calling thread, and what it starts, to one processor, if one is given, and has its deadlines noticed promptly.
/// Where that is refused only speed is lost.
pub fn keep_to(processor: Option<usize>) {
    if let Some(processor) = processor {
        run_on(&[processor]);
    }
    let _ = set_current_timer_slack(NonZeroU64::new(1));
}

/// Lets the calling thread run on these processors only. It fails for none, or if that is refused; then only speed is lost.
pub(super) fn run_on(processors: &[usize]) {
    let mut set = CpuSet::new();
    for processor in processors {
        set.set(*processor);
    }
    let _ = sched_setaffinity(None, &set);
}

/// Has the calling thread run on any processor and before all bots, as far as the system lets us: for one that looks,
/// signals and waits (see [`sys::run_first`] for what it must not do).
pub(crate) fn run_before_others() {
    // Where this process may, as its first thread does.
    copy_affinity_of(Some(rustix::process::getpid()));
    sys::run_before_others();
    let _ = set_current_timer_slack(NonZeroU64::new(1));
}

/// Lets the calling thread run wherever another one may. Where that is refused, it only waits longer for its turn.
pub(super) fn copy_affinity_of(other: Option<Pid>) {
    if let Ok(processors) = sched_getaffinity(other) {
        let _ = sched_setaffinity(None, &processors);
    }
}
