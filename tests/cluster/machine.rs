//! What stands for several machines.

use crate::support::{Dir, Running};

/// Starts `arena` with a cache of its own, as on another machine.
#[track_caller]
pub(crate) fn start_on(dir: &Dir, machine: &str, args: &str) -> Running {
    let mut command = dir.command(args);
    command.env("XDG_CACHE_HOME", dir.path(format!("cache-{machine}")));
    dir.run(command)
}
