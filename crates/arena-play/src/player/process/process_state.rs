//! What a bot that does not answer is doing, according to the kernel.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use arena_guard::{Family, POLLS, READS, SLEEPS};
use rustix::process::Pid;

/// The most threads of a bot that are inspected.
pub(super) const THREADS_MAX: usize = 256;

/// What a bot and everything that it started are doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProcessState {
    /// It was stopped by a signal.
    Stopped,
    /// A thread runs or is ready to run, or all wait for something other than input: time, a thread, a process.
    Busy,
    /// A thread waits for more of the bot's input, and none runs.
    Reading,
    /// All wait for something unknown: the system does not tell, or it is one of several things.
    Unknown,
}

impl ProcessState {
    /// The state of a bot whose input is the pipe with this inode.
    pub(super) fn of(family: &Family, input: Option<u64>) -> Self {
        let bot = folder_of(family.bot());
        if state_letter(&bot) == Some('T') {
            return Self::Stopped;
        }
        // Where there is a guard, the bot itself is among its descendants.
        let mut all: Vec<PathBuf> = threads(family.bot()).collect();
        family.inspect(|process| {
            all.extend(threads(process));
            all.len() < THREADS_MAX
        });
        if all.iter().any(|thread| state_letter(thread) == Some('R')) {
            Self::Busy
        } else if fs::read_to_string(bot.join("syscall")).is_err() {
            Self::Unknown
        } else if all.iter().any(|thread| reads(thread, input)) {
            Self::Reading
        } else if all.iter().any(|thread| system_call(thread).is_some_and(|(number, _)| POLLS.contains(&number))) {
            Self::Unknown
        } else {
            Self::Busy
        }
    }
}

/// Whether a bot is back at its input: then it is done with all that it has read, and has written all of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AtInput {
    /// A thread waits for input; or none runs and one waits for any of several events. Or the system does not tell.
    Waits,
    /// A thread runs, is ready to run, or waits for a disk.
    Runs,
    /// It waits for a time to pass.
    Sleeps,
    /// It waits for something else, such as a thread or a process.
    Elsewhere,
}

impl AtInput {
    /// The state of a bot whose input is the pipe with this inode. Nearly always one file is read.
    pub(super) fn of(family: &Family, input: impl FnOnce() -> Option<u64>) -> Self {
        let bot = folder_of(family.bot());
        let Ok(call) = fs::read_to_string(bot.join("syscall")) else { return Self::Waits };
        if parse_call(&call).is_some_and(|(number, descriptor)| READS.contains(&number) && descriptor == 0) {
            return Self::Waits;
        }
        let (mut all, input) = (Vec::new(), input());
        family.inspect(|process| {
            all.extend(threads(process));
            all.len() < THREADS_MAX
        });
        let calls = || all.iter().filter_map(|thread| system_call(thread));
        // A call of these without descriptors only waits for its time.
        let sleeps = |(number, first): (i64, u64)| SLEEPS.contains(&number) || POLLS.contains(&number) && first == 0;
        if all.iter().any(|thread| reads(thread, input)) || all.len() >= THREADS_MAX {
            Self::Waits
        } else if all.iter().any(|thread| matches!(state_letter(thread), Some('R' | 'D'))) {
            Self::Runs
        } else if calls().any(sleeps) {
            Self::Sleeps
        } else if all.is_empty() || calls().any(|(number, _)| POLLS.contains(&number)) {
            Self::Waits
        } else {
            Self::Elsewhere
        }
    }
}

/// Whether a thread of a bot, in any of its processes, is running or ready to run.
pub(super) fn is_running(family: &Family) -> bool {
    let mut is_running = false;
    family.inspect(|process| {
        is_running = threads(process).any(|thread| state_letter(&thread) == Some('R'));
        !is_running
    });
    is_running
}

fn folder_of(process: Pid) -> PathBuf {
    format!("/proc/{}", process.as_raw_nonzero()).into()
}

/// The folders of the threads of a process.
pub(super) fn threads(process: Pid) -> impl Iterator<Item = PathBuf> {
    let threads = fs::read_dir(folder_of(process).join("task")).into_iter().flatten().flatten();
    threads.take(THREADS_MAX).map(|thread| thread.path())
}

/// `R` running, `S` sleeping, `T` stopped, …
fn state_letter(task: &Path) -> Option<char> {
    let stat = fs::read_to_string(task.join("stat")).ok()?;
    // The name before it is in parentheses and may contain anything.
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

/// The number of the system call that a thread is in, and its first argument (`proc_pid_syscall(5)`).
fn system_call(thread: &Path) -> Option<(i64, u64)> {
    parse_call(&fs::read_to_string(thread.join("syscall")).ok()?)
}

/// The same, from the text of the file.
fn parse_call(call: &str) -> Option<(i64, u64)> {
    let mut words = call.split_ascii_whitespace();
    let number = words.next()?.parse().ok()?;
    let argument = u64::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok()?;
    Some((number, argument))
}

/// Whether a thread waits for data from this pipe.
fn reads(thread: &Path, input: Option<u64>) -> bool {
    let Some((number, descriptor)) = system_call(thread) else { return false };
    READS.contains(&number)
        && fs::metadata(thread.join(format!("fd/{descriptor}")))
            .is_ok_and(|file| file.file_type().is_fifo() && Some(file.ino()) == input)
}
