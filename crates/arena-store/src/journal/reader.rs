//! Fetches full records from the journal.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use anyhow::{Context, bail};
use arena_core::event::GameId;
use arena_core::record::Record;
use arena_core::schedule::Brief;
use arena_sys::results_folder::ResultsFolder;

use super::FILE_NAME;
use super::line::{self, JournalLine};
use super::place::GamePlace;

/// Fetches games from a journal, in any order, even while it is being written.
#[derive(Debug)]
pub struct Reader {
    file: File,
    folder: ResultsFolder,
    /// Whether records come without what is not published.
    is_public: bool,
}

impl Reader {
    pub(super) const fn new(file: File, folder: ResultsFolder) -> Self {
        Self { file, folder, is_public: false }
    }

    /// Itself, for records [without what is not published](Record::published).
    #[must_use]
    pub fn published(self) -> Self {
        Self { is_public: true, ..self }
    }

    /// Fetches games from the journal of a results folder, which the caller knows the positions of.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no journal, or it cannot be read.
    pub fn open(folder: &ResultsFolder) -> anyhow::Result<Self> {
        let file = folder.read(FILE_NAME);
        let file = file.with_context(|| format!("reading journal {}", folder.path_of(FILE_NAME).display()))?;
        Ok(Self::new(file, folder.clone()))
    }

    /// The full record of a game.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read, or was edited since the game was found in it.
    pub fn record(&self, brief: &Brief) -> anyhow::Result<Record> {
        self.record_at(brief.id, brief.offset, brief.bytes)
    }

    /// The full record of the game with this `id`, whose line begins at `offset`.
    ///
    /// # Errors
    ///
    /// See [`Reader::record`].
    pub fn record_at(&self, id: GameId, offset: u64, bytes: u32) -> anyhow::Result<Record> {
        let line = self.line_at(id, offset, bytes)?;
        // Its sum was correct when it was found; only the file may have changed since.
        match serde_json::from_slice::<Record>(&line) {
            Ok(record) if GameId::of(&record.id) == id => Ok(if self.is_public { record.published() } else { record }),
            _ => bail!(
                "journal {}: game {id} is not at its recorded position: the journal was edited; run `arena standings`",
                self.path().display()
            ),
        }
    }

    /// As [`record_at`](Self::record_at), for a line that was not decoded before.
    pub(super) fn checked_record_at(&self, id: GameId, offset: u64, bytes: u32) -> anyhow::Result<Record> {
        let line = self.line_at(id, offset, bytes)?;
        let why = match line::decode(&line) {
            Ok(JournalLine::Game(record)) if GameId::of(&record.id) == id => return Ok(*record),
            Ok(_) => "the journal was edited".to_owned(),
            Err(why) => why.to_string(),
        };
        bail!("journal {}, game {id}: {why} (`arena verify` lists every such line)", self.path().display())
    }

    fn line_at(&self, id: GameId, offset: u64, bytes: u32) -> anyhow::Result<Vec<u8>> {
        let mut line = vec![0; bytes as usize];
        let read = self.file.read_exact_at(&mut line, offset);
        read.with_context(|| format!("reading game {id} in journal {}", self.path().display()))?;
        Ok(line)
    }

    /// When the game at this place began (RFC 3339, UTC).
    ///
    /// # Errors
    ///
    /// See [`Reader::record`].
    pub fn started(&self, place: &GamePlace) -> anyhow::Result<String> {
        Ok(self.record_at(place.id(), place.offset, place.bytes)?.started)
    }

    /// Whether this game is at this place.
    pub(super) fn has_game(&self, place: &GamePlace) -> bool {
        // A place may come from a stranger's file.
        line::too_long(place.bytes.into()).is_none()
            && self.checked_record_at(place.id(), place.offset, place.bytes).is_ok()
    }

    /// The journal, to be read in order.
    pub(super) const fn file(&self) -> &File {
        &self.file
    }

    /// Path of the journal.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.path_of(FILE_NAME)
    }

    /// Its results folder.
    #[must_use]
    pub const fn folder(&self) -> &ResultsFolder {
        &self.folder
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::journal::{self, Journal};

    #[test]
    fn a_game_that_is_no_longer_where_it_was_is_not_taken_for_another() {
        let event = fixture::event(&["a", "b"]);
        let records = fixture::draws(&event, 1);
        let dir = tempfile::tempdir().unwrap();
        let (mut journal, _) = Journal::open(&ResultsFolder::open(dir.path()).unwrap()).unwrap();
        let briefs: Vec<Brief> = records.iter().map(|record| journal.append_game(record).unwrap()).collect();
        let reader = journal.reader().unwrap();
        for (brief, record) in briefs.iter().zip(&records) {
            assert_eq!(reader.record(brief).unwrap().id, record.id);
        }

        let path = dir.path().join(journal::FILE_NAME);
        let text = std::fs::read_to_string(&path).unwrap();
        let last = text.lines().last().unwrap();
        for edited in
            [text.split_inclusive('\n').rev().collect(), format!("edited\n{text}"), last.repeat(4), String::new()]
        {
            std::fs::write(&path, edited).unwrap();
            let error = reader.record(&briefs[0]).unwrap_err().to_string();
            assert!(error.contains("games.jsonl") && error.contains(&records[0].id), "{error}");
        }
    }
}
