//! `rules.log` and `rules.faults/ID.jsonl`: what a program of rules wrote, and what it was asked when it failed.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use arena_core::record::Record;
use arena_core::text::shell_word;
use arena_play::program::{ProgramGame, RulesLog};
use arena_sys::results_folder::{Durability, Place, ResultsFolder};

use crate::tournament::start_command;

/// The log of the rules' processes.
const LOG_FILE: &str = "rules.log";
/// The folder of the files that reproduce faults.
const FAULTS_FOLDER: &str = "rules.faults";
/// Files in it; further faults are not written.
const FILES_MAX: usize = 100;

/// A log of the rules in this folder, which is there once something is written to it.
pub(super) fn rules_log(folder: &ResultsFolder) -> RulesLog {
    RulesLog::new(LazyLog { folder: folder.path().to_owned(), file: None })
}

struct LazyLog {
    folder: PathBuf,
    file: Option<File>,
}

impl Write for LazyLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(Place::at(&self.folder).open()?.append(LOG_FILE)?),
        };
        file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), File::flush)
    }
}

/// Writes what the rules were asked in a game in which they failed. Returns the command that asks them again.
pub(super) fn write_fault(
    folder: &ResultsFolder,
    game: &ProgramGame,
    record: &Record,
) -> anyhow::Result<Option<String>> {
    let writing = || format!("writing {}", folder.path_of(FAULTS_FOLDER).display());
    let faults = folder.make_subfolder(FAULTS_FOLDER).with_context(writing)?;
    if faults.names().with_context(writing)?.len() >= FILES_MAX {
        return Ok(None);
    }
    let name = format!("{}.jsonl", record.id);
    let text = ProgramGame::requests(record);
    faults.replace(&name, Durability::Flushed, |out| Ok(out.write_all(text.as_bytes())?)).with_context(writing)?;
    let path = faults.path_of(&name);
    Ok(Some(format!("{} < {}", start_command(&game.program.launch), shell_word(&path.to_string_lossy()))))
}
