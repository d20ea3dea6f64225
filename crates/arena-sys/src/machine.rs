//! This machine: its name, its class, how fast it is, which sandboxes were tried on it, and what was written on it.
//!
//! Results depend on it, since time limits are of real time. So every record says where it was played, and tables of
//! games from several machines can tell them apart. Nothing here knows games or tournaments.

mod calibrate;
mod cpu;
mod known;
mod own_key;
mod playouts;
mod trials;

use std::fs::File;
use std::io::Read as _;
use std::sync::LazyLock;

use arena_core::record::PlayedOn;
use serde::Serialize;

pub use calibrate::measure;
pub use known::{Calibrations, cache_folder, known, store};
pub use own_key::OwnKey;
pub use trials::PassedTrials;

/// Bytes of `/proc/cpuinfo` that are read; one processor takes less than half.
const CPUINFO_MAX: u64 = 16 * 1024;

/// A machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// Host name.
    pub host: String,
    /// Operating system and architecture.
    pub os: String,
    /// Target and CPU level as one word, see [`PlayedOn::class`].
    pub class: String,
    /// Model of the CPU; empty if the system does not report it.
    pub cpu: String,
    /// Logical CPUs that this process may use.
    pub cpus: usize,
}

impl Machine {
    /// The machine this runs on.
    #[must_use]
    pub fn this() -> Self {
        let uname = rustix::system::uname();
        let [system, release] = [uname.sysname(), uname.release()].map(|text| text.to_string_lossy().into_owned());
        let (class, cpu) = CPU.clone();
        Self {
            host: uname.nodename().to_string_lossy().into_owned(),
            os: format!("{system} {release} {}", std::env::consts::ARCH),
            class,
            cpu,
            cpus: std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get),
        }
    }

    /// What records say of this machine if it plays `slots` games at a time. The calibration is that of an earlier
    /// [`measure`], if it was stored.
    #[must_use]
    pub fn played_on(&self, slots: usize) -> PlayedOn {
        PlayedOn {
            class: self.class.clone(),
            cpu: self.cpu.clone(),
            slots: u32::try_from(slots).unwrap_or(u32::MAX),
            calibration: Calibrations::of_user().and_then(|stored| stored.find(self, slots)),
        }
    }
}

/// Class and model; read once, since it may take the kernel milliseconds to ask all processors.
static CPU: LazyLock<(String, String)> = LazyLock::new(|| {
    let mut bytes = Vec::new();
    if let Ok(file) = File::open("/proc/cpuinfo") {
        // What was read before an error is as good.
        let _ = file.take(CPUINFO_MAX).read_to_end(&mut bytes);
    }
    let cpuinfo = String::from_utf8_lossy(&bytes);
    (cpu::class(std::env::consts::ARCH, std::env::consts::OS, &cpuinfo), cpu::model(&cpuinfo))
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_class_that_begins_with_its_target() {
        let machine = Machine::this();
        let target = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
        assert!(machine.class.starts_with(&target), "{machine:?}");
        assert!(machine.cpus > 0 && !machine.host.is_empty(), "{machine:?}");
        let played_on = machine.played_on(3);
        assert_eq!((played_on.class, played_on.cpu, played_on.slots), (machine.class, machine.cpu, 3));
    }
}
