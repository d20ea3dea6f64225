//! Checking the shipped book: entries are solved again.

use super::super::table::{BUCKET_BITS, Table};
use super::Limits;
use super::board::{Classic, Discs, Geometry};
use super::book::{Book, SCORES, canonical};
use super::make_book::{BookPlan, PLIES};
use super::search::{Memory, Run};
use crate::rng::Rng;

/// Entries of the book in the program, to be solved again: those of its last ply without it, those before from its last ply.
#[derive(Debug)]
pub struct BookCheck {
    entries: Vec<Discs>,
    book: &'static Book,
    behind: Book,
}

impl BookCheck {
    /// All entries of at most `plies` plies, and `count` random ones of all others; `None` if the program has no book.
    #[must_use]
    pub fn new(plies: u32, count: usize, seed: u64) -> Option<Self> {
        let book = Book::shipped()?;
        let all = BookPlan::new(PLIES).into_entries();
        let (mut entries, mut others): (Vec<Discs>, Vec<Discs>) = all.partition(|discs| discs.count() <= plies);
        let mut rng = Rng::new(seed);
        for place in 0..count.min(others.len()) {
            let chosen = place + rng.below((others.len() - place) as u64) as usize;
            others.swap(place, chosen);
        }
        others.truncate(count);
        entries.append(&mut others);
        Some(Self { entries, book, behind: book.of_last_ply() })
    }

    /// Number of entries to be solved.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    /// Solves an entry again; if it is wrong, the error says which and how.
    ///
    /// # Errors
    ///
    /// Returns what the book and the search say of the position, with its key.
    pub fn check(&self, entry: usize) -> Result<(), String> {
        let Some(discs) = self.entries.get(entry).copied() else { return Ok(()) };
        let table = Table::new(Classic.key_bits(), BUCKET_BITS);
        let book = (discs.count() < self.behind.last_ply()).then_some(&self.behind);
        let memory = Memory { table: &table, large: None, book };
        let found = Run::new(Classic, memory, &Limits::NONE).score(discs, None);
        let key = canonical(discs);
        let said = self.book.score_of(key);
        let expected = found.clamp(*SCORES.start(), *SCORES.end());
        if said == expected {
            return Ok(());
        }
        Err(format!("{} discs, key {key:#x}: the book says {said}, a search {found}", discs.count()))
    }
}
