//! A complete arena bot without crates: it plays every game by answering the sample move.
//!
//!     rustc -O bot.rs
//!
//! To play better, read the position from the `state` field and answer a move of your own. In a Cargo project you
//! would use `serde_json` instead of [`field`].

use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    // Locked once, and flushed after each line: without the flush a reply may wait in a buffer.
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let Some(kind) = field(&line, "type") else { continue };
        if kind == "\"quit\"" {
            break;
        }
        if let Some(reply) = answer(kind, &line) {
            writeln!(output, "{reply}")?;
            output.flush()?;
        }
    }
    Ok(())
}

/// The reply to one message of the referee, or `None` if no reply is due.
fn answer(kind: &str, message: &str) -> Option<String> {
    match kind {
        "\"hello\"" => Some(r#"{"type":"hello","protocol":1,"name":"rust starter"}"#.to_owned()),
        "\"new_game\"" => {
            let id = field(message, "id")?;
            Some(format!(r#"{{"type":"ready","id":{id}}}"#))
        }
        "\"move_request\"" => {
            let id = field(message, "id")?;
            let chosen = choose(field(message, "state")?, field(message, "sample_move")?);
            Some(format!(r#"{{"type":"move","id":{id},"move":{chosen}}}"#))
        }
        // "game_over", and types of later protocol versions.
        _ => None,
    }
}

/// Your idea goes here. Both arguments and the result are JSON text copied from the message.
fn choose<'a>(_state: &'a str, sample_move: &'a str) -> &'a str {
    sample_move
}

/// The value of field `name` of the object in `line`, as JSON text. Fields of inner objects do not count, but
/// `field(state, "board")` reads them.
///
/// Relies on names without escapes.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = line.trim_start().strip_prefix('{')?;
    loop {
        let (key, after) = value(rest);
        let (value, after) = value(after.strip_prefix(':')?);
        if key.strip_prefix('"')?.strip_suffix('"')? == name {
            return Some(value);
        }
        rest = after.strip_prefix(',')?;
    }
}

/// The JSON value at the beginning of `text`, and what comes after it, both without white space before them.
fn value(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let (value, after) = text.split_at(value_length(text));
    (value, after.trim_start())
}

/// The length of the JSON value at the beginning of `text`.
fn value_length(text: &str) -> usize {
    let (mut depth, mut in_string, mut escaped) = (0, false, false);
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            // These belong to the object around the value.
            b' ' | b'\t' | b'\r' | b'\n' | b':' | b',' | b'}' | b']' if depth == 0 => return index,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}
