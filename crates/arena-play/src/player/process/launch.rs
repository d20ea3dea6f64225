//! Starting a bot: from an argument array, without a shell; it inherits only the three pipes.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arena_core::cause::Cause;
use arena_core::record::Status;
use arena_core::referee::Fault;
use arena_core::speech::{DialectOptions, Speech};
use arena_core::text::shown;
use arena_guard::{
    self as guard, GuardProgram, Guarded, Limits, Pipes, Readable, Request, SandboxMode, StartFailed, StartStage,
};
use arena_sys::flags::SANDBOX_OFF;
use arena_wire::protocol::{Dialect, JSON, Protocol, Terms};
use rustix::io::Errno;

use super::FileSnapshot;
use crate::player::Failure;
use crate::player::in_process::PlayerFactory;

/// Default time limit from the start of a process to its `hello`.
pub const STARTUP_DEFAULT: Duration = Duration::from_secs(10);

/// What is needed to start a bot.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "settings are independent of each other")]
pub struct Launch {
    /// Its name in the tournament.
    pub name: String,
    /// Its file, manifest or folder.
    pub path: PathBuf,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// How its author builds it, in its folder: shown if it does not start, and run by [`crate::check::build`] alone.
    pub build: Option<String>,
    /// Whether its build may use the network.
    pub build_network: bool,
    /// Where it runs.
    pub dir: PathBuf,
    /// Added to its environment.
    pub env: Vec<(String, String)>,
    /// Its protocol.
    pub protocol: &'static Protocol,
    /// Options that are set through that protocol.
    pub options: DialectOptions,
    /// Where each of its processes gets a private folder for temporary files (`HOME` and `TMPDIR`), removed with the process.
    pub scratch: PathBuf,
    /// The program that runs as its guard.
    pub guard: GuardProgram,
    /// Time limit from its start to its `hello`.
    pub startup: Duration,
    /// Whether every game gets a new process.
    pub fresh: bool,
    /// Its resource limits.
    pub limits: Limits,
    /// Its sandbox.
    pub sandbox: SandboxMode,
    /// Files it may read in a sandbox: see [`Launch::look_around`].
    pub readable: Readable,
    /// Folders that it may also list in a sandbox.
    pub listable: Vec<PathBuf>,
    /// The files in its fingerprint. It is not started once they have changed.
    pub files: Arc<[FileSnapshot]>,
    /// Whether it is stopped while it is not on move.
    pub freeze_idle: bool,
    /// Whether every move is charged the processor time of all its processes.
    pub count_all: bool,
    /// Set if objects of this program play instead of processes. Only the name matters then, unless it has a program too.
    pub in_process: Option<PlayerFactory>,
}

impl Launch {
    /// The command as a person would write it.
    #[must_use]
    pub fn command_line(&self) -> String {
        let mut words = vec![self.program.display().to_string()];
        words.extend(self.args.iter().map(|arg| arg.to_string_lossy().into_owned()));
        words.join(" ")
    }

    /// The conversation with a new process, whose secrets follow from `secret`.
    #[must_use]
    pub fn dialect(&self, secret: [u64; 2]) -> Box<dyn Dialect> {
        (self.protocol.dialect)(secret, &self.options, Terms::of_memory_mb(self.limits.memory_mb))
    }

    /// How it is spoken to, if it does not speak the arena's own protocol.
    #[must_use]
    pub fn speech(&self) -> Option<Speech> {
        (!std::ptr::eq(self.protocol, &raw const JSON)).then(|| Speech {
            protocol: self.protocol.name.to_owned(),
            version: self.protocol.version,
            options: self.options.clone(),
            memory_mb: self.limits.memory_mb,
        })
    }

    /// The request to the guard.
    fn request(&self, scratch: &Path) -> Request {
        let mut request = Request {
            args: self.args.clone(),
            limits: self.limits.clone(),
            sandbox: self.sandbox,
            readable: self.readable.clone(),
            listable: self.listable.iter().map(Into::into).collect(),
            ..Request::new(&self.program, &self.dir, scratch)
        };
        if let Some(library) = line_buffering_library() {
            request.set_env("LD_PRELOAD", library);
            request.set_env("_STDBUF_O", "L");
        }
        for (name, value) in &self.env {
            request.set_env(name, value);
        }
        request
    }

    /// Finds the files that it may read in a sandbox: those of its interpreter, within what a `stranger` may request, and
    /// its `own`, but none in `hidden` folders; and the `arena` binary, since a script may run a built-in strategy.
    /// Inspects many files; the result serves all its starts.
    pub fn look_around(&mut self, own: &[PathBuf], stranger: bool, hidden: &[PathBuf]) {
        let own: Vec<PathBuf> = own.iter().cloned().chain(self.guard.arena_file()).collect();
        self.readable = guard::readable(&self.program, &own, self.request(&self.scratch).env("PATH"), stranger, hidden);
    }

    /// Folders of its `PATH` that it may not read: see [`guard::closed_folders`].
    #[must_use]
    pub fn closed_folders(&self, stranger: bool) -> Vec<PathBuf> {
        guard::closed_folders(self.request(&self.scratch).env("PATH"), stranger)
    }

    /// The program or interpreter that it needs and may not read, if there is one: see [`guard::closed_program`]. Only
    /// after [`look_around`](Self::look_around).
    #[must_use]
    pub fn closed_program(&self) -> Option<PathBuf> {
        guard::closed_program(&self.program, self.request(&self.scratch).env("PATH"), &self.readable)
    }

    /// Why there is no program to start, and the cure, if that is known without starting it.
    #[must_use]
    pub fn missing_program(&self) -> Option<String> {
        let request = self.request(&self.scratch);
        if guard::is_there(&self.program, request.env("PATH")) {
            return None;
        }
        let name = shown(&self.program.to_string_lossy());
        Some(match std::fs::metadata(&self.program) {
            Ok(meta) if self.program.is_absolute() && meta.is_file() => {
                format!("its program {name} is not executable; chmod +x {name}")
            }
            _ if self.program.is_absolute() => format!("its program {name} does not exist; {}", self.cure("build it")),
            _ => format!("its program {name} is not in PATH; install it, or correct `command`"),
        })
    }

    /// The cure for a file of its command that does not exist: to build it, or what `otherwise` says where nothing tells how.
    pub(crate) fn cure(&self, otherwise: &str) -> String {
        let build = self.build.as_deref().map(|build| format!("build it (in its folder: {})", shown(build)));
        format!("{}, or correct `command`", build.as_deref().unwrap_or(otherwise))
    }

    /// How one of its files has changed, if one has. It is then a different bot.
    #[must_use]
    pub fn change(&self) -> Option<String> {
        self.files.iter().find_map(FileSnapshot::change)
    }

    /// Whether one of its files was written to or replaced, even if its content is the same.
    pub(super) fn is_touched(&self) -> bool {
        self.files.iter().any(FileSnapshot::is_touched)
    }

    /// Starts the process under a guard of its own.
    pub(crate) fn spawn(&self, scratch: &PrivateFolder) -> Result<(Guarded, Pipes), Failure> {
        guard::spawn(&self.guard, &self.request(&scratch.0)).map_err(|failed| self.explain(&failed))
    }

    fn explain(&self, failed: &StartFailed) -> Failure {
        if failed.is_ours() {
            return Failure::Void(format!("starting `{}`: {failed}", self.name));
        }
        let errno = Errno::from_raw_os_error(failed.errno);
        let is_program = std::fs::metadata(&self.program).is_ok_and(|meta| guard::is_executable(&meta));
        let (cause, why) = match (failed.stage, errno) {
            (StartStage::Folder, Errno::NOENT) => {
                let folder = shown(&self.dir.to_string_lossy());
                (Cause::BadFolder, format!("its folder {folder} does not exist"))
            }
            (StartStage::Folder, _) => (Cause::BadFolder, format!("its folder cannot be entered: {}", failed.detail)),
            (StartStage::Program, _) => (Cause::NoProgram, NO_SUCH_PROGRAM.to_owned()),
            (_, Errno::NOENT) => explain_not_found(self.first_bytes().as_deref()),
            (_, Errno::ACCESS) if self.sandbox != SandboxMode::Off && is_program => {
                let why = format!(
                    "the sandbox does not let it read its interpreter or loader; list its files under `files` in a \
                     manifest, or use {SANDBOX_OFF}"
                );
                (Cause::HiddenInterpreter, why)
            }
            (_, Errno::ACCESS) => (Cause::NotExecutable, "it is not an executable file (chmod +x)".to_owned()),
            (_, Errno::TXTBSY) => (Cause::FileBusy, "it is being written to by another program".to_owned()),
            (_, Errno::NOEXEC) => (Cause::NotAProgram, explain_no_program(self.first_bytes().as_deref())),
            _ => (Cause::CannotStart, failed.detail.clone()),
        };
        let build = if cause == Cause::NoProgram { self.build_hint("build it") } else { String::new() };
        let message = format!("cannot start {}: {why}{build}", shown(&self.program.to_string_lossy()));
        Fault::new(Status::StartupFailed, cause, message).into()
    }

    /// How it is built, if that is known, as the end of a sentence; `advice` says to do so.
    pub(super) fn build_hint(&self, advice: &str) -> String {
        let build = self.build.as_deref().map(shown);
        build.map_or_else(String::new, |build| format!("; {advice} in its folder: {build}"))
    }

    /// How its program begins. `None` if the file was put into the bot's folder after the snapshot: it may be a link to
    /// anything.
    fn first_bytes(&self) -> Option<Vec<u8>> {
        let known = self.files.iter().find(|file| file.path == self.program);
        let is_foreign = known.map_or(self.program.starts_with(&self.dir), FileSnapshot::is_touched);
        if is_foreign || self.program.is_relative() {
            return None;
        }
        let mut bytes = Vec::new();
        guard::open_foreign(&self.program).ok()?.take(256).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

/// Tells a missing interpreter from a missing program, by how the file begins: the kernel reports both alike.
fn explain_not_found(start: Option<&[u8]>) -> (Cause, String) {
    let line = start.and_then(|start| start.split(|byte| *byte == b'\n').next()).unwrap_or_default();
    if line.ends_with(b"\r") {
        (Cause::WindowsLineEnds, "its first line ends in CR LF; save it with Unix line ends".to_owned())
    } else if let Some(interpreter) = line.strip_prefix(b"#!") {
        let interpreter = shown(&String::from_utf8_lossy(interpreter));
        (Cause::NoInterpreter, format!("the interpreter named in its first line is missing: {interpreter}"))
    } else {
        (Cause::NoProgram, NO_SUCH_PROGRAM.to_owned())
    }
}

/// The private folder of one process, removed with its content.
#[derive(Debug)]
pub(crate) struct PrivateFolder(PathBuf);

impl PrivateFolder {
    pub(crate) fn create(launch: &Launch) -> Result<Self, Failure> {
        guard::make_folder(&launch.scratch, &launch.name).map(Self).map_err(|error| {
            let (name, place) = (&launch.name, launch.scratch.display());
            Failure::Void(format!("making a scratch folder for `{name}` in {place}: {error}"))
        })
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed does no harm: the next process gets another one.
        let _ = guard::remove_folder(&self.0, None);
    }
}

const NO_SUCH_PROGRAM: &str = "no such program";

/// Why the kernel does not run a file, by how it begins.
fn explain_no_program(start: Option<&[u8]>) -> String {
    let here = std::env::consts::ARCH;
    match start {
        Some([]) => "it is empty".to_owned(),
        Some([0xef, 0xbb, 0xbf, ..]) => "it begins with a byte order mark; save it as UTF-8 without one".to_owned(),
        Some(elf @ [0x7f, b'E', b'L', b'F', ..]) => match elf_machine(elf) {
            Some(machine) if machine != here => format!("it is a program for {machine}; this machine is {here}"),
            _ => "it is a damaged program, perhaps cut short; build it again".to_owned(),
        },
        _ => "it is not a program for this machine; a script needs a first line such as #!/usr/bin/env python3"
            .to_owned(),
    }
}

/// The machine that an ELF file is built for, from its header (System V ABI, chapter 4).
pub(crate) fn elf_machine(elf: &[u8]) -> Option<String> {
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

/// The library behind `stdbuf`, where the system has it: it makes C stdio line-buffered in pipes. A forgotten flush is the
/// most common beginner's mistake.
fn line_buffering_library() -> Option<&'static str> {
    const PLACES: [&str; 3] = [
        "/usr/libexec/coreutils/libstdbuf.so",
        "/usr/lib/coreutils/libstdbuf.so",
        "/usr/lib/x86_64-linux-gnu/coreutils/libstdbuf.so",
    ];
    PLACES.into_iter().find(|place| Path::new(place).exists())
}
