//! Records of a test in a journal of its own.

use std::sync::Arc;

use arena_core::event::Tournament;
use arena_core::record::Record;
use arena_core::schedule::Scheduler;
use arena_store::journal::{self, Journal, Reader};
use arena_sys::results_folder::ResultsFolder;

/// Records in a journal, with their places in the schedule.
pub(crate) struct Stored {
    pub(crate) scheduler: Scheduler,
    pub(crate) reader: Reader,
    _dir: tempfile::TempDir,
}

impl Stored {
    pub(crate) fn new<'a>(event: &Tournament, records: impl IntoIterator<Item = &'a Record>) -> Self {
        Self::each(event, records.into_iter().cloned())
    }

    /// Stores records that need not be in memory at once.
    pub(crate) fn each(event: &Tournament, records: impl Iterator<Item = Record>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let folder = ResultsFolder::open(dir.path()).unwrap();
        let (mut journal, _) = Journal::open(&folder).unwrap();
        for record in records {
            journal.append_game(&record).unwrap();
        }
        let (reader, contents) = journal::read(&folder).unwrap();
        let scheduler = Scheduler::new(Arc::new(event.clone()), &contents.games, &[], &mut ()).unwrap();
        Self { scheduler, reader, _dir: dir }
    }
}
