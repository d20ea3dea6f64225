//! What goes between a sitting and the thread that plays its games.

use std::time::Duration;

use arena_core::record::{Played, Record};
use arena_core::referee::Verdict;
use arena_core::rules::{Move, Seat};
use arena_play::player::Aftermath;
use arena_play::player::human::Input;
use arena_play::player::process::TappedLine;

/// A game to be played.
#[derive(Debug, Clone)]
pub struct Begin {
    /// Its number; its news have the same.
    pub number: u64,
    /// The index of the participant in each seat.
    pub seats: [usize; 2],
    /// Its seed.
    pub seed: u64,
    /// The moves that it begins with.
    pub opening: Vec<Move>,
    /// The seat on move after them.
    pub to_move: Seat,
    /// Whether it is another game, rather than the same one after moves were taken back or played again.
    pub is_new: bool,
}

/// News of a game.
#[derive(Debug)]
pub enum SittingNews {
    /// The player on move was asked.
    Asked {
        /// The number of the game.
        game: u64,
        /// The time for this move.
        limit: Duration,
    },
    /// The bot on move is not asked before [`Input::Step`].
    Waiting {
        /// The number of the game.
        game: u64,
    },
    /// A move was made.
    Moved {
        /// The number of the game.
        game: u64,
        /// Moves before it.
        ply: usize,
        /// The move.
        played: Move,
        /// What was measured.
        measured: Played,
    },
    /// The game is over.
    Ended {
        /// The number of the game.
        game: u64,
        /// How it ended.
        ended: Box<Ended>,
    },
    /// A hint, or why there is none.
    Hint {
        /// The number of the game.
        game: u64,
        /// Moves before it.
        ply: usize,
        /// The hint.
        hint: Result<Hint, String>,
    },
    /// A bot has written lines.
    Tapped {
        /// The index of its participant.
        participant: usize,
    },
}

impl SittingNews {
    /// The number of the game that they are of, if they are of one.
    #[must_use]
    pub const fn game(&self) -> Option<u64> {
        match self {
            Self::Asked { game, .. }
            | Self::Waiting { game }
            | Self::Moved { game, .. }
            | Self::Ended { game, .. }
            | Self::Hint { game, .. } => Some(*game),
            Self::Tapped { .. } => None,
        }
    }
}

/// How a game ended.
#[derive(Debug)]
pub struct Ended {
    /// The verdict.
    pub verdict: Verdict,
    /// What is known about the players, by seat.
    pub aftermath: [Aftermath; 2],
}

impl Ended {
    /// A game of which nothing else is known.
    #[must_use]
    pub fn stopped(verdict: Verdict) -> Self {
        Self { verdict, aftermath: Default::default() }
    }
}

/// What a bot would play.
#[derive(Debug, Clone, PartialEq)]
pub struct Hint {
    /// The move.
    pub played: Move,
    /// Its evaluation.
    pub eval: Option<f64>,
}

/// Carries out what a sitting asks for. Nothing here waits for a bot.
pub trait Runner {
    /// Stops the game that runs, if any, and begins this one.
    fn begin(&mut self, game: Begin);

    /// Gives an input to the game that runs.
    fn say(&mut self, input: Input);

    /// Whether bots wait for [`Input::Step`] before each move.
    fn pause(&mut self, is_paused: bool);

    /// Asks the bot for hints about the position after the opening.
    fn ask_hint(&mut self, position: Begin);

    /// Stops the game that runs and ends the processes of all bots; they are started again when they are needed.
    fn kill_bots(&mut self);

    /// Lines that the bot of this index has written, and how many were dropped before.
    fn lines(&mut self, participant: usize) -> (Vec<TappedLine>, usize);

    /// Saves a game, and returns the command that shows it. Reads and writes the journal.
    ///
    /// # Errors
    ///
    /// Returns why it could not be saved.
    fn save(&mut self, record: &Record) -> Result<String, String>;
}
