//! A question as it is written, and the position it is about.

use std::fmt;

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::layout::{Layout, cell_text, first_mark, rows};
use super::mistake::Mistake;
use crate::rules::{BoardError, Lines, Mark, Move, State, Variant};
use crate::suggest::UnknownName;
use crate::text::shown;

/// All fields of a question.
pub(super) const FIELDS: [&str; 10] =
    ["game", "params", "moves", "board", "layout", "first", "code", "seed", "legal", "value"];

/// A question; which fields go together is settled by [`Question::position`].
#[derive(Deserialize)]
#[serde(expecting = "an object with the fields game, params, moves, board, layout, first, code, seed, legal, value")]
pub(super) struct Question {
    #[serde(default, deserialize_with = "given")]
    game: Option<String>,
    #[serde(default, deserialize_with = "given")]
    params: Option<Params>,
    #[serde(default, deserialize_with = "given")]
    moves: Option<Vec<Move>>,
    #[serde(default, deserialize_with = "given", alias = "position")]
    board: Option<Board>,
    #[serde(default, deserialize_with = "given")]
    layout: Option<Layout>,
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
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

/// A rejected question, with the facts about its board if it could be read.
pub(super) struct Refusal {
    pub(super) mistake: Mistake,
    pub(super) lines: Option<Lines>,
    pub(super) value: Option<Box<serde_json::value::RawValue>>,
}

impl From<Mistake> for Refusal {
    fn from(mistake: Mistake) -> Self {
        Self { mistake, lines: None, value: None }
    }
}

impl Question {
    /// Whether legal moves are listed in the answer.
    pub(super) fn wants_legal(&self) -> bool {
        self.legal.unwrap_or(true)
    }

    /// Whether the answer has the position's value.
    pub(super) fn wants_value(&self) -> bool {
        self.value.unwrap_or(false)
    }

    /// The position to start from and the moves to play from there, or what is wrong.
    pub(super) fn position(self) -> Result<(Box<dyn State>, Vec<Move>), Refusal> {
        if let Some(name) = self.unknown.keys().next() {
            return Err(Mistake::new("unknown_field", UnknownName::new("field", name, FIELDS).to_string()).into());
        }
        let game = self.game.ok_or_else(|| missing("`game` is missing".to_owned()))?;
        let params = self.params.unwrap_or_default().0;
        let variant = Variant::from_json(&game, &params).map_err(|error| Mistake::of_variant(&error))?;
        let (rules, params) = (variant.rules, &variant.params);
        let in_game = |error| Mistake::of_setup(variant.label, &error);
        let on_board = |BoardError { source, lines, value }| Refusal { mistake: in_game(source), lines, value };
        let first = self.first.map(|First(mark)| mark);
        if self.layout.is_some() && !matches!(self.board, Some(Board::Lines(_))) {
            return Err(conflict("`layout` needs a `board`"));
        }
        let moves = match (self.moves, &self.board) {
            (None, None) => return Err(missing("give `moves` (`[]` at the start) or `board`".to_owned()).into()),
            (moves, _) => moves.unwrap_or_default(),
        };
        let state = match (self.board, self.code, self.seed) {
            (_, Some(_), Some(_)) => return Err(conflict("give `code` or `seed`, not both")),
            (Some(Board::Lines(board)), code, _) => {
                let rows = rows(&board, self.layout.unwrap_or_default());
                let rows = rows.map_err(|mistake| mistake.in_game(variant.label))?;
                let place = |mark| rules.start_from_board(params, Some(&rows), mark);
                let mut state = place(first.unwrap_or(Mark::X)).map_err(on_board);
                if let Err(Refusal { mistake, .. }) = &mut state
                    && mistake.code == "bad_count"
                    && first.is_none()
                    && place(Mark::O).err().is_none_or(|error| error.source.code() != mistake.code)
                {
                    mistake.message.push_str("; if O moved first, give \"first\":\"O\"");
                }
                let state = state?;
                without_code(code.as_ref(), state)?
            }
            (Some(Board::Fields(_)), ..) if first.is_some() => {
                return Err(conflict("`first` needs a board with marks"));
            }
            (Some(Board::Fields(fields)), code, _) => {
                without_code(code.as_ref(), rules.start_from_fields(params, &fields).map_err(in_game)?)?
            }
            (None, code, seed) => match (first, code) {
                (Some(_), Some(_)) => return Err(conflict("a board goes without a `code`")),
                (Some(first), None) => rules.start_from_board(params, None, first).map_err(on_board)?,
                (None, Some(code)) => rules.start_with_secret(params, &code).map_err(in_game)?,
                (None, None) => match seed {
                    None if !rules.open_information => return Err(needs_secret(variant.label)),
                    seed => variant.start(seed.map_or(0, |seed| seed.0)),
                },
            },
        };
        Ok((state, moves))
    }
}

/// A field that is there has a value: `null` is none.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

fn missing(message: String) -> Mistake {
    Mistake::new("missing_field", message)
}

fn conflict(message: &str) -> Refusal {
    Mistake::new("conflicting_fields", message).into()
}

fn needs_secret(game: &str) -> Refusal {
    missing(format!("game `{game}` has hidden information: give its `code`, or the game's `seed`")).into()
}

fn without_code(code: Option<&Move>, state: Box<dyn State>) -> Result<Box<dyn State>, Refusal> {
    if code.is_some() { Err(conflict("a board goes without a `code`")) } else { Ok(state) }
}

/// A position as it is written.
enum Board {
    /// Rows, or columns.
    Lines(Vec<String>),
    /// Numbers with names.
    Fields(Map<String, Value>),
}

// By hand rather than untagged, which would lose the reason for an error.
impl<'de> Deserialize<'de> for Board {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BoardVisitor;

        impl<'de> Visitor<'de> for BoardVisitor {
            type Value = Board;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of rows, or an object for games without a board")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Board, A::Error> {
                let mut lines = Vec::new();
                while let Some(Line(line)) = seq.next_element()? {
                    lines.push(line);
                }
                Ok(Board::Lines(lines))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Board, A::Error> {
                distinct(map, "field").map(Board::Fields)
            }
        }

        deserializer.deserialize_any(BoardVisitor)
    }
}

/// A row or column: a string, or a list of cells.
struct Line(String);

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LineVisitor;

        impl<'de> Visitor<'de> for LineVisitor {
            type Value = Line;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of cells")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Line, E> {
                Ok(Line(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Line, A::Error> {
                let mut line = String::new();
                while let Some(cell) = seq.next_element::<Value>()? {
                    line.push_str(&cell_text(&cell).map_err(A::Error::custom)?);
                }
                Ok(Line(line))
            }
        }

        deserializer.deserialize_any(LineVisitor)
    }
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

/// The entries of `map`; an error if a name comes twice.
// By hand: of a name that comes twice serde_json keeps the last value.
fn distinct<'de, A: MapAccess<'de>>(mut map: A, kind: &str) -> Result<Map<String, Value>, A::Error> {
    let mut entries = Map::new();
    while let Some((name, value)) = map.next_entry::<String, Value>()? {
        let twice = format!("{kind} `{}` is given twice", shown(&name));
        if entries.insert(name, value).is_some() {
            return Err(A::Error::custom(twice));
        }
    }
    Ok(entries)
}

/// Parameters by name, each at most once.
#[derive(Default)]
struct Params(Map<String, Value>);

impl<'de> Deserialize<'de> for Params {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ParamsVisitor;

        impl<'de> Visitor<'de> for ParamsVisitor {
            type Value = Params;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of parameters")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Params, A::Error> {
                distinct(map, "parameter").map(Params)
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
