//! What makes a bot play as it does, as a hash: rebuild it and its games are played again; touch anything else and
//! they are not. All that a bot can read of its own is in it; what is not stays closed to the bot.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::links;
use crate::player::process::Original;

/// More files than any bot needs: a folder like this holds something that does not belong to the bot.
const FILES_MAX: usize = 20_000;
/// All files of a bot together: reading them takes some seconds a gigabyte.
const BYTES_MAX: u64 = 16 << 30;
/// Folders that change without the bot becoming another one. They stay closed to it where that is possible, and where
/// it is not they count as all others do.
const CLOSED: [&str; 4] = ["__pycache__", ".git", ".hg", ".svn"];
/// Below such a folder lies what was installed, byte code included: all of it counts. Without byte code it would start
/// slowly. The same holds for hidden folders, such as `.venv`.
const INSTALLED: &str = "site-packages";
/// All that lies beside closed folders is opened one by one, which takes some microseconds each at every start.
const BESIDE_MAX: usize = 1_000;

/// A fingerprint, and the files that it was taken of.
pub(super) struct Fingerprint {
    pub(super) text: String,
    pub(super) originals: Vec<Original>,
    /// Folders among the bot's own that are not in it.
    pub(super) closed: Vec<PathBuf>,
}

/// The fingerprint of a bot that consists of `words` (its command, options, …) and one file, whatever that is called.
pub(super) fn of_file(words: &[&str], file: &Path) -> anyhow::Result<Fingerprint> {
    let file = Entry { kind: Kind::File, path: file.to_owned() };
    of_entries(words, &file.path.clone(), &[file], Vec::new())
}

/// The fingerprint of a bot in `dir` that consists of `words`, and of files and all that is in folders, each by its name
/// and content as in [`of_folder`].
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
            all.entries.push(Entry { kind: Kind::File, path: path.clone() });
        }
    }
    of_entries(words, dir, &all.entries, all.closed)
}

/// The fingerprint of a bot that is a whole folder: all that is in it, by name and content, its manifest and hidden
/// files included, but for folders that stay closed to it if it is `closing` them. A stranger's: its links lead to what is
/// its own, or to what every bot may read.
pub(super) fn of_folder(words: &[&str], dir: &Path, closing: bool) -> anyhow::Result<Fingerprint> {
    let home = links::home(dir)?;
    let walked = walk(dir, closing, |link| links::check_link(link, dir, &home))?;
    of_entries(words, dir, &walked.entries, walked.closed)
}

/// The fingerprint of a bot that is nothing but words: a strategy with its version and options, played by `program`.
pub(super) fn of_words(words: &[&str], program: &Path) -> anyhow::Result<Fingerprint> {
    let original = Original::seen(program).with_context(|| format!("looking at {}", program.display()))?;
    Ok(Fingerprint { text: finish(&hasher(words)), originals: vec![original], closed: Vec::new() })
}

/// Each entry by the name that it has in `dir`, and by what can be read of it.
fn of_entries(words: &[&str], dir: &Path, entries: &[Entry], closed: Vec<PathBuf>) -> anyhow::Result<Fingerprint> {
    check_sizes(entries)?;
    let mut hasher = hasher(words);
    let mut originals = Vec::with_capacity(entries.len());
    for Entry { kind, path } in entries {
        add_bytes(&mut hasher, path.strip_prefix(dir).unwrap_or(path).as_os_str().as_encoded_bytes());
        hasher.update(&[kind.letter()]);
        if let Kind::Link(_) = kind {
            let target = std::fs::read_link(path).with_context(|| format!("looking at {}", path.display()))?;
            add_bytes(&mut hasher, target.as_os_str().as_encoded_bytes());
        }
        if kind.is_file() {
            originals.push(add_file(&mut hasher, path)?);
        }
    }
    Ok(Fingerprint { text: finish(&hasher), originals, closed })
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

fn add_file(hasher: &mut blake3::Hasher, path: &Path) -> anyhow::Result<Original> {
    let original = Original::read(path).with_context(|| format!("reading {}", path.display()))?;
    hasher.update(&[u8::from(original.is_executable())]);
    hasher.update(original.content().map_or(&[], |hash| hash.as_bytes().as_slice()));
    Ok(original)
}

/// Refuses what would take too long to read, holes included.
fn check_sizes(entries: &[Entry]) -> anyhow::Result<()> {
    let mut bytes = 0_u64;
    for Entry { path, .. } in entries.iter().filter(|entry| entry.kind.is_file()) {
        let meta = std::fs::metadata(path).with_context(|| format!("reading {}", path.display()))?;
        bytes = bytes.saturating_add(meta.len());
        if bytes > BYTES_MAX {
            bail!("its files are larger than {} GiB together; keep data outside of the bots folder", BYTES_MAX >> 30);
        }
    }
    Ok(())
}

/// Something that a bot can find among its own.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    path: PathBuf,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    File,
    Folder,
    Link(Target),
    /// A FIFO, a socket, a device.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    File,
    /// Not followed, since it may lead in circles.
    Folder,
    /// Nothing, or what is neither.
    Other,
}

impl Kind {
    fn letter(self) -> u8 {
        match self {
            Self::File => b'f',
            Self::Folder => b'd',
            Self::Link(_) => b'l',
            Self::Other => b'o',
        }
    }

    /// Whether it has a content, if only that of the file it leads to.
    fn is_file(self) -> bool {
        matches!(self, Self::File | Self::Link(Target::File))
    }
}

/// What is in a folder, sorted.
#[derive(Debug, Default)]
struct Walk {
    entries: Vec<Entry>,
    closed: Vec<PathBuf>,
}

/// Finds all that is below `dir`, if `check_link` has nothing against any link to a file or a folder. Passes over what is
/// to stay closed, if it is `closing` that and not too much lies beside.
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
                bail!("a bot's folder holds more than {FILES_MAX} files; keep build products and data outside of it");
            }
            let (name, path) = (entry.file_name(), entry.path());
            let kind = entry.file_type().with_context(|| format!("looking at {}", path.display()))?;
            let kind = match () {
                () if kind.is_dir() && closing && is_closed(&name) => {
                    walk.closed.push(path);
                    continue;
                }
                () if kind.is_dir() => {
                    let is_hidden = name.as_encoded_bytes().starts_with(b".");
                    folders.push((path.clone(), closing && !is_hidden && name != INSTALLED));
                    Kind::Folder
                }
                () if kind.is_file() => Kind::File,
                () if kind.is_symlink() => {
                    let target = match std::fs::metadata(&path) {
                        Ok(meta) if meta.is_file() => Target::File,
                        Ok(meta) if meta.is_dir() => Target::Folder,
                        _ => Target::Other,
                    };
                    if target != Target::Other {
                        check_link(&path)?;
                    }
                    Kind::Link(target)
                }
                () => Kind::Other,
            };
            walk.entries.push(Entry { path, kind });
        }
        sizes.insert(folder, seen - before);
    }
    // What lies beside a closed folder, or beside a folder that has one in it.
    let above: HashSet<&Path> = walk.closed.iter().flat_map(|closed| closed.ancestors().skip(1)).collect();
    let beside: usize = above.into_iter().filter_map(|folder| sizes.get(folder)).sum();
    if beside > BESIDE_MAX {
        return self::walk(dir, false, check_link);
    }
    walk.entries.sort();
    walk.closed.sort();
    Ok(walk)
}

fn is_closed(name: &OsStr) -> bool {
    CLOSED.iter().any(|closed| name == *closed)
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
    fn all_that_can_be_read_counts() {
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
            use std::os::unix::ffi::OsStrExt;
            fs::write(folder.0.path().join(OsStr::from_bytes(*name)), index.to_string()).unwrap();
            changed("a name that is no text");
        }
        fs::rename(folder.path("lib"), folder.path("bil")).unwrap();
        changed("the name of a folder");
        assert_ne!(folder.print(), of_folder(&["other"], folder.0.path(), true).unwrap().text);
    }

    #[test]
    fn what_does_not_count_is_closed_and_counts_where_it_cannot_be() {
        let folder = Folder::new();
        let [closing, open] = [true, false].map(|closing| folder.taken(closing).text);
        assert_eq!(closing, open, "nothing is to be closed");
        let files = ["__pycache__/x.pyc", "lib/__pycache__/x.pyc", ".git/HEAD", "lib/.svn/entries", "lib/deep/.hg/x"];
        for file in files {
            folder.write(file, "1");
            let taken = folder.taken(true);
            assert_eq!(taken.closed.iter().filter(|closed| folder.path(file).starts_with(closed)).count(), 1, "{file}");
        }
        // The folder that holds one is new, and nothing else.
        let closing = folder.print();
        let mut open = std::collections::HashSet::from([folder.taken(false).text]);
        for file in files {
            folder.write(file, "2");
            assert_eq!(folder.print(), closing, "{file}");
            assert!(open.insert(folder.taken(false).text), "{file}");
        }
        assert_eq!(folder.taken(true).closed.len(), files.len());
        assert_eq!(folder.taken(false).closed, Vec::<PathBuf>::new());
        // What leads out of a closed folder is nobody's business while it is closed.
        folder.link("/etc/hostname", ".git/link");
        assert_eq!(folder.print(), closing);
        // A file of such a name is none of these folders.
        folder.write("sub/.git", "gitdir: elsewhere");
        assert_ne!(folder.print(), closing);
    }

    #[test]
    fn where_too_much_lies_beside_nothing_is_closed() {
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
    fn no_link_leads_out_hidden_or_not() {
        for link in ["out", ".out", "lib/.deep"] {
            let folder = Folder::new();
            let outside = tempfile::NamedTempFile::new().unwrap();
            folder.link(outside.path().to_str().unwrap(), link);
            let refused = of_folder(&[], folder.0.path(), true).err().unwrap().to_string();
            assert!(refused.starts_with(&format!("`{link}` is a link to `")), "{refused}");
        }
    }
}
