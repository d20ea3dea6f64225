//! The sandbox of a bot: Landlock and seccomp, which need no privilege and cost a tenth of a millisecond a start, and
//! namespaces, which close what is left and which many machines refuse.

mod calls;
mod files;
mod filter;
pub(super) mod spaces;

use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::process::{DumpableBehavior, set_dumpable_behavior};

use super::{Effective, Request, SandboxMode, StartFailed, StartStage, kernel, sys};
pub(super) use calls::prepare;
pub(crate) use files::has_landlock;
pub(super) use files::keep_signals_in;
pub(crate) use spaces::enter_own_shm as try_own_shm;

/// Whether system calls can be restricted on a machine of this kind, if the kernel has filters.
pub(super) fn has_list_of_calls() -> bool {
    filter::arch().is_some()
}

/// Runs `step`, which writes the user maps of this process, as only a dumpable one may.
pub(super) fn while_dumpable<T>(
    stage: StartStage,
    step: impl FnOnce() -> Result<T, StartFailed>,
) -> Result<T, StartFailed> {
    set_dumpable_behavior(DumpableBehavior::Dumpable).map_err(StartFailed::at(stage, ""))?;
    let done = step()?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(StartFailed::at(stage, ""))?;
    Ok(done)
}

/// Restricts this process, and all that it starts, permanently. An error ends the start in any mode: only what this kernel
/// lacks may be missing, never what failed this once. `own_shm`: the `/dev/shm` it sees is private. `cgroup`: the folder of its
/// own cgroup, if it has one. Returns what tells of refused calls, if the kernel does: see [`calls::restrict`].
pub(super) fn enter(
    request: &Request,
    own_shm: bool,
    cgroup: Option<BorrowedFd<'_>>,
    effective: &mut Effective,
) -> Result<Option<OwnedFd>, StartFailed> {
    if request.sandbox == SandboxMode::Off {
        return Ok(None);
    }
    files::restrict(request, own_shm, cgroup, effective).map_err(StartFailed::at(StartStage::Landlock, ""))?;
    match calls::restrict(request) {
        Ok(listener) => {
            effective.seccomp = true;
            Ok(listener)
        }
        Err(error) if request.sandbox == SandboxMode::Auto && calls::is_lacking(&error) => {
            effective.weak.push(format!("system calls are not restricted: {error}"));
            Ok(None)
        }
        Err(error) => Err(StartFailed::at(StartStage::Seccomp, "")(error)),
    }
}
