//! Runtimes that are not part of the system. pyenv, nvm, sdkman, conda and similar tools put programs into `PREFIX/bin` or
//! `PREFIX/shims`, and what these need elsewhere under `PREFIX`.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::homes::Homes;
use super::paths::{PROGRAMS, find_program, is_of_programs, is_program, own_path, real};

/// Python packages installed by `pip install --user`.
pub(crate) struct UserPackages {
    /// The `PYTHONUSERBASE` under which Python finds them.
    pub(crate) base: PathBuf,
    /// The folders of packages, one for each version of Python.
    folders: Vec<PathBuf>,
}

impl UserPackages {
    /// The packages of the user who runs the arena, if there are any.
    pub(crate) fn own() -> Option<&'static Self> {
        static OWN: LazyLock<Option<UserPackages>> = LazyLock::new(|| {
            let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".local"));
            UserPackages::below(std::env::var_os("PYTHONUSERBASE").map(PathBuf::from).or_else(home)?)
        });
        OWN.as_ref()
    }

    fn below(base: PathBuf) -> Option<Self> {
        let entries = std::fs::read_dir(base.join("lib")).ok()?.flatten();
        let pythons = entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"python"));
        let folders = pythons.map(|entry| entry.path().join("site-packages"));
        let folders: Vec<PathBuf> = folders.filter(|folder| folder.is_dir()).collect();
        (base.is_absolute() && !folders.is_empty()).then_some(Self { base, folders })
    }
}

/// The folders of [`UserPackages`]. They are as public as the packages of the system; nothing else of the home is opened.
pub(super) fn of_user() -> &'static [PathBuf] {
    UserPackages::own().map_or(&[], |packages| &packages.folders)
}

/// Names of folders that contain programs. The files beside such a folder belong to these programs.
const PROGRAM_FOLDERS: [&str; 4] = ["bin", "sbin", "shims", "libexec"];
/// Maximum number of interpreters to follow, since an interpreter may be a script too.
const DEPTH_MAX: usize = 4;

/// The folders of `path`, and the files that belong to their programs.
pub(super) fn of_path(path: Option<&OsStr>, homes: &Homes) -> Vec<PathBuf> {
    let open = folders(path).filter(|dir| !is_closed(dir, homes));
    open.flat_map(|dir| [prefix_of(&dir, homes), Some(dir)]).flatten().collect()
}

/// Folders of `path`, or of our own `PATH` for a `stranger`, that [`readable`](super::readable) leaves closed: homes and
/// parents of homes.
#[must_use]
pub fn closed_folders(path: Option<&OsStr>, stranger: bool) -> Vec<PathBuf> {
    let ours = own_path();
    let path = if stranger { Some(ours.as_os_str()) } else { path };
    folders(path).filter(|dir| is_closed(dir, Homes::known())).collect()
}

fn folders(path: Option<&OsStr>) -> impl Iterator<Item = PathBuf> {
    path.into_iter().flat_map(std::env::split_paths).filter(|dir| dir.is_absolute() && dir.is_dir())
}

fn is_closed(dir: &Path, homes: &Homes) -> bool {
    let dir = real(dir);
    // Folders of the system are open even if they are the homes of system users.
    !is_of_programs(&dir) && homes.are_in(&dir)
}

/// Folders of the system's programs and of our own `PATH`, by their real names.
static INSTALLED: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let of_path = of_path(Some(&own_path()), Homes::known());
    PROGRAMS.iter().map(PathBuf::from).chain(of_path).map(|root| real(&root)).collect()
});

/// Whether `file`, perhaps a link, is in a folder of the system's programs or of our own `PATH`, or is the target of a link
/// there.
#[must_use]
pub fn is_installed(file: &Path) -> bool {
    let Some(Ok(dir)) = file.parent().map(Path::canonicalize) else { return false };
    let is_found = |name: &OsStr| find_program(name, Some(&own_path())).is_some_and(|found| real(&found) == *file);
    INSTALLED.iter().any(|root| dir.starts_with(root)) || file.file_name().is_some_and(is_found)
}

/// Files and folders needed to run `program`: the program, its interpreter, that one's, …, and what belongs to them. For a
/// `stranger`, only those that are installed.
pub(super) fn of_program(program: &Path, path: Option<&OsStr>, stranger: bool, homes: &Homes) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut program = Some(program.to_owned());
    for _ in 0..DEPTH_MAX {
        let Some(file) = program else { break };
        let real = real(&file);
        let is_open = !stranger || is_installed(&file);
        if is_open {
            // Also beside a link: a virtual environment has its packages beside the link to Python.
            found.extend(file.parent().and_then(|dir| prefix_of(dir, homes)));
        }
        if is_open || is_installed(&real) {
            found.extend(real.parent().and_then(|dir| prefix_of(dir, homes)));
            found.extend([file.clone(), real]);
        }
        program = interpreter(&file, path);
    }
    found
}

/// The existing ones of `program`, its interpreter, that one's, ….
pub(super) fn program_and_interpreters(program: &Path, path: Option<&OsStr>) -> Vec<PathBuf> {
    let first = find_program(program.as_os_str(), path);
    let chain = std::iter::successors(first, |file| interpreter(file, path)).take(DEPTH_MAX);
    chain.filter(|file| file.exists()).collect()
}

/// The folder above a folder of programs; `None` if it also contains other things.
fn prefix_of(dir: &Path, homes: &Homes) -> Option<PathBuf> {
    /// Prefixes of which only the folder of programs is opened, because they also contain keys.
    const OTHERS_BESIDE: [&str; 2] = [".cargo", ".local"];
    let real = dir.canonicalize().ok()?;
    let is_called = |path: &Path, names: &[&str]| names.iter().any(|name| path.file_name() == Some(OsStr::new(name)));
    if !is_called(&real, &PROGRAM_FOLDERS) {
        return None;
    }
    let prefix = real.parent()?;
    (!is_called(prefix, &OTHERS_BESIDE) && !homes.are_in(prefix)).then(|| prefix.to_owned())
}

/// The program that a script's first line names.
fn interpreter(script: &Path, path: Option<&OsStr>) -> Option<PathBuf> {
    const LINE_BYTES_MAX: u64 = 256;
    let mut line = Vec::new();
    let file = crate::open_foreign(script).ok()?;
    std::io::BufReader::new(file.take(LINE_BYTES_MAX)).read_until(b'\n', &mut line).ok()?;
    named_in(std::str::from_utf8(&line).ok()?, path).filter(|found| found.is_absolute() && is_program(found))
}

/// The program in an interpreter line. After `env`, the program is searched in `path`.
fn named_in(line: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    let mut words = line.strip_prefix("#!")?.split_ascii_whitespace();
    let first = PathBuf::from(words.next()?);
    if first.file_name() != Some(OsStr::new("env")) {
        return Some(first);
    }
    for word in words {
        match word {
            "-S" | "-i" | "-" => {}
            // Some other options take the next word as a value.
            option if option.starts_with('-') => return None,
            variable if variable.contains('=') => {}
            name => return find_program(&OsString::from(name), path),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_the_user_are_found_and_nothing_beside_them() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().join(".local");
        assert!(UserPackages::below(base.clone()).is_none());
        for folder in ["lib/python3.11/site-packages/p", "lib/python3.12", "lib/secret/site-packages", "share/keys"] {
            std::fs::create_dir_all(base.join(folder)).unwrap();
        }
        let packages = UserPackages::below(base.clone()).unwrap();
        assert_eq!((packages.folders, &packages.base), (vec![base.join("lib/python3.11/site-packages")], &base));
    }

    #[test]
    fn env_is_followed_to_its_program_and_to_nothing_else() {
        let path = Some(OsStr::new("/usr/bin:/bin"));
        let named = |line: &str| named_in(line, path).map(|found| found.file_name().unwrap().to_owned());
        for line in [
            "#!/bin/sh -e\n",
            "#! /usr/bin/env sh",
            "#!/usr/bin/env -S sh -e",
            "#!/usr/bin/env -S -i A=B PATH=/somewhere sh",
            "#!/usr/bin/env - sh",
        ] {
            assert_eq!(named(line), Some("sh".into()), "{line}");
        }
        for line in [
            "#!/usr/bin/env",
            "#!/usr/bin/env -S -u sh sh",
            "#!/usr/bin/env -S --unset sh sh",
            "#!/usr/bin/env -S -C /tmp sh",
            "#!/usr/bin/env A=B",
            "#!/usr/bin/env no-such-program",
            "#!",
            "echo",
            "",
        ] {
            assert_eq!(named(line), None, "{line}");
        }
    }

    #[test]
    fn an_interpreter_is_a_program() {
        let dir = tempfile::tempdir().unwrap();
        let script = |first_line: &str| {
            std::fs::write(dir.path().join("script"), format!("#!{first_line}\n")).unwrap();
            interpreter(&dir.path().join("script"), Some(dir.path().as_os_str()))
        };
        let word = dir.path().join("word");
        std::fs::write(&word, "secret").unwrap();
        assert_eq!(script(word.to_str().unwrap()), None);
        assert_eq!(script(&format!("/usr/bin/env {}", word.display())), None);
        assert_eq!(script("bin/sh"), None);
        assert_eq!(script(dir.path().to_str().unwrap()), None);
        assert_eq!(script("/bin/sh"), Some("/bin/sh".into()));
    }
}
