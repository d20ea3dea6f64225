//! Detects games that a journal has more than once.

use std::collections::HashMap;
use std::fmt;

use arena_core::event::GameId;
use arena_core::record::{GameResult, Status};
use arena_core::schedule::Brief;

/// The games of a journal so far.
#[derive(Debug, Default)]
pub struct SeenGames {
    /// The line and outcome of each game.
    games: HashMap<GameId, (usize, SeenOutcome)>,
    /// The duplicate records.
    pub twice: Twice,
}

/// Result, statuses, and a hash of the moves.
type SeenOutcome = (GameResult, [Status; 2], u64);

/// How a record relates to earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sighting {
    /// The first record of the game.
    New,
    /// Equal to an earlier record.
    Again,
    /// Different from the record on this line.
    Contradiction(usize),
}

impl SeenGames {
    /// Adds the game on the line with this number.
    pub fn note(&mut self, brief: &Brief, number: usize) -> Sighting {
        let outcome = (brief.result, brief.statuses, brief.moves);
        match self.games.get(&brief.id) {
            None => {
                self.games.insert(brief.id, (number, outcome));
                Sighting::New
            }
            Some((_, earlier)) if *earlier == outcome => {
                self.twice.note(number);
                Sighting::Again
            }
            Some((earlier, _)) => Sighting::Contradiction(*earlier),
        }
    }
}

/// Duplicate records. They do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Twice {
    lines: usize,
    first: usize,
}

impl Twice {
    fn note(&mut self, number: usize) {
        if self.lines == 0 {
            self.first = number;
        }
        self.lines += 1;
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.lines == 0
    }
}

impl fmt::Display for Twice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = match self.lines {
            1 => format!("line {} is a duplicate", self.first),
            lines => format!("{lines} lines are duplicates, the first of them line {}", self.first),
        };
        write!(f, "{lines}: harmless, the first record of a game counts")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn a_repetition_is_no_contradiction() {
        let event = fixture::event(&["a", "b"]);
        let schedule = fixture::schedule(&event);
        let mut seen = SeenGames::default();
        let brief = |game: usize, result, us| Brief::of(&fixture::record(&event, &schedule[game], result, us), 0, 0);
        assert_eq!(seen.note(&brief(0, GameResult::Draw, 1), 2), Sighting::New);
        assert_eq!(seen.note(&brief(1, GameResult::Draw, 1), 3), Sighting::New);
        // The fixture derives moves from microseconds.
        assert_eq!(seen.note(&brief(0, GameResult::Draw, 8), 4), Sighting::Again);
        assert_eq!(seen.note(&brief(0, GameResult::Draw, 2), 5), Sighting::Contradiction(2));
        assert_eq!(seen.note(&brief(1, GameResult::Void, 1), 6), Sighting::Contradiction(3));
        assert_eq!(seen.note(&brief(0, GameResult::Draw, 1), 7), Sighting::Again);
    }

    #[test]
    fn it_is_one_sentence() {
        let mut twice = Twice::default();
        assert!(twice.is_empty());
        twice.note(7);
        insta::assert_snapshot!(twice, @"line 7 is a duplicate: harmless, the first record of a game counts");
        twice.note(9);
        insta::assert_snapshot!(twice, @"2 lines are duplicates, the first of them line 7: harmless, the first record of a game counts");
    }
}
