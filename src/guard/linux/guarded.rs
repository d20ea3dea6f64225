//! The referee's side of a bot under guard: its end of the socket to the guard, and the guard as a process.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::Pid;

use super::cgroup::{self, Cgroup};
use super::channel::{self, Received};
use super::order::{self, Order};
use super::{
    Effective, Ending, Exited, Family, GuardProgram, KILL_BOUND, Pipes, Report, Request, Stage, StartFailed, Started,
    host, pipes, spare, tree,
};
use crate::time::timespec;

/// Deadline for starting a bot's program. An overloaded machine or a network file system may need long.
const START_LIMIT: Duration = Duration::from_secs(10);
/// Time for a guard to answer, beyond its own limit for killing.
const ANSWER_SLACK: Duration = Duration::from_millis(500);
/// Interval for checking whether a guard that does not answer was stopped.
const CHECK_PERIOD: Duration = Duration::from_millis(50);
/// The sockets to all guards, so that any thread can end all bots.
static OPEN: Mutex<Vec<Weak<OwnedFd>>> = Mutex::new(Vec::new());

/// A bot and its guard. Dropping it ends both, and all that the bot has started.
#[derive(Debug)]
pub struct Guarded {
    control: Arc<OwnedFd>,
    guard: Option<Child>,
    /// The bot's cgroup, if it has one.
    cgroup: Option<Arc<Cgroup>>,
    /// The bot's pidfd.
    exit_fd: Option<OwnedFd>,
    started: Started,
    ending: Ending,
    /// The guard closed its socket: no more reports.
    closed: bool,
}

/// Starts a bot under a guard that is started from `program`; returns when the bot's program runs. Takes about a
/// millisecond.
///
/// # Errors
///
/// Returns the step that failed; [`StartFailed::is_ours`] says whose failure it is.
pub fn spawn(program: &GuardProgram, request: &Request) -> Result<(Guarded, Pipes), StartFailed> {
    host::reap_leaving();
    let failed = |error: io::Error| StartFailed::at(Stage::Guard, "")(error);
    let (pipes, ends) = pipes::make().map_err(failed)?;
    let (control, guard) = spare::take(program)?;
    let mut guarded = Guarded {
        control: listed(control),
        guard: Some(guard),
        cgroup: Cgroup::create().map(Arc::new),
        exit_fd: None,
        started: Started { pid: 0, sandbox: Effective::default() },
        ending: Ending::default(),
        closed: false,
    };
    // Sent after the guard has started: a long order does not fit into the socket's buffer.
    let cgroup = guarded.cgroup.as_ref().map(|cgroup| cgroup.name().to_string_lossy().into_owned());
    let order = Order::new(program, request, cgroup)?;
    let mut fds: Vec<BorrowedFd<'_>> = ends.iter().map(OwnedFd::as_fd).collect();
    fds.extend(guarded.cgroup.as_ref().map(|cgroup| cgroup.folder()));
    let limit = super::now() + START_LIMIT;
    let sent = channel::send_order(guarded.control.as_fd(), &order, &fds, limit);
    sent.map_err(|error| order::unsent(request, &error))?;
    drop(ends);
    spare::prepare(program);
    loop {
        let left = limit.saturating_duration_since(super::now());
        match guarded.next_report(left).map_err(failed)? {
            Some((Report::Started(started), fds)) => {
                guarded.cgroup = guarded.cgroup.take().filter(|_| started.sandbox.cgroup);
                guarded.started = started;
                guarded.exit_fd = fds.into_iter().next();
                return Ok((guarded, pipes));
            }
            Some((Report::StartFailed(start_failed), _)) => return Err(start_failed),
            None if guarded.closed => return Err(failed(io::Error::other("the guard died"))),
            None if left.is_zero() => {
                let limit = START_LIMIT.as_secs();
                return Err(failed(io::Error::other(format!("its program did not run within {limit} s"))));
            }
            Some(_) | None => {}
        }
    }
}

/// Ends all bots at once, within milliseconds, including those that other threads wait for. For an immediate exit.
pub fn end_all() {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.iter().filter_map(Weak::upgrade).for_each(|control| ask_to_end(&control));
}

/// Ends everything this process has started. Call it at the end of `main`.
pub fn clear_up() {
    spare::end();
    let is_open = |control: &Weak<OwnedFd>| control.strong_count() > 0;
    // A guard may have been killed unnoticed: those that still run, or were not reaped, may have left processes.
    if host::reap_leaving() || OPEN.lock().unwrap_or_else(PoisonError::into_inner).iter().any(is_open) {
        host::sweep();
    }
}

impl Guarded {
    /// The sandbox in force for the bot.
    #[must_use]
    pub fn sandbox(&self) -> &Effective {
        &self.started.sandbox
    }

    /// The bot's pidfd, readable once the bot has ended; absent on systems without pidfds.
    #[must_use]
    pub fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        self.exit_fd.as_ref().map(AsFd::as_fd)
    }

    /// The socket to the guard, readable when [`Guarded::exited`] has a report to read; absent without a guard.
    #[must_use]
    pub fn control_fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.control.as_fd())
    }

    /// How the bot ended, if it has. Does not wait.
    pub fn exited(&mut self) -> Option<&Exited> {
        self.wait_exited(Duration::ZERO)
    }

    /// As [`Guarded::exited`], waiting for at most `limit`.
    pub fn wait_exited(&mut self, limit: Duration) -> Option<&Exited> {
        let start = super::now();
        while self.ending.exited.is_none() && !self.closed {
            let left = tree::left(start, limit);
            // The socket is broken: the guard cannot report anything more.
            let Ok(report) = self.next_report(left) else { break };
            if report.is_none() && left.is_zero() {
                break;
            }
            self.note(report);
        }
        self.ending.exited.as_ref()
    }

    /// Whether the bot has ended, or its guard has.
    pub fn is_over(&mut self) -> bool {
        self.exited().is_some() || self.closed
    }

    /// The bot's process. Inspect it, do not signal it: the number may be reused once [`Guarded::exited`] is `Some`.
    #[must_use]
    pub fn pid(&self) -> Pid {
        self.family().bot()
    }

    /// The bot and all that it has started.
    #[must_use]
    pub fn family(&self) -> Family {
        // A valid number: the guard got it from a fork.
        let bot = Pid::from_raw(self.started.pid).unwrap_or(Pid::INIT);
        let ours = usize::from(self.started.sandbox.namespaces);
        let family = Family::new(bot, self.guard.as_ref().map(Pid::from_child)).with_ours(ours);
        family.in_cgroup(self.cgroup.clone())
    }

    /// Kills the bot and everything it has started, and returns when they are gone: usually within milliseconds, at most
    /// 1.5 times [`KILL_BOUND`], or twice that if the guard was killed or did not answer. Does not wait for processes that
    /// are stuck in the kernel. Calling it again returns the same.
    pub fn kill(&mut self) -> Ending {
        let Some(mut guard) = self.guard.take() else { return self.ending.clone() };
        ask_to_end(&self.control);
        let start = super::now();
        while self.ending.cleared.is_none() && !self.closed {
            let left = tree::left(start, KILL_BOUND + ANSWER_SLACK);
            match self.next_report(left.min(CHECK_PERIOD)) {
                Ok(None) if left.is_zero() || tree::is_stopped(&guard) => break,
                Ok(report) => self.note(report),
                Err(_) => break,
            }
        }
        if self.ending.cleared.is_some() {
            self.drain_reports();
            host::collect(guard);
        } else {
            // The bot killed or stopped it, or it is stuck. Its bot dies with it; the orphans come to this process.
            let _ = guard.kill();
            if let Some(cgroup) = &self.cgroup {
                cgroup::kill(cgroup.folder());
            }
            host::collect(guard);
            host::sweep();
        }
        self.ending.clone()
    }

    /// Reads what the guard still reports, until it closes the socket or [`host::LEAVE_LIMIT`] has passed.
    fn drain_reports(&mut self) {
        while !self.closed {
            match self.next_report(host::LEAVE_LIMIT) {
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => break,
            }
        }
    }

    fn note(&mut self, report: Option<(Report, Vec<OwnedFd>)>) {
        match report {
            Some((Report::Exited(exited), _)) => self.ending.exited = Some(exited),
            Some((Report::Cleared(cleared), _)) => self.ending.cleared = Some(cleared),
            Some((Report::Started(_) | Report::StartFailed(_), _)) | None => {}
        }
    }

    /// The next report within `limit`.
    fn next_report(&mut self, limit: Duration) -> io::Result<Option<(Report, Vec<OwnedFd>)>> {
        let mut fds = [PollFd::new(&self.control, PollFlags::IN)];
        match poll(&mut fds, Some(&timespec(limit))) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        match channel::receive(self.control.as_fd())? {
            Received::Message(report, fds) => Ok(Some((report, fds))),
            Received::Nothing => Ok(None),
            Received::Closed => {
                self.closed = true;
                Ok(None)
            }
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Tells a guard to end its bot, by closing our direction of the socket. A message that the guard has not read when it
/// exits would make the kernel discard its last report. Failure means that the guard is gone, as the next read shows.
fn ask_to_end(control: &OwnedFd) {
    let _ = rustix::net::shutdown(control, rustix::net::Shutdown::Write);
}

fn listed(control: OwnedFd) -> Arc<OwnedFd> {
    let control = Arc::new(control);
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|other| other.strong_count() > 0);
    open.push(Arc::downgrade(&control));
    control
}
