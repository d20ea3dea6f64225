//! Bots kept in bounds: each runs under a guard, a small process of ours that starts it, limits it, fences it in, and
//! removes it with everything it has started.
//!
//! ```text
//! referee ── control socket ── guard ── bot ── whatever the bot starts
//!    └────────────── three pipes ───────┘
//! ```
//!
//! The guard is a process of the program named by a [`GuardProgram`]: the `arena` binary, or whatever calls
//! [`serve_if_asked`] first. It has one thread, so it may fork; it adopts every
//! orphan below it, so it knows what belongs to the bot; and it lives on a socket to the referee, so that the end of
//! the referee, by whatever signal, is the end of the bot. It holds no end of the bot's pipes and is never on the way
//! of a move. A spare one without a bot waits for the next start.
//!
//! A crowd is ended at once where it can be: through its cgroup, by a signal to the first process of a namespace, or, from a
//! guard whose signals are fenced in (Landlock), by one to everybody. Else all are stopped first, so that nobody can be
//! born, then killed.
//!
//! A guard runs on any processor that the arena may use, its bot on that of the thread that started it.
//!
//! [`spawn`] is the door. This module must not know what a bot says, nor what a game is.
//!
//! All that differs between systems, here and in the rest of the crate, is behind one seam: `linux` is the implementation,
//! and `other`, for systems that have no such thing as a guard, starts a bot in a process group of its own and nothing
//! more: see [`Effective::weak`].

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

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use other as system;

pub use folder::{make_folder, remove_folder};
pub use foreign::{is_executable, open_foreign};
pub use limits::{Limits, NamedLimits};
pub use pipes::Pipes;
pub use program::{COMMAND, GuardProgram, serve_if_asked};
pub use report::{Cleared, Effective, Ending, Exited, Overrun, Report, Stage, StartFailed, Started};
pub use request::Request;
pub use sandbox::{
    Readable, SandboxMode, can_close, closed_folders, is_installed, is_of_system, readable, without_closed,
};
pub(crate) use system::{
    Alarm, POLLS, READS, TELLS_CPU, bind_abstract, keep_to, own_thread, run_before_others, set_pipe_size,
};
pub use system::{
    Family, Guarded, Stopped, clear_up, end_all, harden_referee, outlive_file_limit, own_processors, spawn, sweep,
};
use system::{adopts_orphans, has_landlock, serve, try_own_shm};

use std::time::Duration;

/// Time within which everything of a bot is gone once it is to go.
pub const KILL_BOUND: Duration = Duration::from_secs(1);

/// The time, monotonic.
#[expect(clippy::disallowed_methods, reason = "a guard bounds its waits; it judges nothing")]
fn now() -> std::time::Instant {
    std::time::Instant::now()
}

/// Raises the soft limit on open files to the hard one: each bot takes six descriptors.
fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    // More than any tournament needs; without a bound some programs would try to close a thousand million of them.
    const ENOUGH: u64 = 65_536;
    let old = getrlimit(Resource::Nofile);
    let wanted = old.maximum.unwrap_or(ENOUGH).min(ENOUGH);
    if old.current.is_some_and(|current| current < wanted) {
        // Where that is refused fewer games are played at a time.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..old });
    }
}
