//! A game whose rules are a program of this machine.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arena_core::event::GameProgram;
use arena_core::record::Record;

use super::broken::Broken;
use super::hello::Hello;
use super::log::RulesLog;
use super::manifest::Program;
use super::messages::requests;
use super::process::Process;
use super::reasons::Reasons;

/// Positions that a program may fail to show.
const FAILED_SHOWS_MAX: u32 = 3;

/// A game whose rules are a program of this machine. It lives as long as this process.
#[derive(Debug)]
pub struct ProgramGame {
    /// Its name: `GAME@HASH`.
    pub name: String,
    /// How the program is started.
    pub program: Program,
    /// What it says of itself.
    pub hello: Hello,
    pub(super) reasons: Reasons,
    /// How often it has failed to show a position.
    failed_shows: AtomicU32,
    log: Mutex<Arc<RulesLog>>,
}

impl ProgramGame {
    pub(super) fn new(name: String, program: Program, hello: Hello, log: Arc<RulesLog>) -> Self {
        Self {
            name,
            program,
            hello,
            reasons: Reasons::default(),
            failed_shows: AtomicU32::new(0),
            log: Mutex::new(log),
        }
    }

    /// Starts another process of it.
    pub(super) fn start(&self) -> Result<Process, Box<Broken>> {
        Process::start_again(&self.program, &self.hello, &self.log())
    }

    /// Whether it shows positions. One that has failed to a few times is no longer asked: each may cost the time of an answer.
    pub(super) fn may_show(&self) -> bool {
        self.hello.shows && self.failed_shows.load(Ordering::Relaxed) < FAILED_SHOWS_MAX
    }

    pub(super) fn note_failed_show(&self) {
        self.failed_shows.fetch_add(1, Ordering::Relaxed);
    }

    /// Where its processes log.
    #[must_use]
    pub fn log(&self) -> Arc<RulesLog> {
        Arc::clone(&self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lets processes that are started from now on log here.
    pub fn log_to(&self, log: RulesLog) {
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(log);
    }

    /// What an event keeps of it.
    #[must_use]
    pub fn described(&self) -> GameProgram {
        GameProgram { path: self.program.path.to_string_lossy().into_owned(), rules: self.hello.declared() }
    }

    /// All that a process is asked in a game, to the move on which the rules failed: what reproduces the fault.
    #[must_use]
    pub fn requests(record: &Record) -> String {
        let fault = record.rules_fault.as_ref();
        // A fault in the opening comes before all of its moves are played.
        let ply = fault.map_or(record.moves.len(), |fault| fault.ply.unwrap_or(0));
        let fatal = fault.and_then(|fault| fault.played.clone());
        let moves: Vec<_> = record.moves.iter().take(ply).cloned().chain(fatal).collect();
        requests(&record.params, record.seed, &moves)
    }
}
