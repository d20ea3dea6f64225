//! `analysis.jsonl` beside the journal: what was found about its games against best play, one JSON object a line. It is a cache
//! of `arena analyze` and can be removed.
//!
//! Lines are appended in the order of the schedule. A last line that was torn by a crash is cut off. Any other line that is no
//! entry is passed over, and its game is solved again.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use arena_core::analysis::{Entry, Marks};
use arena_core::event::GameId;
use arena_core::record::Record;
use arena_sys::results_folder::{LockedFile, ResultsFolder, if_there};

/// Name of the file in a tournament's folder.
pub const ANALYSES_NAME: &str = "analysis.jsonl";

/// Longest line, in bytes: a million plies.
const LINE_BYTES_MAX: u64 = 1 << 24;

/// Where the entries of a tournament's games are in the file.
#[derive(Debug, Default)]
pub struct Analyses {
    file: Option<File>,
    /// Offset and length of the last line of each game.
    places: HashMap<GameId, (u64, u32)>,
    /// Lines that are no entries.
    pub damaged: usize,
    /// End of the complete lines.
    end: u64,
}

/// The file, open for appending, and locked against other analyses. Games may be played meanwhile.
#[derive(Debug)]
pub struct AnalysisFile {
    file: LockedFile,
    path: PathBuf,
}

impl Analyses {
    /// What the file in `folder` has by now, without a lock; nothing if there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn read_in(folder: &ResultsFolder) -> anyhow::Result<Self> {
        let mut analyses = Self::default();
        analyses.update(folder)?;
        Ok(analyses)
    }

    /// Reads what was added to the file in `folder` since it was read.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn update(&mut self, folder: &ResultsFolder) -> anyhow::Result<()> {
        let path = folder.path_of(ANALYSES_NAME);
        let file = if_there(folder.read(ANALYSES_NAME)).with_context(|| format!("reading {}", path.display()))?;
        let bytes = file.as_ref().and_then(|file| file.metadata().ok()).map_or(0, |it| it.len());
        if bytes < self.end {
            // It was removed, and may have been made again.
            *self = Self::default();
        }
        file.map_or(Ok(()), |file| self.read(file, &path))
    }

    /// The marks of a game, if it is analysed.
    #[must_use]
    pub fn marks(&self, record: &Record) -> Option<Marks> {
        Marks::of(&self.entry(GameId::of(&record.id))?, record)
    }

    /// Whether no game is analysed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The entry of a game.
    #[must_use]
    pub fn entry(&self, id: GameId) -> Option<Entry> {
        let (offset, bytes) = *self.places.get(&id)?;
        let mut line = vec![0; bytes as usize];
        self.file.as_ref()?.read_exact_at(&mut line, offset).ok()?;
        let entry: Entry = serde_json::from_slice(&line).ok()?;
        // The file may be another one by now.
        (GameId::of(&entry.id) == id).then_some(entry)
    }

    /// A line was appended.
    fn add(&mut self, id: GameId, bytes: u64) {
        self.places.insert(id, (self.end, u32::try_from(bytes).unwrap_or(u32::MAX)));
        self.end += bytes;
    }

    /// Reads the lines after those that are known.
    fn read(&mut self, file: File, path: &Path) -> anyhow::Result<()> {
        let reading = || format!("reading {}", path.display());
        let file = self.file.insert(file);
        file.seek(SeekFrom::Start(self.end)).with_context(reading)?;
        let mut reader = BufReader::with_capacity(1 << 16, file.try_clone().with_context(reading)?);
        let mut line = Vec::new();
        loop {
            line.clear();
            let bytes = reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line).with_context(reading)? as u64;
            if line.last() != Some(&b'\n') {
                if bytes == LINE_BYTES_MAX {
                    bail!("{} has a line of more than {LINE_BYTES_MAX} bytes; remove the file", path.display());
                }
                return Ok(());
            }
            if let Ok(entry) = serde_json::from_slice::<Entry>(&line) {
                self.add(GameId::of(&entry.id), bytes);
            } else {
                self.damaged += 1;
                self.end += bytes;
            }
        }
    }
}

impl AnalysisFile {
    /// Opens the file in `folder`, creating it if necessary, and reads it. A torn last line is cut off.
    ///
    /// # Errors
    ///
    /// Returns an error if another arena analyses the tournament, or the file cannot be read or written.
    pub fn open(folder: &ResultsFolder) -> anyhow::Result<(Self, Analyses)> {
        let path = folder.path_of(ANALYSES_NAME);
        let file = folder.append(ANALYSES_NAME).with_context(|| format!("opening {}", path.display()))?;
        let locked = LockedFile::lock(file).with_context(|| format!("locking {}", path.display()))?;
        let Ok(mut file) = locked else {
            bail!("{} is in use by another arena, which analyses these games; wait for it", path.display());
        };
        let mut analyses = Analyses::default();
        analyses.read(file.file().try_clone().with_context(|| format!("opening {}", path.display()))?, &path)?;
        file.file().set_len(analyses.end).with_context(|| format!("cutting the torn line off {}", path.display()))?;
        Ok((Self { file, path }, analyses))
    }

    /// Appends an entry, and adds it to the `analyses` that were read.
    ///
    /// # Errors
    ///
    /// Returns an error if the line cannot be written; it is then not there.
    pub fn append(&mut self, entry: &Entry, analyses: &mut Analyses) -> anyhow::Result<()> {
        let line = serde_json::to_string(entry).context("writing an entry as JSON")? + "\n";
        let file = self.file.file();
        if let Err(error) = file.write_all(line.as_bytes()) {
            // If this fails too, the torn line is cut off when the file is opened next.
            let _ = file.set_len(analyses.end);
            return Err(error).with_context(|| format!("writing {}; run again to go on", self.path.display()));
        }
        analyses.add(GameId::of(&entry.id), line.len() as u64);
        Ok(())
    }
}
