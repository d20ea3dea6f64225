//! A game of the journal in brief, so that a tournament of a million games need not be held in memory, and the way back
//! to all that is known of it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::event::GameId;
use crate::record::{GameResult, Record, Status};

/// What standings need to know of a game, and where the journal has the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brief {
    /// Which game it is.
    pub id: GameId,
    /// A hash of its moves. Two games of a million differ in their moves and not in this with a probability of 1 in 30
    /// million.
    pub moves: u64,
    offset: u64,
    bytes: u32,
    /// Who won.
    pub result: GameResult,
    /// How each seat came through, by seat.
    pub statuses: [Status; 2],
    /// How many attempts at this game were void before.
    pub repeat: u32,
}

impl Brief {
    /// What matters of `record`, whose line has so many `bytes` and begins at `offset`.
    ///
    /// # Panics
    ///
    /// Never: moves always serialise.
    #[must_use]
    pub fn of(record: &Record, offset: u64, bytes: u32) -> Self {
        let moves = serde_json::to_vec(&record.moves).expect("moves serialise to memory");
        let hash = blake3::hash(&moves);
        Self {
            id: GameId::of(&record.id),
            moves: hash.as_bytes().first_chunk().map_or(0, |first| u64::from_le_bytes(*first)),
            offset,
            bytes,
            result: record.result,
            statuses: record.statuses,
            repeat: record.repeat,
        }
    }

    /// Whether the game has a result that counts.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.result != GameResult::Void
    }

    /// Whether the game need not be played any more: it counts, or both of its bots are withdrawn.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.counts() || self.statuses == [Status::Withdrawn; 2]
    }

    /// Whether the result says how strong the bots are: it counts, and nobody was withdrawn.
    #[must_use]
    pub fn is_rated(&self) -> bool {
        self.counts() && !self.statuses.contains(&Status::Withdrawn)
    }
}

/// Fetches games from a journal, in any order, also while it is being written.
#[derive(Debug)]
pub struct Reader {
    file: File,
    path: PathBuf,
}

impl Reader {
    pub(super) const fn new(file: File, path: PathBuf) -> Self {
        Self { file, path }
    }

    /// All that is known of a game.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read, or was edited since the game was found in it.
    pub fn record(&self, brief: &Brief) -> anyhow::Result<Record> {
        let mut line = vec![0; brief.bytes as usize];
        self.file
            .read_exact_at(&mut line, brief.offset)
            .with_context(|| format!("reading game {} in journal {}", brief.id, self.path.display()))?;
        // Its sum was right when it was found; what could go wrong since is that something else is in its place.
        match serde_json::from_slice::<Record>(&line) {
            Ok(record) if GameId::of(&record.id) == brief.id => Ok(record),
            _ => bail!(
                "journal {}: game {} is no longer where it was; the journal was edited meanwhile, run `arena standings`",
                self.path.display(),
                brief.id
            ),
        }
    }

    /// Where the journal is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{self, Journal};
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
            assert!(error.contains("games.jsonl") && error.contains("0000000000000001"), "{error}");
        }
    }
}
