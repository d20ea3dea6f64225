//! Systems other than Linux, of which macOS is the one in mind. It is only type-checked. There is no guard, no sandbox and
//! no limit, and processor time is not told: a bot runs in a process group of its own, which is stopped and killed as one.
//! What leaves the group survives, and when the referee is killed a bot has to notice that its input is closed.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::{Cleared, Effective, Ending, Exited, GuardProgram, KILL_BOUND, Pipes, Request, Stage, StartFailed, pipes};

/// Process groups of all bots that run.
static LIVE: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// A bot in a process group of its own. Dropping it kills the group.
#[derive(Debug)]
pub struct Guarded {
    child: Child,
    sandbox: Effective,
    ending: Ending,
}

/// Starts a bot. That `program` is named is all that is asked of it, so that a program needs the same on every system.
///
/// # Errors
///
/// Returns the step that failed; [`StartFailed::is_ours`] says whose failure it is.
pub fn spawn(program: &GuardProgram, request: &Request) -> Result<(Guarded, Pipes), StartFailed> {
    program.path()?;
    let at = |stage, on: &std::ffi::OsStr| {
        let on = on.to_string_lossy().into_owned();
        move |error: io::Error| StartFailed::new(stage, &error, &on)
    };
    std::fs::create_dir_all(&request.scratch).map_err(at(Stage::Scratch, &request.scratch))?;
    // One at a time: no other bot is to inherit ends of these pipes, which are not closed on exec from the first moment.
    let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    let (pipes, [stdin, stdout, stderr]) = pipes::make().map_err(at(Stage::Streams, "".as_ref()))?;
    let child = Command::new(&request.program)
        .args(&request.args)
        .current_dir(&request.dir)
        .env_clear()
        .envs(&request.env)
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .process_group(0)
        .spawn()
        .map_err(at(Stage::Exec, &request.program))?;
    live.insert(child.id().cast_signed());
    let weak = vec![
        "this system has no guard: what a bot starts in a session of its own survives it".to_owned(),
        "this system has no sandbox and no limits".to_owned(),
    ];
    Ok((Guarded { child, sandbox: Effective { weak, ..Effective::default() }, ending: Ending::default() }, pipes))
}

/// Kills all bots at once, whoever waits for them. For leaving in a hurry.
pub fn end_all() {
    LIVE.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .iter()
        .for_each(|group| signal(Pid::from_raw(*group), Signal::KILL));
}

/// Signals a group. It fails if nobody is left in it, which is as good.
fn signal(group: Option<Pid>, signal: Signal) {
    let _ = group.map(|group| kill_process_group(group, signal));
}

impl Guarded {
    /// What keeps the bot in bounds: nothing.
    #[must_use]
    pub fn sandbox(&self) -> &Effective {
        &self.sandbox
    }

    /// Nothing tells by a descriptor that the bot has ended.
    #[must_use]
    pub fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// There is no guard to listen to.
    #[must_use]
    pub fn control_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// How the bot ended, if it has. Does not wait.
    pub fn exited(&mut self) -> Option<&Exited> {
        self.wait_exited(Duration::ZERO)
    }

    /// As [`Guarded::exited`], waiting for at most `limit`.
    pub fn wait_exited(&mut self, limit: Duration) -> Option<&Exited> {
        let start = super::now();
        while self.ending.exited.is_none() {
            // Not reaped yet: until the group is killed, its number is not to become another's.
            let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            match waitid(WaitId::Pid(self.pid()), peek) {
                Ok(Some(status)) => {
                    let (code, signal) = (status.exit_status(), status.terminating_signal());
                    self.ending.exited = Some(Exited { code, signal, cpu_us: 0, rss_max_kb: 0, overrun: None });
                }
                Ok(None) if start.elapsed() < limit => pause(),
                Ok(None) | Err(_) => break,
            }
        }
        self.ending.exited.as_ref()
    }

    /// Whether the bot is gone.
    pub fn is_over(&mut self) -> bool {
        self.exited().is_some()
    }

    /// The bot's process.
    #[must_use]
    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// The bot and its group.
    #[must_use]
    pub fn family(&self) -> Family {
        Family(self.pid())
    }

    /// Kills the group of the bot. Called again it returns the same.
    pub fn kill(&mut self) -> Ending {
        if self.ending.cleared.is_none() {
            let start = super::now();
            signal(Some(self.pid()), Signal::KILL);
            if self.wait_exited(KILL_BOUND).is_some() {
                LIVE.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.child.id().cast_signed());
                // It has ended, so that this does not wait.
                let _ = self.child.wait();
            }
            let kill_us = start.elapsed().as_micros() as u64;
            self.ending.cleared = Some(Cleared { leftovers: 0, survivors: 0, kill_us });
        }
        self.ending.clone()
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Sleeps; there is no event to wait on.
fn pause() {
    crate::time::pause(Duration::from_millis(5));
}

/// A bot and its process group.
#[derive(Debug, Clone)]
pub struct Family(Pid);

/// What [`Family::stop`] has stopped: always the group.
#[derive(Debug, Default)]
pub struct Stopped;

impl Stopped {
    /// What two calls have stopped.
    #[must_use]
    pub fn and(self, _other: Self) -> Self {
        self
    }
}

impl Family {
    /// The bot's own process.
    #[must_use]
    pub fn bot(&self) -> Pid {
        self.0
    }

    /// How many of the processes that were visited are the bot's.
    #[must_use]
    pub fn own(&self, visited: usize) -> usize {
        visited
    }

    /// Not told.
    #[must_use]
    pub fn bot_cpu(&self) -> Option<Duration> {
        None
    }

    /// Not told.
    #[must_use]
    pub fn cpu_of(_process: Pid) -> Option<Duration> {
        None
    }

    /// There is no guard.
    #[must_use]
    pub fn guard_cpu(&self) -> Duration {
        Duration::ZERO
    }

    /// Not told.
    #[must_use]
    pub fn total_cpu(&self) -> Option<Duration> {
        None
    }

    /// No.
    #[must_use]
    pub fn counts_the_dead(&self) -> bool {
        false
    }

    /// Not told; visits nothing.
    pub fn inspect(&self, _visit: impl FnMut(Pid) -> bool) -> Option<Duration> {
        None
    }

    /// Not told.
    #[must_use]
    pub fn count(&self, _most: usize) -> usize {
        0
    }

    /// Stops the group.
    #[must_use]
    pub fn stop(&self, _wait: bool) -> Stopped {
        signal(Some(self.0), Signal::STOP);
        Stopped
    }

    /// Resumes the group.
    pub fn resume(&self, _stopped: &Stopped) {
        signal(Some(self.0), Signal::CONT);
    }
}

/// There are no guards to be.
pub(super) fn serve() -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Raises the limit on open files; nothing else is protected here.
pub fn harden_referee() {
    super::raise_open_files();
}

/// Nothing to do: a signal that ends the arena says it as well.
pub fn outlive_file_limit() {}

/// Nothing comes to us when a bot ends.
pub fn sweep() {}

/// Nothing is left.
pub fn clear_up() {}

/// No: orphans go to the first process of the system.
pub(super) fn adopts_orphans() -> io::Result<bool> {
    Ok(false)
}

/// No.
pub(super) fn has_landlock() -> bool {
    false
}

/// Not here.
pub(super) fn try_own_shm() -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// There is none.
#[derive(Debug)]
pub(crate) enum Alarm {}

impl Alarm {
    pub(crate) fn of_this_thread() -> io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }

    pub(crate) fn set(&self, _first: Duration, _again: Duration) {
        match *self {}
    }
}

/// The number of the calling thread, of which nothing could be found out by it.
pub(crate) fn own_thread() -> i32 {
    0
}

/// The processors that the calling thread may run on: not told.
#[must_use]
pub fn own_processors() -> Vec<usize> {
    Vec::new()
}

/// Threads run where the system puts them.
pub fn keep_to(_processor: Option<usize>) {}

/// Threads run when the system lets them.
pub(crate) fn run_before_others() {}

/// Pipes are as large as the system makes them.
pub(crate) fn set_pipe_size(_pipe: impl AsFd, _bytes: usize) -> bool {
    false
}

/// Sockets have names in folders alone.
pub(crate) fn bind_abstract(_name: &str) -> io::Result<UnixDatagram> {
    Err(ErrorKind::Unsupported.into())
}

/// Not told which call a thread is in.
pub(crate) const READS: &[i64] = &[];
/// Likewise.
pub(crate) const POLLS: &[i64] = &[];
/// Whether the processor time of a bot is told.
pub(crate) const TELLS_CPU: bool = false;
#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn without_a_guard_a_bot_runs_and_its_group_is_killed() -> io::Result<()> {
        let scratch = tempfile::tempdir()?;
        let mut request = Request::new("/bin/sh".as_ref(), scratch.path(), scratch.path());
        request.args = vec!["-c".into(), "sleep 60 & echo ready; read x; wait".into()];
        let (mut bot, pipes) = spawn(&GuardProgram::arena("arena"), &request).map_err(io::Error::other)?;
        let mut out = std::fs::File::from(pipes.stdout);
        let mut said = [0; 6];
        out.read_exact(&mut said)?;
        assert_eq!(&said, b"ready\n");
        assert!(!bot.sandbox().guard && bot.exit_fd().is_none() && bot.control_fd().is_none());
        bot.family().resume(&bot.family().stop(false));
        assert_eq!(bot.family().inspect(|_| true), None, "it does not tell");
        end_all();
        assert_eq!(bot.kill().exited.and_then(|exited| exited.signal), Some(9));
        // The one in the background held it open too.
        assert_eq!(out.read(&mut said)?, 0);
        Ok(())
    }

    #[test]
    fn what_a_bot_that_has_ended_leaves_in_its_group_is_killed_and_nobody_else() -> io::Result<()> {
        let scratch = tempfile::tempdir()?;
        let mut request = Request::new("/bin/sh".as_ref(), scratch.path(), scratch.path());
        request.args = vec!["-c".into(), "sleep 60 & exit 3".into()];
        let (mut bot, pipes) = spawn(&GuardProgram::arena("arena"), &request).map_err(io::Error::other)?;
        assert_eq!(bot.wait_exited(KILL_BOUND * 20).and_then(|exited| exited.code), Some(3));
        // Its number is nobody else's yet.
        assert!(
            kill_process_group(bot.pid(), Signal::CONT).is_ok()
                && LIVE.lock().unwrap().contains(&bot.pid().as_raw_nonzero().get())
        );
        bot.kill();
        assert_eq!(std::fs::File::from(pipes.stdout).read(&mut [0])?, 0);
        assert!(!LIVE.lock().unwrap().contains(&bot.pid().as_raw_nonzero().get()));
        Ok(())
    }
}
