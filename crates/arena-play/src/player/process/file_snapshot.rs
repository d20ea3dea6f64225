//! The files of a bot as they were when its fingerprint was taken: later they must still be the same.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use arena_guard::{is_executable, open_foreign};
use arena_sys::time::now;

/// Time limit for reading the files of a bot.
pub const READ_LIMIT: Duration = Duration::from_secs(300);

/// A file as it was.
#[derive(Debug, Clone)]
pub struct FileSnapshot {
    pub(super) path: PathBuf,
    meta: Metadata,
    /// Hash of its content; `None` if it was not read, so that only the metadata can be compared.
    pub content: Option<blake3::Hash>,
}

impl FileSnapshot {
    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Records the file with a hash of its content.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be read before `end`.
    pub fn read(path: &Path, end: Instant) -> io::Result<Self> {
        let file = open_foreign(path)?;
        // Before the content is read, so that a write in between shows later.
        let meta = file.metadata()?;
        Ok(Self { content: Some(hash(&file, meta.size(), end)?), path: path.to_owned(), meta })
    }

    /// Records the file without reading it.
    ///
    /// # Errors
    ///
    /// Returns an error if its metadata cannot be read.
    pub fn without_content(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), meta: std::fs::metadata(path)?, content: None })
    }

    /// Whether it was executable.
    #[must_use]
    pub fn is_executable(&self) -> bool {
        is_executable(&self.meta)
    }

    /// Whether the file was written to or replaced, even if its content is the same.
    pub(super) fn is_touched(&self) -> bool {
        std::fs::metadata(&self.path).map_or(true, |meta| self.is_touched_in(&meta))
    }

    /// The same, by its present metadata.
    fn is_touched_in(&self, meta: &Metadata) -> bool {
        let inode_time = |meta: &Metadata| (meta.ctime(), meta.ctime_nsec());
        identity(meta) != identity(&self.meta) || inode_time(meta) != inode_time(&self.meta)
    }

    fn is_unchanged(&self) -> io::Result<bool> {
        let meta = std::fs::metadata(&self.path)?;
        let Some(content) = self.content else { return Ok(identity(&meta) == identity(&self.meta)) };
        if !self.is_touched_in(&meta) {
            return Ok(true);
        }
        if !meta.is_file() || is_executable(&meta) != self.is_executable() {
            return Ok(false);
        }
        match hash(&open_foreign(&self.path)?, meta.size(), now() + READ_LIMIT) {
            // It is being written to: it was shorter a moment ago.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(false),
            now => Ok(now? == content),
        }
    }

    /// How the file has changed, if it has. A file with the same content and mode is unchanged.
    pub(super) fn change(&self) -> Option<String> {
        let how = match self.is_unchanged() {
            Ok(true) => return None,
            Ok(false) => "has changed since this run began".to_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => "was deleted after this run began".to_owned(),
            Err(error) => format!("cannot be read any more: {error}"),
        };
        Some(format!("{} {how}", arena_core::text::shown(&self.path.to_string_lossy())))
    }
}

/// Hash of the content of a file, which must not be larger than `size`, read before `end`. Files that the kernel generates
/// (`/proc`) have size 0, and some of them have no end.
fn hash(file: &File, size: u64, end: Instant) -> io::Result<blake3::Hash> {
    /// Enough to see that there is more: the kernel returns some files only in whole records.
    const BEYOND: u64 = 4096;
    let mut content = blake3::Hasher::new();
    content.update_reader(TimedFile { file: file.take(size.saturating_add(BEYOND)), end })?;
    if content.count() > size {
        let says = "it is larger than its reported size; it must be a regular file that is not being written to";
        return Err(io::Error::new(io::ErrorKind::InvalidData, says));
    }
    Ok(content.finalize())
}

/// A file that is read up to a point in time.
struct TimedFile<R> {
    file: R,
    end: Instant,
}

impl<R: Read> Read for TimedFile<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if now() >= self.end {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.file.read(buffer)
    }
}

/// What changes whenever a file is replaced or its content is written, but not when it is only renamed, linked or given to
/// another owner. The times are only compared: the clock behind them may jump.
fn identity(meta: &Metadata) -> (u64, u64, u64, i64, i64) {
    (meta.dev(), meta.ino(), meta.size(), meta.mtime(), meta.mtime_nsec())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn snapshot(path: &Path) -> io::Result<FileSnapshot> {
        FileSnapshot::read(path, now() + READ_LIMIT)
    }

    #[test]
    fn a_file_is_unchanged_until_its_content_or_mode_differs() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bot");
        fs::write(&path, "one").unwrap();
        let (read, unread) = (snapshot(&path).unwrap(), FileSnapshot::without_content(&path).unwrap());
        assert_eq!((read.change(), unread.change(), read.is_touched()), (None, None, false));
        fs::hard_link(&path, dir.path().join("link")).unwrap();
        assert_eq!((read.change(), unread.change()), (None, None));

        // Replaced by a file with the same content: another inode, so only the hash shows that it is the same.
        fs::write(dir.path().join("new"), "one").unwrap();
        fs::rename(dir.path().join("new"), &path).unwrap();
        assert_eq!((read.change(), read.is_touched()), (None, true));
        assert!(unread.change().unwrap().contains("has changed since"));

        // The executable bit counts.
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        assert!(read.change().unwrap().contains("has changed since"));
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
        assert_eq!(read.change(), None);

        // The same size and the same time of the content.
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, "two").unwrap();
        File::options().append(true).open(&path).unwrap().set_modified(modified).unwrap();
        assert!(read.change().unwrap().contains("has changed since"));

        fs::remove_file(&path).unwrap();
        assert!(read.change().unwrap().contains("was deleted"));
        fs::create_dir(&path).unwrap();
        assert!(read.change().unwrap().contains("has changed since"));
        assert!(snapshot(&dir.path().join("none")).is_err());
    }

    #[test]
    fn generated_files_are_not_read_to_their_end() {
        let says = snapshot(Path::new("/proc/self/pagemap")).unwrap_err().to_string();
        assert!(says.contains("larger than its reported size"), "{says}");
        // A file that is larger than its size says is being written to.
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bot");
        fs::write(&path, "one").unwrap();
        let read = snapshot(&path).unwrap();
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/proc/self/status", &path).unwrap();
        assert!(read.change().unwrap().contains("has changed since"));
    }

    #[test]
    fn a_file_is_read_up_to_the_size_it_had() {
        let mut file = tempfile::tempfile().unwrap();
        let content = |file: &mut File, size| {
            io::Seek::rewind(file).unwrap();
            hash(file, size, now() + READ_LIMIT)
        };
        io::Write::write_all(&mut file, b"four").unwrap();
        assert!(content(&mut file, 3).is_err());
        // It may have shrunk.
        for size in [4, 5, u64::MAX] {
            assert_eq!(content(&mut file, size).unwrap(), blake3::hash(b"four"));
        }
    }

    #[test]
    fn a_file_that_takes_too_long_is_not_read_further() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "one").unwrap();
        let late = FileSnapshot::read(file.path(), now()).unwrap_err();
        assert_eq!(late.kind(), io::ErrorKind::TimedOut);
    }
}
