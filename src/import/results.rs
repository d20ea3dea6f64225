//! Notations of results.

use crate::record::GameResult::{self, Draw, FirstWins, SecondWins, Void};
use crate::text::shown;

/// Notations of other tools; a single number is the score of the first seat. `None` means an unfinished game.
const WORDS: [(&str, Option<GameResult>); 17] = [
    ("1-0", Some(FirstWins)),
    ("0-1", Some(SecondWins)),
    ("1/2-1/2", Some(Draw)),
    ("void", Some(Void)),
    ("*", None),
    ("½-½", Some(Draw)),
    ("0.5-0.5", Some(Draw)),
    ("0,5-0,5", Some(Draw)),
    ("1", Some(FirstWins)),
    ("0", Some(SecondWins)),
    ("0.5", Some(Draw)),
    // Spreadsheets in some countries.
    ("0,5", Some(Draw)),
    ("1/2", Some(Draw)),
    ("½", Some(Draw)),
    // Programs that write all numbers with equal precision.
    ("1.0", Some(FirstWins)),
    ("0.0", Some(SecondWins)),
    (".5", Some(Draw)),
];

/// Reads a result: `None` if the game was not finished.
pub(super) fn result(text: &[u8]) -> Result<Option<GameResult>, String> {
    let text = text.trim_ascii();
    WORDS.iter().find(|(word, _)| word.as_bytes() == text).map(|(_, result)| *result).ok_or_else(|| {
        let text = shown(&String::from_utf8_lossy(text));
        format!("`{text}` is not a result; write 1-0, 0-1, 1/2-1/2, * (unfinished) or void")
    })
}
