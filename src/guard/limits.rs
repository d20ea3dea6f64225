//! What a bot may use up.

use serde::{Deserialize, Serialize};

/// Bounds on a bot. 0 is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Memory in MiB: what each of its processes may allocate, and what all of them may hold together.
    #[serde(deserialize_with = "bounded")]
    pub memory_mb: u64,
    /// Processes at one time. Where the system counts only all processes of a user, the guard counts them instead,
    /// every tenth of a second.
    #[serde(deserialize_with = "bounded")]
    pub processes: u64,
    /// Open files of one process.
    #[serde(deserialize_with = "bounded")]
    pub open_files: u64,
    /// Size of a file it writes, in MiB.
    #[serde(deserialize_with = "bounded")]
    pub file_mb: u64,
    /// What its scratch folder may hold, in MiB, files without a name that it has open included.
    #[serde(deserialize_with = "bounded")]
    pub scratch_mb: u64,
    /// Size to which a process may raise its stack, in MiB.
    #[serde(deserialize_with = "bounded")]
    pub stack_mb: u64,
    /// Processor time of one process from its start to its end, in seconds. One process serves many games, so there
    /// is no such limit unless it is set.
    #[serde(deserialize_with = "bounded")]
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

    /// Sets limits from `name=number`, several separated by commas, each once; `0` and `off` lift one.
    ///
    /// # Errors
    ///
    /// Returns a message for people.
    pub fn set(&mut self, text: &str) -> Result<(), String> {
        let mut named = Vec::new();
        for part in text.split(',') {
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| format!("`{}` is not NAME=NUMBER, such as memory_mb=512", crate::text::shown(part)))?;
            let (name, value) = (name.trim(), value.trim());
            let field = self.field(name).ok_or_else(|| {
                let hint = crate::suggest::did_you_mean(name, Self::NAMES);
                format!("no limit named `{}`{hint}; there are {}", crate::text::shown(name), Self::NAMES.join(", "))
            })?;
            if named.contains(&name) {
                return Err(format!("limit {name} is given twice; give it once"));
            }
            named.push(name);
            let shown = crate::text::shown(value);
            *field = match value {
                "off" => 0,
                number => {
                    number.parse().map_err(|_| format!("limit {name}: `{shown}` is neither a number nor `off`"))?
                }
            };
            if *field > Self::MOST {
                return Err(format!("limit {name}: `{shown}` is too large: at most {}, or `off`", Self::MOST));
            }
        }
        self.check()
    }

    /// Whether a program can be started within them.
    ///
    /// # Errors
    ///
    /// Returns a message for people.
    pub fn check(&self) -> Result<(), String> {
        let files = self.open_files;
        if (1..Self::OPEN_FILES_LEAST).contains(&files) {
            let least = Self::OPEN_FILES_LEAST;
            return Err(format!("limit open_files: `{files}` is too small: at least {least}, or 0 for no limit"));
        }
        Ok(())
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

/// As [`Limits::set`] reads them, with a space after each comma.
impl std::fmt::Display for Limits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut values = self.clone();
        for (index, name) in Self::NAMES.into_iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            match values.field(name).copied() {
                None | Some(0) => write!(f, "{separator}{name}=off")?,
                Some(value) => write!(f, "{separator}{name}={value}")?,
            }
        }
        Ok(())
    }
}

fn bounded<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let limit = u64::deserialize(deserializer)?;
    if limit > Limits::MOST {
        let why = format!("{limit} is too large: at most {}, or 0 for no limit", Limits::MOST);
        return Err(serde::de::Error::custom(why));
    }
    Ok(limit)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_set_by_name() {
        let mut limits = Limits::default();
        limits.set("memory_mb=512,processes=off").unwrap();
        assert_eq!(limits, Limits { memory_mb: 512, processes: 0, ..Limits::default() });
        assert_eq!(
            limits.set("memory=512").unwrap_err(),
            "no limit named `memory` (did you mean `memory_mb`?); there are memory_mb, processes, open_files, \
             file_mb, scratch_mb, stack_mb, cpu_s"
        );
        assert_eq!(limits.set("memory_mb=1, memory_mb=2").unwrap_err(), "limit memory_mb is given twice; give it once");
        let mut read = Limits { stack_mb: 7, ..Limits::default() };
        read.set(&limits.to_string()).unwrap();
        assert_eq!(read, limits);
        assert_eq!(
            limits.set("memory_mb=17592186044417").unwrap_err(),
            "limit memory_mb: `17592186044417` is too large: at most 1099511627776, or `off`"
        );
        assert_eq!(
            limits.set("open_files=15").unwrap_err(),
            "limit open_files: `15` is too small: at least 16, or 0 for no limit"
        );
        assert!(limits.set("open_files=16").is_ok() && limits.set("open_files=0").is_ok());
        assert_eq!(limits.set("cpu_s=-1").unwrap_err(), "limit cpu_s: `-1` is neither a number nor `off`");
    }

    #[test]
    fn limits_in_a_manifest_are_partial_and_checked() {
        let limits: Limits = toml::from_str("memory_mb = 64").unwrap();
        assert_eq!(limits, Limits { memory_mb: 64, ..Limits::default() });
        assert!(toml::from_str::<Limits>("memory = 64").is_err());
        for name in Limits::NAMES {
            let read = |limit: u64| toml::from_str::<Limits>(&format!("{name} = {limit}"));
            assert!(read(1 << 40).is_ok());
            let error = read((1 << 40) + 1).unwrap_err();
            assert_eq!(error.message(), "1099511627777 is too large: at most 1099511627776, or 0 for no limit");
        }
    }
}
