//! Limits that the kernel does not enforce for a tree of processes (number, memory, files), checked periodically.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::kernel;
use super::sandbox;
use super::sys;
use super::tree::{self, Stat};
use super::unseen::{self, Mapped};
use super::{Limits, Overrun, Request};

/// Interval between two checks.
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
    looked: Instant,
    files_due: Instant,
    mapped: Mapped,
    mapped_due: Instant,
    /// Maximum that one descriptor may hold.
    per_descriptor_kb: Option<u64>,
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
            looked: now,
            files_due: now,
            mapped: Mapped::default(),
            mapped_due: now,
            per_descriptor_kb: kernel::most_per_descriptor_kb(sandboxed),
        })
    }

    /// Time until the next check.
    pub(super) fn left(&self) -> Duration {
        PERIOD.saturating_sub(self.looked.elapsed())
    }

    /// Checks everything below `roots`, if the interval has passed.
    pub(super) fn overrun(&mut self, roots: impl Fn() -> Vec<i32>) -> Option<Overrun> {
        if !self.left().is_zero() {
            return None;
        }
        self.looked = super::now();
        let all = match sys::run_first(|| inspect(roots(), &self.limits, self.init)) {
            Ok(all) => all,
            Err(overrun) => return Some(overrun),
        };
        self.mappings(&all).or_else(|| self.memory(&all)).or_else(|| self.files(&all))
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

    fn memory(&mut self, all: &[(i32, Stat)]) -> Option<Overrun> {
        let allowed_kb = self.limits.memory_mb.saturating_mul(1024);
        if allowed_kb == 0 {
            return None;
        }
        let resident_kb = kernel::sum(all.iter().map(|(_, stat)| kb(*stat)));
        let filed_kb = in_private_folders_kb(all);
        let seeming_kb = kernel::sum([resident_kb, filed_kb, self.mapped.memory_kb(), self.mapped.kernel_kb()]);
        let is_allowed = |queued_kb| kernel::sum([seeming_kb, queued_kb]) <= allowed_kb;
        if is_allowed(self.mapped.most_queued_kb(self.per_descriptor_kb)) {
            return None;
        }
        let queued_kb = kernel::queued_kb(all);
        if is_allowed(queued_kb) {
            return None;
        }
        // This is an upper bound: memory that is shared was counted for each process, and again if it is resident; and it
        // may be released by now. Proportional shares are exact but slower to read. They are read between two scans of the
        // mappings, so that memory released in exchange for other memory is not charged twice.
        let before = Mapped::of(all, &self.scratch).memory_kb();
        let (own_kb, shared_kb) = all.iter().fold((0_u64, 0_u64), |(own, shared), (_, stat)| {
            let (own_kb, shared_kb) = share_of(stat.thread).unwrap_or((kb(*stat), 0));
            (own.saturating_add(own_kb), shared.saturating_add(shared_kb))
        });
        let after = Mapped::of(all, &self.scratch);
        let mapped_kb = before.min(after.memory_kb());
        let shared_kb = shared_kb.max(kernel::sum([mapped_kb, filed_kb]));
        let held_kb = kernel::sum([own_kb, shared_kb, after.kernel_kb(), queued_kb]);
        (held_kb > allowed_kb).then_some(Overrun::OutOfMemory)
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

/// The content of the bot's private folders, which all of its processes share.
fn in_private_folders_kb(all: &[(i32, Stat)]) -> u64 {
    let living = all.iter().find(|(_, stat)| !stat.is_dead());
    living.map_or(0, |(_, stat)| sandbox::spaces::held_kb(stat.thread))
}

fn kb(stat: Stat) -> u64 {
    stat.resident_pages.saturating_mul(rustix::param::page_size() as u64 / 1024)
}

/// The proportional share of memory of a process, in KiB: its own memory, and shared memory together with files in memory;
/// `None` if it may not be read.
fn share_of(pid: i32) -> Option<(u64, u64)> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    // Kernels before 5.4 do not distinguish them.
    let shared_kb = kernel::number(&text, "Pss_Shmem:").unwrap_or(0);
    Some((kernel::number(&text, "Pss:")?.saturating_sub(shared_kb), shared_kb))
}
