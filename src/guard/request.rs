//! What the referee asks a guard to start.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Limits, Readable, SandboxMode};

/// What to start, and in which bounds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    /// The program: a path, or a name that is looked for in the `PATH` of `env`.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Where it runs.
    pub dir: OsString,
    /// All of its environment; nothing else is passed on.
    pub env: Vec<(OsString, OsString)>,
    /// Its private folder: made if absent, for the owner alone.
    pub scratch: OsString,
    /// What it may use up.
    pub limits: Limits,
    /// What fences it in.
    pub sandbox: SandboxMode,
    /// Files and folders it may read, beside its scratch folder: see [`super::readable`].
    pub readable: Readable,
    /// Folders whose files it may see the names of, without reading them.
    pub listable: Vec<OsString>,
    /// Whether it is to stay stopped when it is stopped: then a sandbox keeps it from waking itself.
    pub stays_stopped: bool,
}

/// A request on its way to the guard.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order<R> {
    pub(super) request: R,
    /// Most processes of the user that runs us, where the kernel counts only those.
    pub(super) user_processes_max: Option<u64>,
}

impl Request {
    /// A request with default limits, no sandbox and an environment from nothing.
    #[must_use]
    pub fn new(program: &Path, dir: &Path, scratch: &Path) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            dir: dir.into(),
            env: clean_environment(scratch),
            scratch: scratch.into(),
            limits: Limits::default(),
            sandbox: SandboxMode::Off,
            readable: Readable::default(),
            listable: Vec::new(),
            stays_stopped: false,
        }
    }

    /// Sets a variable of the environment.
    pub fn set_env(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        let (name, value) = (name.into(), value.into());
        self.env.retain(|(known, _)| *known != name);
        self.env.push((name, value));
    }

    /// The value of a variable.
    #[must_use]
    pub fn env(&self, name: &str) -> Option<&OsStr> {
        self.env.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
    }

    /// What to do about an order that is too long for this error, if the files it may read are too many.
    #[cfg(target_os = "linux")]
    pub(super) fn crowd(&self, error: &std::io::Error) -> String {
        /// More than anything else in an order takes.
        const MANY: usize = 1_000;
        let crowd = self.readable.crowd().filter(|_| error.kind() == std::io::ErrorKind::InvalidInput);
        let crowd = crowd.filter(|(_, paths)| *paths > MANY);
        crowd.map_or_else(String::new, |(folder, paths)| {
            format!(
                "{} holds {paths} entries beside bots or results, which must stay closed; move those elsewhere",
                folder.display()
            )
        })
    }

    #[cfg(target_os = "linux")]
    pub(super) fn scratch_path(&self) -> &Path {
        Path::new(&self.scratch)
    }
}

/// What every bot finds in its environment: nothing of ours but `PATH`.
fn clean_environment(scratch: &Path) -> Vec<(OsString, OsString)> {
    [
        ("PATH", own_path()),
        ("LANG", "C.UTF-8".into()),
        ("HOME", scratch.into()),
        ("TMPDIR", scratch.into()),
        ("PYTHONUNBUFFERED", "1".into()),
        ("PYTHONDONTWRITEBYTECODE", "1".into()),
    ]
    .into_iter()
    .map(|(name, value)| (name.into(), value))
    .collect()
}

/// Our own `PATH`.
pub(super) fn own_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into())
}

/// The file a name stands for: a path as it is, any other name by way of `PATH`.
#[must_use]
pub(super) fn find_program(program: &OsStr, path: Option<&OsStr>) -> Option<PathBuf> {
    if program.as_encoded_bytes().contains(&b'/') {
        return Some(program.into());
    }
    if program.is_empty() {
        return None;
    }
    std::env::split_paths(path?).map(|dir| dir.join(program)).find(|file| is_program(file))
}

/// Whether there is a file that the kernel would try to run.
pub(super) fn is_program(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|meta| super::is_executable(&meta))
}
