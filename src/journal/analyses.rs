//! `analysis.jsonl` beside the journal: what was found about its games against best play, one JSON object a line. It is a cache
//! of `arena analyze` and can be removed.
//!
//! Lines are appended in the order of the schedule. A last line that was torn by a crash is cut off. Any other line that is no
//! entry is passed over, and its game is solved again.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};

use super::Lock;
use crate::analysis::{Entry, Marks};
use crate::event::GameId;
use crate::record::Record;
use crate::results_folder::{ResultsFolder, if_there};

/// Name of the file in a tournament's folder.
pub const ANALYSES_NAME: &str = "analysis.jsonl";

/// Longest line, in bytes: a million plies.
const LINE_BYTES_MAX: u64 = 1 << 24;

/// The entries of a tournament's games.
#[derive(Debug, Default)]
pub struct Analyses {
    /// The last line of each game, undecoded: games may be many.
    lines: HashMap<GameId, Box<str>>,
    /// Lines that are no entries.
    pub damaged: usize,
    /// End of the complete lines.
    end: u64,
}

/// The file, open for appending, with its folder locked against other arenas.
#[derive(Debug)]
pub struct AnalysisFile {
    file: File,
    path: PathBuf,
    end: u64,
    _lock: Lock,
}

impl Analyses {
    /// What the file in `folder` has by now, without a lock; nothing if there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn read_in(folder: &ResultsFolder) -> anyhow::Result<Self> {
        let path = folder.path_of(ANALYSES_NAME);
        let file = if_there(folder.read(ANALYSES_NAME)).with_context(|| format!("reading {}", path.display()))?;
        file.map_or_else(|| Ok(Self::default()), |file| Self::read(&file, &path))
    }

    /// The marks of a game, if it is analysed.
    #[must_use]
    pub fn marks(&self, record: &Record) -> Option<Marks> {
        Marks::of(&self.entry(GameId::of(&record.id))?, record)
    }

    /// Whether no game is analysed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The entry of a game.
    #[must_use]
    pub fn entry(&self, id: GameId) -> Option<Entry> {
        serde_json::from_str(self.lines.get(&id)?).ok()
    }

    /// Adds an entry; returns its line.
    fn add(&mut self, entry: &Entry) -> anyhow::Result<String> {
        let line = serde_json::to_string(entry).context("writing an entry as JSON")?;
        self.lines.insert(GameId::of(&entry.id), line.as_str().into());
        Ok(line + "\n")
    }

    fn read(file: &File, path: &std::path::Path) -> anyhow::Result<Self> {
        let mut all = Self::default();
        let mut reader = BufReader::with_capacity(1 << 16, file);
        loop {
            let mut line = Vec::new();
            let read = reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line);
            let bytes = read.with_context(|| format!("reading {}", path.display()))? as u64;
            if line.pop() != Some(b'\n') {
                if bytes == LINE_BYTES_MAX {
                    bail!("{} has a line of more than {LINE_BYTES_MAX} bytes; remove the file", path.display());
                }
                return Ok(all);
            }
            all.end += bytes;
            let text = String::from_utf8(line).ok();
            match text.and_then(|text| Some((serde_json::from_str::<Entry>(&text).ok()?.id, text))) {
                Some((id, text)) => drop(all.lines.insert(GameId::of(&id), text.into())),
                None => all.damaged += 1,
            }
        }
    }
}

impl AnalysisFile {
    /// Opens the file in `folder`, creating it if necessary, and reads it. A torn last line is cut off.
    ///
    /// # Errors
    ///
    /// Returns an error if another arena uses the folder, or the file cannot be read or written.
    pub fn open(folder: &ResultsFolder) -> anyhow::Result<(Self, Analyses)> {
        let lock = Lock::take(folder)?;
        let path = folder.path_of(ANALYSES_NAME);
        let file = folder.append(ANALYSES_NAME).with_context(|| format!("opening {}", path.display()))?;
        let analyses = Analyses::read(&file, &path)?;
        file.set_len(analyses.end).with_context(|| format!("cutting the torn line off {}", path.display()))?;
        Ok((Self { file, path, end: analyses.end, _lock: lock }, analyses))
    }

    /// Appends an entry, and adds it to the `analyses` that were read.
    ///
    /// # Errors
    ///
    /// Returns an error if the line cannot be written; it is then not there.
    pub fn append(&mut self, entry: &Entry, analyses: &mut Analyses) -> anyhow::Result<()> {
        let line = analyses.add(entry)?;
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            // If this fails too, the torn line is cut off when the file is opened next.
            let _ = self.file.set_len(self.end);
            return Err(error).with_context(|| format!("writing {}; run again to go on", self.path.display()));
        }
        self.end += line.len() as u64;
        Ok(())
    }
}
