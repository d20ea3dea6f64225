//! Escaping of untrusted text from a bot, a manifest or a file, before it reaches messages, tables and
//! JSON.
//!
//! [`is_unsafe`] defines which characters are never written raw. Data formats keep everything else and can be decoded:
//! [`cell`] for CSV, [`json`] for JSON. Text for people, [`shown`] and [`escaped`], also escapes right-to-left letters
//! and stacked combining marks.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

/// Maximum number of characters of untrusted text in a message.
const SHOWN_MAX: usize = 200;
/// Maximum number of combining marks on one character; Vietnamese and Thai need two.
const MARKS_MAX: u32 = 2;
/// Characters that make a spreadsheet treat a cell as a formula; the last four are full-width forms.
const FORMULA_SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Escapes `text` like [`escaped`] and cuts it after 200 characters.
#[must_use]
pub fn shown(text: &str) -> String {
    let mut characters = text.chars();
    let mut shown = escaped_characters(characters.by_ref().take(SHOWN_MAX));
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Escapes `text` for people, without a limit on its length. Escapes control and format characters, right-to-left
/// letters, and combining marks beyond two on one character.
#[must_use]
pub fn escaped(text: &str) -> String {
    escaped_characters(text.chars())
}

/// Escapes our own text for people, which may contain untrusted text such as a path. Escapes control and format
/// characters other than line feeds.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    replaced(text, |out, character| match character {
        '\n' => out.push('\n'),
        _ => out.extend(character.escape_default()),
    })
}

/// Escapes unsafe characters of JSON text as `\uXXXX`, which keeps its meaning. Outside strings, only white space can
/// be unsafe; it becomes a space, or stays if it is a line feed.
#[must_use]
pub fn json(text: &str) -> Cow<'_, str> {
    replaced(text, |out, character| match character {
        '\n' => out.push('\n'),
        '\r' | '\t' => out.push(' '),
        _ => {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    })
}

/// Encodes untrusted text as a CSV cell. A backslash is doubled. Unsafe characters become `\t`, `\r`, `\n` or `\u{…}`,
/// and bytes that are not UTF-8 become `\x…`. A leading formula sign gets a backslash before it. Text after a `;` is
/// treated as another cell, because spreadsheets in many locales use it as the separator.
#[must_use]
pub fn cell(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at_start = true;
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' => out.push_str("\\\\"),
                _ if is_unsafe(character) => out.extend(character.escape_default()),
                _ if at_start && FORMULA_SIGNS.contains(&character) => out.extend(['\\', character]),
                _ => out.push(character),
            }
            at_start = character == ';' || at_start && (character.is_whitespace() || matches!(character, '"' | '\''));
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
            at_start = false;
        }
    }
    out
}

/// Decodes what [`cell`] encoded; bytes that are not UTF-8 become `\u{fffd}`. Other text is decoded as far as it is like it.
#[must_use]
pub fn of_cell(cell: &str) -> String {
    String::from_utf8_lossy(&decoded(cell)).into_owned()
}

fn decoded(cell: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(cell.len());
    let mut rest = cell.chars();
    let push =
        |character: char, out: &mut Vec<u8>| out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    while let Some(character) = rest.next() {
        match (character, if character == '\\' { rest.next() } else { None }) {
            (_, None) => push(character, &mut out),
            (_, Some('t')) => push('\t', &mut out),
            (_, Some('r')) => push('\r', &mut out),
            (_, Some('n')) => push('\n', &mut out),
            (_, Some('u')) => {
                let digits: String = rest.by_ref().skip(1).take_while(|digit| *digit != '}').collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                push(code.unwrap_or(char::REPLACEMENT_CHARACTER), &mut out);
            }
            (_, Some('x')) => {
                let digits: String = rest.by_ref().take(2).collect();
                out.extend(u8::from_str_radix(&digits, 16).ok());
            }
            (_, Some(other)) => push(other, &mut out),
        }
    }
    out
}

/// Whether a character must never be written raw to a file or terminal: it moves the cursor, ends a line, reorders or
/// hides text, or may not be in XML. These are control characters, format characters (Unicode category Cf), line separators,
/// invisible characters (`Default_Ignorable_Code_Point`) except variation selectors, and two noncharacters.
#[must_use]
pub fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}'
            | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{fffe}'..='\u{ffff}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character is in a Unicode block of right-to-left scripts. A single one reorders the digits beside it.
/// Bidirectional isolates would prevent that, but are invisible themselves, and terminals treat them differently.
fn is_right_to_left(character: char) -> bool {
    matches!(character,
        '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}'
        | '\u{1e800}'..='\u{1efff}')
}

/// Whether a character combines with the one before it.
fn is_mark(character: char) -> bool {
    !character.is_ascii() && (*character.encode_utf8(&mut [0; 4])).width() == 0
}

/// Copies `text`, writing every unsafe character by `push`.
fn replaced(text: &str, push: impl Fn(&mut String, char)) -> Cow<'_, str> {
    let Some(first) = text.find(is_unsafe) else { return text.into() };
    let mut out = String::with_capacity(text.len() + 64);
    out.push_str(&text[..first]);
    for character in text[first..].chars() {
        if is_unsafe(character) {
            push(&mut out, character);
        } else {
            out.push(character);
        }
    }
    out.into()
}

fn escaped_characters(characters: impl Iterator<Item = char>) -> String {
    let mut out = String::new();
    // Number of combining marks that may still follow; 0 if there is no base character.
    let mut marks = 0;
    for character in characters {
        let is_mark = is_mark(character);
        if is_unsafe(character) || is_right_to_left(character) || is_mark && marks == 0 {
            out.extend(character.escape_default());
            marks = 0;
        } else {
            out.push(character);
            marks = if is_mark { marks - 1 } else { MARKS_MAX };
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Generates text with many special characters.
    fn text() -> impl Strategy<Value = String> {
        let odd = "\\ut{}x;=+-@＝\"' \t\r\n\u{1b}\u{7f}\u{9b}\u{85}\u{202e}\u{2028}\u{301}\u{5d0}\u{e0041}é☃a1";
        let odd: Vec<char> = odd.chars().collect();
        let character = prop_oneof![prop::sample::select(odd), any::<char>()];
        prop::collection::vec(character, 0..40).prop_map(String::from_iter)
    }

    proptest! {
        #[test]
        fn a_cell_is_safe_and_can_be_decoded(text in text(), bytes in prop::collection::vec(any::<u8>(), 0..9)) {
            let bytes = [text.as_bytes(), &bytes].concat();
            let cell = cell(&bytes);
            prop_assert!(!cell.contains(is_unsafe), "{cell:?}");
            for part in cell.split(';') {
                prop_assert!(!part.trim_start_matches([' ', '"', '\'']).starts_with(FORMULA_SIGNS), "{cell:?}");
            }
            prop_assert_eq!(decoded(&cell), bytes);
        }

        #[test]
        fn escaped_json_has_the_same_value(texts in prop::collection::vec(text(), 0..4)) {
            let words: Vec<_> = texts.iter().map(|text| serde_json::to_string(text).unwrap()).collect();
            for between in [",", ",\r\t"] {
                let text = format!("[{}]", words.join(between));
                let json = json(&text);
                prop_assert!(!json.contains(is_unsafe), "{json:?}");
                prop_assert_eq!(&serde_json::from_str::<Vec<String>>(&json).unwrap(), &texts);
            }
        }

        #[test]
        fn escaping_is_idempotent(text in text()) {
            let once = escaped(&text);
            prop_assert!(!once.contains(|c| is_unsafe(c) || is_right_to_left(c)), "{once:?}");
            prop_assert_eq!(&escaped(&once), &once);
            prop_assert!(printable(&once) == once.as_str());
            prop_assert!(!printable(&text).contains(|c| is_unsafe(c) && c != '\n'));
        }
    }

    #[test]
    fn controls_and_bidi_are_escaped() {
        assert_eq!(shown("a\x1b[31m\u{202e}b\n\u{9b}"), "a\\u{1b}[31m\\u{202e}b\\n\\u{9b}");
        assert_eq!(shown("naïve ☃ 囲碁"), "naïve ☃ 囲碁");
        assert_eq!(printable("a\n\tb\u{2028}☃\u{5d0}"), "a\n\\tb\\u{2028}☃\u{5d0}");
    }

    #[test]
    fn right_to_left_letters_are_escaped_for_people_and_kept_in_data() {
        assert_eq!(shown("1 \u{5d0}\u{661} 2"), "1 \\u{5d0}\\u{661} 2");
        assert_eq!(cell("\u{5d0}".as_bytes()), "\u{5d0}");
        assert_eq!(json("\"\u{5d0}\""), "\"\u{5d0}\"");
    }

    #[test]
    fn stacked_combining_marks_are_escaped() {
        let zalgo = format!("e{}x", "\u{301}".repeat(100));
        let told = escaped(&zalgo);
        assert!(told.starts_with("e\u{301}\u{301}\\u{301}\\u{301}") && told.ends_with("}x"), "{told}");
        assert_eq!(escaped("vie\u{302}\u{323}t, ที่, e\u{301}"), "vie\u{302}\u{323}t, ที่, e\u{301}");
        // A mark without a base character would combine with our own text.
        assert_eq!(escaped("\u{301}a\u{1b}\u{301}"), "\\u{301}a\\u{1b}\\u{301}");
    }

    #[test]
    fn a_formula_is_escaped() {
        let cells =
            ["=cmd|' /C calc'!A0", "@SUM(1)", " +1", "-1", "\t=1", "a;=1", "＝1", "\"=1", "a=1-1", "x\\y", "ann"];
        assert_eq!(
            cells.map(|text| cell(text.as_bytes())),
            [
                "\\=cmd|' /C calc'!A0",
                "\\@SUM(1)",
                " \\+1",
                "\\-1",
                "\\t\\=1",
                "a;\\=1",
                "\\＝1",
                "\"\\=1",
                "a=1-1",
                "x\\\\y",
                "ann"
            ]
        );
        assert_eq!(cell(b"M\xfcller\x80"), "M\\xfcller\\x80");
    }

    #[test]
    fn json_escapes_large_code_points_as_surrogate_pairs() {
        assert_eq!(json("{\"a\":\r\"\u{e0041}\u{7f}\"}\n"), "{\"a\": \"\\udb40\\udc41\\u007f\"}\n");
    }

    #[test]
    fn long_text_is_cut_with_an_ellipsis() {
        let cut = shown(&"x".repeat(500));
        assert_eq!(cut.chars().count(), SHOWN_MAX + 1);
        assert!(cut.ends_with('…'));
    }
}
