//! Folders that bots have written to.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{self, AtFlags, CWD, Dir, Mode, OFlags};
use rustix::io::Errno;

const OPEN: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Creates a folder in `place`, accessible to the owner alone: `NAME-0`, or the first number that is free.
///
/// # Errors
///
/// Returns an error if none can be made there.
pub fn make_folder(place: &Path, name: &str) -> io::Result<PathBuf> {
    for number in 0..=u32::MAX {
        let folder = place.join(format!("{name}-{number}"));
        match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
            // A folder that exists may be in use or belong to another user.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| folder),
        }
    }
    Err(io::Error::other("all names for it are taken"))
}

/// Removes a folder with everything in it, of any depth and with any modes. Links are not followed. The file `mark`
/// directly in it, if given, is removed last: after an interruption the folder is still marked, or empty.
///
/// # Errors
///
/// Returns an error if there is no such folder, or if something in it cannot be removed.
pub fn remove_folder(dir: &Path, mark: Option<&CStr>) -> io::Result<()> {
    let top = fs::openat(CWD, dir, OPEN, Mode::empty())?;
    empty_folder(&top, mark)?;
    if let Some(mark) = mark {
        match fs::unlinkat(&top, mark, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(fs::unlinkat(CWD, dir, AtFlags::REMOVEDIR)?)
}

/// Removes everything in a folder except the file `mark`.
fn empty_folder(top: &OwnedFd, mark: Option<&CStr>) -> io::Result<()> {
    // Folders are moved to the top to be emptied, so that neither memory nor descriptors grow with their depth.
    let mut moved = 0_u64;
    loop {
        let mut found = false;
        for folder in folders_in(top, mark)? {
            let folder = folder?;
            found = true;
            fs::chmodat(top, &folder, Mode::RWXU, AtFlags::empty())?;
            let inner = fs::openat(top, &folder, OPEN, Mode::empty())?;
            for below in folders_in(&inner, None)? {
                let below = below?;
                // To move a folder is to write into it.
                fs::chmodat(&inner, &below, Mode::RWXU, AtFlags::empty())?;
                while let Err(error) = fs::renameat(&inner, &below, top, format!("moved-{moved}")) {
                    let is_taken = matches!(error, Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR);
                    if !is_taken || moved == u64::MAX {
                        return Err(error.into());
                    }
                    moved += 1;
                }
                moved += 1;
            }
            fs::unlinkat(top, &folder, AtFlags::REMOVEDIR)?;
        }
        if !found {
            return Ok(());
        }
    }
}

/// Iterates over the subfolders of a folder, removing everything else in it except `kept`.
fn folders_in<'a>(
    dir: &'a OwnedFd,
    kept: Option<&'a CStr>,
) -> io::Result<impl Iterator<Item = io::Result<CString>> + 'a> {
    let entries = Dir::read_from(dir)?;
    Ok(entries.filter_map(move |entry| {
        let name = match entry {
            Ok(entry) => entry.file_name().to_owned(),
            Err(error) => return Some(Err(error.into())),
        };
        // Unlinking removes everything except folders, links included.
        let is_folder = ![Some(c"."), Some(c".."), kept].contains(&Some(&*name))
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
    fn a_name_that_is_taken_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        write(place.path().join("bot-1"), "").unwrap();
        let [first, second] = [(); 2].map(|()| make_folder(place.path(), "bot").unwrap());
        assert_eq!([&first, &second], [&place.path().join("bot-0"), &place.path().join("bot-2")]);
        remove_folder(&first, None).unwrap();
        assert_eq!(make_folder(place.path(), "bot").unwrap(), first);
        assert!(make_folder(&place.path().join("none"), "bot").is_err());
    }

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
        remove_folder(&dir, None).unwrap();
        assert!(!dir.exists() && outside.path().join("kept").exists());
        assert!(remove_folder(&dir, None).is_err());
    }

    #[test]
    fn a_link_in_place_of_the_folder_is_not_followed() {
        let outside = tempfile::tempdir().unwrap();
        let (kept, link) = (outside.path().join("kept"), outside.path().join("link"));
        std::fs::create_dir(&kept).unwrap();
        write(kept.join("file"), "").unwrap();
        symlink(&kept, &link).unwrap();
        assert!(remove_folder(&link, None).is_err());
        assert!(kept.join("file").exists());
    }

    #[test]
    fn the_mark_goes_last() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("scratch");
        create_dir_all(dir.join("a/b")).unwrap();
        for file in ["mark", "other", "a/mark", "a/b/mark"] {
            File::create(dir.join(file)).unwrap();
        }
        empty_folder(&fs::openat(CWD, &dir, OPEN, Mode::empty()).unwrap(), Some(c"mark")).unwrap();
        let left: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["mark"]);
        remove_folder(&dir, Some(c"mark")).unwrap();
        assert!(!dir.exists());
    }
}
