//! Reads games in portable game notation, the format of chess programs. Reads only the tags `White`, `Black`, `Result`,
//! `Round`, `FEN`, `SetUp` and `Termination`. Moves are compared to find repeated games, and not interpreted.
//!
//! A game begins with a tag after the moves of another one, or after an empty line, or with a tag that the game before has
//! already. Text between games is a game without tags. So nothing but comments and empty lines is skipped.

mod moves;
mod tag;
#[cfg(test)]
mod tests;

use std::io::Read;

use moves::{AfterEnd, Moves};
use tag::Tag;

use super::alike::trimmed;
use super::lines::TextLines;
use super::reading::{Label, ReadGame, Reading};
use super::results::result;
use super::{LeftOutCause, PairMode, Paired, TableError};
use crate::text::shown;

/// The tags that are read. Of `Event` only whether it is there: it is the first one of a game.
const TAGS: [&str; 8] = ["White", "Black", "Result", "Round", "FEN", "SetUp", "Termination", "Event"];
const WHITE: usize = 0;
const BLACK: usize = 1;
const RESULT: usize = 2;
const ROUND: usize = 3;
const FEN: usize = 4;
const SETUP: usize = 5;
const TERMINATION: usize = 6;
/// Tags of every game. One of them within a comment shows that the comment was not closed.
const ROSTER: [&str; 5] = ["Event", "White", "Black", "Result", "Round"];
/// Values of `Termination` for games that were not played, whatever their result.
const UNPLAYED: [&str; 2] = ["unplayed", "not played"];
/// Values of `Termination` for games that were not played if they have no moves.
const NEVER_BEGUN: [&str; 5] = ["abandoned", "default", "forfeit", "unterminated", "walkover"];

/// Reads a file.
pub(super) fn read(reading: &mut Reading, input: impl Read) -> Result<(), TableError> {
    let mut lines = TextLines::new(input);
    let mut pgn = Pgn { reading, paired: None, game: Game::default(), comment: None };
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
    damage: Option<PgnDamage>,
}

/// Why a game cannot be read.
struct PgnDamage {
    cause: LeftOutCause,
    line: u64,
    /// The text on that line, escaped.
    text: String,
}

impl Game {
    /// Notes the first damage of the game.
    fn damage(&mut self, cause: LeftOutCause, line: u64, text: &[u8]) {
        if self.line == 0 {
            self.line = line;
        }
        self.damage.get_or_insert_with(|| {
            let text = shown(&String::from_utf8_lossy(text.trim_ascii_end()));
            PgnDamage { cause, line, text: if text.is_empty() { text } else { format!("`{text}`") } }
        });
    }

    /// Whether its tags are damaged, and moves have not begun.
    fn is_cut(&self) -> bool {
        !self.moves.any && self.damage.as_ref().is_some_and(|damage| damage.cause == LeftOutCause::Tag)
    }

    /// Whether its `Termination` is one of these.
    fn ended_by(&self, words: &[&str]) -> bool {
        let value = trimmed(self.tags[TERMINATION].as_deref().unwrap_or_default());
        words.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
    }
}

struct Pgn<'a> {
    reading: &'a mut Reading,
    /// How its games are paired; `None` before the first game.
    paired: Option<Paired>,
    game: Game,
    /// The line of the comment in braces that is open.
    comment: Option<u64>,
}

impl Pgn<'_> {
    fn line(&mut self, line: &[u8], number: u64) -> Result<(), TableError> {
        let mut rest = line;
        if let Some(from) = self.comment {
            if tag::read(line.trim_ascii_start()).is_some_and(|(tag, _)| tag.is_any(&ROSTER)) {
                self.close_comment(from)?;
            } else if let Some(end) = memchr::memchr(b'}', line) {
                self.comment = None;
                rest = &line[end + 1..];
            } else {
                return Ok(());
            }
        } else if line.starts_with(b"%") {
            return Ok(());
        }
        self.game.is_parted |= line.trim_ascii().is_empty();
        loop {
            rest = rest.trim_ascii_start();
            match rest {
                [] | [b';', ..] => return Ok(()),
                // A command that belongs into a comment.
                [b'[', b'%', ..] => rest = memchr::memchr(b']', rest).map_or(&[], |end| &rest[end + 1..]),
                [b'[', ..] => match tag::read(rest) {
                    Some((tag, after)) => {
                        self.tag(tag, number)?;
                        rest = after;
                    }
                    None => return self.damaged_tag(rest, line, number),
                },
                [b'{', ..] => {
                    let Some(end) = memchr::memchr(b'}', rest) else {
                        self.comment = Some(number);
                        return Ok(());
                    };
                    rest = &rest[end + 1..];
                }
                // The rest of a tag that a line end has cut.
                _ if self.game.is_cut() && rest.trim_ascii_end().ends_with(b"\"]") => return Ok(()),
                _ => {
                    if self.game.line == 0 {
                        self.game.damage(LeftOutCause::Untagged, number, rest);
                    }
                    let start = self.game.tags[FEN].as_deref().unwrap_or_default();
                    match self.game.moves.read(start, rest) {
                        Ok(after) => rest = after,
                        Err(AfterEnd) => self.add()?,
                    }
                }
            }
        }
    }

    /// Ends a comment that was not closed, and with it the moves of its game. After the end of a game it is not of that one.
    fn close_comment(&mut self, from: u64) -> Result<(), TableError> {
        if self.game.moves.end.is_some() {
            self.add()?;
        }
        self.comment = None;
        self.game.damage(LeftOutCause::Comment, from, b"");
        self.game.moves.any = true;
        Ok(())
    }

    fn tag(&mut self, tag: Tag, line: u64) -> Result<(), TableError> {
        let place = TAGS.iter().position(|name| tag.is_any(&[name]));
        self.begin_tag(place, line)?;
        if let Some(place) = place {
            self.game.tags[place] = Some(tag.value);
        }
        Ok(())
    }

    /// Begins another game if the tag at this place of [`TAGS`] is not of the current one.
    fn begin_tag(&mut self, place: Option<usize>, line: u64) -> Result<(), TableError> {
        let tags = &self.game.tags;
        let is_whole = self.game.damage.is_some() || [WHITE, BLACK, RESULT].iter().all(|place| tags[*place].is_some());
        let again = place.is_some_and(|place| tags[place].is_some());
        if self.game.moves.any || again || self.game.is_parted && is_whole {
            self.add()?;
        }
        self.game.is_parted = false;
        if self.game.line == 0 {
            self.game.line = line;
        }
        Ok(())
    }

    /// Notes a bracket that begins no tag. Within moves it is not of another game.
    fn damaged_tag(&mut self, text: &[u8], line: &[u8], number: u64) -> Result<(), TableError> {
        let is_apart = text.len() == line.trim_ascii_start().len();
        if !self.game.moves.any || self.game.moves.end.is_some() || is_apart {
            let name = tag::opened(text).map(|(name, _)| name);
            let is = |tag: &&str| name.is_some_and(|name| name.eq_ignore_ascii_case(tag.as_bytes()));
            let place = TAGS.iter().position(is);
            self.begin_tag(place, number)?;
            if let Some(place) = place {
                self.game.tags[place] = Some(Vec::new());
            }
        }
        self.game.damage(LeftOutCause::Tag, number, text);
        Ok(())
    }

    /// Adds the game that was read or leaves it out, and begins another one.
    fn add(&mut self) -> Result<(), TableError> {
        let game = std::mem::take(&mut self.game);
        let reading = &mut *self.reading;
        reading.found(1);
        if let Some(PgnDamage { cause, line, text }) = game.damage {
            return reading.leave_out_unnamed(cause, 1, line, || text);
        }
        let tag = |place: usize| game.tags[place].as_deref().map(trimmed);
        let (line, has_moves) = (game.line, game.moves.has_moves());
        let players = [WHITE, BLACK].map(|place| tag(place).unwrap_or_default());
        let Some(players) = reading.players(line, players, has_moves)? else { return Ok(()) };
        let written = tag(RESULT).unwrap_or_default();
        let result = match result(written) {
            _ if game.ended_by(&["bye"]) => Err(LeftOutCause::Bye),
            _ if game.ended_by(&UNPLAYED) || !has_moves && game.ended_by(&NEVER_BEGUN) => Err(LeftOutCause::Unplayed),
            result => result,
        };
        let round = tag(ROUND).filter(|round| ![&b""[..], b"?", b"-"].contains(round));
        let opening = tag(FEN).filter(|_| tag(SETUP) != Some(b"0"));
        let by_round = reading.pairs == PairMode::Guess && round.is_some();
        let paired = self.paired.unwrap_or(if by_round { Paired::ByRound } else { Paired::Consecutively });
        if self.paired.replace(paired).is_none() {
            reading.begin(paired)?;
        }
        let label = if paired == Paired::ByRound { Label::Round(round) } else { Label::Neighbour };
        let (moves, end) = (game.moves.hash(), game.moves.end);
        reading.add(&ReadGame {
            line,
            players,
            result,
            written,
            end,
            label,
            opening,
            moves,
            forfeit: false,
            rated: true,
        })
    }

    fn end(mut self) -> Result<(), TableError> {
        if let Some(line) = self.comment {
            self.close_comment(line)?;
        }
        if self.game.line > 0 {
            self.add()?;
        }
        self.reading.end_file(false)
    }
}
