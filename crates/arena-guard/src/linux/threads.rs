//! The arena's own threads: their processors and priorities.

use std::cell::Cell;
use std::marker::PhantomData;
use std::num::NonZeroU64;

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity, set_current_timer_slack};

use super::sys;

/// System calls that wait for a line of input, by number.
pub const READS: &[i64] = &[libc::SYS_read, libc::SYS_readv];

/// System calls that wait for any of several events, as event loops do; a line of input may be one. The older three exist
/// on old architectures only.
pub const POLLS: &[i64] = &[
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

/// System calls that wait for a time to pass.
pub const SLEEPS: &[i64] = &[libc::SYS_nanosleep, libc::SYS_clock_nanosleep];

/// How much lower the priority of a thread that can wait is.
const BACKGROUND: i32 = 5;

/// The number of the calling thread.
#[must_use]
pub fn own_thread() -> i32 {
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

/// Keeps the calling thread off `busy` processors where there are others, and behind other threads of the arena.
pub fn stand_back(busy: &[usize]) {
    let free: Vec<usize> = own_processors().into_iter().filter(|processor| !busy.contains(processor)).collect();
    if !free.is_empty() {
        run_on(&free);
    }
    // Of the calling thread only: on this system threads have priorities of their own. If it is refused, nothing is lost.
    // Relative, since the arena itself may have a low one.
    if let Ok(nice) = rustix::process::getpriority_process(None) {
        let _ = rustix::process::setpriority_process(None, nice + BACKGROUND);
    }
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
/// inspects, signals and waits (`run_first` in `sys` says what it must not do).
pub fn run_before_others() {
    // On the processors of this process, as set for its first thread.
    copy_affinity_of(Some(rustix::process::getpid()));
    sys::run_before_others();
    let _ = set_current_timer_slack(NonZeroU64::new(1));
}

thread_local! {
    static HAS_SHORT_TURNS: Cell<bool> = const { Cell::new(false) };
}

/// Has the calling thread run soon after it wakes up, until this is dropped: for what it does while many processes of a bot
/// keep the processor busy. If it is refused, that only takes longer.
///
/// Its priority stays. A thread that goes to the greatest share of the processor and back for each move keeps others on that
/// processor from it for up to half a minute (seen on Linux 6.18, with three busy processes on two processors).
#[derive(Debug)]
pub struct ShortTurns {
    /// Whether these end with it.
    has_begun_them: bool,
    /// They are ended in the thread that they were begun in.
    of_thread: PhantomData<*const ()>,
}

impl ShortTurns {
    /// Begins them, unless the thread has them already or runs under a policy that somebody has chosen for the arena.
    #[must_use]
    pub fn begin() -> Self {
        let has_begun_them = !HAS_SHORT_TURNS.get() && sys::take_turns(sys::SHORT_TURN_NS);
        if has_begun_them {
            HAS_SHORT_TURNS.set(true);
        }
        Self { has_begun_them, of_thread: PhantomData }
    }
}

impl Drop for ShortTurns {
    fn drop(&mut self) {
        if self.has_begun_them {
            sys::take_turns(sys::USUAL_TURN_NS);
            HAS_SHORT_TURNS.set(false);
        }
    }
}

/// Gives the calling thread the affinity of another one. If this is refused, it only waits longer for its turn.
pub(super) fn copy_affinity_of(other: Option<Pid>) {
    if let Ok(processors) = sched_getaffinity(other) {
        let _ = sched_setaffinity(None, &processors);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The policy and priority of this thread.
    fn schedule() -> (i32, i32) {
        (sys::policy(), rustix::process::getpriority_process(None).expect("a priority"))
    }

    #[test]
    fn short_turns_end_and_change_neither_priority_nor_a_policy_that_somebody_has_chosen() {
        let thread = std::thread::spawn(|| {
            let before = (schedule(), sys::turn_ns());
            let turns = ShortTurns::begin();
            // Before Linux 6.12 all turns are as long.
            assert!([before.1, sys::SHORT_TURN_NS].contains(&sys::turn_ns()));
            let during = (schedule(), sys::turn_ns());
            assert_eq!(during.0, before.0, "the share stays, with which other threads would wait");
            drop(ShortTurns::begin());
            assert_eq!((schedule(), sys::turn_ns()), during, "they end with the first one only");
            drop(turns);
            assert_eq!((schedule(), sys::turn_ns()), before);
            for (policy, nice) in [(libc::SCHED_OTHER, 19), (libc::SCHED_BATCH, 19), (libc::SCHED_IDLE, 19)] {
                assert!(sys::set_schedule(policy, 0, nice, 0));
                let chosen = schedule();
                let turns = ShortTurns::begin();
                assert_eq!((schedule(), chosen.0), (chosen, policy));
                drop(turns);
                assert_eq!(schedule(), chosen);
            }
        });
        thread.join().expect("no panic");
    }

    #[test]
    fn who_stands_back_is_behind_the_priority_it_had() {
        let thread = std::thread::spawn(|| {
            let (policy, nice) = schedule();
            stand_back(&[]);
            assert_eq!(schedule(), (policy, (nice + BACKGROUND).min(19)));
            assert!(sys::set_schedule(policy, 0, 19, 0));
            stand_back(&[]);
            assert_eq!(schedule(), (policy, 19), "it is not raised");
        });
        thread.join().expect("no panic");
    }
}
