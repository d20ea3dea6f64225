//! How processes end: waiting without reaping, killing a whole group, and saying what happened.

use std::collections::BTreeSet;
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

/// What the kernel says a process is doing: `R` running, `S` sleeping, `T` stopped, …
pub(super) fn state_letter(pid: Pid) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The name before it is in parentheses and may contain anything.
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}
