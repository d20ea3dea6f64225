//! What tells that something in a results folder was written by this user's arena on this machine: a line of a journal, or the note
//! that an option wrote a file.
//!
//! A mark is a hash of it under a secret key, which never leaves the user's cache folder. So a mark can be carried with a
//! results folder, and cannot be made up by whoever made the folder. Without the key, all marks are those of strangers.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use rustix::fs::OFlags;

use super::cache_folder;
use crate::entropy::unpredictable;

/// Length of a key, in bytes.
const KEY: usize = 32;
/// Only its owner may read it, and write to it.
const MODE: u32 = 0o600;
/// Length of a mark, in hexadecimal digits.
const DIGITS: usize = 32;

/// The secret key of this user on this machine.
#[derive(Clone)]
pub struct OwnKey([u8; KEY]);

impl OwnKey {
    /// Length of a mark, in bytes.
    pub const MARK: usize = DIGITS;

    /// That of the user, `arena/own-key` in `$XDG_CACHE_HOME`, or else in `~/.cache`; made if it is not there.
    ///
    /// # Errors
    ///
    /// Returns an error with the cure if there is no home, or the file cannot be made or is not the user's alone.
    pub fn of_user() -> anyhow::Result<Self> {
        let cache = cache_folder().context("there is no home folder; set HOME or XDG_CACHE_HOME")?;
        Self::within(&cache)
    }

    /// That in the cache folder `cache`.
    ///
    /// # Errors
    ///
    /// See [`OwnKey::of_user`].
    pub fn within(cache: &Path) -> anyhow::Result<Self> {
        let folder = cache.join("arena");
        let path = folder.join("own-key");
        let making = || format!("making the key {}", path.display());
        let key = match read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make(&folder, &path).with_context(making)?;
                read(&path)
            }
            key => key,
        };
        key.with_context(|| format!("reading the key {}; remove it", path.display())).map(Self)
    }

    /// The mark of a text: 32 hexadecimal digits.
    #[must_use]
    pub fn mark(&self, text: &[u8]) -> String {
        blake3::keyed_hash(&self.0, text).to_hex()[..DIGITS].to_owned()
    }
}

impl std::fmt::Debug for OwnKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OwnKey").finish_non_exhaustive()
    }
}

/// Reads a key, which must be a regular file of this user alone.
fn read(path: &Path) -> io::Result<[u8; KEY]> {
    // Without waiting for a writer of a FIFO.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    let meta = file.metadata()?;
    let is_ours = meta.uid() == rustix::process::geteuid().as_raw() && meta.mode() & 0o7777 == MODE;
    if !meta.is_file() || !is_ours || meta.len() != KEY as u64 {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is no key that only its owner can read"));
    }
    let mut key = [0; KEY];
    file.read_exact(&mut key)?;
    Ok(key)
}

/// Makes a key, unless another process is first.
fn make(folder: &Path, path: &PathBuf) -> anyhow::Result<()> {
    let home = folder.ancestors().find_map(|folder| fs::metadata(folder).ok());
    let is_ours = home.is_some_and(|home| home.uid() == rustix::process::geteuid().as_raw());
    ensure!(is_ours, "{} is in the home of another user", folder.display());
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let bytes: Vec<u8> = (0..KEY / 8).flat_map(|_| unpredictable().to_ne_bytes()).collect();
    // It gets its name when it is whole.
    let temporary = folder.join(format!(".own-key-{:016x}", unpredictable()));
    let mut file: File = OpenOptions::new().write(true).create_new(true).mode(MODE).open(&temporary)?;
    let written = file.write_all(&bytes).and_then(|()| match fs::hard_link(&temporary, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    });
    let _ = fs::remove_file(&temporary);
    Ok(written?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_key_is_made_once_and_differs_from_any_other() {
        let (here, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let keys: Vec<OwnKey> = std::thread::scope(|scope| {
            let make = || OwnKey::within(here.path()).unwrap();
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let mark = keys[0].mark(b"a line");
        assert!(keys.iter().all(|key| key.mark(b"a line") == mark), "many processes may make it at once");
        assert_ne!(keys[0].mark(b"another line"), mark);
        assert_ne!(OwnKey::within(elsewhere.path()).unwrap().mark(b"a line"), mark);
        assert_eq!(mark.len(), OwnKey::MARK);
        assert_eq!(fs::read_dir(here.path().join("arena")).unwrap().count(), 1, "no temporary file remains");
    }

    #[test]
    fn only_a_whole_file_of_the_user_alone_is_a_key() {
        let dir = tempfile::tempdir().unwrap();
        OwnKey::within(dir.path()).unwrap();
        let path = dir.path().join("arena/own-key");
        let refused = || {
            let why = format!("{:#}", OwnKey::within(dir.path()).unwrap_err());
            assert!(why.contains("own-key; remove it"), "{why}");
        };
        let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        for open in [0o644, 0o660, 0o700] {
            mode(open);
            refused();
        }
        mode(MODE);
        let whole = fs::read(&path).unwrap();
        for damaged in [&whole[..KEY - 1], &[], &[&whole[..], b"x"].concat()] {
            fs::write(&path, damaged).unwrap();
            refused();
        }
        fs::write(dir.path().join("key"), whole).unwrap();
        fs::set_permissions(dir.path().join("key"), fs::Permissions::from_mode(MODE)).unwrap();
        fs::remove_file(&path).unwrap();
        symlink(dir.path().join("key"), &path).unwrap();
        refused();
    }
}
