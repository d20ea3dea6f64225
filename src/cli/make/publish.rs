//! `arena publish`: makes a folder for a web server of all results, without what is private.

use std::path::{Path, PathBuf};

use anyhow::bail;
use arena_core::event::Stop;
use arena_core::schedule::Scheduler;
use arena_run::session::{Outputs, PublishedFolder, is_of_play, is_tournament_name, listed};
use arena_store::journal::Reader;
use arena_store::report::{
    COMBINED_FILE, Combined, INDEX_FILE, IndexEntry, PUBLISHED_FILES, PUBLISHED_OF_SERIES, Results, ResultsOptions,
    index_html, write_all, write_series,
};
use arena_sys::results_folder::{Durability, Place, ResultsFolder};

use crate::cli::args::game::RulesArgs;
use crate::cli::args::rating::analysis;
use crate::cli::inspect::standings::{read_games, read_to_show};
use crate::cli::{Exit, Io, ResultsArgs};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder to make: a new or empty one, or one that this command has made before
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Publish what is private too: commands, paths, names of machines, and what bots wrote to stderr
    #[arg(long)]
    private: bool,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
    #[command(flatten)]
    results: ResultsArgs,
}

/// A tournament or series to be published.
struct Part {
    place: Place,
    /// Its path in both folders.
    path: String,
    /// The tournaments of a series.
    games: Option<Vec<Part>>,
}

impl Part {
    /// The files that it may have.
    fn files(&self) -> Vec<String> {
        let names = if self.games.is_some() { &PUBLISHED_OF_SERIES[..] } else { &PUBLISHED_FILES };
        let own = names.iter().map(|name| format!("{}/{name}", self.path));
        own.chain(self.games.iter().flatten().flat_map(Self::files)).collect()
    }
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    args.rules.load(io)?;
    publish(&args.results.results, &args.dir, !args.private, io)
}

/// Makes the folder `dir` of all `results`; without what is private, if `is_public`.
pub(crate) fn publish(results: &Path, dir: &Path, is_public: bool, io: &Io) -> anyhow::Result<Exit> {
    let all = listed(results, false, &mut |path, error| pass_over(path, &error, io))?;
    let parts: Vec<Part> = all.into_iter().filter_map(|found| part(results, found.place, found.games, io)).collect();
    if parts.is_empty() {
        // As after a mistyped option, which must not empty what is published.
        bail!("no results in {}, so nothing is published", results.display());
    }
    let folder = PublishedFolder::open(dir, parts.iter().flat_map(Part::files))?;
    let mut publication = Publication { is_public, io, folder, written: Vec::new() };
    let mut entries = Vec::new();
    for part in &parts {
        let tournaments = part.games.as_deref().unwrap_or(std::slice::from_ref(part));
        let mut own: Vec<IndexEntry> = tournaments.iter().filter_map(|part| publication.tournament(part)).collect();
        match part.games.is_some().then(|| publication.series(part, &mut own)) {
            Some(Ok(entry)) => entries.push(entry),
            Some(Err(error)) => pass_over(&part.place.path(), &error, io),
            None => {}
        }
        entries.append(&mut own);
    }
    let Publication { folder, written, .. } = publication;
    folder.finish(&index_html(entries), written)?;
    io.print(&format!("{}\n", dir.join(INDEX_FILE).display()))?;
    Ok(Exit::Done)
}

/// What is to be published of this place; `None` for games with people, and for names that are none.
fn part(results: &Path, place: Place, games: Option<Vec<Place>>, io: &Io) -> Option<Part> {
    let whole = place.path();
    let path = whole.strip_prefix(results).unwrap_or(&whole).to_string_lossy().into_owned();
    if is_of_play(&whole) {
        return None;
    }
    if !path.split('/').all(is_tournament_name) {
        io.warn(&format!("{} is passed over: its name is none of a tournament", whole.display()));
        return None;
    }
    let games = games.map(|games| games.into_iter().filter_map(|game| part(results, game, None, io)).collect());
    Some(Part { place, path, games })
}

/// A publication that is being made.
struct Publication<'a> {
    is_public: bool,
    io: &'a Io,
    folder: PublishedFolder,
    /// The files that may have been written.
    written: Vec<String>,
}

impl Publication<'_> {
    /// Publishes a tournament, and returns what the page of all says of it; `None` if it is passed over.
    fn tournament(&mut self, part: &Part) -> Option<IndexEntry> {
        let publish = || {
            let own = part.place.open()?;
            let tournament = read_to_show(&own, self.is_public, self.io)?;
            let results = results(&tournament, &own, &part.path, self.io)?;
            let entry = IndexEntry::of(&part.path, &results)?;
            write_all(&self.folder.part(&part.path)?, &results, Durability::Flushed)?;
            for warning in results.analysis_warnings() {
                self.io.warn(&warning);
            }
            anyhow::Ok(entry)
        };
        let published = publish();
        match published {
            Ok(entry) => {
                self.written.extend(part.files());
                Some(entry)
            }
            Err(error) => {
                pass_over(&part.place.path(), &error, self.io);
                None
            }
        }
    }

    /// Publishes the table and the report of a series, whose `games` are published, and takes these for its own entry.
    fn series(&mut self, part: &Part, games: &mut Vec<IndexEntry>) -> anyhow::Result<IndexEntry> {
        let own = part.place.open()?;
        let (tournaments, strict) = read_games(&own, self.is_public, self.io)?;
        let mut all = Vec::new();
        for (game, tournament) in &tournaments {
            let results =
                results(tournament, tournament.1.folder(), &format!("{}/{}", part.path, game.folder), self.io)?;
            all.push(game.clone().with(results));
        }
        let combined = Combined::new(&all, strict);
        let folder = self.folder.part(&part.path)?;
        write_series(&folder, &combined, &all, Durability::Flushed)?;
        self.written.extend(PUBLISHED_OF_SERIES.map(|name| format!("{}/{name}", part.path)));
        let table = folder.read(COMBINED_FILE)?;
        Ok(IndexEntry::series(&part.path, true, Some(table), std::mem::take(games))?)
    }
}

/// The results of a tournament, to be published.
fn results<'a>(
    (scheduler, journal, stop): &'a (Scheduler, Reader, Option<Stop>),
    folder: &ResultsFolder,
    path: &str,
    io: &Io,
) -> anyhow::Result<Results<'a>> {
    let tables = Outputs::read(folder)?.tables;
    let analysis = analysis(&tables, scheduler.event(), &format!("{path}: "), io);
    let options = ResultsOptions { for_others: true, stop: *stop, ..tables.for_results(analysis) };
    Results::new(scheduler, journal, options)
}

fn pass_over(path: &Path, error: &anyhow::Error, io: &Io) {
    io.warn(&format!("{} is passed over: {error:#}", path.display()));
}
