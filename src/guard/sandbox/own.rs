//! A bot's own files, without those of its folders that stay closed to it.

use std::path::{Path, PathBuf};

/// `own` without the folders `closed`: a folder that contains one is replaced by its other entries.
///
/// Links in such a folder are included if their targets are files. Links to folders are left out: access is decided by
/// their targets.
#[must_use]
pub fn without_closed(own: &[PathBuf], closed: &[PathBuf]) -> Vec<PathBuf> {
    let mut open = Vec::new();
    for own in own {
        add_open(own, closed, &mut open);
    }
    open
}

fn add_open(path: &Path, closed: &[PathBuf], open: &mut Vec<PathBuf>) {
    if closed.iter().any(|closed| closed == path) {
        return;
    }
    if !closed.iter().any(|closed| closed.starts_with(path)) {
        open.push(path.to_owned());
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_symlink() && !path.is_file() => {}
            Ok(_) => add_open(&path, closed, open),
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beside_a_closed_folder_stays_open() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        for folder in ["bot/a/closed/deep", "bot/a/open", "bot/b", "bot/closed"] {
            std::fs::create_dir_all(path(folder)).unwrap();
        }
        for file in ["bot/main", "bot/a/part", "bot/b/part", "bot/closed/data", "alone"] {
            std::fs::write(path(file), "").unwrap();
        }
        for (target, link) in [("closed", "x"), (".", "y"), ("b", "z"), ("b/part", "file"), ("nowhere", "none")] {
            std::os::unix::fs::symlink(target, path("bot").join(link)).unwrap();
        }
        let own = [path("bot"), path("alone")];
        assert_eq!(without_closed(&own, &[]), own);
        let mut open = without_closed(&own, &[path("bot/closed"), path("bot/a/closed")]);
        open.sort();
        let expected = ["alone", "bot/a/open", "bot/a/part", "bot/b", "bot/file", "bot/main"];
        assert_eq!(open, expected.map(path));
        assert!(without_closed(&[path("bot/closed")], &[path("bot/closed")]).is_empty());
    }
}
