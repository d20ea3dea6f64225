//! The rules of every game: pure state machines that know nothing of bots, time, files or the wire.
//!
//! A game is one file with a [`Rules`] and a [`State`], and one line in [`RULES`]. Everything else (command line,
//! schema, referee, tournament, judge) is derived from those. The laws every registered game must pass are property
//! tests in `tests/it/rules_laws.rs`; adding the line is what subjects a new game to them.
//!
//! **Contracts**
//! - Legality is membership in the legal moves. [`State::apply`] is only ever called with a legal move, so rules never
//!   parse untrusted text.
//! - Legal moves are sorted, distinct, and non-empty until the end; afterwards there are none.
//! - [`State::view`] is all that a seat may know. Nothing else derived from a state reaches a bot.
//! - Seats alternate strictly, the first seat moving first: [`Seat::after`] holds for every game.
//! - The same parameters, seed and moves always give the same state; the seed is the only source of chance.

mod connect4;
mod grid;
mod marbles;
mod mastermind;
mod mnk;
mod moves;
mod params;
mod variant;

use std::fmt;

use serde::Serialize;
use serde_json::value::RawValue;
use thiserror::Error;

pub(crate) use mastermind::COLORS_MAX;
pub use moves::Move;
pub use params::{Kind, Param, ParamError, Params, Value};
pub use variant::{Alias, Variant, VariantError};

use crate::text::shown;

/// Every game the arena can referee, in the order shown to people.
pub static RULES: &[&dyn Rules] = &[&connect4::Connect4, &mnk::Mnk, &marbles::Marbles, &mastermind::Mastermind];

/// The most moves that are ever written out in one list; larger sets are only counted and drawn from.
pub const LISTED_MOVES_MAX: u64 = 100_000;

/// The rules of one kind of game.
pub trait Rules: Sync {
    /// Name on the command line, on the wire and in files.
    fn name(&self) -> &'static str;

    /// One line for people.
    fn summary(&self) -> &'static str;

    /// Raised whenever the same moves could be judged differently; part of every game's identity.
    fn version(&self) -> u32;

    /// The parameters, with defaults and ranges, in the order they are shown.
    fn params(&self) -> &'static [Param];

    /// Other names for these rules with particular parameters.
    fn aliases(&self) -> &'static [Alias] {
        &[]
    }

    /// Whether both seats see everything, so that the moves alone give the position.
    fn open_information(&self) -> bool {
        true
    }

    /// How many random plies make good openings for these parameters; 0 for none.
    fn opening_plies(&self, params: &Params) -> usize;

    /// The position before the first move. `seed` is the only source of chance.
    ///
    /// # Errors
    ///
    /// Returns [`SetupError`] if the parameters, each within its range, do not fit together.
    fn start(&self, params: &Params, seed: u64) -> Result<Box<dyn State>, SetupError>;

    /// The position shown by `rows` of a board, or why no game can have led to it.
    ///
    /// # Errors
    ///
    /// Returns [`SetupError`] if the position is impossible, or if these rules cannot judge a board.
    fn start_from_board(&self, _params: &Params, _rows: &[String]) -> Result<Box<dyn State>, SetupError> {
        Err(SetupError::new(format!("a game of {} cannot be judged from a board; give its moves", self.name())))
    }

    /// The start with a given secret in place of a drawn one.
    ///
    /// # Errors
    ///
    /// Returns [`SetupError`] if the secret is not possible, or if these rules have none.
    fn start_with_secret(&self, _params: &Params, _secret: &Move) -> Result<Box<dyn State>, SetupError> {
        Err(SetupError::new(format!("{} has no hidden code", self.name())))
    }
}

/// A position of one game.
pub trait State: fmt::Debug + Send {
    /// Whose turn it is; of no meaning after the end.
    fn to_move(&self) -> Seat;

    /// Who won and why, once the game is over.
    fn outcome(&self) -> Option<Outcome>;

    /// How many moves are legal; 0 exactly when the game is over.
    fn legal_count(&self) -> u64;

    /// The legal move at `index` in ascending order.
    ///
    /// # Panics
    ///
    /// May panic if `index` is not below [`State::legal_count`].
    fn nth_legal(&self, index: u64) -> Move;

    /// All legal moves, ascending. Callers look at [`State::legal_count`] first: the list may be large.
    fn legal_moves(&self) -> Vec<Move> {
        (0..self.legal_count()).map(|index| self.nth_legal(index)).collect()
    }

    /// Whether `candidate` is among the legal moves. The default searches their ascending order.
    fn is_legal(&self, candidate: &Move) -> bool {
        let (mut low, mut high) = (0, self.legal_count());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.nth_legal(middle).cmp(candidate) {
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        false
    }

    /// Plays a legal move.
    ///
    /// # Panics
    ///
    /// May panic if the move is not legal.
    fn apply(&mut self, played: &Move);

    /// Appends all that `seat` may know, as one JSON object.
    fn write_view(&self, seat: Seat, out: &mut Vec<u8>);

    /// All that `seat` may know, as one JSON object.
    ///
    /// # Panics
    ///
    /// Never: what [`State::write_view`] appends is JSON.
    fn view(&self, seat: Seat) -> Box<RawValue> {
        let mut view = Vec::new();
        self.write_view(seat, &mut view);
        let view = String::from_utf8(view).expect("JSON is UTF-8");
        RawValue::from_string(view).expect("a view is JSON")
    }

    /// Hidden information that both sides may see once the game is over, by its rules or otherwise. That it is over is
    /// for whoever asks to know.
    fn reveal(&self) -> Option<Box<RawValue>> {
        None
    }

    /// Identity of the position: equal exactly when the same future is possible. Unlike a view it does not
    /// depend on the order of the moves that led here.
    fn key(&self) -> Vec<u8>;

    /// The position for people: coordinates shown, the last move marked, no trailing newline.
    fn render(&self) -> String;

    /// The position for a person who plays as `seat`: like [`State::render`], but with nothing that [`State::view`]
    /// keeps from that seat.
    fn render_for(&self, _seat: Seat) -> String {
        self.render()
    }

    /// A move as people write it, for protocols that leave that to the game; no two legal moves are written alike.
    fn notation(&self, played: &Move) -> String {
        played.to_string()
    }

    /// A copy that can be played on independently.
    fn boxed_clone(&self) -> Box<dyn State>;
}

impl Clone for Box<dyn State> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// One of the two places at the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Seat {
    /// Moves first; `X` on boards; 0 on the wire.
    First,
    /// Moves second; `O` on boards; 1 on the wire.
    Second,
}

impl Seat {
    /// Both seats, in order of play.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// 0 or 1: the number on the wire, and the index into per-seat arrays.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The opposite seat.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// The seat on move after `plies` strictly alternating moves.
    #[must_use]
    pub const fn after(plies: usize) -> Self {
        if plies.is_multiple_of(2) { Self::First } else { Self::Second }
    }

    /// `first` or `second`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a finished game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The winner; `None` for a draw.
    pub winner: Option<Seat>,
    /// Why, as a word for programs: `line`, `board_full`, `last_marble`, `code_broken`, …
    pub reason: &'static str,
}

/// A position that could not be set up, and why.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct SetupError {
    message: String,
}

impl SetupError {
    /// An error with a message for people.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// Appends a view as JSON.
fn write_json<T: Serialize>(value: &T, out: &mut Vec<u8>) {
    serde_json::to_writer(out, value).expect("numbers, strings and lists always serialise");
}

/// A reveal as JSON.
fn to_json<T: Serialize>(value: &T) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).expect("numbers, strings and lists always serialise")
}

/// Plays `moves` from `state`, checking each.
///
/// # Errors
///
/// Returns the index of the first move that is not legal, with a message; `state` then stands before that move.
pub fn play(state: &mut dyn State, moves: &[Move]) -> Result<(), (usize, String)> {
    moves.iter().enumerate().try_for_each(|(index, played)| step(state, played).map_err(|why| (index, why)))
}

/// Plays one move, if it is legal.
///
/// # Errors
///
/// Says why it is not; `state` is then as it was.
pub fn step(state: &mut dyn State, played: &Move) -> Result<(), String> {
    if let Some(outcome) = state.outcome() {
        let (played, reason) = (shown(&played.to_string()), outcome.reason);
        return Err(format!("move {played} comes after the end of the game ({reason})"));
    }
    if !state.is_legal(played) {
        return Err(illegal_move(state, played));
    }
    state.apply(played);
    Ok(())
}

/// Says why `played` is refused in `state`: which moves would have been legal, few enough to be shown whole.
#[must_use]
pub fn illegal_move(state: &dyn State, played: &Move) -> String {
    const CHARS_MAX: usize = 100;
    let count = state.legal_count();
    let mut legal = String::new();
    for index in 0..count {
        let separator = if index == 0 { "" } else { ", " };
        let next = format!("{separator}{}", state.nth_legal(index));
        if legal.len() + next.len() > CHARS_MAX {
            legal = format!("{legal}, … ({count} in all)");
            break;
        }
        legal.push_str(&next);
    }
    format!("move {} is not legal; legal: {legal}", shown(&played.to_string()))
}
