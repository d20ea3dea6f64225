//! What a bot that does not answer is doing, as the kernel tells it.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use rustix::process::Pid;

use crate::guard::{Family, POLLS, READS};

/// Nobody has so many processes and threads and lets all but the last of them sleep.
const TASKS_MAX: usize = 256;

/// What a bot and all that it has started are doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    /// It was stopped by a signal.
    Stopped,
    /// Somebody burns CPU.
    Running,
    /// Somebody waits for more of the bot's input, and nobody burns CPU.
    Reading,
    /// All wait for something else: they sleep, or wait for a thread or a process.
    Waiting,
    /// All wait, and it cannot be told for what: the system keeps it to itself, or it is one of several things.
    Unknown,
}

/// What a bot is doing whose input is the pipe with this inode.
pub(super) fn doing(family: &Family, input: Option<u64>) -> Doing {
    let bot = folder_of(family.bot());
    if state_letter(&bot) == Some('T') {
        return Doing::Stopped;
    }
    // The bot itself is among those below its guard, where it has one.
    let mut all = tasks(family.bot());
    family.inspect(|process| {
        all.extend(tasks(process));
        all.len() < TASKS_MAX
    });
    if all.iter().any(|task| state_letter(task) == Some('R')) {
        Doing::Running
    } else if fs::read_to_string(format!("{bot}/syscall")).is_err() {
        Doing::Unknown
    } else if all.iter().any(|task| reads(task, input)) {
        Doing::Reading
    } else if all.iter().any(|task| call(task).is_some_and(|(number, _)| POLLS.contains(&number))) {
        Doing::Unknown
    } else {
        Doing::Waiting
    }
}

/// Whether a thread of the process is on a processor or ready for one.
pub(super) fn is_running(process: Pid) -> bool {
    tasks(process).iter().any(|task| state_letter(task) == Some('R'))
}

fn folder_of(process: Pid) -> String {
    format!("/proc/{}", process.as_raw_nonzero())
}

/// The folders of a process's threads.
fn tasks(process: Pid) -> Vec<String> {
    let tasks = fs::read_dir(format!("{}/task", folder_of(process))).into_iter().flatten().flatten();
    tasks.take(TASKS_MAX).map(|task| task.path().to_string_lossy().into_owned()).collect()
}

/// `R` running, `S` sleeping, `T` stopped, …
fn state_letter(task: &str) -> Option<char> {
    let stat = fs::read_to_string(format!("{task}/stat")).ok()?;
    // The name before it is in parentheses and may contain anything.
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

/// The number of the call that a thread is in, and its first argument (`proc_pid_syscall(5)`).
fn call(task: &str) -> Option<(i64, u64)> {
    let call = fs::read_to_string(format!("{task}/syscall")).ok()?;
    let mut words = call.split_ascii_whitespace();
    let number = words.next()?.parse().ok()?;
    let argument = u64::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok()?;
    Some((number, argument))
}

/// Whether a thread waits for something to read from this pipe.
fn reads(task: &str, input: Option<u64>) -> bool {
    let Some((number, descriptor)) = call(task) else { return false };
    READS.contains(&number)
        && fs::metadata(format!("{task}/fd/{descriptor}"))
            .is_ok_and(|file| file.file_type().is_fifo() && Some(file.ino()) == input)
}
