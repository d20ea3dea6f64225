//! Limits that the kernel does not enforce for a tree of processes (number, memory, files), checked periodically.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::board::Board;
use super::memory::BotMemory;
use super::sys;
use super::tree::{self, Stat};
use super::unseen::{self, Mapped};
use super::usage::{self, Recent};
use super::{Limits, MemoryUse, Overrun, Request, SandboxMode, Share, Usage};

/// Interval between two checks. Memory has one of its own.
pub(super) const PERIOD: Duration = Duration::from_millis(100);
/// Checking files takes at most this fraction (1/20) of the time: there may be many.
const FILES_SHARE: u32 = 20;
/// Checking mappings takes at most this fraction (1/100): programs have dozens, a few have thousands.
const MAPPINGS_SHARE: u32 = 100;

/// The checks of one bot.
#[derive(Debug)]
pub(super) struct BotWatch {
    scratch: PathBuf,
    /// Folders whose files are counted: the scratch folder, and that of a build.
    writable: Vec<PathBuf>,
    files_max: u64,
    limits: Limits,
    /// This user may inspect the process of the bot's own program.
    is_open: bool,
    /// The process among the bot's that is ours: the first one of its namespace.
    init: Option<Pid>,
    due: Instant,
    files_due: Instant,
    mapped: Mapped,
    mapped_due: Instant,
    /// `None` if memory is not limited.
    memory: Option<BotMemory>,
    /// The most memory so far, as the referee was told.
    told: MemoryUse,
    threads_max: u64,
    /// What it has used lately.
    recent: Recent,
}

impl BotWatch {
    /// `None` if there is no limit to check. `is_open`: the user may read the bot's program, and so may inspect its process.
    /// `init`: the first process of its namespace. `sandboxed`: the bot cannot enlarge socket buffers.
    pub(super) fn new(request: &Request, is_open: bool, init: Option<Pid>, sandboxed: bool) -> Option<Self> {
        let now = super::now();
        let (scratch, limits) = (Path::new(&request.scratch), &request.limits);
        let files_max = if request.build.is_some() { Limits::BUILD_FILES } else { Limits::SCRATCH_FILES };
        let watches = limits.memory_mb > 0 || limits.processes > 0 || limits.scratch_mb > 0;
        watches.then(|| Self {
            // As in the kernel's lists of mappings.
            scratch: scratch.canonicalize().unwrap_or_else(|_| scratch.to_owned()),
            writable: request.writable().map(Path::to_owned).collect(),
            files_max,
            limits: limits.clone(),
            is_open,
            init,
            due: now + PERIOD,
            files_due: now,
            mapped: Mapped::default(),
            mapped_due: now,
            memory: BotMemory::new(limits.memory_mb, sandboxed),
            told: MemoryUse::default(),
            threads_max: usage::threads_max(limits, request.sandbox == SandboxMode::Strict),
            recent: Recent::new(now),
        })
    }

    /// Time until the next check.
    pub(super) fn left(&self) -> Duration {
        let memory_due = self.memory.as_ref().map(|memory| memory.due);
        self.due.min(memory_due.unwrap_or(self.due)).saturating_duration_since(super::now())
    }

    /// What it has used lately.
    pub(super) fn recent(&self) -> Usage {
        self.recent.most()
    }

    /// Checks what is due of everything below `roots`. `of_cgroup` is what the kernel says of the memory that it holds.
    pub(super) fn overrun(
        &mut self,
        roots: impl Fn() -> Vec<i32>,
        of_cgroup: impl FnOnce() -> Option<u64>,
        board: &Board,
    ) -> Option<Overrun> {
        if !self.left().is_zero() {
            return None;
        }
        let now = super::now();
        let is_due = now >= self.due;
        let all = match sys::run_first(|| inspect(roots(), &self.limits, self.init)) {
            Ok(all) => all,
            Err(overrun) => return Some(overrun),
        };
        let found_in = now.elapsed();
        if is_due {
            self.due = now + PERIOD;
            if let Some(overrun) = self.mappings(&all) {
                return Some(overrun);
            }
        }
        let exceeded = self.memory(&all, of_cgroup, found_in, if is_due { PERIOD } else { Duration::ZERO });
        self.note(&all, board);
        exceeded.or_else(|| is_due.then(|| self.files(&all)).flatten())
    }

    /// Looks at the memory of `all` processes, which took `found_in` to find, if that is due or will be within `ahead`.
    fn memory(
        &mut self,
        all: &[(i32, Stat)],
        of_cgroup: impl FnOnce() -> Option<u64>,
        found_in: Duration,
        ahead: Duration,
    ) -> Option<Overrun> {
        let memory = self.memory.as_mut().filter(|memory| memory.due <= super::now() + ahead)?;
        let is_exceeded = memory.is_exceeded(all, &self.mapped, &self.scratch, of_cgroup, found_in);
        is_exceeded.then_some(Overrun::OutOfMemory)
    }

    /// Notes what `all` processes use, and tells the referee how much memory was seen, if it was more than before.
    fn note(&mut self, all: &[(i32, Stat)], board: &Board) {
        let held_kb = self.memory.as_ref().map_or(0, |memory| memory.held_kb);
        let memory = MemoryUse { held_kb, reserved_kb: self.mapped.reserved_kb };
        let threads = Share { used: usage::threads(all), allowed: self.threads_max };
        self.recent.note(Usage { memory, threads, ..Usage::default() }, super::now());
        let peak = self.told.most(memory);
        if self.told != peak {
            self.told = peak;
            board.write_memory(peak);
        }
    }

    fn mappings(&mut self, all: &[(i32, Stat)]) -> Option<Overrun> {
        let begun = super::now();
        if self.limits.memory_mb == 0 && self.limits.scratch_mb == 0 || begun < self.mapped_due {
            return None;
        }
        let before = std::mem::replace(&mut self.mapped, Mapped::of(all, &self.scratch));
        self.mapped_due = super::now() + begun.elapsed() * MAPPINGS_SHARE;
        if self.mapped.too_many {
            return Some(Overrun::OutOfMemory);
        }
        // Seen twice, so that a short run of a program that the user may run but not read does not count.
        let hides = self.is_open && !self.mapped.closed.is_disjoint(&before.closed);
        hides.then_some(Overrun::Uncountable)
    }

    fn files(&mut self, all: &[(i32, Stat)]) -> Option<Overrun> {
        let begun = super::now();
        if self.limits.scratch_mb == 0 || begun < self.files_due {
            return None;
        }
        let overrun = self.too_many_files(all);
        self.files_due = super::now() + begun.elapsed() * FILES_SHARE;
        overrun
    }

    /// Checks the folders that it may write to, and the files without a name that the processes hold open: deleted ones and memory
    /// files.
    fn too_many_files(&self, all: &[(i32, Stat)]) -> Option<Overrun> {
        let (mut count, mut blocks) = (0, 0);
        let mut folders = self.writable.clone();
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else {
                // Unreadable, or deeper than the longest path: that is deliberate. Or it was removed just now.
                let is_gone = match fs::symlink_metadata(&folder) {
                    Ok(meta) => !meta.is_dir(),
                    Err(error) => error.kind() == std::io::ErrorKind::NotFound,
                };
                if !is_gone && !self.writable.contains(&folder) {
                    return Some(Overrun::TooManyFiles);
                }
                continue;
            };
            for entry in entries.flatten() {
                count += 1;
                if count > self.files_max {
                    return Some(Overrun::TooManyFiles);
                }
                // Of the link itself, not of its target.
                let Ok(meta) = entry.metadata() else { continue };
                blocks += meta.blocks();
                if meta.is_dir() {
                    folders.push(entry.path());
                }
            }
        }
        let (open, known) = unseen::open_files(all);
        let bytes = (blocks * unseen::BLOCK_BYTES).saturating_add(open).saturating_add(self.mapped.file_bytes(&known));
        (bytes > self.limits.scratch_mb.saturating_mul(1 << 20)).then_some(Overrun::TooMuchOnDisk)
    }
}

/// All processes below `roots` except `init`; an error as soon as there are too many.
fn inspect(roots: Vec<i32>, limits: &Limits, init: Option<Pid>) -> Result<Vec<(i32, Stat)>, Overrun> {
    let mut all = Vec::new();
    // Dead processes that were not reaped use up process numbers as well.
    let (mut alive, mut numbers) = (0, 0);
    let mut overrun = None;
    tree::walk(roots, |pid| {
        let Some(stat) = Stat::of(pid).filter(|_| Pid::from_raw(pid) != init) else { return true };
        alive += u64::from(!stat.is_dead());
        numbers += stat.threads.max(1);
        all.push((pid, stat));
        overrun = match limits.processes {
            0 => None,
            processes if alive > processes => Some(Overrun::TooManyProcesses),
            _ if numbers > limits.threads() => Some(Overrun::TooManyThreads),
            _ => None,
        };
        overrun.is_none()
    });
    overrun.map_or(Ok(all), Err)
}
