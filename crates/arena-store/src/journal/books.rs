//! The openings of books. A journal has each of them once, in lines of their own, however many definitions need it.

use std::collections::BTreeMap;

use arena_core::event::{ROUNDS_MAX, Tournament};
use arena_core::rules::Move;
use serde::{Deserialize, Serialize};

use super::line_error::LineError;

/// More openings of a book.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct BookLine {
    /// Hash of the book.
    book: String,
    /// The number of its openings in lines before.
    from: usize,
    /// Those that follow.
    openings: Vec<Vec<Move>>,
}

/// A definition of the tournament as a line has it. If its openings are from a book, they are in lines before.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Definition {
    #[serde(flatten)]
    event: Tournament,
    /// The number of openings that it has of its book.
    #[serde(skip_serializing_if = "Option::is_none")]
    of_book: Option<usize>,
}

/// The openings of the books of a journal, by the hash of the book: the first ones of each.
#[derive(Debug, Default)]
pub(super) struct Books(BTreeMap<String, Vec<Vec<Move>>>);

impl Definition {
    /// Reads it from a line. Nothing is copied, as lines of earlier versions have whole books.
    pub(super) fn read(line: &str) -> serde_json::Result<Self> {
        #[derive(Deserialize)]
        struct OfBook {
            #[serde(default)]
            of_book: Option<usize>,
        }
        let OfBook { of_book } = serde_json::from_str(line)?;
        Ok(Self { event: serde_json::from_str(line)?, of_book })
    }

    /// The tournament, without openings that are in other lines.
    #[must_use]
    pub const fn without_book(&self) -> &Tournament {
        &self.event
    }
}

impl Books {
    /// Adds a line of openings.
    pub(super) fn add(&mut self, BookLine { book, from, openings }: BookLine) -> Result<(), LineError> {
        let known = self.0.get(&book).map_or(0, Vec::len);
        if from != known {
            return Err(LineError::BookGap { book, from, known });
        }
        let size = (known + openings.len()) as u64;
        if size > u64::from(ROUNDS_MAX) {
            return Err(LineError::LongList { size, most: ROUNDS_MAX.into() });
        }
        self.0.entry(book).or_default().extend(openings);
        Ok(())
    }

    /// The tournament with its openings.
    pub(super) fn complete(&self, Definition { mut event, of_book }: Definition) -> Result<Tournament, LineError> {
        if let (Some(count), Some(book)) = (of_book, &event.book) {
            let known = self.0.get(&book.hash).map_or(&[][..], Vec::as_slice);
            let missing = || LineError::NoBook { book: book.hash.clone(), count, known: known.len() };
            event.openings = known.get(..count).ok_or_else(missing)?.to_vec();
        }
        Ok(event)
    }

    /// How a definition is written: the line of openings that has to be before it, if one is missing, and itself. It has its
    /// openings itself if they are of no book, or others are known under the hash of theirs.
    pub(super) fn split(&self, event: &Tournament) -> (Option<BookLine>, Definition) {
        let whole = || (None, Definition { event: event.clone(), of_book: None });
        let Some(book) = &event.book else { return whole() };
        let known = self.0.get(&book.hash).map_or(&[][..], Vec::as_slice);
        let shared = known.len().min(event.openings.len());
        if known[..shared] != event.openings[..shared] {
            return whole();
        }
        let openings = event.openings[shared..].to_vec();
        let line = BookLine { book: book.hash.clone(), from: known.len(), openings };
        let definition = Definition {
            of_book: Some(event.openings.len()),
            event: Tournament { openings: Vec::new(), ..event.clone() },
        };
        (Some(line).filter(|line| !line.openings.is_empty()), definition)
    }
}

#[cfg(test)]
mod tests {
    use arena_core::openings::Book;
    use arena_sys::results_folder::ResultsFolder;

    use super::*;
    use crate::fixture;
    use crate::journal::{self, FILE_NAME, Journal, JournalLine};

    fn event(hash: &str, openings: i64) -> Tournament {
        let book = Book { hash: hash.to_owned(), lines: 1_000 };
        let openings = (0..openings).map(|line| vec![Move::Int(line % 7), Move::Int(line / 7)]).collect();
        Tournament { openings, book: Some(book), ..fixture::event(&["a", "b"]) }
    }

    /// The definitions of a journal, read as any command reads them, each when it was the last line.
    fn definitions(folder: &ResultsFolder) -> Vec<Tournament> {
        let bytes = std::fs::read(folder.path_of(FILE_NAME)).unwrap();
        let mut lines = journal::lines(&bytes[..]);
        let mut all = Vec::new();
        while let Some(located) = lines.next() {
            if let JournalLine::Event(definition) = located.unwrap().line.unwrap() {
                all.push(lines.complete(*definition).unwrap());
            }
        }
        all
    }

    #[test]
    fn every_opening_of_a_book_is_in_a_journal_once() {
        let dir = tempfile::tempdir().unwrap();
        let folder = ResultsFolder::open(dir.path()).unwrap();
        let mut written =
            vec![event("one", 40), event("one", 40), event("one", 45), event("one", 10), event("one", 45)];
        // Another book with the same beginning, and the first one again after it.
        written.extend([event("other", 12), event("one", 40), fixture::event(&["a", "b"])]);
        for event in &written {
            // Opened anew each time.
            let (mut journal, _) = Journal::open(&folder).unwrap();
            journal.append_event(event).unwrap();
            assert_eq!(journal::read(&folder).unwrap().1.event.as_ref(), Some(event));
            assert_eq!(journal::last_event(&folder).as_ref(), Some(event));
        }
        assert_eq!(definitions(&folder), written);
        let text = std::fs::read_to_string(dir.path().join(FILE_NAME)).unwrap();
        assert_eq!(text.matches("[4,5]").count(), 1, "{text}");
        assert_eq!(text.matches("[4,1]").count(), 2, "{text}");
        assert_eq!(text.matches("\"type\":\"openings\"").count(), 3, "{text}");
    }

    #[test]
    fn a_definition_has_its_openings_itself_if_the_journal_has_others_for_its_book() {
        let dir = tempfile::tempdir().unwrap();
        let folder = ResultsFolder::open(dir.path()).unwrap();
        let (mut journal, _) = Journal::open(&folder).unwrap();
        journal.append_event(&event("one", 10)).unwrap();
        let mut forged = event("one", 20);
        forged.openings[3] = vec![Move::Int(6)];
        journal.append_event(&forged).unwrap();
        assert_eq!(journal::read(&folder).unwrap().1.event, Some(forged));
    }

    #[test]
    fn a_definition_whose_openings_are_gone_is_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let folder = ResultsFolder::open(dir.path()).unwrap();
        let (mut journal, _) = Journal::open(&folder).unwrap();
        journal.append_event(&event("one", 10)).unwrap();
        journal.append_event(&event("one", 20)).unwrap();
        drop(journal);
        let path = dir.path().join(FILE_NAME);
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (left, why) in [
            (&[1, 3][..], "line 2: the first 20 openings of its book one are in lines before it, which have 0 of them"),
            (&[0, 1, 3], "line 3: the first 20 openings of its book one are in lines before it, which have 10 of them"),
            (&[1, 2, 3], "line 2: it has the openings of book one from 10 on, and the lines before it have 0"),
        ] {
            let kept: Vec<&str> = left.iter().map(|line| lines[*line]).collect();
            std::fs::write(&path, kept.join("\n") + "\n").unwrap();
            let error = journal::read(&folder).unwrap_err().to_string();
            assert!(error.contains(why) && error.contains("--seed"), "{error}");
            assert!(journal::last_event(&folder).is_none());
        }
    }
}
