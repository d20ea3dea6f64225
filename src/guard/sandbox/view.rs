//! The files a bot may read: what the system and its runtime are made of, and its own. Not the results, not the other
//! bots, wherever these lie.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::toolchains;
use crate::guard::request::find_program;

/// Files and folders, existing when they were looked up; a folder stands for all that is in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Readable(Vec<OsString>);

impl Readable {
    /// The paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(Path::new)
    }

    /// Whether `path` is among them or below one of them.
    #[must_use]
    pub fn covers(&self, path: &Path) -> bool {
        self.paths().any(|readable| path.starts_with(readable))
    }
}

/// What every program may need of the system.
const SYSTEM: [&str; 14] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/snap",
    "/proc",
    "/sys/devices/system",
    "/sys/fs/cgroup",
];

/// Deeper than anything hidden lies.
const DEPTH_MAX: u32 = 64;

/// What runtimes look up in `/etc`, by the beginning of the name; the rest of it is nobody's business. Each costs some
/// microseconds a start.
const ETC: [&str; 14] = [
    "alternatives",
    "group",
    "java",
    "jvm",
    "ld.so.cache",
    "ld.so.preload",
    "localtime",
    "mono",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "php",
    "python",
    "timezone",
];

/// What a bot may read that is started as `program` with `args`.
///
/// `own` are its own files and folders: the whole folder of a bot that has one for itself, else the files of its
/// command. `path` is its `PATH`. Nothing at or below `hidden` is readable unless `own` names it: the results, the
/// bots folder. Looks at many files; to be called once for each bot, not for each start.
#[must_use]
pub fn readable(program: &Path, own: &[PathBuf], path: Option<&OsStr>, hidden: &[PathBuf]) -> Readable {
    let hidden: Vec<PathBuf> = hidden.iter().map(|path| real(path)).collect();
    let program = find_program(program.as_os_str(), path).unwrap_or_else(|| program.to_owned());
    let mut paths = BTreeSet::new();
    let system = SYSTEM.iter().map(PathBuf::from).chain(parts_of_etc());
    // This program plays built-in strategies, and a script may want one.
    let arena = crate::guard::handle::own_program().ok();
    for candidate in system.chain(arena).chain(toolchains::needed(&program, path)) {
        // By its real name, since links take none of the room.
        add_without(&real(&candidate), &hidden, &mut paths, DEPTH_MAX);
    }
    for own in own.iter().map(PathBuf::as_path).chain([program.as_path()]) {
        // By any name: the link and what it leads to are the same to Landlock, not to a private view of files.
        paths.insert(own.to_owned());
        paths.insert(real(own));
    }
    let mut kept: Vec<OsString> = Vec::new();
    for path in paths.into_iter().filter(|path| path.exists()) {
        // Sorted by components, so what is below a path follows it.
        if !kept.last().is_some_and(|last| path.starts_with(last)) {
            kept.push(path.into());
        }
    }
    Readable(kept)
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn parts_of_etc() -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir("/etc") else { return Vec::new() };
    let wanted = |name: &OsStr| {
        let name = name.to_string_lossy();
        ETC.iter().any(|beginning| name.starts_with(beginning)) && !name.ends_with('-')
    };
    let parts = entries.flatten().filter(|entry| wanted(&entry.file_name())).map(|entry| entry.path());
    // Of these folders not all: keys lie beside.
    let inner = ["/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf"];
    parts.chain(inner.map(PathBuf::from)).collect()
}

/// Adds `path`, a real one, or if something hidden is below it, all that is beside that.
fn add_without(path: &Path, hidden: &[PathBuf], paths: &mut BTreeSet<PathBuf>, depth: u32) {
    if depth == 0 || hidden.iter().any(|hidden| path.starts_with(hidden)) {
        return;
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(path)) {
        paths.insert(path.to_owned());
        return;
    }
    let Ok(entries) = std::fs::read_dir(path) else { return };
    for entry in entries.flatten() {
        // A link is followed by whoever opens it; where it leads decides for itself.
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            add_without(&entry.path(), hidden, paths, depth - 1);
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
        let view = readable(&bot, &[], Some(root.join("tool/bin").as_os_str()), &hidden);
        for seen in ["tool/bin", "tool/lib/x", "tool/arena/src", "tool/arena/bots/mine"] {
            assert!(view.covers(&root.join(seen)), "{seen}");
        }
        for unseen in ["tool/arena/bots", "tool/arena/bots/theirs", "tool/arena/results/games.csv"] {
            assert!(!view.covers(&root.join(unseen)), "{unseen}");
        }
        assert!(view.covers(Path::new("/usr/lib")) && !view.covers(Path::new("/etc/shadow")));
    }
}
