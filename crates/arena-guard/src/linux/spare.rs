//! The spare guard, started before the next bot needs one: starting a guard takes most of a bot's start time.

use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::{COMMAND, GuardProgram, StartFailed, StartStage, channel, threads, tree};

/// The socket to a guard that has no order yet, and its process. The guard exits when the socket closes.
type Idle = (OwnedFd, Child);

static SPARE: Mutex<Spare> = Mutex::new(Spare { idle: None, is_wanted: true });

struct Spare {
    /// The spare guard, with the program it was started from.
    idle: Option<(GuardProgram, Idle)>,
    /// False once the arena is about to exit.
    is_wanted: bool,
}

/// Takes the spare guard, or starts one, from `program`.
pub(super) fn take(program: &GuardProgram) -> Result<Idle, StartFailed> {
    // This waits if the spare is just being started: another one would not be ready sooner.
    let idle = lock().idle.take_if(|(started, _)| started == program);
    idle.and_then(|(_, idle)| living(idle)).map_or_else(|| start(program), Ok)
}

/// Ends the spare guard and starts no more, so that none outlives the arena.
pub(super) fn end() {
    let mut spare = lock();
    spare.is_wanted = false;
    if let Some((_, (_, guard))) = spare.idle.take() {
        kill(guard);
    }
}

/// The guard if it still runs; one that a bot without a sandbox has killed or stopped is removed.
fn living((control, mut guard): Idle) -> Option<Idle> {
    if matches!(guard.try_wait(), Ok(None)) && !tree::is_stopped(&guard) {
        return Some((control, guard));
    }
    kill(guard);
    None
}

/// Kills and reaps a guard. Both calls fail only if it is gone.
fn kill(mut guard: Child) {
    let _ = guard.kill();
    let _ = guard.wait();
}

/// Starts the next spare guard in the background. If that fails, the next bot only starts more slowly.
pub(super) fn prepare(program: &GuardProgram) {
    /// The channel to the thread that starts spare guards.
    static WANTED: OnceLock<Option<SyncSender<GuardProgram>>> = OnceLock::new();
    let wanted = WANTED.get_or_init(|| {
        let (sender, wanted) = sync_channel::<GuardProgram>(1);
        let thread = std::thread::Builder::new().name("spare guard".to_owned());
        let work = move || {
            // This thread inherited the one processor of the slot that asked first.
            threads::copy_affinity_of(Some(rustix::process::getpid()));
            while let Ok(program) = wanted.recv() {
                let mut spare = lock();
                if spare.is_wanted && spare.idle.is_none() {
                    spare.idle = start(&program).ok().map(|idle| (program, idle));
                }
            }
        };
        thread.spawn(work).is_ok().then_some(sender)
    });
    if let Some(wanted) = wanted {
        // If it is full, the thread is about to start one anyway.
        let _ = wanted.try_send(program.clone());
    }
}

fn lock() -> MutexGuard<'static, Spare> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn start(program: &GuardProgram) -> Result<Idle, StartFailed> {
    let mut command = command(program)?;
    let started = channel::pair().and_then(|(ours, theirs)| Ok((ours, command.stdin(theirs).spawn()?)));
    started.map_err(|error| {
        let is_absent = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied);
        let path = if is_absent { command.get_program().to_string_lossy() } else { "".into() };
        StartFailed::at(StartStage::Guard, &*path)(error)
    })
}

/// The command that starts a guard: with an empty environment, and in a process group of its own, so that Ctrl-C does not
/// reach it. It has no `pre_exec`, so std uses `posix_spawn`, whose cost does not grow with the memory of this process.
pub(super) fn command(program: &GuardProgram) -> Result<Command, StartFailed> {
    let mut command = Command::new(program.path()?);
    command.arg(COMMAND).env_clear().stdout(Stdio::null()).process_group(0);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn a_spare_that_was_killed_or_stopped_is_none() -> io::Result<()> {
        use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
        for (signal, how) in [(Signal::KILL, WaitIdOptions::EXITED), (Signal::STOP, WaitIdOptions::STOPPED)] {
            let cat = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
            let (control, cat) = living((channel::pair()?.0, cat)).expect("it reads a pipe that is never written to");
            let pid = Pid::from_child(&cat);
            kill_process(pid, signal)?;
            waitid(WaitId::Pid(pid), how | WaitIdOptions::NOWAIT)?;
            assert!(living((control, cat)).is_none());
            assert!(rustix::process::test_kill_process(pid).is_err(), "it is removed");
        }
        Ok(())
    }
}
