//! Every example line in docs/protocol.md is valid: it fits the JSON schema, and the arena reads it as what it is meant to be.

use arena::protocol::{ReplyLine, ToBot, decode, schema};
use serde_json::Value;

use crate::schema_check::fits;

const PAGE: &str = include_str!("../../docs/protocol.md");

/// The example lines with this mark.
fn examples(mark: &str) -> Vec<&'static str> {
    PAGE.lines().filter_map(|line| line.strip_prefix(mark)).filter(|line| line.starts_with('{')).collect()
}

#[track_caller]
fn check(definition: &str, line: &str) {
    let schema = schema();
    let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    fits(&schema, &schema["$defs"][definition], &value).unwrap_or_else(|why| panic!("{line}: {why}"));
}

#[test]
fn what_a_bot_reads_fits_the_schema() {
    let lines = examples("< ");
    for line in &lines {
        check("RefereeToBot", line);
        let message = ToBot::decode(line).expect("JSON").expect("a known type");
        let mut again = Vec::new();
        message.encode(&mut again);
        assert_eq!(String::from_utf8_lossy(&again).trim_end(), *line, "no field is unknown, and none is misplaced");
    }
    for kind in ["hello", "new_game", "move_request", "game_over", "quit"] {
        let start = format!("{{\"type\":\"{kind}\"");
        assert!(lines.iter().any(|line| line.starts_with(&start)), "no example of {kind}");
    }
}

#[test]
fn what_a_bot_writes_fits_the_schema() {
    let lines = examples("> ");
    for line in &lines {
        check("BotToReferee", line);
        let ReplyLine::Message(message, dropped) = decode(line.as_bytes()) else { panic!("{line}") };
        assert!(dropped.is_empty(), "{line}: {dropped:?}");
        assert_eq!(serde_json::to_string(&message).expect("to memory"), *line);
    }
    for kind in ["hello", "ready", "decline", "move", "resign"] {
        let start = format!("{{\"type\":\"{kind}\"");
        assert!(lines.iter().any(|line| line.starts_with(&start)), "no example of {kind}");
    }
}

#[test]
fn every_reply_in_an_example_has_the_id_of_its_request() {
    let mut open = None;
    for line in PAGE.lines() {
        let Some((mark, line)) = line.split_once(' ').filter(|(_, line)| line.starts_with("{\"type\"")) else {
            continue;
        };
        let id = serde_json::from_str::<Value>(line).expect("JSON")["id"].as_u64();
        match mark {
            "<" => open = id,
            ">" => assert!(id.is_none() || id == open, "{line}"),
            _ => {}
        }
    }
}

#[test]
fn every_field_of_the_schema_is_on_the_page() {
    let schema = schema();
    for definition in
        ["Hello", "NewGame", "BotClock", "MoveRequest", "RequestClock", "GameOver", "HelloReply", "MoveReply"]
    {
        let fields = schema["$defs"][definition]["properties"].as_object().expect("fields");
        for field in fields.keys() {
            assert!(PAGE.contains(&format!("`{field}`")), "`{field}` of {definition} is not on the page");
        }
    }
}
