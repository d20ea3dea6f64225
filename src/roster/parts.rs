//! The files, folders and links of a bot, by names that do not depend on where the bot lies.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, bail};

use super::links;

/// Maximum number of files of a bot. A larger folder contains files that do not belong to the bot.
const FILES_MAX: usize = 20_000;
/// Folders that are not part of a bot's identity. The sandbox closes them to the bot. Where it cannot, they count like
/// all others.
const CLOSED: [&str; 4] = ["__pycache__", ".git", ".hg", ".svn"];
/// Folder of installed packages. Everything below it counts, including byte code, without which starting would be slow.
/// The same holds for hidden folders such as `.venv`.
const INSTALLED: &str = "site-packages";
/// Maximum number of entries beside closed folders. Each is opened separately at every start, which takes some
/// microseconds.
pub(super) const BESIDE_MAX: usize = 1_000;

/// A file, folder or link of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Its path from the bot's folder. What a manifest names by an absolute path elsewhere is named as if it were directly
    /// in `/`.
    pub(crate) name: PathBuf,
    /// What it is.
    pub(crate) kind: PartKind,
    /// Whether it is a file, or a link to one.
    pub(crate) is_file: bool,
}

/// The kind of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PartKind {
    /// A file, or what a manifest names as one.
    File,
    /// A folder.
    Folder,
    /// A link with its target. If that is absolute and one of the bot's own files, it is given relative to the link.
    Link(PathBuf),
    /// A FIFO, a socket, a device.
    Other,
}

/// The parts of a bot.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// All that it can read: the contents of a folder sorted, folders in the order of the manifest.
    pub(crate) read: Vec<Part>,
    /// Folders among its own that are closed to it.
    pub(crate) closed: Vec<PathBuf>,
}

/// The parts of a bot that is all of `dir`. Such a bot is untrusted: its links may only lead to its own files, or to files
/// that every bot may read. If `closing`, omits the folders that are closed to it.
pub(super) fn of_folder(dir: &Path, closing: bool) -> anyhow::Result<Parts> {
    let home = links::home(dir)?;
    walk(&Naming::new(dir, dir), closing, |link| links::check_link(link, dir, &home))
}

/// The parts of a bot in `dir` that consists of some files and folders.
pub(super) fn of_paths(dir: &Path, paths: &[PathBuf], closing: bool) -> anyhow::Result<Parts> {
    let mut all = Parts::default();
    for path in paths {
        let naming = Naming::new(dir, path);
        if path.is_dir() {
            let walked = walk(&naming, closing, |_| Ok(()))?;
            all.read.extend(walked.read);
            all.closed.extend(walked.closed);
        } else {
            all.read.push(Part { path: path.clone(), name: naming.name(path), kind: PartKind::File, is_file: true });
        }
    }
    Ok(all)
}

/// How a manifest's path enters the fingerprint of a bot in `dir`: relative if it is inside, otherwise as if it were
/// directly in `/`.
pub(super) fn named(dir: &Path, path: &Path) -> PathBuf {
    match path.strip_prefix(dir) {
        Ok(inside) => inside.to_owned(),
        Err(_) => Path::new("/").join(path.file_name().unwrap_or_default()),
    }
}

/// How the parts below one path of a bot are named.
struct Naming<'a> {
    dir: &'a Path,
    /// The path, as the manifest names it.
    top: &'a Path,
    /// Folders to which absolute links may lead: where each is seen from its parts, and its absolute paths.
    roots: Vec<(&'a Path, Vec<PathBuf>)>,
}

impl<'a> Naming<'a> {
    fn new(dir: &'a Path, top: &'a Path) -> Self {
        let is_plain = |rest: &Path| !rest.components().any(|part| part == Component::ParentDir);
        let above = top.strip_prefix(dir).is_ok_and(is_plain).then_some(dir);
        let roots = [Some(top), above].into_iter().flatten().map(|root| (root, spellings(root))).collect();
        Self { dir, top, roots }
    }

    /// The name of a part.
    fn name(&self, path: &Path) -> PathBuf {
        // As written, with any `//` in it, like all fingerprints before.
        if let Ok(inside) = path.strip_prefix(self.dir) {
            return inside.to_owned();
        }
        let below = path.strip_prefix(self.top).unwrap_or(path);
        // Joining nothing would add a slash.
        named(self.dir, self.top).components().chain(below.components()).collect()
    }

    /// The target of a link among the parts.
    fn target(&self, link: &Path) -> anyhow::Result<PathBuf> {
        let target = std::fs::read_link(link).with_context(|| format!("looking at {}", link.display()))?;
        let inside = self.roots.iter().find_map(|(seen, roots)| {
            let root = roots.iter().find(|root| target.starts_with(root))?;
            from_link(link.strip_prefix(seen).ok()?, target.strip_prefix(root).ok()?)
        });
        Ok(inside.unwrap_or(target))
    }
}

/// The absolute paths by which a folder may be known: as it is named, without links, and without `..`.
fn spellings(folder: &Path) -> Vec<PathBuf> {
    let mut tidy = PathBuf::new();
    for part in folder.components() {
        if part == Component::ParentDir {
            tidy.pop();
        } else {
            tidy.push(part);
        }
    }
    let real = folder.canonicalize().ok();
    // Behind a link, `..` leads elsewhere.
    let tidy = Some(tidy).filter(|tidy| real.is_some() && tidy.canonicalize().ok() == real);
    [Some(folder.to_owned()), tidy, real].into_iter().flatten().collect()
}

/// The relative target of the link `link` that leads to `target`, both relative to the same folder; `None` if the target
/// leads out of that.
fn from_link(link: &Path, target: &Path) -> Option<PathBuf> {
    let mut depth = 0_usize;
    for part in target.components() {
        depth = if part == Component::ParentDir { depth.checked_sub(1)? } else { depth + 1 };
    }
    let up = link.components().skip(1).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(target.components()).collect();
    Some(if path.as_os_str().is_empty() { PathBuf::from(".") } else { path })
}

/// Lists everything below a folder. `check_link` may reject links to files and folders. If `closing`, omits closed
/// folders, unless they have too many siblings.
fn walk(
    naming: &Naming<'_>,
    closing: bool,
    check_link: impl Fn(&Path) -> anyhow::Result<()> + Copy,
) -> anyhow::Result<Parts> {
    let mut walk = Parts::default();
    let mut folders = vec![(naming.top.to_owned(), closing)];
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
                () if kind.is_file() => PartKind::File,
                () if kind.is_dir() => PartKind::Folder,
                () if kind.is_symlink() => PartKind::Link(naming.target(&path)?),
                () => PartKind::Other,
            };
            walk.read.push(Part { name: naming.name(&path), path, kind, is_file });
        }
        sizes.insert(folder, seen - before);
    }
    // Everything beside a closed folder, or beside a folder that contains one.
    let above: HashSet<&Path> = walk.closed.iter().flat_map(|closed| closed.ancestors().skip(1)).collect();
    let beside: usize = above.into_iter().filter_map(|folder| sizes.get(folder)).sum();
    if beside > BESIDE_MAX {
        return self::walk(naming, false, check_link);
    }
    walk.read.sort_by(|a, b| a.path.cmp(&b.path));
    walk.closed.sort();
    Ok(walk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absolute_link_is_the_relative_one_to_the_same_file() {
        for (link, target, relative) in [
            ("link", "main", Some("main")),
            ("lib/link", "main", Some("../main")),
            ("lib/deep/link", "lib/part", Some("../../lib/part")),
            ("link", "", Some(".")),
            ("lib/link", "", Some("..")),
            ("link", "lib/../main", Some("lib/../main")),
            ("link", "..", None),
            ("lib/link", "lib/../../other", None),
        ] {
            assert_eq!(from_link(Path::new(link), Path::new(target)).as_deref(), relative.map(Path::new), "{link}");
        }
    }

    #[test]
    fn what_lies_elsewhere_is_named_without_its_place() {
        let dir = Path::new("/home/bots");
        for (path, name) in [
            ("/home/bots/lib", "lib"),
            ("/home/bots/../data", "../data"),
            ("/data/book.bin", "/book.bin"),
            ("/mnt/data/book.bin", "/book.bin"),
            ("/", "/"),
        ] {
            assert_eq!(named(dir, Path::new(path)), Path::new(name), "{path}");
            let naming = Naming::new(dir, Path::new(path));
            assert_eq!(naming.name(Path::new(path)).as_os_str(), name);
            assert_eq!(naming.name(&Path::new(path).join("a/b")), Path::new(name).join("a/b"), "{path}");
        }
    }
}
