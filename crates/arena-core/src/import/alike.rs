//! Names that look alike: those of one player, most likely.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

use crate::text::is_unsafe;

/// A text without the white space around it, no-break spaces included.
pub(super) fn trimmed(text: &[u8]) -> &[u8] {
    let is_plain = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_graphic);
    if is_plain(text.first()) && is_plain(text.last()) {
        return text;
    }
    if let Ok(text) = std::str::from_utf8(text) {
        return text.trim().as_bytes();
    }
    // Not UTF-8: only the parts at its ends may be.
    let mut rest = text;
    loop {
        rest = &rest[white_start(rest)..];
        let end = white_end(rest);
        rest = &rest[..rest.len() - end];
        if end == 0 && white_start(rest) == 0 {
            return rest;
        }
    }
}

/// The no-break space of Latin-1.
const NO_BREAK: &[u8] = b"\xa0";

/// Bytes of white space at the start of a text that is not UTF-8.
fn white_start(text: &[u8]) -> usize {
    text.utf8_chunks().next().map_or(0, |chunk| match chunk.valid() {
        "" => usize::from(chunk.invalid() == NO_BREAK),
        valid => valid.len() - valid.trim_start().len(),
    })
}

/// Bytes of white space at its end.
fn white_end(text: &[u8]) -> usize {
    text.utf8_chunks().last().map_or(0, |chunk| match chunk.invalid() {
        [] => chunk.valid().len() - chunk.valid().trim_end().len(),
        invalid => usize::from(invalid == NO_BREAK),
    })
}

/// The groups of names that differ only in case, in invisible characters and kinds of spaces, or in the encoding of
/// accents. Names that are not UTF-8 are like no other.
pub(super) fn alike(names: &[Vec<u8>]) -> Vec<Vec<usize>> {
    let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
    for (number, name) in names.iter().enumerate() {
        if let Ok(name) = std::str::from_utf8(name) {
            groups.entry(key(name)).or_default().push(number);
        }
    }
    let mut alike: Vec<Vec<usize>> = groups.into_values().filter(|group| group.len() > 1).collect();
    alike.sort_unstable();
    alike
}

/// What is equal for names that look alike. Caseless matching by the Unicode standard, chapter 3.13, with the case folding
/// of upper and then lower case: `ß` is `ss`.
fn key(name: &str) -> String {
    let visible: String =
        name.chars().filter(|character| character.is_whitespace() || !is_unsafe(*character)).collect();
    let words: Vec<&str> = visible.split_whitespace().collect();
    let decomposed: String = words.join(" ").nfd().collect();
    decomposed.to_uppercase().to_lowercase().nfd().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_around_a_text_is_trimmed() {
        for (text, expected) in [
            (&b" \tann \r\n"[..], &b"ann"[..]),
            ("\u{a0}ann lee\u{2009}\u{3000}".as_bytes(), b"ann lee"),
            ("\u{a0} \u{a0}".as_bytes(), b""),
            ("à".as_bytes(), "à".as_bytes()),
            (b" \xa0M\xfcller\xa0 \xa0", b"M\xfcller"),
            (b"\xa0", b""),
            ("\u{a0}\u{e9}\u{a0}".as_bytes(), "é".as_bytes()),
            (b"\xff\xfe ", b"\xff\xfe"),
            (b"\xc2\xa0\xff\xc2\xa0", b"\xff"),
            (b"", b""),
            (b"a", b"a"),
        ] {
            assert_eq!(trimmed(text), expected, "{text:?}");
        }
    }

    #[test]
    fn names_that_look_alike_are_found_in_groups() {
        let same = [
            ("Ann", "ann"),
            ("\u{e9}ve", "e\u{301}ve"),
            ("\u{c9}VE", "e\u{301}ve"),
            ("a\u{200b}b", "ab"),
            ("\u{feff}ab", "ab"),
            ("a\u{ad}b", "ab"),
            ("a\u{a0}b", "a  b"),
            ("Straße", "STRASSE"),
            ("ΟΔΟΣ", "οδος"),
            ("\u{212b}", "\u{e5}"),
        ];
        for (one, other) in same {
            assert_eq!(key(one), key(other), "{one} {other}");
        }
        for (one, other) in [("ann", "anne"), ("e", "\u{e9}"), ("a b", "ab"), ("\u{43e}", "o")] {
            assert_ne!(key(one), key(other), "{one} {other}");
        }
        let names = ["ANN", "Ann", "Bob", "ann", "bob", "cyd"].map(|name| name.as_bytes().to_vec());
        assert_eq!(alike(&names), [vec![0, 1, 3], vec![2, 4]]);
        assert!(alike(&[b"\xff".to_vec(), b"\xfe".to_vec()]).is_empty());
    }
}
