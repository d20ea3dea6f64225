//! Cells of results: what is written, before it is known what it means. [`scale`](super::scale) says that.

use std::borrow::Cow;

use super::LeftOutCause;
use super::missing::is_missing;
use crate::record::GameResult;

/// What a cell says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// That there is no result.
    None(LeftOutCause),
    /// A number, in thousandths.
    Number(i32),
    /// The numbers of both players, such as `1-0`, in thousandths.
    Numbers([i32; 2]),
    /// A word for the first seat or its win, the second seat, or a draw.
    Word(GameResult),
    /// `X`: a draw, where `1` and `2` are the seats.
    Cross,
    /// Something else.
    Other,
}

/// Games without a result: unfinished, void, or not played, as programs for tournaments of people write them.
const NONE: [(&str, LeftOutCause); 12] = [
    ("*", LeftOutCause::Unfinished),
    ("void", LeftOutCause::Void),
    ("+/-", LeftOutCause::Unplayed),
    ("-/+", LeftOutCause::Unplayed),
    ("-/-", LeftOutCause::Unplayed),
    ("+:-", LeftOutCause::Unplayed),
    ("-:+", LeftOutCause::Unplayed),
    ("-:-", LeftOutCause::Unplayed),
    ("+--", LeftOutCause::Unplayed),
    ("--+", LeftOutCause::Unplayed),
    ("1-0F", LeftOutCause::Unplayed),
    ("0-1F", LeftOutCause::Unplayed),
];

/// Words, in lower case.
const WORDS: [(GameResult, &[&str]); 3] = [
    (
        GameResult::FirstWins,
        &[
            "white",
            "first",
            "win",
            "won",
            "w",
            "victory",
            "whitewins",
            "whitewon",
            "firstwins",
            "firstwon",
            "first_wins",
        ],
    ),
    (
        GameResult::SecondWins,
        &[
            "black",
            "second",
            "loss",
            "lose",
            "lost",
            "l",
            "b",
            "defeat",
            "blackwins",
            "blackwon",
            "secondwins",
            "secondwon",
            "second_wins",
        ],
    ),
    (GameResult::Draw, &["draw", "drawn", "d", "tie", "tied", "remis", "="]),
];

/// Reads a trimmed cell.
pub(super) fn written(text: &[u8]) -> Written {
    if is_missing(text) {
        return Written::None(LeftOutCause::NoResult);
    }
    let text = plain(text);
    if is_missing(&text) {
        return Written::None(LeftOutCause::NoResult);
    }
    let Ok(text) = std::str::from_utf8(&text) else { return Written::Other };
    // Of both players.
    let is_missing_twice =
        |(first, second): (&str, &str)| first.len() > 1 && first == second && is_missing(first.as_bytes());
    if text.split_once(':').is_some_and(is_missing_twice) {
        return Written::None(LeftOutCause::NoResult);
    }
    if let Some((_, cause)) = NONE.iter().find(|(word, _)| *word == text) {
        return Written::None(*cause);
    }
    if let Some(number) = number(text) {
        return Written::Number(number);
    }
    // The first character may be the sign of the first number.
    for (place, _) in text.match_indices(['-', ':']).filter(|(place, _)| *place > 0) {
        if let Some((first, second)) = number(&text[..place]).zip(number(&text[place + 1..])) {
            return Written::Numbers([first, second]);
        }
    }
    let lower = text.to_lowercase();
    if lower == "x" {
        return Written::Cross;
    }
    let word = WORDS.iter().find(|(_, words)| words.contains(&&lower[..]));
    word.map_or(Written::Other, |(result, _)| Written::Word(*result))
}

/// A number in thousandths, with a point or a comma. `-0` is none: it may be the rest of `1-0`.
fn number(text: &str) -> Option<i32> {
    const DIGITS_MAX: usize = 6;
    if ["1/2", "½"].contains(&text) {
        return Some(500);
    }
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    let (whole, part) = match digits.split_once(['.', ',']) {
        Some((whole, part)) => (whole, Some(part)),
        None => (digits, None),
    };
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let part_digits = part.unwrap_or_default().trim_end_matches('0');
    if !are_digits(whole)
        || !are_digits(part.unwrap_or_default())
        || whole.len() > DIGITS_MAX
        || part_digits.len() > 3
        || whole.is_empty() && part.unwrap_or_default().is_empty()
        || whole.len() > 1 && whole.starts_with('0')
    {
        return None;
    }
    let whole: i32 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let part_number: i32 = if part_digits.is_empty() { 0 } else { part_digits.parse().ok()? };
    let thousandths = part_number * [1_000, 100, 10, 1][part_digits.len()];
    let number = sign * (1_000 * whole + thousandths);
    (number != 0 || part.is_some() || text == "0").then_some(number)
}

/// A result without white space, and with `-` for every dash and `/` for every fraction slash.
pub(super) fn plain(text: &[u8]) -> Cow<'_, [u8]> {
    if text.is_ascii() && !text.iter().any(u8::is_ascii_whitespace) {
        return text.into();
    }
    let Ok(text) = std::str::from_utf8(text) else { return text.into() };
    let characters = text.chars().filter(|character| !character.is_whitespace()).map(|character| match character {
        // Hyphens and dashes, the minus sign, and the small and full-width forms of a hyphen.
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '\u{2044}' | '\u{2215}' => '/',
        other => other,
    });
    characters.collect::<String>().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_however_precisely_they_are_written() {
        for (text, expected) in [
            ("1", Some(1_000)),
            ("1.", Some(1_000)),
            ("1,0", Some(1_000)),
            ("+1.000000", Some(1_000)),
            ("-1", Some(-1_000)),
            (".5", Some(500)),
            ("0,5", Some(500)),
            ("1/2", Some(500)),
            ("-0.0", Some(0)),
            ("100", Some(100_000)),
            ("0.125", Some(125)),
            ("-0", None),
            ("+0", None),
            ("00", None),
            ("01", None),
            ("0.0001", None),
            ("1234567", None),
            ("", None),
            ("-", None),
            (".", None),
            ("1,0,0", None),
            ("1e0", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
        assert_eq!(written(b"-1:1"), Written::Numbers([-1_000, 1_000]));
        assert_eq!(written(b"1--1"), Written::Numbers([1_000, -1_000]));
        assert_eq!(written(b"1--0"), Written::Other);
    }
}
