//! A bot without a guard, where there is none: a process group of its own, killed as one. What leaves the group
//! survives; the referee's death by SIGKILL leaves the bot to notice that its input is closed.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::{Cleared, Effective, Ending, Exited, Family, KILL_BOUND, Pipes, Request, Stage, StartFailed, pipes};

/// Process groups of all bots that run.
static LIVE: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// A bot in a process group of its own.
#[derive(Debug)]
pub(super) struct Plain {
    child: Child,
    sandbox: Effective,
    ending: Ending,
}

#[expect(clippy::unused_self, reason = "the methods of a bot under guard, where some have something to say")]
impl Plain {
    pub(super) fn spawn(request: &Request) -> Result<(Self, Pipes), StartFailed> {
        let scratch = request.scratch.to_string_lossy();
        std::fs::create_dir_all(&request.scratch)
            .map_err(|error| StartFailed::new(Stage::Scratch, &error, &scratch))?;
        let (pipes, [stdin, stdout, stderr]) =
            pipes::make().map_err(|error| StartFailed::new(Stage::Streams, &error, ""))?;
        let child = Command::new(&request.program)
            .args(&request.args)
            .current_dir(&request.dir)
            .env_clear()
            .envs(&request.env)
            .stdin(Stdio::from(stdin))
            .stdout(Stdio::from(stdout))
            .stderr(Stdio::from(stderr))
            .process_group(0)
            .spawn()
            .map_err(|error| StartFailed::new(Stage::Exec, &error, &request.program.to_string_lossy()))?;
        let weak = vec![
            "this system has no guard: what a bot starts in a session of its own survives it".to_owned(),
            "this system has no sandbox and no limits".to_owned(),
        ];
        LIVE.lock().unwrap_or_else(PoisonError::into_inner).insert(child.id() as i32);
        let sandbox = Effective { weak, ..Effective::default() };
        Ok((Self { child, sandbox, ending: Ending::default() }, pipes))
    }

    pub(super) fn end_all() {
        for pid in LIVE.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(|pid| Pid::from_raw(*pid)) {
            // It fails only when nobody is left in the group, which is what is wanted.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub(super) fn sandbox(&self) -> &Effective {
        &self.sandbox
    }

    pub(super) fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    pub(super) fn control_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    pub(super) fn is_cut_off(&self) -> bool {
        false
    }

    pub(super) fn exited(&mut self, limit: Duration) -> Option<&Exited> {
        let start = super::now();
        while self.ending.exited.is_none() {
            // Not reaped yet: until the group is killed, its number is not to become another's.
            let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            match waitid(WaitId::Pid(self.pid()), peek) {
                Ok(Some(status)) => {
                    self.ending.exited = Some(Exited {
                        code: status.exit_status(),
                        signal: status.terminating_signal(),
                        cpu_us: 0,
                        rss_max_kb: 0,
                        overrun: None,
                    });
                }
                Ok(None) if start.elapsed() < limit => pause(),
                Ok(None) | Err(_) => break,
            }
        }
        self.ending.exited.as_ref()
    }

    pub(super) fn family(&self) -> Family {
        Family::new(self.pid(), None)
    }

    pub(super) fn kill(&mut self) -> Ending {
        if self.ending.cleared.is_none() {
            let start = super::now();
            // It fails only when nobody is left in the group, which is what is wanted.
            let _ = kill_process_group(self.pid(), Signal::KILL);
            if self.exited(KILL_BOUND).is_some() {
                LIVE.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.pid().as_raw_nonzero().get());
                // It has ended, so that this does not wait.
                let _ = self.child.wait();
            }
            let kill_us = start.elapsed().as_micros() as u64;
            self.ending.cleared = Some(Cleared { leftovers: 0, survivors: 0, kill_us });
        }
        self.ending.clone()
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        self.kill();
    }
}

/// For want of a descriptor to wait for.
fn pause() {
    crate::time::pause(Duration::from_millis(5));
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn without_a_guard_a_bot_runs_and_its_group_is_killed() -> io::Result<()> {
        let scratch = tempfile::tempdir()?;
        let mut request = Request::new("/bin/sh".as_ref(), scratch.path(), scratch.path());
        request.args = vec!["-c".into(), "sleep 60 & echo ready; read x; wait".into()];
        let (mut bot, pipes) = Plain::spawn(&request).map_err(io::Error::other)?;
        let mut out = std::fs::File::from(pipes.stdout);
        let mut said = [0; 6];
        out.read_exact(&mut said)?;
        assert_eq!(&said, b"ready\n");
        assert!(!bot.sandbox().guard && bot.exit_fd().is_none() && bot.control_fd().is_none() && !bot.is_cut_off());
        bot.family().resume(&bot.family().stop(false));
        assert_eq!(bot.family().look(|_| true), None, "it does not tell");
        Plain::end_all();
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
        let (mut bot, pipes) = Plain::spawn(&request).map_err(io::Error::other)?;
        assert_eq!(bot.exited(KILL_BOUND * 20).and_then(|exited| exited.code), Some(3));
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
