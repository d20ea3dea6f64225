//! What a guard reports to the referee.

use std::ffi::OsStr;

use serde::{Deserialize, Serialize};

/// A message from a guard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardReport {
    /// The bot's program runs.
    Started {
        /// Its process number, as the referee sees it.
        pid: i32,
        /// That of the first process of its process namespace, if it has one.
        init: Option<i32>,
        /// The sandbox in force for it.
        sandbox: Effective,
    },
    /// The bot could not be started; the last message.
    StartFailed(StartFailed),
    /// The bot has ended; processes that it started may still run.
    Exited(Exited),
    /// All processes of the bot are gone; the last message.
    Cleared(Cleared),
}

/// The containment in force for a bot, as opposed to what was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is independent of the others")]
pub struct Effective {
    /// Whether a guard watches over it.
    pub guard: bool,
    /// Version of the Landlock interface in force; 0 is none.
    pub landlock: u32,
    /// Whether dangerous system calls are refused.
    pub seccomp: bool,
    /// Whether it has namespaces of its own.
    pub namespaces: bool,
    /// Whether it has a cgroup of its own, which counts its processor time, and stops and kills all its processes at once.
    #[serde(default)]
    pub cgroup: bool,
    /// What was asked for and is missing, one sentence each.
    pub weak: Vec<String>,
}

impl Effective {
    /// The first version of Landlock that confines signals.
    pub(super) const LANDLOCK_WITH_SIGNALS: u32 = 6;

    /// Whether bots cannot send signals to each other.
    #[must_use]
    pub fn keeps_signals_in(&self) -> bool {
        self.landlock >= Self::LANDLOCK_WITH_SIGNALS || self.namespaces
    }
}

/// A bot that could not be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{stage}: {detail}")]
pub struct StartFailed {
    /// The step that failed.
    pub stage: StartStage,
    /// The system's error number, 0 if there is none.
    pub errno: i32,
    /// The error, with the thing it concerns.
    pub detail: String,
}

/// The steps of a start, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum StartStage {
    /// Choosing the program that its guard is started from: see [`super::GuardProgram`].
    #[error("choosing the program of its guard")]
    GuardProgram,
    /// Starting the guard and communicating with it.
    #[error("starting its guard")]
    Guard,
    /// Any step in which a process hangs in the kernel, where no signal ends it.
    #[error("starting a bot")]
    Kernel,
    /// Making the scratch folder.
    #[error("creating its scratch folder")]
    Scratch,
    /// Finding the program in `PATH`.
    #[error("finding its program")]
    Program,
    /// Entering namespaces.
    #[error("entering namespaces")]
    Namespaces,
    /// Making a process.
    #[error("starting a process")]
    Fork,
    /// Leaving our session and terminal.
    #[error("leaving our session")]
    Session,
    /// Connecting stdin, stdout and stderr.
    #[error("connecting its pipes")]
    Streams,
    /// Giving up privileges.
    #[error("giving up privileges")]
    Privileges,
    /// Making a private view of the files.
    #[error("making a private view of the files")]
    Mounts,
    /// Going to the folder of the bot.
    #[error("entering its folder")]
    Folder,
    /// Setting limits.
    #[error("setting limits")]
    Limits,
    /// Restricting access to files.
    #[error("restricting files (Landlock)")]
    Landlock,
    /// Restricting system calls.
    #[error("restricting system calls (seccomp)")]
    Seccomp,
    /// Running the program.
    #[error("running its program")]
    Exec,
}

impl StartStage {
    /// Whether this step depends on the bot (its program, its folder). Exhausted resources are never the bot's fault: see
    /// [`StartFailed::is_ours`].
    #[must_use]
    pub fn concerns_bot(self) -> bool {
        matches!(self, Self::Program | Self::Folder | Self::Exec)
    }
}

impl StartFailed {
    /// What [`Result::map_err`] takes for an error of this step, `on` something unless that is empty.
    pub(super) fn at<E: Into<std::io::Error>>(stage: StartStage, on: impl AsRef<OsStr>) -> impl FnOnce(E) -> Self {
        /// Paths may be very long; messages should be short.
        const DETAIL_CHARS_MAX: usize = 500;
        move |error| {
            let (error, on) = (error.into(), on.as_ref().to_string_lossy());
            let detail = if on.is_empty() { error.to_string() } else { format!("{on}: {error}") };
            let detail = detail.chars().take(DETAIL_CHARS_MAX).collect();
            Self { stage, errno: error.raw_os_error().unwrap_or(0), detail }
        }
    }

    /// Whether the arena or the machine is at fault: then the game is void, and no bot loses it.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        use rustix::io::Errno;
        let exhausted = [Errno::AGAIN, Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::NOSPC, Errno::IO];
        !self.stage.concerns_bot() || exhausted.iter().any(|errno| errno.raw_os_error() == self.errno)
    }
}

/// How a bot ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exited {
    /// Its exit status, if it exited.
    pub code: Option<i32>,
    /// The signal that killed it, if one did.
    pub signal: Option<i32>,
    /// The most that it used in the last second or two, as far as its guard has looked. Open files are not counted.
    pub used: Usage,
    /// The limit for which the guard killed it, if it did.
    pub overrun: Option<Overrun>,
}

/// What a bot uses of what its limits allow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Memory.
    pub memory: MemoryUse,
    /// Threads of all processes, and dead processes.
    pub threads: Share,
    /// Open files of the process that has most.
    pub open_files: Share,
}

/// How much of what is allowed is used; nothing of nothing where there is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// What is used.
    pub used: u64,
    /// What is allowed.
    pub allowed: u64,
}

impl Share {
    /// Whether at least nine tenths are used. More may be refused then: what is refused is not counted, so the limit may never
    /// be reached.
    #[must_use]
    pub const fn is_near(self) -> bool {
        self.allowed > 0 && self.used.saturating_mul(10) >= self.allowed.saturating_mul(9)
    }
}

impl Usage {
    /// The most of each.
    #[must_use]
    pub fn most(self, other: Self) -> Self {
        let more = |one: Share, other: Share| if other.used > one.used { other } else { one };
        Self {
            memory: self.memory.most(other.memory),
            threads: more(self.threads, other.threads),
            open_files: more(self.open_files, other.open_files),
        }
    }
}

/// The memory of a bot, in KiB.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryUse {
    /// What all its processes held together, as the limit counts it; an upper bound while it is below half of the limit.
    pub held_kb: u64,
    /// The private writable address space of one process, most of which it may never have used: see
    /// [`super::Limits::reserved_mb`].
    pub reserved_kb: u64,
}

impl MemoryUse {
    /// The most of each.
    #[must_use]
    pub fn most(self, other: Self) -> Self {
        Self { held_kb: self.held_kb.max(other.held_kb), reserved_kb: self.reserved_kb.max(other.reserved_kb) }
    }
}

/// Limits that a guard enforces by killing the bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Overrun {
    /// Its processes together held more memory than allowed.
    #[error("out of memory")]
    OutOfMemory,
    /// There were more processes than allowed.
    #[error("too many processes")]
    TooManyProcesses,
    /// There were more threads and dead processes than allowed.
    #[error("too many threads and dead processes")]
    TooManyThreads,
    /// Its files were larger together than allowed.
    #[error("its scratch folder is full")]
    TooMuchOnDisk,
    /// There were more files and folders in its scratch folder than allowed, or some that cannot be counted.
    #[error("too many files in its scratch folder")]
    TooManyFiles,
    /// The guard may not inspect one of its processes.
    #[error(
        "memory of one of its processes cannot be counted, since the user may not inspect it; let the bot run only \
         programs that the user may read"
    )]
    Uncountable,
}

/// The removal of a bot's processes after its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cleared {
    /// Processes that it had left behind and that were killed.
    pub leftovers: u32,
    /// Processes that did not die within [`super::KILL_BOUND`]: stuck in the kernel.
    pub survivors: u32,
    /// Time from the decision to kill until the last process ended, in microseconds.
    pub kill_us: u64,
}

/// How a bot ended and how its processes were removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BotEnding {
    /// How the bot ended; unknown if its guard died first.
    pub exited: Option<Exited>,
    /// The removal of its processes; unknown if its guard died, in which case [`super::sweep`] removes them.
    pub cleared: Option<Cleared>,
}
