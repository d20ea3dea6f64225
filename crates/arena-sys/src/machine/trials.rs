//! Trials of sandboxes that were passed, kept so that a command need not start a test bot for each sandbox again.
//!
//! A file says only in which [`Circumstances`] a trial was passed; its content is compared with those of now. So a file that is
//! damaged, or that someone has made up, claims nothing that does not hold: see [`arena_guard::probe::circumstances`].

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use arena_guard::probe::Circumstances;
use rustix::fs::OFlags;

use super::cache_folder;

/// Longest file that is read, in bytes.
const FILE_MAX: u64 = 64 * 1024;
/// Only its owner may read it, and write to it.
const MODE: u32 = 0o600;

/// The folder of the trials that were passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedTrials(PathBuf);

impl PassedTrials {
    /// Those of the user: `arena/sandbox` in `$XDG_CACHE_HOME`, or else in `~/.cache`. `None` without a home.
    #[must_use]
    pub fn of_user() -> Option<Self> {
        Some(Self::within(&cache_folder()?))
    }

    /// Those in the cache folder `cache`.
    #[must_use]
    pub fn within(cache: &Path) -> Self {
        Self(cache.join("arena").join("sandbox"))
    }

    /// Whether a trial was passed in these circumstances. A file that cannot be read, is not the user's alone, or is no regular
    /// file counts as missing.
    #[must_use]
    pub fn has(&self, circumstances: &Circumstances) -> bool {
        self.read(circumstances).is_ok_and(|text| text == circumstances.all)
    }

    /// Notes that a trial was passed. Readers see either the old file or the new one. If it cannot be noted, later commands
    /// only start more slowly.
    pub fn note(&self, circumstances: &Circumstances) {
        let _ = self.write(circumstances);
    }

    fn read(&self, circumstances: &Circumstances) -> io::Result<String> {
        // Without waiting for a writer of a FIFO, nor for the holder of a lease.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file =
            OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(self.path(circumstances))?;
        let meta = file.metadata()?;
        let is_ours = meta.uid() == rustix::process::geteuid().as_raw() && meta.mode() & 0o7777 == MODE;
        if !meta.is_file() || !is_ours || meta.len() > FILE_MAX {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        let mut text = String::new();
        file.take(FILE_MAX).read_to_string(&mut text)?;
        Ok(text)
    }

    fn write(&self, circumstances: &Circumstances) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        self.refuse_foreign_home()?;
        DirBuilder::new().recursive(true).mode(0o700).create(&self.0)?;
        let path = self.path(circumstances);
        // Others may write at the same time, each its own temporary file.
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
        // Left by a process of the same number.
        let _ = fs::remove_file(&temporary);
        let mut file: File = OpenOptions::new().write(true).create_new(true).mode(MODE).open(&temporary)?;
        let written = file.write_all(circumstances.all.as_bytes()).and_then(|()| fs::rename(&temporary, &path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    /// An error if the folder would be made in one of another user, such as by `sudo` in the home of its user, who could then
    /// not write to it.
    fn refuse_foreign_home(&self) -> io::Result<()> {
        let home = self.0.ancestors().find_map(|folder| fs::metadata(folder).ok());
        let is_ours = home.is_some_and(|home| home.uid() == rustix::process::geteuid().as_raw());
        if is_ours { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
    }

    /// One file for each subject, so that new circumstances replace old ones.
    fn path(&self, circumstances: &Circumstances) -> PathBuf {
        self.0.join(&blake3::hash(circumstances.subject.as_bytes()).to_hex()[..16])
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn circumstances(subject: &str, all: &str) -> Circumstances {
        Circumstances { subject: subject.to_owned(), all: all.to_owned() }
    }

    /// A folder with a noted trial, and the file of that.
    fn noted() -> (tempfile::TempDir, PassedTrials, Circumstances, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let trials = PassedTrials::within(dir.path());
        let passed = circumstances("auto", "boot 1\nfile 2\n");
        assert!(!trials.has(&passed));
        trials.note(&passed);
        assert!(trials.has(&passed));
        let path = trials.path(&passed);
        (dir, trials, passed, path)
    }

    #[test]
    fn a_trial_is_known_in_the_same_circumstances_and_in_no_others() {
        let (_dir, trials, passed, path) = noted();
        let now = circumstances("auto", "boot 2\nfile 2\n");
        let other = circumstances("strict", "boot 1\nfile 2\n");
        assert!(!trials.has(&now) && !trials.has(&other));
        trials.note(&other);
        trials.note(&now);
        assert_eq!([&passed, &now, &other].map(|each| trials.has(each)), [false, true, true]);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, MODE);
        assert_eq!(fs::read_dir(&trials.0).unwrap().count(), 2, "no temporary file remains");
    }

    #[test]
    fn a_damaged_file_counts_as_missing_and_is_replaced() {
        let (_dir, trials, passed, path) = noted();
        let whole = fs::read(&path).unwrap();
        let too_long = [&whole[..], &vec![b'\n'; FILE_MAX as usize]].concat();
        let cut = (0..whole.len()).map(|cut| whole[..cut].to_vec());
        for damaged in cut.chain([vec![0xff; 100], too_long, [&whole[..], b"\n"].concat()]) {
            fs::write(&path, &damaged).unwrap();
            assert!(!trials.has(&passed), "{} bytes", damaged.len());
        }
        trials.note(&passed);
        assert!(trials.has(&passed));
    }

    #[test]
    fn only_a_regular_file_of_the_user_alone_counts_and_no_link_is_followed() {
        let (dir, trials, passed, path) = noted();
        let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        for open in [0o644, 0o660, 0o606, 0o700, 0o4600] {
            mode(open);
            assert!(!trials.has(&passed), "{open:o}");
        }
        mode(MODE);
        // Only root can give a file away.
        if std::os::unix::fs::chown(&path, Some(4_000_000), None).is_ok() {
            assert!(!trials.has(&passed));
            std::os::unix::fs::chown(&path, Some(rustix::process::getuid().as_raw()), None).unwrap();
        }
        assert!(trials.has(&passed));
        let elsewhere = dir.path().join("elsewhere");
        fs::rename(&path, &elsewhere).unwrap();
        symlink(&elsewhere, &path).unwrap();
        assert!(!trials.has(&passed));
        // The link is replaced, not what it leads to.
        fs::write(&elsewhere, "mine").unwrap();
        trials.note(&passed);
        assert!(trials.has(&passed));
        assert_eq!(fs::read(&elsewhere).unwrap(), b"mine");

        fs::remove_file(&path).unwrap();
        let permissions = rustix::fs::Mode::from_raw_mode(MODE);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, permissions, 0).unwrap();
        assert!(!trials.has(&passed), "and it does not wait for a writer");
        trials.note(&passed);
        assert!(trials.has(&passed));

        // A folder in its place stays, and there is nothing to be known.
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        trials.note(&passed);
        assert!(!trials.has(&passed));
        assert_eq!(fs::read_dir(&trials.0).unwrap().count(), 1, "no temporary file remains");
    }

    #[test]
    fn nothing_is_made_in_a_home_of_another_user() {
        let dir = tempfile::tempdir().unwrap();
        if std::os::unix::fs::chown(dir.path(), Some(4_000_000), None).is_err() {
            // Only root can give a folder away, and only root could write to it.
            return;
        }
        let trials = PassedTrials::within(&dir.path().join(".cache"));
        let passed = circumstances("auto", "boot 1\n");
        trials.note(&passed);
        assert!(!trials.has(&passed));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn many_may_note_and_read_at_once() {
        let (_dir, trials, passed, _) = noted();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        trials.note(&passed);
                        assert!(trials.has(&passed), "there is always a whole file");
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(&trials.0).unwrap().count(), 1, "no temporary file remains");
    }
}
