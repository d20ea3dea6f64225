//! The guard itself: one thread that starts a bot, waits, and removes it with everything it has started.
//!
//! It answers to three descriptors: the socket to the referee (closed means the referee is gone), the signal that a
//! child has ended, and, until the bot's program runs, the pipe over which its child says how far it came.

use std::ffi::CString;
use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{DumpableBehavior, Pid, WaitOptions, WaitStatus, set_dumpable_behavior};

use super::cgroup;
use super::channel;
use super::child::{self, Plan, Progress};
use super::request::Order;
use super::sys::{self, Forked};
use super::{
    Cleared, Exited, KILL_BOUND, Overrun, Report, Request, SandboxMode, Stage, StartFailed, Started, host, pipes,
    sandbox, tree, watch,
};
use crate::time::timespec;

/// The least that the kernel likes to keep when memory runs out.
const BOT_OOM_SCORE: &[u8] = b"1000";

/// Time after which those who were killed and are still there are looked at again, at the earliest.
const RETRY_PAUSE: Duration = Duration::from_millis(1);
/// One part in so many of the time is spent on looking: the dying need the processor as well.
const LOOK_SHARE: u32 = 4;

/// Be a guard.
pub(super) fn main() -> ExitCode {
    let stdin = io::stdin();
    match serve(stdin.as_fd()) {
        Ok(()) => ExitCode::SUCCESS,
        // There is a referee, but not for long: it sees the socket close.
        Err(_) => ExitCode::FAILURE,
    }
}

/// A bot under guard.
struct Keeper<'a> {
    control: BorrowedFd<'a>,
    bot: Pid,
    /// First process of the bot's process namespace, if it has one.
    init: Option<Pid>,
    /// The bot's cgroup, if it has one.
    cgroup: Option<(CString, OwnedFd)>,
    /// Readable when a child has ended.
    child_ended: OwnedFd,
    /// No signal of ours reaches anybody but the bot and what it has started.
    fenced: bool,
    exited: Option<Exited>,
    /// The referee knows.
    told: bool,
    overrun: Option<Overrun>,
    watch: Option<watch::Watch>,
}

fn serve(control: BorrowedFd<'_>) -> io::Result<()> {
    // Opened while it may still be: a process that cannot be looked into may not open its own files in /proc either.
    let oom_score = File::options().write(true).open("/proc/self/oom_score_adj");
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let child_ended = sys::block_signals()?;
    let Some((order, mut fds)) = channel::receive_order::<Order<Request>>(control)? else { return Ok(()) };
    let cgroup = order.cgroup.as_ref().and_then(|name| Some((CString::new(name.as_str()).ok()?, fds.pop()?)));
    let ends: pipes::Ends = fds.try_into().map_err(|_| io::Error::other("three descriptors must come with it"))?;
    match start(&order, control, child_ended, ends, cgroup, oom_score.as_ref().ok()) {
        Ok((mut keeper, progress)) => keeper.keep(progress),
        Err(failed) => channel::send(control, &Report::StartFailed(failed), &[]),
    }
}

fn start<'a>(
    order: &Order<Request>,
    control: BorrowedFd<'a>,
    child_ended: OwnedFd,
    ends: pipes::Ends,
    mut cgroup: Option<(CString, OwnedFd)>,
    oom_score: Option<&File>,
) -> Result<(Keeper<'a>, OwnedFd), StartFailed> {
    let failed = |stage| move |error: io::Error| StartFailed::new(stage, &error, "");
    let request = &order.request;
    make_scratch(request)
        .map_err(|error| StartFailed::new(Stage::Scratch, &error, &request.scratch.to_string_lossy()))?;
    let plan = Plan::new(request)?;
    // A bot that forks without end must not keep its guard from ending it. Where that is not allowed it takes longer.
    sys::run_soon();
    // The processor that it was started on is the bot's, and what crowds there must not keep the guard from ending it.
    host::roam_as(rustix::process::getppid());
    // Of a namespace all go with its first process. Without a sandbox a bot is not to feel one.
    let fenced = matches!(request.sandbox, SandboxMode::Auto | SandboxMode::Landlock) && sandbox::keep_signals_in();
    let init = if request.sandbox == SandboxMode::Strict { Some(enter_namespaces()?) } else { None };
    let (progress, status) = pipes::pipe().map_err(failed(Stage::Fork))?;
    // The bot inherits it, and never gets below.
    let set_oom_score = |score| oom_score.is_some_and(|mut file| file.write_all(score).is_ok());
    set_oom_score(BOT_OOM_SCORE);
    let forked = sys::fork_into(cgroup.as_ref().map(|(_, folder)| folder.as_fd())).or_else(|_| {
        // The kernel makes the cgroup and does not let us in, as where it is one of threads.
        cgroup = None;
        sys::fork()
    });
    match forked.map_err(failed(Stage::Fork))? {
        Forked::Child => {
            drop(progress);
            child::run(order, &plan, &ends, status)
        }
        Forked::Parent(bot) => {
            set_oom_score(b"0");
            // No end of the bot's pipes stays here: they close when the bot closes them.
            drop((ends, status));
            let has_fence = request.sandbox != SandboxMode::Off;
            let watch = watch::Watch::new(request.scratch_path(), &request.limits, plan.is_open(), init, has_fence);
            Ok((
                Keeper {
                    control,
                    bot,
                    init,
                    cgroup,
                    child_ended,
                    fenced,
                    exited: None,
                    told: false,
                    overrun: None,
                    watch,
                },
                progress,
            ))
        }
    }
}

/// A folder for the owner alone, and no link to somewhere else.
fn make_scratch(request: &Request) -> io::Result<()> {
    rustix::process::umask(rustix::fs::Mode::from_bits_truncate(0o077));
    let path = request.scratch_path();
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    if !std::fs::symlink_metadata(path)?.is_dir() {
        return Err(io::Error::from_raw_os_error(libc::ENOTDIR));
    }
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o700))
}

fn enter_namespaces() -> Result<Pid, StartFailed> {
    let at = |error: io::Error| StartFailed::new(Stage::Namespaces, &error, "");
    // The maps of users are among the files that only a process that can be looked into may write.
    set_dumpable_behavior(DumpableBehavior::Dumpable).map_err(|error| at(error.into()))?;
    sandbox::spaces::enter()?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(|error| at(error.into()))?;
    sandbox::spaces::start_init().map_err(at)
}

impl Keeper<'_> {
    /// Waits for the end of the bot, by itself or by our hand, and clears up.
    fn keep(&mut self, progress: OwnedFd) -> io::Result<()> {
        let mut progress = Some((progress, Vec::new()));
        loop {
            // Until its program runs it is no bot but our own child: there is nothing to look for, and an end that is told
            // before a start would not be heard.
            let watch = self.watch.as_ref().filter(|_| progress.is_none());
            let timeout = timespec(watch.map_or(watch::PERIOD, watch::Watch::left));
            let mut fds = vec![
                PollFd::from_borrowed_fd(self.control, PollFlags::IN),
                PollFd::new(&self.child_ended, PollFlags::IN),
            ];
            if let Some((pipe, _)) = &progress {
                fds.push(PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN));
            }
            rustix::io::retry_on_intr(|| poll(&mut fds, Some(&timeout)))?;
            let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
            if ready.get(2) == Some(&true) {
                // Before the news of its end: a start that failed is no end of a bot.
                let closed = progress.as_mut().is_none_or(|(pipe, said)| !read_some(pipe, said));
                if closed
                    && let Some((_, said)) = progress.take()
                    && let Err(failed) = self.tell_start(&said)?
                {
                    self.clear(false, super::now());
                    return channel::send(self.control, &Report::StartFailed(failed), &[]);
                }
            }
            // Closed on purpose, or by the end of the referee: once all of its threads have ended, of which some may be
            // waiting for the very processor that the bot keeps busy. So its first thread is looked at as well.
            if ready[0] || rustix::process::getppid().is_none_or(tree::has_first_thread_ended) {
                return self.end();
            }
            if ready[1] {
                self.take_notice();
                self.reap();
            }
            if self.exited.is_some() && progress.is_none() {
                return self.end();
            }
            if progress.is_none() {
                self.overrun = self.watch.as_mut().and_then(|watch| watch.overrun(roots));
            }
            if self.overrun.is_some() {
                self.announce_end();
                return self.end();
            }
        }
    }

    /// Tells the referee that the bot runs, with a descriptor that is readable when it no longer does.
    fn tell_start(&self, said: &[u8]) -> io::Result<Result<(), StartFailed>> {
        let mut fenced = None;
        for line in said.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line).map_err(io::Error::other)? {
                Progress::Fenced(effective) => fenced = Some(effective),
                Progress::Failed(failed) => return Ok(Err(failed)),
            }
        }
        let Some(mut sandbox) = fenced else {
            let error = io::Error::other("it was killed before its program ran");
            return Ok(Err(StartFailed::new(Stage::Fork, &error, "")));
        };
        sandbox.cgroup = self.cgroup.is_some();
        let report = Report::Started(Started { pid: self.bot.as_raw_nonzero().get(), sandbox });
        // Not reaped before this, so the number is its own.
        match rustix::process::pidfd_open(self.bot, rustix::process::PidfdFlags::empty()) {
            Ok(pidfd) => channel::send(self.control, &report, &[pidfd.as_fd()])?,
            // A kernel before 5.3: the referee waits for reports instead.
            Err(_) => channel::send(self.control, &report, &[])?,
        }
        Ok(Ok(()))
    }

    /// Ends whatever is left and tells. If nobody listens any more, the killing matters all the same.
    fn end(&mut self) -> io::Result<()> {
        let start = super::now();
        let with_bot = self.exited.is_none();
        self.tell_exit();
        let cleared = self.clear(with_bot, start);
        let survivors = cleared.survivors > 0;
        let sent = channel::send(self.control, &Report::Cleared(cleared), &[]);
        if survivors {
            self.wait_for_survivors();
            self.remove_cgroup();
        }
        sent
    }

    /// Tells that the bot is ended by us, and why: before it is, since a crowd takes a while to die, and what shows of it
    /// first is a closed pipe.
    fn announce_end(&mut self) {
        let usage = sys::children_usage();
        self.exited = Some(Exited {
            code: None,
            signal: Some(libc::SIGKILL),
            cpu_us: usage.cpu_us,
            rss_max_kb: usage.rss_max_kb,
            overrun: self.overrun,
        });
        self.tell_exit();
        // It still is to be reaped.
        self.exited = None;
    }

    /// Tells how the bot ended, once it has: a crowd that it leaves behind takes a while to be removed.
    fn tell_exit(&mut self) {
        if !self.told
            && let Some(exited) = &self.exited
        {
            self.told = true;
            let _ = channel::send(self.control, &Report::Exited(exited.clone()), &[]);
        }
    }

    /// Removes everything: what goes as one by one signal, else all are stopped, killed and reaped.
    fn clear(&mut self, with_bot: bool, start: Instant) -> Cleared {
        self.reap();
        let ours = usize::from(with_bot && self.exited.is_none()) + usize::from(self.init.is_some());
        let at_once = self.init.is_some() || self.reaches_bot_alone();
        let mut leftovers = 0;
        let mut next_look = start;
        while !self.reap() && start.elapsed() < KILL_BOUND {
            if with_bot {
                self.tell_exit();
            }
            let begun = super::now();
            if begun >= next_look {
                sys::run_first(|| {
                    let in_cgroup = self.cgroup.as_ref().is_some_and(|(_, folder)| cgroup::kill(folder.as_fd()));
                    match self.init {
                        Some(init) => tree::signal(init.as_raw_nonzero().get(), rustix::process::Signal::KILL),
                        None if at_once => sys::kill_all(),
                        None if in_cgroup => {}
                        None => tree::freeze(roots),
                    }
                    if at_once || in_cgroup {
                        leftovers = leftovers.max(tree::below(roots()).len());
                    }
                    // The first process of a namespace waits for us to reap the bot.
                    leftovers = leftovers.max(tree::kill(roots()));
                });
                next_look = super::now() + begun.elapsed().max(RETRY_PAUSE) * LOOK_SHARE;
            }
            self.wait_for_child(RETRY_PAUSE);
        }
        if with_bot {
            self.tell_exit();
        }
        self.remove_cgroup();
        let survivors = tree::below(roots()).len() as u32;
        let leftovers = leftovers.saturating_sub(ours) as u32;
        Cleared { leftovers, survivors, kill_us: start.elapsed().as_micros() as u64 }
    }

    /// Removes the bot's cgroup once nothing in it lives.
    fn remove_cgroup(&self) {
        if let Some((name, folder)) = &self.cgroup {
            cgroup::remove(folder.as_fd(), name);
        }
    }

    /// Whether one signal to everybody would reach the bot and what it has started, and nobody else. Tried out, on
    /// whoever is above us: it would be a bad thing to be wrong about.
    fn reaches_bot_alone(&self) -> bool {
        let above = rustix::process::getppid();
        self.fenced && above.is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::PERM))
    }

    /// Those whom the kernel does not let go yet are better kept here than handed to the referee.
    fn wait_for_survivors(&mut self) {
        const PATIENCE: Duration = Duration::from_secs(60);
        let start = super::now();
        while !self.reap() && start.elapsed() < PATIENCE {
            self.wait_for_child(watch::PERIOD);
        }
    }

    fn wait_for_child(&self, limit: Duration) {
        let mut fds = [PollFd::new(&self.child_ended, PollFlags::IN)];
        // Cut short or failed, it only makes the next look come sooner.
        let _ = poll(&mut fds, Some(&timespec(limit)));
        self.take_notice();
    }

    /// Takes the signal away: how often it came says nothing.
    fn take_notice(&self) {
        let mut bytes = [0; 1024];
        let _ = rustix::io::read(&self.child_ended, &mut bytes);
    }

    /// Reaps whoever has ended; true if no child is left.
    fn reap(&mut self) -> bool {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.bot => self.exited = Some(self.exit_of(status)),
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }

    fn exit_of(&self, status: WaitStatus) -> Exited {
        let usage = sys::children_usage();
        Exited {
            code: status.exit_status(),
            signal: status.terminating_signal(),
            cpu_us: usage.cpu_us,
            rss_max_kb: usage.rss_max_kb,
            overrun: self.overrun,
        }
    }
}

/// The children of this process: the bot, orphans of the bot, the first process of its namespace.
fn roots() -> Vec<i32> {
    tree::children(rustix::process::getpid().as_raw_nonzero().get())
}

/// Reads what there is; false at the end.
fn read_some(pipe: &OwnedFd, said: &mut Vec<u8>) -> bool {
    const SAID_BYTES_MAX: usize = 64 * 1024;
    let mut bytes = [0; 4096];
    match rustix::io::read(pipe, &mut bytes) {
        Ok(0) => false,
        Ok(count) => {
            said.extend_from_slice(&bytes[..count]);
            said.len() < SAID_BYTES_MAX
        }
        Err(error) => error == rustix::io::Errno::INTR,
    }
}
