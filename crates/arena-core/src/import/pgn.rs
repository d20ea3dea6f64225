//! Reads games in portable game notation, the format of chess programs. Reads only the tags `White`, `Black`, `Result`,
//! `Round`, `FEN`, `SetUp` and `Termination`; the others tell records apart. Moves are compared to find repeated games, and
//! not interpreted.
//!
//! A game begins with a tag after the moves of another one, or after an empty line. Text between games is a game without
//! tags. So nothing but comments and empty lines is skipped.

mod comment;
mod game;
mod moves;
mod names;
mod result;
mod tag;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::io::Read;

use comment::{Comment, Next};
use game::{Game, PgnDamage};
use moves::AfterEnd;
use names::TagNames;
use result::result;
use tag::Tag;

use super::left_out::quoted;
use super::lines::TextLines;
use super::names::flaw;
use super::reading::{ReadGame, Reading};
use super::{LeftOutCause, TableError};
use crate::record::GameResult;

/// Values of `Termination` for games that were not played, whatever their result.
const UNPLAYED: [&str; 2] = ["unplayed", "not played"];
/// Values of `Termination` for games that were not played if they have no moves.
const NEVER_BEGUN: [&str; 5] = ["abandoned", "default", "forfeit", "unterminated", "walkover"];
/// Maximum number of lines of a tag.
const TAG_LINES_MAX: u32 = 4;

/// Reads a file.
pub(super) fn read(reading: &mut Reading<'_>, input: impl Read) -> Result<(), TableError> {
    let mut lines = TextLines::new(input);
    let mut pgn = Pgn {
        reading,
        game: Game::default(),
        comment: None,
        cut: None,
        again: VecDeque::new(),
        names: TagNames::default(),
    };
    let mut line = Vec::new();
    loop {
        if let Some((line, number)) = pgn.again.pop_front() {
            pgn.line(&line, number)?;
        } else if lines.read(&mut line).map_err(csv::Error::from)? {
            pgn.line(&line, lines.number)?;
        } else if !pgn.end_lines()? {
            break;
        }
    }
    pgn.end()
}

struct Pgn<'a, 'b> {
    reading: &'a mut Reading<'b>,
    /// The game that is being read.
    game: Game,
    /// The comment in braces that is open.
    comment: Option<Comment>,
    /// The tag that goes on in the next line, if that is its rest.
    cut: Option<CutTag>,
    /// Lines that were taken for those of a comment, and are read again.
    again: VecDeque<(Vec<u8>, u64)>,
    names: TagNames,
}

/// The first lines of a tag.
struct CutTag {
    text: Vec<u8>,
    /// Its first line, and its length.
    line: u64,
    first: usize,
    lines: u32,
}

impl Pgn<'_, '_> {
    fn line(&mut self, line: &[u8], number: u64) -> Result<(), TableError> {
        if let Some(comment) = &mut self.comment {
            let next = comment.line(line, number);
            return self.comment_goes_on(next, line, number);
        }
        if let Some(cut) = self.cut.take() {
            return self.tag_goes_on(cut, line, number);
        }
        if line.starts_with(b"%") {
            return Ok(());
        }
        self.text(line, line, number)
    }

    /// Reads the rest of a line.
    fn text(&mut self, line: &[u8], rest: &[u8], number: u64) -> Result<(), TableError> {
        let mut rest = rest;
        self.game.is_parted |= line.trim_ascii().is_empty();
        loop {
            rest = rest.trim_ascii_start();
            match rest {
                [] | [b';', ..] => return Ok(()),
                // A command that belongs into a comment.
                [b'[', b'%', ..] => rest = memchr::memchr(b']', rest).map_or(&[], |end| &rest[end + 1..]),
                [b'[', ..] => match tag::read(rest) {
                    Some((tag, after)) => {
                        self.begin_tag(&tag)?;
                        self.game.add(tag, number);
                        rest = after;
                    }
                    None => return self.damaged_tag(rest, line, number),
                },
                [b'{', ..] => {
                    let Some(end) = memchr::memchr(b'}', rest) else {
                        self.comment = Some(Comment::new(number));
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
                    if !self.game.moves.any {
                        self.split()?;
                    }
                    let Game { moves, tags, .. } = &mut self.game;
                    let start = tags.iter().find(|(tag, _)| tag.is_any(&["FEN"])).map(|(tag, _)| &tag.value[..]);
                    match moves.read(start.unwrap_or_default(), rest) {
                        Ok(after) => rest = after,
                        Err(AfterEnd) => self.add()?,
                    }
                }
            }
        }
    }

    fn comment_goes_on(&mut self, next: Next, line: &[u8], number: u64) -> Result<(), TableError> {
        match next {
            Next::Open => Ok(()),
            Next::Ends(end) => {
                self.comment = None;
                self.text(line, &line[end..], number)
            }
            Next::NotClosed(lines) => self.close_comment(lines),
        }
    }

    /// Ends a comment that was not closed, and with it the moves of its game. After the end of a game it is not of that one.
    fn close_comment(&mut self, lines: Vec<(Vec<u8>, u64)>) -> Result<(), TableError> {
        let Some(comment) = self.comment.take() else { return Ok(()) };
        if self.game.moves.end.is_some() {
            self.add()?;
        }
        self.game.damage(LeftOutCause::Comment, comment.line, b"");
        self.game.moves.any = true;
        for line in lines.into_iter().rev() {
            self.again.push_front(line);
        }
        Ok(())
    }

    /// Begins another game if a tag is not of the current one.
    fn begin_tag(&mut self, tag: &Tag) -> Result<(), TableError> {
        let is_again = || self.game.tags.iter().any(|(known, _)| known.is(tag));
        if self.game.moves.any || self.game.is_parted && (self.game.is_whole() || is_again()) {
            self.add()?;
        } else if self.game.is_of_third(tag) {
            self.split()?;
        }
        self.game.is_parted = false;
        Ok(())
    }

    /// Reads the next line of a tag, or one after a tag that was cut.
    fn tag_goes_on(&mut self, mut cut: CutTag, line: &[u8], number: u64) -> Result<(), TableError> {
        let rest = line.trim_ascii();
        let mut whole = [&cut.text[..], b" ", rest].concat();
        let is_rest = !rest.is_empty() && !rest.starts_with(b"[") && !rest.starts_with(b"%");
        if is_rest && tag::read(&whole).is_some() {
            return self.text(&whole, &whole, cut.line);
        }
        if is_rest && cut.lines < TAG_LINES_MAX && tag::is_begun(&whole) {
            std::mem::swap(&mut cut.text, &mut whole);
            cut.lines += 1;
            self.cut = Some(cut);
            return Ok(());
        }
        self.note_damaged_tag(&cut.text[..cut.first], true, cut.line)?;
        self.line(line, number)
    }

    /// Reads a bracket that begins no tag, unless the next line has its rest.
    fn damaged_tag(&mut self, text: &[u8], line: &[u8], number: u64) -> Result<(), TableError> {
        let is_apart = text.len() == line.trim_ascii_start().len();
        if (is_apart || !self.game.moves.any) && tag::is_begun(text) {
            let text = text.trim_ascii_end().to_vec();
            self.cut = Some(CutTag { line: number, first: text.len(), lines: 1, text });
            return Ok(());
        }
        self.note_damaged_tag(text, is_apart, number)
    }

    /// Notes a bracket that begins no tag. Within moves it is not of another game.
    fn note_damaged_tag(&mut self, text: &[u8], is_apart: bool, number: u64) -> Result<(), TableError> {
        if !self.game.moves.any || self.game.moves.end.is_some() || is_apart {
            let tag = tag::opened(text).map(|(name, _)| Tag::damaged(name));
            if let Some(tag) = tag {
                self.begin_tag(&tag)?;
                self.game.add(tag, number);
            } else {
                self.begin_tag(&Tag::damaged(b""))?;
            }
        }
        self.game.damage(LeftOutCause::Tag, number, text);
        Ok(())
    }

    /// Adds the game that was read or leaves it out, and begins another one.
    fn add(&mut self) -> Result<(), TableError> {
        self.split()?;
        let game = std::mem::take(&mut self.game);
        self.add_game(game)
    }

    /// Adds the first of two games whose tags are in one block.
    fn split(&mut self) -> Result<(), TableError> {
        while let Some(second) = self.game.split() {
            let first = std::mem::replace(&mut self.game, second);
            self.add_game(first)?;
        }
        Ok(())
    }

    fn add_game(&mut self, game: Game) -> Result<(), TableError> {
        let reading = &mut *self.reading;
        reading.found(1);
        if let Some(PgnDamage { cause, line, text }) = game.damage {
            return reading.leave_out_unnamed(cause, 1, line, || text);
        }
        let (line, has_moves) = (game.line, game.moves.has_moves());
        let written = game.result();
        let cause = match () {
            () if game.ended_by(&["bye"]) => Some(LeftOutCause::Bye),
            () if game.ended_by(&UNPLAYED) || !has_moves && game.ended_by(&NEVER_BEGUN) => Some(LeftOutCause::Unplayed),
            () => None,
        };
        let players = ["White", "Black"].map(|name| game.tag(name).unwrap_or_default());
        let is_sound = flaw(players, has_moves).is_none();
        if let Some((name, again)) = game.twice().filter(|_| is_sound) {
            reading.note(|table| &mut table.tags_twice, again, "a tag that comes twice", &quoted(name))?;
        }
        let result = cause.map_or_else(|| result(written), Err);
        let is_known = result.map_or_else(LeftOutCause::is_usual, |_| true);
        if let Some(end) = game.moves.end.filter(|end| is_sound && is_known && *end != result) {
            let end = end.map_or("*", GameResult::name);
            let detail = format!("{} in the tag, {end} after the moves", quoted(written));
            reading.note(|table| &mut table.two_results, line, "two results", &detail)?;
        }
        let moves = game.moves.hash();
        reading.add(&ReadGame {
            line,
            players,
            written,
            cause,
            label: game.tag("Round"),
            opening: game.tag("FEN").filter(|_| game.tag("SetUp") != Some(b"0")),
            has_moves,
            moves,
            identity: self.names.record(&game).identity(players, moves),
            faults: [false; 2],
            rated: true,
        })
    }

    /// Ends the last line. Returns whether there are others to read again.
    fn end_lines(&mut self) -> Result<bool, TableError> {
        if let Some(CutTag { text, first, line, .. }) = self.cut.take() {
            self.note_damaged_tag(&text[..first], true, line)?;
        }
        if let Some(comment) = &mut self.comment
            && let Next::NotClosed(lines) = comment.not_closed()
        {
            self.close_comment(lines)?;
        }
        Ok(!self.again.is_empty())
    }

    fn end(mut self) -> Result<(), TableError> {
        if self.game.line > 0 {
            self.add()?;
        }
        self.reading.end_file(false)
    }
}
