//! The lock of a tournament's folder: one process at a time may write there.

use std::io::{Read, Write};

use anyhow::{Context, bail};
use arena_sys::flags::{NAME, RESULTS};
use arena_sys::results_folder::{LockedFile, ResultsFolder};

const LOCK_NAME: &str = ".lock";
/// What is read of the holder's number.
const HOLDER_BYTES_MAX: u64 = 20;

/// A tournament's folder, locked by this process until dropped.
#[derive(Debug)]
pub struct Lock {
    // Held for its lock.
    _file: LockedFile,
}

impl Lock {
    /// Locks the folder, and writes the number of this process into it, for error messages of others.
    ///
    /// # Errors
    ///
    /// Returns an error that names the holder if another arena has it, or says why it cannot be locked.
    pub fn take(folder: &ResultsFolder) -> anyhow::Result<Self> {
        match Self::take_if_free(folder)? {
            Ok(lock) => Ok(lock),
            Err(holder) => bail!(
                "{} is in use by another arena (process {holder}); wait for it, or choose another {NAME}",
                folder.path().display()
            ),
        }
    }

    /// Locks the folder unless another process has it; then the inner error names that process, if known.
    ///
    /// # Errors
    ///
    /// Returns an error if the lock cannot be opened or written.
    pub fn take_if_free(folder: &ResultsFolder) -> anyhow::Result<Result<Self, String>> {
        let path = folder.path_of(LOCK_NAME);
        let file = folder.rewrite(LOCK_NAME).with_context(|| {
            format!(
                "opening lock {}; {RESULTS} DIR names a folder that can be written to, `arena standings` shows one that \
                 cannot",
                path.display()
            )
        })?;
        let mut locked = match LockedFile::lock(file).with_context(|| format!("locking {}", path.display()))? {
            Ok(locked) => locked,
            Err(file) => {
                let mut holder = String::new();
                // The holder's number is optional; the message is correct without it.
                let _ = file.take(HOLDER_BYTES_MAX).read_to_string(&mut holder);
                let holder = if holder.is_empty() { "number unknown" } else { holder.trim() };
                return Ok(Err(arena_core::text::shown(holder)));
            }
        };
        let file = locked.file();
        file.set_len(0)
            .and_then(|()| write!(file, "{}", std::process::id()))
            .with_context(|| format!("writing {}", path.display()))?;
        folder.remove_left_behind();
        Ok(Ok(Self { _file: locked }))
    }
}
