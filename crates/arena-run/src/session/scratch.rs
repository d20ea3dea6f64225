//! The folder for bots' temporary files.

use std::ffi::CStr;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::Context;
use arena_guard::{make_folder, remove_folder};
use arena_play::player::process::Launch;
use arena_play::roster::FoundBot;
use rustix::fs::{self, AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;

/// Prefix of the names of scratch folders; the number of the process and another number follow.
const PREFIX: &str = "arena-bots-";
/// An empty file that marks a folder as ours.
const MARK: &CStr = c".scratch-of-arena";
const OPEN: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A private folder for the bots' temporary files, removed when dropped. It is locked, so that other arenas know that it is
/// in use.
#[derive(Debug)]
pub struct Scratch(PathBuf, #[expect(dead_code, reason = "held for its lock")] File);

impl Scratch {
    /// Creates one, and removes those of arenas that were killed.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder for temporary files cannot be written to.
    pub fn create() -> anyhow::Result<Self> {
        // Absolute, because bots run in other folders.
        let place = std::path::absolute(std::env::temp_dir()).context("finding the folder for temporary files")?;
        Self::create_in(&place)
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Settings for starting a bot that writes here.
    #[must_use]
    pub fn launch(&self, bot: &FoundBot) -> Launch {
        Launch { scratch: self.0.clone(), ..bot.launch.clone() }
    }

    /// Also removes those of killed arenas in `place`.
    fn create_in(place: &Path) -> anyhow::Result<Self> {
        /// Number of other arenas that may take the new folder for an abandoned one, in the moment before it is locked.
        const TRIES: u32 = 10;
        remove_left_behind(place);
        let cause = || format!("creating a scratch folder in {}; set TMPDIR to another folder", place.display());
        let mut tries = TRIES;
        loop {
            let dir = make_folder(place, &format!("{PREFIX}{}", std::process::id())).with_context(cause)?;
            match claim(&dir) {
                Ok(locked) => return Ok(Self(dir, locked)),
                Err(Errno::NOENT | Errno::WOULDBLOCK) if tries > 0 => tries -= 1,
                Err(error) => {
                    let _ = remove_folder(&dir, Some(MARK));
                    return Err(error).with_context(|| format!("preparing scratch folder {}", dir.display()));
                }
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If something cannot be removed, it stays in the system's folder for temporary files.
        let _ = remove_folder(&self.0, Some(MARK));
    }
}

/// Locks a folder, then marks it: one that is marked and not locked has lost its owner.
fn claim(dir: &Path) -> Result<File, Errno> {
    let folder = File::from(fs::openat(CWD, dir, OPEN, Mode::empty())?);
    // On a file system without locks, no other process can lock it either.
    if matches!(folder.try_lock(), Err(TryLockError::WouldBlock)) {
        return Err(Errno::WOULDBLOCK);
    }
    fs::openat(&folder, MARK, OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR)?;
    Ok(folder)
}

/// Removes folders of this user that an arena has marked and that no arena has locked. Also removes empty ones, which were
/// not marked yet or no longer. What cannot be removed stays.
fn remove_left_behind(place: &Path) {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let numbers = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
        if !numbers.is_some_and(|(process, number)| is_number(process) && is_number(number)) {
            continue;
        }
        let Ok(folder) = fs::openat(CWD, entry.path(), OPEN, Mode::empty()).map(File::from) else { continue };
        let is_own = fs::fstat(&folder).is_ok_and(|stat| stat.st_uid == rustix::process::geteuid().as_raw());
        if !is_own || folder.try_lock().is_err() {
            continue;
        }
        if fs::statat(&folder, MARK, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
            let _ = remove_folder(&entry.path(), Some(MARK));
        } else {
            // Fails unless it is empty.
            let _ = fs::unlinkat(CWD, entry.path(), AtFlags::REMOVEDIR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, write};
    use std::os::unix::fs::symlink;

    #[test]
    fn what_a_killed_arena_left_goes_and_what_another_has_stays() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        let held = Scratch::create_in(place.path()).unwrap();
        write(held.0.join("kept"), "").unwrap();
        for marked in ["arena-bots-1-0", "arena-bots-22-3", "arena-bots-1-x", "arena-bots-1", "arena-1-0", "other-1-0"]
        {
            create_dir_all(path(marked).join("bot-0/deep")).unwrap();
            write(path(marked).join(MARK.to_str().unwrap()), "").unwrap();
        }
        // One that was killed between removing its mark and its folder.
        create_dir_all(path("arena-bots-3-0")).unwrap();
        create_dir_all(path("arena-bots-2026-11/thesis")).unwrap();
        write(path("arena-bots-1-5"), "").unwrap();
        symlink(&held.0, path("arena-bots-1-6")).unwrap();
        let second = Scratch::create_in(place.path()).unwrap();
        assert!(held.0.join("kept").exists() && second.0.exists() && held.0 != second.0);
        drop((held, second));
        let mut left: Vec<_> =
            std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        let kept =
            ["arena-bots-1", "arena-bots-1-5", "arena-bots-1-6", "arena-bots-1-x", "arena-bots-2026-11", "other-1-0"];
        assert_eq!(left, [&["arena-1-0"], &kept[..]].concat());
        assert!(path("arena-bots-2026-11/thesis").exists());
    }
}
