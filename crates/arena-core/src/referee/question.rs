//! What is sent to a player, independent of any protocol.

use serde_json::value::RawValue;

use crate::clock::{TimeControl, TimeLeft};
use crate::record::GameResult;
use crate::rules::{Legal, Move, Seat, State, Variant};

/// Legal moves are listed in a question up to this many.
pub const LEGAL_MOVES_MAX: u64 = 1_000;

/// A game begins.
#[derive(Debug, Clone, Copy)]
pub struct GameStart<'a> {
    /// The game.
    pub variant: &'a Variant,
    /// The player's seat.
    pub seat: Seat,
    /// The player's own seed for this game.
    pub seed: u64,
    /// The time control.
    pub clock: TimeControl,
}

/// A move is asked for: the position as the player may see it, and the time that is left.
///
/// It gives access to what the rules show this seat and to nothing else of the position.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    pub(super) state: &'a dyn State,
    pub(super) moves: Option<&'a [Move]>,
    /// [`State::legal_count`], counted once.
    pub(super) legal_count: u64,
    /// The seat on move.
    pub seat: Seat,
    /// Moves made so far, the opening included.
    pub ply: usize,
    /// One legal move, drawn from the game's seed.
    pub sample_move: Move,
    /// The player's time.
    pub time: TimeLeft,
}

impl Question<'_> {
    /// Whether the legal moves are listed: all are known, and they are at most [`LEGAL_MOVES_MAX`].
    #[must_use]
    pub fn lists_moves(&self) -> bool {
        self.state.legal() == Legal::Listed && self.legal_count <= LEGAL_MOVES_MAX
    }

    /// Every legal move, in the order of the rules, if they are [listed](Self::lists_moves).
    #[must_use]
    pub fn legal_moves(&self) -> Option<Vec<Move>> {
        self.lists_moves().then(|| self.state.legal_moves())
    }

    /// Appends the legal moves as a JSON list.
    pub fn write_legal_moves(&self, out: &mut Vec<u8>) {
        self.state.write_legal_moves(out);
    }

    /// Appends the position as this seat sees it, as one JSON object.
    pub fn write_view(&self, out: &mut Vec<u8>) {
        self.state.write_view(self.seat, out);
    }

    /// All moves made so far, the opening included; `None` where the rules hide some.
    #[must_use]
    pub fn moves(&self) -> Option<&[Move]> {
        self.moves
    }

    /// How the game began, in the words of engines, as [`State::engine_start`].
    #[must_use]
    pub fn engine_start(&self) -> Option<&str> {
        self.state.engine_start()
    }

    /// What a bot reads on this turn that speaks no protocol, as [`State::turn_lines`].
    #[must_use]
    pub fn turn_lines(&self) -> &[String] {
        self.state.turn_lines()
    }

    /// A move in the notation of the game, for protocols that have none of their own.
    #[must_use]
    pub fn notation(&self, played: &Move) -> String {
        self.state.notation(played)
    }
}

/// A game is over.
#[derive(Debug, Clone)]
pub struct GameEnd<'a> {
    /// The player's seat.
    pub seat: Seat,
    /// Who won; void before there is a verdict.
    pub result: GameResult,
    /// Why the game ended.
    pub reason: &'a str,
    /// All moves made, the opening included.
    pub moves: &'a [Move],
    /// Hidden information, now shown, as one JSON object.
    pub reveal: Option<Box<RawValue>>,
}

impl GameEnd<'_> {
    /// `win`, `loss`, `draw` or `void`, from the player's side.
    #[must_use]
    pub fn outcome(&self) -> &'static str {
        match self.result.winner() {
            Some(winner) if winner == self.seat => "win",
            Some(_) => "loss",
            None if self.result == GameResult::Void => "void",
            None => "draw",
        }
    }
}
