//! `analysis.jsonl` beside the journal: what was found about its games against best play, one JSON object a line. It is a cache
//! of `arena analyze` and can be removed.
//!
//! Lines are appended in the order of the schedule. A last line that was torn by a crash is cut off. Any other line that is no
//! entry is passed over, and its game is solved again. So is an entry that cannot be what its solver found: the file may come from
//! someone else.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, bail};
use arena_core::analysis::{Entry, Line, Marks, contradiction, solver_name};
use arena_core::event::GameId;
use arena_core::record::Record;
use arena_core::rules::Variant;
use arena_core::text::shown;
use arena_sys::results_folder::{LockedFile, ResultsFolder, if_there};

/// Name of the file in a tournament's folder.
pub const ANALYSES_NAME: &str = "analysis.jsonl";

/// Longest line, in bytes: a million plies.
const LINE_BYTES_MAX: u64 = 1 << 24;

/// Where the entries of a tournament's games are in the file.
#[derive(Debug, Default)]
pub struct Analyses {
    file: Option<File>,
    /// Offset, length and number of the last line of each game.
    places: HashMap<GameId, (u64, u32, usize)>,
    /// Why the entries that were looked at are refused; `None` for those that are not.
    verdicts: Mutex<HashMap<GameId, Option<String>>>,
    /// The path of the file.
    path: PathBuf,
    lines: usize,
    /// Lines that are no entries.
    pub damaged: usize,
    /// Whether the line after those that were read is longer than any entry: nothing after it is read.
    is_too_long: bool,
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
    /// Refused entries that are named.
    pub const SHOWN: usize = 3;

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
        let variant = Variant::from_json(&record.game, &record.params).ok()?;
        let id = GameId::of(&record.id);
        self.has(id).then_some(())?;
        let line = Line::of(record, &variant).ok()?;
        Marks::of(&self.checked(id, &line, &variant)?, record)
    }

    /// Whether no game is analysed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether a game has an entry, whatever it says.
    #[must_use]
    pub fn has(&self, id: GameId) -> bool {
        self.places.contains_key(&id)
    }

    /// The entry of a game with these positions, unless it is refused.
    #[must_use]
    pub fn checked(&self, id: GameId, line: &Line, variant: &Variant) -> Option<Entry> {
        let entry = self.entry(id)?;
        let solver = solver_name(variant)?;
        if !entry.claims(&solver, line) {
            return None;
        }
        let mut verdicts = self.verdicts();
        let why = verdicts.entry(id).or_insert_with(|| contradiction(&entry, line, variant));
        why.is_none().then_some(entry)
    }

    /// Refuses the entries of these games, whose values contradict each other.
    pub fn refuse(&self, games: [GameId; 2]) {
        let [first, second] = games.map(|id| self.places.get(&id).map_or(0, |place| place.2));
        let why = |line| Some(format!("a position has another value than in line {line}"));
        self.verdicts().extend([(games[0], why(second)), (games[1], why(first))]);
    }

    /// Whether the entry of a game was looked at and is refused.
    #[must_use]
    pub fn is_refused(&self, id: GameId) -> bool {
        self.verdicts().get(&id).is_some_and(Option::is_some)
    }

    /// What is to be said of the entries that are refused so far: the first `most`, and how many more there are.
    #[must_use]
    pub fn warnings(&self, most: usize) -> Vec<String> {
        let verdicts = self.verdicts();
        let refused = verdicts.iter().filter_map(|(id, why)| Some((self.places.get(id)?.2, id, why.as_ref()?)));
        let mut refused: Vec<_> = refused.collect();
        refused.sort_unstable();
        let path = shown(&self.path.to_string_lossy());
        let says = |(line, id, why): &(usize, &GameId, &String)| {
            format!("{path}, line {line}: not used, since it cannot be true of game {id}: {}", shown(why))
        };
        let mut warnings: Vec<String> = refused.iter().take(most).map(says).collect();
        if refused.len() > most {
            warnings.push(format!("{path}: {} more lines cannot be true and are not used", refused.len() - most));
        }
        warnings.extend(self.too_long());
        warnings
    }

    /// What is to be said of a line that is longer than any entry.
    fn too_long(&self) -> Option<String> {
        let (path, line) = (shown(&self.path.to_string_lossy()), self.lines + 1);
        let why = format!(
            "{path}, line {line}: it has more than {LINE_BYTES_MAX} bytes, so nothing from it on is used; remove it"
        );
        self.is_too_long.then_some(why)
    }

    fn verdicts(&self) -> MutexGuard<'_, HashMap<GameId, Option<String>>> {
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The entry of a game, whatever it says.
    #[must_use]
    pub fn entry(&self, id: GameId) -> Option<Entry> {
        let (offset, bytes, _) = *self.places.get(&id)?;
        let mut line = vec![0; bytes as usize];
        self.file.as_ref()?.read_exact_at(&mut line, offset).ok()?;
        let entry: Entry = serde_json::from_slice(&line).ok()?;
        // The file may be another one by now.
        (GameId::of(&entry.id) == id).then_some(entry)
    }

    /// A line was appended.
    fn add(&mut self, id: GameId, bytes: u64) {
        self.lines += 1;
        self.places.insert(id, (self.end, u32::try_from(bytes).unwrap_or(u32::MAX), self.lines));
        self.verdicts().remove(&id);
        self.end += bytes;
    }

    /// Reads the lines after those that are known.
    fn read(&mut self, file: File, path: &Path) -> anyhow::Result<()> {
        let reading = || format!("reading {}", path.display());
        path.clone_into(&mut self.path);
        let file = self.file.insert(file);
        file.seek(SeekFrom::Start(self.end)).with_context(reading)?;
        let mut reader = BufReader::with_capacity(1 << 16, file.try_clone().with_context(reading)?);
        let mut line = Vec::new();
        loop {
            line.clear();
            let bytes = reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line).with_context(reading)? as u64;
            if line.last() != Some(&b'\n') {
                self.is_too_long = bytes == LINE_BYTES_MAX;
                return Ok(());
            }
            if let Ok(entry) = serde_json::from_slice::<Entry>(&line) {
                self.add(GameId::of(&entry.id), bytes);
            } else {
                self.damaged += 1;
                self.lines += 1;
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
        if let Some(why) = analyses.too_long() {
            bail!(why);
        }
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
