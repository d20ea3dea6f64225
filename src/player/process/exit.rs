//! How processes end, in words, and what one that does not answer is doing.

use std::borrow::Cow;

use rustix::process::{Pid, Signal};

use crate::guard::{Exited, Limits, Overrun};

/// `exited with status 1`, `was killed by signal 11 (SIGSEGV)`, `was ended: out of memory (limit 1024 MB)`.
pub(super) fn describe(exited: &Exited, limits: &Limits) -> String {
    if let Some(overrun) = exited.overrun {
        let limit = match overrun {
            Overrun::OutOfMemory => format!("{} MB", limits.memory_mb),
            Overrun::TooManyProcesses => limits.processes.to_string(),
            Overrun::TooManyThreads => limits.threads().to_string(),
            Overrun::TooMuchOnDisk => format!("{} MB", limits.scratch_mb),
            Overrun::TooManyFiles => Limits::SCRATCH_FILES.to_string(),
        };
        return format!("was ended: {overrun} (limit {limit})");
    }
    let how = match (exited.code, exited.signal) {
        (Some(code), _) => format!("exited with status {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal} ({})", signal_name(signal)),
        (None, None) => "ended".to_owned(),
    };
    let held_mb = exited.rss_max_kb / 1024;
    // What it was refused is not counted, so that it never quite reaches the limit.
    let is_near = limits.memory_mb > 0 && held_mb * 10 >= limits.memory_mb * 9;
    if is_near {
        format!("{how}, most likely out of memory (it held {held_mb} of {} MB)", limits.memory_mb)
    } else {
        how
    }
}

/// Whether a signal is one that is sent, rather than brought about by what a program does.
pub(super) fn comes_from_outside(signal: i32) -> bool {
    [Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP].iter().any(|sent| sent.as_raw() == signal)
}

/// Whether what a bot wrote to stderr says that it was refused memory.
pub(super) fn speaks_of_memory(stderr: &str) -> bool {
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
    /// The first one for programs: glibc keeps two for itself.
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
