//! The program that guards are started from, as a value: this program is never started again unless it agreed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::{StartFailed, StartStage};

/// The argument that asks a program to be a guard.
pub const COMMAND: &str = "arena-guard";

/// This process has called [`serve_if_asked`](super::serve_if_asked).
static SERVES: AtomicBool = AtomicBool::new(false);

/// The program that guards are started from. The default names none, and no bot can be started with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GuardProgram {
    path: Option<PathBuf>,
    /// It is the `arena` binary.
    is_arena: bool,
}

/// The program that runs, even if its file was replaced meanwhile.
pub(super) const ITSELF: &str = "/proc/self/exe";

/// Whether this process was started as a guard. From now on guards may be started from it.
pub(super) fn agree_to_serve() -> bool {
    SERVES.store(true, Ordering::Relaxed);
    is_asked()
}

fn is_asked() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == COMMAND)
}

impl GuardProgram {
    /// The `arena` binary at `path`, which also plays the built-in strategies.
    #[must_use]
    pub fn arena(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        // Bots are started in folders of their own.
        Self { path: Some(std::path::absolute(path).unwrap_or_else(|_| path.to_owned())), is_arena: true }
    }

    /// This program, which has agreed to serve as a guard.
    pub(super) fn itself() -> Self {
        Self { path: Some(ITSELF.into()), is_arena: false }
    }

    /// The `arena` binary that runs. Its first act is [`serve_if_asked`](super::serve_if_asked).
    #[must_use]
    pub fn this_arena() -> Self {
        Self { is_arena: true, ..Self::itself() }
    }

    /// Its file, if it is an `arena` binary.
    #[must_use]
    pub fn arena_file(&self) -> Option<PathBuf> {
        self.file().filter(|_| self.is_arena)
    }

    /// Its file, from which a bot can be started as well.
    pub(super) fn file(&self) -> Option<PathBuf> {
        let path = self.path.clone()?;
        if path == Path::new(ITSELF) { std::env::current_exe().ok() } else { Some(path) }
    }

    /// What is run to start it.
    ///
    /// # Errors
    ///
    /// Returns an error if it names none, or if this process was started as a guard already.
    pub(super) fn path(&self) -> Result<&Path, StartFailed> {
        let refused = |why: &str| StartFailed::at(StartStage::GuardProgram, "")(std::io::Error::other(why));
        // A program that is no `arena` binary and was named as one would start itself without end.
        if is_asked() && !SERVES.load(Ordering::Relaxed) {
            return Err(refused("this process was started as a guard, and does not serve as one"));
        }
        self.path.as_deref().ok_or_else(|| {
            refused(
                "none is named; call arena::guard::serve_if_asked() first in main and use what it returns, or name the \
                 arena binary with GuardProgram::arena",
            )
        })
    }
}
