//! Players. Everything here blocks its thread: a running game is straight-line code, and every wait has a deadline.

pub mod engine;
pub mod human;
pub mod in_process;
pub mod process;
pub mod sample;

use std::fmt;
use std::time::Duration;

use arena_core::cause::Surplus;
use arena_core::record::{DeniedCalls, Evidence, Record};
use arena_core::referee::{Answer, Fault, GameEnd, GameStart, Question, Reply};
use arena_wire::protocol::{COMMENT_CHARS_MAX, DEBUG_BYTES_MAX, FieldRemark};

/// Why a player did not do what it was asked for.
#[derive(Debug)]
pub enum Failure {
    /// The player's fault.
    Fault(Box<Fault>),
    /// Our own failure; says what failed.
    Void(String),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(Box::new(fault))
    }
}

/// One side of a game.
pub trait Player: Send {
    /// Gets ready for a game, and starts what has to be started.
    ///
    /// # Errors
    ///
    /// Returns why the player is not ready.
    fn new_game(&mut self, _game: &GameStart<'_>) -> Result<(), Failure> {
        Ok(())
    }

    /// Asks for a move and waits for it, at most until the question's [deadline](arena_core::clock::TimeLeft::deadline).
    fn ask(&mut self, question: Question<'_>) -> Answer;

    /// Called before [`Player::game_over`] if the game was lost by a fault of this player, also one that only the referee
    /// can see, such as an illegal move. Adds what is known to the evidence, and lets the next game begin afresh.
    fn at_fault(&mut self, _evidence: &mut Evidence) {}

    /// Called with the result; returns what is recorded about the player.
    fn game_over(&mut self, _end: &GameEnd<'_>) -> Aftermath {
        Aftermath::default()
    }
}

/// Drops or cuts optional fields that exceed their limits; says so in `log`.
fn limit_remarks(mut reply: Reply, log: &mut Vec<LogLine>) -> Reply {
    let mut note = |field, what: String| log.push(LogLine::Field(FieldRemark { field, what }));
    if let Some(eval) = reply.eval.take_if(|eval| !(-1.0..=1.0).contains(eval)) {
        note("eval", format!("{eval} dropped: it must be between -1 and 1"));
    }
    if let Some(debug) = reply.debug.take_if(|debug| debug.get().len() > DEBUG_BYTES_MAX) {
        note("debug", format!("of {} bytes dropped: at most {DEBUG_BYTES_MAX} are kept", debug.get().len()));
    }
    if let Some(comment) = &mut reply.comment
        && let Some((end, _)) = comment.char_indices().nth(COMMENT_CHARS_MAX)
    {
        note("comment", format!("of {} characters cut: {COMMENT_CHARS_MAX} are kept", comment.chars().count()));
        comment.truncate(end);
    }
    reply
}

/// What is known about a player after a game.
#[derive(Debug, Default)]
pub struct Aftermath {
    /// Number of lines that were not replies.
    pub surplus_lines: u32,
    /// System calls that its sandbox refused, since its last game.
    pub denied: DeniedCalls,
    /// Processor time that it used while another bot was on move, since its last game.
    pub off_move: Duration,
    /// Processor time that it used in the game, where the system tells.
    pub cpu: Option<Duration>,
    /// The machine gave it no processor, and the game was void because of that.
    pub was_starved: bool,
    /// Bots that did not play took the processor from it, and the game was void because of that.
    pub disturbed: Option<Disturbed>,
    /// Its process, or its guard, was ended or not let start by something else, and the game was void because of that.
    pub had_foreign_end: bool,
    /// Time of restarts after faults.
    pub restart: Duration,
    /// Lines for its log: stderr, stray output, remarks of the referee.
    pub log: Vec<LogLine>,
}

impl Aftermath {
    /// Notes in a game's record what is known of its players.
    pub fn note_in(aftermath: &[Self; 2], record: &mut Record) {
        record.surplus_lines = aftermath.each_ref().map(|after| after.surplus_lines);
        record.denied = aftermath.each_ref().map(|after| after.denied.clone());
        record.cpu_us = aftermath.each_ref().map(|after| after.cpu.map(|cpu| cpu.as_micros() as u64));
        record.off_move_us = aftermath.each_ref().map(|after| after.off_move.as_micros() as u64);
        record.restart_us = aftermath.each_ref().map(|after| after.restart.as_micros() as u64);
    }

    /// Notes calls that its sandbox has refused, in the log too.
    fn note_denied(&mut self, denied: DeniedCalls) {
        if !denied.is_empty() {
            self.log.push(LogLine::Remark(format!("denied: {denied}")));
        }
        self.denied += denied;
    }
}

/// How bots that did not play a game took the processor from one that did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disturbed {
    /// Processor time that the bot on move lacked.
    pub missing: Duration,
    /// The names of the bots that used it, and how much, those that used most first.
    pub by: Vec<(String, Duration)>,
}

/// One line of a bot's log; foreign text in it is escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogLine {
    /// From its stderr.
    Stderr(String),
    /// From its stderr, written after a game and before it was ready for the next.
    StderrBetweenGames(String),
    /// From its stdout, dropped because it is not a reply.
    Dropped(Surplus, String),
    /// From its stdout, a remark that its protocol allows.
    Chatter(String),
    /// Its process ended between two games; describes the end.
    EndedBetweenGames(String),
    /// A remark of the referee.
    Remark(String),
    /// A remark of the referee about an optional field that was dropped or changed.
    Field(FieldRemark),
}

impl fmt::Display for LogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stderr(line) => write!(f, "stderr: {line}"),
            Self::StderrBetweenGames(line) => write!(f, "stderr, between games: {line}"),
            Self::Dropped(kind, line) => write!(f, "{} stdout: {line}", kind.word()),
            Self::Chatter(line) => write!(f, "stdout: {line}"),
            Self::EndedBetweenGames(how) => {
                write!(f, "referee: between two games: {how}; a new process is started")
            }
            Self::Remark(text) => write!(f, "referee: {text}"),
            Self::Field(remark) => write!(f, "referee: {remark}"),
        }
    }
}
