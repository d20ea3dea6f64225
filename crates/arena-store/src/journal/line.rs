//! Encoding, decoding and iterating over the lines of a journal.

use std::io::{self, BufRead};

use arena_core::event::{Round, Stop, Tournament};
use arena_core::record::Record;
use arena_core::text::{json, json_mistake};
use arena_sys::flags::GAME;
use serde::{Deserialize, Serialize};

use super::books::{BookLine, Books, Definition};
use super::line_error::LineError;
use super::sizes;

/// The start of every definition of a tournament.
pub(super) const EVENT_START: &[u8] = b"{\"type\":\"event\"";
/// The start of every line of openings.
pub(super) const BOOK_START: &[u8] = b"{\"type\":\"openings\"";
/// The start of every game, up to its id, which has no characters that JSON escapes.
const GAME_START: &[u8] = b"{\"type\":\"game\",\"id\":\"";

/// Maximum length of a line, in bytes. The longest game has [`PLIES_MAX`](arena_core::rules::PLIES_MAX) moves of about a hundred
/// bytes each with their measurements, and a limited number of bytes of remarks.
pub(super) const LINE_BYTES_MAX: usize = 1 << 27;

/// One line of the journal.
#[derive(Debug)]
pub enum JournalLine {
    /// A definition of the tournament; the last one is in force. [`JournalLines::complete`] adds the openings of its book.
    Event(Box<Definition>),
    /// Openings of a book, for the definitions after it.
    Openings,
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
    pub line: Result<JournalLine, LineDamage>,
}

/// Damage of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineDamage {
    /// The cause, for people.
    pub why: LineError,
    /// Whether it began as a definition of the tournament, or has openings of one: then the journal may have lost the seed.
    pub is_event: bool,
}

/// The lines of a journal, held in memory one at a time, except a torn last line. A last line without a newline is not torn
/// if its sum is correct: an editor or a copy has taken the newline.
#[derive(Debug)]
pub struct JournalLines<R> {
    input: R,
    buffer: Vec<u8>,
    number: usize,
    books: Books,
    /// Offset of the next line; after the last one, the end of the complete lines.
    pub offset: u64,
    /// Length of a torn last line; set after all lines were read.
    pub torn_bytes: u64,
    /// Whether the last line has no newline, although it is whole; set after all lines were read.
    pub lacks_newline: bool,
}

/// The lines of `input`, from its beginning.
pub fn lines<R: BufRead>(input: R) -> JournalLines<R> {
    let (buffer, books) = (Vec::new(), Books::default());
    JournalLines { input, buffer, number: 0, books, offset: 0, torn_bytes: 0, lacks_newline: false }
}

impl<R> JournalLines<R> {
    /// A definition with the openings of its book, which are in the lines so far.
    ///
    /// # Errors
    ///
    /// Returns [`LineError::NoBook`] if they are not.
    pub fn complete(&self, definition: Definition) -> Result<Tournament, LineError> {
        self.books.complete(definition)
    }

    /// The openings of books in the lines so far.
    pub(super) fn into_books(self) -> Books {
        self.books
    }
}

impl<R: BufRead> Iterator for JournalLines<R> {
    type Item = io::Result<Located>;

    fn next(&mut self) -> Option<Self::Item> {
        let (length, is_complete) = match read_line(&mut self.input, &mut self.buffer) {
            Ok(read) => read,
            Err(error) => return Some(Err(error)),
        };
        if !is_complete && is_torn(length, &self.buffer) {
            self.torn_bytes = length;
            return None;
        }
        self.lacks_newline = !is_complete;
        let offset = self.offset;
        self.number += 1;
        self.offset += length;
        let is_event = self.buffer.starts_with(EVENT_START) || self.buffer.starts_with(BOOK_START);
        let bytes = u32::try_from(length).unwrap_or(u32::MAX);
        let line = too_long(length).map_or_else(|| decode_noting(&self.buffer, &mut self.books), Err);
        let line = line.map_err(|why| LineDamage { why, is_event });
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

/// Whether a last line without a newline is not whole, or not there.
pub(super) fn is_torn(length: u64, line: &[u8]) -> bool {
    length == 0 || too_long(length).is_some() || decode(line).is_err()
}

/// The damage of a line of this length, if it is too long.
pub(super) fn too_long(length: u64) -> Option<LineError> {
    (length > LINE_BYTES_MAX as u64).then_some(LineError::TooLong { bytes: length, most: LINE_BYTES_MAX })
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
    line.push('\n');
    line
}

/// The end of every line: its sum.
fn end_of_line(sum: &str) -> String {
    format!(",\"sum\":\"{sum}\"}}")
}

/// A line without its end. An editor or a transfer may have made it CR LF, or taken it from the last line; no sum covers it.
fn without_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// The id of a game, from its line, which is not decoded; `None` for any other line.
pub(super) fn id_of(line: &[u8]) -> Option<&str> {
    let rest = line.strip_prefix(GAME_START)?;
    std::str::from_utf8(&rest[..memchr::memchr(b'"', rest)?]).ok()
}

/// Decodes a line by itself; openings of books are not kept.
pub(super) fn decode(line: &[u8]) -> Result<JournalLine, LineError> {
    decode_with(line, &mut |_| Ok(()))
}

/// Decodes the next line, and adds the openings that it has to `books`.
pub(super) fn decode_noting(line: &[u8], books: &mut Books) -> Result<JournalLine, LineError> {
    decode_with(line, &mut |line| books.add(line))
}

fn decode_with(line: &[u8], note: &mut dyn FnMut(BookLine) -> Result<(), LineError>) -> Result<JournalLine, LineError> {
    #[derive(Deserialize)]
    struct Tag {
        #[serde(rename = "type")]
        kind: String,
        sum: String,
    }
    let text = std::str::from_utf8(line).map_err(LineError::NotUtf8)?;
    let tag: Tag = serde_json::from_str(text).map_err(|error| LineError::NotALine(json_mistake(&error)))?;
    // The sum would not cover anything after it.
    let body = without_end(text).strip_suffix(&end_of_line(&tag.sum)).ok_or(LineError::NoSum)?;
    let found = sum_of(body.as_bytes());
    if found != tag.sum {
        return Err(LineError::OtherSum { written: tag.sum, found });
    }
    sizes::check(text)?;
    let kind = &tag.kind;
    let wrong = |error| LineError::OtherVersion { kind: kind.clone(), mistake: json_mistake(&error) };
    match tag.kind.as_str() {
        "event" => {
            let definition = Definition::read(text).map_err(wrong)?;
            // The lines after it are read as games of it.
            definition.without_book().declare_game(&format!("name it with {GAME} to judge it"));
            Ok(JournalLine::Event(Box::new(definition)))
        }
        "openings" => serde_json::from_str(text).map_err(wrong).and_then(note).map(|()| JournalLine::Openings),
        "round" => serde_json::from_str(text).map(|round| JournalLine::Round(Box::new(round))).map_err(wrong),
        "stop" => serde_json::from_str(text).map(JournalLine::Stop).map_err(wrong),
        "game" => {
            let record: Box<Record> = serde_json::from_str(text).map_err(wrong)?;
            sizes::check_record(&record)?;
            Ok(JournalLine::Game(record))
        }
        other => Err(LineError::UnknownType(other.to_owned())),
    }
}

fn sum_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use arena_sys::results_folder::ResultsFolder;

    use crate::fixture;
    use crate::journal::{self, FILE_NAME, GameIndex, Journal, MergeSource, find};

    #[test]
    fn line_ends_may_be_changed_and_the_last_one_missing() {
        let event = fixture::event(&["a", "b"]);
        let records = fixture::draws(&event, 2);
        let (last, rest) = records.split_last().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let folder = ResultsFolder::open(dir.path()).unwrap();
        let (mut journal, _) = Journal::open(&folder).unwrap();
        journal.append_event(&event).unwrap();
        for record in rest {
            journal.append_game(record).unwrap();
        }
        drop(journal);
        let path = dir.path().join(FILE_NAME);
        let text = std::fs::read_to_string(&path).unwrap();
        let crlf = text.replace('\n', "\r\n");
        for changed in [text.trim_end(), &crlf, crlf.trim_end_matches('\n'), crlf.trim_end()] {
            std::fs::write(&path, changed).unwrap();
            let (reader, contents) = journal::read(&folder).unwrap();
            assert_eq!((contents.games.len(), contents.torn_bytes), (rest.len(), 0));
            let newest = &rest[rest.len() - 1].id;
            assert_eq!(&reader.record(&contents.games[rest.len() - 1]).unwrap().id, newest);
            assert_eq!(find(&folder, newest).unwrap().ids.len(), 1);
            assert!(GameIndex::of(&folder).unwrap().record(contents.games[rest.len() - 1].id).unwrap().is_some());

            // Copied and continued, no line runs into the next one.
            let other = tempfile::tempdir().unwrap();
            let copy = ResultsFolder::open(other.path()).unwrap();
            let (mut journal, _) = Journal::open(&copy).unwrap();
            let source = MergeSource::read(&folder).unwrap();
            journal.copy_games(&source, &source.games).unwrap();
            journal.append_game(last).unwrap();
            drop(journal);
            assert_eq!(journal::read(&copy).unwrap().1.games.len(), records.len());
            let (mut journal, _) = Journal::open(&folder).unwrap();
            journal.append_game(last).unwrap();
            journal.sync().unwrap();
            drop(journal);
            assert_eq!(journal::read(&folder).unwrap().1.games.len(), records.len());
        }
        // Without a byte of its sum it is torn.
        std::fs::write(&path, &text[..text.len() - 2]).unwrap();
        let contents = journal::read(&folder).unwrap().1;
        assert!(contents.games.len() == rest.len() - 1 && contents.torn_bytes > 0);
    }
}
