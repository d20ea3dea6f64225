//! The lock of a tournament's folder: one process at a time may write there.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, bail};

const LOCK_NAME: &str = ".lock";

/// A tournament's folder, locked by this process until dropped.
#[derive(Debug)]
pub struct Lock {
    // Held for its lock.
    _file: File,
}

impl Lock {
    /// Locks the folder, creating it if necessary, and writes the number of this process into it, for error messages of
    /// others.
    ///
    /// # Errors
    ///
    /// Returns an error that names the holder if another arena has it, or says why it cannot be locked.
    pub fn take(dir: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(dir)
            .with_context(|| format!("creating folder {}; choose another one with --results DIR", dir.display()))?;
        match Self::take_if_free(dir)? {
            Ok(lock) => Ok(lock),
            Err(holder) => bail!(
                "{} is in use by another arena (process {holder}); wait for it, or choose another --name",
                dir.display()
            ),
        }
    }

    /// Locks the folder unless another process has it; then the inner error names that process, if known.
    ///
    /// # Errors
    ///
    /// Returns an error if the lock cannot be opened or written.
    pub fn take_if_free(dir: &Path) -> anyhow::Result<Result<Self, String>> {
        let path = dir.join(LOCK_NAME);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).with_context(|| {
                format!(
                    "opening lock {}; --results DIR names a folder that can be written to, `arena standings` shows one \
                     that cannot",
                    path.display()
                )
            })?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // The holder's number is optional; the message is correct without it.
                let _ = file.read_to_string(&mut holder);
                let holder = if holder.is_empty() { "number unknown" } else { holder.trim() };
                return Ok(Err(crate::text::shown(holder)));
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("locking {}", path.display()));
            }
        }
        file.set_len(0)
            .and_then(|()| write!(file, "{}", std::process::id()))
            .with_context(|| format!("writing {}", path.display()))?;
        Ok(Ok(Self { _file: file }))
    }
}
