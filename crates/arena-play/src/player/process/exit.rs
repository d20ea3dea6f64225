//! Ends of processes: the cause and its description.

use std::borrow::Cow;

use arena_core::cause::Cause;
use arena_guard::{Exited, Limits, Overrun};
use rustix::process::Signal;

use super::near::{explained_end, near_limits};

/// `exited with status 1`, `was killed by signal 11 (SIGSEGV)`, `was ended: out of memory (limit 1024 MB)`.
pub(crate) fn describe(exited: &Exited, limits: &Limits) -> (Cause, String) {
    if let Some(overrun) = exited.overrun {
        let (cause, limit) = match overrun {
            Overrun::OutOfMemory => (Cause::MemoryLimit, format!("{} MB", limits.memory_mb)),
            Overrun::TooManyProcesses => (Cause::ProcessLimit, limits.processes.to_string()),
            Overrun::TooManyThreads => (Cause::ThreadLimit, limits.threads().to_string()),
            Overrun::TooMuchOnDisk => (Cause::DiskLimit, format!("{} MB", limits.scratch_mb)),
            Overrun::TooManyFiles => (Cause::FileLimit, Limits::SCRATCH_FILES.to_string()),
            Overrun::Uncountable => return (Cause::Uncountable, format!("was ended: {overrun}")),
        };
        return (cause, format!("was ended: {overrun} (limit {limit})"));
    }
    let (cause, how) = match (exited.code, exited.signal) {
        (Some(code), _) => (Cause::Exited { code }, format!("exited with status {code}")),
        (None, Some(signal)) => {
            let raised = [Signal::SEGV, Signal::BUS, Signal::ABORT, Signal::FPE, Signal::ILL, Signal::TRAP];
            let is_own = raised.iter().any(|raised| raised.as_raw() == signal);
            let cause = if is_own { Cause::Crashed { signal } } else { Cause::Killed { signal } };
            (cause, format!("was killed by signal {signal} ({})", signal_name(signal)))
        }
        (None, None) => (Cause::ClosedOutput, "ended".to_owned()),
    };
    explained_end(&near_limits(&exited.used, limits), (cause, how))
}

/// Whether a signal is usually sent by another process, not caused by the program's own code.
pub(super) fn is_sent(signal: i32) -> bool {
    [Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP].iter().any(|sent| sent.as_raw() == signal)
}

/// Whether the stderr of a bot reports a failed allocation.
pub(super) fn mentions_memory(stderr: &str) -> bool {
    const WORDS: [&str; 6] = [
        "MemoryError",
        "OutOfMemoryError",
        "bad_alloc",
        "out of memory",
        "Cannot allocate memory",
        "memory allocation of",
    ];
    WORDS.iter().any(|words| stderr.contains(words))
}

fn signal_name(number: i32) -> Cow<'static, str> {
    /// glibc reserves the first two.
    const REAL_TIME: std::ops::RangeInclusive<i32> = 34..=64;
    const NAMES: [(Signal, &str); 14] = [
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
        (Signal::XFSZ, "SIGXFSZ"),
    ];
    match NAMES.iter().find(|(signal, _)| signal.as_raw() == number) {
        Some((_, name)) => (*name).into(),
        None if REAL_TIME.contains(&number) => match number - REAL_TIME.start() {
            0 => "SIGRTMIN".into(),
            more => format!("SIGRTMIN+{more}").into(),
        },
        None => "unnamed".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_named() {
        let named = [(9, "SIGKILL"), (33, "unnamed"), (34, "SIGRTMIN"), (37, "SIGRTMIN+3"), (64, "SIGRTMIN+30")];
        for (number, name) in named {
            assert_eq!(signal_name(number), name);
        }
        assert_eq!([signal_name(65), signal_name(0)], ["unnamed"; 2]);
    }
}
