//! From the fork to the bot's program: the child of a guard bounds itself, step by step, and becomes the bot.

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{DumpableBehavior, Signal, set_dumpable_behavior, set_parent_process_death_signal};
use rustix::thread::{CapabilitySet, CapabilitySets, CpuSet, sched_setaffinity};
use serde::{Deserialize, Serialize};

use super::request::{Order, find_program};
use super::sys::{self, Words};
use super::{Effective, Limits, Request, SandboxMode, Stage, StartFailed, sandbox};
use crate::time::{pause, timespec};

/// Tries for a program that was written a moment ago and may still be open for writing somewhere.
const BUSY_TRIES: u32 = 5;
const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// What the child says to the guard, a line each, before its pipe closes by running the program.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Progress {
    /// The fences stand; limits come next.
    Fenced(Effective),
    /// A step failed, after that one too; there will be no bot.
    Failed(StartFailed),
}

/// What is prepared before the fork.
pub(super) struct Plan {
    /// The priority that we were given.
    nice: i32,
    program: CString,
    args: Words,
    env: Words,
}

impl Plan {
    pub(super) fn new(request: &Request) -> Result<Self, StartFailed> {
        let failed = |error: io::Error| StartFailed::new(Stage::Program, &error, &request.program.to_string_lossy());
        let program = find_program(&request.program, request.env("PATH"))
            .ok_or_else(|| failed(io::Error::from_raw_os_error(libc::ENOENT)))?;
        let word = |word: &OsStr| CString::new(word.as_bytes()).map_err(|error| failed(error.into()));
        let mut args = vec![word(&request.program)?];
        for arg in &request.args {
            args.push(word(arg)?);
        }
        let mut env = Vec::new();
        for (name, value) in &request.env {
            env.push(word(&[name.as_os_str(), value].join(OsStr::new("=")))?);
        }
        let nice = rustix::process::getpriority_process(None).map_err(|error| failed(error.into()))?;
        Ok(Self { nice, program: word(program.as_os_str())?, args: Words::new(args), env: Words::new(env) })
    }
}

impl Plan {
    /// Whether this user may read the program, and so may look into its process.
    pub(super) fn is_open(&self) -> bool {
        rustix::fs::access(&self.program, rustix::fs::Access::READ_OK).is_ok()
    }
}

/// Becomes the bot; ends the process if it cannot, after saying why to `status`.
pub(super) fn run(order: &Order<Request>, plan: &Plan, ends: &[OwnedFd; 3], status: OwnedFd) -> ! {
    let mut status = File::from(status);
    let failure = match become_bot(order, plan, ends, &mut status) {
        Err(failure) => failure,
        Ok(never) => match never {},
    };
    // If nobody listens any more, the guard is gone and so will we be.
    let _ = say(&mut status, &Progress::Failed(failure));
    sys::exit_now(127)
}

fn say(status: &mut File, progress: &Progress) -> io::Result<()> {
    let mut line = serde_json::to_vec(progress)?;
    line.push(b'\n');
    status.write_all(&line)
}

/// The order matters: privileges are needed for the private view, paths must be opened before files are fenced off, and
/// what fences calls off comes after what needs them. Limits come last: a bot's manifest sets them, and what is done
/// under them could fail for want of a descriptor or of memory.
fn become_bot(
    order: &Order<Request>,
    plan: &Plan,
    ends: &[OwnedFd; 3],
    status: &mut File,
) -> Result<std::convert::Infallible, StartFailed> {
    let request = &order.request;
    let mut effective = Effective { guard: true, ..Effective::default() };
    rustix::process::setsid().map_err(at(Stage::Session))?;
    // A guard's own is not inherited, and ours was lost on the way if it was a lower one. A higher one we may not have.
    let _ = rustix::process::setpriority_process(None, plan.nice);
    if let Some(processors) = &order.processors {
        let mut set = CpuSet::new();
        for processor in processors {
            set.set(*processor);
        }
        // Only speed is lost if the system refuses.
        let _ = sched_setaffinity(None, &set);
    }
    connect(ends).map_err(at(Stage::Streams))?;
    sys::close_from(3, false).map_err(at(Stage::Streams))?;
    if request.sandbox == SandboxMode::Strict {
        sandbox::spaces::private_view(request)?;
        effective.namespaces = true;
    }
    if order.own_shm {
        enter_own_shm(order)?;
    }
    give_up_privileges(request.sandbox).map_err(at(Stage::Privileges))?;
    die_with_guard(status).map_err(at(Stage::Session))?;
    std::env::set_current_dir(&request.dir)
        .map_err(|error| StartFailed::new(Stage::Folder, &error, &request.dir.to_string_lossy()))?;
    sandbox::enter(request, order.own_shm, &mut effective)?;
    let counted = count_of_processes(order, effective.namespaces);
    say(status, &Progress::Fenced(effective)).map_err(at(Stage::Guard))?;
    sys::reset_signals();
    request.limits.impose(counted).map_err(|(error, name)| StartFailed::new(Stage::Limits, &error, name))?;
    Err(exec(request, plan))
}

/// With the limits that are counted for all programs of a user before it: to what is in a user namespace the kernel
/// applies those that hold when it is made, for what the user has outside as well.
fn enter_own_shm(order: &Order<Request>) -> Result<(), StartFailed> {
    Limits::impose_on_user(count_of_processes(order, false))
        .map_err(|(error, name)| StartFailed::new(Stage::Limits, &error, name))?;
    // The maps of users are among the files that only a process that can be looked into may write.
    let looked_into = |may| set_dumpable_behavior(may).map_err(at(Stage::Mounts));
    looked_into(DumpableBehavior::Dumpable)?;
    sandbox::shm::enter()?;
    looked_into(DumpableBehavior::NotDumpable)
}

fn at<E: Into<io::Error>>(stage: Stage) -> impl Fn(E) -> StartFailed {
    move |error| StartFailed::new(stage, &error.into(), "")
}

fn connect(ends: &[OwnedFd; 3]) -> io::Result<()> {
    rustix::stdio::dup2_stdin(&ends[0])?;
    rustix::stdio::dup2_stdout(&ends[1])?;
    rustix::stdio::dup2_stderr(&ends[2])?;
    Ok(())
}

/// From now on no program, whatever its mode, brings privileges; and those of root are gone but for reaching files of
/// other users, which bots of other users need and which the fence around files bounds.
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

/// The kernel kills this process when the guard ends; unless that was before it was asked to.
fn die_with_guard(status: &File) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let mut fds = [PollFd::from_borrowed_fd(status.as_fd(), PollFlags::OUT)];
    poll(&mut fds, Some(&timespec(Duration::ZERO)))?;
    if fds[0].revents().contains(PollFlags::ERR) {
        sys::exit_now(127);
    }
    Ok(())
}

/// The kernel counts the processes of a user, of all programs; within namespaces only those that are in them; and it
/// never stops root: then the guard counts them.
fn count_of_processes(order: &Order<Request>, namespaces: bool) -> Option<u64> {
    /// The guard and the first process of the namespace are in it as well.
    const OURS: u64 = 2;
    let Order { request, user_processes_max, .. } = order;
    if request.limits.processes == 0 {
        return None;
    }
    if namespaces { Some(request.limits.processes.saturating_add(OURS)) } else { *user_processes_max }
}

fn exec(request: &Request, plan: &Plan) -> StartFailed {
    let mut error = sys::exec(&plan.program, &plan.args, &plan.env);
    for _ in 1..BUSY_TRIES {
        if error.kind() != io::ErrorKind::ExecutableFileBusy {
            break;
        }
        pause(BUSY_PAUSE);
        error = sys::exec(&plan.program, &plan.args, &plan.env);
    }
    StartFailed::new(Stage::Exec, &error, &request.program.to_string_lossy())
}
