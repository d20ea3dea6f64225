//! Games that are left out, by cause.

use std::fmt;

use serde::Serialize;

use crate::text::{counted, shown};

/// Number of games whose places are kept for each cause.
const PLACES_MAX: usize = 3;

/// Why a game is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOutCause {
    /// The result `void`.
    Void,
    /// The result `*`.
    Unfinished,
    /// There is no result, or its tag or cell is empty.
    NoResult,
    /// Neither player got a point: `0-0`.
    NoPoints,
    /// The result of a game that was not played, such as `+/-`, or a PGN tag `Termination` that says so.
    Unplayed,
    /// The result is in no known notation.
    UnknownResult,
    /// A player has no name.
    NoName,
    /// A player's name is longer than tables allow.
    LongName,
    /// A bye, or an unknown player.
    Bye,
    /// Both players are the same.
    Itself,
    /// A PGN tag is cut or damaged.
    Tag,
    /// A PGN comment is not closed.
    Comment,
    /// Text of a PGN file without tags.
    Untagged,
    /// The row has more or fewer cells than the header.
    Cells,
    /// A quoted cell has other rows in it.
    Quote,
    /// Another record of the same game counts.
    Copy,
}

impl LeftOutCause {
    /// Whether such games are usual, so that they are no reason to doubt a file.
    #[must_use]
    pub const fn is_usual(self) -> bool {
        matches!(self, Self::Void | Self::Unfinished)
    }

    /// What a game of this kind is, after the word *game*.
    const fn phrase(self) -> &'static str {
        match self {
            Self::Void => "with the result void",
            Self::Unfinished => "with the result *",
            Self::NoResult => "without a result",
            Self::NoPoints => "with no points for both players",
            Self::Unplayed => "won or drawn without playing",
            Self::UnknownResult => "with an unknown result",
            Self::NoName => "without the name of a player",
            Self::LongName => "with too long a name",
            Self::Bye => "with a bye or an unknown player",
            Self::Itself => "of a player against itself",
            Self::Tag => "with a damaged tag",
            Self::Comment => "with an open comment",
            Self::Untagged => "without tags",
            Self::Cells => "with another number of cells than the header",
            Self::Quote => "in a quoted cell of another one",
            Self::Copy => "recorded more than once",
        }
    }

    /// What to do about it.
    const fn cure(self) -> &'static str {
        match self {
            Self::UnknownResult => "; write 1-0, 0-1, 1/2-1/2, * (unfinished) or void",
            Self::Untagged => "; a game begins with tags such as [White \"ann\"]",
            Self::Comment => "; is its `}` missing?",
            Self::Cells => "; a name with a comma or a quote must be quoted: \"a, b\"",
            Self::Quote => "; is a quote missing?",
            Self::Copy => "; each counts once",
            _ => "",
        }
    }

    /// Describes one game of this kind.
    pub(super) fn mistake(self, detail: &str) -> String {
        let colon = if detail.is_empty() { "" } else { ": " };
        format!("a game {}{colon}{detail}{}", self.phrase(), self.cure())
    }
}

/// The place of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GamePlace {
    /// Name of the file.
    pub file: String,
    /// Number of the line, from 1.
    pub line: u64,
    /// What is there, escaped; may be empty.
    pub detail: String,
}

/// Games of one kind: how many, and where the first ones are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GamePlaces {
    /// Number of games.
    pub games: usize,
    /// The places of the first three.
    pub first: Vec<GamePlace>,
}

impl GamePlaces {
    /// Adds games whose first one is at this place. `detail` is made only if it is kept.
    pub(super) fn add(&mut self, games: usize, file: &str, line: u64, detail: impl FnOnce() -> String) {
        self.games += games;
        if self.first.len() < PLACES_MAX {
            self.first.push(GamePlace { file: file.to_owned(), line, detail: detail() });
        }
    }

    fn append(&mut self, mut other: Self) {
        self.games += other.games;
        self.first.append(&mut other.first);
        self.first.truncate(PLACES_MAX);
    }
}

/// `games.pgn line 3, line 20: …; and 5 more`.
impl fmt::Display for GamePlaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut file = "";
        for (number, place) in self.first.iter().enumerate() {
            f.write_str(if number > 0 { ", " } else { "" })?;
            if place.file != file {
                write!(f, "{} ", place.file)?;
                file = &place.file;
            }
            write!(f, "line {}", place.line)?;
            if !place.detail.is_empty() {
                write!(f, ": {}", place.detail)?;
            }
        }
        match self.games.saturating_sub(self.first.len()) {
            0 => Ok(()),
            more => write!(f, ", and {more} more"),
        }
    }
}

/// Games that are left out for one cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOutGames {
    /// The cause.
    pub cause: LeftOutCause,
    /// The games.
    #[serde(flatten)]
    pub places: GamePlaces,
}

/// `2 games of a player against itself (games.pgn line 13, line 20)`.
impl fmt::Display for LeftOutGames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cause, places } = self;
        write!(f, "{} {} ({places}){}", counted(places.games, "game"), cause.phrase(), cause.cure())
    }
}

/// Foreign text for messages.
pub(super) fn quoted(text: &[u8]) -> String {
    format!("`{}`", shown(&String::from_utf8_lossy(text)))
}

/// The games for a cause.
pub(super) fn of_cause(all: &mut Vec<LeftOutGames>, cause: LeftOutCause) -> &mut GamePlaces {
    let place = all.iter().position(|left_out| left_out.cause == cause).unwrap_or_else(|| {
        all.push(LeftOutGames { cause, places: GamePlaces::default() });
        all.len() - 1
    });
    &mut all[place].places
}

/// Adds those of another file.
pub(super) fn append(all: &mut Vec<LeftOutGames>, others: Vec<LeftOutGames>) {
    for LeftOutGames { cause, places } in others {
        of_cause(all, cause).append(places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_three_places_are_named() {
        let mut all = Vec::new();
        for (file, lines) in [("a", vec![3, 20]), ("b", vec![1, 2, 9])] {
            let mut of_file = Vec::new();
            for line in lines {
                of_cause(&mut of_file, LeftOutCause::Comment).add(1, file, line, String::new);
            }
            of_cause(&mut of_file, LeftOutCause::UnknownResult).add(1, file, 7, || "`2-0`".to_owned());
            append(&mut all, of_file);
        }
        of_cause(&mut all, LeftOutCause::Unplayed).add(1, "b", 4, String::new);
        let said: Vec<String> = all.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(said.join("\n"), @"
        5 games with an open comment (a line 3, line 20, b line 1, and 2 more); is its `}` missing?
        2 games with an unknown result (a line 7: `2-0`, b line 7: `2-0`); write 1-0, 0-1, 1/2-1/2, * (unfinished) or void
        1 game won or drawn without playing (b line 4)
        ");
    }
}
