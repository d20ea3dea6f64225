//! The limits that no kernel enforces for a tree of processes: their number, memory and files, looked at now and then.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::kernel::{self, Kernel};
use super::sandbox;
use super::sys;
use super::tree::{self, Stat};
use super::unseen::{self, Mapped};
use super::{Limits, Overrun};

/// Time between two looks.
pub(super) const PERIOD: Duration = Duration::from_millis(100);
/// Files are looked at for at most one part in so many of the time: there may be many.
const FILES_SHARE: u32 = 20;
/// And mappings: every program has some dozens, and a few have thousands.
const MAPPINGS_SHARE: u32 = 100;

/// Watches over one bot.
#[derive(Debug)]
pub(super) struct Watch {
    scratch: PathBuf,
    limits: Limits,
    /// The bot's own program may be looked into.
    is_open: bool,
    /// A process among the bot's that is ours.
    init: Option<Pid>,
    looked: Instant,
    files_due: Instant,
    mapped: Mapped,
    mapped_due: Instant,
    kernel: Kernel,
    /// What one descriptor may hold at most.
    per_descriptor_kb: Option<u64>,
}

impl Watch {
    /// None if there is nothing to watch for. `is_open` says that the bot's user may read its program, without which nobody
    /// may look into its process; `init` is the first process of its namespace. `fenced` ones cannot enlarge what a socket
    /// holds.
    pub(super) fn new(scratch: &Path, limits: &Limits, is_open: bool, init: Option<Pid>, fenced: bool) -> Option<Self> {
        let now = super::now();
        let watches = limits.memory_mb > 0 || limits.processes > 0 || limits.scratch_mb > 0;
        watches.then(|| Self {
            // As the kernel calls what is mapped.
            scratch: scratch.canonicalize().unwrap_or_else(|_| scratch.to_owned()),
            limits: limits.clone(),
            is_open,
            init,
            looked: now,
            files_due: now,
            mapped: Mapped::default(),
            mapped_due: now,
            kernel: Kernel::default(),
            per_descriptor_kb: kernel::most_per_descriptor_kb(fenced),
        })
    }

    /// Time until the next look.
    pub(super) fn left(&self) -> Duration {
        tree::left(self.looked, PERIOD)
    }

    /// Looks at everything below `roots`, if it is time to.
    pub(super) fn overrun(&mut self, roots: impl Fn() -> Vec<i32>) -> Option<Overrun> {
        if !self.left().is_zero() {
            return None;
        }
        self.looked = super::now();
        let all = match sys::run_first(|| look(roots(), &self.limits, self.init)) {
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
        self.kernel = Kernel::of(all);
        self.mapped_due = super::now() + begun.elapsed() * MAPPINGS_SHARE;
        if self.mapped.too_many {
            return Some(Overrun::OutOfMemory);
        }
        // Twice, so that no program for an instant is meant that its user may run and not read, of which there are some.
        let hides = self.is_open && !self.mapped.closed.is_disjoint(&before.closed);
        hides.then_some(Overrun::Uncountable)
    }

    fn memory(&mut self, all: &[(i32, Stat)]) -> Option<Overrun> {
        let allowed_kb = self.limits.memory_mb.saturating_mul(1024);
        if allowed_kb == 0 {
            return None;
        }
        let resident_kb = all.iter().map(|(_, stat)| kb(*stat)).sum::<u64>();
        let seeming_kb = resident_kb.saturating_add(self.mapped.memory_kb()).saturating_add(self.kernel.tables_kb);
        let filed_kb = in_private_folders_kb(all);
        let seeming_kb = seeming_kb.saturating_add(filed_kb);
        let most_queued_kb = self.kernel.most_queued_kb(self.per_descriptor_kb);
        if seeming_kb.saturating_add(most_queued_kb) <= allowed_kb {
            return None;
        }
        let queued_kb = kernel::queued_kb(all);
        if seeming_kb.saturating_add(queued_kb) <= allowed_kb {
            return None;
        }
        // Seemingly. What several share was counted several times, and what is both shared and resident too; and it may
        // not be shared any more. Now by shares, which takes longer to find out, between two looks at what is mapped: who
        // gives the one back to take the other is not to be charged for both.
        let before = Mapped::of(all, &self.scratch).memory_kb();
        let (own_kb, shared_kb) = all.iter().fold((0_u64, 0_u64), |(own, shared), (_, stat)| {
            let share = Share::of(stat.thread).unwrap_or(Share { own_kb: kb(*stat), shared_kb: 0 });
            (own.saturating_add(share.own_kb), shared.saturating_add(share.shared_kb))
        });
        let mapped_kb = before.min(Mapped::of(all, &self.scratch).memory_kb());
        let kernel_kb = Kernel::of(all).tables_kb.saturating_add(queued_kb);
        let shared_kb = shared_kb.max(mapped_kb.saturating_add(filed_kb));
        let held_kb = own_kb.saturating_add(shared_kb).saturating_add(kernel_kb);
        (held_kb > allowed_kb).then_some(Overrun::OutOfMemory)
    }

    fn files(&mut self, all: &[(i32, Stat)]) -> Option<Overrun> {
        let begun = super::now();
        if self.limits.scratch_mb == 0 || begun < self.files_due {
            return None;
        }
        let overrun = too_many_files(&self.scratch, all, &self.mapped, self.limits.scratch_mb);
        self.files_due = super::now() + begun.elapsed() * FILES_SHARE;
        overrun
    }
}

/// All processes below `roots` but `init`; or that there are too many, known as soon as so many were seen.
fn look(roots: Vec<i32>, limits: &Limits, init: Option<Pid>) -> Result<Vec<(i32, Stat)>, Overrun> {
    let mut all = Vec::new();
    // The dead that nobody has reaped have a number as well, and numbers run out.
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

/// What the bot has in private folders, which all of its processes see alike.
fn in_private_folders_kb(all: &[(i32, Stat)]) -> u64 {
    let living = all.iter().find(|(_, stat)| !stat.is_dead());
    living.map_or(0, |(_, stat)| sandbox::shm::held_kb(stat.thread))
}

fn kb(stat: Stat) -> u64 {
    stat.resident_pages.saturating_mul(rustix::param::page_size() as u64 / 1024)
}

/// The proportional share of memory of a process: its own, and what files in memory are, which shared memory is too.
struct Share {
    own_kb: u64,
    shared_kb: u64,
}

impl Share {
    /// Nothing if it may not be looked at.
    fn of(pid: i32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
        let kb = |name: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(name))?;
            value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
        };
        // Kernels before 5.4 do not tell them apart.
        let shared_kb = kb("Pss_Shmem:").unwrap_or(0);
        Some(Self { own_kb: kb("Pss:")?.saturating_sub(shared_kb), shared_kb })
    }
}

/// Looks through the scratch folder, and at files without a name that the processes hold: deleted ones, and those that
/// are nothing but memory.
fn too_many_files(scratch: &Path, all: &[(i32, Stat)], mapped: &Mapped, limit_mb: u64) -> Option<Overrun> {
    const BLOCK_BYTES: u64 = 512;
    let (mut count, mut blocks) = (0, 0);
    let mut folders = vec![scratch.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            // Closed to us, or deeper than a path is long: nothing is hidden there by accident. Or just removed.
            let is_there = fs::symlink_metadata(&folder).map_or_else(|error| !is_absent(&error), |meta| meta.is_dir());
            if is_there && folder != scratch {
                return Some(Overrun::TooManyFiles);
            }
            continue;
        };
        for entry in entries.flatten() {
            count += 1;
            if count > Limits::SCRATCH_FILES {
                return Some(Overrun::TooManyFiles);
            }
            // Of links themselves, not of what they lead to.
            let Ok(meta) = entry.metadata() else { continue };
            blocks += meta.blocks();
            if meta.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    let (open, known) = unseen::open_files(all);
    let bytes = (blocks * BLOCK_BYTES).saturating_add(open).saturating_add(mapped.file_bytes(&known));
    (bytes > limit_mb.saturating_mul(1 << 20)).then_some(Overrun::TooMuchOnDisk)
}

fn is_absent(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
}
