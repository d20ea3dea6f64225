//! `arena publish`: makes a folder for a web server of all results, without what is private.

use std::path::{Path, PathBuf};

use super::game_arg::RulesArgs;
use super::rating_args::analysis;
use super::standings::read_tournament;
use super::{Exit, ResultsArgs, print, warn};
use crate::report::{INDEX_FILE, IndexEntry, PUBLISHED_FILES, Results, index_html, write_all};
use crate::results_folder::{Durability, Place};
use crate::session::{Outputs, PublishedFolder, is_of_play, is_tournament_name, listed};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folder to make: a new or empty one, or one that this command has made before
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Publish what is private too: commands, paths, names of machines, and what bots wrote to stderr
    #[arg(long)]
    private: bool,
    #[command(flatten)]
    pub(super) rules: RulesArgs,
    #[command(flatten)]
    results: ResultsArgs,
}

/// A tournament to be published.
struct Part {
    place: Place,
    /// Its path in both folders.
    path: String,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    args.rules.load()?;
    let parts = parts(args)?;
    let files = |part: &Part| PUBLISHED_FILES.map(|file| format!("{}/{file}", part.path));
    let folder = PublishedFolder::open(&args.dir, parts.iter().flat_map(files))?;
    let (mut entries, mut written) = (Vec::new(), Vec::new());
    for part in &parts {
        match publish(args, part, &folder) {
            Ok(entry) => {
                entries.push(entry);
                written.extend(files(part));
            }
            Err(error) => pass_over(&part.place.path(), &error),
        }
    }
    folder.finish(&index_html(entries), written)?;
    print(&format!("{}\n", args.dir.join(INDEX_FILE).display()))?;
    Ok(Exit::Done)
}

/// All tournaments of the folder of results.
fn parts(args: &Args) -> anyhow::Result<Vec<Part>> {
    let results = &args.results.results;
    let all = listed(results, false, &mut |path, error| pass_over(path, &error))?;
    let places = all.into_iter().flat_map(|found| found.games.unwrap_or_else(|| vec![found.place]));
    let mut parts = Vec::new();
    for place in places.filter(|place| !is_of_play(&place.path())) {
        let path = place.path();
        let path = path.strip_prefix(results).unwrap_or(&path).to_string_lossy().into_owned();
        if path.split('/').all(is_tournament_name) {
            parts.push(Part { place, path });
        } else {
            warn(&format!("{} is passed over: its name is none of a tournament", place.path().display()));
        }
    }
    Ok(parts)
}

/// Publishes a tournament, and returns what the page of all says of it.
fn publish(args: &Args, part: &Part, folder: &PublishedFolder) -> anyhow::Result<IndexEntry> {
    let own = part.place.open()?;
    let (scheduler, journal, stop) = read_tournament(&own, !args.private)?;
    let tables = Outputs::read(&own)?.tables;
    let options = analysis(&tables, scheduler.event(), &format!("{}: ", part.path));
    let mut results = Results::new(&scheduler, &journal, &options)?;
    (results.with_times, results.stop, results.for_others) = (tables.with_times(), stop, true);
    let entry = IndexEntry::of(&part.path, &results)?;
    write_all(&folder.part(&part.path)?, &results, Durability::Flushed)?;
    Ok(entry)
}

fn pass_over(path: &Path, error: &anyhow::Error) {
    warn(&format!("{} is passed over: {error:#}", path.display()));
}
