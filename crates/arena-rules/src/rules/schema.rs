//! JSON Schemas of the game-specific parts of messages and judgements.

use serde_json::{Map, Value, json};

use super::{ParamKind, Rules};

/// JSON Schemas of one game, declared by its rules.
#[derive(Debug)]
pub struct GameSchema {
    /// A move.
    pub played: Value,
    /// What a seat may see of a position: [`State::view`](super::State::view).
    pub state: Value,
    /// Hidden information, shown at the end: [`State::reveal`](super::State::reveal).
    pub reveal: Option<Value>,
    /// A position described by numbers with names: [`Rules::start_from_fields`].
    pub given: Option<Value>,
    /// The theoretical value of a position: [`State::value`](super::State::value).
    pub value: Value,
}

impl GameSchema {
    /// Any JSON as a move and as a value, any object as a state.
    #[must_use]
    pub fn any() -> Self {
        Self { played: json!({}), state: json!({ "type": "object" }), reveal: None, given: None, value: json!({}) }
    }
}

impl Rules {
    /// The parameters as JSON Schema.
    #[must_use]
    pub fn params_schema(&self) -> Value {
        let mut properties = Map::new();
        for param in self.params {
            let kind = match &param.kind {
                ParamKind::Int { default, min, max } => {
                    json!({ "type": "integer", "minimum": min, "maximum": max, "default": default })
                }
                ParamKind::Word(words) => json!({ "enum": words, "default": words[0] }),
            };
            let mut property = json!({ "description": param.help });
            property.as_object_mut().into_iter().zip(kind.as_object()).for_each(|(property, kind)| {
                property.extend(kind.clone());
            });
            properties.insert(param.name.to_owned(), property);
        }
        json!({ "description": "All parameters.", "type": "object", "properties": properties })
    }

    /// All game-specific schemas, each as a property.
    #[must_use]
    pub fn schema(&self) -> Value {
        let GameSchema { played, state, reveal, given, value } = (self.game_schema)();
        let mut schema = json!({
            "title": self.label(),
            "description": self.summary,
            "type": "object",
            "properties": { "params": self.params_schema(), "move": played, "state": state, "value": value },
        });
        for (name, part) in [("reveal", reveal), ("position", given)] {
            if let Some(part) = part {
                schema["properties"][name] = part;
            }
        }
        schema
    }
}
