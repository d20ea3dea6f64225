//! JSON Schema 2020-12 of the protocol, derived from the message types.

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::{FromBot, ToBot};

/// One document for both directions: `#/$defs/RefereeToBot` and `#/$defs/BotToReferee` each describe one line.
#[must_use]
pub fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let version = settings.meta_schema.clone();
    let mut generator = settings.into_generator();
    let either = [generator.subschema_for::<ToBot>(), generator.subschema_for::<FromBot>()];
    json!({
        "$schema": version,
        "title": "Arena bot protocol, version 1",
        "description": "One JSON object a line: RefereeToBot on a bot's stdin, BotToReferee on its stdout. \
                        Both sides ignore unknown fields.",
        "anyOf": either,
        "$defs": generator.take_definitions(true),
    })
}
