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

    /// Imposes those that the kernel counts for all programs of a user, on this process and all that it starts.
    #[cfg(target_os = "linux")]
    pub(super) fn impose_on_user(count_processes: Option<u64>) -> Result<(), (std::io::Error, &'static str)> {
        use rustix::process::Resource;
        /// More than any program has, and a small part of what a user may have.
        const PENDING_SIGNALS: u64 = 1024;
        lower(Resource::Sigpending, PENDING_SIGNALS).map_err(|error| (error, "pending signals"))?;
        let Some(processes) = count_processes else { return Ok(()) };
        lower(Resource::Nproc, processes).map_err(|error| (error, "processes"))
    }

    /// Imposes them on this process and all that it starts.
    ///
    /// `count_processes` is the limit on processes the kernel shall enforce, if it can.
    #[cfg(target_os = "linux")]
    pub(super) fn impose(&self, count_processes: Option<u64>) -> Result<(), (std::io::Error, &'static str)> {
        use rustix::process::Resource;
        const MIB: u64 = 1024 * 1024;
        Self::impose_on_user(count_processes)?;
        let wanted = [
            ("core files", Resource::Core, Some(0)),
            ("locked memory", Resource::Memlock, Some(0)),
            ("message queues", Resource::Msgqueue, Some(0)),
            ("real-time priority", Resource::Rtprio, Some(0)),
            ("priority", Resource::Nice, Some(0)),
            ("memory", Resource::Data, given(self.memory_mb * MIB)),
            ("open files", Resource::Nofile, given(self.open_files)),
            ("file size", Resource::Fsize, given(self.file_mb * MIB)),
            ("processor time", Resource::Cpu, given(self.cpu_s)),
        ];
        for (name, resource, limit) in wanted {
            if let Some(limit) = limit {
                lower(resource, limit).map_err(|error| (error, name))?;
            }
        }
        if let Some(stack) = given(self.stack_mb * MIB) {
            lower_hard_stack(stack).map_err(|error| (error, "stack"))?;
        }
        Ok(())
    }
}

/// As [`NamedLimits`] reads them, with a space after each comma.
impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut values = self.clone();
        named::write_all(f, Self::NAMES.into_iter().map(|name| (name, values.field(name).copied().unwrap_or_default())))
    }
}

#[cfg(target_os = "linux")]
fn given(limit: u64) -> Option<u64> {
    (limit > 0).then_some(limit)
}

/// Never above what we were given ourselves, since only root may do that.
#[cfg(target_os = "linux")]
fn lower(resource: rustix::process::Resource, limit: u64) -> std::io::Result<()> {
    let maximum = rustix::process::getrlimit(resource).maximum.map_or(limit, |maximum| maximum.min(limit));
    Ok(rustix::process::setrlimit(
        resource,
        rustix::process::Rlimit { current: Some(maximum), maximum: Some(maximum) },
    )?)
}

/// The soft limit is left as a program expects it (8 MiB mostly): threads reserve that much each, and what they reserve
/// counts as memory. A bot that recurses deeply may raise it up to the hard one.
#[cfg(target_os = "linux")]
fn lower_hard_stack(limit: u64) -> std::io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    const USUAL_BYTES: u64 = 8 * 1024 * 1024;
    let old = getrlimit(Resource::Stack);
    let maximum = old.maximum.map_or(limit, |maximum| maximum.min(limit));
    let current = old.current.unwrap_or(USUAL_BYTES).min(maximum);
    Ok(setrlimit(Resource::Stack, Rlimit { current: Some(current), maximum: Some(maximum) })?)
}
