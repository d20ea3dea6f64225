//! What an analysis says of the games.

use serde_json::{Value, json};

use super::varint::{push, push_text};
use crate::analysis::{Mark, Marks};
use crate::solver::Outlook;

/// The bit of an analysed game.
const ANALYSED: usize = 4;

/// What the list of games shows, one after the other.
#[derive(Debug, Default)]
pub(super) struct ListedMarks {
    /// The columns `decided` and `gave` of the format.
    games: Vec<[usize; 2]>,
    has_any: bool,
}

impl ListedMarks {
    pub(super) fn add(&mut self, marks: Option<&Marks>) {
        let listed = marks.map_or([0; 2], |marks| {
            let [first, second] = marks.gave_away().map(usize::from);
            [marks.decided_at().map_or(0, |ply| ply + 1), ANALYSED + first + 2 * second]
        });
        self.has_any |= marks.is_some();
        self.games.push(listed);
    }

    /// As JSON; `None` if no game is analysed.
    pub(super) fn json(&self) -> Option<Value> {
        let column = |place: usize| self.games.iter().map(|game| game[place]).collect::<Vec<usize>>();
        self.has_any.then(|| json!({ "decided": column(0), "gave": column(1) }))
    }
}

/// The results with best play and what is said of moves.
pub(super) fn encode(marks: &Marks, bytes: &mut Vec<u8>) {
    let seen = marks.outlooks_of_first();
    let letter = |outlook: &Option<Outlook>| match outlook {
        Some(Outlook::Win) => 'W',
        Some(Outlook::Draw) => 'D',
        Some(Outlook::Loss) => 'L',
        None => '?',
    };
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
