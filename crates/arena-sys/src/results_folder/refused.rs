//! What is not opened in a results folder, and what to do about it.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use arena_core::text::shown;
use rustix::fs::FileType;

/// Why something is not opened.
#[derive(Debug)]
pub(super) enum Refused {
    /// It is of this kind.
    Kind(FileType),
    /// It would be changed in place, and has another name somewhere.
    SecondName,
    /// This is not the name of something in the folder.
    Name(OsString),
}

impl Refused {
    /// The error for what is at `path`.
    pub(super) fn error(&self, path: &Path) -> io::Error {
        let path = shown(&path.to_string_lossy());
        io::Error::other(match self {
            Self::Kind(FileType::Symlink) => format!(
                "{path} is a link, and links are not followed in results, which may be someone else's: remove it, or put what \
                 it leads to in its place"
            ),
            Self::Kind(FileType::RegularFile) => {
                format!("{path} is a file, and a folder is expected there: move it away")
            }
            Self::Kind(FileType::Directory) => {
                format!("{path} is a folder, and a file is expected there: move it away")
            }
            Self::Kind(kind) => {
                let kind = match kind {
                    FileType::Fifo => "a pipe",
                    FileType::Socket => "a socket",
                    FileType::CharacterDevice | FileType::BlockDevice => "a device",
                    _ => "of an unknown kind",
                };
                format!("{path} is {kind}, which is never opened in results: remove it")
            }
            Self::SecondName => format!(
                "{path} has another name somewhere (a hard link), where it would be changed, too: replace it by a copy of itself"
            ),
            Self::Name(name) => {
                format!("`{}` is not the name of something in {path}", shown(&name.to_string_lossy()))
            }
        })
    }
}
