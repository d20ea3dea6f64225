//! Tests of what this machine lets a bot do: the guard program is started as a bot, under guard and sandbox like any other,
//! and attempts what a bot must not do.
#![expect(clippy::unnecessary_wraps, reason = "some probes cannot fail, and what they end with has their type")]

mod attack;
mod attempt;
mod checks;
mod quota;
mod timing;

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

pub(super) use attempt::attempt;

use super::{Effective, GuardProgram, Guarded, Limits, Pipes, Request, SandboxMode, StartFailed, StartStage};

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// As it should be.
    Ok,
    /// The test could not be made.
    NotTested,
    /// Tournaments can be played, but strangers' bots could do harm, or times are unreliable.
    Weak,
    /// No tournament should be played here.
    Bad,
}

/// What one probe found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Name of the probe.
    pub name: &'static str,
    /// Its severity.
    pub level: Level,
    /// The result, in one sentence.
    pub says: String,
}

/// A severity with its sentence; an error if the probe could not be run.
type ProbeAnswer = Result<(Level, String), ProbeFailed>;
type ProbeFailed = Box<dyn std::error::Error>;

fn ok(says: impl Into<String>) -> ProbeAnswer {
    Ok((Level::Ok, says.into()))
}

fn weak(says: impl Into<String>) -> ProbeAnswer {
    Ok((Level::Weak, says.into()))
}

fn not_tested(says: impl Into<String>) -> ProbeAnswer {
    Ok((Level::NotTested, says.into()))
}

fn bad(says: impl Into<String>) -> ProbeAnswer {
    Ok((Level::Bad, says.into()))
}

/// The probe that comes first.
const KERNEL: &str = "kernel";

/// Runs all probes with this sandbox and with guards that are started from `guard`. `dir` is an empty folder, which the
/// caller removes.
#[must_use]
pub fn all(guard: &GuardProgram, sandbox: SandboxMode, dir: &Path) -> Vec<Finding> {
    some(guard, sandbox, dir, |_| true)
}

/// As [`all`], with only the probes of these names.
#[must_use]
pub fn some(
    guard: &GuardProgram,
    sandbox: SandboxMode,
    dir: &Path,
    is_wanted: impl Fn(&'static str) -> bool,
) -> Vec<Finding> {
    type Probe = fn(&Bench) -> ProbeAnswer;
    let probes: [(&'static str, Probe); 17] = [
        (KERNEL, checks::kernel),
        // Before the attacks, which take the processor from everything else.
        ("clock", timing::clock),
        ("start", timing::start),
        ("round trip", timing::round_trip),
        ("kill", checks::kill),
        ("orphans", checks::orphans),
        ("referee", checks::referee),
        ("files", checks::files),
        ("signals", checks::signals),
        ("memory", checks::memory),
        ("processes", checks::processes),
        ("network", checks::network),
        ("theft", attack::theft),
        ("fork bomb", attack::bomb),
        ("killed arena", attack::orphaned),
        ("namespaces", checks::namespaces),
        ("processes seen", checks::seen),
    ];
    let finding = |name, found: ProbeAnswer| {
        let failed = |error: ProbeFailed| (Level::Bad, format!("could not be tested: {error}"));
        let (level, says) = found.unwrap_or_else(failed);
        Finding { name, level, says }
    };
    match Bench::new(guard, sandbox, dir) {
        Ok(bench) => {
            let mut findings = Vec::new();
            for (name, probe) in probes.into_iter().filter(|(name, _)| is_wanted(name)) {
                findings.push(finding(name, probe(&bench)));
                // Every further probe would hang as well.
                if name == KERNEL && findings[0].level == Level::Bad {
                    break;
                }
            }
            findings
        }
        Err(error) => vec![finding("guard", Err(error.into()))],
    }
}

/// Result of starting a test bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeStart {
    /// The containment in force for it.
    pub effective: Effective,
    /// Whether its processes and their processor time are visible: not where `/proc` hides guards, which are not dumpable.
    pub is_seen: bool,
}

/// What the result of a [`try_start`] depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circumstances {
    /// What was tried, and on which machine: the sandbox and the guard program.
    pub subject: String,
    /// Everything, with the subject.
    pub all: String,
}

/// The circumstances of a [`try_start`] now. If they were the same before a trial that was passed with nothing missing and all
/// processes seen, that holds now too, except that a bot may fail to start: which is an error at every start. `None` if that
/// cannot be said here: see `circumstances` in `linux`.
#[must_use]
pub fn circumstances(guard: &GuardProgram, sandbox: SandboxMode) -> Option<Circumstances> {
    crate::circumstances(guard, sandbox)
}

/// Starts a test bot in this sandbox, with a guard that is started from `guard`.
///
/// # Errors
///
/// Returns the step of the start that failed.
pub fn try_start(guard: &GuardProgram, sandbox: SandboxMode, dir: &Path) -> Result<ProbeStart, StartFailed> {
    let bench = Bench::new(guard, sandbox, dir).map_err(StartFailed::at(StartStage::Guard, ""))?;
    let (bot, _pipes) = bench.spawn(&bench.request("echo"))?;
    Ok(ProbeStart { effective: bot.sandbox().clone(), is_seen: bot.family().inspect(|_| true).is_some() })
}

/// The environment of the probes.
struct Bench {
    guard: GuardProgram,
    sandbox: SandboxMode,
    program: PathBuf,
    scratch: PathBuf,
    /// A folder that no bot in a sandbox may read.
    hidden: PathBuf,
    readable: super::Readable,
}

impl Bench {
    fn new(guard: &GuardProgram, sandbox: SandboxMode, dir: &Path) -> io::Result<Self> {
        let program = guard.file().ok_or_else(|| io::Error::other("no guard program is given"))?;
        let hidden = dir.join("hidden");
        std::fs::create_dir_all(&hidden)?;
        std::fs::write(hidden.join("secret"), "secret")?;
        let path = std::env::var_os("PATH");
        let readable = super::readable(&program, &[], path.as_deref(), false, std::slice::from_ref(&hidden));
        Ok(Self { guard: guard.clone(), sandbox, program, scratch: dir.join("scratch"), hidden, readable })
    }

    /// A test bot with this order.
    fn request(&self, order: &str) -> Request {
        let mut request = Request::new(&self.program, Path::new("/"), &self.scratch);
        request.args = vec![super::COMMAND.into(), order.into()];
        request.sandbox = self.sandbox;
        request.readable = self.readable.clone();
        request.limits = Limits { memory_mb: 256, processes: 16, ..Limits::default() };
        request
    }

    fn spawn(&self, request: &Request) -> Result<(Guarded, Pipes), StartFailed> {
        super::spawn(&self.guard, request)
    }

    fn start(&self) -> Result<ProbeBot, ProbeFailed> {
        self.start_as(&self.request("attempt"))
    }

    fn start_as(&self, request: &Request) -> Result<ProbeBot, ProbeFailed> {
        let (bot, Pipes { stdin, stdout, stderr: _ }) = self.spawn(request)?;
        Ok(ProbeBot { bot, stdin: stdin.into(), stdout: io::BufReader::new(stdout.into()) })
    }
}

/// A test bot that carries out orders.
struct ProbeBot {
    bot: Guarded,
    stdin: std::fs::File,
    stdout: io::BufReader<std::fs::File>,
}

impl ProbeBot {
    /// Result of an order: an error with the bot's text if it was denied.
    fn attempt(&mut self, order: &str) -> io::Result<Result<(), String>> {
        self.stdin.write_all(format!("{order}\n").as_bytes())?;
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        Ok(match line.trim_end().split_once(' ') {
            None if line == "done\n" => Ok(()),
            Some(("denied", error)) => Err(error.to_owned()),
            _ => Err("the bot is gone".to_owned()),
        })
    }
}
