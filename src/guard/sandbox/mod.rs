//! What a bot cannot reach: files, sockets, other processes.
//!
//! Landlock and seccomp need no privilege and cost a tenth of a millisecond a start. Namespaces close what is left
//! (other processes are not even seen, `/tmp` is private), but many machines refuse them.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod filter;
mod homes;
mod own;
#[cfg(target_os = "linux")]
pub(super) mod shm;
#[cfg(target_os = "linux")]
pub(super) mod spaces;
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
        #[cfg(target_os = "linux")]
        SandboxMode::Auto => files::has_landlock(),
        #[cfg(not(target_os = "linux"))]
        SandboxMode::Auto => false,
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

    /// Whether a sandbox that is not complete is better than none.
    #[cfg(target_os = "linux")]
    fn takes_less(self) -> bool {
        self == Self::Auto
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

/// Keeps the signals of this process, and of all that it starts, among them; false if the kernel cannot.
#[cfg(target_os = "linux")]
pub(super) fn keep_signals_in() -> bool {
    files::keep_signals_in().unwrap_or(false)
}

/// Fences this process in for good, with all that it starts. Whatever the mode, an error is the end of the start: only
/// what this kernel has not got may be missing, never what could not be done this once. `own_shm` says that the
/// `/dev/shm` it sees is private.
#[cfg(target_os = "linux")]
pub(super) fn enter(
    request: &super::Request,
    own_shm: bool,
    effective: &mut super::Effective,
) -> Result<(), super::StartFailed> {
    use super::{Stage, StartFailed};
    if request.sandbox == SandboxMode::Off {
        return Ok(());
    }
    files::fence(request, own_shm, effective).map_err(|error| StartFailed::new(Stage::Landlock, &error, ""))?;
    match calls::fence() {
        Ok(()) => effective.seccomp = true,
        Err(error) if request.sandbox.takes_less() && calls::is_lacking(&error) => {
            effective.weak.push(format!("system calls are not fenced off: {error}"));
        }
        Err(error) => return Err(StartFailed::new(Stage::Seccomp, &error, "")),
    }
    Ok(())
}
