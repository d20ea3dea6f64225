//! Foreign text made safe: everything that a bot, a manifest or a file says, on its way to people, tables and JSON.
//!
//! One rule, [`is_unsafe`], says which characters reach nothing raw. What is data keeps everything else, and can be
//! turned back: [`cell`] for CSV, [`json`] for JSON. What is for eyes, [`shown`] and [`escaped`], also keeps letters from
//! turning the line around and marks from climbing over other lines.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The most characters of foreign text shown in a message.
const SHOWN_MAX: usize = 200;
/// The most combining marks shown on one character; Vietnamese and Thai need two.
const MARKS_MAX: u32 = 2;
/// A cell that begins with one of these is a formula to spreadsheets; the last ones are the signs of wide fonts.
const FORMULA_SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// `text` for people, cut after 200 characters: escaped like [`escaped`].
#[must_use]
pub fn shown(text: &str) -> String {
    let mut shown = Shown::default();
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN_MAX {
            shown.out.push('…');
            break;
        }
        shown.push(character);
    }
    shown.out
}

/// `text` for people, whole: for logs, where the reader has asked for everything. Control and format characters are
/// escaped, letters that are written from right to left, and combining marks beyond two on one character.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut shown = Shown::default();
    text.chars().for_each(|character| shown.push(character));
    shown.out
}

/// Text of ours for people, in which foreign text may stand unescaped, such as the path of a file: control and format
/// characters are escaped, but for line ends.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    replaced(text, |out, character| match character {
        '\n' => out.push('\n'),
        _ => out.extend(character.escape_default()),
    })
}

/// JSON text with unsafe characters as `\uXXXX`, which says the same. Outside strings, where only white space can be
/// unsafe, they are spaces; line ends, which no string has raw, stay.
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

/// A CSV cell with foreign text. A backslash is doubled, unsafe characters are `\t`, `\r`, `\n` or `\u{…}`, bytes that
/// are no UTF-8 are `\x…`, and a sign that would make a formula of the cell has a backslash before it. Whatever follows
/// a `;` is taken for a cell too: that is how spreadsheets of many countries read the file.
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

/// Whether a character may reach no file and no terminal raw: it moves a cursor, ends a line, reorders or hides text.
/// Control characters, format characters (Unicode category Cf), the line separators, and what has no shape
/// (`Default_Ignorable_Code_Point`) but for the marks that choose the form of the character before.
#[must_use]
pub fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}'
            | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character may be one that is written from right to left: Unicode gives these blocks to such scripts, with
/// their digits and marks. A single one turns the figures beside it around; isolates would prevent that, but are
/// themselves characters that hide, and terminals differ in what they make of them.
fn is_right_to_left(character: char) -> bool {
    matches!(character,
        '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}'
        | '\u{1e800}'..='\u{1efff}')
}

/// Whether a character is drawn over the one before it.
fn is_mark(character: char) -> bool {
    !character.is_ascii() && console::measure_text_width(character.encode_utf8(&mut [0; 4])) == 0
}

/// `text` with every unsafe character as `push` writes it.
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

/// Text that is being escaped for people.
#[derive(Default)]
struct Shown {
    out: String,
    /// Marks that may still follow: none where there is nothing of theirs to stand on.
    marks: u32,
}

impl Shown {
    fn push(&mut self, character: char) {
        let is_mark = is_mark(character);
        if is_unsafe(character) || is_right_to_left(character) || is_mark && self.marks == 0 {
            self.out.extend(character.escape_default());
            self.marks = 0;
        } else {
            self.out.push(character);
            self.marks = if is_mark { self.marks - 1 } else { MARKS_MAX };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What [`cell`] made `text` of.
    fn cell_back(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            let mut push = |character: char| out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            match (character, if character == '\\' { rest.next() } else { None }) {
                (_, None) => push(character),
                (_, Some('t')) => push('\t'),
                (_, Some('r')) => push('\r'),
                (_, Some('n')) => push('\n'),
                (_, Some('u')) => {
                    let digits: String = rest.by_ref().skip(1).take_while(|digit| *digit != '}').collect();
                    push(char::from_u32(u32::from_str_radix(&digits, 16).unwrap()).unwrap());
                }
                (_, Some('x')) => {
                    let digits: String = rest.by_ref().take(2).collect();
                    out.push(u8::from_str_radix(&digits, 16).unwrap());
                }
                (_, Some(other)) => push(other),
            }
        }
        out
    }

    /// Text with more of what matters than chance would bring.
    fn text() -> impl Strategy<Value = String> {
        let odd = "\\ut{}x;=+-@＝\"' \t\r\n\u{1b}\u{7f}\u{9b}\u{85}\u{202e}\u{2028}\u{301}\u{5d0}\u{e0041}é☃a1";
        let odd: Vec<char> = odd.chars().collect();
        let character = prop_oneof![prop::sample::select(odd), any::<char>()];
        prop::collection::vec(character, 0..40).prop_map(String::from_iter)
    }

    proptest! {
        #[test]
        fn a_cell_is_harmless_and_can_be_turned_back(text in text(), bytes in prop::collection::vec(any::<u8>(), 0..9)) {
            let bytes = [text.as_bytes(), &bytes].concat();
            let cell = cell(&bytes);
            prop_assert!(!cell.contains(is_unsafe), "{cell:?}");
            for part in cell.split(';') {
                prop_assert!(!part.trim_start_matches([' ', '"', '\'']).starts_with(FORMULA_SIGNS), "{cell:?}");
            }
            prop_assert_eq!(cell_back(&cell), bytes);
        }

        #[test]
        fn json_says_the_same(texts in prop::collection::vec(text(), 0..4)) {
            let words: Vec<_> = texts.iter().map(|text| serde_json::to_string(text).unwrap()).collect();
            for between in [",", ",\r\t"] {
                let text = format!("[{}]", words.join(between));
                let json = json(&text);
                prop_assert!(!json.contains(is_unsafe), "{json:?}");
                prop_assert_eq!(&serde_json::from_str::<Vec<String>>(&json).unwrap(), &texts);
            }
        }

        #[test]
        fn what_is_shown_is_shown_the_same_again(text in text()) {
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
    fn letters_from_right_to_left_are_escaped_for_people_and_kept_in_data() {
        assert_eq!(shown("1 \u{5d0}\u{661} 2"), "1 \\u{5d0}\\u{661} 2");
        assert_eq!(cell("\u{5d0}".as_bytes()), "\u{5d0}");
        assert_eq!(json("\"\u{5d0}\""), "\"\u{5d0}\"");
    }

    #[test]
    fn marks_do_not_climb() {
        let zalgo = format!("e{}x", "\u{301}".repeat(100));
        let told = escaped(&zalgo);
        assert!(told.starts_with("e\u{301}\u{301}\\u{301}\\u{301}") && told.ends_with("}x"), "{told}");
        assert_eq!(escaped("vie\u{302}\u{323}t, ที่, e\u{301}"), "vie\u{302}\u{323}t, ที่, e\u{301}");
        // Nor over text of ours.
        assert_eq!(escaped("\u{301}a\u{1b}\u{301}"), "\\u{301}a\\u{1b}\\u{301}");
    }

    #[test]
    fn no_cell_is_a_formula() {
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
    fn json_escapes_in_two_units_what_takes_two() {
        assert_eq!(json("{\"a\":\r\"\u{e0041}\u{7f}\"}\n"), "{\"a\": \"\\udb40\\udc41\\u007f\"}\n");
    }

    #[test]
    fn long_text_is_cut_and_says_so() {
        let cut = shown(&"x".repeat(500));
        assert_eq!(cut.chars().count(), SHOWN_MAX + 1);
        assert!(cut.ends_with('…'));
    }
}
