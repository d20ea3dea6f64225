//! A question as it is written, and the position it is about.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::board::{AskedBoard, distinct};
use super::layout::{BoardLayout, first_mark, rows};
use super::mistake::Mistake;
use super::solution::SOLVE_NODES;
use crate::rules::{BoardError, Mark, Move, State, Variant, WinningLines};
use crate::suggest::UnknownName;
use crate::text::shown;

/// All fields of a question.
pub(super) const FIELDS: [&str; 12] =
    ["game", "params", "moves", "board", "layout", "first", "code", "seed", "legal", "value", "solve", "nodes"];

/// A question; [`Question::position`] checks which fields may be combined.
#[derive(Deserialize)]
#[serde(
    expecting = "an object with the fields game, params, moves, board, layout, first, code, seed, legal, value, solve, nodes"
)]
pub(super) struct JudgeQuestion {
    #[serde(default, deserialize_with = "given")]
    game: Option<String>,
    #[serde(default, deserialize_with = "given")]
    params: Option<AskedParams>,
    #[serde(default, deserialize_with = "given")]
    moves: Option<Vec<Move>>,
    #[serde(default, deserialize_with = "given", alias = "position")]
    board: Option<AskedBoard>,
    #[serde(default, deserialize_with = "given")]
    layout: Option<BoardLayout>,
    #[serde(default, deserialize_with = "given")]
    first: Option<First>,
    #[serde(default, deserialize_with = "given")]
    code: Option<Move>,
    #[serde(default, deserialize_with = "given")]
    seed: Option<Seed>,
    #[serde(default, deserialize_with = "given")]
    legal: Option<bool>,
    #[serde(default, deserialize_with = "given")]
    value: Option<bool>,
    #[serde(default, deserialize_with = "given")]
    solve: Option<bool>,
    #[serde(default, deserialize_with = "given")]
    nodes: Option<u64>,
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

/// What a question is about.
#[derive(Debug)]
pub struct AskedPosition {
    /// The game.
    pub variant: Variant,
    /// The position before the moves.
    pub state: Box<dyn State>,
    /// The moves from there.
    pub moves: Vec<Move>,
}

/// The error for a rejected question, with the facts about its board if it could be read.
pub(super) struct Refusal {
    pub(super) mistake: Mistake,
    pub(super) lines: Option<WinningLines>,
    pub(super) value: Option<Box<serde_json::value::RawValue>>,
}

impl From<Mistake> for Refusal {
    fn from(mistake: Mistake) -> Self {
        Self { mistake, lines: None, value: None }
    }
}

impl JudgeQuestion {
    /// Whether legal moves are listed in the answer.
    pub(super) fn wants_legal(&self) -> bool {
        self.legal.unwrap_or(true)
    }

    /// Whether the answer has the position's value.
    pub(super) fn wants_value(&self) -> bool {
        self.value.unwrap_or(false)
    }

    /// Whether the answer has the solution, and how many positions that may take.
    pub(super) fn wants_solution(&self) -> Option<u64> {
        self.solve.unwrap_or(false).then(|| self.nodes.unwrap_or(SOLVE_NODES))
    }

    /// The game, the start position and the moves to play from it, or the error.
    pub(super) fn position(self) -> Result<AskedPosition, Refusal> {
        if let Some(name) = self.unknown.keys().next() {
            return Err(Mistake::new("unknown_field", UnknownName::new("field", name, FIELDS).to_string()).into());
        }
        let game = self.game.ok_or_else(|| missing("`game` is missing".to_owned()))?;
        let params = self.params.unwrap_or_default().0;
        let variant = Variant::from_json(&game, &params).map_err(|error| Mistake::of_variant(&error))?;
        let (rules, params) = (variant.rules, &variant.params);
        let in_game = |error| Mistake::of_setup(variant.label, &error);
        if self.nodes.is_some() && self.solve != Some(true) {
            return Err(conflict("`nodes` needs `\"solve\":true`"));
        }
        if self.layout.is_some() && !matches!(self.board, Some(AskedBoard::Lines(_))) {
            return Err(conflict("`layout` needs a `board`"));
        }
        if self.code.is_some() && self.seed.is_some() {
            return Err(conflict("give `code` or `seed`, not both"));
        }
        if self.code.is_some() && (self.board.is_some() || self.first.is_some()) {
            return Err(conflict("a board cannot have a `code`; remove one of them"));
        }
        if self.moves.is_none() && self.board.is_none() {
            return Err(missing("give `moves` (`[]` at the start) or `board`".to_owned()).into());
        }
        let first = self.first.map(|First(mark)| mark);
        let state = match (self.board, first, self.code, self.seed) {
            (Some(AskedBoard::Lines(board)), ..) => {
                let rows = rows(&board, self.layout.unwrap_or_default());
                from_rows(&variant, &rows.map_err(|mistake| mistake.in_game(variant.label))?, first)?
            }
            (Some(AskedBoard::Fields(_)), Some(_), ..) => return Err(conflict("`first` needs a board with marks")),
            (Some(AskedBoard::Fields(fields)), None, ..) => {
                rules.start_from_fields(params, &fields).map_err(in_game)?
            }
            (None, Some(first), ..) => {
                rules.start_from_board(params, None, first).map_err(|error| on_board(&variant, error))?
            }
            (None, None, Some(code), _) => rules.start_with_secret(params, &code).map_err(in_game)?,
            (None, None, None, None) if !rules.open_information => {
                let label = variant.label;
                let message = format!("game `{label}` has hidden information: give its `code`, or the game's `seed`");
                return Err(missing(message).into());
            }
            (None, None, None, seed) => rules.start(params, seed.map_or(0, |Seed(seed)| seed)).map_err(in_game)?,
        };
        Ok(AskedPosition { variant, state, moves: self.moves.unwrap_or_default() })
    }
}

/// The position shown by rows; without `first`, `X` moves first.
fn from_rows(variant: &Variant, rows: &[String], first: Option<Mark>) -> Result<Box<dyn State>, Refusal> {
    let place = |mark| variant.rules.start_from_board(&variant.params, Some(rows), mark);
    place(first.unwrap_or(Mark::X)).map_err(|error| {
        let mut refusal = on_board(variant, error);
        let is_miscounted = |error: BoardError| error.source.code() == "bad_count";
        if refusal.mistake.code == "bad_count" && first.is_none() && !place(Mark::O).is_err_and(is_miscounted) {
            refusal.mistake.message.push_str("; if O moved first, give \"first\":\"O\"");
        }
        refusal
    })
}

fn on_board(variant: &Variant, BoardError { source, lines, value }: BoardError) -> Refusal {
    Refusal { mistake: Mistake::of_setup(variant.label, &source), lines, value }
}

/// Reads an optional field and rejects `null`.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

fn missing(message: String) -> Mistake {
    Mistake::new("missing_field", message)
}

fn conflict(message: &str) -> Refusal {
    Mistake::new("conflicting_fields", message).into()
}

/// The mark that moves first.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct First(Mark);

impl TryFrom<String> for First {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        first_mark(&text).map(Self)
    }
}

/// Parameters by name, each at most once.
#[derive(Default)]
struct AskedParams(Map<String, Value>);

impl<'de> Deserialize<'de> for AskedParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ParamsVisitor;

        impl<'de> Visitor<'de> for ParamsVisitor {
            type Value = AskedParams;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of parameters")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AskedParams, A::Error> {
                distinct(map, "parameter").map(AskedParams)
            }
        }

        deserializer.deserialize_map(ParamsVisitor)
    }
}

/// A 64-bit seed: a decimal string as in the protocol, or an integer.
#[derive(Deserialize)]
#[serde(try_from = "Value")]
struct Seed(u64);

impl TryFrom<Value> for Seed {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let seed = text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
        seed.map(Self).ok_or_else(|| {
            let text = shown(&text);
            format!("`{text}` is not a seed: a whole number from 0 to {}, as a decimal string or an integer", u64::MAX)
        })
    }
}
