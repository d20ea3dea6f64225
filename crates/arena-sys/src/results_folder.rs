//! A results folder. It may come from someone else, so nothing in it leads outside.
//!
//! The folder is opened once, by a path whose links are followed: people name it, and may keep their results elsewhere.
//! What is in it is opened relative to the open folder, by one plain name at a time, and no link is followed. A link, pipe,
//! device or folder in the place of a file is refused by its name, and nothing waits for it. So is a file that has another
//! name elsewhere, where it would be changed in place. Files that are replaced are written under a random name first.
//!
//! Journals, tables and logs know only this way to their files. It knows nothing of what is in them.

mod locked;
mod refused;
mod temporary;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow};
use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

pub use locked::LockedFile;
use refused::Refused;
pub use temporary::Temporary;

/// A pipe must not make us wait, and no terminal become ours.
const CAREFULLY: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// Permissions of new files and folders, less what the user's umask takes.
const FILE_MODE: Mode = Mode::from_raw_mode(0o666);
const FOLDER_MODE: Mode = Mode::from_raw_mode(0o777);

/// Durability of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Flushed to the operating system: survives the end of this process. For files that are rewritten often.
    Flushed,
    /// Synced to the disk: survives a power failure.
    Synced,
}

/// Where a results folder is, before it is opened.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// A path that a person named: its links are followed.
    outer: PathBuf,
    /// Folders in that one, each in the one before, which are results folders themselves, such as a tournament in a series.
    inner: Vec<OsString>,
}

impl Place {
    /// The folder at a path that a person named.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { outer: path.into(), inner: Vec::new() }
    }

    /// The folder `name` in the results folder at `outer`.
    #[must_use]
    pub fn within(outer: impl Into<PathBuf>, name: impl Into<OsString>) -> Self {
        Self::at(outer).with(name)
    }

    /// The folder `name` in this one.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>) -> Self {
        self.inner.push(name.into());
        self
    }

    /// Its path, to be shown.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.inner.iter().fold(self.outer.clone(), |path, name| path.join(name))
    }

    /// Opens the folder.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not there, is refused, or cannot be opened.
    pub fn open(&self) -> io::Result<ResultsFolder> {
        self.inner.iter().try_fold(ResultsFolder::open(&self.outer)?, |folder, name| folder.subfolder(name))
    }

    /// As [`open`](Self::open); `None` if it is not there.
    ///
    /// # Errors
    ///
    /// See [`Place::open`].
    pub fn open_if_there(&self) -> io::Result<Option<ResultsFolder>> {
        if_there(self.open())
    }

    /// Opens the folder, and creates it first if it is not there; `flag` chooses another one.
    ///
    /// # Errors
    ///
    /// Returns an error with the path and the flag.
    pub fn create(&self, flag: &str) -> anyhow::Result<ResultsFolder> {
        let create = || {
            std::fs::create_dir_all(&self.outer)?;
            let outer = ResultsFolder::open(&self.outer)?;
            self.inner.iter().try_fold(outer, |folder, name| folder.make_subfolder(name))
        };
        let created: io::Result<_> = create();
        created
            .with_context(|| format!("creating folder {}; choose another one with {flag} DIR", self.path().display()))
    }
}

/// An open results folder.
#[derive(Debug, Clone)]
pub struct ResultsFolder {
    folder: Arc<OwnedFd>,
    /// Only to be shown: nothing is opened by it.
    path: PathBuf,
}

impl ResultsFolder {
    /// Opens the folder at a path that a person named: its links are followed.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let folder = fs::openat(CWD, named(path), FOLDER, Mode::empty())?;
        Ok(Self { folder: Arc::new(folder), path: path.to_owned() })
    }

    /// Opens a folder in this one.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not there, is no folder, or cannot be opened.
    pub fn subfolder(&self, name: impl AsRef<OsStr>) -> io::Result<Self> {
        let name = name.as_ref();
        self.check(name, FileType::Directory)?;
        let folder = self.open_at(name, FOLDER | OFlags::NOFOLLOW)?;
        Ok(Self { folder: Arc::new(folder), path: self.path_of(name) })
    }

    /// Opens a folder in this one, and creates it first if it is not there.
    ///
    /// # Errors
    ///
    /// See [`ResultsFolder::subfolder`].
    pub fn make_subfolder(&self, name: impl AsRef<OsStr>) -> io::Result<Self> {
        let name = name.as_ref();
        match fs::mkdirat(&self.folder, self.plain(name)?, FOLDER_MODE) {
            Err(Errno::EXIST) | Ok(()) => self.subfolder(name),
            Err(error) => Err(error.into()),
        }
    }

    /// Its path, to be shown.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in it, to be shown.
    #[must_use]
    pub fn path_of(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.path.join(name.as_ref())
    }

    /// Whether something has this name, also what would be refused.
    #[must_use]
    pub fn has(&self, name: impl AsRef<OsStr>) -> bool {
        self.stat(name.as_ref()).is_ok()
    }

    /// The names of all that is in it, in no order.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be read.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in fs::Dir::read_from(&self.folder)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Opens a file to read it.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not there, is refused, or cannot be opened.
    pub fn read(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.open_file(name.as_ref(), OFlags::RDONLY)
    }

    /// Opens a file to read it and to append to it, and creates it first if it is not there.
    ///
    /// # Errors
    ///
    /// Returns an error if it is refused or cannot be opened.
    pub fn append(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.open_in_place(name.as_ref(), OFlags::APPEND)
    }

    /// Opens a file to read it and to write it in place, and creates it first if it is not there.
    ///
    /// # Errors
    ///
    /// See [`ResultsFolder::append`].
    pub fn rewrite(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.open_in_place(name.as_ref(), OFlags::empty())
    }

    /// Replaces a file by what `fill` writes. Readers see either the old or the new file, never a part.
    ///
    /// # Errors
    ///
    /// Returns an error with the path and the cure; the old file is then unchanged.
    pub fn replace(
        &self,
        name: impl AsRef<OsStr>,
        durability: Durability,
        fill: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let name = name.as_ref();
        self.check(name, FileType::RegularFile)?;
        let write = || {
            let mut new = self.temporary()?;
            fill(&mut new)?;
            Ok::<_, anyhow::Error>(new.keep_as(name, durability)?)
        };
        write().with_context(|| {
            format!(
                "could not write `{}`; check that its folder exists and is writable, and that the disk is not full",
                self.path_of(name).display()
            )
        })
    }

    /// Begins a file that gets its name when it is complete.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be created.
    pub fn temporary(&self) -> io::Result<Temporary<'_>> {
        Temporary::create(self)
    }

    /// Removes a file, or a link itself, if it is there.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be removed, such as a folder.
    pub fn remove(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        match fs::unlinkat(&self.folder, self.plain(name.as_ref())?, AtFlags::empty()) {
            Err(Errno::NOENT) | Ok(()) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a folder if it is there and empty.
    ///
    /// # Errors
    ///
    /// Returns an error if the system refuses.
    pub fn remove_empty_subfolder(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        match fs::unlinkat(&self.folder, self.plain(name.as_ref())?, AtFlags::REMOVEDIR) {
            Err(Errno::NOENT | Errno::NOTEMPTY) | Ok(()) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives a file another name, and replaces what has that name.
    ///
    /// # Errors
    ///
    /// Returns an error if it is refused or cannot be renamed.
    pub fn rename(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
        let (from, to) = (from.as_ref(), to.as_ref());
        self.check(from, FileType::RegularFile)?;
        Ok(fs::renameat(&self.folder, from, &self.folder, self.plain(to)?)?)
    }

    /// Gives a file a second name.
    ///
    /// # Errors
    ///
    /// Returns an error if it is refused, or the name is taken.
    pub fn link(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
        let (from, to) = (from.as_ref(), to.as_ref());
        self.check(from, FileType::RegularFile)?;
        Ok(fs::linkat(&self.folder, from, &self.folder, self.plain(to)?, AtFlags::empty())?)
    }

    /// Makes names durable.
    ///
    /// # Errors
    ///
    /// Returns an error if the disk refuses.
    pub fn sync(&self) -> io::Result<()> {
        Ok(fs::fsync(&self.folder)?)
    }

    /// Whether this open file has the name.
    ///
    /// # Errors
    ///
    /// Returns an error if nothing has it.
    pub fn is_named(&self, file: &File, name: impl AsRef<OsStr>) -> io::Result<bool> {
        let (there, ours) = (self.stat(name.as_ref())?, fs::fstat(file)?);
        Ok((there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino))
    }

    /// Whether the path still leads to this folder. It is where people look for what is written.
    #[must_use]
    pub fn is_at_its_path(&self) -> bool {
        let there = fs::stat(named(&self.path)).and_then(|there| Ok((there, fs::fstat(&self.folder)?)));
        there.is_ok_and(|(there, ours)| (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino))
    }

    /// Whether it belongs to this user and no other user can write to it.
    ///
    /// # Errors
    ///
    /// Returns an error if the system does not tell.
    pub fn is_ours_alone(&self) -> io::Result<bool> {
        let stat = fs::fstat(&self.folder)?;
        let others = Mode::from_raw_mode(stat.st_mode).intersects(Mode::WGRP | Mode::WOTH);
        Ok(stat.st_uid == rustix::process::geteuid().as_raw() && !others)
    }

    fn open_in_place(&self, name: &OsStr, flags: OFlags) -> io::Result<File> {
        let file = self.open_file(name, flags | OFlags::RDWR | OFlags::CREATE)?;
        // Another name may be anywhere, and what is written here appears there.
        if fs::fstat(&file)?.st_nlink > 1 {
            return Err(Refused::SecondName.error(&self.path_of(name)));
        }
        Ok(file)
    }

    fn open_file(&self, name: &OsStr, flags: OFlags) -> io::Result<File> {
        // Opening a device may do something.
        if let Err(error) = self.check(name, FileType::RegularFile)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(error);
        }
        let file = File::from(self.open_at(name, flags | CAREFULLY)?);
        let found = FileType::from_raw_mode(fs::fstat(&file)?.st_mode);
        if found == FileType::RegularFile { Ok(file) } else { Err(Refused::Kind(found).error(&self.path_of(name))) }
    }

    /// Fails if something else than `wanted` has the name; not if nothing has it.
    fn check(&self, name: &OsStr, wanted: FileType) -> io::Result<()> {
        let found = match self.stat(name) {
            Ok(stat) => FileType::from_raw_mode(stat.st_mode),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        if found == wanted { Ok(()) } else { Err(Refused::Kind(found).error(&self.path_of(name))) }
    }

    fn stat(&self, name: &OsStr) -> io::Result<Stat> {
        Ok(fs::statat(&self.folder, self.plain(name)?, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Opens by one plain name. The kernel is asked to stay below the folder, too, where it can.
    fn open_at(&self, name: &OsStr, flags: OFlags) -> io::Result<OwnedFd> {
        let name = self.plain(name)?;
        let mode = if flags.contains(OFlags::CREATE) { FILE_MODE } else { Mode::empty() };
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::ResolveFlags;
            let stay = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            match fs::openat2(&self.folder, name, flags, mode, stay) {
                // Linux before 5.6, and containers that do not know the call.
                Err(Errno::NOSYS | Errno::PERM) => {}
                opened => return Ok(opened?),
            }
        }
        Ok(fs::openat(&self.folder, name, flags, mode)?)
    }

    /// The name, if it is a plain one. Everything that reaches the system passes here.
    fn plain<'a>(&self, name: &'a OsStr) -> io::Result<&'a OsStr> {
        if is_plain(name) { Ok(name) } else { Err(Refused::Name(name.to_owned()).error(&self.path)) }
    }
}

/// The path as the system takes it: the parent of a plain name is the present folder.
fn named(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// Whether this is the name of something in a folder, and not a path or the folder itself.
#[must_use]
pub fn is_plain(name: impl AsRef<OsStr>) -> bool {
    let name = name.as_ref();
    !name.is_empty() && name != "." && name != ".." && !name.as_bytes().iter().any(|byte| matches!(byte, b'/' | 0))
}

/// Makes an error for something that is not there a `None`.
///
/// # Errors
///
/// Returns any other error.
pub fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether what a person named has nothing to lose and cannot be replaced: a device, a pipe, or a file that is already open, by
/// names such as `/dev/stdout`.
#[must_use]
pub fn is_stream(path: &Path) -> bool {
    // Only the system has links there; in `/dev/shm` anybody may have made one.
    let is_in_proc = |path: &Path| {
        path.parent().is_some_and(|folder| folder.canonicalize().is_ok_and(|folder| folder.starts_with("/proc")))
    };
    let is_open = path.is_symlink() && (is_in_proc(path) || path.read_link().is_ok_and(|to| is_in_proc(&to)));
    path.metadata().is_ok_and(|found| !found.is_dir() && (!found.is_file() || is_open))
}

/// Replaces the file at a path that a person named by what `fill` writes, as [`ResultsFolder::replace`] does; writes to a
/// [stream](is_stream) in its place.
///
/// # Errors
///
/// See [`ResultsFolder::replace`].
pub fn replace(
    path: &Path,
    durability: Durability,
    fill: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if is_stream(path) {
        let write = || {
            let mut out = io::BufWriter::new(File::options().append(true).open(path)?);
            fill(&mut out)?;
            Ok::<_, anyhow::Error>(out.flush()?)
        };
        return write().with_context(|| format!("could not write `{}`", path.display()));
    }
    let name = path.file_name().ok_or_else(|| anyhow!("`{}` does not name a file", path.display()))?;
    let folder = ResultsFolder::open(path.parent().unwrap_or(Path::new("")));
    let folder =
        folder.with_context(|| format!("could not write `{}`; check that its folder exists", path.display()))?;
    folder.replace(name, durability, fill)
}

#[cfg(test)]
mod tests;
