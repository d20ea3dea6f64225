//! The files that a bot was when its fingerprint was taken: what plays under it later must be the same.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::guard::{is_executable, open_foreign};

/// A file as it was.
#[derive(Debug, Clone)]
pub struct Original {
    path: PathBuf,
    stamp: Stamp,
    executable: bool,
    /// None if the stamp alone must do.
    content: Option<blake3::Hash>,
}

/// What changes whenever a file is written to or replaced: device, inode, size, times of the content and of the inode
/// in seconds and nanoseconds. Compared, never reckoned with: the clock behind the times may jump.
type Stamp = [i64; 7];
/// Of these, what does not change when a file merely gets another name or owner.
const WITHOUT_INODE_TIME: usize = 5;

impl Original {
    /// Remembers the file and hashes its content.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be read.
    pub fn read(path: &Path) -> io::Result<Self> {
        let file = open_foreign(path)?;
        // Before the content is read, so that what is written meanwhile shows later.
        let meta = file.metadata()?;
        Ok(Self { content: Some(hash(&file, meta.size())?), ..Self::of(path, &meta) })
    }

    /// Remembers the file without reading it.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be looked at.
    pub fn seen(path: &Path) -> io::Result<Self> {
        Ok(Self::of(path, &std::fs::metadata(path)?))
    }

    fn of(path: &Path, meta: &Metadata) -> Self {
        Self { path: path.to_owned(), stamp: stamp(meta), executable: is_executable(meta), content: None }
    }

    /// Hash of what was in it, unless it was not read.
    #[must_use]
    pub fn content(&self) -> Option<&blake3::Hash> {
        self.content.as_ref()
    }

    /// Whether it could be run as a program.
    #[must_use]
    pub fn is_executable(&self) -> bool {
        self.executable
    }

    /// Whether it is the file at `path`.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        self.path == path
    }

    /// Whether the file was written to or replaced, if only by its like.
    pub(super) fn is_touched(&self) -> bool {
        std::fs::metadata(&self.path).map_or(true, |meta| stamp(&meta) != self.stamp)
    }

    fn is_unchanged(&self) -> io::Result<bool> {
        let meta = std::fs::metadata(&self.path)?;
        let stamp = stamp(&meta);
        Ok(match self.content {
            None => stamp[..WITHOUT_INODE_TIME] == self.stamp[..WITHOUT_INODE_TIME],
            Some(_) if stamp == self.stamp => true,
            Some(old) => {
                let is_like = meta.is_file() && is_executable(&meta) == self.executable;
                is_like
                    && match hash(&open_foreign(&self.path)?, meta.size()) {
                        // It is being written: it was shorter a moment ago.
                        Err(error) if error.kind() == io::ErrorKind::InvalidData => false,
                        content => content? == old,
                    }
            }
        })
    }

    /// What has become of the file, if it is not what it was. One that was merely touched, or replaced by its like, is.
    pub(super) fn change(&self) -> Option<String> {
        let path = crate::text::shown(&self.path.to_string_lossy());
        match self.is_unchanged() {
            Ok(true) => None,
            Ok(false) => Some(format!("{path} is not the file it was when this run began")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Some(format!("{path} was there when this run began, and is gone"))
            }
            Err(error) => Some(format!("{path} cannot be looked at any more: {error}")),
        }
    }
}

/// Hash of the content of a file that is as large as it says. What the kernel makes up while it is read (`/proc`) says 0,
/// and some of that has no end.
fn hash(mut file: &File, size: u64) -> io::Result<blake3::Hash> {
    let mut content = blake3::Hasher::new();
    let mut bytes = vec![0; 64 << 10];
    loop {
        match file.read(&mut bytes) {
            Ok(0) => return Ok(content.finalize()),
            Ok(count) => content.update(&bytes[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if content.count() > size {
            let says = "it holds more than its size says; it must be a file of a disk that nobody writes to";
            return Err(io::Error::new(io::ErrorKind::InvalidData, says));
        }
    }
}

fn stamp(meta: &Metadata) -> Stamp {
    [
        meta.dev() as i64,
        meta.ino() as i64,
        meta.size() as i64,
        meta.mtime(),
        meta.mtime_nsec(),
        meta.ctime(),
        meta.ctime_nsec(),
    ]
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_what_it_was_until_its_content_differs() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bot");
        fs::write(&path, "one").unwrap();
        let (read, seen) = (Original::read(&path).unwrap(), Original::seen(&path).unwrap());
        assert_eq!((read.change(), seen.change(), read.is_touched()), (None, None, false));
        fs::hard_link(&path, dir.path().join("link")).unwrap();
        assert_eq!((read.change(), seen.change()), (None, None));

        // Its like in its place: another inode. Whoever has not read it cannot know.
        fs::write(dir.path().join("new"), "one").unwrap();
        fs::rename(dir.path().join("new"), &path).unwrap();
        assert_eq!((read.change(), read.is_touched()), (None, true));
        assert!(seen.change().unwrap().contains("is not the file it was"));

        // What could be run can no longer be, or the other way round.
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        assert!(read.change().unwrap().contains("is not the file it was"));
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
        assert_eq!(read.change(), None);

        // The same size, and the time of the content as it was.
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, "two").unwrap();
        File::options().append(true).open(&path).unwrap().set_modified(modified).unwrap();
        assert!(read.change().unwrap().contains("is not the file it was"));

        fs::remove_file(&path).unwrap();
        assert!(read.change().unwrap().ends_with("is gone"));
        fs::create_dir(&path).unwrap();
        assert!(read.change().unwrap().contains("is not the file it was"));
        assert!(Original::read(&dir.path().join("none")).is_err());
    }

    #[test]
    fn what_the_kernel_makes_up_is_not_read_to_its_end() {
        let says = Original::read(Path::new("/proc/self/pagemap")).unwrap_err().to_string();
        assert!(says.contains("more than its size says"), "{says}");
        // Whatever holds more than it said a moment ago is being written.
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bot");
        fs::write(&path, "one").unwrap();
        let read = Original::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/proc/self/status", &path).unwrap();
        assert!(read.change().unwrap().contains("is not the file it was"));
    }

    #[test]
    fn a_file_is_read_up_to_the_size_it_had() {
        let mut file = tempfile::tempfile().unwrap();
        let content = |file: &mut File, size| {
            io::Seek::rewind(file).unwrap();
            hash(file, size)
        };
        io::Write::write_all(&mut file, b"four").unwrap();
        assert!(content(&mut file, 3).is_err());
        // It may have become shorter.
        for size in [4, 5, u64::MAX] {
            assert_eq!(content(&mut file, size).unwrap(), blake3::hash(b"four"));
        }
    }
}
