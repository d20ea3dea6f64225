//! Locks on files, against other arenas.

use std::fs::{File, TryLockError};
use std::io;

/// A file that is locked against other processes until this is dropped.
#[derive(Debug)]
pub struct LockedFile(File);

impl LockedFile {
    /// Locks the file, or gives it back if another process has locked it.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be locked, for example on a file system without locks.
    pub fn lock(file: File) -> io::Result<Result<Self, File>> {
        match file.try_lock() {
            Ok(()) => Ok(Ok(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(Err(file)),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// The file.
    pub const fn file(&mut self) -> &mut File {
        &mut self.0
    }
}

impl Drop for LockedFile {
    /// Unlocks by name: a lock belongs to the open file, which a bot that is being started shares until its program runs, so
    /// closing the file may leave it locked for a moment longer.
    fn drop(&mut self) {
        // Closing, which follows, is the other way to unlock.
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_with_its_owner_though_another_has_the_file_open() {
        let dir = tempfile::tempdir().expect("a folder");
        let lock = || LockedFile::lock(File::create(dir.path().join("lock")).expect("a file")).expect("locks");
        let mut locked = lock().expect("it is free");
        // What a fork leaves in a child that has not become its program yet.
        let inherited = locked.file().try_clone().expect("a second handle");
        lock().expect_err("it is locked");
        drop(locked);
        lock().expect("it is free again");
        drop(inherited);
    }
}
