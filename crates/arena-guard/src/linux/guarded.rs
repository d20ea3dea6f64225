//! The referee's side of a bot under guard: its end of the socket to the guard, and the guard as a process.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::Pid;

use super::cgroup::Cgroup;
use super::order::{self, GuardOrder};
use super::{
    BotEnding, Effective, Exited, Family, GuardProgram, GuardReport, KILL_BOUND, Limits, MemoryUse, Pipes, Request,
    StartFailed, StartStage, Usage, board, channel, denied, host, pipes, spare, stuck, tree, usage,
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
    family: Family,
    /// The bot's pidfd.
    exit_fd: Option<OwnedFd>,
    /// What its guard counts meanwhile.
    board: Option<OwnedFd>,
    sandbox: Effective,
    ending: BotEnding,
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
    match start(program, request) {
        // A process that failed halfway into a namespace cannot leave it, so the start is repeated without.
        Err(failed) if order::lacks_own_shm(request, &failed) => start(program, request),
        started => started,
    }
}

fn start(program: &GuardProgram, request: &Request) -> Result<(Guarded, Pipes), StartFailed> {
    host::reap_leaving();
    let failed = |error: io::Error| StartFailed::at(StartStage::Guard, "")(error);
    let (pipes, ends) = pipes::make().map_err(failed)?;
    let (control, guard) = spare::take(program)?;
    let mut guarded = Guarded {
        control: Arc::new(control),
        // Until the bot is known.
        family: Family::new(Pid::from_child(&guard), Pid::from_child(&guard)),
        guard: Some(guard),
        exit_fd: None,
        board: None,
        sandbox: Effective::default(),
        ending: BotEnding::default(),
        closed: false,
    };
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|other| other.strong_count() > 0);
    open.push(Arc::downgrade(&guarded.control));
    drop(open);
    // Sent after the guard has started: a long order does not fit into the socket's buffer.
    let cgroup = Cgroup::create(request.limits.memory_mb).map(Arc::new);
    let order = GuardOrder::new(request, cgroup.as_ref().map(|cgroup| cgroup.name()));
    let mut fds: Vec<BorrowedFd<'_>> = ends.iter().map(OwnedFd::as_fd).collect();
    fds.extend(cgroup.as_ref().map(|cgroup| cgroup.folder()));
    let limit = super::now() + START_LIMIT;
    let sent = channel::send_order(guarded.control.as_fd(), &order, &fds, limit);
    sent.map_err(|error| order::unsent(request, error))?;
    drop(fds);
    drop(ends);
    guarded.family.cgroup = cgroup;
    spare::prepare(program);
    loop {
        let left = limit.saturating_duration_since(super::now());
        match guarded.next_report(left) {
            Some((GuardReport::Started { pid, init, sandbox }, fds)) => {
                if order.own_shm {
                    order::has_own_shm();
                }
                let family = &mut guarded.family;
                family.bot = Pid::from_raw(pid).unwrap_or(family.bot);
                family.init = init.and_then(Pid::from_raw);
                family.cgroup = family.cgroup.take().filter(|_| sandbox.cgroup);
                guarded.sandbox = sandbox;
                let mut fds = fds.into_iter();
                (guarded.exit_fd, guarded.board) = (fds.next(), fds.next());
                return Ok((guarded, pipes));
            }
            Some((GuardReport::StartFailed(start_failed), _)) => return Err(start_failed),
            None if guarded.closed => return Err(failed(io::Error::other("the guard died"))),
            None if left.is_zero() => return Err(guarded.why_not_started()),
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
    /// Why the bot's program does not run [`START_LIMIT`] after its order.
    fn why_not_started(&self) -> StartFailed {
        let roots = self.guard.iter().map(|guard| guard.id().cast_signed()).collect();
        if let Some(stuck) = stuck::find(roots) {
            return StartFailed::at(StartStage::Kernel, "")(io::Error::other(stuck.to_string()));
        }
        let limit = START_LIMIT.as_secs();
        StartFailed::at(StartStage::Guard, "")(io::Error::other(format!("its program did not run within {limit} s")))
    }

    /// The sandbox in force for the bot.
    #[must_use]
    pub fn sandbox(&self) -> &Effective {
        &self.sandbox
    }

    /// The bot's pidfd, readable once the bot has ended; absent on systems without pidfds.
    #[must_use]
    pub fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        self.exit_fd.as_ref().map(AsFd::as_fd)
    }

    /// How often its sandbox has refused each system call so far, by name; none where the kernel does not tell (before Linux
    /// 5.19, and in some containers). Those before something that the bot has written are among them.
    #[must_use]
    pub fn denied(&self) -> BTreeMap<String, u64> {
        self.board.as_ref().map_or_else(BTreeMap::new, |file| denied::denied(file.as_fd()))
    }

    /// The most memory that it has had so far, as far as its guard has looked; 0 without a limit on memory, and before Linux
    /// 5.3. It can be asked for after the end too.
    #[must_use]
    pub fn memory_peak(&self) -> MemoryUse {
        self.board.as_ref().map_or_else(MemoryUse::default, |file| board::memory(file.as_fd()))
    }

    /// What it uses now of what `limits` allow, by a look of our own.
    #[must_use]
    pub fn look(&self, limits: &Limits) -> Usage {
        usage::look(&self.family, limits, &self.sandbox)
    }

    /// How the bot ended, if it has or does within `limit`.
    pub fn wait_exited(&mut self, limit: Duration) -> Option<&Exited> {
        let start = super::now();
        while self.ending.exited.is_none() && !self.closed {
            let left = limit.saturating_sub(start.elapsed());
            if self.next_report(left).is_none() && left.is_zero() {
                break;
            }
        }
        self.ending.exited.as_ref()
    }

    /// Whether the bot has ended, or its guard has.
    pub fn is_over(&mut self) -> bool {
        self.wait_exited(Duration::ZERO).is_some() || self.closed
    }

    /// Whether its guard was killed, so that nothing tells how the bot ended; as far as [`Guarded::wait_exited`] has seen.
    #[must_use]
    pub const fn has_lost_guard(&self) -> bool {
        self.closed && self.ending.exited.is_none()
    }

    /// The bot and all that it has started. Inspect these processes, do not signal them: numbers may be reused once
    /// [`Guarded::wait_exited`] returns `Some`.
    #[must_use]
    pub fn family(&self) -> Family {
        self.family.clone()
    }

    /// Kills the bot and everything it has started, and returns when they are gone: usually within milliseconds, at most
    /// 1.5 times [`KILL_BOUND`], or twice that if the guard was killed or did not answer. Does not wait for processes that
    /// are stuck in the kernel. Calling it again returns the same.
    pub fn kill(&mut self) -> BotEnding {
        let Some(mut guard) = self.guard.take() else { return self.ending.clone() };
        ask_to_end(&self.control);
        let start = super::now();
        while self.ending.cleared.is_none() && !self.closed {
            let left = (KILL_BOUND + ANSWER_SLACK).saturating_sub(start.elapsed());
            let report = self.next_report(left.min(CHECK_PERIOD));
            if report.is_none() && (left.is_zero() || tree::is_stopped(&guard)) {
                break;
            }
        }
        if self.ending.cleared.is_some() {
            // Until the guard closes the socket.
            while self.next_report(host::LEAVE_LIMIT).is_some() {}
            host::collect(guard);
        } else {
            // The bot killed or stopped it, or it is stuck. Its bot dies with it; the orphans come to this process.
            let _ = guard.kill();
            if let Some(cgroup) = &self.family.cgroup {
                cgroup.kill();
            }
            host::collect(guard);
            host::sweep();
        }
        self.ending.clone()
    }

    /// The next report within `limit`. How the bot ended is noted.
    fn next_report(&mut self, limit: Duration) -> Option<(GuardReport, Vec<OwnedFd>)> {
        let mut fds = [PollFd::new(&self.control, PollFlags::IN)];
        if !matches!(poll(&mut fds, Some(&timespec(limit))), Ok(1)) {
            return None;
        }
        let received = channel::receive(self.control.as_fd());
        // After any error the guard cannot report anything more.
        self.closed = received.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock);
        let (report, fds) = received.ok()?;
        match &report {
            GuardReport::Exited(exited) => self.ending.exited = Some(exited.clone()),
            GuardReport::Cleared(cleared) => self.ending.cleared = Some(cleared.clone()),
            GuardReport::Started { .. } | GuardReport::StartFailed(_) => {}
        }
        Some((report, fds))
    }
}

/// Tells a guard to end its bot, by closing our direction of the socket. A message that the guard has not read when it
/// exits would make the kernel discard its last report. Failure means that the guard is gone, as the next read shows.
fn ask_to_end(control: &OwnedFd) {
    let _ = rustix::net::shutdown(control, rustix::net::Shutdown::Write);
}
