//! What a bot may use up.

mod named;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use named::NamedLimits;

/// Bounds on a bot. 0 is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Memory in MiB: what each of its processes may allocate, and what all of them may hold together.
    pub memory_mb: u64,
    /// Processes at one time. Where the system counts only all processes of a user, the guard counts them instead,
    /// every tenth of a second.
    pub processes: u64,
    /// Open files of one process.
    pub open_files: u64,
    /// Size of a file it writes, in MiB.
    pub file_mb: u64,
    /// What its scratch folder may hold, in MiB, files without a name that it has open included.
    pub scratch_mb: u64,
    /// Size to which a process may raise its stack, in MiB.
    pub stack_mb: u64,
    /// Processor time of one process from its start to its end, in seconds. One process serves many games, so there
    /// is no such limit unless it is set.
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

    /// Files and folders in a scratch folder with a bound on its size. Each costs something, empty or not.
    pub const SCRATCH_FILES: u64 = 10_000;

    /// More than any machine has of anything; twice this in MiB still has a number in bytes.
    const MOST: u64 = 1 << 40;

    /// What programs and their libraries have open while they start; with fewer none can say why it ends.
    const OPEN_FILES_LEAST: u64 = 16;

    /// Threads and dead processes at one time, where the processes are bounded.
    #[must_use]
    pub fn threads(&self) -> u64 {
        // Runtimes start some for every processor.
        const PER_PROCESS: u64 = 8;
        self.processes.saturating_mul(PER_PROCESS)
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

/// As [`NamedLimits`] reads them, with a space after each comma.
impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut values = self.clone();
        named::write_all(f, Self::NAMES.into_iter().map(|name| (name, values.field(name).copied().unwrap_or_default())))
    }
}
