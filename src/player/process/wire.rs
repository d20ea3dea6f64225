//! The pipes of one process: messages written and lines read, always with a deadline.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::exit::{InFlight, describe, state_letter};
use super::stderr::Stderr;
use super::{Deadline, Launch, STUCK_LIMIT};
use crate::player::NotReady;
use crate::protocol::{Event, Expected, FromBot, Inbox, Surplus, ToBot};
use crate::text::shown;

/// Surplus lines of one game that go into the log; the rest are only counted.
const SURPLUS_LOGGED_MAX: u32 = 20;
/// Nearly every reply comes within this time.
const SOON: Duration = Duration::from_millis(5);
/// Time for a killed process to disappear.
const REAP_LIMIT: Duration = Duration::from_secs(1);
/// Time for a process that closed its output to exit, so that its exit status can be told.
const EXIT_STATUS_LIMIT: Duration = Duration::from_millis(100);

/// Why an exchange ended without a reply.
#[derive(Debug)]
pub(super) enum End {
    /// Nothing that was expected came in time.
    TimedOut,
    /// The bot broke the protocol; says how.
    Violation(String),
    /// The bot exited or closed its output.
    Closed,
    /// A system call of ours failed.
    Error(io::Error),
}

/// A process that runs.
#[derive(Debug)]
pub(super) struct Live {
    child: Child,
    group: InFlight,
    /// From then on its number, and that of its group, may belong to somebody else.
    reaped: bool,
    /// Readable once the process has exited; absent where the system has no such thing.
    exited: Option<OwnedFd>,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    pub(super) stderr: Stderr,
    inbox: Inbox,
    /// The last message sent, with its newline.
    sent: Vec<u8>,
    pub(super) spawned: Instant,
}

impl Live {
    /// Starts the process.
    pub(super) fn spawn(launch: &Launch, runtime: &tokio::runtime::Handle) -> Result<Self, NotReady> {
        let spawned = now();
        let mut child = launch.spawn()?;
        let group = InFlight::new(&child);
        match Self::connect(&mut child, runtime) {
            Ok((exited, stdin, stdout, stderr)) => Ok(Self {
                child,
                group,
                reaped: false,
                exited,
                stdin: Some(stdin),
                stdout,
                stderr,
                inbox: Inbox::new(first_id()),
                sent: Vec::new(),
                spawned,
            }),
            Err(error) => {
                group.kill_group();
                // It was killed just now: this wait is short, and nothing can be done if it fails.
                let _ = child.wait();
                Err(NotReady::Void(format!("connecting to bot `{}`: {error}", launch.name)))
            }
        }
    }

    fn connect(
        child: &mut Child,
        runtime: &tokio::runtime::Handle,
    ) -> io::Result<(Option<OwnedFd>, ChildStdin, ChildStdout, Stderr)> {
        let missing = || io::Error::other("a pipe is missing");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        // Only our ends: a bot that does not read must not block us, nor a wait that a signal has cut short.
        rustix::io::ioctl_fionbio(&stdin, true)?;
        rustix::io::ioctl_fionbio(&stdout, true)?;
        let stderr = Stderr::drain(child.stderr.take().ok_or_else(missing)?, runtime)?;
        Ok((exit_fd(child), stdin, stdout, stderr))
    }

    /// The next id for a message that is to be answered.
    pub(super) fn issue_id(&mut self) -> u64 {
        self.inbox.issue_id()
    }

    /// Forgets the counts of the previous game.
    pub(super) fn begin_game(&mut self) {
        self.inbox.begin_game();
    }

    /// Writes a message and waits for its answer until `deadline`; returns it and how long the bot took.
    pub(super) fn exchange(
        &mut self,
        message: &ToBot,
        expected: Expected,
        deadline: Deadline,
        log: &mut Vec<String>,
    ) -> Result<(FromBot, Duration), End> {
        self.encode(message);
        self.inbox.begin_request();
        let start = match self.write_at_once() {
            Ok(0) => now(),
            Ok(left) => self.write_rest(left, deadline, log)?,
            Err(end) => return self.read_what_is_left(expected, log, end),
        };
        self.receive(expected, start, deadline, log)
    }

    /// As [`Live::exchange`], the bot's clock running from the last byte of the request for `limit`.
    pub(super) fn ask(
        &mut self,
        message: &ToBot,
        expected: Expected,
        limit: Duration,
        log: &mut Vec<String>,
    ) -> Result<(FromBot, Duration), End> {
        self.encode(message);
        self.inbox.begin_request();
        let (start, deadline) = match self.write_at_once() {
            Ok(0) => {
                let start = now();
                (start, start + limit)
            }
            // It has stopped reading: the limit then covers the writing too.
            Ok(left) => {
                let deadline = now() + limit;
                (self.write_rest(left, deadline, log)?, deadline)
            }
            Err(end) => return self.read_what_is_left(expected, log, end),
        };
        self.receive(expected, start, deadline, log)
    }

    /// Writes a message that needs no answer; false if the bot did not take it.
    pub(super) fn tell(&mut self, message: &ToBot, limit: Duration, log: &mut Vec<String>) -> bool {
        self.encode(message);
        match self.write_at_once() {
            Ok(0) => true,
            Ok(left) => self.write_rest(left, now() + limit, log).is_ok(),
            Err(_) => false,
        }
    }

    /// Says `quit` and closes the bot's input.
    pub(super) fn quit(&mut self, limit: Duration) {
        if self.stdin.is_some() {
            self.tell(&ToBot::Quit { reason: None }, limit, &mut Vec::new());
            self.stdin = None;
        }
    }

    /// Whether the process is gone already.
    pub(super) fn has_exited(&mut self) -> bool {
        self.wait_for_exit(now())
    }

    /// Waits for the process to exit, without reaping it; true if it has.
    pub(super) fn wait_for_exit(&mut self, deadline: Deadline) -> bool {
        loop {
            let left = deadline.saturating_duration_since(now());
            let waited = match &self.exited {
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
        self.stdin = None;
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
    fn reap(&mut self) -> io::Result<std::process::ExitStatus> {
        self.group.kill_group();
        let status = self.child.wait();
        self.reaped = true;
        status
    }

    /// Says how a process ended that owed a reply.
    pub(super) fn describe_end(&mut self) -> String {
        if !self.wait_for_exit(now() + EXIT_STATUS_LIMIT) {
            return "it closed its output while a reply was owed".to_owned();
        }
        match self.reap() {
            Ok(status) => format!("it {} while a reply was owed", describe(status)),
            Err(error) => format!("it exited while a reply was owed ({error})"),
        }
    }

    /// Says why nothing came. If a reply was pending, closes the bot's input and looks whether that brings it out:
    /// then the bot wrote it but never flushed.
    pub(super) fn diagnose_silence(&mut self, late: &str, pending: Option<Expected>, log: &mut Vec<String>) -> String {
        let fragment = self.inbox.fragment();
        let state = state_letter(self.group.pid());
        self.stdin = None;
        if state == Some('T') {
            return format!("{late}; it is stopped (SIGSTOP)");
        }
        if let (Some(expected), true) = (pending, state != Some('R')) {
            let start = now();
            if self.receive(expected, start, start + STUCK_LIMIT, log).is_ok() {
                let found =
                    format!("{late}; the move came out when its input was closed: it forgot to flush its output");
                log.push(format!("referee: {found}"));
                return found;
            }
        }
        match fragment {
            Some(fragment) => format!("{late}; it wrote a line without a newline: {fragment}"),
            None => late.to_owned(),
        }
    }

    /// Lines dropped in the present game.
    pub(super) fn surplus_lines(&self) -> u32 {
        self.inbox.surplus_lines()
    }

    /// The last message sent, cut.
    pub(super) fn last_sent(&self) -> Option<String> {
        (!self.sent.is_empty()).then(|| shown(String::from_utf8_lossy(&self.sent).trim_end()))
    }

    /// The last line that came, cut; empty if there was none.
    pub(super) fn last_received(&self) -> String {
        self.inbox.last_line()
    }

    fn encode(&mut self, message: &ToBot) {
        self.sent.clear();
        message.encode(&mut self.sent);
    }

    /// Writes as much of the message as the pipe takes and returns how much is left.
    fn write_at_once(&mut self) -> Result<usize, End> {
        self.write_some(self.sent.len())
    }

    fn write_some(&mut self, left: usize) -> Result<usize, End> {
        let Some(stdin) = &self.stdin else { return Err(End::Closed) };
        loop {
            return match rustix::io::write(stdin, &self.sent[self.sent.len() - left..]) {
                Ok(count) => Ok(left - count),
                Err(Errno::AGAIN) => Ok(left),
                Err(Errno::INTR) => continue,
                Err(Errno::PIPE) => Err(End::Closed),
                Err(error) => Err(End::Error(error.into())),
            };
        }
    }

    /// Writes the rest while reading on, lest both sides wait for each other; returns when the last byte was taken.
    fn write_rest(&mut self, mut left: usize, deadline: Deadline, log: &mut Vec<String>) -> Result<Instant, End> {
        while left > 0 {
            let Some(stdin) = &self.stdin else { return Err(End::Closed) };
            let remaining = deadline.saturating_duration_since(now());
            if remaining.is_zero() {
                return Err(End::TimedOut);
            }
            let mut fds = [PollFd::new(stdin, PollFlags::OUT), PollFd::new(&self.stdout, PollFlags::IN)];
            match poll(&mut fds, Some(&timespec(remaining))) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(End::Error(error.into())),
            }
            let readable = fds[1].revents().contains(PollFlags::IN);
            if readable {
                self.read_some()?;
                while let Some(event) = self.inbox.next(Expected::Nothing) {
                    self.note(event, log)?;
                }
            }
            left = self.write_some(left)?;
        }
        Ok(now())
    }

    /// The process no longer reads. What it wrote before may still hold the reply.
    fn read_what_is_left(
        &mut self,
        expected: Expected,
        log: &mut Vec<String>,
        end: End,
    ) -> Result<(FromBot, Duration), End> {
        let start = now();
        match (self.receive(expected, start, start + EXIT_STATUS_LIMIT, log), end) {
            (Err(End::TimedOut), end) => Err(end),
            (other, _) => other,
        }
    }

    fn receive(
        &mut self,
        expected: Expected,
        start: Instant,
        deadline: Deadline,
        log: &mut Vec<String>,
    ) -> Result<(FromBot, Duration), End> {
        let mut read_at = start;
        loop {
            while let Some(event) = self.inbox.next(expected) {
                if let Some(reply) = self.note(event, log)? {
                    let elapsed = read_at - start;
                    return if read_at > deadline { Err(End::TimedOut) } else { Ok((reply, elapsed)) };
                }
            }
            let remaining = deadline.saturating_duration_since(read_at);
            if remaining.is_zero() {
                return Err(End::TimedOut);
            }
            self.wait_readable(remaining)?;
            self.read_some()?;
            read_at = now();
        }
    }

    /// Returns once there is something to read, or with the reason why there will be nothing.
    ///
    /// Watching one descriptor is cheaper than watching two, and nearly every reply comes soon: only then is it looked
    /// at whether the process has exited while somebody else holds its output open.
    fn wait_readable(&self, remaining: Duration) -> Result<(), End> {
        let mut fds = [PollFd::new(&self.stdout, PollFlags::IN)];
        match poll(&mut fds, Some(&timespec(remaining.min(SOON)))) {
            Ok(0) if remaining > SOON => {}
            Ok(0) => return Err(End::TimedOut),
            Ok(_) | Err(Errno::INTR) => return Ok(()),
            Err(error) => return Err(End::Error(error.into())),
        }
        let timeout = timespec(remaining - SOON);
        let stdout = PollFd::new(&self.stdout, PollFlags::IN);
        let (ready, exited) = if let Some(exited) = &self.exited {
            let mut fds = [stdout, PollFd::new(exited, PollFlags::IN)];
            (poll(&mut fds, Some(&timeout)).map(|_| fds[0].revents()), !fds[1].revents().is_empty())
        } else {
            let mut fds = [stdout];
            (poll(&mut fds, Some(&timeout)).map(|_| fds[0].revents()), false)
        };
        match ready {
            Ok(events) if !events.is_empty() => Ok(()),
            // What it wrote before it exited is read first; whoever else holds its output open is not waited for.
            Ok(_) if exited => Err(End::Closed),
            Ok(_) => Err(End::TimedOut),
            Err(Errno::INTR) => Ok(()),
            Err(error) => Err(End::Error(error.into())),
        }
    }

    fn read_some(&mut self) -> Result<(), End> {
        match rustix::io::read(&self.stdout, self.inbox.space()) {
            Ok(0) => Err(End::Closed),
            Ok(count) => {
                self.inbox.filled(count);
                Ok(())
            }
            Err(Errno::INTR | Errno::AGAIN) => Ok(()),
            Err(error) => Err(End::Error(error.into())),
        }
    }

    /// Logs what is dropped, and hands on what is not.
    fn note(&self, event: Event, log: &mut Vec<String>) -> Result<Option<FromBot>, End> {
        match event {
            Event::Reply(reply) => Ok(Some(reply)),
            Event::Violation(how) => Err(End::Violation(how)),
            Event::Surplus(kind, line) => {
                let word = if kind == Surplus::Stray { "stray" } else { "stale" };
                match self.inbox.surplus_lines() {
                    ..=SURPLUS_LOGGED_MAX => log.push(format!("{word} stdout: {line}")),
                    count if count == SURPLUS_LOGGED_MAX + 1 => {
                        log.push("referee: further stray and stale lines of this game are only counted".to_owned());
                    }
                    _ => {}
                }
                Ok(None)
            }
        }
    }
}

impl Drop for Live {
    /// Nothing outlives its owner.
    fn drop(&mut self) {
        self.kill();
    }
}

/// The time, monotonic.
#[expect(clippy::disallowed_methods, reason = "the one clock of the move path")]
pub(super) fn now() -> Instant {
    Instant::now()
}

/// Ids are never shared by two processes: each has a range of its own, far larger than it can use up.
fn first_id() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    const RANGE_BITS: u32 = 32;
    static PROCESSES: AtomicU64 = AtomicU64::new(0);
    // Stays within the 53 bits that are exact everywhere for two million processes, then begins again.
    let number = PROCESSES.fetch_add(1, Ordering::Relaxed) % (1 << (53 - RANGE_BITS));
    (number << RANGE_BITS) + 1
}

fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: duration.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: duration.subsec_nanos().into() }
}

#[cfg(target_os = "linux")]
fn exit_fd(child: &Child) -> Option<OwnedFd> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    // Absent on kernels before 5.3: waiting then falls back to looking every few milliseconds.
    pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn exit_fd(_child: &Child) -> Option<OwnedFd> {
    None
}
