//! Fingerprints: hashes of everything that determines how a bot plays.
//!
//! When a bot changes, its games are played again; any other change has no effect. The fingerprint covers all of the
//! bot's files that it can read. It cannot read the others. Where the bot lies does not matter: see [`parts`].

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, bail};
use arena_core::text::shown;
use arena_guard::open_foreign;
use arena_sys::time::now;
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

use super::parts::{self, BotPart, BotParts, Closing, PartKind};
use crate::player::process::{FileSnapshot, READ_LIMIT};

/// Maximum total size of a bot's files; reading them takes some seconds per gigabyte.
const BYTES_MAX: u64 = 16 << 30;
/// Maximum total size of the holes in them. Holes take no space, so that a small archive may have any number of bots with
/// them, but as much time to read as data.
const HOLES_MAX: u64 = 64 << 20;

/// A fingerprint with the files it was computed from.
pub(crate) struct Fingerprint {
    pub(crate) text: String,
    pub(crate) files: Vec<FileSnapshot>,
    /// The bot's folders that are not part of it.
    pub(crate) closed: Vec<PathBuf>,
}

impl Fingerprint {
    /// That of a bot without files.
    pub(super) fn of_words(words: &[&str]) -> Self {
        Self { text: finish(&hasher(words)), files: Vec::new(), closed: Vec::new() }
    }
}

/// Fingerprints a bot with `words` (its command, options, …) and one file, independent of the file's name.
pub(super) fn of_file(words: &[&str], file: &Path) -> anyhow::Result<Fingerprint> {
    let part = BotPart { path: file.to_owned(), name: PathBuf::new(), kind: PartKind::File, is_file: true };
    of_parts(words, BotParts { read: vec![part], closed: Vec::new() })
}

/// Fingerprints a bot in `dir` with `words`, files, and folders with their contents, all by name and content as in
/// [`of_folder`].
pub(crate) fn of_files_and_folders(
    words: &[&str],
    dir: &Path,
    paths: &[PathBuf],
    closing: Closing<'_>,
    check_link: impl Fn(&Path) -> anyhow::Result<()> + Copy,
) -> anyhow::Result<Fingerprint> {
    of_parts(words, parts::of_paths(dir, paths, closing, check_link)?)
}

/// Fingerprints a bot that is a folder. Covers the names and contents of everything in it, including its manifest and
/// hidden files; folders that are closed to the bot are omitted, but not what is `kept` of them.
pub(super) fn of_folder(
    words: &[&str],
    dir: &Path,
    closing: Closing<'_>,
    kept: &[PathBuf],
) -> anyhow::Result<Fingerprint> {
    of_parts(words, parts::of_folder(dir, closing, kept)?)
}

/// Fingerprints a bot without files: a strategy with its version and options, played by `program`.
pub(super) fn of_words(words: &[&str], program: &Path) -> anyhow::Result<Fingerprint> {
    let snapshot =
        FileSnapshot::without_content(program).with_context(|| format!("looking at {}", program.display()))?;
    Ok(Fingerprint { files: vec![snapshot], ..Fingerprint::of_words(words) })
}

/// Fingerprints each part by its name and its readable content.
fn of_parts(words: &[&str], BotParts { read, closed }: BotParts) -> anyhow::Result<Fingerprint> {
    check_sizes(&read)?;
    let end = now() + READ_LIMIT;
    let mut hasher = hasher(words);
    let mut files = Vec::with_capacity(read.len());
    for BotPart { path, name, kind, is_file } in &read {
        add_bytes(&mut hasher, name.as_os_str().as_encoded_bytes());
        let kind_byte = match kind {
            PartKind::File => b'f',
            PartKind::Folder => b'd',
            PartKind::Link(_) => b'l',
            PartKind::Other => b'o',
        };
        hasher.update(&[kind_byte]);
        if let PartKind::Link(target) = kind {
            add_bytes(&mut hasher, target.as_os_str().as_encoded_bytes());
        }
        if *is_file {
            files.push(add_file(&mut hasher, path, end)?);
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

fn add_file(hasher: &mut blake3::Hasher, path: &Path, end: Instant) -> anyhow::Result<FileSnapshot> {
    let snapshot = match FileSnapshot::read(path, end) {
        Err(error) if error.kind() == io::ErrorKind::TimedOut => bail!(
            "its files take more than {} s to read; keep data outside the bots folder, or the bot on a faster disk",
            READ_LIMIT.as_secs()
        ),
        read => read.with_context(|| format!("reading {}", path.display()))?,
    };
    hasher.update(&[u8::from(snapshot.is_executable())]);
    hasher.update(snapshot.content.as_ref().map_or(&[], |hash| hash.as_bytes().as_slice()));
    Ok(snapshot)
}

/// Rejects bots that take too long to read.
fn check_sizes(parts: &[BotPart]) -> anyhow::Result<()> {
    let (mut bytes, mut holes) = (0_u64, 0_u64);
    for BotPart { path, .. } in parts.iter().filter(|part| part.is_file) {
        let reading = || format!("reading {}", path.display());
        let meta = std::fs::metadata(path).with_context(reading)?;
        bytes = bytes.saturating_add(meta.len());
        if bytes > BYTES_MAX {
            bail!("its files are larger than {} GiB in total; keep data outside the bots folder", BYTES_MAX >> 30);
        }
        holes += holes_in(path, &meta, HOLES_MAX - holes).with_context(reading)?;
        if holes > HOLES_MAX {
            bail!(
                "its files have more than {} MiB of holes (sparse files), up to and in {}; write them without holes (cp \
                 --sparse=never), or keep data outside the bots folder",
                HOLES_MAX >> 20,
                shown(&path.to_string_lossy())
            );
        }
    }
    Ok(())
}

/// Total size of the holes in a file, or something above `most`: at most one look for every block of that.
fn holes_in(path: &Path, meta: &Metadata, most: u64) -> io::Result<u64> {
    /// The unit of [`MetadataExt::blocks`].
    const BLOCK: u64 = 512;
    let (size, mut at, mut holes) = (meta.len(), 0, 0);
    if meta.blocks().saturating_mul(BLOCK) >= size {
        return Ok(0);
    }
    // Files that are compressed or very small have few blocks, too.
    let file = open_foreign(path)?;
    while at < size && holes <= most {
        let data = match seek(&file, SeekFrom::Data(at)) {
            Ok(data) => data.min(size),
            Err(Errno::NXIO) => size,
            // The file system does not tell.
            Err(Errno::INVAL | Errno::OPNOTSUPP) => return Ok(0),
            Err(error) => return Err(error.into()),
        };
        holes += data - at;
        at = if data < size { seek(&file, SeekFrom::Hole(data))?.max(data + 1) } else { size };
    }
    Ok(holes)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::roster::parts::BESIDE_MAX;

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
            of_folder(&["word"], self.0.path(), Closing::new(closing, &[]), &[]).unwrap()
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
        let relative = folder.print();
        folder.link(folder.path("main").to_str().unwrap(), "link");
        assert_eq!(folder.print(), relative, "an absolute link to the same file");
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
        assert_ne!(folder.print(), of_folder(&["other"], folder.0.path(), Closing::new(true, &[]), &[]).unwrap().text);
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
    fn what_is_excluded_is_closed_except_what_is_kept() {
        let folder = Folder::new();
        let [excluded, kept] = [vec!["out", "lib/no", "absent"], vec!["out/main"]]
            .map(|names| names.into_iter().map(|name| folder.path(name)).collect::<Vec<_>>());
        for file in ["out/main", "out/more", "lib/no/deep", "lib/yes"] {
            folder.write(file, "1");
        }
        let taken = |is_possible| of_folder(&[], folder.0.path(), Closing::new(is_possible, &excluded), &kept).unwrap();
        let (closing, open) = (taken(true), taken(false));
        assert_eq!(closing.closed, ["absent", "lib/no", "out"].map(|name| folder.path(name)));
        assert_eq!(open.closed, Vec::<PathBuf>::new());
        for (file, counts) in
            [("out/more", false), ("lib/no/deep", false), ("absent/x", false), ("out/main", true), ("lib/yes", true)]
        {
            let before = [taken(true), taken(false)].map(|taken| taken.text);
            folder.write(file, "2");
            let after = [taken(true), taken(false)].map(|taken| taken.text);
            // Where nothing can be closed, everything counts.
            assert_eq!([before[0] != after[0], before[1] != after[1]], [counts, true], "{file}");
        }
        // What is kept is recognised by these names too.
        assert_ne!(taken(true).text, of_folder(&[], folder.0.path(), Closing::new(true, &excluded), &[]).unwrap().text);
    }

    #[test]
    fn no_link_may_leave_the_folder_hidden_or_not() {
        for link in ["out", ".out", "lib/.deep"] {
            let folder = Folder::new();
            let outside = tempfile::NamedTempFile::new().unwrap();
            folder.link(outside.path().to_str().unwrap(), link);
            let refused = of_folder(&[], folder.0.path(), Closing::new(true, &[]), &[]).err().unwrap().to_string();
            assert!(refused.starts_with(&format!("`{link}` is a link to `")), "{refused}");
        }
    }

    #[test]
    fn holes_are_limited_for_all_files_together_and_data_is_not() {
        let folder = Folder::new();
        let sparse = |name: &str, holes: u64| {
            let file = fs::File::create(folder.path(name)).unwrap();
            file.set_len(holes).unwrap();
        };
        sparse("data", HOLES_MAX / 2);
        sparse("lib/data", HOLES_MAX / 2);
        let print = folder.print();
        // A fingerprint is of the content, however that is stored.
        fs::write(folder.path("data"), vec![0; HOLES_MAX as usize / 2]).unwrap();
        assert_eq!(folder.print(), print);
        sparse("more", HOLES_MAX / 2 + (1 << 20));
        let refused = of_folder(&["word"], folder.0.path(), Closing::new(true, &[]), &[]).err().unwrap().to_string();
        let says = format!("more than 64 MiB of holes (sparse files), up to and in {}", folder.path("more").display());
        assert!(refused.contains(&says) && refused.contains("cp --sparse=never"), "{refused}");
    }

    #[test]
    fn holes_between_data_are_found_as_far_as_asked() {
        use std::os::unix::fs::FileExt;
        const STEP: u64 = 1 << 20;
        let file = tempfile::NamedTempFile::new().unwrap();
        for place in 0..8 {
            file.as_file().write_all_at(b"data", place * STEP).unwrap();
        }
        let found = |most| holes_in(file.path(), &fs::metadata(file.path()).unwrap(), most).unwrap();
        let all = found(u64::MAX);
        assert!((6 * STEP..=7 * STEP).contains(&all), "{all}");
        assert!((2 * STEP..4 * STEP).contains(&found(2 * STEP)), "{}", found(2 * STEP));
        fs::write(file.path(), vec![1; STEP as usize]).unwrap();
        assert_eq!(found(0), 0);
    }
}
