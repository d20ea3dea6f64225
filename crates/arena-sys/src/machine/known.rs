//! Stored calibrations, so that later runs on a machine know how fast it is.
//!
//! Each has a file of its own, named after a hash of machine and slots: the machines of a cluster often share a home folder,
//! and may be calibrated at the same time.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use arena_core::record::Calibration;
use serde::{Deserialize, Serialize};

use super::{Machine, playouts};

/// Longest file that is read, in bytes.
const FILE_MAX: u64 = 64 * 1024;

/// The folder of stored calibrations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calibrations(PathBuf);

/// What a file has: of what it is, which all must agree, and the speeds.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KnownSpeeds {
    host: String,
    class: String,
    cpu: String,
    slots: usize,
    /// Version of the reference loop.
    version: u32,
    calibration: Calibration,
}

/// The stored calibration of this machine with `slots` slots, if there is one.
#[must_use]
pub fn known(slots: usize) -> Option<Calibration> {
    Calibrations::of_user()?.find(&Machine::this(), slots)
}

/// Stores a calibration of this machine for later runs of the user, and returns its file.
///
/// # Errors
///
/// Returns an error with the cure if there is no place for it, or it cannot be written.
pub fn store(slots: usize, calibration: Calibration) -> anyhow::Result<PathBuf> {
    let stored = Calibrations::of_user()
        .context("the calibration is not stored: there is no home folder; set HOME or XDG_CACHE_HOME")?;
    stored.store(&Machine::this(), slots, calibration)
}

impl Calibrations {
    /// Those of the user: `arena/calibration` in `$XDG_CACHE_HOME`, or else in `~/.cache`. `None` without a home.
    #[must_use]
    pub fn of_user() -> Option<Self> {
        Some(Self::within(&cache_folder()?))
    }

    /// Those in the cache folder `cache`.
    #[must_use]
    pub fn within(cache: &Path) -> Self {
        Self(cache.join("arena").join("calibration"))
    }

    /// The calibration of a machine with `slots` slots. What cannot be read or is damaged counts as missing.
    #[must_use]
    pub fn find(&self, machine: &Machine, slots: usize) -> Option<Calibration> {
        let mut text = String::new();
        File::open(self.path(machine, slots)).ok()?.take(FILE_MAX).read_to_string(&mut text).ok()?;
        let found: KnownSpeeds = serde_json::from_str(&text).ok()?;
        let Calibration { alone, busy } = found.calibration;
        (alone > 0 && busy > 0 && found == entry(machine, slots, found.calibration)).then_some(found.calibration)
    }

    /// Stores a calibration, and returns its file. Readers see either the old file or the new one.
    ///
    /// # Errors
    ///
    /// Returns an error with the path and the cure if the file cannot be written.
    pub fn store(&self, machine: &Machine, slots: usize, calibration: Calibration) -> anyhow::Result<PathBuf> {
        let path = self.path(machine, slots);
        let text = serde_json::to_string(&entry(machine, slots, calibration))?;
        // Processes of this machine may write at the same time, each its own temporary file.
        let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
        let write = || -> io::Result<()> {
            fs::create_dir_all(&self.0)?;
            fs::write(&temporary, text + "\n")?;
            fs::rename(&temporary, &path)
        };
        if let Err(error) = write() {
            // Best effort: the error matters more.
            fs::remove_file(&temporary).ok();
            return Err(error).with_context(|| {
                format!(
                    "could not store the calibration in `{}`; make its folder writable, or set XDG_CACHE_HOME to one \
                     that is",
                    path.display()
                )
            });
        }
        Ok(path)
    }

    fn path(&self, machine: &Machine, slots: usize) -> PathBuf {
        let key = blake3::hash(format!("{}\0{}\0{}\0{slots}", machine.host, machine.class, machine.cpu).as_bytes());
        self.0.join(format!("{}.json", &key.to_hex()[..16]))
    }
}

/// The folder of what the user's programs can make again: `$XDG_CACHE_HOME`, or else `~/.cache`. `None` without a home.
#[must_use]
pub fn cache_folder() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))
}

fn entry(machine: &Machine, slots: usize, calibration: Calibration) -> KnownSpeeds {
    let Machine { host, class, cpu, .. } = machine.clone();
    KnownSpeeds { host, class, cpu, slots, version: playouts::VERSION, calibration }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEED: Calibration = Calibration { alone: 1_000, busy: 900 };

    fn machine(host: &str, cpu: &str) -> Machine {
        let [host, cpu] = [host, cpu].map(str::to_owned);
        Machine { host, os: "Linux".to_owned(), class: "x86_64-linux-v3".to_owned(), cpu, cpus: 2 }
    }

    #[test]
    fn machines_that_share_a_home_keep_their_calibrations() {
        let dir = tempfile::tempdir().unwrap();
        let stored = Calibrations::within(dir.path());
        let [a, b, upgraded] = [machine("a", "old"), machine("b", "old"), machine("a", "new")];
        assert_eq!(stored.find(&a, 2), None);
        stored.store(&a, 2, Calibration { alone: 1, busy: 1 }).unwrap();
        stored.store(&a, 2, SPEED).unwrap();
        let other = Calibration { alone: 2_000, busy: 2_000 };
        stored.store(&b, 2, other).unwrap();
        assert_eq!([&a, &b, &upgraded].map(|machine| stored.find(machine, 2)), [Some(SPEED), Some(other), None]);
        assert_eq!(stored.find(&a, 1), None);
        assert_eq!(fs::read_dir(&stored.0).unwrap().count(), 2, "no temporary file remains");
    }

    #[test]
    fn a_damaged_file_counts_as_missing() {
        let dir = tempfile::tempdir().unwrap();
        let stored = Calibrations::within(dir.path());
        let machine = machine("a", "old");
        let path = stored.store(&machine, 2, SPEED).unwrap();
        let whole = fs::read_to_string(&path).unwrap();
        for cut in 0..whole.trim_end().len() {
            fs::write(&path, &whole[..cut]).unwrap();
            assert_eq!(stored.find(&machine, 2), None, "{}", &whole[..cut]);
        }
        for (from, to) in [
            ("\"host\":\"a\"", "\"host\":\"b\""),
            ("\"version\":1", "\"version\":0"),
            ("[1000,900]", "[0,900]"),
            ("[1000,900]", "[1000]"),
            ("[1000,900]", "[-1,1e9]"),
            ("old", "\u{0}"),
        ] {
            fs::write(&path, whole.replace(from, to)).unwrap();
            assert_eq!(stored.find(&machine, 2), None, "{from} → {to}");
        }
        fs::write(&path, [0xff; 100]).unwrap();
        assert_eq!(stored.find(&machine, 2), None);
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert_eq!(stored.find(&machine, 2), None);
        assert!(format!("{:#}", stored.store(&machine, 2, SPEED).unwrap_err()).contains("XDG_CACHE_HOME"));
    }
}
