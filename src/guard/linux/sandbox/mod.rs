//! The fences of a bot: Landlock and seccomp, which need no privilege and cost a tenth of a millisecond a start, and
//! namespaces, which close what is left and which many machines refuse.

mod calls;
mod files;
mod filter;
pub(super) mod shm;
pub(super) mod spaces;

use super::{Effective, Request, SandboxMode, Stage, StartFailed, sys};
pub(in crate::guard) use files::has_landlock;

/// Whether a sandbox that is not complete is better than none.
fn takes_less(mode: SandboxMode) -> bool {
    mode == SandboxMode::Auto
}

/// Gives this process a `/dev/shm` of its own, to see whether that is allowed.
pub(in crate::guard) fn try_own_shm() -> std::io::Result<()> {
    shm::enter().map_err(std::io::Error::other)
}

/// Keeps the signals of this process, and of all that it starts, among them; false if the kernel cannot.
pub(super) fn keep_signals_in() -> bool {
    files::keep_signals_in().unwrap_or(false)
}

/// Fences this process in for good, with all that it starts. Whatever the mode, an error is the end of the start: only
/// what this kernel has not got may be missing, never what could not be done this once. `own_shm` says that the
/// `/dev/shm` it sees is private.
pub(super) fn enter(request: &Request, own_shm: bool, effective: &mut Effective) -> Result<(), StartFailed> {
    if request.sandbox == SandboxMode::Off {
        return Ok(());
    }
    files::fence(request, own_shm, effective).map_err(|error| StartFailed::new(Stage::Landlock, &error, ""))?;
    match calls::fence() {
        Ok(()) => effective.seccomp = true,
        Err(error) if takes_less(request.sandbox) && calls::is_lacking(&error) => {
            effective.weak.push(format!("system calls are not fenced off: {error}"));
        }
        Err(error) => return Err(StartFailed::new(Stage::Seccomp, &error, "")),
    }
    Ok(())
}
