//! Encoding, decoding and iterating over the lines of a journal.

use std::io::{self, BufRead};

use serde::{Deserialize, Serialize};

use super::sizes;
use crate::event::{Event, Round, Stop};
use crate::record::Record;
use crate::text::{json, json_mistake, shown};

/// The start of every definition of a tournament.
pub(super) const EVENT_START: &[u8] = b"{\"type\":\"event\"";
/// The start of every game, up to its id, which has no characters that JSON escapes.
const GAME_START: &[u8] = b"{\"type\":\"game\",\"id\":\"";

/// Maximum length of a line, in bytes. The longest game has [`PLIES_MAX`](crate::rules::PLIES_MAX) moves of about a hundred
/// bytes each with their measurements, and a limited number of bytes of remarks.
pub(super) const LINE_BYTES_MAX: usize = 1 << 27;

/// One line of the journal.
#[derive(Debug)]
pub enum Line {
    /// A definition of the tournament; the last one is in force.
    Event(Box<Event>),
    /// A decision about pairs that were added.
    Round(Box<Round>),
    /// A run stopped itself.
    Stop(Stop),
    /// A game.
    Game(Box<Record>),
}

/// A line and where it is.
#[derive(Debug)]
pub struct Located {
    /// Number of the line, from 1.
    pub number: usize,
    /// Offset of the line, in bytes.
    pub offset: u64,
    /// Length of the line in bytes, including the newline.
    pub bytes: u32,
    /// Its content, or the damage.
    pub line: Result<Line, Damage>,
}

/// Damage of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The cause, for people.
    pub why: String,
    /// Whether it began as a definition of the tournament: then the journal may have lost the seed.
    pub is_event: bool,
}

/// The lines of a journal, held in memory one at a time, except a torn last line (without a newline).
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    number: usize,
    /// Offset of the next line; after the last one, the end of the complete lines.
    pub offset: u64,
    /// Length of a torn last line; set after all lines were read.
    pub torn_bytes: u64,
}

/// The lines of `input`, from its beginning.
pub fn lines<R: BufRead>(input: R) -> Lines<R> {
    Lines { input, buffer: Vec::new(), number: 0, offset: 0, torn_bytes: 0 }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<Located>;

    fn next(&mut self) -> Option<Self::Item> {
        let (length, is_complete) = match read_line(&mut self.input, &mut self.buffer) {
            Ok(read) => read,
            Err(error) => return Some(Err(error)),
        };
        if !is_complete {
            self.torn_bytes = length;
            return None;
        }
        let offset = self.offset;
        self.number += 1;
        self.offset += length;
        let is_event = self.buffer.starts_with(EVENT_START);
        let bytes = u32::try_from(length).unwrap_or(u32::MAX);
        let line = too_long(length).map_or_else(|| decode(&self.buffer), Err);
        let line = line.map_err(|why| Damage { why, is_event });
        Some(Ok(Located { number: self.number, offset, bytes, line }))
    }
}

/// Reads a line with its newline, of which `buffer` gets no more than [`LINE_BYTES_MAX`] bytes. Returns its length, and
/// whether it has a newline.
pub(super) fn read_line(input: &mut impl BufRead, buffer: &mut Vec<u8>) -> io::Result<(u64, bool)> {
    buffer.clear();
    let mut length = 0;
    loop {
        let bytes = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        if bytes.is_empty() {
            return Ok((length, false));
        }
        let end = memchr::memchr(b'\n', bytes);
        let read = end.map_or(bytes.len(), |end| end + 1);
        let room = LINE_BYTES_MAX - buffer.len();
        buffer.extend_from_slice(&bytes[..read.min(room)]);
        input.consume(read);
        length += read as u64;
        if end.is_some() {
            return Ok((length, true));
        }
    }
}

/// The damage of a line of this length, if it is too long.
pub(super) fn too_long(length: u64) -> Option<String> {
    let is_too_long = length > LINE_BYTES_MAX as u64;
    is_too_long.then(|| format!("it has {length} bytes, a line of a journal has at most {LINE_BYTES_MAX}"))
}

#[derive(Serialize)]
struct Tagged<'a, T> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(flatten)]
    body: &'a T,
}

pub(super) fn encode<T: Serialize>(kind: &str, body: &T) -> String {
    let mut line = serde_json::to_string(&Tagged { kind, body }).expect("records serialise to memory");
    line.pop();
    // Raw JSON from a bot may contain white space that ends lines.
    let mut line = json(&line).replace('\n', " ");
    let sum = sum_of(line.as_bytes());
    line.push_str(&end_of_line(&sum));
    line
}

/// The end of every line: its sum.
fn end_of_line(sum: &str) -> String {
    format!(",\"sum\":\"{sum}\"}}\n")
}

/// The id of a game, from its line, which is not decoded; `None` for any other line.
pub(super) fn id_of(line: &[u8]) -> Option<&str> {
    let rest = line.strip_prefix(GAME_START)?;
    std::str::from_utf8(&rest[..memchr::memchr(b'"', rest)?]).ok()
}

pub(super) fn decode(line: &[u8]) -> Result<Line, String> {
    #[derive(Deserialize)]
    struct Tag {
        #[serde(rename = "type")]
        kind: String,
        sum: String,
    }
    let text = std::str::from_utf8(line).map_err(|error| format!("invalid UTF-8: {error}"))?;
    let tag: Tag =
        serde_json::from_str(text).map_err(|error| format!("not a line of a journal: {}", json_mistake(&error)))?;
    // The sum would not cover anything after it.
    let body =
        text.strip_suffix(&end_of_line(&tag.sum)).ok_or("it does not end in its sum: it was edited or damaged")?;
    if sum_of(body.as_bytes()) != tag.sum {
        return Err(format!(
            "its sum is {}, but its content gives {}: it was edited or damaged",
            shown(&tag.sum),
            sum_of(body.as_bytes())
        ));
    }
    sizes::check(text)?;
    let wrong = |error: serde_json::Error| format!("not a {} of this version: {}", tag.kind, json_mistake(&error));
    match tag.kind.as_str() {
        "event" => serde_json::from_str(text).map(|event| Line::Event(Box::new(event))).map_err(wrong),
        "round" => serde_json::from_str(text).map(|round| Line::Round(Box::new(round))).map_err(wrong),
        "stop" => serde_json::from_str(text).map(Line::Stop).map_err(wrong),
        "game" => {
            let record: Box<Record> = serde_json::from_str(text).map_err(wrong)?;
            sizes::check_record(&record)?;
            Ok(Line::Game(record))
        }
        other => Err(format!("unknown type `{}`", shown(other))),
    }
}

fn sum_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..16].to_owned()
}
