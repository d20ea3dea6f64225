//! Games of other journals, copied into one line by line, and games taken out of one.

use std::fs::File;
use std::io::{BufReader, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use anyhow::{Context, bail};
use arena_core::event::{GameId, Round, Tournament};
use arena_core::schedule::Brief;
use arena_sys::results_folder::{Durability, ResultsFolder};

use super::line::{self, JournalLine, Located, lines};
use super::{FILE_NAME, Journal, Lock, aside};

/// Bytes that are copied at once.
const COPY_BYTES: u64 = 1 << 20;
/// Bytes that are read at once.
const BUFFER_BYTES: usize = 1 << 18;

/// A journal whose games are to be copied. It may be written meanwhile.
#[derive(Debug)]
pub struct MergeSource {
    file: File,
    path: PathBuf,
    /// The definition in force.
    pub event: Option<Tournament>,
    /// All its games in order, also repeated ones.
    pub games: Vec<Brief>,
    /// The decisions about added pairs, in order.
    pub rounds: Vec<Round>,
}

impl MergeSource {
    /// Reads the journal in `folder`. A torn last line is left out: it is being written, or its writer was killed.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be read, or a line is damaged.
    pub fn read(folder: &ResultsFolder) -> anyhow::Result<Self> {
        let path = folder.path_of(FILE_NAME);
        let reading = || format!("reading journal {}", path.display());
        let file = folder.read(FILE_NAME).with_context(reading)?;
        let (mut event, mut games, mut rounds) = (None, Vec::new(), Vec::new());
        let mut lines = lines(BufReader::with_capacity(BUFFER_BYTES, &file));
        for located in &mut lines {
            let Located { number, offset, bytes, line } = located.with_context(reading)?;
            match line {
                Ok(JournalLine::Event(now)) => event = Some((number, *now)),
                Ok(JournalLine::Round(round)) => rounds.push(*round),
                Ok(JournalLine::Game(record)) => games.push(Brief::of(&record, offset, bytes)),
                Ok(JournalLine::Openings | JournalLine::Stop(_)) => {}
                Err(damage) => bail!(
                    "journal {}, line {number}: {}; remove the line to play its game again (`arena verify` lists every such line)",
                    path.display(),
                    damage.why
                ),
            }
        }
        let whole = |(number, definition)| {
            let whole = lines.complete(definition);
            whole.with_context(|| format!("journal {}, line {number}", path.display()))
        };
        let event = event.map(whole).transpose()?;
        drop(lines);
        Ok(Self { file, path, event, games, rounds })
    }
}

impl Journal {
    /// Appends the lines of these games of another journal, and returns them as they are in this one.
    ///
    /// # Errors
    ///
    /// Returns an error if they cannot be read or written, or the other journal was changed meanwhile.
    pub fn copy_games(&mut self, source: &MergeSource, games: &[Brief]) -> anyhow::Result<Vec<Brief>> {
        let mut copied = Vec::with_capacity(games.len());
        let mut buffer = Vec::new();
        let mut rest = games;
        while let Some(first) = rest.first() {
            // Games that follow each other are copied together.
            let (mut count, mut end) = (0, first.offset);
            while let Some(game) = rest.get(count).filter(|game| game.offset == end)
                && (count == 0 || end + u64::from(game.bytes) - first.offset <= COPY_BYTES)
            {
                end += u64::from(game.bytes);
                count += 1;
            }
            let (now, later) = rest.split_at(count);
            buffer.resize((end - first.offset) as usize, 0);
            let path = source.path.display();
            source.file.read_exact_at(&mut buffer, first.offset).with_context(|| format!("reading journal {path}"))?;
            let mut at = 0;
            for game in now {
                let line = &buffer[at..at + game.bytes as usize];
                let is_whole = line.ends_with(b"\n") || !line::is_torn(game.bytes.into(), line);
                if line::id_of(line).map(GameId::of) != Some(game.id) || !is_whole {
                    bail!("journal {path} was changed while it was read; merge again");
                }
                copied.push(game.moved_to(self.end + at as u64));
                at += line.len();
            }
            // The last line of a journal may lack it.
            if !buffer.ends_with(b"\n") {
                buffer.push(b'\n');
            }
            self.write(&buffer)?;
            rest = later;
        }
        Ok(copied)
    }
}

/// Takes games out of the journal in `folder`, which is locked: writes it anew without them and keeps the old one under another
/// name, which is returned; `None` if it has none of them.
///
/// # Errors
///
/// Returns an error if a file cannot be read, written or renamed. The journal is then as it was.
pub fn remove_games(
    folder: &ResultsFolder,
    _lock: &Lock,
    is_unwanted: impl Fn(GameId) -> bool,
) -> anyhow::Result<Option<PathBuf>> {
    let rewriting = || format!("rewriting journal {}", folder.path_of(FILE_NAME).display());
    let mut new = folder.temporary().with_context(rewriting)?;
    let mut removed = 0;
    let mut written: anyhow::Result<()> = Ok(());
    super::find::for_each_line(folder, |_, line| {
        if line::id_of(line).is_some_and(|id| is_unwanted(GameId::of(id))) {
            removed += 1;
        } else if written.is_ok() {
            written = new.write_all(line).with_context(rewriting);
        }
    })?;
    written?;
    if removed == 0 {
        return Ok(None);
    }
    let old = aside(folder)?;
    // Both names are there in between, so that no crash loses the journal.
    folder.link(FILE_NAME, &old).with_context(rewriting)?;
    new.keep_as(FILE_NAME, Durability::Synced).with_context(rewriting)?;
    Ok(Some(folder.path_of(old)))
}
