//! The rules of every game, as pure state machines.
//!
//! Rules know nothing of bots, time, files or the protocol. A game is one file with its [`Rules`] and a [`State`],
//! and one line in [`RULES`]; that of another program is [added](add) at run time. The command line, the schemas, the
//! referee, the tournament and the judge derive everything else from them. The property tests in `tests/it/rules_laws.rs`
//! check the contracts below for every registered game.
//!
//! # Examples
//!
//! ```
//! use arena_rules::rules::{Move, Seat, Variant, play};
//!
//! let variant: Variant = "connect4:rows=6,cols=9".parse()?;
//! let mut state = variant.start(0)?;
//! let moves = [4, 4, 3, 3, 5, 5, 6].map(Move::Int);
//! play(state.as_mut(), &moves).map_err(|(_, error)| error)?;
//!
//! let outcome = state.outcome().expect("four discs in a row");
//! assert_eq!((outcome.winner, outcome.reason), (Some(Seat::First), "line"));
//! assert_eq!(state.legal_count(), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Contracts
//!
//! - A move is legal if it is one of the legal moves. [`State::apply`] is only called with a legal move, so rules never
//!   parse untrusted text. Only rules that cannot list their moves ([`Legal::Sampled`]) get others, and judge them.
//! - Legal moves are distinct, and those of built-in games sorted. There is at least one until the game ends, and none
//!   afterwards.
//! - Only rules outside of this process fail ([`RulesFault`]): built-in ones neither refuse a legal move nor a seed.
//! - [`State::view`] is all that a seat may know. Nothing else derived from a state reaches a bot.
//! - A [`Picture`] is all that a person sees. Views draw it without knowing the game; on a board, the move of a cell is
//!   [`Board::move_at`].
//! - Every reason of an [`Outcome`] is one of [`Rules::reasons`].
//! - [`State::to_move`] says whose turn it is. Nothing else does: seats need not alternate, nor need the first one begin.
//! - The same parameters, seed and moves always give the same state. The seed is the only source of randomness.

mod connect4;
mod declared;
mod fault;
mod grid;
mod json;
mod known;
mod marbles;
mod mastermind;
mod mnk;
mod movers;
mod moves;
mod params;
mod picture;
mod play;
mod possible_codes;
mod schema;
mod seat;
mod segments;
mod setup;
mod variant;
mod winning_takes;

use std::fmt;

use serde_json::Map;
use serde_json::value::RawValue;

pub use declared::{
    DECLARED_PLIES_MAX, DeclaredKind, DeclaredParam, DeclaredRules, OPENING_PLIES_MAX, SEAT_NAME_MAX, is_seat_name,
};
pub use fault::{Refusal, RulesFault};
pub use known::{add, all, intern};
pub use movers::Movers;
pub use moves::{Move, PARTS_MAX, TEXT_BYTES_MAX};
pub use params::{Param, ParamError, ParamKind, ParamValue, Params};
pub use picture::{Board, Feedback, Guess, Guesses, Heap, Image, Picture, Viewer};
pub use play::{MoveError, illegal_move, play, step};
pub use possible_codes::{AnsweredGuess, PartialCode};
pub use schema::GameSchema;
pub use seat::Seat;
pub use segments::{SEGMENT_WIN, segment_worth, segments};
pub use setup::{BoardError, Mark, SetupError, StartResult, WinningLines};
pub use variant::{Alias, Variant, VariantError};
pub use winning_takes::winning_takes;

pub use crate::registry::NameTaken;
use json::write_json;

/// The built-in games, in the order in which they are listed. The first is played unless another is asked for.
pub static RULES: &[&Rules] = &[&connect4::CONNECT4, &mnk::MNK, &marbles::MARBLES, &mastermind::MASTERMIND];

/// How a game is written, for help.
pub const EXAMPLE: &str = "connect4:rows=6,cols=9";

/// What the sides are called where rules do not say otherwise, or are not known.
pub const MARKS: [&str; 2] = ["X", "O"];

/// Maximum number of moves of any game. It limits what is read of a stored game whose rules are not known.
pub const PLIES_MAX: usize = 1_000_000;

/// The rules of one kind of game, with all words that are said of it.
///
/// Those of a program's own game are `Rules { params: …, ..Rules::new(…) }`, made known with [`add`]. Fields may be added,
/// with defaults in [`Rules::new`].
pub struct Rules {
    /// Name on the command line, in the protocol and in files.
    pub name: &'static str,
    /// One-line description.
    pub summary: &'static str,
    /// What a move is called in a sentence: a column, a guess.
    pub one_move: &'static str,
    /// What the sides are called, by seat.
    pub sides: [&'static str; 2],
    /// Every reason that an [`Outcome`] can have.
    pub reasons: &'static [EndReason],
    /// Version of the rules, part of every game's identity. Incremented whenever the same moves could have another
    /// result.
    pub version: u32,
    /// The parameters with defaults and ranges, in display order.
    pub params: &'static [Param],
    /// Alternative names for these rules with particular parameters.
    pub aliases: &'static [Alias],
    /// Whether both seats see everything, so that the moves alone determine the position.
    pub open_information: bool,
    /// Where positions are computed.
    pub home: RulesHome,
    /// Further protocols of bots that its positions are written for: of engines, which know the game and whose words its
    /// moves are ([`State::engine_start`]), or of plain lines ([`State::turn_lines`]).
    pub protocols: &'static [&'static str],
    /// Whether moves may hold text. Of other games, a bot that sends a string breaks the protocol.
    pub text_moves: bool,
    /// Suitable number of random plies for an opening with these parameters; 0 for none.
    pub opening_plies: fn(&Params) -> usize,
    /// Maximum number of moves of a game with these parameters, at most [`PLIES_MAX`]: every game ends by then.
    pub plies_max: fn(&Params) -> usize,
    /// JSON Schemas of its parts of messages.
    pub game_schema: fn() -> GameSchema,
    /// The position before the first move, from the parameters and the seed.
    pub start: StartRule,
    /// Reads the rows of a board, or sets up the empty one; the mark moves first. `None` if there are no boards.
    pub from_board: Option<FromBoard>,
    /// Positions described by numbers with names, if there are such.
    pub from_fields: Option<Fields>,
    /// The position before the first move with a given secret, if there is one.
    pub from_secret: Option<fn(&Params, &Move) -> StartResult>,
}

/// Sets up the position before the first move. The seed is its only source of randomness.
pub type StartRule = &'static (dyn Fn(&Params, u64) -> StartResult + Send + Sync);

/// Where the positions of a game are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RulesHome {
    /// In this process.
    Here,
    /// By a program: each position costs a message, so none is looked at for nothing.
    Program,
    /// By a program that this process does not have: no game can be started.
    Missing,
}

/// A reason for which a game ends, by its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndReason {
    /// The identifier, in [`Outcome::reason`] and in files.
    pub name: &'static str,
    /// The same in words, as in “four in a row”. `{NAME}` stands for the value of a parameter.
    pub words: &'static str,
    /// What it means, as a sentence.
    pub means: &'static str,
}

impl Rules {
    /// Rules of version 1 with open information, neither parameters nor openings, sides X and O, and any JSON as moves and
    /// views.
    #[must_use]
    pub const fn new(name: &'static str, summary: &'static str, start: StartRule) -> Self {
        Self {
            name,
            summary,
            one_move: "move",
            sides: MARKS,
            reasons: &[],
            version: 1,
            params: &[],
            aliases: &[],
            open_information: true,
            home: RulesHome::Here,
            protocols: &[],
            text_moves: false,
            opening_plies: |_| 0,
            plies_max: |_| PLIES_MAX,
            game_schema: GameSchema::any,
            start,
            from_board: None,
            from_fields: None,
            from_secret: None,
        }
    }

    /// Creates the position before the first move. `seed` is the only source of randomness.
    ///
    /// # Errors
    ///
    /// Returns [`SetupError`] if the parameters are inconsistent, although each is within its range.
    pub fn start(&self, params: &Params, seed: u64) -> StartResult {
        (self.start)(params, seed)
    }

    /// Whether they are a program's.
    #[must_use]
    pub fn is_external(&self) -> bool {
        self.home != RulesHome::Here
    }

    /// Whether they are those of a program that this process does not have.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.home == RulesHome::Missing
    }

    /// The name without `@HASH`, as people and bots see it.
    #[must_use]
    pub fn label(&self) -> &'static str {
        self.name.split_once('@').map_or(self.name, |(label, _)| label)
    }

    /// The label and the aliases.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.label()).chain(self.aliases.iter().map(|alias| alias.name))
    }

    /// What the seats are called in tables, if a program has named them.
    #[must_use]
    pub fn seat_names(&self) -> Option<[&'static str; 2]> {
        (self.is_external() && self.sides != MARKS).then_some(self.sides)
    }

    /// What the side in this seat is called.
    #[must_use]
    pub const fn side(&self, seat: Seat) -> &'static str {
        self.sides[seat.index()]
    }

    /// Creates the position shown by the `rows` of a board, or the empty board. `first` is the mark that moves first.
    ///
    /// # Errors
    ///
    /// Returns [`BoardError`] if no game can lead to the position, or if these rules do not support boards.
    pub fn start_from_board(
        &self,
        params: &Params,
        rows: Option<&[String]>,
        first: Mark,
    ) -> Result<Box<dyn State>, BoardError> {
        self.from_board.ok_or_else(|| self.no_board("a board"))?(params, rows, first)
    }

    /// Creates the position described by numbers with names, as in `{"heap":20,"last":3}`.
    ///
    /// # Errors
    ///
    /// Returns [`SetupError`] if a name or value is wrong, or if these rules do not support such positions.
    pub fn start_from_fields(&self, params: &Params, fields: &Map<String, serde_json::Value>) -> StartResult {
        let Some(Fields { start, .. }) = self.from_fields else { return Err(self.no_board("an object")) };
        start(params, fields)
    }

    fn no_board(&self, given: &str) -> SetupError {
        let cure = match (self.from_board, &self.from_fields) {
            (Some(_), _) => "its moves, or a list of rows".to_owned(),
            (_, Some(Fields { example, .. })) => format!("its moves, or an object such as {example}"),
            (None, None) => "its moves".to_owned(),
        };
        SetupError::new("no_board", format!("a game of {} cannot be judged from {given}; give {cure}", self.name))
    }

    /// Creates the start position with a given secret instead of a random one.
    ///
    /// # Errors
    ///
    /// Returns [`SetupError`] if the secret is invalid, or if these rules have none.
    pub fn start_with_secret(&self, params: &Params, secret: &Move) -> StartResult {
        let why = || format!("{} has no hidden code", self.name);
        self.from_secret.ok_or_else(|| SetupError::new("no_secret", why()))?(params, secret)
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules").field("name", &self.name).field("version", &self.version).finish_non_exhaustive()
    }
}

/// Reads the rows of a board, or sets up the empty one; the mark moves first.
pub type FromBoard = fn(&Params, Option<&[String]>, Mark) -> Result<Box<dyn State>, BoardError>;

/// Positions described by numbers with names.
#[derive(Debug, Clone, Copy)]
pub struct Fields {
    /// One of them, as JSON.
    pub example: &'static str,
    /// Sets one up.
    pub start: fn(&Params, &Map<String, serde_json::Value>) -> StartResult,
}

/// A position of one game.
pub trait State: fmt::Debug + Send {
    /// The seat to move; meaningless after the end of the game.
    fn to_move(&self) -> Seat;

    /// The winner and the reason, once the game is over.
    fn outcome(&self) -> Option<Outcome>;

    /// Number of legal moves that [`State::nth_legal`] gives: of all, or of a [sample](Legal::Sampled). It is 0 exactly when the
    /// game is over.
    fn legal_count(&self) -> u64;

    /// Whether these are all legal moves.
    fn legal(&self) -> Legal {
        Legal::Listed
    }

    /// Returns the legal move at `index`, in ascending order if the game is a built-in one.
    ///
    /// # Panics
    ///
    /// May panic if `index` is not below [`State::legal_count`].
    fn nth_legal(&self, index: u64) -> Move;

    /// Returns all legal moves, or the sample, in that order. The list may be large: check [`State::legal_count`] first.
    fn legal_moves(&self) -> Vec<Move> {
        (0..self.legal_count()).map(|index| self.nth_legal(index)).collect()
    }

    /// Whether `candidate` is legal; of a [sample](Legal::Sampled), whether it may be. The default is a binary search of the
    /// legal moves, which must be sorted.
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

    /// Plays a legal move, or where the rules only have a [sample](Legal::Sampled), any.
    ///
    /// # Errors
    ///
    /// Returns why it is not legal, or how the rules failed; the position is then as it was before. Built-in rules play every
    /// legal move.
    ///
    /// # Panics
    ///
    /// May panic if all legal moves are listed and the move is not one of them.
    fn apply(&mut self, played: &Move) -> Result<(), Refusal>;

    /// Appends all legal moves, in the order of [`State::nth_legal`], as a JSON list. The list may be large: check [`State::legal_count`] first.
    fn write_legal_moves(&self, out: &mut Vec<u8>) {
        write_json(&self.legal_moves(), out);
    }

    /// Appends everything that `seat` may know, as one JSON object without white space outside of strings: bots get it as it is.
    fn write_view(&self, seat: Seat, out: &mut Vec<u8>);

    /// Everything that `seat` may know, as one JSON object.
    ///
    /// # Panics
    ///
    /// Never: [`State::write_view`] appends valid JSON.
    fn view(&self, seat: Seat) -> Box<RawValue> {
        let mut view = Vec::new();
        self.write_view(seat, &mut view);
        let view = String::from_utf8(view).expect("JSON is UTF-8");
        RawValue::from_string(view).expect("a view is JSON")
    }

    /// How the game began, in the words of the `position` command of engines: `startpos`, or `fen` and a position. It is there
    /// where [`Rules::protocols`] names a protocol of engines.
    fn engine_start(&self) -> Option<&str> {
        None
    }

    /// The lines that a bot which speaks no protocol reads on this turn. They are there where [`Rules::protocols`] says so.
    fn turn_lines(&self) -> &[String] {
        &[]
    }

    /// Hidden information that both seats may see once the game is over, whether by the rules or for another reason.
    /// The caller checks that it is over.
    fn reveal(&self) -> Option<Box<RawValue>> {
        None
    }

    /// The winning lines on the board, for games that have one.
    fn lines(&self) -> Option<WinningLines> {
        None
    }

    /// The theoretical value of the position, as one JSON object whose fields depend on the game. Uses hidden information
    /// only as far as the seats know it.
    fn value(&self) -> Option<Box<RawValue>> {
        None
    }

    /// How far the game went: units used of all there are at its start, such as cells that are taken, or marbles. It never falls.
    /// `None` if these rules use nothing up.
    fn used_up(&self) -> Option<[usize; 2]> {
        None
    }

    /// The seat that can force a win within `plies` plies, if these rules can say so exactly and soon. The position is
    /// undecided.
    fn winner_within(&self, _plies: usize) -> Option<Seat> {
        None
    }

    /// Identity of the position: equal for two states exactly if they have the same possible futures. Unlike a view, it
    /// does not depend on the order of earlier moves.
    fn key(&self) -> Vec<u8>;

    /// The position as `viewer` may see it. Every view is drawn from this; none knows the rules.
    ///
    /// For [`Viewer::Seat`] and [`Viewer::Audience`] of an unfinished game, it contains nothing that [`State::view`] hides
    /// from that seat, or from any seat.
    fn picture(&self, viewer: Viewer) -> Picture;

    /// A move in the notation of people, for protocols that leave it to the game. It is unique among the legal moves.
    fn notation(&self, played: &Move) -> String {
        played.to_string()
    }

    /// The legal move that people call so, if these rules have names for moves.
    fn called(&self, _label: &str) -> Option<Move> {
        None
    }

    /// What people call a legal move, if these rules have names for moves. Not escaped.
    fn label(&self, _played: &Move) -> Option<String> {
        None
    }

    /// What each seat has scored, once the game is over and if the rules count it. For people: results do not depend on it.
    fn scores(&self) -> Option<[i64; 2]> {
        None
    }

    /// A hash of all that the rules have said in this game, if they are a program: what makes sure that they say the same again.
    fn answers(&self) -> Option<String> {
        None
    }

    /// Returns an independent copy.
    fn boxed_clone(&self) -> Box<dyn State>;
}

/// What is known of the legal moves of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Legal {
    /// All of them.
    Listed,
    /// Some of them. The rules judge all others when they are played.
    Sampled {
        /// How many there are in all, if the rules say so.
        count: Option<u64>,
    },
}

impl Clone for Box<dyn State> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// How a finished game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The winner; `None` for a draw.
    pub winner: Option<Seat>,
    /// The reason, as an identifier: one of [`Rules::reasons`].
    pub reason: &'static str,
}
