//! Locations of programs.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Folders of the system's programs and their libraries.
pub(super) const PROGRAMS: [&str; 11] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store", "/snap"];

/// Debian's folder of game engines. It is in the `PATH` of users, but not in that of root or of cron jobs.
const GAMES: &str = "/usr/games";

/// The arena's own `PATH`, with the folder of games at its end.
pub(crate) fn own_path() -> OsString {
    static OWN: LazyLock<OsString> = LazyLock::new(|| {
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        with_games(path)
    });
    OWN.clone()
}

fn with_games(mut path: OsString) -> OsString {
    if !std::env::split_paths(&path).any(|dir| dir == Path::new(GAMES)) {
        path.push(":");
        path.push(GAMES);
    }
    path
}

/// The file of a program. A name without a slash is searched in `path`.
pub(crate) fn find_program(program: &OsStr, path: Option<&OsStr>) -> Option<PathBuf> {
    if program.as_encoded_bytes().contains(&b'/') {
        return Some(program.into());
    }
    if program.is_empty() {
        return None;
    }
    std::env::split_paths(path?).map(|dir| dir.join(program)).find(|file| is_program(file))
}

/// Whether `file` is a file that the kernel would try to run.
pub(crate) fn is_program(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|meta| crate::is_executable(&meta))
}

/// The real name of a file, or the given name if the file does not exist.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Whether a file, given by its real name, is in a folder of the system's programs.
pub(super) fn is_of_programs(file: &Path) -> bool {
    PROGRAMS.iter().any(|programs| file.starts_with(real(Path::new(programs))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_found_where_path_lacks_the_folder_of_games() {
        assert_eq!(with_games("/usr/bin:/bin".into()), "/usr/bin:/bin:/usr/games");
        assert_eq!(with_games("/usr/games:/bin".into()), "/usr/games:/bin");
    }
}
