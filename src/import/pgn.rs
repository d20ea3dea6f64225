//! Reads games in portable game notation, the format of chess programs. Reads only the tags `White`, `Black`, `Result`,
//! `Round`, `FEN` and `SetUp`. Moves are compared to find repeated games, and not interpreted.

mod moves;
mod tag;
#[cfg(test)]
mod tests;

use std::io::Read;

use moves::Moves;
use tag::Tag;

use super::lines::Lines;
use super::reading::{Label, Reading, Row};
use super::results::result;
use super::rounds::Rounds;
use super::{PairMode, Paired, TableError};

/// The tags that are read.
const TAGS: [&str; 6] = ["White", "Black", "Result", "Round", "FEN", "SetUp"];
const WHITE: usize = 0;
const BLACK: usize = 1;
const RESULT: usize = 2;
const ROUND: usize = 3;
const FEN: usize = 4;
const SETUP: usize = 5;
/// Tags of every game. One of them within a comment shows that the comment was not closed.
const ROSTER: [&str; 5] = ["Event", "White", "Black", "Result", "Round"];

/// Reads the named file.
pub(super) fn read(reading: &mut Reading, name: &str, input: impl Read) -> Result<(), TableError> {
    let mut lines = Lines::new(input);
    let mut pgn = Pgn { reading, name, paired: None, rounds: Rounds::default(), game: Game::default(), comment: None };
    let mut line = Vec::new();
    while lines.read(&mut line).map_err(csv::Error::from)? {
        pgn.line(&line, lines.number)?;
    }
    pgn.end()
}

/// The game that is being read.
#[derive(Default)]
struct Game {
    /// The line of its first tag; 0 before it.
    line: u64,
    tags: [Option<Vec<u8>>; TAGS.len()],
    /// Whether an empty line followed its tags.
    is_parted: bool,
    moves: Moves,
}

struct Pgn<'a> {
    reading: &'a mut Reading,
    name: &'a str,
    /// How its games are paired; `None` before the first game.
    paired: Option<Paired>,
    rounds: Rounds,
    game: Game,
    /// The line of the comment in braces that is open.
    comment: Option<u64>,
}

impl Pgn<'_> {
    fn line(&mut self, line: &[u8], number: u64) -> Result<(), TableError> {
        let wrong = |what: String| TableError::Row { line: number, what };
        let mut rest = line;
        if let Some(from) = self.comment {
            if tag::read(line.trim_ascii_start()).is_ok_and(|(tag, _)| tag.is_any(&ROSTER)) {
                let what = format!("there is a tag in the comment that begins on line {from}; is its `}}` missing?");
                return Err(wrong(what));
            }
            rest = &[];
        } else if line.starts_with(b"%") {
            return Ok(());
        }
        if let (Some(_), Some(end)) = (self.comment, memchr::memchr(b'}', line)) {
            self.comment = None;
            rest = &line[end + 1..];
        }
        self.game.is_parted |= line.trim_ascii().is_empty();
        loop {
            rest = rest.trim_ascii_start();
            match rest {
                [] | [b';', ..] => return Ok(()),
                [b'[', ..] => {
                    let (tag, after) = tag::read(rest).map_err(wrong)?;
                    self.tag(tag, number)?;
                    rest = after;
                }
                [b'{', ..] => {
                    let Some(end) = memchr::memchr(b'}', rest) else {
                        self.comment = Some(number);
                        return Ok(());
                    };
                    rest = &rest[end + 1..];
                }
                _ if self.game.line == 0 => {
                    return Err(wrong("there is text before the first tag, such as [White \"ann\"]".to_owned()));
                }
                _ => {
                    let start = self.game.tags[FEN].as_deref().unwrap_or_default();
                    rest = self.game.moves.read(start, rest).map_err(wrong)?;
                }
            }
        }
    }

    fn tag(&mut self, tag: Tag, line: u64) -> Result<(), TableError> {
        let place = TAGS.iter().position(|name| tag.is_any(&[name]));
        let tags = &self.game.tags;
        let is_whole = self.game.is_parted && [WHITE, BLACK, RESULT].iter().all(|place| tags[*place].is_some());
        let again = place.is_some_and(|place| tags[place].is_some());
        if self.game.moves.any || is_whole || again {
            self.add()?;
        }
        self.game.is_parted = false;
        if self.game.line == 0 {
            self.game.line = line;
        }
        if let Some(place) = place {
            self.game.tags[place] = Some(tag.value);
        }
        Ok(())
    }

    /// Adds the game that was read, and begins another one.
    fn add(&mut self) -> Result<(), TableError> {
        let game = std::mem::take(&mut self.game);
        let wrong = |what: String| TableError::Row { line: game.line, what };
        let tag = |place: usize| game.tags[place].as_deref();
        let need = |place: usize| {
            let missing = || wrong(format!("the game that begins here has no tag [{} \"…\"]", TAGS[place]));
            tag(place).ok_or_else(missing)
        };
        let known = |name: &'_ [u8]| name != b"?" && !name.trim_ascii().is_empty();
        let players = [need(WHITE)?, need(BLACK)?].map(|name| if known(name) { name } else { &[] });
        let result = result(need(RESULT)?).map_err(wrong)?;
        let round = tag(ROUND).filter(|round| known(round) && *round != b"-");
        let opening = tag(FEN).filter(|_| tag(SETUP) != Some(b"0"));
        let by_round = self.reading.pairs == PairMode::Guess && round.is_some();
        let paired = self.paired.unwrap_or(if by_round { Paired::ByRound } else { Paired::Consecutively });
        if self.paired.replace(paired).is_none() {
            self.reading.begin(paired)?;
        }
        let label = match round.filter(|_| result.is_some()) {
            _ if paired != Paired::ByRound => Label::Neighbour,
            Some(round) => Label::Number(self.rounds.pair(round, players, opening.unwrap_or_default())),
            None => Label::Text(&[]),
        };
        let moves = game.moves.hash();
        let row = Row { line: game.line, players, result, label, opening, moves, forfeit: false, rated: true };
        self.reading.add(self.name, &row).map_err(wrong)
    }

    fn end(mut self) -> Result<(), TableError> {
        if let Some(line) = self.comment {
            let what = "the comment that begins here is not closed; is its `}` missing?".to_owned();
            return Err(TableError::Row { line, what });
        }
        if self.game.line > 0 {
            self.add()?;
        }
        if self.paired.is_some() {
            self.reading.end(false);
            self.reading.by_rounds(self.rounds.complete, self.rounds.alone);
        }
        Ok(())
    }
}
