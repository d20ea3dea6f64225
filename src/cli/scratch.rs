//! A place for what bots write.

use std::ffi::CString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use rustix::fs::{self, AtFlags, CWD, Dir, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

/// The name of a scratch folder begins so; the number of its process and another number follow.
const PREFIX: &str = "arena-bots-";
/// An empty file in it, without which no folder is taken for one of ours.
const MARK: &str = ".scratch-of-arena";
const OPEN: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A private folder for the bots' temporary files, removed when it is dropped. It is locked, so that others know that
/// somebody has it.
pub(super) struct Scratch(pub(super) PathBuf, #[expect(dead_code, reason = "held for its lock")] OwnedFd);

impl Scratch {
    pub(super) fn create() -> anyhow::Result<Self> {
        // A bot that is told of it runs elsewhere.
        let place = std::path::absolute(std::env::temp_dir()).context("finding the folder for temporary files")?;
        Self::create_in(&place)
    }

    /// Also removes what arenas that were killed have left in `place`.
    fn create_in(place: &Path) -> anyhow::Result<Self> {
        use std::os::unix::fs::DirBuilderExt;
        remove_left_behind(place);
        // What another process with this number left behind is not ours to use.
        for number in 0_u32.. {
            let dir = place.join(format!("{PREFIX}{}-{number}", std::process::id()));
            match std::fs::DirBuilder::new().mode(0o700).create(&dir) {
                Ok(()) => match claim(&dir) {
                    Ok(locked) => return Ok(Self(dir, locked)),
                    Err(error) => {
                        let _ = remove(&dir);
                        return Err(error).with_context(|| format!("preparing scratch folder {}", dir.display()));
                    }
                },
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(error).with_context(|| {
                        format!("creating scratch folder {}; TMPDIR names another place", dir.display())
                    });
                }
            }
        }
        bail!("every name for a scratch folder in {} is taken", place.display())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is in the system's folder for temporary files.
        let _ = remove(&self.0);
    }
}

/// Locks a folder, then marks it: one that is marked and not locked has lost its owner.
fn claim(dir: &Path) -> io::Result<OwnedFd> {
    let folder = fs::openat(CWD, dir, OPEN, Mode::empty())?;
    // Where there are no locks, nobody else can lock it either.
    let _ = fs::flock(&folder, FlockOperation::NonBlockingLockExclusive);
    std::fs::write(dir.join(MARK), "")?;
    Ok(folder)
}

/// Removes folders of this user that an arena has made and marked, and that no arena has any more. What cannot be removed
/// stays.
fn remove_left_behind(place: &Path) {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let numbers = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
        if !numbers.is_some_and(|(process, number)| is_number(process) && is_number(number)) {
            continue;
        }
        let Ok(folder) = fs::openat(CWD, entry.path(), OPEN, Mode::empty()) else { continue };
        let is_own = fs::fstat(&folder).is_ok_and(|stat| stat.st_uid == rustix::process::geteuid().as_raw());
        let is_marked = fs::statat(&folder, MARK, AtFlags::SYMLINK_NOFOLLOW).is_ok();
        if is_own && is_marked && fs::flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok() {
            let _ = remove(&entry.path());
        }
    }
}

/// Removes a folder with all that bots have put there, however deep and whatever its modes. Links are not followed.
///
/// Folders are moved to the top to be emptied, so that neither memory nor descriptors grow with their depth.
fn remove(dir: &Path) -> io::Result<()> {
    let top = fs::openat(CWD, dir, OPEN, Mode::empty())?;
    let mut moved = 0_u64;
    loop {
        let mut found = false;
        for folder in folders_in(&top)? {
            let folder = folder?;
            found = true;
            fs::chmodat(&top, &folder, Mode::RWXU, AtFlags::empty())?;
            let inner = fs::openat(&top, &folder, OPEN, Mode::empty())?;
            for below in folders_in(&inner)? {
                let below = below?;
                // To move a folder is to write into it.
                fs::chmodat(&inner, &below, Mode::RWXU, AtFlags::empty())?;
                while let Err(error) = fs::renameat(&inner, &below, &top, format!("moved-{moved}")) {
                    let is_taken = matches!(error, Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR);
                    if !is_taken || moved == u64::MAX {
                        return Err(error.into());
                    }
                    moved += 1;
                }
                moved += 1;
            }
            fs::unlinkat(&top, &folder, AtFlags::REMOVEDIR)?;
        }
        if !found {
            return Ok(fs::unlinkat(CWD, dir, AtFlags::REMOVEDIR)?);
        }
    }
}

/// The folders in a folder, while everything else in it is removed.
fn folders_in(dir: &OwnedFd) -> io::Result<impl Iterator<Item = io::Result<CString>>> {
    let entries = Dir::read_from(dir)?;
    Ok(entries.filter_map(move |entry| {
        let name = match entry {
            Ok(entry) => entry.file_name().to_owned(),
            Err(error) => return Some(Err(error.into())),
        };
        // Whatever is no folder goes at once, links too: what is left must be one.
        let is_folder = ![c".", c".."].contains(&name.as_c_str())
            && fs::unlinkat(dir, &name, AtFlags::empty()).is_err_and(|error| error != Errno::NOENT);
        is_folder.then_some(Ok(name))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{DirBuilder, File, create_dir_all, set_permissions, write};
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};

    #[test]
    fn closed_folders_links_and_taken_names_go_and_what_links_lead_to_stays() {
        let outside = tempfile::tempdir().unwrap();
        write(outside.path().join("kept"), "").unwrap();
        let dir = outside.path().join("scratch");
        create_dir_all(dir.join("a/b/c")).unwrap();
        for file in ["moved-0", "a/moved-1", "a/b/c/f"] {
            File::create(dir.join(file)).unwrap();
        }
        create_dir_all(dir.join("moved-2/moved-2/x")).unwrap();
        symlink("..", dir.join("up")).unwrap();
        symlink("../../..", dir.join("a/up")).unwrap();
        symlink("gone", dir.join("a/b/dangling")).unwrap();
        DirBuilder::new().mode(0o000).create(dir.join("closed")).unwrap();
        for closed in ["a/b/c", "a/b", "a"] {
            set_permissions(dir.join(closed), PermissionsExt::from_mode(0o000)).unwrap();
        }
        remove(&dir).unwrap();
        assert!(!dir.exists() && outside.path().join("kept").exists());
        assert!(remove(&dir).is_err());
    }

    #[test]
    fn what_a_killed_arena_left_goes_and_what_another_has_stays() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        let held = Scratch::create_in(place.path()).unwrap();
        write(held.0.join("kept"), "").unwrap();
        for marked in ["arena-bots-1-0", "arena-bots-22-3", "arena-bots-1-x", "arena-bots-1", "arena-1-0", "other-1-0"]
        {
            create_dir_all(path(marked).join("bot-0/deep")).unwrap();
            write(path(marked).join(MARK), "").unwrap();
        }
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

    #[test]
    fn a_link_in_place_of_the_folder_is_not_followed() {
        let outside = tempfile::tempdir().unwrap();
        let (kept, link) = (outside.path().join("kept"), outside.path().join("link"));
        std::fs::create_dir(&kept).unwrap();
        write(kept.join("file"), "").unwrap();
        symlink(&kept, &link).unwrap();
        assert!(remove(&link).is_err());
        assert!(kept.join("file").exists());
    }
}
