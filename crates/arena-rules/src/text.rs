//! Escaping of untrusted text, and small helpers for messages.
//!
//! # Examples
//!
//! ```
//! use arena_rules::text::{counted, shown};
//!
//! assert_eq!(counted(2, "game"), "2 games");
//! assert!(!shown("a name that turns \u{1b}[31mred").contains('\u{1b}'));
//! ```

mod foreign;
mod wrap;

use std::error::Error;
use std::fmt::Write as _;

pub use foreign::{cell, escaped, is_unsafe, json, of_cell, printable, shown};
pub use wrap::{cut, wrap, wrap_command, wrap_json, wrap_list};

/// Maximum number of characters of a parser's message.
const MISTAKE_CHARS_MAX: usize = 200;

/// The message of `error` and those of its causes, outermost first. Skips a cause whose text is part of the message
/// before it.
pub fn causes(error: &(dyn Error + 'static)) -> Vec<String> {
    let mut causes: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let cause = error.to_string();
        next = error.source();
        if !causes.last().is_some_and(|last| last.contains(&cause)) {
            causes.push(cause);
        }
    }
    causes
}

/// Replaces Rust type names in a parser's message by plain words.
#[must_use]
pub fn in_plain_words(mistake: &str) -> String {
    const WORDS: [(&str, &str); 6] = [
        ("expected i64", "expected an integer"),
        ("expected u64", "expected an integer from 0"),
        ("expected f64", "expected a number"),
        ("expected a sequence", "expected a list"),
        ("invalid type: sequence", "invalid type: a list"),
        ("invalid type: map", "invalid type: an object"),
    ];
    WORDS.iter().fold(mistake.to_owned(), |text, (jargon, plain)| text.replace(jargon, plain))
}

/// Describes an error in one line of JSON, with its column.
#[must_use]
pub fn json_mistake(error: &serde_json::Error) -> String {
    let message = json_message(error);
    if error.column() == 0 { message } else { format!("{message} (column {})", error.column()) }
}

/// Describes an error in one line of JSON without its position: serde would always name line 1 of the file.
/// The message may quote a long string before it says what was expected, so it is shortened in the middle.
#[must_use]
pub fn json_message(error: &serde_json::Error) -> String {
    const END_CHARS: usize = 80;
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = &in_plain_words(text.strip_suffix(&place).unwrap_or(&text));
    let count = text.chars().count();
    if count <= MISTAKE_CHARS_MAX {
        return escaped(text);
    }
    let begin: String = text.chars().take(MISTAKE_CHARS_MAX - END_CHARS).collect();
    let end: String = text.chars().skip(count - END_CHARS).collect();
    format!("{}…{}", escaped(&begin), escaped(&end))
}

/// Microseconds as milliseconds with three decimals.
#[must_use]
pub fn millis(us: u64) -> String {
    format!("{}.{:03}", us / 1_000, us % 1_000)
}

/// A number with its sign and one decimal; never `-0.0`.
#[must_use]
pub fn signed(value: f64) -> String {
    let text = format!("{value:+.1}");
    if text == "-0.0" { "+0.0".to_owned() } else { text }
}

/// A share of 0 to 1 in percent with one decimal, without the sign: `97.5`. Only all is `100.0` and only nothing `0.0`; what is
/// close to them is `>99.9` and `<0.1`.
#[must_use]
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if share > 0.0 && percent < 0.05 => "<0.1".to_owned(),
        percent if share < 1.0 && percent >= 99.95 => ">99.9".to_owned(),
        percent => format!("{percent:.1}"),
    }
}

/// A word as a shell reads it, in quotes if it needs them.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    // In zsh `=word` is the path of a program.
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A path for an address: whatever is no plain character is escaped.
#[must_use]
pub fn percent_encoded(path: &[u8]) -> String {
    path.iter().fold(String::new(), |mut text, byte| {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b'/' => text.push(char::from(*byte)),
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
        text
    })
}

/// Decodes UTF-8.
///
/// # Errors
///
/// Returns the number of the first invalid line, from 1.
pub fn utf8(bytes: Vec<u8>) -> Result<String, usize> {
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        1 + memchr::memchr_iter(b'\n', good).count()
    })
}

/// A count with its thousands apart: `19,000`.
#[must_use]
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// `1 game`, `2,000 games`.
#[must_use]
pub fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count as u64), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_json_error_is_escaped() {
        #[derive(Debug, serde::Deserialize)]
        enum Nothing {}
        let error = serde_json::from_str::<Nothing>("\"\\u001b[31m\"").unwrap_err();
        assert!(error.to_string().contains('\u{1b}') && json_mistake(&error).contains("`\\u{1b}[31m`"), "{error}");
    }

    #[test]
    fn only_all_is_a_hundred_percent_and_only_nothing_is_none() {
        let shares = [0.0, 1e-9, 0.000_499, 0.0005, 0.975, 0.999_49, 0.999_5, 0.999_95, 1.0 - 1e-16, 1.0];
        let shown = ["0.0", "<0.1", "<0.1", "0.1", "97.5", "99.9", ">99.9", ">99.9", ">99.9", "100.0"];
        assert_eq!(shares.map(percent), shown);
    }

    #[test]
    fn a_long_json_error_keeps_its_end() {
        let mistake = |text: &str| json_mistake(&serde_json::from_str::<Vec<u8>>(text).unwrap_err());
        assert_eq!(mistake(r#"["a at line b"]"#), r#"invalid type: string "a at line b", expected u8 (column 14)"#);
        let long = mistake(&format!(r#"["{}"]"#, "é".repeat(100_000)));
        assert!(
            long.starts_with("invalid type: string \"éé") && long.ends_with("é\", expected u8 (column 200003)"),
            "{long}"
        );
        assert!(long.contains('…') && long.chars().count() < 300, "{long}");
        assert_eq!(json_mistake(&serde::de::Error::custom("no place")), "no place");
    }

    #[test]
    fn types_have_their_json_names() {
        assert_eq!(in_plain_words("invalid type: map, expected i64"), "invalid type: an object, expected an integer");
        assert_eq!(in_plain_words("expected a sequence"), "expected a list");
    }

    #[test]
    fn the_first_line_that_is_not_utf8_is_found() {
        assert_eq!(utf8("a\n☃".into()), Ok("a\n☃".to_owned()));
        assert_eq!([utf8(vec![0xff]), utf8(b"a\n\n\xe2\x98\n".to_vec())], [Err(1), Err(3)]);
    }
}
