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

/// Time for a bot's program to run. What may take long is an overloaded machine, or a file on a network.
const START_LIMIT: Duration = Duration::from_secs(10);
/// Time for a guard to answer beyond what it has for killing.
const ANSWER_SLACK: Duration = Duration::from_millis(500);
/// Time after which it is looked whether a guard that is waited for can answer at all.
const GLANCE_PERIOD: Duration = Duration::from_millis(50);
/// Time for a guard that has said its last word to leave.
const LEAVE_LIMIT: Duration = Duration::from_millis(100);

/// Guards that wait for processes stuck in the kernel; reaped when they are done.
static LATE: Mutex<Vec<Child>> = Mutex::new(Vec::new());

/// The sockets to all guards, so that all bots can be ended at once, whoever waits for them.
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
    /// The guard will say nothing more.
    closed: bool,
}

/// Starts a bot under a guard that is started from `program`; returns when the bot's program runs. Takes about a
/// millisecond.
///
/// # Errors
///
/// Returns the step that failed; [`StartFailed::is_ours`] says whose failure it is.
pub fn spawn(program: &GuardProgram, request: &Request) -> Result<(Guarded, Pipes), StartFailed> {
    reap_late();
    let failed = |error: io::Error| StartFailed::new(Stage::Guard, &error, "");
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
    // Not before there is a guard: a long order does not fit into the socket.
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

/// Ends all bots at once, whoever waits for them; they are gone in a few milliseconds. For leaving in a hurry.
pub fn end_all() {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.iter().filter_map(Weak::upgrade).for_each(|control| hang_up(&control));
}

impl Guarded {
    /// What keeps the bot in bounds.
    #[must_use]
    pub fn sandbox(&self) -> &Effective {
        &self.started.sandbox
    }

    /// Readable from the moment the bot has ended (its pidfd); absent on systems without.
    #[must_use]
    pub fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        self.exit_fd.as_ref().map(AsFd::as_fd)
    }

    /// Readable when the guard has said something that [`Guarded::exited`] would take; absent without a guard.
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
            // An error of ours here is one of the guard's there: nothing more is to be expected of it.
            let Ok(report) = self.next_report(left) else { break };
            if report.is_none() && left.is_zero() {
                break;
            }
            self.note(report);
        }
        self.ending.exited.as_ref()
    }

    /// Whether the bot is gone, by itself or with its guard.
    pub fn is_over(&mut self) -> bool {
        self.exited().is_some() || self.closed
    }

    /// The bot's process. To look at, not to signal: only while [`Guarded::exited`] is `None` is the number its own.
    #[must_use]
    pub fn pid(&self) -> Pid {
        self.family().bot()
    }

    /// The bot and all that it has started.
    #[must_use]
    pub fn family(&self) -> Family {
        // The number that the guard got from a fork.
        let bot = Pid::from_raw(self.started.pid).unwrap_or(Pid::INIT);
        let ours = usize::from(self.started.sandbox.namespaces);
        let family = Family::new(bot, self.guard.as_ref().map(Pid::from_child)).with_ours(ours);
        family.in_cgroup(self.cgroup.clone())
    }

    /// Ends the bot, if it still runs, and all that it has started; returns when they are gone, in a few milliseconds,
    /// at the latest after [`KILL_BOUND`] and a half; if the guard itself was killed or had to be, after as long again,
    /// for what it left behind. Whoever is stuck in the kernel is not waited for. Called again it returns the same.
    pub fn kill(&mut self) -> Ending {
        let Some(mut guard) = self.guard.take() else { return self.ending.clone() };
        hang_up(&self.control);
        let start = super::now();
        while self.ending.cleared.is_none() && !self.closed {
            let left = tree::left(start, KILL_BOUND + ANSWER_SLACK);
            match self.next_report(left.min(GLANCE_PERIOD)) {
                Ok(None) if left.is_zero() || is_stopped(&guard) => break,
                Ok(report) => self.note(report),
                Err(_) => break,
            }
        }
        if self.ending.cleared.is_some() {
            self.hear_the_end();
            part_with(guard);
        } else {
            // Killed by the bot, stopped by it, or stuck: then its bot dies with it, and the rest falls to us.
            let _ = guard.kill();
            if let Some(cgroup) = &self.cgroup {
                cgroup::kill(cgroup.folder());
            }
            part_with(guard);
            host::sweep();
        }
        self.ending.clone()
    }

    /// Waits a while for the guard to close its end.
    fn hear_the_end(&mut self) {
        while !self.closed {
            match self.next_report(LEAVE_LIMIT) {
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
        match poll(&mut fds, Some(&tree::timespec(limit))) {
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

/// Tells a guard to end its bot. Not by a message: one that nobody has read would make the kernel throw away what the
/// guard said last. It fails if the guard is gone, which shows when it is next listened to.
fn hang_up(control: &OwnedFd) {
    let _ = rustix::net::shutdown(control, rustix::net::Shutdown::Write);
}

/// Whether a bot without a sandbox has stopped a guard.
pub(super) fn is_stopped(guard: &Child) -> bool {
    tree::Stat::of(guard.id().cast_signed()).is_some_and(tree::Stat::is_stopped)
}

fn listed(control: OwnedFd) -> Arc<OwnedFd> {
    let control = Arc::new(control);
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|other| other.strong_count() > 0);
    open.push(Arc::downgrade(&control));
    control
}

/// Reaps a guard that leaves. One that waits for others, or that the kernel does not let go, is left for later.
fn part_with(mut guard: Child) {
    const GLANCE: Duration = Duration::from_micros(50);
    let start = super::now();
    while matches!(guard.try_wait(), Ok(None)) {
        if start.elapsed() > LEAVE_LIMIT {
            LATE.lock().unwrap_or_else(PoisonError::into_inner).push(guard);
            return;
        }
        tree::pause(GLANCE);
    }
}

/// Whether a guard may leave somebody behind whom nobody has looked for yet: one that was not seen off, or not to its end.
pub(super) fn may_leave_somebody() -> bool {
    reap_late();
    let is_late = !LATE.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    is_late || open.iter().any(|control| control.strong_count() > 0)
}

/// Reaps guards that have left by now.
pub(super) fn reap_late() {
    let mut late = LATE.lock().unwrap_or_else(PoisonError::into_inner);
    late.retain_mut(|guard| matches!(guard.try_wait(), Ok(None)));
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_guard_that_does_not_leave_is_not_waited_for_without_end() -> io::Result<()> {
        let stuck = Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn()?;
        let pid = stuck.id().cast_signed();
        part_with(stuck);
        let state = || tree::Stat::of(pid);
        reap_late();
        assert!(state().is_some_and(|stat| !stat.is_dead()));
        tree::signal(pid, rustix::process::Signal::KILL);
        while state().is_some() {
            reap_late();
        }
        Ok(())
    }
}
