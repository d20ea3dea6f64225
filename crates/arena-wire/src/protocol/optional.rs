//! Messages with invalid optional fields: such a field is dropped, with a remark, and the rest of the message counts.

use std::fmt;

use arena_core::rules::Move;
use arena_core::text::shown;
use serde::de::DeserializeOwned;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

use super::tokens::token_length;
use super::{DeclineReply, FromBot, HelloReply, MoveReply};

/// The fields that may be invalid without a consequence.
pub(super) const OPTIONAL: [&str; 7] = ["eval", "comment", "debug", "name", "version", "authors", "reason"];

/// A remark about an optional field that was dropped or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldRemark {
    /// The name of the field.
    pub field: &'static str,
    /// What happened to it, and why; foreign text in it is escaped.
    pub what: String,
}

impl fmt::Display for FieldRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.field, self.what)
    }
}

/// Reads a message of type `kind` that has an invalid field, without its invalid optional fields. Returns a remark for
/// each of these; `None` if a required field is missing or invalid.
pub(super) fn read(kind: &str, text: &str, text_moves: bool) -> Option<(FromBot, Vec<FieldRemark>)> {
    let mut dropped = DroppedFields::default();
    let message = match kind {
        "move" => {
            let fields: LooseMove<'_> = serde_json::from_str(text).ok()?;
            FromBot::Move(MoveReply {
                id: fields.id,
                played: read_move(fields.played.get(), text_moves)?,
                eval: dropped.unless_valid("eval", "a number", fields.eval),
                comment: dropped.unless_valid("comment", "a string", fields.comment),
                debug: fields.debug,
            })
        }
        "hello" => {
            let fields: LooseHello<'_> = serde_json::from_str(text).ok()?;
            FromBot::Hello(HelloReply {
                protocol: fields.protocol,
                name: dropped.unless_valid("name", "a string", fields.name),
                version: dropped.unless_valid("version", "a string", fields.version),
                authors: dropped.unless_valid("authors", "a string", fields.authors),
                games: fields.games,
            })
        }
        "decline" => {
            let fields: LooseDecline<'_> = serde_json::from_str(text).ok()?;
            let reason = dropped.unless_valid("reason", "a string", fields.reason);
            FromBot::Decline(DeclineReply { id: fields.id, reason })
        }
        _ => return None,
    };
    Some((message, dropped.0))
}

/// Checks the required fields of a message of type `kind`.
pub(super) fn check_required(kind: &str, text: &str, text_moves: bool) -> serde_json::Result<()> {
    #[derive(Deserialize)]
    struct RequiredMove {
        #[serde(rename = "id")]
        _id: i64,
        #[serde(rename = "move")]
        _played: Move,
    }
    #[derive(Deserialize)]
    struct RequiredIntegers {
        #[serde(rename = "id")]
        _id: i64,
        #[serde(rename = "move", deserialize_with = "Move::of_integers")]
        _played: Move,
    }
    #[derive(Deserialize)]
    struct RequiredHello {
        #[serde(rename = "protocol")]
        _protocol: i64,
        #[serde(rename = "games")]
        _games: Option<Vec<String>>,
    }
    match kind {
        "move" if text_moves => serde_json::from_str::<RequiredMove>(text).map(drop),
        "move" => serde_json::from_str::<RequiredIntegers>(text).map(drop),
        "hello" => serde_json::from_str::<RequiredHello>(text).map(drop),
        _ => serde_json::from_str::<IgnoredAny>(text).map(drop),
    }
}

#[derive(Deserialize)]
struct LooseMove<'a> {
    id: i64,
    #[serde(borrow, rename = "move")]
    played: &'a RawValue,
    #[serde(borrow)]
    eval: Option<&'a RawValue>,
    #[serde(borrow)]
    comment: Option<&'a RawValue>,
    debug: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct LooseHello<'a> {
    protocol: i64,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    version: Option<&'a RawValue>,
    #[serde(borrow)]
    authors: Option<&'a RawValue>,
    games: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct LooseDecline<'a> {
    id: i64,
    #[serde(borrow)]
    reason: Option<&'a RawValue>,
}

/// A remark for each field that was dropped.
#[derive(Default)]
struct DroppedFields(Vec<FieldRemark>);

impl DroppedFields {
    /// The value of an optional field, unless it is not `expected`.
    fn unless_valid<T: DeserializeOwned>(
        &mut self,
        field: &'static str,
        expected: &str,
        value: Option<&RawValue>,
    ) -> Option<T> {
        let value = value?.get();
        let read = serde_json::from_str(value).ok();
        if read.is_none() {
            self.0.push(FieldRemark { field, what: format!("dropped: expected {expected}, got {}", shown(value)) });
        }
        read
    }
}

/// A move in which `-0` is 0. A JSON library reads `-0` as a floating-point number, since integers have no negative zero.
pub(super) fn read_move(json: &str, text_moves: bool) -> Option<Move> {
    let read = |json: &str| {
        if text_moves {
            return serde_json::from_str(json).ok();
        }
        Move::of_integers(&mut serde_json::Deserializer::from_str(json)).ok()
    };
    read(json).or_else(|| read(&without_negative_zero(json)))
}

/// Replaces each integer `-0` outside of strings.
fn without_negative_zero(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find(['-', '"']) {
        let (before, found) = rest.split_at(at);
        text.push_str(before);
        let length = token_length(found, 0);
        let token = &found[..length];
        text.push_str(if token == "-0" { "0" } else { token });
        rest = &found[length..];
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn moved(line: &str) -> (MoveReply, Vec<String>) {
        match read("move", line, false) {
            Some((FromBot::Move(reply), dropped)) => (reply, dropped.iter().map(ToString::to_string).collect()),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn an_invalid_optional_field_is_dropped_with_a_remark() {
        let line = r#"{"type":"move","id":1,"move":3,"eval":"good","comment":["a"],"debug":{"a":1}}"#;
        let (reply, dropped) = moved(line);
        assert_eq!((reply.played, reply.eval, reply.comment), (Move::Int(3), None, None));
        assert_eq!(reply.debug.map(|debug| debug.get().to_owned()).as_deref(), Some(r#"{"a":1}"#));
        assert_eq!(
            dropped,
            [r#"eval dropped: expected a number, got "good""#, r#"comment dropped: expected a string, got ["a"]"#]
        );
        let (reply, dropped) = moved(r#"{"type":"move","id":1,"move":3,"eval":true,"comment":"fine"}"#);
        assert_eq!((reply.eval, reply.comment.as_deref(), dropped.len()), (None, Some("fine"), 1));
        let line = r#"{"type":"hello","protocol":1,"name":7,"version":2.1,"authors":["a","b"],"games":["mnk"]}"#;
        let Some((FromBot::Hello(hello), dropped)) = read("hello", line, false) else { panic!("a hello") };
        assert_eq!((hello.name, hello.version, hello.authors), (None, None, None));
        assert_eq!((hello.games, dropped.len()), (Some(vec!["mnk".to_owned()]), 3));
        let line = r#"{"type":"decline","id":1,"reason":["too wide"]}"#;
        let Some((FromBot::Decline(decline), dropped)) = read("decline", line, false) else { panic!("a decline") };
        assert_eq!((decline.id, decline.reason, dropped.len()), (1, None, 1));
    }

    #[test]
    fn an_invalid_required_field_is_not_dropped() {
        for line in [
            r#"{"type":"move","id":"1","move":3,"eval":"good"}"#,
            r#"{"type":"move","id":1,"eval":"good"}"#,
            r#"{"type":"move","id":1,"move":3.0,"eval":"good"}"#,
            r#"{"type":"move","id":1,"move":-0.0}"#,
            r#"{"type":"move","id":1,"move":-0e0}"#,
            r#"{"type":"move","id":1,"move":"-0"}"#,
        ] {
            assert!(read("move", line, false).is_none() && check_required("move", line, false).is_err(), "{line}");
        }
        let hello = r#"{"type":"hello","protocol":1,"name":7,"games":"mnk"}"#;
        assert!(read("hello", hello, false).is_none() && check_required("hello", hello, false).is_err());
        assert!(read("ready", r#"{"type":"ready","id":"1"}"#, false).is_none());
        assert!(read("decline", r#"{"type":"decline","id":"1","reason":3}"#, false).is_none());
    }

    #[test]
    fn negative_zero_is_zero() {
        for (json, played) in
            [("-0", Move::Int(0)), ("[-0,1]", Move::List(vec![0, 1])), ("[ 10, -0 ,-0]", Move::List(vec![10, 0, 0]))]
        {
            let (reply, dropped) = moved(&format!(r#"{{"type":"move","id":1,"move":{json}}}"#));
            assert_eq!((reply.played, dropped), (played, vec![]), "{json}");
        }
        let parts = Move::Parts(vec![Move::Text("-0 \"-0".to_owned()), Move::Int(0), Move::Text("-0".to_owned())]);
        assert_eq!(read_move(r#"["-0 \"-0",-0,"-0"]"#, true), Some(parts));
    }
}
