//! Finds games in a journal by their ids, which decodes no others.

use std::collections::HashSet;
use std::io::BufReader;

use anyhow::{Context, bail};
use arena_core::event::{Entry, GameId, Tournament};
use arena_core::record::Record;
use arena_core::speech::Speech;
use arena_sys::results_folder::ResultsFolder;

use super::Reader;
use super::books::{Books, Definition};
use super::line::{self, BOOK_START, EVENT_START, JournalLine};

/// Bytes that are read at once.
const BUFFER_BYTES: usize = 1 << 18;

/// What [`find`] found.
#[derive(Debug, Default)]
pub struct FoundRecord {
    /// The first record of the first game found: that one counts, as in the tables.
    pub record: Option<Record>,
    /// The games found.
    pub ids: HashSet<GameId>,
    /// Whether there are several records of them.
    pub is_repeated: bool,
    /// The seed of the tournament.
    pub seed: Option<u64>,
    /// How its bots are spoken to.
    pub speakers: Speakers,
}

/// The bots of a journal that do not speak the arena's own protocol.
#[derive(Debug, Default)]
pub struct Speakers(Vec<Entry>);

impl Speakers {
    fn note(&mut self, event: &Tournament) {
        for bot in &event.bots {
            if bot.speaks.is_some() && !self.0.iter().any(|known| known.id == bot.id) {
                self.0.push(bot.clone());
            }
        }
    }

    /// How the bots of a game are spoken to, by seat; `None` for the arena's own protocol.
    #[must_use]
    pub fn of(&self, record: &Record) -> [Option<Speech>; 2] {
        let speaks = |entry: &Entry| entry.speaks.clone();
        record.bots.each_ref().map(|bot| self.0.iter().find(|entry| entry.id == *bot).and_then(speaks))
    }
}

/// The game in the journal of `folder` whose id begins with `prefix`. Damaged lines are skipped: `verify` reports them.
///
/// # Errors
///
/// Returns an error if there is no journal, or it cannot be read.
pub fn find(folder: &ResultsFolder, prefix: &str) -> anyhow::Result<FoundRecord> {
    let mut found = FoundRecord::default();
    for_each_line(folder, |_, line| {
        let is_meant = line.starts_with(EVENT_START) || line::id_of(line).is_some_and(|id| id.starts_with(prefix));
        if !is_meant {
            return;
        }
        match line::decode(line) {
            Ok(JournalLine::Event(definition)) => {
                found.seed = Some(definition.without_book().seed);
                found.speakers.note(definition.without_book());
            }
            Ok(JournalLine::Game(record)) => {
                found.ids.insert(GameId::of(&record.id));
                found.is_repeated |= found.record.is_some();
                found.record.get_or_insert(*record);
            }
            _ => {}
        }
    })?;
    Ok(found)
}

/// The definition in force in the journal in `folder`, if it can be read. A preview: nothing is locked, and damage is reported
/// only when the journal is opened.
#[must_use]
pub fn last_event(folder: &ResultsFolder) -> Option<Tournament> {
    let (mut last, mut books) = (None, Books::default());
    for_each_line(folder, |_, line| {
        if (line.starts_with(EVENT_START) || line.starts_with(BOOK_START))
            && let Ok(JournalLine::Event(definition)) = line::decode_noting(line, &mut books)
        {
            last = Some(*definition);
        }
    })
    .ok()?;
    books.complete(last?).ok()
}

/// The contests whose games the journal in `folder` has, in the order in which they were played last: of each the last
/// definition. Those that cannot be read are passed over: see [`last_event`].
#[must_use]
pub fn contests(folder: &ResultsFolder) -> Vec<Tournament> {
    let (mut all, mut books): (Vec<Definition>, _) = (Vec::new(), Books::default());
    let read = for_each_line(folder, |_, line| {
        if (line.starts_with(EVENT_START) || line.starts_with(BOOK_START))
            && let Ok(JournalLine::Event(definition)) = line::decode_noting(line, &mut books)
        {
            all.retain(|known| !known.without_book().is_same_contest(definition.without_book()));
            all.push(*definition);
        }
    });
    if read.is_err() {
        return Vec::new();
    }
    all.into_iter().filter_map(|definition| books.complete(definition).ok()).collect()
}

/// Where the games of a journal are.
#[derive(Debug)]
pub struct GameIndex {
    reader: Reader,
    /// Ids in ascending order, with the offset and length of the first line of each.
    places: Vec<(GameId, u64, u32)>,
    speakers: Speakers,
}

impl GameIndex {
    /// Notes where each game of the journal in `folder` is.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no journal, or it cannot be read.
    pub fn of(folder: &ResultsFolder) -> anyhow::Result<Self> {
        let (mut places, mut speakers) = (Vec::new(), Speakers::default());
        for_each_line(folder, |offset, line| {
            if line.starts_with(EVENT_START)
                && let Ok(JournalLine::Event(definition)) = line::decode(line)
            {
                speakers.note(definition.without_book());
            } else if let (Some(id), Ok(bytes)) = (line::id_of(line), u32::try_from(line.len())) {
                places.push((GameId::of(id), offset, bytes));
            }
        })?;
        places.sort_unstable();
        places.dedup_by_key(|(id, ..)| *id);
        Ok(Self { reader: Reader::open(folder)?, places, speakers })
    }

    /// How the bots are spoken to.
    #[must_use]
    pub fn speakers(&self) -> &Speakers {
        &self.speakers
    }

    /// The record of a game; `None` if the journal has none.
    ///
    /// # Errors
    ///
    /// Returns an error if the line cannot be read, or is damaged.
    pub fn record(&self, id: GameId) -> anyhow::Result<Option<Record>> {
        let Ok(at) = self.places.binary_search_by_key(&id, |(known, ..)| *known) else { return Ok(None) };
        let (id, offset, bytes) = self.places[at];
        self.reader.checked_record_at(id, offset, bytes).map(Some)
    }
}

/// Calls `each` with the offset of every complete line, and the line with its newline, which the last one may lack.
pub(super) fn for_each_line(folder: &ResultsFolder, mut each: impl FnMut(u64, &[u8])) -> anyhow::Result<()> {
    let reader = Reader::open(folder)?;
    let mut input = BufReader::with_capacity(BUFFER_BYTES, reader.file());
    let (mut line, mut offset) = (Vec::new(), 0);
    for number in 1_u64.. {
        let read = line::read_line(&mut input, &mut line);
        let (bytes, is_complete) = read.with_context(|| format!("reading journal {}", reader.path().display()))?;
        if !is_complete && line::is_torn(bytes, &line) {
            break;
        }
        if let Some(why) = line::too_long(bytes) {
            bail!("journal {}, line {number}: {why}; remove the line", reader.path().display());
        }
        each(offset, &line);
        offset += bytes;
        if !is_complete {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use arena_core::speech::DialectOptions;

    use super::*;
    use crate::fixture;
    use crate::journal::{FILE_NAME, Journal};

    #[test]
    fn games_are_found_by_their_ids() {
        let mut event = fixture::event(&["a", "b"]);
        let speech =
            Speech { protocol: "gomocup".to_owned(), version: 1, options: DialectOptions::new(), memory_mb: 1_024 };
        event.bots[1].speaks = Some(speech.clone());
        let records = fixture::draws(&event, 1);
        let dir = tempfile::tempdir().unwrap();
        let folder = ResultsFolder::open(dir.path()).unwrap();
        let (mut journal, _) = Journal::open(&folder).unwrap();
        journal.append_event(&event).unwrap();
        for record in &records {
            journal.append_game(record).unwrap();
        }
        let again = Record { reason: "again".to_owned(), ..records[0].clone() };
        journal.append_game(&again).unwrap();

        let index = GameIndex::of(&folder).unwrap();
        for record in &records {
            let found = find(&folder, &record.id[..12]).unwrap();
            assert_eq!((found.record.map(|found| found.reason), found.ids.len()), (Some(record.reason.clone()), 1));
            assert_eq!((found.is_repeated, found.seed), (record.id == records[0].id, Some(event.seed)));
            let indexed = index.record(GameId::of(&record.id)).unwrap().unwrap();
            assert_eq!((&indexed.id, &indexed.reason), (&record.id, &record.reason));
            let expected = record.bots.each_ref().map(|bot| (bot.name == "b").then(|| speech.clone()));
            assert_eq!(found.speakers.of(record), expected);
            assert_eq!(index.speakers().of(record), expected);
        }
        let all = find(&folder, "").unwrap();
        assert_eq!(all.ids.len(), records.len());
        assert!(find(&folder, "no").unwrap().record.is_none());
        assert!(index.record(GameId::of("no")).unwrap().is_none());

        // A damaged line hides no other.
        let path = dir.path().join(FILE_NAME);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen("again", "edited", 1)).unwrap();
        assert!(!find(&folder, &records[0].id).unwrap().is_repeated);
        std::fs::write(&path, text.replacen(&records[0].reason, "edited", 1)).unwrap();
        let index = GameIndex::of(&folder).unwrap();
        let damaged = index.record(GameId::of(&records[0].id)).unwrap_err().to_string();
        assert!(damaged.contains("edited or damaged") && damaged.contains("games.jsonl"), "{damaged}");
    }
}
