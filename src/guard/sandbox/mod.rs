//! The sandbox modes, and the files that a bot may read in a sandbox.

mod homes;
mod own;
mod toolchains;
mod view;

use serde::{Deserialize, Serialize};

pub use own::without_closed;
pub use view::{Readable, closed_folders, is_installed, is_of_system, readable};

/// The sandbox of a bot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxMode {
    /// Landlock and seccomp as far as available; [`super::Effective::weak`] lists what is missing.
    #[default]
    Auto,
    /// None; limits only.
    Off,
    /// Landlock and seccomp, both required.
    Landlock,
    /// Landlock, seccomp and namespaces, all required.
    Strict,
}

/// Whether this sandbox can deny a bot access to a folder within its own files, on this machine. Modes that are required
/// for playing at all count as available.
#[must_use]
pub fn can_close(mode: SandboxMode) -> bool {
    match mode {
        SandboxMode::Off => false,
        SandboxMode::Landlock | SandboxMode::Strict => true,
        SandboxMode::Auto => super::has_landlock(),
    }
}

impl SandboxMode {
    /// The names of the modes on a command line.
    pub const NAMES: [&str; 4] = ["auto", "off", "landlock", "strict"];

    /// The stricter of the two.
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        if other.rank() > self.rank() { other } else { self }
    }

    /// Strictness, for comparison.
    #[must_use]
    pub fn rank(self) -> u8 {
        match self {
            Self::Off => 0,
            Self::Auto => 1,
            Self::Landlock => 2,
            Self::Strict => 3,
        }
    }
}

impl std::str::FromStr for SandboxMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "auto" => Self::Auto,
            "off" => Self::Off,
            "landlock" => Self::Landlock,
            "strict" => Self::Strict,
            _ => {
                let hint = crate::suggest::did_you_mean(text, Self::NAMES);
                let names = Self::NAMES.join(", ");
                return Err(format!("no sandbox named `{}`{hint}; there are {names}", crate::text::shown(text)));
            }
        })
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
