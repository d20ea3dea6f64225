//! Merging shards: their games are copied into the journal of their tournament.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use arena_core::event::{GameId, Round, Shard, Tournament};
use arena_core::schedule::{Brief, Planned, Scheduler};
use arena_core::text::counted;
use arena_store::journal::{FILE_NAME, Journal, Lock, MergeSource, Reader, last_event, remove_games};
use arena_sys::flags::{MISSING, SHARD};
use arena_sys::results_folder::ResultsFolder;

use super::shard::{SHARDS_FOLDER, shard_folder};
use super::{Outputs, TableOptions};

/// A tournament with the games of its shards. Its folder is locked.
#[derive(Debug)]
pub struct Merged {
    /// Its games.
    pub scheduler: Scheduler,
    /// Its journal.
    pub reader: Reader,
    /// The shards that have begun.
    pub shards: BTreeSet<Shard>,
    /// Number of games that were new.
    pub added: usize,
    /// Games with different results in two journals, of which the first counts.
    pub contradictions: Vec<Contradiction>,
    /// Decisions that were made.
    pub decisions: Vec<Round>,
    #[expect(dead_code, reason = "held for its lock")]
    journal: Journal,
}

/// A game with different results in two journals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contradiction {
    /// Which game.
    pub id: GameId,
    /// The shard whose result counts; `None` for the tournament's own journal.
    pub counts: Option<Shard>,
    /// The shard whose result does not.
    pub other: Shard,
}

/// Copies the games of all shards of the tournament in `folder` into its journal, and makes the decisions that are due then.
/// Shards may be running. Games that are there already are not copied again.
///
/// # Errors
///
/// Returns an error if there are no shards, they are of different tournaments, the folder is in use, or a journal is damaged
/// or cannot be read or written.
pub fn merge(folder: &ResultsFolder) -> anyhow::Result<Merged> {
    let shards = shards(folder)?;
    let (mut journal, contents) = Journal::open(folder)?;
    let is_new = contents.event.is_none();
    let event = event(folder, contents.event, &shards)?;
    if is_new {
        journal.append_event(&event)?;
    }
    let mut games = MergedGames::new(contents.games);
    let mut rounds = contents.rounds;
    // As many are in memory at once as can be read at once.
    let at_once = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let all: Vec<Shard> = shards.iter().copied().collect();
    for some in all.chunks(at_once) {
        for (shard, source) in some.iter().zip(read(folder, some)?) {
            let own = source.event.as_ref().is_some_and(|own| own.is_same(&event));
            let new = games.new_of(*shard, &source.games);
            if !own && !new.is_empty() {
                return Err(mixed(folder, &[*shard]));
            }
            for round in source.rounds.iter().filter(|_| own) {
                if !rounds.contains(round) {
                    journal.append_round(round)?;
                    rounds.push(round.clone());
                }
            }
            games.all.extend(journal.copy_games(&source, &new)?);
        }
    }
    let mut scheduler = Scheduler::as_left(Arc::new(event), &games.all, &rounds, &mut ())?;
    let mut decisions = Vec::new();
    while let Some(round) = scheduler.decide(&mut ()) {
        journal.append_round(&round)?;
        decisions.push(round);
    }
    journal.sync()?;
    let (reader, added) = (journal.reader()?, games.all.len() - games.known);
    Ok(Merged { scheduler, reader, shards, added, contradictions: games.contradictions, decisions, journal })
}

impl Merged {
    /// What the tables were asked to have when shards were played. All have the same flags, so the first one tells.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder of a shard cannot be read.
    pub fn asked_of_shards(&self, folder: &ResultsFolder) -> anyhow::Result<TableOptions> {
        let Some(first) = self.shards.first() else { return Ok(TableOptions::default()) };
        let first = shard_folder(folder, *first)
            .with_context(|| format!("opening {}", folder.path_of(SHARDS_FOLDER).display()))?;
        Ok(Outputs::read(&first)?.tables)
    }

    /// The shards, if there are `count` of them, that have games to play.
    #[must_use]
    pub fn missing(&self, count: NonZeroU32) -> BTreeSet<u32> {
        self.scheduler.missing().map(|game| Shard::index_of(game.place / 2, count)).collect()
    }

    /// The number of shards into which the tournament was divided.
    ///
    /// # Errors
    ///
    /// Returns an error if it was divided more than once, or not at all.
    pub fn shard_count(&self) -> anyhow::Result<NonZeroU32> {
        let counts: BTreeSet<u32> = self.shards.iter().map(|shard| shard.count()).collect();
        let one = counts.first().filter(|_| counts.len() == 1);
        one.and_then(|count| NonZeroU32::new(*count)).ok_or_else(|| {
            let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
            anyhow!("there are shards of {} and others; say for which number with {MISSING} N", counts.join(", of "))
        })
    }
}

/// Takes all pairs with a game that was played on this machine out of the tournament in `folder` and out of its shards, so that
/// they are played again. The old journals are kept under other names, which are returned.
///
/// # Errors
///
/// As [`merge`]; and if no game was played on the machine, or a shard is running.
pub fn drop_machine(folder: &ResultsFolder, host: &str) -> anyhow::Result<Vec<PathBuf>> {
    let merged = merge(folder)?;
    let attempts: Vec<(Planned, Brief)> =
        merged.scheduler.tried().chain(merged.scheduler.void()).filter(|(_, brief)| brief.bytes > 0).collect();
    let (mut pairs, mut hosts) = (HashSet::new(), BTreeSet::new());
    for (game, brief) in &attempts {
        let record = merged.reader.record(brief)?;
        if record.host == host {
            pairs.insert(game.pair);
        }
        hosts.insert(record.host);
    }
    if pairs.is_empty() {
        let hosts: Vec<String> = hosts.iter().map(|host| arena_core::text::shown(host)).collect();
        bail!("no game was played on `{}`; the machines are: {}", arena_core::text::shown(host), hosts.join(", "));
    }
    let dropped = attempts.iter().filter(|(game, _)| pairs.contains(&game.pair)).map(|(_, brief)| brief.id);
    let dropped: HashSet<GameId> = dropped.collect();
    let parts: Vec<Option<Shard>> = merged.shards.iter().copied().map(Some).chain([None]).collect();
    let open = |part: &Option<Shard>| part.map_or_else(|| Ok(folder.clone()), |shard| open(folder, shard));
    drop(merged);
    // All are locked before the first is changed.
    let locks = parts.iter().map(|part| Lock::take(&open(part)?)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut old = Vec::new();
    for (part, lock) in parts.iter().zip(&locks) {
        old.extend(remove_games(&open(part)?, lock, |id| dropped.contains(&id))?);
    }
    Ok(old)
}

/// The games that are merged so far.
struct MergedGames {
    all: Vec<Brief>,
    /// Index in `all`, by id.
    index: HashMap<GameId, u32>,
    /// The shards, with the index of the first of their games in `all`.
    begins: Vec<(usize, Shard)>,
    /// Number of games of the tournament's own journal.
    known: usize,
    contradictions: Vec<Contradiction>,
}

impl MergedGames {
    fn new(all: Vec<Brief>) -> Self {
        let index = (0..).zip(&all).map(|(index, brief)| (brief.id, index)).collect();
        Self { known: all.len(), index, all, begins: Vec::new(), contradictions: Vec::new() }
    }

    /// Those of a shard's games that are new, which are counted as the next ones of all. Of two results of a game the first
    /// counts.
    fn new_of(&mut self, shard: Shard, games: &[Brief]) -> Vec<Brief> {
        self.begins.push((self.all.len(), shard));
        let mut new: Vec<Brief> = Vec::new();
        let outcome = |brief: &Brief| (brief.result, brief.statuses, brief.moves);
        for game in games {
            let next = self.all.len() + new.len();
            let index = *self.index.entry(game.id).or_insert(next as u32) as usize;
            if index == next {
                new.push(*game);
                continue;
            }
            let first = self.all.get(index).unwrap_or_else(|| &new[index - self.all.len()]);
            if outcome(first) != outcome(game) {
                let begun = self.begins.partition_point(|(begin, _)| *begin <= index);
                let counts = if index < self.known { None } else { Some(self.begins[begun - 1].1) };
                self.contradictions.push(Contradiction { id: game.id, counts, other: shard });
            }
        }
        new
    }
}

/// The shards of the tournament in `folder` that have a journal. If it has one itself, there need not be any.
fn shards(folder: &ResultsFolder) -> anyhow::Result<BTreeSet<Shard>> {
    if !folder.has(SHARDS_FOLDER) && folder.has(FILE_NAME) {
        return Ok(BTreeSet::new());
    }
    let path = folder.path_of(SHARDS_FOLDER);
    let reading = || format!("reading folder {}; `arena tournament {SHARD} 0/8` makes it", path.display());
    let names = folder.subfolder(SHARDS_FOLDER).and_then(|shards| shards.names()).with_context(reading)?;
    let mut shards = BTreeSet::new();
    for shard in names.iter().filter_map(|name| Shard::of_folder(name.to_str()?)) {
        if open(folder, shard)?.has(FILE_NAME) {
            shards.insert(shard);
        }
    }
    Ok(shards)
}

/// The folder of a shard.
fn open(folder: &ResultsFolder, shard: Shard) -> anyhow::Result<ResultsFolder> {
    shard_folder(folder, shard).with_context(|| format!("opening the folder of shard {shard}"))
}

/// The tournament that was planned or merged before, or that which all shards play.
fn event(folder: &ResultsFolder, planned: Option<Tournament>, shards: &BTreeSet<Shard>) -> anyhow::Result<Tournament> {
    if let Some(planned) = planned {
        return Ok(planned);
    }
    let mut first: Option<(Shard, Tournament)> = None;
    let mut others = Vec::new();
    for shard in shards {
        let Some(own) = last_event(&open(folder, *shard)?) else { continue };
        match &first {
            None => first = Some((*shard, own)),
            Some((_, first)) if own.is_same(first) => {}
            Some(_) => others.push(*shard),
        }
    }
    if !others.is_empty() {
        return Err(mixed(folder, &others));
    }
    let event = first.map(|(_, event)| event);
    event.with_context(|| format!("no shard in {} has begun", folder.path_of(SHARDS_FOLDER).display()))
}

/// What to do about shards of another tournament.
fn mixed(folder: &ResultsFolder, shards: &[Shard]) -> anyhow::Error {
    let names: Vec<String> = shards.iter().map(ToString::to_string).collect();
    let (count, folder) = (counted(shards.len(), "shard"), folder.path_of(SHARDS_FOLDER));
    anyhow!(
        "{count} of {} of another tournament: {}; bots, game, rounds, seed or another setting differ. Run {} again with the \
         flags of the others, or move the folder away",
        folder.display(),
        names.join(", "),
        if shards.len() == 1 { "it" } else { "them" }
    )
}

/// Reads the journals of shards, all at once.
fn read(folder: &ResultsFolder, shards: &[Shard]) -> anyhow::Result<Vec<MergeSource>> {
    let read_one = |shard: &Shard| MergeSource::read(&open(folder, *shard)?);
    std::thread::scope(|scope| {
        let spawn = |shard| std::thread::Builder::new().spawn_scoped(scope, move || read_one(shard));
        let threads: Vec<_> = shards.iter().map(spawn).collect();
        let join = |(shard, thread): (&Shard, std::io::Result<std::thread::ScopedJoinHandle<'_, _>>)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|_| Err(anyhow!("reading shard {shard} failed"))),
            Err(_) => read_one(shard),
        };
        shards.iter().zip(threads).map(join).collect()
    })
}
