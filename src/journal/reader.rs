//! Fetches full records from the journal.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::event::GameId;
use crate::record::Record;
use crate::schedule::Brief;

/// Fetches games from a journal, in any order, even while it is being written.
#[derive(Debug)]
pub struct Reader {
    file: File,
    path: PathBuf,
}

impl Reader {
    pub(super) const fn new(file: File, path: PathBuf) -> Self {
        Self { file, path }
    }

    /// The full record of a game.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read, or was edited since the game was found in it.
    pub fn record(&self, brief: &Brief) -> anyhow::Result<Record> {
        let mut line = vec![0; brief.bytes as usize];
        self.file
            .read_exact_at(&mut line, brief.offset)
            .with_context(|| format!("reading game {} in journal {}", brief.id, self.path.display()))?;
        // Its sum was correct when it was found; only the file may have changed since.
        match serde_json::from_slice::<Record>(&line) {
            Ok(record) if GameId::of(&record.id) == brief.id => Ok(record),
            _ => bail!(
                "journal {}: game {} is not at its recorded position: the journal was edited; run `arena standings`",
                self.path.display(),
                brief.id
            ),
        }
    }

    /// Path of the journal.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{self, Journal};
    use crate::record::GameResult;
    use crate::report::fixture;

    #[test]
    fn a_game_that_is_no_longer_where_it_was_is_not_taken_for_another() {
        let event = fixture::event(&["a", "b"]);
        let schedule = fixture::schedule(&event);
        let records: Vec<Record> =
            schedule.iter().map(|game| fixture::record(&event, game, GameResult::Draw, 1)).collect();
        let dir = tempfile::tempdir().unwrap();
        let (mut journal, _) = Journal::open(dir.path()).unwrap();
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
