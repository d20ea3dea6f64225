//! Home folders, which stay closed to bots even if they contain programs.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use super::paths::real;

/// Typical files of a home folder, by which unlisted ones are found: network users are not in `/etc/passwd`, and under
/// `sudo`, `HOME` is another user's.
const MARKS: [&str; 8] =
    [".ssh", ".gnupg", ".profile", ".bash_profile", ".bashrc", ".bash_history", ".zshrc", ".cshrc"];

/// The known homes, by their real names.
pub(super) struct Homes {
    known: Vec<PathBuf>,
    /// Cache: folders that were inspected, and whether they are homes.
    seen: Mutex<HashMap<PathBuf, bool>>,
}

impl Homes {
    /// The home folders of this user and of all users in `/etc/passwd`.
    pub(super) fn known() -> &'static Self {
        static KNOWN: LazyLock<Homes> = LazyLock::new(|| {
            let listed = std::fs::read("/etc/passwd").unwrap_or_default();
            Homes::new(std::env::var_os("HOME"), &listed)
        });
        &KNOWN
    }

    /// `HOME`, and the sixth field of each line of `passwd` (passwd(5)).
    pub(super) fn new(home: Option<OsString>, passwd: &[u8]) -> Self {
        let listed = passwd.split(|byte| *byte == b'\n').filter_map(|line| line.split(|byte| *byte == b':').nth(5));
        let homes = listed.map(OsStr::from_bytes).map(PathBuf::from).chain(home.map(PathBuf::from));
        let known = homes.filter(|home| home.is_absolute()).map(|home| real(&home)).collect();
        Self { known, seen: Mutex::default() }
    }

    /// Whether a folder, given by its real name, is a home folder or contains one. Folders within a home folder are not,
    /// because toolchains are installed there.
    pub(super) fn are_in(&self, folder: &Path) -> bool {
        folder.parent().is_none()
            || self.known.iter().any(|home| home.starts_with(folder))
            || self.is_seen_to_be_one(folder)
    }

    fn is_seen_to_be_one(&self, folder: &Path) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        *seen.entry(folder.to_owned()).or_insert_with(|| {
            is_marked(folder)
                // The target of a link is not opened together with the folder.
                || std::fs::read_dir(folder).is_ok_and(|entries| {
                    let mut entries = entries.flatten();
                    entries.any(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_marked(&entry.path()))
                })
        })
    }
}

fn is_marked(folder: &Path) -> bool {
    MARKS.iter().any(|mark| folder.join(mark).symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_and_all_above_it_are_homes_and_what_is_in_it_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for folder in ["disk/ann/tool/bin", "disk/bob/.pyenv", "far/group/eve/.ssh", "srv/tool/lib"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::os::unix::fs::symlink(root.join("disk"), root.join("home")).unwrap();
        std::fs::write(root.join("disk/bob/.pyenv/.profile.d"), "").unwrap();
        let bob = root.join("disk/../disk/bob");
        let passwd =
            format!("old:x\n\nnobody:x:2:2::/nonexistent:/bin/false\nbob:x:1:1:Bob:{}:/bin/sh\n", bob.display());
        // ann's home is found by `HOME`, which is a link, bob's by the list, and eve's by its files.
        let homes = Homes::new(Some(root.join("home/ann").into()), passwd.as_bytes());
        let is_home = |folder: &str| homes.are_in(&root.join(folder));
        for folder in ["", "disk", "disk/ann", "disk/bob", "far/group", "far/group/eve"] {
            assert!(is_home(folder), "{folder}");
        }
        for folder in ["disk/ann/tool", "disk/ann/tool/bin", "disk/bob/.pyenv", "srv", "srv/tool", "gone"] {
            assert!(!is_home(folder), "{folder}");
        }
        for home in [None, Some("".into()), Some("relative".into()), Some("/".into())] {
            let homes = Homes::new(home, b"");
            assert!(homes.are_in(Path::new("/")) && !homes.are_in(&root.join("disk")));
        }
        // Each folder is inspected once, because every bot and link asks for it.
        std::fs::remove_dir_all(root.join("far/group/eve")).unwrap();
        assert!(is_home("far/group") && is_home("far/group/eve"));
    }
}
