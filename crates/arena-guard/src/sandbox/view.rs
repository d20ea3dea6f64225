//! The files a bot may read: its own, the system's and its runtime's. Never the results or other bots, wherever they are.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::homes::Homes;
use super::paths::{PROGRAMS, find_program, is_of_programs, is_program, own_path, real};
use super::toolchains;

/// Files and folders that existed when they were looked up; a folder includes everything in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub struct Readable(Vec<OsString>);

/// Compact text form for the guard, since paths may be many: each byte of a path as one character, and NUL between paths,
/// which none contains.
impl From<Readable> for String {
    fn from(readable: Readable) -> Self {
        readable.0.join(OsStr::from_bytes(b"\0")).into_vec().into_iter().map(char::from).collect()
    }
}

impl From<String> for Readable {
    fn from(text: String) -> Self {
        let bytes: Vec<u8> = text.chars().filter_map(|byte| u8::try_from(byte).ok()).collect();
        let paths = bytes.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Self(paths.map(|path| OsStr::from_bytes(path).to_owned()).collect())
    }
}

impl Readable {
    /// The paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(Path::new)
    }

    /// Whether `path` is one of the paths, or in one of the folders.
    fn covers(&self, path: &Path) -> bool {
        self.paths().any(|readable| path.starts_with(readable))
    }
}

/// Folders in which programs query the kernel. Of the cgroups a bot reads its own only: others tell how long its opponent has
/// computed.
const KERNEL: [&str; 2] = ["/proc", "/sys/devices/system"];

/// Prefixes of the names in `/etc` that runtimes read; the rest stays closed. Each costs some microseconds a start.
const ETC: [&str; 16] = [
    "alternatives",
    // pip dies of what it finds and may not read, here and in `mime.types`.
    "debian_version",
    "group",
    "java",
    "jvm",
    "ld.so.cache",
    "ld.so.preload",
    "localtime",
    "mime.types",
    "mono",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "php",
    "python",
    "timezone",
];

/// The files that a bot started as `program` may read.
///
/// `own` are its own files and folders: the whole folder of a folder bot, or the files of its command. `path` is its `PATH`.
/// A `stranger` cannot open anything by its `PATH` or first line: apart from its own files, it may read only what is
/// [installed](super::is_installed). Homes are never opened because they contain programs: see [`closed_folders`](super::closed_folders). Nothing in
/// `hidden` (the results, the bots folder) is readable unless `own` names it. This reads many folders: call it once for
/// each bot, not for each start.
#[must_use]
pub fn readable(program: &Path, own: &[PathBuf], path: Option<&OsStr>, stranger: bool, hidden: &[PathBuf]) -> Readable {
    let hidden: Vec<PathBuf> = hidden.iter().map(|path| real(path)).collect();
    let is_hidden = |path: &Path| hidden.iter().any(|hidden| path.starts_with(hidden));
    let program = find_program(program.as_os_str(), path).unwrap_or_else(|| program.to_owned());
    let ours = own_path();
    let opening = if stranger { Some(ours.as_os_str()) } else { path };
    let homes = Homes::known();
    let mut paths = BTreeSet::new();
    let system = PROGRAMS.iter().chain(&KERNEL).map(PathBuf::from).chain(parts_of_etc());
    let system = system.chain(toolchains::of_user().iter().cloned());
    let tools = toolchains::of_path(opening, homes).into_iter();
    let tools = tools.chain(toolchains::of_program(&program, opening, stranger, homes));
    // By their real names, since rules for links have no effect.
    for candidate in system.chain(tools).map(|path| real(&path)).filter(|path| !is_hidden(path)) {
        // Access to a link is decided by its target.
        add_open(&candidate, &hidden, false, &mut paths);
    }
    let is_given = !stranger && !is_hidden(&real(&program));
    for own in own.iter().map(PathBuf::as_path).chain(is_given.then_some(program.as_path())) {
        // By both names: they are the same to Landlock, but not to a private view of files.
        paths.insert(own.to_owned());
        paths.insert(real(own));
    }
    let mut kept: Vec<OsString> = Vec::new();
    for path in paths.into_iter().filter(|path| path.exists()) {
        // Sorted by components, so a path is followed by those below it.
        if !kept.last().is_some_and(|last| path.starts_with(last)) {
            kept.push(path.into());
        }
    }
    Readable(kept)
}

/// The first of `program`, its interpreter, that one's, … that is not `readable`, so that the program cannot be started.
#[must_use]
pub fn closed_program(program: &Path, path: Option<&OsStr>, readable: &Readable) -> Option<PathBuf> {
    let chain = toolchains::program_and_interpreters(program, path);
    chain.into_iter().find(|file| !readable.covers(&real(file)))
}

/// Whether there is a program to be run: a file that can be executed, named by its path or found in `path`.
#[must_use]
pub fn is_there(program: &Path, path: Option<&OsStr>) -> bool {
    find_program(program.as_os_str(), path).is_some_and(|file| is_program(&file))
}

/// Whether `file` is a program of the system in our own `PATH`. Every bot may read such programs, so they are not hidden,
/// which would mean listing everything else in their folder.
#[must_use]
pub fn is_of_system(file: &Path) -> bool {
    is_program_in(&real(file), &own_path())
}

/// A folder is not a program, but may be a bot.
fn is_program_in(file: &Path, path: &OsStr) -> bool {
    let is_there = |dir: PathBuf| Some(real(&dir).as_path()) == file.parent();
    file.is_file() && is_of_programs(file) && std::env::split_paths(path).any(is_there)
}

fn parts_of_etc() -> Vec<PathBuf> {
    let wanted = |name: &OsStr| {
        let name = name.to_string_lossy();
        ETC.iter().any(|beginning| name.starts_with(beginning)) && !name.ends_with('-')
    };
    let entries = std::fs::read_dir("/etc").into_iter().flatten().flatten();
    let parts = entries.filter(|entry| wanted(&entry.file_name())).map(|entry| entry.path());
    // Only these files of their folders, which also hold keys.
    let inner = ["/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf"];
    parts.chain(inner.map(PathBuf::from)).collect()
}

/// `own` without the folders `closed`: a folder that contains one is replaced by its other entries.
///
/// Links in such a folder are included if their targets are files. Links to folders are left out: access is decided by
/// their targets.
#[must_use]
pub fn without_closed(own: &[PathBuf], closed: &[PathBuf]) -> Vec<PathBuf> {
    let mut open = Vec::new();
    for own in own {
        add_open(own, closed, true, &mut open);
    }
    open
}

/// Adds `path` unless it is closed; if something closed is below it, everything else below it instead, and of the links
/// there at most those to files.
fn add_open(path: &Path, closed: &[PathBuf], with_links: bool, open: &mut impl Extend<PathBuf>) {
    if closed.iter().any(|closed| closed == path) {
        return;
    }
    if !closed.iter().any(|closed| closed.starts_with(path)) {
        open.extend([path.to_owned()]);
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink() || with_links && path.is_file()) {
            add_open(&path, closed, with_links, open);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_carved_out_of_what_surrounds_it() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        for dir in ["tool/bin", "tool/lib", "tool/arena/bots", "tool/arena/results", "tool/arena/src"] {
            std::fs::create_dir_all(root.join(dir)).unwrap();
        }
        let bot = root.join("tool/arena/bots/mine");
        std::fs::write(&bot, "#!/bin/sh\n").unwrap();
        std::fs::write(root.join("tool/arena/bots/theirs"), "").unwrap();
        let hidden = [root.join("tool/arena/bots"), root.join("tool/arena/results")];
        let path = root.join("tool/bin");
        let view = readable(&bot, std::slice::from_ref(&bot), Some(path.as_os_str()), false, &hidden);
        for seen in ["tool/bin", "tool/lib/x", "tool/arena/src", "tool/arena/bots/mine"] {
            assert!(view.covers(&root.join(seen)), "{seen}");
        }
        for unseen in ["tool/arena/bots", "tool/arena/bots/theirs", "tool/arena/results/games.csv"] {
            assert!(!view.covers(&root.join(unseen)), "{unseen}");
        }
        assert!(view.covers(Path::new("/usr/lib")) && !view.covers(Path::new("/etc/shadow")));
        let of_pip = ["/etc/debian_version", "/etc/mime.types"].map(Path::new);
        assert!(of_pip.iter().all(|file| !file.exists() || view.covers(&real(file))));
    }

    #[test]
    fn paths_arrive_as_they_were_sent() {
        let names: [&[u8]; 4] = [b"/usr", "/o/ä\u{1F600}".as_bytes(), b"/p/\xff\x80\n\"", b"/q/ "];
        let readable = Readable(names.map(|name| OsStr::from_bytes(name).to_owned()).into());
        for readable in [readable, Readable::default()] {
            let sent = serde_json::to_string(&readable).unwrap();
            assert_eq!(serde_json::from_str::<Readable>(&sent).unwrap(), readable, "{sent}");
        }
    }

    #[test]
    fn a_program_of_the_system_is_one_that_path_leads_to() {
        assert!(is_of_system(Path::new("/bin/sh")) && is_of_system(Path::new("/usr/bin/env")));
        assert!(!is_of_system(Path::new("/usr/lib/os-release")) && !is_of_system(Path::new("/etc/passwd")));
        let path = OsStr::new("/usr:/usr/bin");
        assert!(is_program_in(Path::new("/usr/bin/env"), path) && !is_program_in(Path::new("/usr/lib"), path));
    }

    #[test]
    fn a_virtual_environment_is_open_to_a_bot_started_by_its_link() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("venv/bin")).unwrap();
        std::fs::write(root.join("venv/pyvenv.cfg"), "").unwrap();
        let python = root.join("venv/bin/python");
        std::os::unix::fs::symlink("/bin/sh", &python).unwrap();
        let bot = root.join("bot");
        std::fs::write(&bot, format!("#!{}\n", python.display())).unwrap();
        let config = root.join("venv/pyvenv.cfg");
        assert!(readable(&bot, std::slice::from_ref(&bot), None, false, &[]).covers(&config));
        assert!(!readable(&bot, std::slice::from_ref(&bot), None, true, &[]).covers(&config));
    }

    #[test]
    fn a_stranger_opens_nothing_by_what_it_says_of_itself() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        for dir in ["secret/bin", "bots/mine", "bots/theirs"] {
            std::fs::create_dir_all(root.join(dir)).unwrap();
        }
        let program = |path: &str, first_line: &str| {
            use std::os::unix::fs::PermissionsExt;
            std::fs::write(root.join(path), format!("#!{first_line}\n")).unwrap();
            std::fs::set_permissions(root.join(path), PermissionsExt::from_mode(0o755)).unwrap();
            root.join(path)
        };
        let tool = program("secret/bin/tool", "/bin/sh");
        let victim = program("bots/theirs/bot", "/bin/sh");
        let by_tool = program("bots/mine/by-tool", tool.to_str().unwrap());
        let by_path = program("bots/mine/by-path", "/usr/bin/env tool");
        let link = root.join("bots/mine/link");
        std::os::unix::fs::symlink(&victim, &link).unwrap();
        let (own, hidden) = ([root.join("bots/mine")], [root.join("bots")]);
        let path = std::env::join_paths([root.join("secret/bin"), "/usr/bin".into()]).unwrap();
        let closed = [tool.clone(), root.join("secret"), victim.clone()];
        for started in [&by_tool, &by_path, &link, &tool, &victim, Path::new("tool")] {
            let view = readable(started, &own, Some(&path), true, &hidden);
            assert!(view.covers(&by_path) && view.covers(Path::new("/usr/bin")), "{}", started.display());
            assert!(!closed.iter().any(|closed| view.covers(closed)), "{}", started.display());
        }
        // The user who runs the arena may open anything that is not hidden; links directly in the bots folder are the user's.
        let view = readable(Path::new("tool"), &[], Some(&path), false, &hidden);
        assert!(view.covers(&tool) && view.covers(&root.join("secret")) && !view.covers(&victim));
        assert!(!readable(&link, &[], Some(&path), false, &hidden).covers(&victim));
        assert!(readable(&link, std::slice::from_ref(&link), Some(&path), false, &hidden).covers(&victim));
    }

    #[test]
    fn what_is_beside_a_closed_folder_stays_open() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        for folder in ["bot/a/closed/deep", "bot/a/open", "bot/b", "bot/closed"] {
            std::fs::create_dir_all(path(folder)).unwrap();
        }
        for file in ["bot/main", "bot/a/part", "bot/b/part", "bot/closed/data", "alone"] {
            std::fs::write(path(file), "").unwrap();
        }
        for (target, link) in [("closed", "x"), (".", "y"), ("b", "z"), ("b/part", "file"), ("nowhere", "none")] {
            std::os::unix::fs::symlink(target, path("bot").join(link)).unwrap();
        }
        let own = [path("bot"), path("alone")];
        assert_eq!(without_closed(&own, &[]), own);
        let mut open = without_closed(&own, &[path("bot/closed"), path("bot/a/closed")]);
        open.sort();
        let expected = ["alone", "bot/a/open", "bot/a/part", "bot/b", "bot/file", "bot/main"];
        assert_eq!(open, expected.map(path));
        assert!(without_closed(&[path("bot/closed")], &[path("bot/closed")]).is_empty());
    }
}
