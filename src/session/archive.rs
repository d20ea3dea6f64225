//! The games of results folders, to list them and to look at some of them.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;

use super::Trial;
use crate::event::{self, Event, GameId, Round};
use crate::journal::{self, FILE_NAME, Index, Line};
use crate::record::Record;
use crate::report::{List, Row, read_games_csv};
use crate::schedule::{Brief, Scheduler};

/// Bytes of the end of a journal in which its last game is looked for.
const TAIL_BYTES: u64 = 1 << 20;
/// Bytes that are read at once.
const BUFFER_BYTES: usize = 1 << 18;

/// The games of some results folders. Games stay in the journals; one is read when it is looked at.
#[derive(Debug)]
pub struct Archive {
    dirs: Vec<PathBuf>,
    /// For each folder, where its games are, once one was looked at.
    indexes: Vec<Option<Index>>,
}

impl Archive {
    /// The games of these results folders.
    #[must_use]
    pub fn new(dirs: Vec<PathBuf>) -> Self {
        let indexes = dirs.iter().map(|_| None).collect();
        Self { dirs, indexes }
    }

    /// The results folders.
    #[must_use]
    pub fn dirs(&self) -> &[PathBuf] {
        &self.dirs
    }

    /// All games: from `games.csv` where it is up to date, else from the journal, which takes longer.
    ///
    /// # Errors
    ///
    /// Returns an error if a journal cannot be read.
    pub fn list(&self) -> anyhow::Result<List> {
        let mut list = List::default();
        for dir in &self.dirs {
            let begin = list.rows.len();
            if !is_read_from_table(dir, &mut list)? {
                list.rows.truncate(begin);
                read_journal(dir, &mut list)?;
            }
            list.folders.push(dir.file_name().unwrap_or(dir.as_os_str()).to_string_lossy().into_owned());
        }
        Ok(list)
    }

    /// The record of a game of [`list`](Self::list); `None` if it was never played, since a bot was withdrawn.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read, or the game in it is damaged.
    pub fn record(&mut self, row: &Row) -> anyhow::Result<Option<Record>> {
        let folder = usize::from(row.folder);
        let (Some(dir), Some(index)) = (self.dirs.get(folder), self.indexes.get_mut(folder)) else { return Ok(None) };
        if let Some(index) = index
            && let Some(record) = index.record(row.id)?
        {
            return Ok(Some(record));
        }
        // Games may have been added since.
        let index = index.insert(Index::of(dir)?);
        index.record(row.id)
    }
}

/// Adds the games of `games.csv` to the list. Returns whether the table is up to date: whether it has the last game of the
/// journal, since it is always written whole.
fn is_read_from_table(dir: &Path, list: &mut List) -> anyhow::Result<bool> {
    let Some(newest) = last_game(&dir.join(FILE_NAME))? else { return Ok(false) };
    let Ok(table) = File::open(dir.join("games.csv")) else { return Ok(false) };
    let begin = list.rows.len();
    let read = read_games_csv(BufReader::with_capacity(BUFFER_BYTES, table), list);
    Ok(matches!(read, Ok(Some(()))) && list.rows[begin..].iter().any(|row| row.id == newest))
}

/// The last game of a journal, if it is near its end.
fn last_game(path: &Path) -> anyhow::Result<Option<GameId>> {
    let reading = || format!("reading journal {}", path.display());
    let mut file = File::open(path).with_context(reading)?;
    let length = file.metadata().with_context(reading)?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES))).with_context(reading)?;
    let mut tail = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut tail).with_context(reading)?;
    // The first line may begin before the tail; it is then no line of a game, and there are others.
    let lines = tail.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    Ok(lines.rev().find_map(journal::id_of_line))
}

/// Adds the games of a journal to the list, as `games.csv` would have them. Damaged lines are skipped: `verify` reports
/// them.
fn read_journal(dir: &Path, list: &mut List) -> anyhow::Result<()> {
    let path = dir.join(FILE_NAME);
    let reading = || format!("reading journal {}", path.display());
    let file = File::open(&path).with_context(reading)?;
    let mut event: Option<Event> = None;
    let mut rounds: Vec<Round> = Vec::new();
    let (mut briefs, mut rows) = (Vec::new(), Vec::new());
    let mut places: HashMap<GameId, usize> = HashMap::new();
    for located in journal::lines(BufReader::with_capacity(BUFFER_BYTES, file)) {
        let located = located.with_context(reading)?;
        match located.line {
            Ok(Line::Event(now)) => event = Some(*now),
            Ok(Line::Round(round)) => rounds.push(*round),
            Ok(Line::Game(record)) => {
                let row = list.row_of(&record);
                // The first record of a game counts.
                places.entry(row.id).or_insert_with(|| {
                    briefs.push(Brief::of(&record, located.offset, located.bytes));
                    rows.push(row);
                    rows.len() - 1
                });
            }
            Ok(Line::Stop(_)) | Err(_) => {}
        }
    }
    let schedule = event.and_then(|event| {
        let mut trial = Trial::new(event.sprt.as_ref().and_then(event::Test::sprt));
        Scheduler::new(Arc::new(event), &briefs, &rounds, &mut trial).ok()
    });
    // Games outside a tournament, such as those of a person, are in no schedule.
    let Some(schedule) = schedule else {
        list.rows.append(&mut rows);
        return Ok(());
    };
    for (game, brief) in schedule.tried() {
        let known = places.get(&brief.id).map(|place| rows[*place]).filter(|_| brief.bytes > 0);
        let row = known.unwrap_or_else(|| list.row_of(&schedule.unplayed(game.place, [None, None])));
        // A bot that was renamed keeps its games.
        let name = |bot: usize| schedule.event().bots.get(bot).map_or("", |entry| entry.id.name.as_str());
        let bots = game.bots.map(|bot| list.bots.number(name(bot)));
        list.rows.push(Row {
            round: game.round,
            pair: game.pair,
            bots,
            result: brief.result,
            statuses: brief.statuses,
            ..row
        });
    }
    Ok(())
}
