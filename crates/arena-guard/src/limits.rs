//! Resource limits of a bot.

mod named;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use named::{LimitsError, NamedLimits};

/// Resource limits of a bot. 0 means unlimited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Memory in MiB that all processes may use together. What is only reserved does not count: see [`Limits::reserved_mb`].
    pub memory_mb: u64,
    /// Processes at one time. Where the kernel can limit only all processes of a user, the guard counts them, ten times a
    /// second.
    pub processes: u64,
    /// Open files per process.
    pub open_files: u64,
    /// Maximum size of a file that it writes, in MiB.
    pub file_mb: u64,
    /// Total size of its scratch folder, in MiB, including deleted files that it has open.
    pub scratch_mb: u64,
    /// Maximum stack size that a process may set, in MiB.
    pub stack_mb: u64,
    /// Lifetime processor time of one process, in seconds. Unlimited by default, since one process serves many games.
    pub cpu_s: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory_mb: 1024, processes: 128, open_files: 256, file_mb: 64, scratch_mb: 1024, stack_mb: 64, cpu_s: 0 }
    }
}

impl Limits {
    /// Names of the limits.
    pub const NAMES: [&str; 7] = ["memory_mb", "processes", "open_files", "file_mb", "scratch_mb", "stack_mb", "cpu_s"];

    /// Maximum number of files and folders in a scratch folder whose size is limited. Empty ones cost something too.
    pub const SCRATCH_FILES: u64 = 10_000;

    /// The same for the folder of a build together with its scratch folder.
    pub const BUILD_FILES: u64 = 200_000;

    /// Largest limit: more than any machine has, and small enough that twice this in MiB fits into 64 bits as bytes.
    const MOST: u64 = 1 << 40;

    /// Smallest limit on open files: with fewer, programs cannot start, nor report why.
    const OPEN_FILES_LEAST: u64 = 16;

    /// Private writable address space that one process may reserve, in MiB, 0 for any amount. Far above the limit on memory,
    /// since stacks of threads and heaps of runtimes are reserved whole and mostly never used.
    #[must_use]
    pub fn reserved_mb(&self) -> u64 {
        const PER_MEMORY: u64 = 64;
        self.memory_mb.saturating_mul(PER_MEMORY)
    }

    /// Maximum number of threads and dead processes, where processes are limited.
    #[must_use]
    pub fn threads(&self) -> u64 {
        // Runtimes start several for each processor.
        const PER_PROCESS: u64 = 8;
        self.processes.saturating_mul(PER_PROCESS)
    }

    fn get(&self, name: &str) -> u64 {
        self.clone().field(name).copied().unwrap_or_default()
    }

    fn field(&mut self, name: &str) -> Option<&mut u64> {
        Some(match name {
            "memory_mb" => &mut self.memory_mb,
            "processes" => &mut self.processes,
            "open_files" => &mut self.open_files,
            "file_mb" => &mut self.file_mb,
            "scratch_mb" => &mut self.scratch_mb,
            "stack_mb" => &mut self.stack_mb,
            "cpu_s" => &mut self.cpu_s,
            _ => return None,
        })
    }
}

/// In the syntax of [`NamedLimits`], with a space after each comma.
impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        named::write_all(f, Self::NAMES.into_iter().map(|name| (name, self.get(name))))
    }
}
