//! From the fork to the bot's program: the child of a guard restricts itself, step by step, and becomes the bot.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::{CapabilitySet, CapabilitySets};

use super::order::GuardOrder;
use super::sys::{self, ExecWords};
use super::{
    Effective, Request, SandboxMode, StartFailed, StartStage, channel, find_program, rlimits, sandbox, threads,
};
use crate::time::{pause, timespec};

/// Number of attempts to run a program that is still open for writing.
const BUSY_TRIES: u32 = 5;
const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// What the child reports to the guard: the sandbox in force, before limits are set, then perhaps the step that failed.
/// Running the program closes the socket. What tells of refused calls comes with the first.
pub(super) type ChildProgress = Result<Effective, StartFailed>;

/// What is prepared before the fork.
pub(super) struct PreparedChild {
    /// The priority of the guard when it started.
    nice: i32,
    program: CString,
    args: ExecWords,
    env: ExecWords,
}

impl PreparedChild {
    pub(super) fn new(request: &Request) -> Result<Self, StartFailed> {
        let program = find_program(&request.program, request.env("PATH"))
            .ok_or(rustix::io::Errno::NOENT)
            .map_err(StartFailed::at(StartStage::Program, &request.program))?;
        let word = |word: &OsStr| {
            CString::new(word.as_bytes()).map_err(StartFailed::at(StartStage::Program, &request.program))
        };
        let words = [&request.program].into_iter().chain(&request.args).map(|arg| word(arg));
        let args = words.collect::<Result<_, _>>()?;
        let pairs = request.env.iter().map(|(name, value)| word(&[name.as_os_str(), value].join(OsStr::new("="))));
        let env = pairs.collect::<Result<_, _>>()?;
        let nice = rustix::process::getpriority_process(None).map_err(StartFailed::at(StartStage::Program, ""))?;
        Ok(Self { nice, program: word(program.as_os_str())?, args: ExecWords::new(args), env: ExecWords::new(env) })
    }

    /// Whether this user may read the program, and so may inspect its process.
    pub(super) fn is_open(&self) -> bool {
        rustix::fs::access(&self.program, rustix::fs::Access::READ_OK).is_ok()
    }
}

/// Becomes the bot; on failure, sends the cause to `status` and ends the process. `cgroup` is the folder of the bot's own
/// cgroup, if it has one.
pub(super) fn run(
    order: &GuardOrder<Request>,
    prepared: &PreparedChild,
    ends: &[OwnedFd; 3],
    cgroup: Option<BorrowedFd<'_>>,
    status: &OwnedFd,
) -> ! {
    let failure = match become_bot(order, prepared, ends, cgroup, status) {
        Err(failure) => failure,
        Ok(never) => match never {},
    };
    // If this fails, the guard is gone, and this process ends with it.
    let _ = say(status, &Err(failure), &[]);
    sys::exit_now(127)
}

fn say(status: &OwnedFd, progress: &ChildProgress, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    channel::send(status.as_fd(), progress, fds)
}

/// The order matters: the private view needs privileges, paths must be opened before access to files is restricted, and
/// system calls are restricted after the steps that need them. Limits come last: a bot's manifest sets them, and steps
/// under them could run out of descriptors or memory.
fn become_bot(
    order: &GuardOrder<Request>,
    prepared: &PreparedChild,
    ends: &[OwnedFd; 3],
    cgroup: Option<BorrowedFd<'_>>,
    status: &OwnedFd,
) -> Result<std::convert::Infallible, StartFailed> {
    let request = &order.request;
    let mut effective = Effective { guard: true, ..Effective::default() };
    rustix::process::setsid().map_err(StartFailed::at(StartStage::Session, ""))?;
    // The guard's own priority is reset on fork, and so was a lower one of the arena. A higher one may be refused.
    let _ = rustix::process::setpriority_process(None, prepared.nice);
    threads::run_on(&order.processors);
    let [stdin, stdout, stderr] = ends;
    rustix::stdio::dup2_stdin(stdin)
        .and_then(|()| rustix::stdio::dup2_stdout(stdout))
        .and_then(|()| rustix::stdio::dup2_stderr(stderr))
        .map_err(StartFailed::at(StartStage::Streams, ""))?;
    sys::close_from(3, false).map_err(StartFailed::at(StartStage::Streams, ""))?;
    if request.sandbox == SandboxMode::Strict {
        sandbox::spaces::private_view(request)?;
        effective.namespaces = true;
    }
    if order.own_shm {
        enter_own_shm(order)?;
    }
    give_up_privileges(request.sandbox).map_err(StartFailed::at(StartStage::Privileges, ""))?;
    die_with_guard(status).map_err(StartFailed::at(StartStage::Session, ""))?;
    std::env::set_current_dir(&request.dir).map_err(StartFailed::at(StartStage::Folder, &request.dir))?;
    let listener = sandbox::enter(request, order.own_shm, cgroup, &mut effective)?;
    let counted = count_of_processes(order, effective.namespaces);
    let fds: Vec<_> = listener.iter().map(AsFd::as_fd).collect();
    say(status, &Ok(effective), &fds).map_err(StartFailed::at(StartStage::Guard, ""))?;
    sys::reset_signals();
    rlimits::impose(&request.limits, counted)?;
    Err(exec(request, prepared))
}

/// Limits that the kernel counts per user are set first: processes in a user namespace are subject to those in force when it
/// was created, which count what the user has outside as well.
fn enter_own_shm(order: &GuardOrder<Request>) -> Result<(), StartFailed> {
    rlimits::impose_on_user(count_of_processes(order, false))?;
    sandbox::while_dumpable(StartStage::Mounts, sandbox::spaces::enter_own_shm)
}

/// From now on no program grants privileges, whatever its file mode. Those of root are dropped, except for access to files of
/// other users, which bots of other users need and which Landlock restricts.
fn give_up_privileges(sandbox: SandboxMode) -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    let mine = rustix::thread::capabilities(None)?;
    if sandbox == SandboxMode::Off || mine.permitted.is_empty() {
        return Ok(());
    }
    let kept = match sandbox {
        SandboxMode::Strict => CapabilitySet::empty(),
        _ => CapabilitySet::DAC_OVERRIDE & mine.permitted,
    };
    for capability in CapabilitySet::all().difference(kept).iter() {
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // An older kernel does not know the newest ones.
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let sets = CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() };
    Ok(rustix::thread::set_capabilities(None, sets)?)
}

/// Has the kernel kill this process when the guard ends; ends it now if the guard has ended already.
fn die_with_guard(status: &OwnedFd) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let mut fds = [PollFd::new(status, PollFlags::OUT)];
    poll(&mut fds, Some(&timespec(Duration::ZERO)))?;
    if fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
        sys::exit_now(127);
    }
    Ok(())
}

/// The limit on processes for the kernel. It counts all processes of a user, or those in a namespace, and exempts root; then
/// the guard counts them.
fn count_of_processes(order: &GuardOrder<Request>, namespaces: bool) -> Option<u64> {
    /// The guard and the first process of the namespace, which are counted as well.
    const OURS: u64 = 2;
    let GuardOrder { request, user_processes_max, .. } = order;
    if request.limits.processes == 0 {
        return None;
    }
    if namespaces { Some(request.limits.processes.saturating_add(OURS)) } else { *user_processes_max }
}

fn exec(request: &Request, prepared: &PreparedChild) -> StartFailed {
    let run = || sys::exec(&prepared.program, &prepared.args, &prepared.env);
    let mut error = run();
    for _ in 1..BUSY_TRIES {
        if error.kind() == io::ErrorKind::ExecutableFileBusy {
            pause(BUSY_PAUSE);
            error = run();
        }
    }
    StartFailed::at(StartStage::Exec, &request.program)(error)
}
