//! Moves, in the natural JSON of each game.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize};

/// Maximum length of a text in a move, in bytes.
pub const TEXT_BYTES_MAX: usize = 256;
/// Maximum number of members of a list that is not all integers.
pub const PARTS_MAX: usize = 256;
/// Maximum depth of lists in a move.
const DEPTH_MAX: usize = 4;

/// A move as JSON: an integer, a string, or a list of such. Equality is structural.
///
/// Reading one builds nothing beyond the limits on texts and lists, whoever wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum Move {
    /// A column, a number of marbles, …
    Int(i64),
    /// A list of integers only: a cell, a code, …
    List(Vec<i64>),
    /// A word: a square, a card, …
    Text(String),
    /// Any other list.
    Parts(Vec<Move>),
}

impl Move {
    /// Whether it holds text.
    #[must_use]
    pub fn has_text(&self) -> bool {
        match self {
            Self::Int(_) | Self::List(_) => false,
            Self::Text(_) => true,
            Self::Parts(parts) => parts.iter().any(Self::has_text),
        }
    }

    /// The move for people and tables: a plain word such as `c2c3` as it is, and JSON where that would not tell which move it is.
    #[must_use]
    pub fn plain(&self) -> String {
        match self {
            Self::Text(word) if is_plain(word) => word.clone(),
            _ => self.to_string(),
        }
    }

    /// Reads a move of a game without text: an integer or a list of integers.
    ///
    /// # Errors
    ///
    /// Returns an error for anything else.
    pub fn of_integers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        MoveSeed { forms: Forms::Integers, depth: 0 }.deserialize(deserializer)
    }

    fn of_parts(parts: Vec<Self>) -> Self {
        let integer = |part: &Self| if let Self::Int(integer) = part { Some(*integer) } else { None };
        parts.iter().map(integer).collect::<Option<_>>().map_or(Self::Parts(parts), Self::List)
    }
}

/// Whether a word can be taken for nothing else: no number, no list, no formula of a spreadsheet, and nothing that ends it.
fn is_plain(word: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || "+-*#=@.:/_".contains(c);
    word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word.chars().all(is_inner)
        && word.chars().any(|c| c.is_ascii_alphabetic())
        && serde_json::from_str::<serde_json::Value>(word).is_err()
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = serde_json::to_string(self).map_err(|_| fmt::Error)?;
        f.write_str(&json)
    }
}

impl<'de> Deserialize<'de> for Move {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        MoveSeed { forms: Forms::All, depth: 0 }.deserialize(deserializer)
    }
}

/// Which forms of moves are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Forms {
    All,
    /// An integer, or a list of any length of integers.
    Integers,
}

/// Reads a move inside of `depth` lists.
// Not `untagged`, which buffers the value and loses the reason for an error, such as a float 3.0 in place of 3.
#[derive(Clone, Copy)]
struct MoveSeed {
    forms: Forms,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for MoveSeed {
    type Value = Move;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Move, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for MoveSeed {
    type Value = Move;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.forms {
            Forms::Integers => "a move: an integer or a list of integers",
            Forms::All => "a move: an integer, a string, or a list of such",
        })
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Move, E> {
        Ok(Move::Int(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Move, E> {
        i64::try_from(value).map(Move::Int).map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Move, E> {
        if self.forms == Forms::Integers {
            return Err(E::invalid_type(Unexpected::Str(text), &self));
        }
        if text.len() > TEXT_BYTES_MAX {
            let why = format!("a text of {} bytes in a move; at most {TEXT_BYTES_MAX} are allowed", text.len());
            return Err(E::custom(why));
        }
        Ok(Move::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Move, A::Error> {
        if self.forms == Forms::Integers {
            let mut integers = Vec::new();
            while let Some(integer) = seq.next_element()? {
                integers.push(integer);
            }
            return Ok(Move::List(integers));
        }
        let inner = Self { depth: self.depth + 1, ..self };
        if inner.depth > DEPTH_MAX {
            return Err(de::Error::custom(format!("lists more than {DEPTH_MAX} deep in a move")));
        }
        let mut parts = Vec::new();
        while let Some(part) = seq.next_element_seed(inner)? {
            if parts.len() == PARTS_MAX {
                return Err(de::Error::custom(format!("a list of more than {PARTS_MAX} members in a move")));
            }
            parts.push(part);
        }
        Ok(Move::of_parts(parts))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(json: &str) -> Result<Move, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn the_form_of_a_move_follows_from_its_json() {
        assert_eq!(read("3"), Ok(Move::Int(3)));
        assert_eq!(read("[]"), Ok(Move::List(vec![])));
        assert_eq!(read("[1,-2]"), Ok(Move::List(vec![1, -2])));
        assert_eq!(read(r#""d3""#), Ok(Move::Text("d3".to_owned())));
        let parts = vec![Move::Int(1), Move::Text("x".to_owned()), Move::List(vec![2])];
        assert_eq!(read(r#"[1,"x",[2]]"#), Ok(Move::Parts(parts)));
        for wrong in ["null", "true", "1.0", r#"{"a":1}"#, "[1.5]", "[[{}]]"] {
            assert!(read(wrong).unwrap_err().contains("an integer, a string, or a list of such"), "{wrong}");
        }
    }

    #[test]
    fn nothing_beyond_the_limits_is_built() {
        let text = |bytes| format!("\"{}\"", "x".repeat(bytes));
        assert!(read(&text(TEXT_BYTES_MAX)).is_ok());
        assert!(read(&text(TEXT_BYTES_MAX + 1)).unwrap_err().contains("a text of 257 bytes"));
        let list = |members| format!("[{}]", vec!["1"; members].join(","));
        assert!(read(&list(PARTS_MAX)).is_ok());
        assert!(read(&list(PARTS_MAX + 1)).unwrap_err().contains("more than 256 members"));
        assert!(read("[[[[1]]]]").is_ok());
        assert!(read("[[[[[1]]]]]").unwrap_err().contains("more than 4 deep"));
    }

    #[test]
    fn a_game_without_text_reads_integers_only() {
        let read = |json: &str| {
            let mut deserializer = serde_json::Deserializer::from_str(json);
            Move::of_integers(&mut deserializer).map_err(|error| error.to_string())
        };
        assert_eq!(read(&format!("[{}1]", "1,".repeat(999))).map(|played| played.to_string().len()), Ok(2_001));
        for wrong in [r#""3""#, r#"["3"]"#, "[[3]]", "3.0"] {
            let error = read(wrong).unwrap_err();
            assert!(error.starts_with("invalid type: "), "{error}");
        }
        assert!(read(r#""3""#).unwrap_err().contains("a move: an integer or a list of integers"));
    }

    pub(super) fn some_move() -> impl Strategy<Value = Move> {
        let leaf = prop_oneof![any::<i64>().prop_map(Move::Int), ".{0,8}".prop_map(Move::Text)];
        leaf.prop_recursive(3, 16, 4, |inner| proptest::collection::vec(inner, 0..4).prop_map(Move::of_parts))
    }

    proptest! {
        #[test]
        fn a_move_is_read_back_as_it_was_written(played in some_move()) {
            prop_assert_eq!(read(&played.to_string()), Ok(played));
        }
    }
}
