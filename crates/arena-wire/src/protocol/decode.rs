//! Decodes one line from a bot: its kind, and the message if it is one.

use std::collections::HashSet;
use std::fmt;

use arena_core::cause::Cause;
use arena_core::rules::Move;
use arena_core::text::json_message;
use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::optional::{self, FieldRemark};
use super::repair::repair;
use super::{FromBot, MoveReply};

/// The kind of a line, whether or not it was asked for.
#[derive(Debug)]
pub enum ReplyLine {
    /// Nothing but white space.
    Blank,
    /// Not a message: its first byte is not `{`, or its `type` is unknown.
    Stray,
    /// A message, and a remark for each optional field that was dropped or changed because its value is invalid.
    Message(FromBot, Vec<FieldRemark>),
    /// It begins with `{` and is not a valid message; says why.
    Malformed(Cause, String),
    /// Valid JSON of type `hello` with a required field missing or invalid; says which.
    BadHello(Cause, String),
}

/// Classifies one line, given without its newline, of a bot whose game has no text in its moves.
///
/// The whole line is validated first: UTF-8, JSON, and no duplicate key at any depth. Then the fields of its `type` are read.
/// Unknown fields are ignored, and invalid optional fields are dropped. Lone surrogates and numbers out of range are
/// repaired where they cost no game.
#[must_use]
pub fn decode(line: &[u8]) -> ReplyLine {
    decode_of(line, false)
}

/// Classifies a line as [`decode`] does; `text_moves` says whether moves may hold text.
#[must_use]
pub(super) fn decode_of(line: &[u8], text_moves: bool) -> ReplyLine {
    match line.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => return ReplyLine::Blank,
        Some(b'{') => {}
        Some(_) => return ReplyLine::Stray,
    }
    if let Some(message) = bare(line) {
        return ReplyLine::Message(message, Vec::new());
    }
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => {
            let why = format!("invalid UTF-8 at byte {}", error.valid_up_to() + 1);
            return ReplyLine::Malformed(Cause::NotUtf8, why);
        }
    };
    match Envelope::check(text) {
        Ok(kind) => read(&kind, text, text_moves, Vec::new()),
        Err(error) => match repair(text) {
            Some((text, remarks)) => match Envelope::check(&text) {
                Ok(kind) => read(&kind, &text, text_moves, remarks),
                Err(error) => malformed(&error, &text, text_moves),
            },
            None => malformed(&error, text, text_moves),
        },
    }
}

/// Reads a sound line of type `kind`, which has `remarks` already.
fn read(kind: &str, text: &str, text_moves: bool, mut remarks: Vec<FieldRemark>) -> ReplyLine {
    let error = match read_fields(kind, text, text_moves) {
        Ok(Some(message)) => return ReplyLine::Message(message, remarks),
        Ok(None) => return ReplyLine::Stray,
        Err(error) => error,
    };
    if let Some((message, dropped)) = optional::read(kind, text, text_moves) {
        remarks.extend(dropped);
        return ReplyLine::Message(message, remarks);
    }
    let error = optional::check_required(kind, text, text_moves).err().unwrap_or(error);
    if kind == "hello" {
        let (cause, why) = explain(&error, text, text_moves);
        return ReplyLine::BadHello(cause, why);
    }
    malformed(&error, text, text_moves)
}

fn malformed(error: &serde_json::Error, text: &str, text_moves: bool) -> ReplyLine {
    let (cause, why) = explain(error, text, text_moves);
    ReplyLine::Malformed(cause, why)
}

/// Reads what most bots write, byte for byte: `{"type":"move","id":1,"move":3}` or with a list, or
/// `{"type":"ready","id":1}`, with a space after `:` and `,` or without. `None` says nothing about the line.
fn bare(line: &[u8]) -> Option<FromBot> {
    let key = |rest: &mut &[u8], text: &[u8]| -> Option<()> {
        let after = rest.strip_prefix(text)?;
        *rest = after.strip_prefix(b" ").unwrap_or(after);
        Some(())
    };
    let mut rest = line;
    key(&mut rest, b"{\"type\":")?;
    let is_ready = key(&mut rest, b"\"ready\",").is_some();
    if !is_ready {
        key(&mut rest, b"\"move\",")?;
    }
    key(&mut rest, b"\"id\":")?;
    let id = integer(&mut rest)?;
    if is_ready {
        return (rest == b"}").then_some(FromBot::Ready { id });
    }
    key(&mut rest, b",")?;
    key(&mut rest, b"\"move\":")?;
    let played = if key(&mut rest, b"[").is_some() {
        let mut parts = vec![integer(&mut rest)?];
        while key(&mut rest, b",").is_some() {
            parts.push(integer(&mut rest)?);
        }
        key(&mut rest, b"]")?;
        Move::List(parts)
    } else {
        Move::Int(integer(&mut rest)?)
    };
    let reply = MoveReply { id, played, eval: None, comment: None, debug: None };
    (rest == b"}").then_some(FromBot::Move(reply))
}

/// Takes a number without a sign that fits in 64 bits whatever its digits are.
fn integer(rest: &mut &[u8]) -> Option<i64> {
    const DIGITS_MAX: usize = 18;
    let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 || count > DIGITS_MAX || count > 1 && rest[0] == b'0' {
        return None;
    }
    let (digits, after) = rest.split_at(count);
    *rest = after;
    Some(digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
}

fn read_fields(kind: &str, text: &str, text_moves: bool) -> serde_json::Result<Option<FromBot>> {
    #[derive(Deserialize)]
    struct Id {
        id: i64,
    }
    Ok(Some(match kind {
        "move" if text_moves => FromBot::Move(serde_json::from_str(text)?),
        "move" => FromBot::Move(serde_json::from_str::<IntegerReply>(text)?.into()),
        "ready" => FromBot::Ready { id: serde_json::from_str::<Id>(text)?.id },
        "resign" => FromBot::Resign { id: serde_json::from_str::<Id>(text)?.id },
        "decline" => FromBot::Decline(serde_json::from_str(text)?),
        "hello" => FromBot::Hello(serde_json::from_str(text)?),
        _ => return Ok(None),
    }))
}

/// A [`MoveReply`] in a game without text in its moves.
#[derive(Deserialize)]
struct IntegerReply {
    id: i64,
    #[serde(rename = "move", deserialize_with = "Move::of_integers")]
    played: Move,
    eval: Option<f64>,
    comment: Option<String>,
    debug: Option<Box<RawValue>>,
}

impl From<IntegerReply> for MoveReply {
    fn from(reply: IntegerReply) -> Self {
        let IntegerReply { id, played, eval, comment, debug } = reply;
        Self { id, played, eval, comment, debug }
    }
}

/// Says what is wrong without "line 1", which means nothing here.
fn explain(error: &serde_json::Error, line: &str, text_moves: bool) -> (Cause, String) {
    let (cause, hint) = if line.contains('\0') {
        (Cause::NotUtf8, "; it has NUL bytes in it: write UTF-8, not UTF-16")
    } else if error.is_eof() {
        (Cause::SplitMessage, "; a message must stand on one line")
    } else if error.is_syntax() {
        let cause = syntax_cause(line, error.column().saturating_sub(1));
        let hint = if cause == Cause::SingleQuotes { "; JSON has double quotes, not single quotes" } else { "" };
        (cause, hint)
    } else {
        (field_cause(line, text_moves), "")
    };
    (cause, format!("{} at byte {}{hint}", json_message(error), error.column()))
}

/// The cause of a syntax error, from the text around the byte where it was found.
fn syntax_cause(line: &str, at: usize) -> Cause {
    let before = line.get(..at).unwrap_or_default();
    let in_word = |c: char| c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || c == '-';
    if line.as_bytes().get(at) == Some(&b'\'') {
        Cause::SingleQuotes
    } else if serde_json::from_str::<Sound>(before).is_ok() {
        Cause::JoinedMessages
    } else if before.trim_end_matches(in_word).ends_with(':') {
        Cause::NotAValue
    } else {
        Cause::InvalidJson
    }
}

/// The cause of an error in the fields of a line that is JSON.
fn field_cause(line: &str, text_moves: bool) -> Cause {
    let has_duplicate = serde_json::from_str::<Sound>(line).is_err();
    let fields: serde_json::Map<_, _> = serde_json::from_str(line).unwrap_or_default();
    let is_integer = |name: &str| fields.get(name).map(serde_json::Value::is_i64);
    match (fields.get("type").map(serde_json::Value::as_str), fields.get("move")) {
        _ if has_duplicate => Cause::InvalidJson,
        (None, _) | (Some(Some("move")), None) => Cause::MissingField,
        (Some(Some("hello")), _) if is_integer("protocol") != Some(true) => Cause::WrongProtocol,
        (Some(Some("move")), Some(played)) if optional::read_move(&played.to_string(), text_moves).is_none() => {
            Cause::MoveType
        }
        (Some(Some("move" | "ready" | "resign" | "decline")), _) if is_integer("id").is_none() => Cause::MissingField,
        _ => Cause::FieldType,
    }
}

/// The outer object: finds `type` and validates everything else.
struct Envelope;

impl Envelope {
    fn check(text: &str) -> serde_json::Result<String> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let kind = Self.deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(kind)
    }
}

impl<'de> DeserializeSeed<'de> for Envelope {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Envelope {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<String, A::Error> {
        let mut kind = None;
        walk_map(&mut map, |key, map| {
            if key == "type" {
                kind = Some(map.next_value::<String>()?);
            } else {
                map.next_value::<Sound>()?;
            }
            Ok(())
        })?;
        kind.ok_or_else(|| de::Error::missing_field("type"))
    }
}

/// Any JSON value, walked so that every string and key in it is really decoded: serde's own `IgnoredAny` lets lone
/// surrogates and duplicate keys pass.
struct Sound;

impl<'de> Deserialize<'de> for Sound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Sound {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self, A::Error> {
        while seq.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        walk_map(&mut map, |_, map| map.next_value::<Self>().map(drop))?;
        Ok(self)
    }
}

/// Calls `value` for every key, refusing a key that was there before.
fn walk_map<'de, A: MapAccess<'de>>(
    map: &mut A,
    mut value: impl FnMut(&str, &mut A) -> Result<(), A::Error>,
) -> Result<(), A::Error> {
    // Objects are small: a scan beats hashing until there are many keys.
    const SCANNED_KEYS_MAX: usize = 16;
    let mut few: Vec<String> = Vec::new();
    let mut many: HashSet<String> = HashSet::new();
    while let Some(key) = map.next_key::<String>()? {
        if few.contains(&key) || many.contains(&key) {
            return Err(de::Error::custom(format!("duplicate key `{}`", arena_core::text::shown(&key))));
        }
        value(&key, map)?;
        if few.len() < SCANNED_KEYS_MAX {
            few.push(key);
        } else {
            many.insert(key);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn malformed(line: &[u8]) -> String {
        match decode(line) {
            ReplyLine::Malformed(_, why) | ReplyLine::BadHello(_, why) => why,
            other => panic!("{}: {other:?}", String::from_utf8_lossy(line)),
        }
    }

    fn played(line: &str) -> Move {
        match decode(line.as_bytes()) {
            ReplyLine::Message(FromBot::Move(reply), _) => reply.played,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn moves_are_read_in_their_natural_json() {
        assert_eq!(played(r#"{"type":"move","id":7,"move":3}"#), Move::Int(3));
        assert_eq!(played(r#"{"move":[1,-2],"id":7,"type":"move"}"#), Move::List(vec![1, -2]));
        assert_eq!(
            played("  {\"type\":\"move\",\"id\":1,\"move\":0, \"x_mine\": {\"a\": [null, true, 1.5]}}\r"),
            Move::Int(0)
        );
    }

    #[test]
    fn strings_are_decoded_in_keys_and_values() {
        let line = r#"{"type":"move","id":7,"m\u006fve":3,"eval":-0.5,"comment":"\ud83d\ude00"}"#;
        let ReplyLine::Message(FromBot::Move(reply), _) = decode(line.as_bytes()) else { panic!("a move") };
        assert_eq!((reply.played, reply.eval, reply.comment.as_deref()), (Move::Int(3), Some(-0.5), Some("😀")));
    }

    #[test]
    fn bare_replies_are_read_as_all_others() {
        let long = |line: &str| {
            let read = Envelope::check(line).and_then(|kind| read_fields(&kind, line, false));
            read.ok().map(|message| format!("{:?}", message.unwrap()))
        };
        for line in [
            r#"{"type":"move","id":7477126646094394,"move":3}"#,
            r#"{"type": "move", "id": 0, "move": [7, 0]}"#,
            r#"{"type":"move","id":7,"move":[1,2,3]}"#,
            r#"{"type":"ready","id":7477126646094394}"#,
        ] {
            let bare = bare(line.as_bytes()).map(|message| format!("{message:?}"));
            assert!(bare.is_some() && bare == long(line), "{line}: {bare:?}");
        }
        for line in [
            r#"{"type":"move","id":07,"move":3}"#,
            r#"{"type":"move","id":7,"move":3.0}"#,
            r#"{"type":"move","id":7,"move":3e1}"#,
            r#"{"type":"move","id":7,"move":1000000000000000000}"#,
            r#"{"type":"move","id":7,"move":-3}"#,
            r#"{"type":"move","id":7,"move":[]}"#,
            r#"{"type":"move","id":7,"move":[1,]}"#,
            r#"{"type":"move","id":7,"move":3,"id":7}"#,
            r#"{"type":"move","id":7,"move":3}}"#,
            r#"{"type":"ready","id":7,"move":3}"#,
            r#"{"type":"resign","id":7}"#,
        ] {
            assert!(bare(line.as_bytes()).is_none(), "{line}");
        }
    }

    #[test]
    fn keys_may_be_escaped() {
        assert_eq!(played(r#"{"\u0074ype":"move","id":7,"m\u006fve":3}"#), Move::Int(3));
    }

    #[test]
    fn lines_that_are_not_objects_are_stray() {
        for line in ["hello", "[\"move\",3]", "3", "null", "\u{feff}{}", "\"{\""] {
            assert!(matches!(decode(line.as_bytes()), ReplyLine::Stray), "{line}");
        }
        assert!(matches!(decode(b"\xff\xfe{\x00"), ReplyLine::Stray));
        assert!(matches!(decode(br#"{"type":"info","depth":3}"#), ReplyLine::Stray));
        for line in ["", " ", "\r", "\t \r"] {
            assert!(matches!(decode(line.as_bytes()), ReplyLine::Blank), "{line:?}");
        }
    }

    #[test]
    fn every_flaw_is_named() {
        insta::assert_snapshot!(
            [
                r#"{"type":"move","id":1,"move":3"#,
                r"{",
                r#"{"type":"move","id":1,"move":3}{"a":1}"#,
                r#"{"type":"move","id":1,"move":3.0}"#,
                r#"{"type":"move","id":1,"move":1e30}"#,
                r#"{"type":"move","id":1,"move":18446744073709551615}"#,
                r#"{"type":"move","id":1,"move":"3"}"#,
                r#"{"type":"move","id":1,"move":null}"#,
                r#"{"type":"move","id":1,"move":[1,[2]]}"#,
                r#"{"type":"move","id":1}"#,
                r#"{"type":"move","move":3}"#,
                r#"{"type":"move","id":"1","move":3}"#,
                r#"{"type":"move","id":1.0,"move":3}"#,
                r#"{"type":"move","id":1,"id":2,"move":3}"#,
                r#"{"type":"move","id":1,"move":3,"x":{"a":1,"a":2}}"#,
                r#"{"type":"move","id":1,"move":3,"x":"\ud800"}x"#,
            r#"{"type":"mo\ud800ve","id":1,"move":3}"#,
                r#"{"type":"move","id":"1","move":3,"eval":"good"}"#,
                r#"{"type":7}"#,
                r#"{"id":1}"#,
                r#"{"type":"hello"}"#,
                r#"{"type":"hello","protocol":"1"}"#,
            ]
            .map(|line| format!("{line}  ->  {}", malformed(line.as_bytes())))
            .join("\n"),
            @r#"
        {"type":"move","id":1,"move":3  ->  EOF while parsing an object at byte 30; a message must stand on one line
        {  ->  EOF while parsing an object at byte 1; a message must stand on one line
        {"type":"move","id":1,"move":3}{"a":1}  ->  trailing characters at byte 32
        {"type":"move","id":1,"move":3.0}  ->  invalid type: floating point `3.0`, expected a move: an integer or a list of integers at byte 32
        {"type":"move","id":1,"move":1e30}  ->  invalid type: floating point `1e+30`, expected a move: an integer or a list of integers at byte 33
        {"type":"move","id":1,"move":18446744073709551615}  ->  invalid value: integer `18446744073709551615`, expected a move: an integer or a list of integers at byte 49
        {"type":"move","id":1,"move":"3"}  ->  invalid type: string "3", expected a move: an integer or a list of integers at byte 32
        {"type":"move","id":1,"move":null}  ->  invalid type: null, expected a move: an integer or a list of integers at byte 33
        {"type":"move","id":1,"move":[1,[2]]}  ->  invalid type: a list, expected an integer at byte 32
        {"type":"move","id":1}  ->  missing field `move` at byte 22
        {"type":"move","move":3}  ->  missing field `id` at byte 24
        {"type":"move","id":"1","move":3}  ->  invalid type: string "1", expected an integer at byte 23
        {"type":"move","id":1.0,"move":3}  ->  invalid type: floating point `1.0`, expected an integer at byte 23
        {"type":"move","id":1,"id":2,"move":3}  ->  duplicate key `id` at byte 26
        {"type":"move","id":1,"move":3,"x":{"a":1,"a":2}}  ->  duplicate key `a` at byte 45
        {"type":"move","id":1,"move":3,"x":"\ud800"}x  ->  trailing characters at byte 45
        {"type":"mo\ud800ve","id":1,"move":3}  ->  unexpected end of hex escape at byte 18
        {"type":"move","id":"1","move":3,"eval":"good"}  ->  invalid type: string "1", expected an integer at byte 23
        {"type":7}  ->  invalid type: integer `7`, expected a string at byte 9
        {"id":1}  ->  missing field `type` at byte 8
        {"type":"hello"}  ->  missing field `protocol` at byte 16
        {"type":"hello","protocol":"1"}  ->  invalid type: string "1", expected an integer at byte 30
        "#
        );
        assert_eq!(
            malformed(b"{\"type\":\"move\",\"id\":1,\"move\":3,\"comment\":\"\xff\"}"),
            "invalid UTF-8 at byte 43"
        );
        assert!(malformed(b"{\"type\":\"move\",\0\"id\":1,\"move\":3}").contains("key must be a string"));
    }

    #[track_caller]
    fn check_cause(line: &str, expected: Cause) {
        match decode(line.as_bytes()) {
            ReplyLine::Malformed(cause, _) | ReplyLine::BadHello(cause, _) => assert_eq!(cause, expected, "{line}"),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn every_flaw_has_its_cause() {
        check_cause(r#"{"type":"move","id":1,"move":3"#, Cause::SplitMessage);
        check_cause("{", Cause::SplitMessage);
        check_cause(r#"{"type":"move","id":1,"move":3}{"a":1}"#, Cause::JoinedMessages);
        check_cause(r"{'type': 'move', 'id': 1}", Cause::SingleQuotes);
        check_cause(r#"{"type": 'move', "id": 1}"#, Cause::SingleQuotes);
        for value in ["NaN", "nan", "-Infinity", "None", "True", "", "undefined"] {
            check_cause(&format!(r#"{{"type":"move","id":1,"eval": {value},"move":3}}"#), Cause::NotAValue);
        }
        check_cause("{ depth 3: best is 4 }", Cause::InvalidJson);
        check_cause("{\"type\":\"move\",\0\"id\":1}", Cause::NotUtf8);
        check_cause(r#"{"type":"move","id":1,"id":2,"move":3}"#, Cause::InvalidJson);
        check_cause(r#"{"type":"hello","protocol":1,"games":["\ud800"]}"#, Cause::InvalidJson);
        for played in ["3.0", "1e30", "18446744073709551615", "\"3\"", "null", "[1,[2]]"] {
            check_cause(&format!(r#"{{"type":"move","id":1,"move":{played}}}"#), Cause::MoveType);
        }
        for missing in [r#""type":"move","id":1"#, r#""type":"move","move":3"#, r#""type":"ready""#, r#""id":1"#] {
            check_cause(&format!("{{{missing}}}"), Cause::MissingField);
        }
        for id in ["\"1\"", "1.0", "null"] {
            check_cause(&format!(r#"{{"type":"move","id":{id},"move":3}}"#), Cause::FieldType);
        }
        check_cause(r#"{"type":7}"#, Cause::FieldType);
        check_cause(r#"{"type":"hello"}"#, Cause::WrongProtocol);
        check_cause(r#"{"type":"hello","protocol":"1"}"#, Cause::WrongProtocol);
        check_cause(r#"{"type":"hello","protocol":1,"games":"mnk"}"#, Cause::FieldType);
    }

    #[test]
    fn deep_nesting_is_refused_and_does_not_overflow() {
        let nested = |depth: usize| {
            let (open, close) = ("[".repeat(depth - 1), "]".repeat(depth - 1));
            format!(r#"{{"type":"move","id":1,"move":3,"debug":{open}{close}}}"#)
        };
        assert!(matches!(decode(nested(127).as_bytes()), ReplyLine::Message(..)));
        assert!(malformed(nested(128).as_bytes()).contains("recursion limit"));
        let line = format!(r#"{{"type":"move","id":1,"move":3,"x":{}"#, "[".repeat(60_000));
        assert!(malformed(line.as_bytes()).contains("recursion limit"));
    }
}
