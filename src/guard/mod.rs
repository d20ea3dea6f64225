//! Bots kept in bounds: each runs under a guard, a small process of ours that starts it, limits it, fences it in, and
//! removes it with everything it has started.
//!
//! ```text
//! referee ── control socket ── guard ── bot ── whatever the bot starts
//!    └────────────── three pipes ───────┘
//! ```
//!
//! The guard is this same binary, started again as `arena guard`. It has one thread, so it may fork; it adopts every
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
//! Where there is no such thing as a guard (not Linux), a bot runs in a process group of its own: see
//! [`Effective::weak`].

#[cfg(target_os = "linux")]
mod cgroup;
#[cfg(target_os = "linux")]
mod channel;
#[cfg(target_os = "linux")]
mod child;
mod family;
mod folder;
mod foreign;
mod handle;
mod host;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(target_os = "linux")]
mod kernel;
mod limits;
#[cfg(target_os = "linux")]
mod link;
mod pipes;
#[cfg(any(not(target_os = "linux"), test))]
mod plain;
pub mod probe;
mod report;
mod request;
mod sandbox;
#[cfg(target_os = "linux")]
mod spare;
#[cfg(target_os = "linux")]
mod sys;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(target_os = "linux")]
mod unseen;
#[cfg(target_os = "linux")]
mod watch;

pub use family::{Family, Stopped};
pub use folder::{make_folder, remove_folder};
pub use foreign::{is_executable, open_foreign};
pub use handle::{Ending, Guarded, end_all, spawn, use_program};
#[cfg(target_os = "linux")]
pub(crate) use host::roam;
pub use host::{Hardened, Swept, clear_up, harden_referee, outlive_file_limit, sweep};
pub use limits::{Limits, NamedLimits};
pub use pipes::Pipes;
pub use report::{Cleared, Effective, Exited, Overrun, Report, Stage, StartFailed, Started};
pub use request::Request;
pub use sandbox::{
    Readable, SandboxMode, can_close, closed_folders, is_installed, is_of_system, readable, without_closed,
};
#[cfg(target_os = "linux")]
pub(crate) use sys::{Alarm, run_before_others};

use std::time::Duration;

use crate::time::now;

/// The word that makes this binary a guard.
pub const COMMAND: &str = "guard";

/// Time within which everything of a bot is gone once it is to go.
pub const KILL_BOUND: Duration = Duration::from_secs(1);

/// Be a guard: to be called before anything else when the first argument is [`COMMAND`].
///
/// Stdin must be the socket of a referee; started by hand it fails at once.
#[must_use]
pub fn main() -> std::process::ExitCode {
    if let Some(order) = std::env::args_os().nth(2) {
        return probe::attempt(&order.to_string_lossy());
    }
    #[cfg(target_os = "linux")]
    {
        keeper::main()
    }
    #[cfg(not(target_os = "linux"))]
    {
        std::process::ExitCode::FAILURE
    }
}
