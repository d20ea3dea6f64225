//! Results of PGN, whose notation is fixed.

use crate::import::LeftOutCause;
use crate::import::results::{Written, plain, written};
use crate::import::scale::Scale;
use crate::record::GameResult;

/// Reads a result of PGN, or why its game is left out.
pub(super) fn result(text: &[u8]) -> Result<GameResult, LeftOutCause> {
    match written(text) {
        Written::None(cause) => Err(cause),
        written => Scale::Points.meaning(written).unwrap_or(Err(LeftOutCause::UnknownResult)),
    }
}

/// Reads the word that ends the moves of a game. A number alone belongs to a move, and `0-0` is castling.
pub(super) fn end_of_moves(word: &[u8]) -> Option<Result<GameResult, LeftOutCause>> {
    const BYTES_MAX: usize = 15;
    let is_short = word.len() <= BYTES_MAX && word.first().is_some_and(|byte| b"*01\xc2".contains(byte));
    // Most words that begin so are numbers of moves.
    let may_be_end = is_short && (word == b"*" || word.contains(&b'-') || !word.is_ascii());
    let written = may_be_end.then(|| written(word))?;
    match written {
        Written::Numbers(_) if plain(word).contains(&b'-') => {
            Scale::Points.meaning(written).filter(std::result::Result::is_ok)
        }
        Written::None(LeftOutCause::Unfinished) => Some(Err(LeftOutCause::Unfinished)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use GameResult::{Draw, FirstWins, SecondWins};

    #[test]
    fn dashes_and_fractions_of_spreadsheets_are_results() {
        let draws = ["½–½", "½−½", "1/2—1/2", "1⁄2‐1⁄2", " ½ - ½ ", "0,5 – 0,5", "1/2\u{a0}-\u{a0}1/2", "½－½"];
        for draw in draws {
            assert_eq!(result(draw.as_bytes()), Ok(Draw), "{draw}");
        }
        for (text, expected) in [
            ("1–0", Ok(FirstWins)),
            ("0 − 1", Ok(SecondWins)),
            ("1.0-0.0", Ok(FirstWins)),
            ("0,0 : 1,0", Ok(SecondWins)),
            ("–", Err(LeftOutCause::NoResult)),
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
            ("1:0", None),
            ("", None),
            ("-", None),
            ("void", None),
        ] {
            assert_eq!(end_of_moves(word.as_bytes()), expected, "{word}");
        }
    }
}
