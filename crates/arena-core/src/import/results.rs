//! Notations of results.

use std::borrow::Cow;

use super::LeftOutCause;
use crate::record::GameResult::{self, Draw, FirstWins, SecondWins};

/// Notations of other tools; a single number is the score of the first seat.
const WORDS: [(&str, Result<GameResult, LeftOutCause>); 31] = [
    ("1-0", Ok(FirstWins)),
    ("0-1", Ok(SecondWins)),
    ("1/2-1/2", Ok(Draw)),
    ("*", Err(LeftOutCause::Unfinished)),
    ("void", Err(LeftOutCause::Void)),
    ("½-½", Ok(Draw)),
    ("0.5-0.5", Ok(Draw)),
    ("0,5-0,5", Ok(Draw)),
    ("1", Ok(FirstWins)),
    ("0", Ok(SecondWins)),
    ("0.5", Ok(Draw)),
    // Spreadsheets in some countries.
    ("0,5", Ok(Draw)),
    ("1/2", Ok(Draw)),
    ("½", Ok(Draw)),
    // Programs that write all numbers with equal precision.
    ("1.0", Ok(FirstWins)),
    ("0.0", Ok(SecondWins)),
    (".5", Ok(Draw)),
    ("", Err(LeftOutCause::NoResult)),
    ("?", Err(LeftOutCause::NoResult)),
    ("0-0", Err(LeftOutCause::NoPoints)),
    // Forfeits, as programs for tournaments of people write them.
    ("-", Err(LeftOutCause::Unplayed)),
    ("+/-", Err(LeftOutCause::Unplayed)),
    ("-/+", Err(LeftOutCause::Unplayed)),
    ("-/-", Err(LeftOutCause::Unplayed)),
    ("+:-", Err(LeftOutCause::Unplayed)),
    ("-:+", Err(LeftOutCause::Unplayed)),
    ("-:-", Err(LeftOutCause::Unplayed)),
    ("+--", Err(LeftOutCause::Unplayed)),
    ("--+", Err(LeftOutCause::Unplayed)),
    ("1-0F", Err(LeftOutCause::Unplayed)),
    ("0-1F", Err(LeftOutCause::Unplayed)),
];

/// Reads a result, or why its game is left out.
pub(super) fn result(text: &[u8]) -> Result<GameResult, LeftOutCause> {
    let known = |text: &[u8]| WORDS.iter().find(|(word, _)| word.as_bytes() == text).map(|(_, result)| *result);
    known(text).or_else(|| known(&plain(text))).unwrap_or(Err(LeftOutCause::UnknownResult))
}

/// Reads the word that ends the moves of a game. A number alone belongs to a move, and `0-0` is castling.
pub(super) fn end_of_moves(word: &[u8]) -> Option<Result<GameResult, LeftOutCause>> {
    const BYTES_MAX: usize = 15;
    let is_short = word.len() <= BYTES_MAX && word.first().is_some_and(|byte| b"*01\xc2".contains(byte));
    let result = is_short.then(|| result(word))?;
    let is_end = match result {
        Ok(_) => plain(word).contains(&b'-'),
        Err(cause) => cause == LeftOutCause::Unfinished,
    };
    is_end.then_some(result)
}

/// A result without white space, and with `-` for every dash and `/` for every fraction slash.
fn plain(text: &[u8]) -> Cow<'_, [u8]> {
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
    fn dashes_and_fractions_of_spreadsheets_are_results() {
        let draws = ["½–½", "½−½", "1/2—1/2", "1⁄2‐1⁄2", " ½ - ½ ", "0,5 – 0,5", "1/2\u{a0}-\u{a0}1/2", "½－½"];
        for draw in draws {
            assert_eq!(result(draw.as_bytes()), Ok(Draw), "{draw}");
        }
        for (text, expected) in [
            ("1–0", Ok(FirstWins)),
            ("0 − 1", Ok(SecondWins)),
            ("–", Err(LeftOutCause::Unplayed)),
            ("+/−", Err(LeftOutCause::Unplayed)),
            ("0–0", Err(LeftOutCause::NoPoints)),
            ("\u{a0}", Err(LeftOutCause::NoResult)),
            ("1–1", Err(LeftOutCause::UnknownResult)),
            ("–1", Err(LeftOutCause::UnknownResult)),
        ] {
            assert_eq!(result(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(result(b"1-0\xff"), Err(LeftOutCause::UnknownResult));
    }

    #[test]
    fn moves_and_their_numbers_are_no_end() {
        for (word, expected) in [
            ("1-0", Some(Ok(FirstWins))),
            ("0–1", Some(Ok(SecondWins))),
            ("½-½", Some(Ok(Draw))),
            ("1/2-1/2", Some(Ok(Draw))),
            ("*", Some(Err(LeftOutCause::Unfinished))),
            ("0-0", None),
            ("0-0-0", None),
            ("1", None),
            ("1/2", None),
            ("1.0", None),
            ("", None),
            ("-", None),
            ("void", None),
        ] {
            assert_eq!(end_of_moves(word.as_bytes()), expected, "{word}");
        }
    }
}
