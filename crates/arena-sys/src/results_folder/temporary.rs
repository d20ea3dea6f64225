//! Files that are written before they get their name.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, Write};

use rustix::fs::{self, AtFlags, FileType, OFlags};

use super::{CAREFULLY, Durability, ResultsFolder};
use crate::entropy::unpredictable;

/// Bytes that are written at once.
const BUFFER_BYTES: usize = 1 << 16;
const PREFIX: &str = ".arena-";
const SUFFIX: &str = ".tmp";
/// Hexadecimal digits between them.
const DIGITS: usize = 16;

/// A file under a random name, until it gets its own. It is removed when dropped.
#[derive(Debug)]
pub struct Temporary<'a> {
    folder: &'a ResultsFolder,
    name: String,
    file: BufWriter<File>,
    is_kept: bool,
}

impl<'a> Temporary<'a> {
    pub(super) fn create(folder: &'a ResultsFolder) -> io::Result<Self> {
        // The name cannot be guessed, and what has it already is never opened.
        let name = format!("{PREFIX}{:0DIGITS$x}{SUFFIX}", unpredictable());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | CAREFULLY;
        let file = File::from(folder.open_at(OsStr::new(&name), flags)?);
        Ok(Self { folder, name, file: BufWriter::with_capacity(BUFFER_BYTES, file), is_kept: false })
    }

    /// Gives the file its name, and replaces what has that name.
    ///
    /// # Errors
    ///
    /// Returns an error if it is refused or cannot be written; what has the name is then unchanged.
    pub fn keep_as(mut self, name: impl AsRef<OsStr>, durability: Durability) -> io::Result<()> {
        let name = name.as_ref();
        self.file.flush()?;
        if durability == Durability::Synced {
            self.file.get_ref().sync_all()?;
        }
        self.folder.check(name, FileType::RegularFile)?;
        fs::renameat(&self.folder.folder, &self.name, &self.folder.folder, self.folder.plain(name)?)?;
        self.is_kept = true;
        if durability == Durability::Synced {
            // A rename is only as durable as the folder's entry.
            self.folder.sync()?;
        }
        Ok(())
    }
}

impl Write for Temporary<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            // Best effort: an error is being reported, and the next arena that locks the folder tries again.
            let _ = fs::unlinkat(&self.folder.folder, &self.name, AtFlags::empty());
        }
    }
}

impl ResultsFolder {
    /// Removes the temporary files of arenas that were killed. The folder must be locked, since those of a running arena look
    /// the same.
    pub fn remove_left_behind(&self) {
        let is_temporary = |name: &OsStr| {
            let digits = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
            digits.is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        };
        for name in self.names().into_iter().flatten().filter(|name| is_temporary(name)) {
            // A file that stays is only a waste.
            let _ = self.remove(&name);
        }
    }
}
