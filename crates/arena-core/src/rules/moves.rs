//! Moves, in the natural JSON of each game.

use std::fmt;

use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

/// A move as JSON: an integer or a list of integers. Equality is structural.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum Move {
    /// A column, a number of marbles, …
    Int(i64),
    /// A cell, a code, …
    List(Vec<i64>),
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = serde_json::to_string(self).map_err(|_| fmt::Error)?;
        f.write_str(&json)
    }
}

// Not `untagged`, which buffers the value and loses the reason for an error, such as a float 3.0 in place of 3.
impl<'de> Deserialize<'de> for Move {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MoveVisitor;

        impl<'de> Visitor<'de> for MoveVisitor {
            type Value = Move;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a move: an integer or a list of integers")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Move, E> {
                Ok(Move::Int(value))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Move, E> {
                i64::try_from(value)
                    .map(Move::Int)
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Move, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = seq.next_element()? {
                    values.push(value);
                }
                Ok(Move::List(values))
            }
        }

        deserializer.deserialize_any(MoveVisitor)
    }
}
