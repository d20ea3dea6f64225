//! How a bot is started: an argument array, no shell, nothing inherited but the three pipes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::io::Errno;

use super::Original;
use crate::cause::Cause;
use crate::guard::{self, GuardProgram, Guarded, Limits, Pipes, Readable, Request, SandboxMode, Stage, StartFailed};
use crate::player::NotReady;
use crate::protocol::Protocol;
use crate::record::Status;
use crate::referee::Fault;
use crate::text::shown;

/// Time from the start of a process to its `hello`.
pub const STARTUP_DEFAULT: Duration = Duration::from_secs(10);

/// What is needed to start a bot.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Its name in the tournament.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Where it runs.
    pub dir: PathBuf,
    /// Added to its environment.
    pub env: Vec<(String, String)>,
    /// How it is spoken to.
    pub protocol: &'static Protocol,
    /// What is set in it by the means of that protocol: names and values.
    pub options: Vec<(String, String)>,
    /// Where each of its processes gets a private folder for temporary files (`HOME` and `TMPDIR`), which goes with it.
    pub scratch: PathBuf,
    /// The program that its guards are started from.
    pub guard: GuardProgram,
    /// Time from its start to its `hello`.
    pub startup: Duration,
    /// Whether every game gets a new process.
    pub fresh: bool,
    /// What it may use up.
    pub limits: Limits,
    /// What fences it in.
    pub sandbox: SandboxMode,
    /// What it may read in a sandbox: see [`Launch::look_around`].
    pub readable: Readable,
    /// Folders whose files it may see the names of in a sandbox, beside.
    pub listable: Vec<PathBuf>,
    /// The files that make it the bot it is; with others in their place it is not started.
    pub originals: Arc<[Original]>,
    /// Whether it is stopped while it is not on move.
    pub freeze_idle: bool,
    /// Whether the processor time of everything it has started is counted at every move.
    pub count_all: bool,
}

impl Launch {
    /// The command as a person would write it.
    #[must_use]
    pub fn command_line(&self) -> String {
        let mut words = vec![self.program.display().to_string()];
        words.extend(self.args.iter().map(|arg| arg.to_string_lossy().into_owned()));
        words.join(" ")
    }

    /// What the guard is asked for.
    fn request(&self, scratch: &Path) -> Request {
        let mut request = Request::new(&self.program, &self.dir, scratch);
        request.args.clone_from(&self.args);
        if let Some(library) = line_buffering_library() {
            request.set_env("LD_PRELOAD", library);
            request.set_env("_STDBUF_O", "L");
        }
        for (name, value) in &self.env {
            request.set_env(name, value);
        }
        request.limits = self.limits.clone();
        request.sandbox = self.sandbox;
        request.readable = self.readable.clone();
        request.listable = self.listable.iter().map(Into::into).collect();
        request
    }

    /// Finds out which files it may read in a sandbox: what it is run with, if a `stranger` may say so, and `own` ones,
    /// but nothing in `hidden` folders; and the `arena` binary, since a script may want to play as a built-in strategy.
    /// Looks at many files; once is enough for all its starts.
    pub fn look_around(&mut self, own: &[PathBuf], stranger: bool, hidden: &[PathBuf]) {
        let own: Vec<PathBuf> = own.iter().cloned().chain(self.guard.arena_file()).collect();
        self.readable = guard::readable(&self.program, &own, self.request(&self.scratch).env("PATH"), stranger, hidden);
    }

    /// Folders of the `PATH` that opens files to it which stay closed: see [`guard::closed_folders`].
    #[must_use]
    pub fn closed_folders(&self, stranger: bool) -> Vec<PathBuf> {
        guard::closed_folders(self.request(&self.scratch).env("PATH"), stranger)
    }

    /// What has become of one of its files, if they are not what they were. It is then another bot.
    #[must_use]
    pub fn change(&self) -> Option<String> {
        self.originals.iter().find_map(Original::change)
    }

    /// Whether one of its files was written to or replaced, if only by its like.
    pub(super) fn is_touched(&self) -> bool {
        self.originals.iter().any(Original::is_touched)
    }

    /// Starts the process under a guard of its own.
    pub(super) fn spawn(&self, scratch: &Scratch) -> Result<(Guarded, Pipes), NotReady> {
        guard::spawn(&self.guard, &self.request(&scratch.0)).map_err(|failed| self.explain(&failed))
    }

    fn explain(&self, failed: &StartFailed) -> NotReady {
        if failed.is_ours() {
            return NotReady::Void(format!("starting bot `{}`: {failed}", self.name));
        }
        let errno = Errno::from_raw_os_error(failed.errno);
        let is_program = std::fs::metadata(&self.program).is_ok_and(|meta| guard::is_executable(&meta));
        let (cause, why) = match (failed.stage, errno) {
            (Stage::Folder, Errno::NOENT) => {
                let folder = shown(&self.dir.to_string_lossy());
                (Cause::BadFolder, format!("its folder {folder} does not exist"))
            }
            (Stage::Folder, _) => (Cause::BadFolder, format!("its folder cannot be entered: {}", failed.detail)),
            (Stage::Program, _) => (Cause::NoProgram, NO_SUCH_PROGRAM.to_owned()),
            (_, Errno::NOENT) => self.explain_not_found(),
            (_, Errno::ACCESS) if self.sandbox != SandboxMode::Off && is_program => {
                let why = "its interpreter or loader is not among the files it may read (a manifest's `files` names \
                           the bot's own; --sandbox off runs it without a sandbox)";
                (Cause::HiddenInterpreter, why.to_owned())
            }
            (_, Errno::ACCESS) => (Cause::NotExecutable, "it is not an executable file (chmod +x)".to_owned()),
            (_, Errno::TXTBSY) => (Cause::FileBusy, "it is being written to by another program".to_owned()),
            (_, Errno::NOEXEC) => {
                let why = self.first_bytes().map_or_else(|| NO_PROGRAM.to_owned(), |start| explain_no_program(&start));
                (Cause::NotAProgram, why)
            }
            _ => (Cause::CannotStart, failed.detail.clone()),
        };
        let message = format!("cannot start {}: {why}", shown(&self.program.to_string_lossy()));
        Fault::new(Status::StartupFailed, cause, message).into()
    }

    /// The kernel says the same of a missing program and a missing interpreter.
    fn explain_not_found(&self) -> (Cause, String) {
        match self.first_line() {
            Some(line) if line.ends_with('\r') => {
                (Cause::WindowsLineEnds, "its first line ends in CR LF; save it with Unix line ends".to_owned())
            }
            Some(line) if line.starts_with("#!") => {
                let interpreter = shown(&line[2..]);
                (Cause::NoInterpreter, format!("the interpreter named in its first line is missing: {interpreter}"))
            }
            _ => (Cause::NoProgram, NO_SUCH_PROGRAM.to_owned()),
        }
    }

    /// How its program begins. Nothing of a file in its folder that was put there since it was looked at: that may be a
    /// link to anything.
    fn first_bytes(&self) -> Option<Vec<u8>> {
        use std::io::Read;
        let known = self.originals.iter().find(|original| original.is_at(&self.program));
        let is_foreign = known.map_or(self.program.starts_with(&self.dir), Original::is_touched);
        if is_foreign || self.program.is_relative() {
            return None;
        }
        let mut bytes = Vec::new();
        guard::open_foreign(&self.program).ok()?.take(256).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    fn first_line(&self) -> Option<String> {
        let bytes = self.first_bytes()?;
        let line = bytes.split(|byte| *byte == b'\n').next()?;
        Some(String::from_utf8_lossy(line).into_owned())
    }
}

/// The private folder of one process, removed with all that it has put there.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn create(launch: &Launch) -> Result<Self, NotReady> {
        guard::make_folder(&launch.scratch, &launch.name).map(Self).map_err(|error| {
            let (name, place) = (&launch.name, launch.scratch.display());
            NotReady::Void(format!("making a scratch folder for bot `{name}` in {place}: {error}"))
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is in nobody's way: the next process gets another one.
        let _ = guard::remove_folder(&self.0, None);
    }
}

const NO_SUCH_PROGRAM: &str = "no such program";
const NO_PROGRAM: &str =
    "it is no program for this machine; a script needs a first line such as #!/usr/bin/env python3";

/// What a file is that the kernel does not run, by how it begins.
fn explain_no_program(start: &[u8]) -> String {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    const ELF: &[u8] = b"\x7fELF";
    if start.is_empty() {
        return "it is empty".to_owned();
    }
    if start.starts_with(BYTE_ORDER_MARK) {
        return "it begins with a byte order mark; save it as UTF-8 without one".to_owned();
    }
    if start.starts_with(ELF) {
        let here = std::env::consts::ARCH;
        return match machine(start) {
            Some(machine) if machine != here => format!("it is a program for {machine}; this machine is {here}"),
            _ => "it is a damaged program, perhaps cut short; build it again".to_owned(),
        };
    }
    NO_PROGRAM.to_owned()
}

/// The machine that an ELF file is for, by its header (System V ABI, chapter 4).
fn machine(elf: &[u8]) -> Option<String> {
    const MACHINES: [(u16, &str); 9] = [
        (3, "x86"),
        (8, "mips"),
        (20, "powerpc"),
        (21, "powerpc64"),
        (22, "s390x"),
        (40, "arm"),
        (62, "x86_64"),
        (183, "aarch64"),
        (243, "riscv64"),
    ];
    const BIG_ENDIAN: u8 = 2;
    let (order, number) = (*elf.get(5)?, elf.get(18..20)?.try_into().ok()?);
    let number = if order == BIG_ENDIAN { u16::from_be_bytes(number) } else { u16::from_le_bytes(number) };
    let name = MACHINES.iter().find(|(known, _)| *known == number).map(|(_, name)| (*name).to_owned());
    Some(name.unwrap_or_else(|| format!("another machine (ELF number {number})")))
}

/// The library behind `stdbuf`, where the system has it: it makes C stdio write whole lines into a pipe, since a
/// forgotten flush is the most common beginner's fault.
fn line_buffering_library() -> Option<&'static str> {
    const PLACES: [&str; 3] = [
        "/usr/libexec/coreutils/libstdbuf.so",
        "/usr/lib/coreutils/libstdbuf.so",
        "/usr/lib/x86_64-linux-gnu/coreutils/libstdbuf.so",
    ];
    static FOUND: std::sync::OnceLock<Option<&'static str>> = std::sync::OnceLock::new();
    *FOUND.get_or_init(|| PLACES.into_iter().find(|place| Path::new(place).exists()))
}
