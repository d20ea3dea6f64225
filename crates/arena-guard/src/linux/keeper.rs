//! The guard itself: a process with one thread that starts a bot, waits, and removes the bot and everything it started.
//!
//! It waits for the socket to the referee (closed means the referee is gone), and, until the bot's program runs, the socket over
//! which its child reports how far it came, later the signal that a child has ended; and for calls to refuse.

use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{DumpableBehavior, Pid, WaitOptions, set_dumpable_behavior};

use super::board::Board;
use super::cgroup::Cgroup;
use super::child::{self, ChildProgress, PreparedChild};
use super::denied::DenialCounter;
use super::order::GuardOrder;
use super::sys::{self, Forked};
use super::{
    Cleared, Effective, Exited, GuardReport, KILL_BOUND, Overrun, Request, SandboxMode, StartFailed, StartStage, Usage,
    channel, pipes, sandbox, threads, tree, watch,
};
use crate::time::timespec;

/// The first candidate when the kernel runs out of memory.
const BOT_OOM_SCORE: &[u8] = b"1000";

/// Shortest pause between two passes over processes that were killed and are not gone.
const RETRY_PAUSE: Duration = Duration::from_millis(1);
/// At most this fraction (1/4) of the time is spent on passes: the dying need the processor as well.
const SCAN_SHARE: u32 = 4;

/// Runs the guard over the socket on stdin. An error is not reported: the referee sees the socket close.
pub(crate) fn serve() -> io::Result<()> {
    let control = io::stdin();
    let control = control.as_fd();
    // Opened first: a process that is not dumpable cannot open its own files in /proc.
    let oom_score = File::options().write(true).open("/proc/self/oom_score_adj");
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let child_ended = sys::block_signals()?;
    // A spare guard does this while it waits, so that no start takes longer by it.
    sandbox::prepare();
    let denials = DenialCounter::new();
    let (order, mut fds) = channel::receive_order::<GuardOrder<Request>>(control)?;
    let cgroup = order.cgroup.as_ref().and_then(|name| Cgroup::received(name, fds.pop()?));
    let ends: pipes::Ends = fds.try_into().map_err(|_| io::Error::other("expected three descriptors"))?;
    match start(&order, control, child_ended, denials, ends, cgroup, oom_score.as_ref().ok()) {
        Ok((mut keeper, progress)) => keeper.keep(&progress),
        Err(failed) => channel::send(control, &GuardReport::StartFailed(failed), &[]),
    }
}

/// A bot under guard.
struct Keeper<'a> {
    control: BorrowedFd<'a>,
    bot: Pid,
    /// First process of the bot's process namespace, if it has one.
    init: Option<Pid>,
    /// The bot's cgroup, if it has one.
    cgroup: Option<Cgroup>,
    /// Readable when a child has ended.
    child_ended: OwnedFd,
    denials: DenialCounter,
    /// What the referee reads meanwhile.
    board: Board,
    /// Landlock confines our signals to the bot and what it has started.
    scoped: bool,
    has_exited: bool,
    /// Number of other processes that were reaped.
    reaped: usize,
    /// The referee was sent how the bot ended.
    reported: bool,
    watch: Option<watch::BotWatch>,
}

fn start<'a>(
    order: &GuardOrder<Request>,
    control: BorrowedFd<'a>,
    child_ended: OwnedFd,
    denials: DenialCounter,
    ends: pipes::Ends,
    mut cgroup: Option<Cgroup>,
    oom_score: Option<&File>,
) -> Result<(Keeper<'a>, OwnedFd), StartFailed> {
    let request = &order.request;
    make_scratch(request).map_err(StartFailed::at(StartStage::Scratch, &request.scratch))?;
    let prepared = PreparedChild::new(request)?;
    // A fork bomb must not starve its guard. Where this is not permitted, ending one takes longer.
    sys::run_soon();
    // The inherited processor is the bot's; many processes there must not starve the guard.
    threads::copy_affinity_of(rustix::process::getppid());
    // Not under `strict`, where a namespace ends with its first process, nor without a sandbox, where a bot must not notice
    // anything.
    let scoped = matches!(request.sandbox, SandboxMode::Auto | SandboxMode::Landlock)
        && sandbox::keep_signals_in().unwrap_or(false);
    // Before the bot has a network of its own, which would show this socket.
    let (progress, status) = channel::pair().map_err(StartFailed::at(StartStage::Fork, ""))?;
    let init = if request.sandbox == SandboxMode::Strict {
        sandbox::while_dumpable(StartStage::Namespaces, || sandbox::spaces::enter(request.has_network()))?;
        Some(sandbox::spaces::start_init()?)
    } else {
        None
    };
    // The bot inherits the score and cannot lower it.
    let set_oom_score = |score| oom_score.is_some_and(|mut file| file.write_all(score).is_ok());
    set_oom_score(BOT_OOM_SCORE);
    let forked = sys::fork_into(cgroup.as_ref().map(Cgroup::folder)).or_else(|_| {
        // The cgroup could be made but not entered, such as a threaded one.
        cgroup = None;
        sys::fork()
    });
    match forked.map_err(StartFailed::at(StartStage::Fork, ""))? {
        Forked::Child => {
            drop(progress);
            child::run(order, &prepared, &ends, cgroup.as_ref().map(Cgroup::folder), &status)
        }
        Forked::Parent(bot) => {
            set_oom_score(b"0");
            // The guard keeps no end of the bot's pipes, so they close when the bot closes them.
            drop((ends, status));
            let is_sandboxed = request.sandbox != SandboxMode::Off;
            let watch = watch::BotWatch::new(request, prepared.is_open(), init, is_sandboxed);
            let keeper = Keeper {
                control,
                bot,
                init,
                cgroup,
                child_ended,
                denials,
                board: Board::new(),
                scoped,
                has_exited: false,
                reaped: 0,
                reported: false,
                watch,
            };
            Ok((keeper, progress))
        }
    }
}

/// Makes the scratch folder, for the owner alone; a link in its place is an error.
fn make_scratch(request: &Request) -> io::Result<()> {
    rustix::process::umask(rustix::fs::Mode::from_bits_truncate(0o077));
    let path = Path::new(&request.scratch);
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    if !std::fs::symlink_metadata(path)?.is_dir() {
        return Err(io::Error::from_raw_os_error(libc::ENOTDIR));
    }
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o700))
}

impl Keeper<'_> {
    /// Waits until the bot ends or has to be ended, then cleans up.
    fn keep(&mut self, progress: &OwnedFd) -> io::Result<()> {
        let killed = || io::Error::other("it was killed before its program ran");
        let mut last: ChildProgress = Err(StartFailed::at(StartStage::Fork, "")(killed()));
        loop {
            let Some(is_ready) = self.wait(Some(progress), watch::PERIOD)? else { return self.end() };
            match is_ready.then(|| channel::receive(progress.as_fd())) {
                None => {}
                Some(Ok((said, fds))) => {
                    last = said;
                    if let Some(listener) = fds.into_iter().next() {
                        self.denials.listen(listener);
                    }
                }
                // Running the program closes the socket, as does the end of the child.
                Some(Err(_)) => break,
            }
        }
        match last {
            Ok(sandbox) => self.report_start(sandbox)?,
            Err(failed) => {
                // The end of its child is not the end of a bot.
                self.reported = true;
                self.clear(super::now());
                return channel::send(self.control, &GuardReport::StartFailed(failed), &[]);
            }
        }
        loop {
            let left = self.watch.as_ref().map_or(watch::PERIOD, watch::BotWatch::left);
            let Some(is_ready) = self.wait(None, left)? else { return self.end() };
            if is_ready {
                self.drain_signals();
                self.reap();
            }
            if self.has_exited {
                return self.end();
            }
            let cgroup = self.cgroup.as_ref();
            let look = |watch: &mut watch::BotWatch| watch.overrun(roots, || cgroup?.memory_kb(), &self.board);
            if let Some(overrun) = self.watch.as_mut().and_then(look) {
                // Before killing it: many processes take a while to die, and the referee would see the closed pipe first.
                self.report_exit(None, Some(libc::SIGKILL), Some(overrun));
                return self.end();
            }
        }
    }

    /// Waits at most `limit` until there is something to read, in `progress` or about the end of a child, and returns whether
    /// there is; `None` if the referee has closed its socket or has ended. Meanwhile calls are refused.
    fn wait(&mut self, progress: Option<&OwnedFd>, limit: Duration) -> io::Result<Option<bool>> {
        let until = super::now() + limit;
        let [is_closed, is_ready] = loop {
            let left = until.saturating_duration_since(super::now());
            let (listener, pause) = self.denials.due(left);
            let fd = progress.unwrap_or(&self.child_ended);
            let mut fds = vec![PollFd::from_borrowed_fd(self.control, PollFlags::IN), PollFd::new(fd, PollFlags::IN)];
            fds.extend(listener.map(|listener| PollFd::new(listener, PollFlags::IN)));
            rustix::io::retry_on_intr(|| poll(&mut fds, Some(&timespec(pause))))?;
            let ready = [0, 1].map(|index: usize| !fds[index].revents().is_empty());
            let heard = fds.get(2).map_or(PollFlags::empty(), PollFd::revents);
            if !heard.is_empty() {
                self.denials.hear(heard, &self.board);
            }
            if ready != [false; 2] || left.is_zero() {
                break ready;
            }
        };
        // The kernel closes the socket only when all threads of the referee have ended, and some may be waiting for the
        // processor that the bot keeps busy, so the first thread is checked as well.
        let is_gone = is_closed || rustix::process::getppid().is_none_or(tree::has_first_thread_ended);
        Ok((!is_gone).then_some(is_ready))
    }

    /// Reports that the bot runs, with its pidfd and the board.
    fn report_start(&self, mut sandbox: Effective) -> io::Result<()> {
        sandbox.cgroup = self.cgroup.is_some();
        let number = |pid: Pid| pid.as_raw_nonzero().get();
        let report = GuardReport::Started { pid: number(self.bot), init: self.init.map(number), sandbox };
        // It was not reaped yet, so the number is still its own. Before Linux 5.3 there are no pidfds: the referee waits for
        // reports instead.
        let pidfd = rustix::process::pidfd_open(self.bot, rustix::process::PidfdFlags::empty());
        let board = self.board.fd().filter(|_| pidfd.is_ok());
        let fds: Vec<_> = pidfd.iter().map(AsFd::as_fd).chain(board).collect();
        channel::send(self.control, &report, &fds)
    }

    /// Kills what is left and reports it. The killing matters even if the referee is gone.
    fn end(&mut self) -> io::Result<()> {
        const PATIENCE: Duration = Duration::from_secs(60);
        let start = super::now();
        let cleared = self.clear(start);
        let sent = channel::send(self.control, &GuardReport::Cleared(cleared), &[]);
        // Programs that read the arena's stderr wait until all who hold it have ended.
        let _ = File::options().write(true).open("/dev/null").map(|null| rustix::stdio::dup2_stderr(&null));
        // Processes that are stuck in the kernel would otherwise become the referee's.
        while !self.reap() && start.elapsed() < PATIENCE {
            self.wait_for_child(watch::PERIOD);
        }
        sent
    }

    /// Reports how the bot ended, once.
    fn report_exit(&mut self, code: Option<i32>, signal: Option<i32>, overrun: Option<Overrun>) {
        if !std::mem::replace(&mut self.reported, true) {
            let used = self.watch.as_ref().map_or_else(Usage::default, watch::BotWatch::recent);
            let exited = Exited { code, signal, used, overrun };
            let _ = channel::send(self.control, &GuardReport::Exited(exited), &[]);
        }
    }

    /// Removes all processes: by one signal where that reaches all, otherwise by stopping, killing and reaping them.
    fn clear(&mut self, start: Instant) -> Cleared {
        self.reap();
        let reaped_before = self.reaped;
        let ours = usize::from(!self.has_exited) + usize::from(self.init.is_some());
        let at_once = self.init.is_some() || self.reaches_bot_alone();
        let mut leftovers = 0;
        let mut next_scan = start;
        while !self.reap() && start.elapsed() < KILL_BOUND {
            let begun = super::now();
            if begun >= next_scan {
                sys::run_first(|| {
                    let in_cgroup = self.cgroup.as_ref().is_some_and(Cgroup::kill);
                    match self.init {
                        Some(init) => tree::signal(init.as_raw_nonzero().get(), rustix::process::Signal::KILL),
                        None if at_once => sys::kill_all(),
                        None if in_cgroup => {}
                        None => tree::freeze(roots),
                    }
                    if at_once || in_cgroup {
                        leftovers = leftovers.max(tree::below(roots()).len());
                    }
                    // The first process of a namespace exits only after we have reaped the bot.
                    leftovers = leftovers.max(tree::kill(roots()));
                });
                next_scan = super::now() + begun.elapsed().max(RETRY_PAUSE) * SCAN_SHARE;
            }
            self.wait_for_child(RETRY_PAUSE);
        }
        let survivors = tree::below(roots()).len() as u32;
        // A process whose parent dies while they are counted is missed, and reaped here later.
        let leftovers = leftovers.saturating_sub(ours).max(self.reaped - reaped_before) as u32;
        Cleared { leftovers, survivors, kill_us: start.elapsed().as_micros() as u64 }
    }

    /// Whether a signal to all processes (`kill(-1)`) would reach only the bot and what it has started. Verified on our
    /// parent, since an error here would be a disaster.
    fn reaches_bot_alone(&self) -> bool {
        let above = rustix::process::getppid();
        self.scoped && above.is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::PERM))
    }

    fn wait_for_child(&self, limit: Duration) {
        let mut fds = [PollFd::new(&self.child_ended, PollFlags::IN)];
        // An early return only makes the next pass come sooner.
        let _ = poll(&mut fds, Some(&timespec(limit)));
        self.drain_signals();
    }

    /// Empties the signalfd; the number of signals means nothing.
    fn drain_signals(&self) {
        let mut bytes = [0; 1024];
        let _ = rustix::io::read(&self.child_ended, &mut bytes);
    }

    /// Reaps all children that have ended; true if none is left. The end of the bot is reported at once, since removing many
    /// leftovers takes a while.
    fn reap(&mut self) -> bool {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.bot => {
                    self.has_exited = true;
                    let signal = status.terminating_signal();
                    let is_out_of_memory =
                        signal == Some(libc::SIGKILL) && self.cgroup.as_ref().is_some_and(Cgroup::was_out_of_memory);
                    let overrun = is_out_of_memory.then_some(Overrun::OutOfMemory);
                    self.report_exit(status.exit_status(), signal, overrun);
                }
                Ok(Some((pid, _))) => self.reaped += usize::from(Some(pid) != self.init),
                Err(rustix::io::Errno::INTR) => {}
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }
}

/// The children of this process: the bot, orphans of the bot, the first process of its namespace.
fn roots() -> Vec<i32> {
    tree::children(rustix::process::getpid().as_raw_nonzero().get())
}
