//! How processes end: waiting without reaping, killing a whole group, and saying what happened.

use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

/// Process groups of all live bots, so that a second Ctrl-C can take them along.
static LIVE: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Keeps a process group listed among the live ones while it exists.
#[derive(Debug)]
pub(super) struct InFlight(Pid);

impl InFlight {
    pub(super) fn new(child: &Child) -> Self {
        let pid = Pid::from_child(child);
        LIVE.lock().unwrap_or_else(PoisonError::into_inner).insert(pid.as_raw_nonzero().get());
        Self(pid)
    }

    /// Kills the process group. To be called before its leader is reaped: until then the number cannot be reused.
    pub(super) fn kill_group(&self) {
        // It fails only when nobody is left in the group, which is what was wanted.
        let _ = kill_process_group(self.0, Signal::KILL);
    }

    pub(super) fn pid(&self) -> Pid {
        self.0
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        LIVE.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0.as_raw_nonzero().get());
    }
}

/// Kills every bot that is alive; for leaving in a hurry.
pub fn kill_all() {
    for pid in LIVE.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        if let Some(pid) = Pid::from_raw(*pid) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

/// `exited with status 1`, `was killed by signal 11 (SIGSEGV)`.
pub(super) fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with status {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal} ({})", signal_name(signal)),
        (None, None) => format!("ended: {status}"),
    }
}

fn signal_name(number: i32) -> &'static str {
    const NAMES: [(Signal, &str); 13] = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
    ];
    NAMES.iter().find(|(signal, _)| signal.as_raw() == number).map_or("unnamed", |(_, name)| name)
}

/// What a process that does not answer is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    /// All its threads wait for something.
    Waiting,
    /// It burns CPU.
    Running,
    /// It was stopped by a signal.
    Stopped,
}

/// What the kernel says the process is doing; waiting, if it does not say.
pub(super) fn doing(pid: Pid) -> Doing {
    /// Nobody has so many threads and lets all but the last of them sleep.
    const THREADS_MAX: usize = 64;
    let process = format!("/proc/{}", pid.as_raw_nonzero());
    if state_letter(&process) == Some('T') {
        return Doing::Stopped;
    }
    let threads = std::fs::read_dir(format!("{process}/task")).into_iter().flatten().flatten().take(THREADS_MAX);
    let runs = threads.into_iter().any(|thread| state_letter(&thread.path().to_string_lossy()) == Some('R'));
    if runs { Doing::Running } else { Doing::Waiting }
}

/// `R` running, `S` sleeping, `T` stopped, …
fn state_letter(process: &str) -> Option<char> {
    let stat = std::fs::read_to_string(format!("{process}/stat")).ok()?;
    // The name before it is in parentheses and may contain anything.
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

/// A descriptor that becomes readable when the process exits.
#[cfg(target_os = "linux")]
pub(super) fn exit_fd(child: &Child) -> Option<OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    // Absent on kernels before 5.3: waiting then falls back to looking every few milliseconds.
    pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn exit_fd(_child: &Child) -> Option<OwnedFd> {
    None
}
