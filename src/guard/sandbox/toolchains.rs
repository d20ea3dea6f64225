//! Where runtimes live that are not part of the system: pyenv, nvm, sdkman, conda and the like all put programs into
//! `PREFIX/bin` or `PREFIX/shims` and keep what these need elsewhere under `PREFIX`.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use crate::guard::request::find_program;

/// Names of folders that hold programs, so that what is beside them belongs to these programs.
const PROGRAM_FOLDERS: [&str; 4] = ["bin", "sbin", "shims", "libexec"];
/// Interpreters of interpreters of …
const DEPTH_MAX: usize = 4;

/// Files and folders that running `program` takes, as far as they can be told from it and from `path`.
pub(super) fn needed(program: &Path, path: Option<&OsStr>) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let mut found = Vec::new();
    for dir in path.iter().flat_map(std::env::split_paths).filter(|dir| dir.is_absolute()) {
        found.extend(prefix_of(&dir, home.as_deref()));
        found.push(dir);
    }
    let mut program = Some(program.to_owned());
    for _ in 0..DEPTH_MAX {
        let Some(file) = program else { break };
        found.push(file.clone());
        if let Ok(real) = file.canonicalize() {
            found.extend(real.parent().and_then(|dir| prefix_of(dir, home.as_deref())));
            found.push(real);
        }
        program = interpreter(&file, path);
    }
    found
}

/// The folder above one full of programs; nothing if it holds other things as well.
fn prefix_of(dir: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let real = dir.canonicalize().ok()?;
    if !PROGRAM_FOLDERS.iter().any(|name| real.file_name() == Some(OsStr::new(name))) {
        return None;
    }
    let prefix = real.parent()?;
    let is_home = home.is_some_and(|home| home.starts_with(prefix) || prefix == home.join(".local"));
    // Its own `bin` is all one wants of it: beside it lie the keys of a registry.
    let is_cargo = prefix.file_name() == Some(OsStr::new(".cargo"));
    (prefix.parent().is_some() && !is_home && !is_cargo).then(|| prefix.to_owned())
}

/// The program that a script's first line names.
fn interpreter(script: &Path, path: Option<&OsStr>) -> Option<PathBuf> {
    const LINE_BYTES_MAX: u64 = 256;
    let meta = std::fs::metadata(script).ok()?;
    if !meta.is_file() {
        return None;
    }
    let mut line = Vec::new();
    let file = std::fs::File::open(script).ok()?;
    std::io::BufReader::new(file.take(LINE_BYTES_MAX)).read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8(line).ok()?;
    let mut words = line.strip_prefix("#!")?.split_ascii_whitespace();
    let first = PathBuf::from(words.next()?);
    if first.file_name() != Some(OsStr::new("env")) {
        return Some(first);
    }
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    find_program(&OsString::from(name), path)
}
