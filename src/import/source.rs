//! Detects the kind of a file from its first line.

use std::io::{self, Read};

/// Maximum number of bytes examined.
const HEAD_BYTES_MAX: u64 = 1 << 16;
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Chess games in portable game notation.
    Pgn,
    /// A table with a header.
    Table {
        /// What separates its columns.
        separator: u8,
    },
}

/// Returns the kind of a file and its content without a byte order mark.
pub(super) fn recognised<R: Read>(name: &str, mut input: R) -> io::Result<(Kind, impl Read)> {
    let mut head = Vec::new();
    let mut left = HEAD_BYTES_MAX;
    while left > 0 && first_line(&head).is_none() {
        let piece = &mut [0; 4096];
        let length = (&mut input).take(left).read(piece);
        let length = match length {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            length => length?,
        };
        if length == 0 {
            break;
        }
        head.extend_from_slice(&piece[..length]);
        left = left.saturating_sub(length as u64);
    }
    if head.starts_with(BYTE_ORDER_MARK) {
        head.drain(..BYTE_ORDER_MARK.len());
    }
    let kind = kind(name, &head);
    Ok((kind, io::Cursor::new(head).chain(input)))
}

/// The first line that is not blank, if it is complete.
fn first_line(head: &[u8]) -> Option<&[u8]> {
    let text = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head).trim_ascii_start();
    memchr::memchr2(b'\r', b'\n', text).map(|end| &text[..end])
}

fn kind(name: &str, head: &[u8]) -> Kind {
    let is_named_pgn = name.len() >= 4 && name.as_bytes()[name.len() - 4..].eq_ignore_ascii_case(b".pgn");
    let line = first_line(head).unwrap_or_else(|| head.trim_ascii_start());
    if is_named_pgn || line.starts_with(b"[") {
        return Kind::Pgn;
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
    Kind::Table { separator: separator.unwrap_or(b',') }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_tells_the_kind() {
        let table = |separator| Kind::Table { separator };
        for (name, text, expected) in [
            ("a.csv", "white,black,result\n", table(b',')),
            ("a.csv", "white;black;result\n", table(b';')),
            ("a.csv", "\u{feff}\r\n\nwhite\tblack\tresult\ta;b", table(b'\t')),
            ("a.csv", "\"a;b;c;d\",white,black,result\n", table(b',')),
            ("a.csv", "white\na;b;c", table(b',')),
            ("a.csv", "", table(b',')),
            ("a.csv", "\n \u{feff}[", table(b',')),
            ("a.csv", "\u{feff}\n [Event \"x\"]", Kind::Pgn),
            ("it.PGN", "% no tag", Kind::Pgn),
        ] {
            let (kind, mut content) = recognised(name, text.as_bytes()).unwrap();
            assert_eq!(kind, expected, "{text:?}");
            let mut all = String::new();
            content.read_to_string(&mut all).unwrap();
            assert_eq!(all, text.strip_prefix('\u{feff}').unwrap_or(text));
        }
    }
}
