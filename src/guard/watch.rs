//! The limits that no kernel enforces for a tree of processes: their number, memory and files, looked at now and then.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::sys;
use super::tree::{self, Stat};
use super::{Limits, Overrun};

/// Time between two looks.
pub(super) const PERIOD: Duration = Duration::from_millis(100);
/// Files are looked at for at most one part in so many of the time: there may be many.
const FILES_SHARE: u32 = 20;

/// Watches over one bot.
#[derive(Debug)]
pub(super) struct Watch {
    scratch: PathBuf,
    limits: Limits,
    looked: Instant,
    files_due: Instant,
}

impl Watch {
    /// None if there is nothing to watch for.
    pub(super) fn new(scratch: &Path, limits: &Limits) -> Option<Self> {
        let now = super::now();
        let watches = limits.memory_mb > 0 || limits.processes > 0 || limits.scratch_mb > 0;
        watches.then(|| Self { scratch: scratch.to_owned(), limits: limits.clone(), looked: now, files_due: now })
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
        let all = match sys::run_first(|| look(roots(), &self.limits)) {
            Ok(all) => all,
            Err(overrun) => return Some(overrun),
        };
        too_much_memory(&all, &self.limits).or_else(|| self.files(&all))
    }

    fn files(&mut self, all: &[(i32, Stat)]) -> Option<Overrun> {
        let begun = super::now();
        if self.limits.scratch_mb == 0 || begun < self.files_due {
            return None;
        }
        let overrun = too_many_files(&self.scratch, all, self.limits.scratch_mb);
        self.files_due = super::now() + begun.elapsed() * FILES_SHARE;
        overrun
    }
}

/// All processes below `roots`; or that there are too many, known as soon as so many were seen.
fn look(roots: Vec<i32>, limits: &Limits) -> Result<Vec<(i32, Stat)>, Overrun> {
    let mut all = Vec::new();
    // The dead that nobody has reaped have a number as well, and numbers run out.
    let (mut alive, mut numbers) = (0, 0);
    let mut overrun = None;
    tree::walk(roots, |pid| {
        let Some(stat) = Stat::of(pid) else { return true };
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

fn too_much_memory(all: &[(i32, Stat)], limits: &Limits) -> Option<Overrun> {
    let allowed_kb = limits.memory_mb * 1024;
    let page_kb = rustix::param::page_size() as u64 / 1024;
    let resident_kb = all.iter().map(|(_, stat)| stat.resident_pages * page_kb).sum::<u64>();
    if allowed_kb == 0 || resident_kb <= allowed_kb {
        return None;
    }
    // What several share was counted several times: now by shares, which takes longer to find out.
    let held_kb: u64 = all.iter().map(|(_, stat)| share_kb(stat.thread).unwrap_or(stat.resident_pages * page_kb)).sum();
    (held_kb > allowed_kb).then_some(Overrun::OutOfMemory)
}

/// The proportional share of memory of a process; nothing if it may not be looked at.
fn share_kb(pid: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("Pss:"))?.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Looks through the scratch folder, and at files without a name that the processes hold open: deleted ones, and those
/// that are nothing but memory.
fn too_many_files(scratch: &Path, all: &[(i32, Stat)], limit_mb: u64) -> Option<Overrun> {
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
    let mut seen = BTreeSet::new();
    for (pid, _) in all {
        let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        let files = open.filter_map(|entry| fs::metadata(entry.path()).ok());
        for file in files.filter(|file| file.is_file() && file.nlink() == 0) {
            if seen.insert((file.dev(), file.ino())) {
                blocks += file.blocks();
            }
        }
    }
    (blocks * BLOCK_BYTES > limit_mb << 20).then_some(Overrun::TooMuchOnDisk)
}

fn is_absent(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
}
