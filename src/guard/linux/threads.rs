//! The arena's own threads: their processors and priorities.

use std::num::NonZeroU64;

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity, set_current_timer_slack};

use super::sys;

/// System calls that wait for a line of input, by number.
pub(crate) const READS: &[i64] = &[libc::SYS_read, libc::SYS_readv];

/// System calls that wait for any of several events, as event loops do; a line of input may be one. The older three exist
/// on old architectures only.
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

/// The processors that the calling thread may run on; empty where the system does not report them.
#[must_use]
pub fn own_processors() -> Vec<usize> {
    let set = sched_getaffinity(None).ok();
    set.map_or_else(Vec::new, |set| (0..CpuSet::MAX_CPU).filter(|processor| set.is_set(*processor)).collect())
}

/// Pins the calling thread, and what it starts, to one processor, if one is given, and has its deadlines noticed promptly.
/// If this is refused, only speed is lost.
pub fn keep_to(processor: Option<usize>) {
    if let Some(processor) = processor {
        run_on(&[processor]);
    }
    let _ = set_current_timer_slack(NonZeroU64::new(1));
}

/// Lets the calling thread run on these processors only. Has no effect for an empty list or if refused; then only speed is
/// lost.
pub(super) fn run_on(processors: &[usize]) {
    let mut set = CpuSet::new();
    for processor in processors {
        set.set(*processor);
    }
    let _ = sched_setaffinity(None, &set);
}

/// Lets the calling thread run on any processor and ahead of all bots, as far as the system allows: for a thread that only
/// inspects, signals and waits (see [`sys::run_first`] for what it must not do).
pub(crate) fn run_before_others() {
    // On the processors of this process, as set for its first thread.
    copy_affinity_of(Some(rustix::process::getpid()));
    sys::run_before_others();
    let _ = set_current_timer_slack(NonZeroU64::new(1));
}

/// Gives the calling thread the affinity of another one. If this is refused, it only waits longer for its turn.
pub(super) fn copy_affinity_of(other: Option<Pid>) {
    if let Ok(processors) = sched_getaffinity(other) {
        let _ = sched_setaffinity(None, &processors);
    }
}
