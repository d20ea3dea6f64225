//! What an analysis says of the games.

use arena_core::analysis::{Mark, Marks, short};
use arena_core::solver::{Known, Outlook};

use super::varint::{push, push_text};

/// The bit of an analysed game.
const ANALYSED: usize = 4;

/// The columns `decided` and `gave` of a game.
pub(super) fn listed(marks: Option<&Marks>) -> [usize; 2] {
    marks.map_or([0; 2], |marks| {
        let [first, second] = marks.gave_away().map(usize::from);
        [marks.decided_at().map_or(0, |ply| ply + 1), ANALYSED + first + 2 * second]
    })
}

/// The results with best play and what is said of moves.
pub(super) fn encode(marks: &Marks, bytes: &mut Vec<u8>) {
    let seen = marks.outlooks_of_first();
    let letter =
        |outlook: &Option<Outlook>| outlook.map_or_else(|| "?".to_owned(), |outlook| short(Known::Result(outlook)));
    push_text(bytes, &seen.iter().map(letter).collect::<String>());
    let from = marks.from();
    let said = |ply: usize| {
        let mark: &Mark = marks.at(ply)?;
        Some((ply + 1, mark.values()?, mark.words()?))
    };
    let said: Vec<(usize, String, String)> = (from..from + seen.len()).filter_map(said).collect();
    push(bytes, said.len() as u64);
    for (ply, values, words) in said {
        push(bytes, ply as u64);
        push_text(bytes, &format!("{values}, {words}"));
    }
}
