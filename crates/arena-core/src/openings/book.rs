//! Books: lists of openings in files, of which a tournament needs the first ones.

use serde::{Deserialize, Serialize};

use super::{OpeningError, OpeningsError};
use crate::rules::{Move, Variant, play};
use crate::text::{json_mistake, shown};

/// Characters of the hash of a book.
const HASH_CHARS: usize = 32;

/// A list of openings by which a tournament is played, whose first ones are among [its own](crate::event::Tournament::openings).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Book {
    /// A hash of all its openings, whatever is written between them.
    pub hash: String,
    /// The number of its openings.
    pub lines: u64,
}

/// A book that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadBook {
    /// Its first openings, as many as were asked for.
    pub openings: Vec<Vec<Move>>,
    /// Which book it is.
    pub book: Book,
    /// The number of moves of its longest opening.
    pub longest: usize,
}

/// Reads a book line by line, and keeps the first openings of it.
#[derive(Debug)]
pub struct BookReader<'a> {
    variant: &'a Variant,
    keep: usize,
    /// Lines so far, and those that are openings.
    read: usize,
    lines: u64,
    openings: Vec<Vec<Move>>,
    longest: usize,
    hasher: blake3::Hasher,
}

impl<'a> BookReader<'a> {
    /// Begins a book of openings of `variant`, of which the first ones are kept, up to `keep`.
    #[must_use]
    pub fn new(variant: &'a Variant, keep: usize) -> Self {
        let (openings, hasher) = (Vec::new(), blake3::Hasher::new());
        Self { variant, keep, read: 0, lines: 0, openings, longest: 0, hasher }
    }

    /// Adds the next line: a JSON list of moves, or one that is skipped since it is empty or begins with `#`.
    ///
    /// # Errors
    ///
    /// Returns [`OpeningsError`] if it is not an opening.
    ///
    /// # Panics
    ///
    /// Never: moves always serialise.
    pub fn add(&mut self, line: &str) -> Result<(), OpeningsError> {
        let line = if self.read == 0 { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line };
        self.read += 1;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let moves = parse_line(self.variant, line).map_err(|why| OpeningsError::Line { line: self.read, why })?;
        self.hasher.update(&serde_json::to_vec(&moves).expect("moves serialise to memory")).update(b"\n");
        self.lines += 1;
        self.longest = self.longest.max(moves.len());
        if self.openings.len() < self.keep {
            self.openings.push(moves);
        }
        Ok(())
    }

    /// The book after its last line.
    ///
    /// # Errors
    ///
    /// Returns [`OpeningsError`] if it has no opening.
    pub fn finish(self) -> Result<ReadBook, OpeningsError> {
        let Self { openings, longest, lines, hasher, .. } = self;
        if lines == 0 {
            return Err(OpeningsError::Empty);
        }
        let hash = hasher.finalize().to_hex()[..HASH_CHARS].to_owned();
        Ok(ReadBook { openings, book: Book { hash, lines }, longest })
    }
}

fn parse_line(variant: &Variant, line: &str) -> Result<Vec<Move>, OpeningError> {
    let moves: Vec<Move> = serde_json::from_str(line)
        .map_err(|error| OpeningError::NotMoves { line: shown(line), mistake: json_mistake(&error) })?;
    let mut state = variant.start(0).map_err(OpeningError::Rules)?;
    play(state.as_mut(), &moves).map_err(|(ply, why)| OpeningError::Illegal { number: ply + 1, why })?;
    match state.outcome() {
        Some(outcome) => Err(OpeningError::GameOver {
            reason: variant.reason_in_words(outcome.reason).unwrap_or_else(|| outcome.reason.to_owned()),
        }),
        None => Ok(moves),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(lines: &[String], keep: usize) -> ReadBook {
        let variant = Variant::named("connect4").unwrap();
        let mut reader = BookReader::new(&variant, keep);
        for line in lines {
            reader.add(line).unwrap();
        }
        reader.finish().unwrap()
    }

    proptest! {
        /// What is kept is the beginning, and the hash covers the rest too.
        #[test]
        fn a_book_is_the_same_whatever_is_kept_of_it(
            openings in prop::collection::vec(prop::collection::vec(0..7_i64, 0..4), 1..20),
            keep in 0..25_usize,
            changed in 0..20_usize,
        ) {
            let openings: Vec<Vec<Move>> =
                openings.into_iter().map(|opening| opening.into_iter().map(Move::Int).collect()).collect();
            let plain: Vec<String> = openings.iter().map(|opening| serde_json::to_string(opening).unwrap()).collect();
            let mut noted: Vec<String> = plain.iter().map(|line| format!(" {} ", line.replace(',', ", "))).collect();
            noted.insert(changed.min(noted.len()), "# a note".to_owned());
            noted[0].insert(0, '\u{feff}');
            let book = read(&plain, keep);
            prop_assert_eq!(&book.openings[..], &openings[..keep.min(openings.len())]);
            prop_assert_eq!(&book, &read(&noted, keep));
            prop_assert_eq!(&book.book, &read(&plain, usize::MAX).book);
            prop_assert_eq!((book.book.lines, book.longest), (plain.len() as u64, openings.iter().map(Vec::len).max().unwrap()));
            let mut other = plain.clone();
            let line = changed % plain.len();
            other[line] = "[0,1,2,3,4]".to_owned();
            prop_assert_ne!(&book.book, &read(&other, keep).book);
            prop_assert_ne!(&book.book, &read(&plain[..plain.len() - 1].iter().cloned().chain(["[6]".to_owned(), "[5]".to_owned()]).collect::<Vec<_>>(), keep).book);
        }
    }
}
