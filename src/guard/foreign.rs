//! Files of bots, which may be held by anybody.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Opens a file of a bot to read it, without waiting for anybody: a lease would have us wait for who holds it, a FIFO for
/// who writes to it.
///
/// # Errors
///
/// Returns an error if it cannot be opened now.
pub fn open_foreign(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    File::options().read(true).custom_flags(flags).open(path).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => io::Error::new(error.kind(), "another program holds a lease on it; end that one"),
        _ => error,
    })
}

/// Whether the kernel would try to run a file with this metadata.
#[must_use]
pub fn is_executable(meta: &Metadata) -> bool {
    meta.is_file() && meta.mode() & 0o111 != 0
}
