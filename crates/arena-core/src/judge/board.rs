//! Positions as written in a question: rows, columns, or numbers with names.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::text::shown;

/// A position as written in a question.
pub(super) enum AskedBoard {
    /// Rows, or columns.
    Lines(Vec<String>),
    /// Numbers with names.
    Fields(Map<String, Value>),
}

// Not `untagged`, which would lose the reason for an error.
impl<'de> Deserialize<'de> for AskedBoard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BoardVisitor;

        impl<'de> Visitor<'de> for BoardVisitor {
            type Value = AskedBoard;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of rows, or an object for games without a board")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<AskedBoard, A::Error> {
                let mut lines = Vec::new();
                while let Some(AskedLine(line)) = seq.next_element()? {
                    lines.push(line);
                }
                Ok(AskedBoard::Lines(lines))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AskedBoard, A::Error> {
                distinct(map, "field").map(AskedBoard::Fields)
            }
        }

        deserializer.deserialize_any(BoardVisitor)
    }
}

/// A row or column: a string, or a list of cells.
struct AskedLine(String);

impl<'de> Deserialize<'de> for AskedLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LineVisitor;

        impl<'de> Visitor<'de> for LineVisitor {
            type Value = AskedLine;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of cells")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<AskedLine, E> {
                Ok(AskedLine(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<AskedLine, A::Error> {
                let mut line = String::new();
                while let Some(cell) = seq.next_element::<Value>()? {
                    line.push_str(&cell_text(&cell).map_err(A::Error::custom)?);
                }
                Ok(AskedLine(line))
            }
        }

        deserializer.deserialize_any(LineVisitor)
    }
}

/// Characters of a row given as a list of cells.
fn cell_text(cell: &Value) -> Result<Cow<'_, str>, String> {
    match cell {
        Value::Null => Ok(Cow::Borrowed(".")),
        Value::String(text) if text.chars().count() == 1 => Ok(Cow::Borrowed(text)),
        Value::Number(number) if (1..=9).contains(&number.as_u64().unwrap_or(0)) => Ok(Cow::Owned(number.to_string())),
        other => Err(format!(
            "{} is not a cell; a cell is one character, the number of a tile from 1 to 9, or null",
            shown(&other.to_string())
        )),
    }
}

/// The entries of `map`; an error if a name is repeated.
// Not derived: serde_json keeps the last value of a repeated name.
pub(super) fn distinct<'de, A: MapAccess<'de>>(mut map: A, kind: &str) -> Result<Map<String, Value>, A::Error> {
    let mut entries = Map::new();
    while let Some((name, value)) = map.next_entry::<String, Value>()? {
        let twice = format!("{kind} `{}` is given twice", shown(&name));
        if entries.insert(name, value).is_some() {
            return Err(A::Error::custom(twice));
        }
    }
    Ok(entries)
}
