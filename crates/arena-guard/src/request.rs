//! What the referee asks a guard to start.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::sandbox::paths::own_path;
use super::sandbox::toolchains::UserPackages;
use super::{Limits, Readable, SandboxMode};

/// What the build of a bot may do in its sandbox that no bot may: it writes to its folder, and makes programs there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildTerms {
    /// Whether it may use the network.
    pub network: bool,
}

/// A bot to start, with its limits and sandbox.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    /// The program: a path, or a name to be found in the `PATH` of `env`.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its working directory.
    pub dir: OsString,
    /// Its whole environment; nothing is inherited.
    pub env: Vec<(OsString, OsString)>,
    /// Its private folder: created if absent, accessible to the owner alone.
    pub scratch: OsString,
    /// Its resource limits.
    pub limits: Limits,
    /// Its sandbox.
    pub sandbox: SandboxMode,
    /// Files and folders it may read, in addition to its scratch folder: see [`super::readable`].
    pub readable: Readable,
    /// Folders that it may list, without reading their files.
    pub listable: Vec<OsString>,
    /// Set if it is not a bot but the build of one.
    pub build: Option<BuildTerms>,
}

impl Request {
    /// A request with default limits, no sandbox and a minimal environment.
    #[must_use]
    pub fn new(program: &Path, dir: &Path, scratch: &Path) -> Self {
        // Of our environment, only `PATH`.
        let env = [
            ("PATH", own_path()),
            ("LANG", "C.UTF-8".into()),
            ("HOME", scratch.into()),
            ("TMPDIR", scratch.into()),
            ("PYTHONUNBUFFERED", "1".into()),
            ("PYTHONDONTWRITEBYTECODE", "1".into()),
        ];
        // Python looks for what the user has installed below `HOME`, which is another folder for a bot.
        let packages = UserPackages::own().map(|packages| ("PYTHONUSERBASE", packages.base.clone().into()));
        Self {
            program: program.into(),
            args: Vec::new(),
            dir: dir.into(),
            env: env.into_iter().chain(packages).map(|(name, value)| (name.into(), value)).collect(),
            scratch: scratch.into(),
            limits: Limits::default(),
            sandbox: SandboxMode::Off,
            readable: Readable::default(),
            listable: Vec::new(),
            build: None,
        }
    }

    /// Sets a variable of the environment.
    pub fn set_env(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        let name = name.into();
        self.env.retain(|(known, _)| *known != name);
        self.env.push((name, value.into()));
    }

    /// Whether it may use the network.
    #[cfg(target_os = "linux")]
    pub(super) fn has_network(&self) -> bool {
        self.build.is_some_and(|build| build.network)
    }

    /// The folders that it may change.
    #[cfg(target_os = "linux")]
    pub(super) fn writable(&self) -> impl Iterator<Item = &Path> {
        let built = self.build.is_some().then(|| Path::new(&self.dir));
        [Path::new(&self.scratch)].into_iter().chain(built)
    }

    /// The value of a variable.
    #[must_use]
    pub fn env(&self, name: &str) -> Option<&OsStr> {
        self.env.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
    }
}
