//! Systems other than Linux, mainly macOS. It is only type-checked. There is no guard, no sandbox and no limit, and
//! processor time is unknown: a bot runs in its own process group, which is stopped and killed as one. Processes that leave
//! the group survive. When the referee is killed, a bot must notice that its input is closed.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::{
    BotEnding, Cleared, Effective, Exited, GuardProgram, KILL_BOUND, Limits, MemoryUse, Pipes, Request, StartFailed,
    StartStage, Usage, pipes,
};

/// Process groups of all bots that run.
static LIVE: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// A bot in its own process group. Dropping it kills the group.
#[derive(Debug)]
pub struct Guarded {
    child: Child,
    sandbox: Effective,
    ending: BotEnding,
}

/// Starts a bot. `program` is not used, but must be given, so that programs are the same on every system.
///
/// # Errors
///
/// Returns the step that failed; [`StartFailed::is_ours`] says whose failure it is.
pub fn spawn(program: &GuardProgram, request: &Request) -> Result<(Guarded, Pipes), StartFailed> {
    program.path()?;
    std::fs::create_dir_all(&request.scratch).map_err(StartFailed::at(StartStage::Scratch, &request.scratch))?;
    // One at a time: no other bot may inherit ends of these pipes, which are closed on exec only after a moment.
    let mut live = live();
    let (pipes, [stdin, stdout, stderr]) = pipes::make().map_err(StartFailed::at(StartStage::Streams, ""))?;
    let child = Command::new(&request.program)
        .args(&request.args)
        .current_dir(&request.dir)
        .env_clear()
        .envs(request.env.iter().map(|(name, value)| (name, value)))
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .process_group(0)
        .spawn()
        .map_err(StartFailed::at(StartStage::Exec, &request.program))?;
    live.push(Pid::from_child(&child));
    let weak = vec![
        "this system has no guard: processes that a bot starts in their own session survive it".to_owned(),
        "this system has no sandbox and no limits".to_owned(),
    ];
    Ok((Guarded { child, sandbox: Effective { weak, ..Effective::default() }, ending: BotEnding::default() }, pipes))
}

/// Kills all bots at once, including those that other threads wait for. For an immediate exit.
pub fn end_all() {
    live().iter().for_each(|bot| signal(*bot, Signal::KILL));
}

fn live() -> MutexGuard<'static, Vec<Pid>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Signals the group of a bot. Failure means that it has no process left, so it is ignored.
fn signal(bot: Pid, signal: Signal) {
    let _ = kill_process_group(bot, signal);
}

impl Guarded {
    /// The containment of the bot: none.
    #[must_use]
    pub fn sandbox(&self) -> &Effective {
        &self.sandbox
    }

    /// None: no descriptor becomes readable when the bot has ended.
    #[must_use]
    pub fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// How often its sandbox has refused each system call so far: none, since this system has no sandbox.
    #[must_use]
    pub fn denied(&self) -> BTreeMap<String, u64> {
        BTreeMap::new()
    }

    /// The most memory that it has had: unknown, since there is no guard.
    #[must_use]
    pub fn memory_peak(&self) -> MemoryUse {
        MemoryUse::default()
    }

    /// What it uses now: unknown.
    #[must_use]
    pub fn look(&self, _limits: &Limits) -> Usage {
        Usage::default()
    }

    /// How the bot ended, if it has ended or does so within `limit`.
    pub fn wait_exited(&mut self, limit: Duration) -> Option<&Exited> {
        let start = super::now();
        while self.ending.exited.is_none() {
            // Not reaped yet: until the group is killed, its number must not be reused.
            let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            match waitid(WaitId::Pid(Pid::from_child(&self.child)), peek) {
                Ok(Some(status)) => {
                    let (code, signal) = (status.exit_status(), status.terminating_signal());
                    self.ending.exited = Some(Exited { code, signal, ..Exited::default() });
                }
                // There is no event to wait on.
                Ok(None) if start.elapsed() < limit => crate::time::pause(Duration::from_millis(5)),
                Ok(None) | Err(_) => break,
            }
        }
        self.ending.exited.as_ref()
    }

    /// Whether the bot is gone.
    pub fn is_over(&mut self) -> bool {
        self.wait_exited(Duration::ZERO).is_some()
    }

    /// Never: there is no guard.
    #[must_use]
    pub const fn has_lost_guard(&self) -> bool {
        false
    }

    /// The bot and its group.
    #[must_use]
    pub fn family(&self) -> Family {
        Family(Pid::from_child(&self.child))
    }

    /// Kills the group of the bot. Calling it again returns the same.
    pub fn kill(&mut self) -> BotEnding {
        if self.ending.cleared.is_none() {
            let start = super::now();
            let bot = Pid::from_child(&self.child);
            signal(bot, Signal::KILL);
            if self.wait_exited(KILL_BOUND).is_some() {
                live().retain(|other| *other != bot);
                // It has ended, so this does not wait.
                let _ = self.child.wait();
            }
            let kill_us = start.elapsed().as_micros() as u64;
            self.ending.cleared = Some(Cleared { leftovers: 0, survivors: 0, kill_us });
        }
        self.ending.clone()
    }
}

/// A bot and its process group.
#[derive(Debug, Clone)]
pub struct Family(Pid);

/// Processes stopped by [`Family::stop`]: always the whole group.
#[derive(Debug, Default)]
pub struct Stopped;

impl Stopped {
    /// Combines what two calls have stopped.
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

    /// Unknown.
    #[must_use]
    pub fn cpu_of(_process: Pid) -> Option<Duration> {
        None
    }

    /// Unknown.
    #[must_use]
    pub fn total_cpu(&self) -> Option<Duration> {
        None
    }

    /// No.
    #[must_use]
    pub fn counts_the_dead(&self) -> bool {
        false
    }

    /// Unknown; visits nothing.
    pub fn inspect(&self, _visit: impl FnMut(Pid) -> bool) -> Option<Duration> {
        None
    }

    /// Unknown.
    #[must_use]
    pub fn count(&self, _most: usize) -> usize {
        0
    }

    /// Stops the group.
    #[must_use]
    pub fn stop(&self, _wait: bool) -> Stopped {
        signal(self.0, Signal::STOP);
        Stopped
    }

    /// Does nothing: false.
    #[must_use]
    pub const fn kill(&self) -> bool {
        false
    }

    /// Whether none of its processes runs, after [`Family::stop`]: assumed.
    #[must_use]
    pub const fn is_stopped(&self) -> bool {
        true
    }

    /// Resumes the group.
    pub fn resume(&self, _stopped: &Stopped) {
        signal(self.0, Signal::CONT);
    }
}

/// There are no guards.
pub(super) fn serve() -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Raises the limit on open files; there is no other protection here.
pub fn harden_referee() {
    super::raise_open_files();
}

/// Does nothing: here the signal is left fatal.
pub fn outlive_file_limit() {}

/// Does nothing: this process adopts no orphans.
pub fn sweep() {}

/// Does nothing: nothing is left.
pub fn clear_up() {}

/// Returns false: orphans go to the first process of the system.
pub(super) fn adopts_orphans() -> io::Result<bool> {
    Ok(false)
}

/// Returns `None`: every trial is necessary.
pub(super) fn circumstances(_program: &GuardProgram, _mode: super::SandboxMode) -> Option<super::probe::Circumstances> {
    None
}

/// Returns false.
pub(super) fn has_landlock() -> bool {
    false
}

/// Fails: there is none here.
pub(super) fn try_own_shm() -> io::Result<()> {
    serve()
}

/// An alarm, which this system does not have.
#[derive(Debug)]
pub enum Alarm {}

impl Alarm {
    /// Fails.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn of_this_thread() -> io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }

    /// Never called.
    pub fn set(&self, _first: Duration, _again: Duration) {
        match *self {}
    }
}

/// The number of the calling thread; unused here.
pub fn own_thread() -> i32 {
    0
}

/// The processors that the calling thread may run on: unknown.
#[must_use]
pub fn own_processors() -> Vec<usize> {
    Vec::new()
}

/// Does nothing: the system places threads.
pub fn keep_to(_processor: Option<usize>) {}

/// Does nothing: priorities belong to whole processes here.
pub fn stand_back(_busy: &[usize]) {}

/// Does nothing: the system schedules threads.
pub fn run_before_others() {}

/// Changes nothing: the system schedules threads.
#[derive(Debug)]
pub struct ShortTurns;

impl ShortTurns {
    /// Does nothing.
    pub fn begin() -> Self {
        Self
    }
}

/// Fails: pipes keep the system's size.
pub fn set_pipe_size(_pipe: impl AsFd, _bytes: usize) -> bool {
    false
}

/// Fails: sockets have no abstract names here.
///
/// # Errors
///
/// Always.
pub fn bind_abstract(_name: &str) -> io::Result<UnixDatagram> {
    Err(ErrorKind::Unsupported.into())
}

/// Empty: the system call of a thread is unknown.
pub const READS: &[i64] = &[];
/// As above.
pub const POLLS: &[i64] = &[];
/// As above.
pub const SLEEPS: &[i64] = &[];

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// One test ends all bots of this process, also those of the other one.
    static ALONE: Mutex<()> = Mutex::new(());

    fn alone() -> MutexGuard<'static, ()> {
        ALONE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[test]
    fn without_a_guard_a_bot_runs_and_its_group_is_killed() -> io::Result<()> {
        let _alone = alone();
        let scratch = tempfile::tempdir()?;
        let mut request = Request::new("/bin/sh".as_ref(), scratch.path(), scratch.path());
        request.args = vec!["-c".into(), "sleep 60 & echo ready; read x; wait".into()];
        let (mut bot, pipes) = spawn(&GuardProgram::arena("arena"), &request).map_err(io::Error::other)?;
        let mut out = std::fs::File::from(pipes.stdout);
        let mut said = [0; 6];
        out.read_exact(&mut said)?;
        assert_eq!(&said, b"ready\n");
        assert!(!bot.sandbox().guard && bot.exit_fd().is_none());
        bot.family().resume(&bot.family().stop(false));
        assert_eq!(bot.family().inspect(|_| true), None, "unknown here");
        end_all();
        assert_eq!(bot.kill().exited.and_then(|exited| exited.signal), Some(9));
        // The background process held it open too.
        assert_eq!(out.read(&mut said)?, 0);
        Ok(())
    }

    #[test]
    fn only_what_an_ended_bot_leaves_in_its_group_is_killed() -> io::Result<()> {
        let _alone = alone();
        let scratch = tempfile::tempdir()?;
        let mut request = Request::new("/bin/sh".as_ref(), scratch.path(), scratch.path());
        request.args = vec!["-c".into(), "sleep 60 & exit 3".into()];
        let (mut bot, pipes) = spawn(&GuardProgram::arena("arena"), &request).map_err(io::Error::other)?;
        assert_eq!(bot.wait_exited(KILL_BOUND * 20).and_then(|exited| exited.code), Some(3));
        // Its number is not reused yet.
        assert!(kill_process_group(bot.family().bot(), Signal::CONT).is_ok() && live().contains(&bot.family().bot()));
        bot.kill();
        assert_eq!(std::fs::File::from(pipes.stdout).read(&mut [0])?, 0);
        assert!(!live().contains(&bot.family().bot()));
        Ok(())
    }
}
