//! Files of bots, which are not to be trusted to open like regular files.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Opens a regular file of a bot for reading, without blocking: a lease would block until its holder releases it, a FIFO
/// until there is a writer. Other kinds of files are not opened, since opening a device may have effects.
///
/// # Errors
///
/// Returns an error if it cannot be opened now, or is not a regular file.
pub fn open_foreign(path: &Path) -> io::Result<File> {
    let regular = |meta: &Metadata| {
        let refused = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
        if meta.is_file() { Ok(()) } else { Err(refused()) }
    };
    regular(&std::fs::metadata(path)?)?;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let opened = File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let file = opened.map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => io::Error::new(error.kind(), "another program holds a lease on it; end that one"),
        _ => error,
    })?;
    // It may have been replaced since it was checked.
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Whether the kernel would try to run a file with this metadata.
#[must_use]
pub fn is_executable(meta: &Metadata) -> bool {
    meta.is_file() && meta.mode() & 0o111 != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        std::fs::write(path("file"), "").unwrap();
        std::os::unix::fs::symlink("file", path("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", path("device")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            path("fifo"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        assert!(open_foreign(&path("file")).is_ok() && open_foreign(&path("link")).is_ok());
        for name in ["device", "fifo", "socket", "."] {
            let refused = open_foreign(&path(name)).unwrap_err();
            assert_eq!(refused.to_string(), "it is not a regular file", "{name}");
        }
    }
}
