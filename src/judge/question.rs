//! A question as it is written, and the position it is about.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::rules::{Move, State, Variant};
use crate::suggest::UnknownName;
use crate::text::shown;

const FIELDS: [&str; 6] = ["game", "params", "moves", "board", "code", "seed"];

/// A question; which fields go together is settled by [`Question::position`].
#[derive(Default)]
pub(super) struct Question {
    game: Option<String>,
    params: Option<Params>,
    moves: Option<Vec<Move>>,
    board: Option<Vec<String>>,
    code: Option<Move>,
    seed: Option<Seed>,
}

impl Question {
    /// The position to start from and the moves to play from there, or what is wrong.
    pub(super) fn position(self) -> Result<(Box<dyn State>, Vec<Move>), String> {
        let game = self.game.ok_or("`game` is missing")?;
        let params = self.params.unwrap_or_default().0;
        let variant = Variant::from_json(&game, &params).map_err(|error| error.to_string())?;
        let (rules, params) = (variant.rules, &variant.params);
        let in_game = |error: crate::rules::SetupError| format!("game `{}`: {error}", variant.label);
        match (self.moves, self.board, self.code, self.seed) {
            (Some(_), Some(_), ..) => Err("give `moves` or `board`, not both".to_owned()),
            (None, None, ..) => Err("give `moves` (`[]` at the start) or `board`".to_owned()),
            (_, _, Some(_), Some(_)) => Err("give `code` or `seed`, not both".to_owned()),
            (None, Some(board), code, _) => {
                let state = rules.start_from_board(params, &board).map_err(in_game)?;
                match code {
                    Some(_) => Err("a board goes without a `code`".to_owned()),
                    None => Ok((state, Vec::new())),
                }
            }
            (Some(moves), None, Some(code), None) => {
                Ok((rules.start_with_secret(params, &code).map_err(in_game)?, moves))
            }
            (Some(_), None, None, None) if !rules.open_information() => {
                Err(format!("game `{}` has hidden information: give its `code`, or the game's `seed`", variant.label))
            }
            (Some(moves), None, None, seed) => Ok((variant.start(seed.map_or(0, |seed| seed.0)), moves)),
        }
    }
}

// By hand rather than derived: unknown fields get a suggestion.
impl<'de> Deserialize<'de> for Question {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct QuestionVisitor;

        impl<'de> Visitor<'de> for QuestionVisitor {
            type Value = Question;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "an object with the fields {}", FIELDS.join(", "))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Question, A::Error> {
                let mut question = Question::default();
                while let Some(name) = map.next_key::<String>()? {
                    match name.as_str() {
                        "game" => once("game", &mut question.game, &mut map)?,
                        "params" => once("params", &mut question.params, &mut map)?,
                        "moves" => once("moves", &mut question.moves, &mut map)?,
                        "board" => once("board", &mut question.board, &mut map)?,
                        "code" => once("code", &mut question.code, &mut map)?,
                        "seed" => once("seed", &mut question.seed, &mut map)?,
                        _ => return Err(A::Error::custom(UnknownName::new("field", &name, FIELDS))),
                    }
                }
                Ok(question)
            }
        }

        deserializer.deserialize_map(QuestionVisitor)
    }
}

/// Reads the value of a field that may come only once.
fn once<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    name: &'static str,
    slot: &mut Option<T>,
    map: &mut A,
) -> Result<(), A::Error> {
    match slot.replace(map.next_value()?) {
        None => Ok(()),
        Some(_) => Err(A::Error::duplicate_field(name)),
    }
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

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Params, A::Error> {
                let mut params = Map::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    let twice = format!("parameter `{}` is given twice", shown(&name));
                    if params.insert(name, value).is_some() {
                        return Err(A::Error::custom(twice));
                    }
                }
                Ok(Params(params))
            }
        }

        deserializer.deserialize_map(ParamsVisitor)
    }
}

/// A 64-bit seed: a decimal string as on the wire, or an integer.
struct Seed(u64);

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SeedVisitor;

        impl Visitor<'_> for SeedVisitor {
            type Value = Seed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a seed: a whole number from 0 to {}, as a decimal string or an integer", u64::MAX)
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Seed, E> {
                Ok(Seed(value))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Seed, E> {
                let digits = text.bytes().all(|byte| byte.is_ascii_digit());
                let parsed = text.parse().ok().filter(|_| digits);
                parsed
                    .map(Seed)
                    .ok_or_else(|| E::custom(format!("`{}` is not {}", shown(text), &self as &dyn serde::de::Expected)))
            }
        }

        deserializer.deserialize_any(SeedVisitor)
    }
}
