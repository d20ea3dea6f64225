//! The journal: every finished game and every definition of the tournament, one JSON object a line, append-only. It is the
//! single source of truth; every other file can be rebuilt from it.
//!
//! Each line ends in `"sum"`, a hash of everything before it, so that an edited line is noticed. A last line that was torn
//! by a crash is cut off when the journal is opened. Lines may end in CR LF, and the last one in nothing: no sum covers that.
//!
//! Games are never all in memory: reading keeps a [`Brief`] of each, and a [`Reader`] fetches the rest on demand.

mod analyses;
mod books;
mod find;
mod line;
mod line_error;
mod lock;
mod merge;
mod own_lines;
mod place;
mod reader;
mod seen;
mod signatures;
mod sizes;

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use arena_core::event::{GameId, KnownNames, Round, Stop, Tournament};
use arena_core::record::Record;
use arena_core::schedule::Brief;
use arena_core::verify::{event_problems, twin_problem};
use arena_sys::flags::{FRESH, SEED};
use arena_sys::machine::OwnKey;
use arena_sys::results_folder::{ResultsFolder, if_there};
use serde::Serialize;

pub use analyses::{ANALYSES_NAME, Analyses, AnalysisFile};
use books::Books;
pub use books::Definition;
pub use find::{FoundRecord, GameIndex, Speakers, contests, find, last_event};
pub use line::{JournalLine, JournalLines, LineDamage, Located, lines};
pub use line_error::LineError;
pub use lock::Lock;
pub use merge::{MergeSource, remove_games};
use own_lines::Marking;
pub use own_lines::{OWN_LINES_NAME, strange_lines};
pub use place::GamePlace;
pub use reader::Reader;
pub use seen::{SeenGames, Sighting, Twice};
use signatures::Signing;
pub use signatures::{SIGNATURES_NAME, Signatures, Signer, check_signatures};

/// Name of the journal in a tournament's folder.
pub const FILE_NAME: &str = "games.jsonl";
/// The cure for a damaged definition of a tournament. Without its seed, the next run would draw another one and play every
/// game again.
#[must_use]
pub fn event_cure() -> String {
    format!(
        "it defined the tournament: remove the line and run `arena tournament {SEED} N` with the seed that tournament.json \
         has, which writes it again"
    )
}

/// A journal open for appending, with its folder locked against other arenas.
#[derive(Debug)]
pub struct Journal {
    file: File,
    folder: ResultsFolder,
    /// Where the first line begins that was appended since it was opened.
    begin: u64,
    /// Where the next line begins.
    end: u64,
    books: Books,
    signing: Option<Signing>,
    marking: Option<Marking>,
    _lock: Lock,
}

/// Contents of a journal.
#[derive(Debug, Default)]
pub struct JournalContents {
    /// The definition in force, by which games are played.
    pub event: Option<Tournament>,
    /// All games, in the order of finishing; of identical records of a game the first.
    pub games: Vec<Brief>,
    /// Duplicate records.
    pub twice: Twice,
    /// The names under which bots have played.
    pub known: KnownNames,
    /// The decisions about added pairs, in order.
    pub rounds: Vec<Round>,
    /// Why the last run stopped itself; `None` if it did not, or another one has begun since.
    pub stop: Option<Stop>,
    /// Length of a torn last line, in bytes.
    pub torn_bytes: u64,
    /// End of the complete lines.
    end: u64,
    /// Whether the last of them has no newline.
    lacks_newline: bool,
    books: Books,
}

impl Journal {
    /// Opens the journal in `folder`, creating it if necessary, and reads it. A torn last line is cut off.
    ///
    /// # Errors
    ///
    /// Returns an error if another arena has it open, a line is damaged, or a file cannot be read or written.
    pub fn open(folder: &ResultsFolder) -> anyhow::Result<(Self, JournalContents)> {
        let lock = Lock::take(folder)?;
        Self::open_locked(folder, lock)
    }

    /// Moves the journal in `folder`, sound or not, aside and starts a new one, durably; returns the path of the old one, if
    /// it was not empty. `lock` is that of `folder`.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be renamed or created.
    pub fn open_afresh(folder: &ResultsFolder, lock: Lock) -> anyhow::Result<(Self, Option<PathBuf>)> {
        let path = folder.path_of(FILE_NAME);
        let mut old = None;
        let size = if_there(folder.read(FILE_NAME).and_then(|file| Ok(file.metadata()?.len())));
        if size.with_context(|| format!("opening journal {}", path.display()))?.is_some_and(|bytes| bytes > 0) {
            let aside = aside(folder)?;
            folder.rename(FILE_NAME, &aside).with_context(|| format!("renaming {} to {aside}", path.display()))?;
            old = Some(folder.path_of(aside));
        }
        signatures::put_aside(folder, old.as_deref())?;
        own_lines::remove(folder)?;
        let (journal, _) = Self::open_locked(folder, lock)?;
        folder.sync().with_context(|| format!("syncing folder {}", folder.path().display()))?;
        Ok((journal, old))
    }

    fn open_locked(folder: &ResultsFolder, lock: Lock) -> anyhow::Result<(Self, JournalContents)> {
        let path = folder.path_of(FILE_NAME);
        let file = folder.append(FILE_NAME).with_context(|| format!("opening journal {}", path.display()))?;
        let mut contents = contents(&file, &path)?;
        if contents.torn_bytes > 0 {
            file.set_len(contents.end).with_context(|| format!("cutting the torn line off {}", path.display()))?;
        }
        if contents.lacks_newline {
            (&file).write_all(b"\n").with_context(|| format!("ending the last line of {}", path.display()))?;
            contents.end += 1;
        }
        let (end, books) = (contents.end, std::mem::take(&mut contents.books));
        let folder = folder.clone();
        Ok((Self { file, folder, begin: end, end, books, signing: None, marking: None, _lock: lock }, contents))
    }

    /// Signs everything that is appended from here on. Lines that are not signed yet are signed as found.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal is not what was signed before, or a file cannot be read or written.
    pub fn sign_with(&mut self, signer: Arc<dyn Signer>) -> anyhow::Result<()> {
        self.signing = Some(Signing::start(&self.folder, &self.file, self.end, signer)?);
        Ok(())
    }

    /// Marks everything that is appended from here on as written by the holder of this key.
    ///
    /// # Errors
    ///
    /// Returns an error if the file of marks cannot be written.
    pub fn mark_with(&mut self, key: OwnKey) -> anyhow::Result<()> {
        self.marking = Some(Marking::start(&self.folder, key)?);
        Ok(())
    }

    /// Where the lines begin that are appended since it was opened, in bytes.
    #[must_use]
    pub const fn begin(&self) -> u64 {
        self.begin
    }

    /// Opens the journal a second time, for reading.
    ///
    /// # Errors
    ///
    /// Returns an error if the system refuses.
    pub fn reader(&self) -> anyhow::Result<Reader> {
        let file = self.file.try_clone().with_context(|| format!("reading journal {}", self.path().display()))?;
        Ok(Reader::new(file, self.folder.clone()))
    }

    /// Appends a game.
    ///
    /// # Errors
    ///
    /// Returns an error if the line cannot be written.
    pub fn append_game(&mut self, record: &Record) -> anyhow::Result<Brief> {
        let offset = self.end;
        let bytes = self.append("game", record)?;
        Ok(Brief::of(record, offset, bytes))
    }

    /// Appends a definition of the tournament, after those openings of its book that the journal does not have yet.
    ///
    /// # Errors
    ///
    /// Returns an error if a line cannot be written.
    pub fn append_event(&mut self, event: &Tournament) -> anyhow::Result<()> {
        let (openings, definition) = self.books.split(event);
        if let Some(openings) = openings {
            self.append("openings", &openings)?;
            self.books.add(openings)?;
        }
        self.append("event", &definition).map(drop)
    }

    /// Appends a decision about added pairs and syncs it: none of their games may begin before.
    ///
    /// # Errors
    ///
    /// Returns an error if the line cannot be written or synced.
    pub fn append_round(&mut self, round: &Round) -> anyhow::Result<()> {
        self.append("round", round)?;
        self.make_durable()
    }

    /// Appends that the run stopped itself.
    ///
    /// # Errors
    ///
    /// Returns an error if the line cannot be written.
    pub fn append_stop(&mut self, stop: Stop) -> anyhow::Result<()> {
        self.append("stop", &stop).map(drop)
    }

    /// Makes everything appended so far durable, and signs it if it is to be.
    ///
    /// # Errors
    ///
    /// Returns an error if the disk refuses, or another program changed or removed the file.
    pub fn sync(&mut self) -> anyhow::Result<()> {
        self.make_durable()?;
        self.signing.as_mut().map_or(Ok(()), |signing| signing.sign(false))
    }

    fn make_durable(&self) -> anyhow::Result<()> {
        let path = self.path();
        let path = path.display();
        // First: a line without its mark would be one of a stranger.
        self.marking.as_ref().map_or(Ok(()), Marking::sync)?;
        let synced = self.file.sync_data().and_then(|()| self.file.metadata());
        let ours = synced.with_context(|| format!("syncing journal {path}"))?;
        if ours.len() != self.end {
            bail!("journal {path} was changed by another program while it was open; `arena verify` says what is in it");
        }
        if ours.nlink() == 0 {
            bail!("journal {path} was removed; its games are lost");
        }
        if !self.folder.is_at_its_path() {
            bail!("journal {path} was moved away with its folder; finished games are saved in it");
        }
        let is_there = self.folder.is_named(&self.file, FILE_NAME);
        if !is_there.with_context(|| format!("journal {path} was removed"))? {
            bail!("journal {path} was replaced by another file; the games played since then are lost");
        }
        Ok(())
    }

    fn path(&self) -> PathBuf {
        self.folder.path_of(FILE_NAME)
    }

    /// Returns the bytes of the line.
    fn append<T: Serialize>(&mut self, kind: &str, body: &T) -> anyhow::Result<u32> {
        let line = line::encode(kind, body);
        if let Some(why) = line::too_long(line.len() as u64) {
            bail!("journal {}: the next line cannot be written: {why}", self.path().display());
        }
        let bytes = u32::try_from(line.len()).context("the length of a line")?;
        self.write(line.as_bytes())?;
        Ok(bytes)
    }

    /// Writes whole lines.
    fn write(&mut self, lines: &[u8]) -> anyhow::Result<()> {
        // First: a mark without its line says nothing.
        self.marking.as_mut().map_or(Ok(()), |marking| marking.note(lines))?;
        let written = self.file.write_all(lines);
        if written.is_err() {
            // A line cut by a full disk must not be continued by the next one. If this fails too, the torn line is still
            // detected when the journal is opened next.
            let _ = self.file.set_len(self.end);
        }
        written.with_context(|| {
            format!(
                "writing journal {}; finished games are saved, run the same command to resume",
                self.path().display()
            )
        })?;
        self.end += lines.len() as u64;
        if let Some(signing) = &mut self.signing {
            signing.note(lines);
        }
        Ok(())
    }
}

/// A free name beside the journal for an old one.
fn aside(folder: &ResultsFolder) -> anyhow::Result<String> {
    (1..u32::MAX)
        .map(|number| format!("{FILE_NAME}.{number}"))
        .find(|aside| !folder.has(aside))
        .context("all names for the old journal are taken")
}

/// Reads the journal in `folder` without opening it for writing.
///
/// # Errors
///
/// Returns an error if there is none, it cannot be read, or a line is damaged.
pub fn read(folder: &ResultsFolder) -> anyhow::Result<(Reader, JournalContents)> {
    let reader = Reader::open(folder)?;
    let contents = contents(reader.file(), &reader.path())?;
    Ok((reader, contents))
}

/// Reads the journal in `folder` up to the end of this game's line, as if nothing had followed it; `None` if that game is not
/// there, such as in another journal.
///
/// # Errors
///
/// See [`read`].
pub fn read_up_to(folder: &ResultsFolder, last: &GamePlace) -> anyhow::Result<Option<(Reader, JournalContents)>> {
    let reader = Reader::open(folder)?;
    if !reader.has_game(last) {
        return Ok(None);
    }
    let contents = contents(reader.file().take(last.end()), &reader.path())?;
    Ok(Some((reader, contents)))
}

/// The line of a game, as the journal has it, without the newline.
#[must_use]
pub fn encode_game(record: &Record) -> String {
    let mut line = line::encode("game", record);
    line.pop();
    line
}

/// Reads the line of a game, with or without the newline.
///
/// # Errors
///
/// Returns the damage of the line, or what it is instead.
pub fn decode_game(line: &str) -> Result<Record, LineError> {
    match line::decode(line.as_bytes())? {
        JournalLine::Game(record) => Ok(*record),
        _ => Err(LineError::NotAGame),
    }
}

/// The game that a line of a journal is of; `None` for any other text. The line is not decoded.
#[must_use]
pub fn id_of_line(line: &[u8]) -> Option<GameId> {
    line::id_of(line).map(GameId::of)
}

fn contents(file: impl Read, path: &std::path::Path) -> anyhow::Result<JournalContents> {
    let mut contents = JournalContents::default();
    // The definition in force, and its line.
    let mut last = None;
    let mut seen = SeenGames::default();
    let mut lines = lines(BufReader::with_capacity(1 << 16, file));
    for line in &mut lines {
        let Located { number, offset, bytes, line } =
            line.with_context(|| format!("reading journal {}", path.display()))?;
        contents.stop = None;
        match line {
            Ok(JournalLine::Event(definition)) => {
                for bot in &definition.without_book().bots {
                    contents.known.note(&bot.id);
                }
                last = Some((number, *definition));
            }
            Ok(JournalLine::Openings) => {}
            Ok(JournalLine::Round(round)) => contents.rounds.push(*round),
            Ok(JournalLine::Stop(stop)) => contents.stop = Some(stop),
            Ok(JournalLine::Game(record)) => {
                let brief = Brief::of(&record, offset, bytes);
                match seen.note(&brief, number) {
                    Sighting::New => {
                        for bot in &record.bots {
                            contents.known.note(bot);
                        }
                        contents.games.push(brief);
                    }
                    Sighting::Again => {}
                    Sighting::Contradiction(earlier) => bail!(
                        "journal {}, line {number}: game {} is in line {earlier} with another result; remove the line \
                         that is wrong (`arena verify` lists every such line), or put the journal aside with `arena \
                         tournament {FRESH}`",
                        path.display(),
                        brief.id
                    ),
                }
            }
            Err(LineDamage { why, is_event }) => {
                let cure = if is_event { event_cure() } else { "remove the line to play its game again".to_owned() };
                bail!(
                    "journal {}, line {number}: {why}; {cure} (`arena verify` lists every such line), or put the journal \
                     aside with `arena tournament {FRESH}`",
                    path.display()
                )
            }
        }
    }
    contents.twice = seen.twice;
    (contents.torn_bytes, contents.end, contents.lacks_newline) = (lines.torn_bytes, lines.offset, lines.lacks_newline);
    contents.books = lines.into_books();
    // Earlier definitions are history; another version may have written them.
    let Some((number, definition)) = last else { return Ok(contents) };
    let event_seed = definition.without_book().seed;
    let whole = contents.books.complete(definition).map_err(|why| why.to_string()).and_then(|event| {
        let problem = event_problems(&event).into_iter().chain(twin_problem(&event)).next();
        problem.map_or(Ok(event), Err)
    });
    match whole {
        Ok(event) => contents.event = Some(event),
        Err(problem) => bail!(
            "journal {}, line {number}: {problem}; remove the line and run `arena tournament {SEED} {}`, which \
             writes it again, or put the journal aside with `arena tournament {FRESH}`",
            path.display(),
            event_seed
        ),
    }
    Ok(contents)
}
