//! How much of a sandbox a bot is in, and which files it may read there.

mod homes;
mod own;
mod toolchains;
mod view;

use serde::{Deserialize, Serialize};

pub use own::without_closed;
pub use view::{Readable, closed_folders, is_installed, is_of_system, readable};

/// How a bot is fenced in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxMode {
    /// Landlock and seccomp as far as the system has them; what is missing is said in [`super::Effective::weak`].
    #[default]
    Auto,
    /// Nothing but limits.
    Off,
    /// Landlock and seccomp, or no start.
    Landlock,
    /// Landlock, seccomp and namespaces, or no start.
    Strict,
}

/// Whether a folder within a bot's own files can be kept closed to a bot in this sandbox, on this machine. A sandbox
/// without which no game is played counts as there.
#[must_use]
pub fn can_close(mode: SandboxMode) -> bool {
    match mode {
        SandboxMode::Off => false,
        SandboxMode::Landlock | SandboxMode::Strict => true,
        SandboxMode::Auto => super::has_landlock(),
    }
}

impl SandboxMode {
    /// The words for [`SandboxMode`] on a command line.
    pub const NAMES: [&str; 4] = ["auto", "off", "landlock", "strict"];

    /// The stricter of the two.
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        if other.rank() > self.rank() { other } else { self }
    }

    /// Greater the stricter it is.
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
