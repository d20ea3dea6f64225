//! A question as it is written, and the position it is about.

use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::rules::{Move, State, Variant};
use crate::suggest::UnknownName;
use crate::text::shown;

const FIELDS: [&str; 6] = ["game", "params", "moves", "board", "code", "seed"];

/// A question; which fields go together is settled by [`Question::position`].
#[derive(Deserialize)]
#[serde(expecting = "an object with the fields game, params, moves, board, code, seed")]
pub(super) struct Question {
    #[serde(default, deserialize_with = "given")]
    game: Option<String>,
    #[serde(default, deserialize_with = "given")]
    params: Option<Params>,
    #[serde(default, deserialize_with = "given")]
    moves: Option<Vec<Move>>,
    #[serde(default, deserialize_with = "given")]
    board: Option<Vec<String>>,
    #[serde(default, deserialize_with = "given")]
    code: Option<Move>,
    #[serde(default, deserialize_with = "given")]
    seed: Option<Seed>,
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

impl Question {
    /// The position to start from and the moves to play from there, or what is wrong.
    pub(super) fn position(self) -> Result<(Box<dyn State>, Vec<Move>), String> {
        if let Some(name) = self.unknown.keys().next() {
            return Err(UnknownName::new("field", name, FIELDS).to_string());
        }
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
            (Some(_), None, None, None) if !rules.open_information => {
                Err(format!("game `{}` has hidden information: give its `code`, or the game's `seed`", variant.label))
            }
            (Some(moves), None, None, seed) => Ok((variant.start(seed.map_or(0, |seed| seed.0)), moves)),
        }
    }
}

/// A field that is there has a value: `null` is none.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Parameters by name, each at most once.
#[derive(Default)]
struct Params(Map<String, Value>);

// By hand rather than derived: of a name that comes twice serde_json keeps the last value.
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
