//! Moves as a person types them.

use arena_core::rules::{Move, State, illegal_move};

use arena_core::text::shown;

use super::SittingError;

/// Reads a legal move: `3`, `1,2`, `1 2`, `[1,2]`, `12` where each number has one digit, a word `d3`, and any JSON.
///
/// # Errors
///
/// Returns what is wrong with it, with moves that are legal.
pub fn read_move(text: &str, state: &dyn State) -> Result<Move, SittingError> {
    let text = text.trim();
    if state.legal_count() == 0 {
        return Err(SittingError::Over);
    }
    let first = state.nth_legal(0);
    let played = parse(text, &first);
    // What a move is called may be the name of another one.
    if let Some(played) = played.as_ref().filter(|played| state.is_legal(played)) {
        return Ok(played.clone());
    }
    if let Some(played) = state.called(text) {
        return Ok(played);
    }
    let bad = || SittingError::NotAMove { typed: text.to_owned(), example: plain(&first) };
    Err(illegal_move(state, &played.ok_or_else(bad)?).into())
}

/// A move as it is typed: `3`, `1,2` or `d3`; JSON where that would not tell which move is meant.
#[must_use]
pub fn plain(played: &Move) -> String {
    match played {
        Move::Text(word) if is_plain(word) => word.clone(),
        Move::Text(_) | Move::Parts(_) => played.to_string(),
        Move::Int(_) | Move::List(_) => played.to_string().trim_matches(['[', ']']).to_owned(),
    }
}

/// What people call a move that is to be made, escaped: what its rules call it, or as it is typed.
pub(super) fn word(state: &dyn State, played: &Move) -> String {
    shown(&state.label(played).unwrap_or_else(|| plain(played)))
}

/// Whether a word needs no quotes.
fn is_plain(word: &str) -> bool {
    let is_visible = |c: char| !c.is_whitespace() && !c.is_control();
    !word.is_empty() && !word.starts_with(['[', '"']) && word.chars().all(is_visible)
}

fn parse(text: &str, example: &Move) -> Option<Move> {
    if text.starts_with(['[', '"']) {
        return serde_json::from_str(text).ok();
    }
    if matches!(example, Move::Text(_)) {
        // Also one of several words.
        let is_text = !text.is_empty() && !text.chars().any(char::is_control);
        return is_text.then(|| Move::Text(text.to_owned()));
    }
    let words: Vec<&str> = text.split([',', ' ', '\t']).filter(|word| !word.is_empty()).collect();
    let numbers = |words: &[&str]| words.iter().map(|word| word.parse::<i64>().ok()).collect::<Option<Vec<_>>>();
    match (example, words.as_slice()) {
        (Move::Int(_), [word]) => Some(Move::Int(word.parse().ok()?)),
        (Move::List(list), [digits])
            if list.len() > 1 && digits.len() == list.len() && digits.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            Some(Move::List(digits.bytes().map(|byte| i64::from(byte - b'0')).collect()))
        }
        (Move::List(_), [_, ..]) => Some(Move::List(numbers(&words)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use arena_core::rules::Variant;

    use super::*;

    #[track_caller]
    fn check(game: &str, text: &str, expected: &str) {
        let state = Variant::named(game).unwrap().start(1).unwrap();
        let read = read_move(text, state.as_ref()).map(|played| played.to_string());
        assert_eq!(read.unwrap_or_else(|why| why.to_string()), expected);
    }

    #[test]
    fn a_move_is_typed_as_people_write_it() {
        check("connect4", " 3 ", "3");
        check("tictactoe", "1,2", "[1,2]");
        check("tictactoe", "1 2", "[1,2]");
        check("tictactoe", "12", "[1,2]");
        check("tictactoe", "[1, 2]", "[1,2]");
        check("mastermind", "0012", "[0,0,1,2]");
        check("mastermind", "0 0 1 2", "[0,0,1,2]");
        check("marbles", "2", "2");
    }

    #[test]
    fn a_wrong_move_is_explained() {
        check("connect4", "a", "`a` is not a move; write one as 0");
        check("connect4", "", "`` is not a move; write one as 0");
        check("connect4", "3 4", "`3 4` is not a move; write one as 0");
        check("connect4", "9", "move 9 is not legal; legal: 0, 1, 2, 3, 4, 5, 6");
        check(
            "tictactoe",
            "1",
            "move [1] is not legal; legal: [0,0], [0,1], [0,2], [1,0], [1,1], [1,2], [2,0], [2,1], [2,2]",
        );
        check("tictactoe", "[1", "`[1` is not a move; write one as 0,0");
        check(
            "mastermind",
            "0 0 1",
            "move [0,0,1] is not legal; legal: [0,0,0,0], [0,0,0,1], [0,0,0,2], [0,0,0,3], [0,0,0,4], [0,0,0,5], [0,0,1,0], [0,0,1,1], [0,0,1,2], … (1296 in all)",
        );
    }
}
