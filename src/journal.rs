//! The journal: every finished game and every definition of the tournament, one JSON object a line, only ever
//! appended to. It is the only truth; every other file can be rebuilt from it.
//!
//! Each line ends in `"sum"`, a hash of everything before it, so that an edited line is noticed. A line that was torn
//! by a crash has no newline; it is cut off when the journal is opened.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::record::Record;
use crate::text::json_mistake;

/// Name of the journal in a tournament's folder.
pub const FILE_NAME: &str = "games.jsonl";
const LOCK_NAME: &str = ".lock";
const SUM_KEY: &str = ",\"sum\":\"";

/// One line of the journal.
#[derive(Debug)]
pub enum Line {
    /// A definition of the tournament; the last one is in force.
    Event(Box<Event>),
    /// A game.
    Game(Box<Record>),
}

#[derive(Serialize)]
struct Tagged<'a, T> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(flatten)]
    body: &'a T,
}

/// A journal that is open for appending, its folder locked against other arenas.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    _lock: Lock,
}

/// What a journal holds.
#[derive(Debug, Default)]
pub struct Contents {
    /// The definition in force.
    pub event: Option<Event>,
    /// All games, as finished.
    pub games: Vec<Record>,
    /// Bytes of a torn last line.
    pub torn_bytes: usize,
}

impl Journal {
    /// Opens the journal in `dir`, creating both if need be, and reads what it holds. A torn last line is cut off.
    ///
    /// # Errors
    ///
    /// Returns an error if another arena has it open, a line is damaged, or a file cannot be read or written.
    pub fn open(dir: &Path) -> anyhow::Result<(Self, Contents)> {
        let lock = Lock::take(dir)?;
        Self::open_locked(dir, lock)
    }

    /// Moves the journal in `dir`, sound or not, aside and starts a new one; returns where the old one is, if it held
    /// anything.
    ///
    /// # Errors
    ///
    /// Returns an error if another arena has it open, or a file cannot be renamed or created.
    pub fn open_afresh(dir: &Path) -> anyhow::Result<(Self, Option<PathBuf>)> {
        let lock = Lock::take(dir)?;
        let path = dir.join(FILE_NAME);
        let mut old = None;
        if std::fs::metadata(&path).is_ok_and(|meta| meta.len() > 0) {
            let aside = (1..u32::MAX)
                .map(|number| path.with_file_name(format!("{FILE_NAME}.{number}")))
                .find(|aside| aside.symlink_metadata().is_err())
                .context("every name for the old journal is taken")?;
            std::fs::rename(&path, &aside)
                .with_context(|| format!("renaming {} to {}", path.display(), aside.display()))?;
            old = Some(aside);
        }
        Ok((Self::open_locked(dir, lock)?.0, old))
    }

    fn open_locked(dir: &Path, lock: Lock) -> anyhow::Result<(Self, Contents)> {
        let path = dir.join(FILE_NAME);
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&path)
            .with_context(|| format!("opening journal {}", path.display()))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).with_context(|| format!("reading journal {}", path.display()))?;
        let contents = parse(&text, &path)?;
        if contents.torn_bytes > 0 {
            let whole = text.len() - contents.torn_bytes;
            file.set_len(whole as u64).with_context(|| format!("cutting the torn line off {}", path.display()))?;
            file.seek(std::io::SeekFrom::End(0)).with_context(|| format!("seeking in {}", path.display()))?;
        }
        Ok((Self { file, path, _lock: lock }, contents))
    }

    /// Appends a game.
    ///
    /// # Errors
    ///
    /// Returns an error if the line cannot be written.
    pub fn append_game(&mut self, record: &Record) -> anyhow::Result<()> {
        self.append("game", record)
    }

    /// Appends a definition of the tournament.
    ///
    /// # Errors
    ///
    /// Returns an error if the line cannot be written.
    pub fn append_event(&mut self, event: &Event) -> anyhow::Result<()> {
        self.append("event", event)
    }

    /// Makes everything appended so far survive a power cut.
    ///
    /// # Errors
    ///
    /// Returns an error if the disk refuses.
    pub fn sync(&self) -> anyhow::Result<()> {
        self.file.sync_data().with_context(|| format!("syncing journal {}", self.path.display()))
    }

    fn append<T: Serialize>(&mut self, kind: &str, body: &T) -> anyhow::Result<()> {
        let line = encode(kind, body);
        let before = self.file.metadata().map(|meta| meta.len());
        let written = self.file.write_all(line.as_bytes());
        if written.is_err()
            && let Ok(before) = before
        {
            // A line cut by a full disk must not be continued by the next one. If this fails too, the torn line is
            // still recognised when the journal is opened next.
            let _ = self.file.set_len(before);
        }
        written.with_context(|| {
            format!(
                "writing journal {}; the games before are safe, run the same command again to go on",
                self.path.display()
            )
        })
    }
}

/// Reads the journal in `dir` without opening it for writing.
///
/// # Errors
///
/// Returns an error if there is none, it cannot be read, or a line is damaged.
pub fn read(dir: &Path) -> anyhow::Result<Contents> {
    let path = dir.join(FILE_NAME);
    let text = std::fs::read(&path).with_context(|| format!("reading journal {}", path.display()))?;
    parse(&text, &path)
}

/// The lines of a journal, each with its number (from 1), parsed or with what is wrong with it. A [torn](torn_bytes)
/// last line is not among them.
pub fn lines(text: &[u8]) -> impl Iterator<Item = (usize, Result<Line, String>)> {
    let whole = text.len() - torn_bytes(text);
    text[..whole].split_inclusive(|byte| *byte == b'\n').enumerate().map(|(index, line)| (index + 1, decode(line)))
}

/// Bytes of a last line that a crash kept from its newline.
#[must_use]
pub fn torn_bytes(text: &[u8]) -> usize {
    text.len() - memchr::memrchr(b'\n', text).map_or(0, |last| last + 1)
}

fn parse(text: &[u8], path: &Path) -> anyhow::Result<Contents> {
    let mut contents = Contents { torn_bytes: torn_bytes(text), ..Contents::default() };
    for (number, line) in lines(text) {
        match line {
            Ok(Line::Event(event)) => contents.event = Some(*event),
            Ok(Line::Game(record)) => contents.games.push(*record),
            Err(why) => bail!(
                "journal {}, line {number}: {why}; remove the line to play its game again (`arena verify` lists every \
                 such line), or put the journal aside with `arena tournament --fresh`",
                path.display()
            ),
        }
    }
    Ok(contents)
}

fn encode<T: Serialize>(kind: &str, body: &T) -> String {
    let mut line = serde_json::to_string(&Tagged { kind, body }).expect("records serialise to memory");
    line.pop();
    let sum = sum_of(line.as_bytes());
    line.push_str(SUM_KEY);
    line.push_str(&sum);
    line.push_str("\"}\n");
    line
}

fn decode(line: &[u8]) -> Result<Line, String> {
    #[derive(Deserialize)]
    struct Tag {
        #[serde(rename = "type")]
        kind: String,
        sum: String,
    }
    let text = std::str::from_utf8(line).map_err(|error| format!("invalid UTF-8: {error}"))?;
    let tag: Tag =
        serde_json::from_str(text).map_err(|error| format!("not a line of a journal: {}", json_mistake(&error)))?;
    let body = text.rfind(SUM_KEY).map(|at| &text[..at]).ok_or("the line does not end in its sum")?;
    if sum_of(body.as_bytes()) != tag.sum {
        return Err(format!(
            "its sum is {}, but its content gives {}: it was edited or damaged",
            tag.sum,
            sum_of(body.as_bytes())
        ));
    }
    let wrong = |error: serde_json::Error| format!("not a {} of this version: {}", tag.kind, json_mistake(&error));
    match tag.kind.as_str() {
        "event" => {
            let event: Event = serde_json::from_str(text).map_err(wrong)?;
            if event.openings.is_empty() {
                return Err("an event needs an opening, if only an empty one".to_owned());
            }
            Ok(Line::Event(Box::new(event)))
        }
        "game" => serde_json::from_str(text).map(|record| Line::Game(Box::new(record))).map_err(wrong),
        other => Err(format!("unknown type `{}`", crate::text::shown(other))),
    }
}

fn sum_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..16].to_owned()
}

/// A tournament's folder, kept to this process until it is dropped.
#[derive(Debug)]
pub struct Lock {
    // Held for its lock, which ends with it.
    _file: File,
}

impl Lock {
    /// Locks the folder, which is created if need be, and notes the number of this process for whoever comes second.
    ///
    /// # Errors
    ///
    /// Returns an error that names the holder if another arena has it, or says why it cannot be locked.
    pub fn take(dir: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(dir)
            .with_context(|| format!("creating folder {}; name another one with --results DIR", dir.display()))?;
        match Self::take_if_free(dir)? {
            Ok(lock) => Ok(lock),
            Err(holder) => bail!(
                "{} is in use by another arena (process {holder}); wait for it, or choose another --name",
                dir.display()
            ),
        }
    }

    /// Locks the folder unless somebody else has; then it says who, as far as that is known.
    ///
    /// # Errors
    ///
    /// Returns an error if the lock cannot be opened or written.
    pub fn take_if_free(dir: &Path) -> anyhow::Result<Result<Self, String>> {
        let path = dir.join(LOCK_NAME);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .with_context(|| format!("opening lock {}", path.display()))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // The holder's number is a courtesy; without it the message is still true.
                let _ = file.read_to_string(&mut holder);
                return Ok(Err(crate::text::shown(holder.trim())));
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("locking {}", path.display()));
            }
        }
        file.set_len(0)
            .and_then(|()| write!(file, "{}", std::process::id()))
            .with_context(|| format!("writing {}", path.display()))?;
        Ok(Ok(Self { _file: file }))
    }
}
