//! Detects the kind of a file from its first bytes and its first line.

use std::io::{self, Cursor, Read};

use super::TableError;
use super::foreign::foreign;
use super::packed::{MAGIC_BYTES_MAX, packed};
use super::utf16::{Utf16, order};

/// Maximum number of bytes examined.
const HEAD_BYTES_MAX: usize = 1 << 16;
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// Chess games in portable game notation.
    Pgn,
    /// A table with a header.
    Table {
        /// What separates its columns.
        separator: u8,
    },
}

/// A file as it is read.
pub(super) struct Source<'a> {
    pub(super) kind: FileKind,
    /// Its content in UTF-8 without a byte order mark.
    pub(super) input: Box<dyn Read + 'a>,
    /// What it is, if it turns out to have no games.
    pub(super) foreign: Option<String>,
}

/// Recognises a file. A first line such as `sep=;`, which tells
/// spreadsheets what separates columns, is left empty.
pub(super) fn recognised<'a, R: Read + 'a>(name: &str, mut input: R) -> Result<Source<'a>, TableError> {
    let mut head = Vec::new();
    extend(&mut head, &mut input, |head| head.len() >= MAGIC_BYTES_MAX).map_err(csv::Error::from)?;
    if let Some(what) = packed(name, &head) {
        return Err(TableError::Packed(what));
    }
    let is_low_first = order(&head);
    let input = Cursor::new(head).chain(input);
    let mut input: Box<dyn Read + 'a> = match is_low_first {
        Some(is_low_first) => Box::new(Utf16::new(input, is_low_first)),
        None => Box::new(input),
    };
    let mut head = Vec::new();
    extend(&mut head, &mut input, |head| first_line(head).is_some()).map_err(csv::Error::from)?;
    if head.starts_with(BYTE_ORDER_MARK) {
        head.drain(..BYTE_ORDER_MARK.len());
    }
    let mut kind = kind(name, &head);
    let foreign = foreign(name, &head);
    if let FileKind::Table { separator } = &mut kind
        && let Some((length, stated)) = stated_separator(&head)
    {
        head.drain(..length);
        *separator = stated;
    }
    Ok(Source { kind, input: Box::new(Cursor::new(head).chain(input)), foreign })
}

/// Reads into `head` until it is enough, or as much as is examined.
fn extend(head: &mut Vec<u8>, input: &mut impl Read, is_enough: impl Fn(&[u8]) -> bool) -> io::Result<()> {
    while head.len() < HEAD_BYTES_MAX && !is_enough(head) {
        let piece = &mut [0; 4096];
        let most = piece.len().min(HEAD_BYTES_MAX - head.len());
        let length = match input.read(&mut piece[..most]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            length => length?,
        };
        if length == 0 {
            break;
        }
        head.extend_from_slice(&piece[..length]);
    }
    Ok(())
}

/// The separator that the first line states, and the length of that line.
fn stated_separator(head: &[u8]) -> Option<(usize, u8)> {
    let end = memchr::memchr2(b'\r', b'\n', head)?;
    let line = &head[..end];
    let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    match line {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', separator] => Some((end, *separator)),
        _ => None,
    }
}

/// The first line that is not blank, if it is complete.
fn first_line(head: &[u8]) -> Option<&[u8]> {
    let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head).trim_ascii_start();
    memchr::memchr2(b'\r', b'\n', text).map(|end| &text[..end])
}

fn kind(name: &str, head: &[u8]) -> FileKind {
    let is_named_pgn = name.len() >= 4 && name.as_bytes()[name.len() - 4..].eq_ignore_ascii_case(b".pgn");
    let line = first_line(head).unwrap_or_else(|| head.trim_ascii_start());
    if is_named_pgn || line.starts_with(b"[") {
        return FileKind::Pgn;
    }
    let separators = |separator: u8| {
        let mut is_quoted = false;
        let outside = line.iter().filter(|byte| {
            is_quoted ^= **byte == b'"';
            !is_quoted && **byte == separator
        });
        outside.count()
    };
    // In a tie, the last one.
    let separator = [b'\t', b';', b','].into_iter().max_by_key(|separator| separators(*separator));
    FileKind::Table { separator: separator.unwrap_or(b',') }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_tells_the_kind() {
        let table = |separator| FileKind::Table { separator };
        for (name, text, expected) in [
            ("a.csv", "white,black,result\n", table(b',')),
            ("a.csv", "white;black;result\n", table(b';')),
            ("a.csv", "\u{feff}\r\n\nwhite\tblack\tresult\ta;b", table(b'\t')),
            ("a.csv", "\"a;b;c;d\",white,black,result\n", table(b',')),
            ("a.csv", "white\na;b;c", table(b',')),
            ("a.csv", "", table(b',')),
            ("a.csv", "\n \u{feff}[", table(b',')),
            ("a.csv", "\u{feff}\n [Event \"x\"]", FileKind::Pgn),
            ("it.PGN", "% no tag", FileKind::Pgn),
        ] {
            let mut source = recognised(name, text.as_bytes()).unwrap();
            assert_eq!(source.kind, expected, "{text:?}");
            let mut all = String::new();
            source.input.read_to_string(&mut all).unwrap();
            assert_eq!(all, text.strip_prefix('\u{feff}').unwrap_or(text));
        }
    }
}
