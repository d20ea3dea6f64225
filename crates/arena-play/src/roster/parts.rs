//! The files, folders and links of a bot, by names that do not depend on where the bot lies.

use std::cell::OnceCell;
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
pub(super) struct BotPart {
    /// Where it is.
    pub(super) path: PathBuf,
    /// Its path from the bot's folder. What a manifest names by an absolute path elsewhere is named as if it were directly
    /// in `/`.
    pub(super) name: PathBuf,
    /// What it is.
    pub(super) kind: PartKind,
    /// Whether it is a file, or a link to one.
    pub(super) is_file: bool,
}

/// The kind of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PartKind {
    /// A file, or what a manifest names as one.
    File,
    /// A folder.
    Folder,
    /// A link with its target. If it is absolute and one of the bot's own files, it is relative to the link instead.
    Link(PathBuf),
    /// A FIFO, a socket, a device.
    Other,
}

/// The parts of a bot.
#[derive(Debug, Default)]
pub(super) struct BotParts {
    /// All that it can read: the contents of a folder sorted, folders in the order of the manifest.
    pub(super) read: Vec<BotPart>,
    /// Folders among its own that are closed to it.
    pub(super) closed: Vec<PathBuf>,
}

/// The folders that are closed to a bot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Closing<'a> {
    /// Those that are closed by their names.
    by_name: bool,
    /// Those that its manifest excludes.
    excluded: &'a [PathBuf],
}

impl<'a> Closing<'a> {
    /// None if they cannot be closed (`is_possible`), else the usual ones, and those that the manifest excludes.
    pub(crate) const fn new(is_possible: bool, excluded: &'a [PathBuf]) -> Self {
        Self { by_name: is_possible, excluded: if is_possible { excluded } else { &[] } }
    }

    const fn by_name(self, by_name: bool) -> Self {
        Self { by_name, ..self }
    }
}

/// The parts of a bot that is all of `dir`. Such a bot is untrusted: its links may only lead to its own files, or to files
/// that every bot may read. Omits the folders that are closed to it, but not what it names in them, which is `kept`.
pub(super) fn of_folder(dir: &Path, closing: Closing<'_>, kept: &[PathBuf]) -> anyhow::Result<BotParts> {
    let home = links::home(dir)?;
    let check_link = |link: &Path| links::check_link(link, dir, &home);
    let mut all = walk(&Naming::new(dir, &[]), dir, closing, check_link)?;
    // Where nothing is closed, they are among the others.
    let is_closed = |path: &&PathBuf| all.closed.iter().any(|closed| path.starts_with(closed));
    let kept: Vec<PathBuf> = kept.iter().filter(is_closed).cloned().collect();
    all.read.extend(of_paths(dir, &kept, closing, check_link)?.read);
    Ok(all)
}

/// The parts of a bot in `dir` that consists of some files and folders. `check_link` may reject links in these folders.
pub(super) fn of_paths(
    dir: &Path,
    paths: &[PathBuf],
    closing: Closing<'_>,
    check_link: impl Fn(&Path) -> anyhow::Result<()> + Copy,
) -> anyhow::Result<BotParts> {
    let mut all = BotParts::default();
    let naming = Naming::new(dir, paths);
    for path in paths {
        if path.is_dir() {
            let walked = walk(&naming, path, closing, check_link)?;
            all.read.extend(walked.read);
            all.closed.extend(walked.closed);
        } else {
            all.read.push(BotPart {
                path: path.clone(),
                name: naming.name(path, path),
                kind: PartKind::File,
                is_file: true,
            });
        }
    }
    Ok(all)
}

/// How a manifest's path enters the fingerprint of a bot in `dir`: relative if it is inside, otherwise as if it were
/// directly in `/`.
pub(crate) fn named(dir: &Path, path: &Path) -> PathBuf {
    match path.strip_prefix(dir) {
        Ok(inside) => inside.to_owned(),
        Err(_) => Path::new("/").join(path.file_name().unwrap_or_default()),
    }
}

/// How the parts of a bot are named.
struct Naming<'a> {
    dir: &'a Path,
    /// What the bot consists of, besides files in `dir`.
    paths: &'a [PathBuf],
    /// Absolute paths of the bot's own files and folders, with their names.
    own: OnceCell<Vec<(PathBuf, PathBuf)>>,
}

impl<'a> Naming<'a> {
    const fn new(dir: &'a Path, paths: &'a [PathBuf]) -> Self {
        Self { dir, paths, own: OnceCell::new() }
    }

    /// The name of a part that is `top`, or below that.
    fn name(&self, top: &Path, path: &Path) -> PathBuf {
        // As written, with any `//` in it, like all fingerprints before.
        if let Ok(inside) = path.strip_prefix(self.dir) {
            return inside.to_owned();
        }
        let below = path.strip_prefix(top).unwrap_or(path);
        // Joining nothing would add a slash.
        named(self.dir, top).components().chain(below.components()).collect()
    }

    /// The target of a link, called `name`.
    fn target(&self, link: &Path, name: &Path) -> anyhow::Result<PathBuf> {
        let target = std::fs::read_link(link).with_context(|| format!("looking at {}", link.display()))?;
        if target.is_relative() {
            return Ok(target);
        }
        let all = || std::iter::once(self.dir).chain(self.paths.iter().map(PathBuf::as_path));
        let spelt = |path| spellings(path).into_iter().map(move |spelt| (spelt, tidy(&named(self.dir, path))));
        let own = self.own.get_or_init(|| all().flat_map(spelt).collect());
        let relative = own.iter().find_map(|(path, of)| {
            let below = target.strip_prefix(path).ok().filter(|below| climb(below) == 0)?;
            between(&tidy(name), &of.components().chain(below.components()).collect::<PathBuf>())
        });
        Ok(relative.unwrap_or(target))
    }
}

/// The absolute paths by which a file or folder may be known: as it is named, without `..`, and without links.
fn spellings(path: &Path) -> Vec<PathBuf> {
    let real = path.canonicalize().ok();
    // Behind a link, `..` leads elsewhere.
    let tidy = Some(tidy(path)).filter(|tidy| real.is_some() && tidy.canonicalize().ok() == real);
    [Some(path.to_owned()), tidy, real].into_iter().flatten().collect()
}

/// A path without `..` behind another name.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        let is_back =
            part == Component::ParentDir && matches!(tidy.components().next_back(), Some(Component::Normal(_)));
        if is_back {
            tidy.pop();
        } else {
            tidy.push(part);
        }
    }
    tidy
}

/// Number of folders that a relative path leads up at most.
pub(super) fn climb(path: &Path) -> usize {
    let (mut depth, mut above) = (0_usize, 0);
    for part in path.components() {
        match part {
            Component::ParentDir if depth == 0 => above += 1,
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            _ => {}
        }
    }
    above
}

/// The target of the link `link` that leads to `target`, both names of parts; `None` if names alone do not tell.
fn between(link: &Path, target: &Path) -> Option<PathBuf> {
    let [from, to] = [link.parent()?, target].map(|path| path.components().collect::<Vec<_>>());
    let common = from.iter().zip(&to).take_while(|(from, to)| from == to).count();
    if !from[common..].iter().all(|part| matches!(part, Component::Normal(_)))
        || to[common..].contains(&Component::RootDir)
    {
        return None;
    }
    let up = from[common..].iter().map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to[common..].iter().copied()).collect();
    Some(if path.as_os_str().is_empty() { PathBuf::from(".") } else { path })
}

/// Lists everything below a folder. `check_link` may reject links to files and folders. Omits closed folders, unless those that
/// are closed by name have too many siblings.
fn walk(
    naming: &Naming<'_>,
    top: &Path,
    closing: Closing<'_>,
    check_link: impl Fn(&Path) -> anyhow::Result<()> + Copy,
) -> anyhow::Result<BotParts> {
    let mut walk = BotParts::default();
    let mut folders = vec![(top.to_owned(), closing.by_name)];
    let mut sizes = HashMap::new();
    let mut seen = 0;
    while let Some((folder, by_name)) = folders.pop() {
        let reading = || format!("reading folder {}", folder.display());
        let before = seen;
        for entry in std::fs::read_dir(&folder).with_context(reading)? {
            let entry = entry.with_context(reading)?;
            seen += 1;
            if seen > FILES_MAX {
                bail!(
                    "a bot's folder has more than {FILES_MAX} files; keep build products and data outside of it, or exclude \
                     them in its manifest: exclude = [\"target/\"]"
                );
            }
            let (name, path) = (entry.file_name(), entry.path());
            let kind = entry.file_type().with_context(|| format!("looking at {}", path.display()))?;
            let is_closed = closing.excluded.contains(&path) || by_name && CLOSED.iter().any(|closed| name == *closed);
            if kind.is_dir() && is_closed {
                walk.closed.push(path);
                continue;
            }
            if kind.is_dir() {
                let is_hidden = name.as_encoded_bytes().starts_with(b".");
                folders.push((path.clone(), by_name && !is_hidden && name != INSTALLED));
            }
            // Links to folders are not followed, since they may form a cycle.
            let target = if kind.is_symlink() { std::fs::metadata(&path).ok() } else { None };
            if target.as_ref().is_some_and(|target| target.is_file() || target.is_dir()) {
                check_link(&path)?;
            }
            let is_file = kind.is_file() || target.is_some_and(|target| target.is_file());
            let name = naming.name(top, &path);
            let kind = match () {
                () if kind.is_file() => PartKind::File,
                () if kind.is_dir() => PartKind::Folder,
                () if kind.is_symlink() => PartKind::Link(naming.target(&path, &name)?),
                () => PartKind::Other,
            };
            walk.read.push(BotPart { path, name, kind, is_file });
        }
        sizes.insert(folder, seen - before);
    }
    // One that is not there yet is closed as well: the bot must not read what it does not consist of.
    let absent =
        |path: &&PathBuf| path.starts_with(top) && *path != top && !walk.closed.iter().any(|it| path.starts_with(it));
    let absent: Vec<PathBuf> = closing.excluded.iter().filter(absent).cloned().collect();
    walk.closed.extend(absent);
    // Everything beside a closed folder, or beside a folder that contains one.
    let above: HashSet<&Path> = walk.closed.iter().flat_map(|closed| closed.ancestors().skip(1)).collect();
    let beside: usize = above.into_iter().filter_map(|folder| sizes.get(folder)).sum();
    if beside > BESIDE_MAX && closing.by_name {
        return self::walk(naming, top, closing.by_name(false), check_link);
    }
    if beside > BESIDE_MAX {
        bail!(
            "{beside} files and folders are beside those that `exclude` closes, and each takes time at every start; at most \
             {BESIDE_MAX} are possible: exclude whole folders, as far up as they can be"
        );
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
            ("lib/deep/link", "lib/part", Some("../part")),
            ("link", "", Some(".")),
            ("lib/link", "", Some("..")),
            ("lib/link", "lib", Some(".")),
            ("link", "lib/../main", Some("lib/../main")),
            ("../data/lib/link", "../data/part", Some("../part")),
            ("link", "../data/part", Some("../data/part")),
            ("/weights/deep/link", "/weights/net", Some("../net")),
            // It depends on what the bot's folder is called.
            ("../data/link", "main", None),
            // It depends on where that is.
            ("link", "/weights/net", None),
        ] {
            assert_eq!(between(Path::new(link), Path::new(target)).as_deref(), relative.map(Path::new), "{link}");
        }
        for (path, above) in [("a/b", 0), ("a/../b", 0), ("..", 1), ("a/../../b", 1), ("../a/../../b", 2)] {
            assert_eq!(climb(Path::new(path)), above, "{path}");
        }
        for (path, tidied) in [("/a/../b/./c", "/b/c"), ("../a/../b", "../b"), ("a/../../b", "../b"), ("/..", "/..")] {
            assert_eq!(tidy(Path::new(path)), Path::new(tidied), "{path}");
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
            let (naming, path) = (Naming::new(dir, &[]), Path::new(path));
            assert_eq!(naming.name(path, path).as_os_str(), name);
            assert_eq!(naming.name(path, &path.join("a/b")), Path::new(name).join("a/b"), "{path:?}");
        }
    }
}
