//! JSON Schema 2020-12 of the protocol.
//!
//! The schema of the messages is the file that is published, `docs/protocol.schema.json`. A test derives it from the message
//! types and compares the two, so the program itself derives nothing. After a change to a message, renew the file with
//! `ARENA_BLESS=1 cargo test -p arena-wire protocol::schema`.

use arena_core::rules;
use serde_json::{Map, Value, json};

/// What `arena schema` prints while no game is added to the built-in ones.
const FILE: &str = include_str!("../../../../docs/protocol.schema.json");

/// One document for both directions: `#/$defs/RefereeToBot` and `#/$defs/BotToReferee` each describe one line. Each game
/// has a definition by its name, with `params`, `state`, `move` and `reveal` as properties.
///
/// # Panics
///
/// Never: a test reads the file.
#[must_use]
pub fn schema() -> Value {
    let mut schema: Value = serde_json::from_str(FILE).expect("a test reads the file");
    // The file has the built-in games; others may be added.
    if let Some(Value::Object(definitions)) = schema.get_mut("$defs") {
        describe_games(definitions);
    }
    schema
}

/// Adds a definition for each game, and refers to them where a message has parts that depend on the game.
fn describe_games(definitions: &mut Map<String, Value>) {
    let part = |game: &str, part: &str| json!({ "$ref": format!("#/$defs/{game}/properties/{part}") });
    if let Some(Value::Object(new_game)) = definitions.get_mut("NewGame") {
        let params_of = rules::all().map(|rules| {
            json!({
                "if": { "properties": { "game": { "const": rules.label() } } },
                "then": { "properties": { "params": part(rules.label(), "params") } },
            })
        });
        new_game.insert("allOf".to_owned(), params_of.collect());
    }
    if let Some(Value::Object(state)) = definitions.get_mut("MoveRequest").map(|it| &mut it["properties"]["state"]) {
        state.insert("anyOf".to_owned(), rules::all().map(|rules| part(rules.label(), "state")).collect());
    }
    for rules in rules::all() {
        let mut schema = rules.schema();
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            // The protocol has neither.
            properties.remove("value");
            properties.remove("position");
            let params = &mut properties["params"];
            params["required"] = rules.params.iter().map(|param| param.name).collect();
        }
        definitions.insert(rules.label().to_owned(), schema);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use schemars::generate::SchemaSettings;

    use super::*;
    use crate::protocol::{FromBot, ToBot};

    fn derived() -> Value {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let version = settings.meta_schema.clone();
        let mut generator = settings.into_generator();
        let either = [generator.subschema_for::<ToBot>(), generator.subschema_for::<FromBot>()];
        let mut definitions = generator.take_definitions(true);
        describe_games(&mut definitions);
        json!({
            "$schema": version,
            "title": "Arena bot protocol, version 1",
            "description": "One JSON object a line: RefereeToBot on a bot's stdin, BotToReferee on its stdout. \
                            Both sides ignore unknown fields. Each game has a definition by its name.",
            "anyOf": either,
            "$defs": definitions,
        })
    }

    #[test]
    fn the_file_is_what_the_message_types_say() {
        let derived = format!("{:#}\n", derived());
        if std::env::var_os("ARENA_BLESS").is_some() {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol.schema.json");
            // It is compared by the next build.
            return std::fs::write(file, derived).unwrap();
        }
        assert!(FILE == derived, "docs/protocol.schema.json is out of date; ARENA_BLESS=1 rewrites it");
        assert_eq!(format!("{:#}\n", schema()), derived);
    }
}
