//! Containment of bots: each runs under a guard, a small process of ours that starts the bot, sets its limits and its
//! sandbox, and removes it with everything it has started.
//!
//! ```text
//! referee ── control socket ── guard ── bot ── processes that the bot starts
//!    └────────────── three pipes ───────┘
//! ```
//!
//! The guard is started from a [`GuardProgram`]: the `arena` binary, or a program whose `main` first calls
//! [`serve_if_asked`]. It has one thread, so it may fork. It adopts every orphan below it, so it knows which processes
//! belong to the bot. When its socket to the referee closes, it ends the bot, so a bot never outlives the referee, however
//! that ends. It keeps no end of the bot's pipes and takes no part in a move, but answers calls that the bot's filter refuses, in
//! order to count them. A spare guard waits for the next bot.
//!
//! All processes of a bot are killed at once where possible: through their cgroup, by a signal to the first process of a
//! namespace, or by a signal to all processes, if Landlock confines the guard's signals to the bot. Otherwise they are
//! stopped first, so that none can fork, and then killed.
//!
//! A guard runs on any processor that the arena may use; its bot runs on that of the thread that started it.
//!
//! [`spawn`] is the entry point. This module must not know what a bot says, nor what a game is.
//!
//! Everything that differs between systems, in the whole crate, is behind one seam: `linux` is the implementation, and
//! `other` starts a bot in a process group without a guard (see [`Effective::weak`]).

mod folder;
mod foreign;
mod limits;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(not(target_os = "linux"), test))]
#[cfg_attr(
    target_os = "linux",
    expect(
        dead_code,
        unreachable_pub,
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "here only its tests use it, and it has the signatures of the other"
    )
)]
mod other;
mod pipes;
pub mod probe;
mod program;
mod report;
mod request;
mod sandbox;
pub mod time;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use other as system;

pub use folder::{make_folder, remove_folder};
pub use foreign::{is_executable, open_foreign};
pub use limits::{Limits, LimitsError, NamedLimits};
pub use pipes::Pipes;
pub use program::{COMMAND, GuardProgram};
pub use report::{
    BotEnding, Cleared, Effective, Exited, GuardReport, MemoryUse, Overrun, Share, StartFailed, StartStage, Usage,
};
pub use request::{BuildTerms, Request};
pub use sandbox::{
    Readable, SandboxMode, can_close, closed_folders, closed_program, is_installed, is_of_system, is_there, readable,
    without_closed,
};
pub use system::{
    Alarm, POLLS, READS, SLEEPS, ShortTurns, bind_abstract, own_thread, run_before_others, set_pipe_size,
};
pub use system::{
    Family, Guarded, Stopped, clear_up, end_all, harden_referee, keep_to, outlive_file_limit, own_processors, spawn,
    stand_back, sweep,
};
use system::{adopts_orphans, circumstances, has_landlock, serve, try_own_shm};

use std::time::Duration;

use time::now;

/// Whether the processor time of a bot is known on this system.
pub const TELLS_CPU: bool = cfg!(target_os = "linux");

/// Time limit for killing a bot and everything it has started.
pub const KILL_BOUND: Duration = Duration::from_secs(1);

/// Serves as a guard, and never returns, if this process was started as one; otherwise returns the value with which this
/// program starts its guards.
///
/// A program that starts bots calls this first in `main`. A guard is the same program started again, with [`COMMAND`] as
/// its first argument and a socket to the referee as its stdin; started by hand it fails at once.
#[must_use]
pub fn serve_if_asked() -> GuardProgram {
    let itself = GuardProgram::itself();
    if program::agree_to_serve() {
        let served = match std::env::args_os().nth(2) {
            Some(order) => probe::attempt(&order.to_string_lossy(), &itself).is_ok(),
            None => serve().is_ok(),
        };
        #[expect(clippy::exit, reason = "the rest of `main` is not for a guard")]
        std::process::exit(i32::from(!served));
    }
    itself
}

/// On every system, a bot ends when it is dropped.
impl Drop for Guarded {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Raises the soft limit on open files to the hard one: each bot takes up to seven descriptors.
fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    // More than any tournament needs; without a maximum, some programs would try to close 10⁹ descriptors.
    const ENOUGH: u64 = 65_536;
    let old = getrlimit(Resource::Nofile);
    let wanted = old.maximum.unwrap_or(ENOUGH).min(ENOUGH);
    if old.current.is_some_and(|current| current < wanted) {
        // If this is refused, fewer games can be played at a time.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..old });
    }
}
