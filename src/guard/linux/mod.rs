//! Linux: each bot under a guard, a process of ours that starts it, limits it, fences it in, and removes it with everything
//! it has started. What is listed here is what [`super::other`] has as well.

mod cgroup;
mod channel;
mod child;
mod family;
mod guarded;
mod host;
mod keeper;
mod kernel;
mod order;
mod rlimits;
mod sandbox;
mod spare;
mod sys;
mod threads;
mod tree;
mod unseen;
mod watch;

use super::request::find_program;
use super::{
    COMMAND, Cleared, Effective, Ending, Exited, GuardProgram, KILL_BOUND, Limits, Overrun, Pipes, Report, Request,
    SandboxMode, Stage, StartFailed, Started, now, pipes, probe,
};

pub use family::{Family, Stopped};
pub use guarded::{Guarded, end_all, spawn};
pub(super) use host::adopts_orphans;
pub use host::{clear_up, harden_referee, outlive_file_limit, sweep};
pub(super) use keeper::serve;
pub(super) use sandbox::{has_landlock, try_own_shm};
pub(crate) use sys::Alarm;
pub(crate) use threads::{POLLS, READS, own_thread, run_before_others};
pub use threads::{keep_to, own_processors};

use std::io;
use std::os::fd::AsFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// Whether the processor time of a bot is told.
pub(crate) const TELLS_CPU: bool = true;

/// Has a pipe hold so many bytes; whether it does.
pub(crate) fn set_pipe_size(pipe: impl AsFd, bytes: usize) -> bool {
    rustix::pipe::fcntl_setpipe_size(pipe, bytes).is_ok()
}

/// Binds a socket to an abstract name (unix(7)).
pub(crate) fn bind_abstract(name: &str) -> io::Result<UnixDatagram> {
    UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(name)?)
}
