//! Fingerprints: hashes of everything that determines how a bot plays.
//!
//! When a bot changes, its games are played again; any other change has no effect. The fingerprint covers all of the
//! bot's files that it can read. It cannot read the others.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::links;
use crate::player::process::FileSnapshot;

/// Maximum number of files of a bot. A larger folder contains files that do not belong to the bot.
const FILES_MAX: usize = 20_000;
/// Maximum total size of a bot's files; reading them takes some seconds per gigabyte.
const BYTES_MAX: u64 = 16 << 30;
/// Folders that are not part of a bot's identity. The sandbox closes them to the bot. Where it cannot, they count like
/// all others.
const CLOSED: [&str; 4] = ["__pycache__", ".git", ".hg", ".svn"];
/// Folder of installed packages. Everything below it counts, including byte code, without which starting would be slow.
/// The same holds for hidden folders such as `.venv`.
const INSTALLED: &str = "site-packages";
/// Maximum number of entries beside closed folders. Each is opened separately at every start, which takes some
/// microseconds.
const BESIDE_MAX: usize = 1_000;

/// A fingerprint with the files it was computed from.
pub(super) struct Fingerprint {
    pub(super) text: String,
    pub(super) files: Vec<FileSnapshot>,
    /// The bot's folders that are not part of it.
    pub(super) closed: Vec<PathBuf>,
}

/// Fingerprints a bot with `words` (its command, options, …) and one file, independent of the file's name.
pub(super) fn of_file(words: &[&str], file: &Path) -> anyhow::Result<Fingerprint> {
    of_entries(words, file, &[FileEntry::file(file.to_owned())], Vec::new())
}

/// Fingerprints a bot in `dir` with `words`, files, and folders with their contents, all by name and content as in
/// [`of_folder`].
pub(super) fn of_files_and_folders(
    words: &[&str],
    dir: &Path,
    paths: &[PathBuf],
    closing: bool,
) -> anyhow::Result<Fingerprint> {
    let mut all = Walk::default();
    for path in paths {
        if path.is_dir() {
            let walked = walk(path, closing, |_| Ok(()))?;
            all.entries.extend(walked.entries);
            all.closed.extend(walked.closed);
        } else {
            all.entries.push(FileEntry::file(path.clone()));
        }
    }
    of_entries(words, dir, &all.entries, all.closed)
}

/// Fingerprints a bot that is a folder. Covers the names and contents of everything in it, including its manifest and
/// hidden files; folders that are closed to the bot are omitted if `closing`. Such a bot is untrusted: its links may
/// only lead to its own files, or to files that every bot may read.
pub(super) fn of_folder(words: &[&str], dir: &Path, closing: bool) -> anyhow::Result<Fingerprint> {
    let home = links::home(dir)?;
    let walked = walk(dir, closing, |link| links::check_link(link, dir, &home))?;
    of_entries(words, dir, &walked.entries, walked.closed)
}

/// Fingerprints a bot without files: a strategy with its version and options, played by `program`.
pub(super) fn of_words(words: &[&str], program: &Path) -> anyhow::Result<Fingerprint> {
    let snapshot =
        FileSnapshot::without_content(program).with_context(|| format!("looking at {}", program.display()))?;
    Ok(Fingerprint { text: finish(&hasher(words)), files: vec![snapshot], closed: Vec::new() })
}

/// Fingerprints each entry by its name relative to `dir` and its readable content.
fn of_entries(words: &[&str], dir: &Path, entries: &[FileEntry], closed: Vec<PathBuf>) -> anyhow::Result<Fingerprint> {
    check_sizes(entries)?;
    let mut hasher = hasher(words);
    let mut files = Vec::with_capacity(entries.len());
    for FileEntry { path, kind, is_file } in entries {
        add_bytes(&mut hasher, path.strip_prefix(dir).unwrap_or(path).as_os_str().as_encoded_bytes());
        hasher.update(&[*kind as u8]);
        if *kind == FileKind::Link {
            let target = std::fs::read_link(path).with_context(|| format!("looking at {}", path.display()))?;
            add_bytes(&mut hasher, target.as_os_str().as_encoded_bytes());
        }
        if *is_file {
            files.push(add_file(&mut hasher, path)?);
        }
    }
    Ok(Fingerprint { text: finish(&hasher), files, closed })
}

fn hasher(words: &[&str]) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new_derive_key("arena 2026 bot fingerprints 2");
    hasher.update(&(words.len() as u64).to_le_bytes());
    for word in words {
        add_bytes(&mut hasher, word.as_bytes());
    }
    hasher
}

fn finish(hasher: &blake3::Hasher) -> String {
    hasher.finalize().to_hex()[..16].to_owned()
}

fn add_bytes(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

fn add_file(hasher: &mut blake3::Hasher, path: &Path) -> anyhow::Result<FileSnapshot> {
    let snapshot = FileSnapshot::read(path).with_context(|| format!("reading {}", path.display()))?;
    hasher.update(&[u8::from(snapshot.is_executable())]);
    hasher.update(snapshot.content.as_ref().map_or(&[], |hash| hash.as_bytes().as_slice()));
    Ok(snapshot)
}

/// Rejects bots that take too long to read, including sparse files.
fn check_sizes(entries: &[FileEntry]) -> anyhow::Result<()> {
    let mut bytes = 0_u64;
    for FileEntry { path, .. } in entries.iter().filter(|entry| entry.is_file) {
        let meta = std::fs::metadata(path).with_context(|| format!("reading {}", path.display()))?;
        bytes = bytes.saturating_add(meta.len());
        if bytes > BYTES_MAX {
            bail!("its files are larger than {} GiB in total; keep data outside the bots folder", BYTES_MAX >> 30);
        }
    }
    Ok(())
}

/// A file, folder or link of a bot.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FileEntry {
    path: PathBuf,
    kind: FileKind,
    /// Whether it is a file, or a link to one.
    is_file: bool,
}

impl FileEntry {
    const fn file(path: PathBuf) -> Self {
        Self { path, kind: FileKind::File, is_file: true }
    }
}

/// The kind of an entry; the hash includes this byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FileKind {
    File = b'f' as isize,
    Folder = b'd' as isize,
    Link = b'l' as isize,
    /// A FIFO, a socket, a device.
    Other = b'o' as isize,
}

/// The contents of a folder, sorted.
#[derive(Debug, Default)]
struct Walk {
    entries: Vec<FileEntry>,
    closed: Vec<PathBuf>,
}

/// Lists everything below `dir`. `check_link` may reject links to files and folders. If `closing`, omits closed
/// folders, unless they have too many siblings.
fn walk(dir: &Path, closing: bool, check_link: impl Fn(&Path) -> anyhow::Result<()> + Copy) -> anyhow::Result<Walk> {
    let mut walk = Walk::default();
    let mut folders = vec![(dir.to_owned(), closing)];
    let mut sizes = HashMap::new();
    let mut seen = 0;
    while let Some((folder, closing)) = folders.pop() {
        let reading = || format!("reading folder {}", folder.display());
        let before = seen;
        for entry in std::fs::read_dir(&folder).with_context(reading)? {
            let entry = entry.with_context(reading)?;
            seen += 1;
            if seen > FILES_MAX {
                bail!("a bot's folder has more than {FILES_MAX} files; keep build products and data outside of it");
            }
            let (name, path) = (entry.file_name(), entry.path());
            let kind = entry.file_type().with_context(|| format!("looking at {}", path.display()))?;
            if kind.is_dir() && closing && CLOSED.iter().any(|closed| name == *closed) {
                walk.closed.push(path);
                continue;
            }
            if kind.is_dir() {
                let is_hidden = name.as_encoded_bytes().starts_with(b".");
                folders.push((path.clone(), closing && !is_hidden && name != INSTALLED));
            }
            // Links to folders are not followed, since they may form a cycle.
            let target = if kind.is_symlink() { std::fs::metadata(&path).ok() } else { None };
            if target.as_ref().is_some_and(|target| target.is_file() || target.is_dir()) {
                check_link(&path)?;
            }
            let is_file = kind.is_file() || target.is_some_and(|target| target.is_file());
            let kind = match () {
                () if kind.is_file() => FileKind::File,
                () if kind.is_dir() => FileKind::Folder,
                () if kind.is_symlink() => FileKind::Link,
                () => FileKind::Other,
            };
            walk.entries.push(FileEntry { path, kind, is_file });
        }
        sizes.insert(folder, seen - before);
    }
    // Everything beside a closed folder, or beside a folder that contains one.
    let above: HashSet<&Path> = walk.closed.iter().flat_map(|closed| closed.ancestors().skip(1)).collect();
    let beside: usize = above.into_iter().filter_map(|folder| sizes.get(folder)).sum();
    if beside > BESIDE_MAX {
        return self::walk(dir, false, check_link);
    }
    walk.entries.sort();
    walk.closed.sort();
    Ok(walk)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Self {
            let folder = Self(tempfile::tempdir().unwrap());
            folder.write("main", "a");
            folder.write("lib/part", "b");
            folder
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn write(&self, name: &str, text: &str) {
            fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
            fs::write(self.path(name), text).unwrap();
        }

        fn link(&self, target: &str, name: &str) {
            let _ = fs::remove_file(self.path(name));
            symlink(target, self.path(name)).unwrap();
        }

        fn taken(&self, closing: bool) -> Fingerprint {
            of_folder(&["word"], self.0.path(), closing).unwrap()
        }

        fn print(&self) -> String {
            self.taken(true).text
        }
    }

    #[test]
    fn everything_readable_is_part_of_the_fingerprint() {
        let folder = Folder::new();
        let mut known = std::collections::HashSet::new();
        let mut changed = |what: &str| {
            assert!(known.insert(folder.print()), "{what}");
            assert_eq!(folder.print(), folder.print(), "{what}");
        };
        changed("at first");
        folder.write(".hidden", "");
        changed("a hidden file");
        folder.write(".cache/x", "");
        changed("a hidden folder");
        folder.write(".cache/__pycache__/x.pyc", "1");
        changed("byte code in a hidden folder");
        folder.write(".cache/__pycache__/x.pyc", "2");
        changed("other byte code there");
        folder.write("venv/site-packages/p/__pycache__/x.pyc", "1");
        changed("byte code of what is installed");
        folder.write("part.pyc", "");
        changed("byte code beside");
        fs::create_dir(folder.path("empty")).unwrap();
        changed("an empty folder");
        folder.link("lib", "link");
        changed("a link to a folder");
        folder.link("empty", "link");
        changed("a link to another folder");
        folder.link("nowhere", "link");
        changed("a link to nothing");
        folder.link("main", "link");
        changed("a link to a file");
        folder.link("./main", "link");
        changed("a link to the same file by another name");
        fs::set_permissions(folder.path("main"), PermissionsExt::from_mode(0o700)).unwrap();
        changed("a file that can be run");
        folder.write("bot.toml", "# comment");
        changed("a comment in a manifest that it can read");
        for (index, name) in [b"\xff", b"\xfe"].iter().enumerate() {
            use std::ffi::OsStr;
            use std::os::unix::ffi::OsStrExt;
            fs::write(folder.0.path().join(OsStr::from_bytes(*name)), index.to_string()).unwrap();
            changed("a name that is no text");
        }
        fs::rename(folder.path("lib"), folder.path("bil")).unwrap();
        changed("the name of a folder");
        assert_ne!(folder.print(), of_folder(&["other"], folder.0.path(), true).unwrap().text);
    }

    #[test]
    fn ignored_folders_are_closed_or_else_part_of_the_fingerprint() {
        let folder = Folder::new();
        let [closing, open] = [true, false].map(|closing| folder.taken(closing).text);
        assert_eq!(closing, open, "there is nothing to close");
        let files = ["__pycache__/x.pyc", "lib/__pycache__/x.pyc", ".git/HEAD", "lib/.svn/entries", "lib/deep/.hg/x"];
        for file in files {
            folder.write(file, "1");
            let taken = folder.taken(true);
            assert_eq!(taken.closed.iter().filter(|closed| folder.path(file).starts_with(closed)).count(), 1, "{file}");
        }
        // The parent folder is new; nothing else counts.
        let closing = folder.print();
        let mut open = std::collections::HashSet::from([folder.taken(false).text]);
        for file in files {
            folder.write(file, "2");
            assert_eq!(folder.print(), closing, "{file}");
            assert!(open.insert(folder.taken(false).text), "{file}");
        }
        assert_eq!(folder.taken(true).closed.len(), files.len());
        assert_eq!(folder.taken(false).closed, Vec::<PathBuf>::new());
        // Links out of a closed folder do not matter while it is closed.
        folder.link("/etc/hostname", ".git/link");
        assert_eq!(folder.print(), closing);
        // A file with such a name is not a closed folder.
        folder.write("sub/.git", "gitdir: elsewhere");
        assert_ne!(folder.print(), closing);
    }

    #[test]
    fn nothing_is_closed_if_a_closed_folder_has_too_many_siblings() {
        let folder = Folder::new();
        for number in 0..BESIDE_MAX {
            folder.write(&format!("data/{number}"), "");
        }
        folder.write("__pycache__/x.pyc", "1");
        assert_eq!(folder.taken(true).closed, [folder.path("__pycache__")]);
        folder.write("data/__pycache__/x.pyc", "1");
        let before = folder.taken(true);
        assert_eq!(before.closed, Vec::<PathBuf>::new());
        folder.write("__pycache__/x.pyc", "2");
        assert_ne!(folder.print(), before.text);
    }

    #[test]
    fn no_link_may_leave_the_folder_hidden_or_not() {
        for link in ["out", ".out", "lib/.deep"] {
            let folder = Folder::new();
            let outside = tempfile::NamedTempFile::new().unwrap();
            folder.link(outside.path().to_str().unwrap(), link);
            let refused = of_folder(&[], folder.0.path(), true).err().unwrap().to_string();
            assert!(refused.starts_with(&format!("`{link}` is a link to `")), "{refused}");
        }
    }
}
