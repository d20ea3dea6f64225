//! The games of results folders, to list them and to look at some of them.

use std::collections::HashMap;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::sync::Arc;

use anyhow::Context as _;
use arena_core::analysis::Marks;
use arena_core::event::{self, GameId, Round, Tournament};
use arena_core::record::Record;
use arena_core::rules::{Movers, Variant};
use arena_core::schedule::{Brief, Scheduler};
use arena_core::speech::Speech;
use arena_store::journal::{self, Analyses, FILE_NAME, GameIndex, JournalLine};
use arena_store::report::{List, ListedGame, read_games_csv};
use arena_sys::results_folder::{Place, ResultsFolder, if_there};

use super::MatchEvaluation;

/// Bytes of the end of a journal in which its last game is looked for.
const TAIL_BYTES: u64 = 1 << 20;
/// Bytes that are read at once.
const BUFFER_BYTES: usize = 1 << 18;

/// The games of some results folders. Games stay in the journals; one is read when it is looked at.
#[derive(Debug)]
pub struct Archive {
    places: Vec<Place>,
    /// For each folder, where its games are, once one was looked at.
    indexes: Vec<Option<GameIndex>>,
    /// The same for what was found about them.
    analyses: Vec<Option<Analyses>>,
}

impl Archive {
    /// The games of these results folders.
    #[must_use]
    pub fn new(places: Vec<Place>) -> Self {
        let indexes = places.iter().map(|_| None).collect();
        let analyses = places.iter().map(|_| None).collect();
        Self { places, indexes, analyses }
    }

    /// What an analysis says of the moves of a game in a folder, if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if the analyses cannot be read.
    pub fn marks(&mut self, folder: usize, record: &Record) -> anyhow::Result<Option<Marks>> {
        let (Some(place), Some(known)) = (self.places.get(folder), self.analyses.get_mut(folder)) else {
            return Ok(None);
        };
        let analyses = match known {
            Some(analyses) => analyses,
            None => known.insert(Analyses::read_in(&open(place)?)?),
        };
        Ok(analyses.marks(record))
    }

    /// What is to be said of analyses that were looked at and cannot be true.
    #[must_use]
    pub fn analysis_warnings(&self) -> Vec<String> {
        self.analyses.iter().flatten().flat_map(|analyses| analyses.warnings(Analyses::SHOWN)).collect()
    }

    /// The results folders.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// All games: from `games.csv` where it is up to date, else from the journal, which takes longer.
    ///
    /// # Errors
    ///
    /// Returns an error if a journal cannot be read.
    pub fn list(&self) -> anyhow::Result<List> {
        let mut list = List::default();
        for place in &self.places {
            let (dir, folder) = (place.path(), open(place)?);
            let begin = list.rows.len();
            if !is_read_from_table(&folder, &mut list)? {
                list.rows.truncate(begin);
                read_journal(&folder, &mut list)?;
            }
            add_marks(&Analyses::read_in(&folder)?, &mut list, begin);
            list.folders.push(dir.file_name().unwrap_or(dir.as_os_str()).to_string_lossy().into_owned());
        }
        Ok(list)
    }

    /// The record of a game of [`list`](Self::list), and how its bots are spoken to, by seat; `None` if it was never played,
    /// since a bot was withdrawn.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read, or the game in it is damaged.
    pub fn record(&mut self, row: &ListedGame) -> anyhow::Result<Option<(Record, [Option<Speech>; 2])>> {
        let folder = usize::from(row.folder);
        let (Some(place), Some(index)) = (self.places.get(folder), self.indexes.get_mut(folder)) else {
            return Ok(None);
        };
        let find = |index: &GameIndex| -> anyhow::Result<_> {
            let record = index.record(row.id)?;
            Ok(record.map(|record| {
                let speaks = index.speakers().of(&record);
                (record, speaks)
            }))
        };
        if let Some(index) = index
            && let Some(found) = find(index)?
        {
            return Ok(Some(found));
        }
        // Games may have been added since.
        find(index.insert(GameIndex::of(&open(place)?)?))
    }
}

/// Says of each game from the row `begin` on who gave the result away and where, as far as it is known. Seats alternate in all
/// games that are analysed.
fn add_marks(analyses: &Analyses, list: &mut List, begin: usize) {
    if analyses.is_empty() {
        return;
    }
    let movers = Movers::default();
    for row in &mut list.rows[begin..] {
        let entry = analyses.entry(row.id);
        let marks =
            entry.and_then(|entry| Marks::of_game(&entry, row.plies as usize, row.result, |ply| movers.seat(ply)));
        let Some(marks) = marks.filter(|marks| marks.gave_away().contains(&true)) else { continue };
        row.gave_away = marks.gave_away();
        list.given_away.insert((row.folder, row.id), marks.given_away().collect());
    }
}

fn open(place: &Place) -> anyhow::Result<ResultsFolder> {
    place.open().with_context(|| format!("opening folder {}", place.path().display()))
}

/// Adds the games of `games.csv` to the list. Returns whether the table is up to date: whether it has the last game of the
/// journal, since it is always written whole.
fn is_read_from_table(folder: &ResultsFolder, list: &mut List) -> anyhow::Result<bool> {
    let Some(newest) = last_game(folder)? else { return Ok(false) };
    let table = if_there(folder.read("games.csv"));
    let table = table.with_context(|| format!("reading {}", folder.path_of("games.csv").display()))?;
    let Some(table) = table else { return Ok(false) };
    // A row says less than the line of its game: a longer table is not one of these games, and may be of any size.
    let bytes = |file: &std::fs::File| file.metadata().map_or(0, |it| it.len());
    if bytes(&table) > folder.read(FILE_NAME).map_or(0, |journal| bytes(&journal)) {
        return Ok(false);
    }
    let begin = list.rows.len();
    let variant = variant_of(folder)?;
    let read = read_games_csv(BufReader::with_capacity(BUFFER_BYTES, table), variant.as_ref(), list);
    Ok(matches!(read, Ok(Some(()))) && list.rows[begin..].iter().any(|row| row.id == newest))
}

/// The game that is played in a folder, which the first definition of its journal tells.
fn variant_of(folder: &ResultsFolder) -> anyhow::Result<Option<Variant>> {
    let reading = || format!("reading journal {}", folder.path_of(FILE_NAME).display());
    for located in journal::lines(BufReader::new(folder.read(FILE_NAME).with_context(reading)?)) {
        match located.with_context(reading)?.line {
            Ok(JournalLine::Openings) => {}
            Ok(JournalLine::Event(definition)) => return Ok(definition.without_book().variant().ok()),
            _ => break,
        }
    }
    Ok(None)
}

/// The last game of a journal, if it is near its end.
fn last_game(folder: &ResultsFolder) -> anyhow::Result<Option<GameId>> {
    let reading = || format!("reading journal {}", folder.path_of(FILE_NAME).display());
    let mut file = folder.read(FILE_NAME).with_context(reading)?;
    let length = file.metadata().with_context(reading)?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES))).with_context(reading)?;
    let mut tail = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut tail).with_context(reading)?;
    // The first line may begin before the tail; it is then no line of a game, and there are others.
    let is_whole = |line: &[u8]| std::str::from_utf8(line).is_ok_and(|line| journal::decode_game(line).is_ok());
    let lines = tail.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n") || is_whole(line));
    Ok(lines.rev().find_map(journal::id_of_line))
}

/// Adds the games of a journal to the list, as `games.csv` would have them. Damaged lines are skipped: `verify` reports
/// them.
fn read_journal(folder: &ResultsFolder, list: &mut List) -> anyhow::Result<()> {
    let reading = || format!("reading journal {}", folder.path_of(FILE_NAME).display());
    let file = folder.read(FILE_NAME).with_context(reading)?;
    let mut definition = None;
    let mut rounds: Vec<Round> = Vec::new();
    let (mut briefs, mut rows) = (Vec::new(), Vec::new());
    let mut places: HashMap<GameId, usize> = HashMap::new();
    let mut lines = journal::lines(BufReader::with_capacity(BUFFER_BYTES, file));
    for located in &mut lines {
        let located = located.with_context(reading)?;
        match located.line {
            Ok(JournalLine::Event(now)) => definition = Some(*now),
            Ok(JournalLine::Round(round)) => rounds.push(*round),
            Ok(JournalLine::Game(record)) => {
                let row = list.row_of(&record);
                // The first record of a game counts.
                places.entry(row.id).or_insert_with(|| {
                    briefs.push(Brief::of(&record, located.offset, located.bytes));
                    rows.push(row);
                    rows.len() - 1
                });
            }
            Ok(JournalLine::Openings | JournalLine::Stop(_)) | Err(_) => {}
        }
    }
    let event: Option<Tournament> = definition.and_then(|definition| lines.complete(definition).ok());
    let schedule = event.and_then(|event| {
        let mut evaluation = MatchEvaluation::new(event.sprt.as_ref().and_then(event::Test::sprt));
        Scheduler::as_left(Arc::new(event), &briefs, &rounds, &mut evaluation).ok()
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
        list.rows.push(ListedGame {
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
