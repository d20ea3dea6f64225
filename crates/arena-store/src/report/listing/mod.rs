//! The games of a results folder as rows: what a list of games shows and filters, so that a million of them fits into memory.

mod columns;
mod filter;
mod read;

use std::collections::HashMap;

use arena_core::event::GameId;
use arena_core::record::{GameResult, Record, Status, reason_in_words};
use arena_core::rules::{Seat, Variant};

pub use columns::ListColumns;
pub use filter::{FILTER_WORDS, Filter, FilterError, filter_word};
pub use read::read_games_csv;

/// A game in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedGame {
    /// Which game it is.
    pub id: GameId,
    /// The longest time of a move, in microseconds; `None` if no bot made one.
    pub slowest_us: Option<u64>,
    /// Round, from 1; 0 for a game outside a tournament.
    pub round: u32,
    /// Number of its pair, from 1; 0 for a game outside a tournament.
    pub pair: u32,
    /// Indices of the bots in [`List::bots`], by seat.
    pub bots: [u32; 2],
    /// Moves, those of the opening included.
    pub plies: u32,
    /// Index in [`List::reasons`].
    pub reason: u32,
    /// Index in [`List::folders`].
    pub folder: u16,
    /// Who won.
    pub result: GameResult,
    /// The status of each seat.
    pub statuses: [Status; 2],
    /// Whether a move of each seat gave the result away, as far as an analysis knows.
    pub gave_away: [bool; 2],
}

/// Games, and the words that many of them share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct List {
    /// The games, those of a tournament in the order of its schedule.
    pub rows: Vec<ListedGame>,
    /// Names of bots.
    pub bots: NumberedWords,
    /// Why games ended: as files have it, a newline, and in words. Both are found.
    pub reasons: NumberedWords,
    /// By folder and game, the seats and plies of the moves that gave the result away, as far as an analysis knows; the
    /// first move of a game has ply 0.
    pub given_away: HashMap<(u16, GameId), Vec<(Seat, usize)>>,
    /// Names of the folders with the games.
    pub folders: Vec<String>,
}

/// Different words, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NumberedWords {
    words: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl NumberedWords {
    /// The number of a word, which is added if it is new.
    pub fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = self.words.len() as u32;
        self.words.push(word.to_owned());
        self.numbers.insert(word.to_owned(), number);
        number
    }

    /// All words, by number.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }
}

impl List {
    /// The number of a reason, in a game of `variant`.
    fn reason(&mut self, reason: &str, variant: Option<&Variant>) -> u32 {
        self.reasons.number(&format!("{reason}\n{}", reason_in_words(reason, variant)))
    }

    /// The row of `record`, outside a tournament, of a new folder that will be the last of [`List::folders`].
    pub fn row_of(&mut self, record: &Record) -> ListedGame {
        ListedGame {
            id: GameId::of(&record.id),
            slowest_us: record.played.iter().map(|played| played.us).max(),
            round: 0,
            pair: 0,
            bots: record.bots.each_ref().map(|bot| self.bots.number(&bot.name)),
            plies: record.moves.len() as u32,
            reason: self.reason(&record.reason, Variant::from_json(&record.game, &record.params).ok().as_ref()),
            folder: self.folders.len() as u16,
            result: record.result,
            statuses: record.statuses,
            gave_away: [false; 2],
        }
    }
}

#[cfg(test)]
impl ListedGame {
    /// A game for tests: of nine moves, won by the bot that moved first.
    fn sample(id: GameId, bots: [u32; 2], reason: u32) -> Self {
        Self {
            id,
            slowest_us: None,
            round: 1,
            pair: 1,
            bots,
            plies: 9,
            reason,
            folder: 0,
            result: GameResult::FirstWins,
            statuses: [Status::Ok; 2],
            gave_away: [false; 2],
        }
    }
}
