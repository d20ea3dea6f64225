//! Why a game ended, in words for people. Files keep the identifiers.

use super::Status;
use crate::rules::Variant;

/// The reason of a game that reached the maximum number of plies.
pub const MAX_PLIES: &str = "max_plies";

/// The words for `reason`: those of the game if it declares the reason, else the identifier with spaces. Other text stays as
/// it is.
#[must_use]
pub fn reason_in_words(reason: &str, variant: Option<&Variant>) -> String {
    if let Some(words) = variant.and_then(|variant| variant.reason_in_words(reason)) {
        return words;
    }
    let is_identifier = reason.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    match reason {
        MAX_PLIES => "the maximum number of moves".to_owned(),
        _ if is_identifier => reason.replace('_', " "),
        _ => reason.to_owned(),
    }
}

impl Status {
    /// The name with spaces, for people.
    #[must_use]
    pub fn words(self) -> String {
        self.name().replace('_', " ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(game: &str, reason: &str, expected: &str) {
        assert_eq!(reason_in_words(reason, game.parse().ok().as_ref()), expected, "{game}");
    }

    #[test]
    fn reasons_are_words_of_their_game() {
        check("connect4", "line", "four in a row");
        check("connect4:connect=5", "line", "five in a row");
        check("tictactoe", "line", "three in a row");
        check("mnk:rows=20,cols=20,k=13", "line", "13 in a row");
        check("connect4", "board_full", "the board is full");
        check("marbles", "last_marble", "no marble is left to take");
        check("mastermind", "code_broken", "the code was broken in fewer guesses");
        check("no_such_game", "line", "line");
        check("connect4", "illegal_move", "illegal move");
        check("connect4", MAX_PLIES, "the maximum number of moves");
        check("connect4", "reading /tmp/a_b: no such file", "reading /tmp/a_b: no such file");
    }
}
