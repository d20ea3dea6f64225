//! A running program of rules: asked and answered over its pipes, under a [guard](arena_guard) as bots are.
//!
//! Everything blocks the calling thread, on whose processor the process runs, and has a time limit. A process that has failed
//! is killed at once, with everything that it started.

use std::sync::Arc;
use std::time::Duration;

use arena_guard::{Guarded, Limits};
use arena_sys::time::now;

use super::answer::Answer;
use super::broken::{Broken, Failing};
use super::hello::Hello;
use super::log::RulesLog;
use super::manifest::Program;
use super::messages::Request;
use super::wire::Wire;
use crate::player::Failure;
use crate::player::process::{PrivateFolder, describe};

/// Time limit for the exit of a process that closed its output, so that its exit status is known.
const EXIT_STATUS_LIMIT: Duration = Duration::from_millis(100);
/// Time limit for leaving.
const LEAVE_LIMIT: Duration = Duration::from_secs(1);

/// A process of rules. Dropping it kills it.
#[derive(Debug)]
pub struct Process {
    live: Live,
    hello: Hello,
    answer: Duration,
}

/// A process and its pipes.
#[derive(Debug)]
struct Live {
    // The first field, so that it is killed before anything else is cleaned up.
    guarded: Guarded,
    wire: Wire,
    limits: Limits,
    has_failed: bool,
    _scratch: PrivateFolder,
}

impl Process {
    /// Starts a process and asks for its `hello`.
    ///
    /// # Errors
    ///
    /// Returns why there is no process, or no valid `hello`.
    pub fn start(program: &Program, log: &Arc<RulesLog>) -> Result<Self, Box<Broken>> {
        check_files(program)?;
        let mut live = Live::spawn(program, log)?;
        let mut hello = None;
        let asked = live.ask(&[Request::Hello], program.launch.startup, |answer| hello = Some(answer));
        // Files that were replaced meanwhile may be what was run, whatever it says.
        check_files(program)?;
        asked.map_err(|broken| program.explain_denied(broken))?;
        match hello {
            Some(Answer::Hello(hello)) => Ok(Self { live, hello: *hello, answer: program.answer }),
            _ => Err(Broken::new(Failing::Arena, "an answer of the wrong kind was taken for a hello")),
        }
    }

    /// Starts another process of a program that has said `hello` before.
    ///
    /// # Errors
    ///
    /// Returns why there is no process, or that it says something else.
    pub fn start_again(program: &Program, hello: &Hello, log: &Arc<RulesLog>) -> Result<Self, Box<Broken>> {
        let process = Self::start(program, log)?;
        if process.hello == *hello {
            return Ok(process);
        }
        Err(Broken::new(Failing::Changed, "the program says another hello than its first process"))
    }

    /// Notes in the log why it is ended.
    pub(super) fn note(&self, why: &str) {
        self.live.wire.note(why);
    }

    /// What it said of its rules.
    #[must_use]
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    ///
    /// Returns how the process failed. It is killed then, and nothing more can be asked.
    pub fn ask(&mut self, request: &Request<'_>) -> Result<Answer, Box<Broken>> {
        let mut answer = None;
        self.live.ask(std::slice::from_ref(request), self.answer, |next| answer = Some(next))?;
        answer.ok_or_else(|| Broken::new(Failing::Arena, "an answer was lost"))
    }

    /// Asks all of `requests`, up to 32 KiB ahead of the answers, which `take` gets in order.
    ///
    /// # Errors
    ///
    /// Returns how the process failed, after `take` has got the answers before that. It is killed then, and nothing more can
    /// be asked.
    pub fn ask_all(&mut self, requests: &[Request<'_>], take: impl FnMut(Answer)) -> Result<(), Box<Broken>> {
        self.live.ask(requests, self.answer, take)
    }

    /// Says `quit`, waits at most a second for the exit, and removes what is left. Returns whether it exited in time.
    #[must_use]
    pub fn leave(mut self) -> bool {
        let Live { guarded, wire, .. } = &mut self.live;
        let deadline = now() + LEAVE_LIMIT;
        wire.quit();
        wire.drain(LEAVE_LIMIT);
        let exited = guarded.wait_exited(deadline.saturating_duration_since(now())).is_some();
        guarded.kill();
        wire.finish();
        exited
    }
}

/// Fails if the files of the program have changed.
fn check_files(program: &Program) -> Result<(), Box<Broken>> {
    program.launch.change().map_or(Ok(()), |change| Err(Broken::new(Failing::Changed, change)))
}

impl Live {
    fn spawn(program: &Program, log: &Arc<RulesLog>) -> Result<Self, Box<Broken>> {
        let launch = &program.launch;
        let failed = |failure| match failure {
            Failure::Fault(fault) => Broken::new(Failing::NotStarted, fault.evidence.message),
            Failure::Void(why) => Broken::new(Failing::Arena, why),
        };
        let scratch = PrivateFolder::create(launch).map_err(failed)?;
        let (guarded, pipes) = launch.spawn(&scratch).map_err(failed)?;
        let connecting = |error| Broken::new(Failing::Arena, format!("connecting to the rules: {error}"));
        let exited = guarded.exit_fd().map(|fd| fd.try_clone_to_owned()).transpose().map_err(connecting)?;
        let ends = [pipes.stdin, pipes.stdout, pipes.stderr];
        let wire = Wire::new(ends, exited, Arc::clone(log)).map_err(connecting)?;
        Ok(Self { guarded, wire, limits: launch.limits.clone(), has_failed: false, _scratch: scratch })
    }

    fn ask(
        &mut self,
        requests: &[Request<'_>],
        limit: Duration,
        mut take: impl FnMut(Answer),
    ) -> Result<(), Box<Broken>> {
        if self.has_failed {
            return Err(Broken::new(Failing::Ended, "the program has failed before"));
        }
        let mut answered = 0;
        let asked = self.wire.ask(requests, limit, |answer| {
            answered += 1;
            take(answer);
        });
        asked.map_err(|end| {
            self.has_failed = true;
            let ended = |guarded: &mut Guarded| {
                guarded.wait_exited(EXIT_STATUS_LIMIT).map(|exited| describe(exited, &self.limits).1)
            };
            let mut broken = self.wire.explain(end, requests.get(answered), limit, || ended(&mut self.guarded));
            if broken.how == Failing::Ended && self.guarded.has_lost_guard() {
                broken.how = Failing::Arena;
                "the guard of the rules was killed".clone_into(&mut broken.evidence.message);
            }
            self.guarded.kill();
            broken.evidence.stderr_tail = self.wire.finish();
            broken.add_stderr();
            self.wire.note(&broken.to_string());
            broken
        })
    }
}
