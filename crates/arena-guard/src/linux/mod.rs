//! Linux: each bot runs under a guard, a process of ours that starts it, limits it, restricts it, and removes it with
//! everything it has started. `other` has the same items.

mod board;
mod cgroup;
mod channel;
mod child;
mod circumstances;
mod denied;
mod family;
mod guarded;
mod host;
mod keeper;
mod kernel;
mod memory;
mod order;
mod rlimits;
mod sandbox;
mod spare;
mod stuck;
mod sys;
mod threads;
mod tree;
mod unseen;
mod usage;
mod watch;

use super::program::ITSELF;
use super::sandbox::paths::find_program;
use super::{
    BotEnding, COMMAND, Cleared, Effective, Exited, GuardProgram, GuardReport, KILL_BOUND, Limits, MemoryUse, Overrun,
    Pipes, Request, SandboxMode, Share, StartFailed, StartStage, Usage, now, pipes,
};

pub(super) use circumstances::circumstances;
pub use family::{Family, Stopped};
pub use guarded::{Guarded, clear_up, end_all, spawn};
pub(super) use host::adopts_orphans;
pub use host::{harden_referee, sweep};
pub(super) use keeper::serve;
pub(super) use sandbox::{has_landlock, try_own_shm};
pub use sys::Alarm;
pub use sys::outlive_file_limit;
pub use threads::{POLLS, READS, SLEEPS, ShortTurns, own_thread, run_before_others};
pub use threads::{keep_to, own_processors, stand_back};

use std::io;
use std::os::fd::AsFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// Sets the size of a pipe in bytes; whether it succeeded.
pub fn set_pipe_size(pipe: impl AsFd, bytes: usize) -> bool {
    rustix::pipe::fcntl_setpipe_size(pipe, bytes).is_ok()
}

/// Binds a socket to an abstract name (unix(7)).
///
/// # Errors
///
/// Returns an error if the name is taken or too long.
pub fn bind_abstract(name: &str) -> io::Result<UnixDatagram> {
    UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(name)?)
}
