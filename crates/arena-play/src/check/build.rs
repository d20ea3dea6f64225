//! Building a bot: the command of its manifest runs in the bot's folder and in a sandbox of its own, which may change that
//! folder and nothing else, and has no network unless the user of the arena allows it.

use std::fmt::Write as _;
use std::io::Read as _;
use std::os::fd::AsFd as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use arena_core::record::DeniedCalls;
use arena_core::text::shown;
use arena_guard::{self as guard, BuildTerms, Guarded, Limits, Pipes, Request, SandboxMode, StartFailed, StartStage};
use arena_sys::flags::SANDBOX_OFF;
use arena_sys::time::{now, timespec};
use rustix::event::{PollFd, PollFlags, poll};
use thiserror::Error;

use crate::player::process::{Launch, PrivateFolder, describe};
use crate::roster::FoundBot;

/// Limits of a build, with all that it starts.
const LIMITS: Limits = Limits {
    memory_mb: 4096,
    processes: 512,
    open_files: 1024,
    file_mb: 2048,
    scratch_mb: 8192,
    stack_mb: 64,
    cpu_s: 0,
};
/// Time for a build.
const TIME: Duration = Duration::from_secs(600);
/// What is kept of what it writes: the end.
const OUTPUT_BYTES: usize = 16 << 10;
/// Lines of it that are shown.
const LINES_MAX: usize = 20;
/// What a build with a network may read besides: how names become addresses, and whom to trust; no keys.
const OF_NETWORK: [&str; 7] = [
    "/etc/ca-certificates",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/pki/ca-trust/extracted",
    "/etc/pki/tls/certs",
    "/etc/resolv.conf",
    "/etc/ssl/certs",
];

/// Why a bot was not built.
#[derive(Debug, Error)]
#[error("{cause}")]
#[non_exhaustive]
pub struct BuildError {
    /// What failed, and how it can be helped if that is known.
    pub cause: String,
    /// The last lines that the build wrote, escaped.
    pub output: Vec<String>,
}

impl BuildError {
    fn new(cause: impl Into<String>) -> Self {
        Self { cause: cause.into(), output: Vec::new() }
    }
}

/// Builds a bot whose manifest says how; does nothing for any other. Programs cannot read `hidden` folders.
///
/// # Errors
///
/// Returns an error if it has no folder of its own, or if its build cannot be confined or fails.
pub fn build(found: &FoundBot, launch: &Launch, hidden: &[PathBuf]) -> Result<(), BuildError> {
    let Some(command) = &launch.build else { return Ok(()) };
    if !found.untrusted {
        let why = "it is not built: it has no folder of its own, in which a build could write; move its files into one with a \
                   bot.toml, or build it by hand";
        return Err(BuildError::new(why));
    }
    let scratch = PrivateFolder::create(launch).map_err(|failure| BuildError::new(crate::check::cause_of(&failure)))?;
    let shell = Path::new("/bin/sh");
    let mut request = Request {
        // One pipe keeps the order of both outputs.
        args: vec!["-c".into(), format!("exec 2>&1\n{command}").into()],
        limits: LIMITS,
        build: Some(BuildTerms { network: launch.build_network }),
        ..Request::new(shell, &launch.dir, scratch.path())
    };
    for (name, value) in &launch.env {
        request.set_env(name, value);
    }
    let mut own = vec![launch.dir.clone()];
    // The compilers behind the programs that rustup puts into PATH.
    if let Some(rustup) = rustup_home() {
        request.set_env("RUSTUP_HOME", &rustup);
        own.push(rustup);
    }
    if launch.build_network {
        own.extend(OF_NETWORK.map(PathBuf::from));
    }
    // Its author has written the manifest, so a `PATH` in it opens nothing.
    request.readable = guard::readable(shell, &own, request.env("PATH"), found.untrusted, hidden);
    let (guarded, pipes) = start(launch, request)?;
    let is_private = guarded.sandbox().namespaces;
    let BuildEnd { exited, output, denied } = follow(guarded, pipes);
    let failed = |mut how: String| {
        if !denied.is_empty() {
            let _ = write!(how, "; its sandbox denied {denied}");
        }
        let lines: Vec<String> = String::from_utf8_lossy(&output).lines().map(shown).collect();
        let output = lines[lines.len().saturating_sub(LINES_MAX)..].to_vec();
        Err(BuildError { cause: format!("its build `{}` {how}", shown(command)), output })
    };
    match exited {
        Some(exited) if exited.code == Some(0) => {}
        Some(exited) => return failed(describe(&exited, &LIMITS).1),
        None => return failed(format!("was ended after {} s", TIME.as_secs())),
    }
    if !is_private {
        make_executable(launch);
    }
    Ok(())
}

/// Starts the build in the strictest sandbox there is: where all else is read-only, a build may set modes of its files.
fn start(launch: &Launch, mut request: Request) -> Result<(Guarded, Pipes), BuildError> {
    let modes: &[SandboxMode] = if launch.sandbox == SandboxMode::Off {
        &[SandboxMode::Off]
    } else {
        &[SandboxMode::Strict, SandboxMode::Landlock]
    };
    let mut last = None;
    for mode in modes {
        request.sandbox = *mode;
        match guard::spawn(&launch.guard, &request) {
            Ok(started) => return Ok(started),
            Err(failed) => last = Some(failed),
        }
        let is_lacking = |failed: &StartFailed| matches!(failed.stage, StartStage::Namespaces | StartStage::Mounts);
        if !last.as_ref().is_some_and(is_lacking) {
            break;
        }
    }
    let why = last.map_or_else(String::new, |failed| failed.to_string());
    Err(BuildError::new(format!("its build could not be started: {why}; build it by hand, or use {SANDBOX_OFF}")))
}

struct BuildEnd {
    /// `None` if its time was over.
    exited: Option<guard::Exited>,
    /// The end of what it wrote.
    output: Vec<u8>,
    denied: DeniedCalls,
}

/// Waits for the end of the build, then removes what it has left running.
fn follow(mut guarded: Guarded, pipes: Pipes) -> BuildEnd {
    drop((pipes.stdin, pipes.stderr));
    let mut stdout = std::fs::File::from(pipes.stdout);
    let deadline = now() + TIME;
    let mut output = Vec::new();
    let mut bytes = vec![0; 64 << 10];
    while !guarded.is_over() {
        let left = deadline.saturating_duration_since(now());
        if left.is_zero() {
            guarded.kill();
            return BuildEnd { exited: None, output, denied: guarded.denied().into_iter().collect() };
        }
        // A process that it has left running may hold the pipe, so its end is waited for as well.
        let mut fds = vec![PollFd::new(&stdout, PollFlags::IN)];
        let exit = guarded.exit_fd().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        fds.extend(exit);
        let _ = poll(&mut fds, Some(&timespec(left.min(Duration::from_secs(1)))));
        let is_readable = fds[0].revents().contains(PollFlags::IN);
        let is_closed = !is_readable && fds[0].revents().contains(PollFlags::HUP);
        drop(fds);
        if is_readable {
            read_some(&mut stdout, &mut bytes, &mut output);
        } else if is_closed {
            guarded.wait_exited(left);
        }
    }
    // What is still in the pipe; a process that goes on writing is gone.
    let exited = guarded.wait_exited(Duration::ZERO).cloned();
    guarded.kill();
    while is_waiting(&stdout) && read_some(&mut stdout, &mut bytes, &mut output) {}
    BuildEnd { exited, output, denied: guarded.denied().into_iter().collect() }
}

fn is_waiting(stdout: &std::fs::File) -> bool {
    let mut fds = [PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::IN)];
    matches!(poll(&mut fds, Some(&timespec(Duration::ZERO))), Ok(1))
}

/// Reads what there is, and keeps the end; false at the end of the pipe.
fn read_some(stdout: &mut std::fs::File, bytes: &mut [u8], output: &mut Vec<u8>) -> bool {
    let count = stdout.read(bytes).unwrap_or(0);
    output.extend_from_slice(&bytes[..count]);
    output.drain(..output.len().saturating_sub(OUTPUT_BYTES));
    count > 0
}

/// Makes the bot's program executable if it is a file of its folder: in a sandbox without a private view of the files, its
/// linker could not.
fn make_executable(launch: &Launch) {
    // The build may have made links that lead out of the folder.
    let (Ok(program), Ok(dir)) = (launch.program.canonicalize(), launch.dir.canonicalize()) else { return };
    let Ok(meta) = program.metadata() else { return };
    if program.starts_with(dir) && meta.is_file() && !guard::is_executable(&meta) {
        let mode = meta.permissions().mode() | 0o100;
        // If that fails, the check says that it is not executable.
        let _ = std::fs::set_permissions(&program, PermissionsExt::from_mode(mode));
    }
}

fn rustup_home() -> Option<PathBuf> {
    let named = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let home = named.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".rustup")))?;
    home.is_dir().then_some(home)
}
