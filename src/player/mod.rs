//! Whoever fills a seat. Everything here blocks its thread: a running game is straight-line code, and every wait has a
//! deadline inside.

mod log;
pub mod process;
pub mod sample;

use std::time::Duration;

pub use log::LogLine;

use crate::record::Evidence;
use crate::referee::{Answer, Fault, GameEnd, GameStart, Question};

/// Why a player cannot begin a game.
#[derive(Debug)]
pub enum NotReady {
    /// The player's fault.
    Fault(Box<Fault>),
    /// Ours; says what failed.
    Void(String),
}

impl From<Fault> for NotReady {
    fn from(fault: Fault) -> Self {
        Self::Fault(Box::new(fault))
    }
}

/// Whoever fills a seat.
pub trait Player: Send {
    /// Gets ready for a game, starting whatever has to be started.
    ///
    /// # Errors
    ///
    /// Returns whose failure it is that the player is not ready.
    fn new_game(&mut self, game: &GameStart<'_>) -> Result<(), NotReady>;

    /// Asks for a move and waits for it, at most until the question's [deadline](crate::clock::TimeLeft::deadline).
    fn ask(&mut self, question: Question<'_>) -> Answer;

    /// Says that the game was lost by a fault of this player, also one that only the referee could see, such as an
    /// illegal move: adds what is known to the evidence, and lets the next game begin afresh. Comes before
    /// [`Player::game_over`].
    fn at_fault(&mut self, _evidence: &mut Evidence) {}

    /// Says how the game ended, and returns what is to be kept of it.
    fn game_over(&mut self, end: &GameEnd<'_>) -> Aftermath;
}

/// What a player leaves behind after a game.
#[derive(Debug, Default)]
pub struct Aftermath {
    /// Lines it wrote that were no reply.
    pub surplus_lines: u32,
    /// Processor time that it used while another bot was on move, since its last game.
    pub off_move: Duration,
    /// Processor time that it used in the game, where the system tells.
    pub cpu: Option<Duration>,
    /// Time that it took to start again after a fault.
    pub restart: Duration,
    /// Lines for its log: stderr, stray output, remarks of the referee.
    pub log: Vec<LogLine>,
}
