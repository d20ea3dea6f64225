//! The sandbox modes, and the files that a bot may read in a sandbox.

mod homes;
pub(super) mod paths;
pub(super) mod toolchains;
mod view;

use arena_core::suggest::UnknownName;
use serde::{Deserialize, Serialize};

pub use toolchains::{closed_folders, is_installed};
pub use view::{Readable, closed_program, is_of_system, is_there, readable, without_closed};

/// The sandbox of a bot, ordered by strictness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxMode {
    /// Landlock and seccomp as far as available; [`super::Effective::weak`] lists what is missing.
    #[default]
    Auto = 1,
    /// None; limits only.
    Off = 0,
    /// Landlock and seccomp, both required.
    Landlock = 2,
    /// Landlock, seccomp and namespaces, all required.
    Strict = 3,
}

/// Whether this sandbox can deny a bot access to a folder within its own files, on this machine. Modes that are required
/// for playing at all count as available.
#[must_use]
pub fn can_close(mode: SandboxMode) -> bool {
    mode > SandboxMode::Auto || mode == SandboxMode::Auto && super::has_landlock()
}

impl SandboxMode {
    /// The names of the modes on a command line.
    pub const NAMES: [&str; 4] = ["auto", "off", "landlock", "strict"];

    const ALL: [Self; 4] = [Self::Auto, Self::Off, Self::Landlock, Self::Strict];
}

impl std::str::FromStr for SandboxMode {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.into_iter().find(|mode| mode.to_string() == text);
        found.ok_or_else(|| UnknownName::new("sandbox", text, Self::NAMES))
    }
}

impl std::fmt::Display for SandboxMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Off => "off",
            Self::Landlock => "landlock",
            Self::Strict => "strict",
        })
    }
}
