//! The referee's end of the socket to a guard, and the guard as a process.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::Pid;

use super::cgroup::{self, Cgroup};
use super::channel::{self, Received};
use super::request::Order;
use super::{
    Effective, Ending, Exited, Family, KILL_BOUND, Pipes, Report, Request, Stage, StartFailed, Started, host, pipes,
    sandbox, spare, tree,
};
use crate::time::{pause, timespec};

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

/// A guard and its bot.
#[derive(Debug)]
pub(super) struct Link {
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

impl Link {
    pub(super) fn spawn(request: &Request) -> Result<(Self, Pipes), StartFailed> {
        reap_late();
        let failed = |error: io::Error| StartFailed::new(Stage::Guard, &error, "");
        let (pipes, ends) = pipes::make().map_err(failed)?;
        let (control, guard) = spare::take().map_err(failed)?;
        let mut link = Self {
            control: listed(control),
            guard: Some(guard),
            cgroup: Cgroup::create().map(Arc::new),
            exit_fd: None,
            started: Started { pid: 0, sandbox: Effective::default() },
            ending: Ending::default(),
            closed: false,
        };
        // Not before there is a guard: a long order does not fit into the socket.
        let cgroup = link.cgroup.as_ref().map(|cgroup| cgroup.name().to_string_lossy().into_owned());
        let own_shm = sandbox::shm::is_wanted(request) && has_own_shm().map_err(failed)?;
        let order = Order {
            request,
            processors: host::own_processors(),
            user_processes_max: user_processes_max(request),
            own_shm,
            cgroup,
        };
        let mut fds: Vec<BorrowedFd<'_>> = ends.iter().map(OwnedFd::as_fd).collect();
        fds.extend(link.cgroup.as_ref().map(|cgroup| cgroup.folder()));
        let limit = super::now() + START_LIMIT;
        channel::send_order(link.control.as_fd(), &order, &fds, limit).map_err(|error| request.unsent(&error))?;
        drop(ends);
        spare::prepare();
        loop {
            let left = limit.saturating_duration_since(super::now());
            match link.next_report(left).map_err(failed)? {
                Some((Report::Started(started), fds)) => {
                    link.cgroup = link.cgroup.take().filter(|_| started.sandbox.cgroup);
                    link.started = started;
                    link.exit_fd = fds.into_iter().next();
                    return Ok((link, pipes));
                }
                Some((Report::StartFailed(start_failed), _)) => return Err(start_failed),
                None if link.closed => return Err(failed(io::Error::other("the guard died"))),
                None if left.is_zero() => {
                    let limit = START_LIMIT.as_secs();
                    return Err(failed(io::Error::other(format!("its program did not run within {limit} s"))));
                }
                Some(_) | None => {}
            }
        }
    }

    pub(super) fn end_all() {
        let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.iter().filter_map(Weak::upgrade).for_each(|control| hang_up(&control));
    }

    pub(super) fn sandbox(&self) -> &Effective {
        &self.started.sandbox
    }

    pub(super) fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        self.exit_fd.as_ref().map(AsFd::as_fd)
    }

    #[expect(clippy::unnecessary_wraps, reason = "there is none without a guard")]
    pub(super) fn control_fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.control.as_fd())
    }

    pub(super) fn is_cut_off(&self) -> bool {
        self.closed
    }

    pub(super) fn exited(&mut self, limit: Duration) -> Option<&Exited> {
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

    pub(super) fn family(&self) -> Family {
        // The number that the guard got from a fork.
        let bot = Pid::from_raw(self.started.pid).unwrap_or(Pid::INIT);
        let ours = usize::from(self.started.sandbox.namespaces);
        let family = Family::new(bot, self.guard.as_ref().map(Pid::from_child)).with_ours(ours);
        family.in_cgroup(self.cgroup.clone())
    }

    pub(super) fn kill(&mut self) -> Ending {
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

impl Drop for Link {
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

/// Whether the system lets us give a bot a `/dev/shm` of its own. Tried once, by a process that ends: a namespace that was
/// entered in vain cannot be left.
fn has_own_shm() -> io::Result<bool> {
    static TRIED: OnceLock<bool> = OnceLock::new();
    if let Some(has) = TRIED.get() {
        return Ok(*has);
    }
    let ended = Command::new(super::handle::program())
        .args([super::COMMAND, super::probe::OWN_SHM])
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .status()?;
    // Killed is no answer.
    let code = ended.code().ok_or_else(|| io::Error::other("a trial of /dev/shm was killed"))?;
    Ok(*TRIED.get_or_init(|| code == 0))
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
        pause(GLANCE);
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

/// Outside of a namespace the kernel counts all processes and threads of a user: what it had before any bot is allowed
/// for. Root is never stopped.
fn user_processes_max(request: &Request) -> Option<u64> {
    /// Room for what else the user starts while bots run.
    const SLACK: u64 = 512;
    static OTHERS: OnceLock<u64> = OnceLock::new();
    if rustix::process::getuid().is_root() || request.limits.processes == 0 {
        return None;
    }
    Some(request.limits.processes + SLACK + OTHERS.get_or_init(count_of_users_threads))
}

fn count_of_users_threads() -> u64 {
    use std::os::unix::fs::MetadataExt;
    let me = rustix::process::getuid().as_raw();
    let Ok(all) = std::fs::read_dir("/proc") else { return 0 };
    all.flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.parse::<u32>().is_ok()))
        .filter(|entry| entry.metadata().is_ok_and(|meta| meta.uid() == me))
        .filter_map(|entry| Some(std::fs::read_dir(entry.path().join("task")).ok()?.count() as u64))
        .sum()
}

#[cfg(test)]
mod tests {
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
