//! The versions of bots in a journal, as their fingerprints tell them apart, and all games between them.

use std::collections::HashMap;
use std::io::BufReader;

use anyhow::Context as _;
use arena_core::event::Tournament;
use arena_core::import::GameRow;
use arena_core::record::Record;
use arena_core::rules::{Move, Seat};
use arena_core::schedule::Brief;
use arena_core::stats::Duplicates;
use arena_core::text::counted;
use arena_sys::results_folder::ResultsFolder;

use crate::journal::{self, FILE_NAME, JournalLine};

/// Bytes that are read at once.
const BUFFER_BYTES: usize = 1 << 18;

/// A version of a bot. It may have played under several names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Its fingerprint.
    pub fingerprint: String,
    /// The names under which it played.
    pub names: Vec<NamedVersion>,
}

/// A version under one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedVersion {
    /// The name.
    pub name: String,
    /// When the first game began (RFC 3339, UTC).
    pub first: String,
    /// When the last one began.
    pub last: String,
    /// Number of games that count.
    pub games: u32,
}

/// What a journal has of all versions.
#[derive(Debug, Default)]
pub struct Versions {
    /// The versions, in the order of their first games.
    pub all: Vec<Version>,
    /// The games between two different versions that count under the definition in force, which says the game and the clock. As
    /// ratings take them: bots are indices of versions.
    pub games: Vec<GameRow>,
    /// Number of lines that cannot be read, and the number of the first one with what is wrong with it.
    damaged: usize,
    first_damaged: Option<(usize, String)>,
    index: HashMap<String, usize>,
    /// The place of each name among those of its version.
    names: HashMap<(usize, String), usize>,
    duplicates: Duplicates<u64>,
    pairs: Pairs,
}

/// Pairs of games from the same opening with seats swapped.
#[derive(Debug, Default)]
struct Pairs {
    count: u32,
    openings: HashMap<Vec<Move>, u32>,
    /// For two versions and an opening the pairs that lack the game in which the first of the two moves first, and the others.
    open: HashMap<([usize; 2], u32), [Vec<u32>; 2]>,
}

impl Pairs {
    /// The pair and the opening of a game of these versions, by seat.
    fn place(&mut self, bots: [usize; 2], opening: &[Move]) -> [u32; 2] {
        let next = self.openings.len() as u32;
        let opening = *self.openings.entry(opening.to_vec()).or_insert(next);
        let is_swapped = usize::from(bots[0] > bots[1]);
        let key = [bots[is_swapped], bots[1 - is_swapped]];
        let lacking = self.open.entry((key, opening)).or_default();
        let pair = lacking[is_swapped].pop().unwrap_or_else(|| {
            self.count += 1;
            lacking[1 - is_swapped].push(self.count);
            self.count
        });
        [pair, opening]
    }
}

impl Versions {
    /// Reads the journal of a results folder; `event` is the definition in force, if there is one. Damaged lines are skipped
    /// and [counted](Self::damage).
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be read.
    pub fn read(folder: &ResultsFolder, event: Option<&Tournament>) -> anyhow::Result<Self> {
        let mut versions = Self::default();
        let reading = || format!("reading journal {}", folder.path_of(FILE_NAME).display());
        let file = folder.read(FILE_NAME).with_context(reading)?;
        let mut seen = std::collections::HashSet::new();
        for located in journal::lines(BufReader::with_capacity(BUFFER_BYTES, file)) {
            let located = located.with_context(reading)?;
            match located.line {
                // The first record of a game counts.
                Ok(JournalLine::Game(record)) if record.counts() && seen.insert(record.id.clone()) => {
                    versions.add(&record, event);
                }
                Ok(_) => {}
                Err(damage) => {
                    versions.damaged += 1;
                    versions.first_damaged.get_or_insert_with(|| (located.number, damage.why.to_string()));
                }
            }
        }
        Ok(versions)
    }

    /// What is to be said of the lines that cannot be read, after the name of the journal.
    #[must_use]
    pub fn damage(&self) -> Option<String> {
        let (line, why) = self.first_damaged.as_ref()?;
        let lines = counted(self.damaged, "line");
        Some(format!(
            "{lines} that cannot be read and whose games are left out (line {line}: {why}); `arena verify` lists them"
        ))
    }

    /// The version with this fingerprint.
    #[must_use]
    pub fn with_fingerprint(&self, fingerprint: &str) -> Option<&Version> {
        self.index.get(fingerprint).map(|index| &self.all[*index])
    }

    /// The indices of the versions that played under this name, in the order of their first games under it.
    #[must_use]
    pub fn of(&self, name: &str) -> Vec<usize> {
        let under = |version: &Version| version.names.iter().find(|it| it.name == name).map(|it| it.first.clone());
        let mut found: Vec<(String, usize)> =
            self.all.iter().enumerate().filter_map(|(index, version)| Some((under(version)?, index))).collect();
        // Those of one instant stay in the order of the journal.
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found.into_iter().map(|(_, index)| index).collect()
    }

    fn add(&mut self, record: &Record, event: Option<&Tournament>) {
        let bots = record.bots.each_ref().map(|bot| {
            let next = self.all.len();
            let index = *self.index.entry(bot.fingerprint.clone()).or_insert(next);
            if index == next {
                self.all.push(Version { fingerprint: bot.fingerprint.clone(), names: Vec::new() });
            }
            self.play(index, &bot.name, &record.started);
            index
        });
        let is_in_force = event.is_none_or(|event| {
            event.game == record.game && event.params == record.params && event.clock == record.clock
        });
        if bots[0] == bots[1] || !is_in_force {
            return;
        }
        let [pair, opening] = self.pairs.place(bots, &record.opening);
        let brief = Brief::of(record, 0, 0);
        let rated = brief.is_rated();
        let cluster = if rated { self.duplicates.add(bots, brief.moves, pair) } else { pair };
        let [first, second] = bots.map(|bot| bot as u32);
        let loser = brief.result.winner().map(Seat::other);
        let forfeit = loser.is_some_and(|loser| brief.statuses[loser.index()].is_fault());
        // Each game has its own secret where something is hidden.
        let opening = (!record.hidden && event.is_none_or(Tournament::open_information)).then_some(opening);
        self.games.push(GameRow { first, second, pair, cluster, opening, result: brief.result, forfeit, rated });
    }

    /// Counts a game of a version under a name.
    fn play(&mut self, version: usize, name: &str, started: &str) {
        let names = &mut self.all[version].names;
        let place = *self.names.entry((version, name.to_owned())).or_insert(names.len());
        if let Some(known) = names.get_mut(place) {
            known.games += 1;
            if started < known.first.as_str() {
                started.clone_into(&mut known.first);
            }
            if started > known.last.as_str() {
                started.clone_into(&mut known.last);
            }
        } else {
            let [first, last] = [started; 2].map(str::to_owned);
            names.push(NamedVersion { name: name.to_owned(), first, last, games: 1 });
        }
    }
}
