//! How a bot is started: an argument array, no shell, nothing inherited but the three pipes.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::io::Errno;

use crate::player::NotReady;
use crate::record::Status;
use crate::referee::Fault;

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
    /// Its private folder for temporary files; `HOME` and `TMPDIR`.
    pub scratch: PathBuf,
    /// Time from its start to its `hello`.
    pub startup: Duration,
    /// Whether every game gets a new process.
    pub fresh: bool,
}

impl Launch {
    /// The command as a person would write it.
    #[must_use]
    pub fn command_line(&self) -> String {
        let mut words = vec![self.program.display().to_string()];
        words.extend(self.args.iter().map(|arg| arg.to_string_lossy().into_owned()));
        words.join(" ")
    }

    /// Starts the process in a group of its own.
    ///
    /// `Command` without `pre_exec` stays on `posix_spawn`, whose cost does not grow with our memory.
    pub(super) fn spawn(&self) -> Result<Child, NotReady> {
        std::fs::create_dir_all(&self.scratch)
            .map_err(|error| NotReady::Void(format!("creating scratch folder {}: {error}", self.scratch.display())))?;
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .current_dir(&self.dir)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into()))
            .env("LANG", "C.UTF-8")
            .env("HOME", &self.scratch)
            .env("TMPDIR", &self.scratch)
            .env("PYTHONUNBUFFERED", "1")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        if let Some(library) = line_buffering_library() {
            command.env("LD_PRELOAD", library).env("_STDBUF_O", "L");
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        self.retry_while_busy(&mut command)
    }

    /// A program that was written a moment ago may still be open for writing somewhere.
    fn retry_while_busy(&self, command: &mut Command) -> Result<Child, NotReady> {
        const TRIES: u32 = 5;
        const PAUSE: rustix::event::Timespec = rustix::event::Timespec { tv_sec: 0, tv_nsec: 10_000_000 };
        let mut last = io::Error::from(io::ErrorKind::Other);
        for _ in 0..TRIES {
            match command.spawn() {
                Ok(child) => return Ok(child),
                Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => last = error,
                Err(error) => return Err(self.spawn_failed(&error)),
            }
            // A failed pause only makes the next try come sooner.
            let _ = rustix::event::poll(&mut [], Some(&PAUSE));
        }
        Err(self.spawn_failed(&last))
    }

    fn spawn_failed(&self, error: &io::Error) -> NotReady {
        let ours = [Errno::AGAIN, Errno::MFILE, Errno::NFILE, Errno::NOMEM];
        if Errno::from_io_error(error).is_some_and(|errno| ours.contains(&errno)) {
            return NotReady::Void(format!("starting bot `{}`: {error}", self.name));
        }
        let program = self.program.display();
        let why = match error.kind() {
            io::ErrorKind::NotFound => self.explain_not_found(),
            io::ErrorKind::PermissionDenied => "it is not an executable file (chmod +x)".to_owned(),
            io::ErrorKind::ExecutableFileBusy => "it is being written to by another program".to_owned(),
            _ if Errno::from_io_error(error) == Some(Errno::NOEXEC) => {
                "it is no program for this machine; a script needs a first line such as #!/usr/bin/env python3"
                    .to_owned()
            }
            _ => error.to_string(),
        };
        NotReady::Fault(Fault::new(Status::StartupFailed, format!("cannot start {program}: {why}")))
    }

    /// The kernel says the same of a missing program, a missing folder and a missing interpreter.
    fn explain_not_found(&self) -> String {
        if !self.dir.is_dir() {
            return format!("its folder {} does not exist", self.dir.display());
        }
        match first_line(&self.program) {
            Some(line) if line.ends_with('\r') => {
                "its first line ends in CR LF; save it with Unix line ends".to_owned()
            }
            Some(line) if line.starts_with("#!") => {
                format!("the interpreter named in its first line is missing: {}", crate::text::shown(&line[2..]))
            }
            _ => "no such program".to_owned(),
        }
    }
}

fn first_line(path: &Path) -> Option<String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(256).read_to_end(&mut bytes).ok()?;
    let line = bytes.split(|byte| *byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).into_owned())
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
