//! A process from its start to its end: whatever becomes of it, it and its group are killed and it is reaped.

use std::io;
use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::exit::{Doing, InFlight, describe, doing, exit_fd};
use super::stderr::Stderr;
use super::wire::{Wire, now, timespec};
use super::{Deadline, Launch};
use crate::player::NotReady;
use crate::protocol::Expected;

/// Time for a killed process to disappear.
const REAP_LIMIT: Duration = Duration::from_secs(1);
/// Time for a process that closed its output to exit, so that its exit status can be told.
const EXIT_STATUS_LIMIT: Duration = Duration::from_millis(100);
/// How long a reply that is stuck in a bot's own buffer is waited for after a timeout. The protocol allows 200 ms; the
/// rest is left for ending the process, since all of it is the opponent's time.
const STUCK_LIMIT: Duration = Duration::from_millis(150);

/// A process that runs.
#[derive(Debug)]
pub(super) struct Live {
    child: Child,
    group: InFlight,
    /// From then on its number, and that of its group, may belong to somebody else.
    reaped: bool,
    pub(super) wire: Wire,
    pub(super) stderr: Stderr,
    pub(super) spawned: Deadline,
}

impl Live {
    /// Starts the process.
    pub(super) fn spawn(launch: &Launch, runtime: &tokio::runtime::Handle) -> Result<Self, NotReady> {
        let spawned = now();
        let mut child = launch.spawn()?;
        let group = InFlight::new(&child);
        match Self::connect(&mut child, runtime) {
            Ok((wire, stderr)) => Ok(Self { child, group, reaped: false, wire, stderr, spawned }),
            Err(error) => {
                group.kill_group();
                // It was killed just now: this wait is short, and nothing can be done if it fails.
                let _ = child.wait();
                Err(NotReady::Void(format!("connecting to bot `{}`: {error}", launch.name)))
            }
        }
    }

    fn connect(child: &mut Child, runtime: &tokio::runtime::Handle) -> io::Result<(Wire, Stderr)> {
        let missing = || io::Error::other("a pipe is missing");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = Stderr::drain(child.stderr.take().ok_or_else(missing)?, runtime)?;
        Ok((Wire::new(stdin, stdout, exit_fd(child))?, stderr))
    }

    /// Whether the process is gone already.
    pub(super) fn has_exited(&mut self) -> bool {
        self.wait_for_exit(now())
    }

    /// Waits for the process to exit; true if it has.
    pub(super) fn wait_for_exit(&mut self, deadline: Deadline) -> bool {
        loop {
            let left = deadline.saturating_duration_since(now());
            let waited = match self.wire.exited() {
                Some(exited) => poll(&mut [PollFd::new(exited, PollFlags::IN)], Some(&timespec(left))),
                // Without a descriptor to wait for: look again every few milliseconds.
                None => match self.child.try_wait() {
                    Ok(None) => poll(&mut [], Some(&timespec(left.min(Duration::from_millis(5))))),
                    Ok(Some(_)) | Err(_) => return true,
                },
            };
            match waited {
                Ok(0) if left.is_zero() => return false,
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) | Err(_) => return true,
            }
        }
    }

    /// Kills the process and its group, and reaps it.
    pub(super) fn kill(&mut self) {
        self.wire.close_input();
        if self.reaped {
            return;
        }
        self.group.kill_group();
        if self.wait_for_exit(now() + REAP_LIMIT) {
            // How it ended was looked at before, if it matters.
            let _ = self.reap();
        }
    }

    /// Removes what the exited process has started, then the process itself.
    fn reap(&mut self) -> io::Result<ExitStatus> {
        self.group.kill_group();
        let status = self.child.wait();
        self.reaped = true;
        status
    }

    /// Says how a process ended that has exited or closed its output; `when` completes the sentence.
    pub(super) fn describe_end(&mut self, when: &str) -> String {
        let mut text = if self.wait_for_exit(now() + EXIT_STATUS_LIMIT) {
            match self.reap() {
                Ok(status) => format!("it {} {when}", describe(status)),
                Err(error) => format!("it exited {when} ({error})"),
            }
        } else {
            format!("it closed its output {when}")
        };
        if let Some(fragment) = self.wire.inbox().fragment() {
            text.push_str("; it wrote a line without a newline: ");
            text.push_str(&fragment);
        }
        text
    }

    /// Says why nothing came. Closes the bot's input and looks whether that brings `pending` out: then the bot wrote it
    /// but never flushed. A bot that is still thinking or in the middle of a line is not waited for: what came from it
    /// would merely be late.
    pub(super) fn diagnose_silence(&mut self, late: &str, pending: Expected, log: &mut Vec<String>) -> String {
        let fragment = self.wire.inbox().fragment();
        let doing = doing(self.group.pid());
        let deaf = self.wire.is_deaf();
        self.wire.close_input();
        if doing == Doing::Stopped {
            return format!("{late}; it is stopped (SIGSTOP)");
        }
        if deaf {
            return format!("{late}; it closed its input");
        }
        // Half of its characters would be NUL bytes, and its first two bytes make it stray.
        if [fragment.as_deref().unwrap_or_default(), &self.wire.inbox().last_line()].concat().contains("\\u{0}") {
            return format!("{late}; its output has NUL bytes in it: write UTF-8, not UTF-16");
        }
        if let Some(fragment) = fragment {
            return format!("{late}; it wrote a line without a newline: {fragment}");
        }
        let start = now();
        if doing == Doing::Waiting && self.wire.receive(pending, start, start + STUCK_LIMIT, log).is_ok() {
            let found = format!(
                "{late}; the answer came out when its input was closed: it most likely forgot to flush its output"
            );
            log.push(format!("referee: {found}"));
            return found;
        }
        late.to_owned()
    }
}

impl Drop for Live {
    /// Nothing outlives its owner.
    fn drop(&mut self) {
        self.kill();
    }
}
