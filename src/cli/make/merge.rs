//! `arena merge`: puts the shards of a tournament together, and says what is missing.

use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use arena_core::event::SHARDS_MAX;
use arena_core::text::{counted, shown};
use arena_run::session::{Merged, Outputs, SHARDS_FOLDER, drop_machine, merge, write_tables};
use arena_store::report::{MachineRow, Results, TextPage, machines, machines_text};
use arena_sys::results_folder::ResultsFolder;

use crate::cli::args::rating::{RatingArgs, analysis};
use crate::cli::run::index::renew_index;
use crate::cli::run::play_games::show_tournament;
use crate::cli::{Exit, Io, ResultsArgs, whole};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name or folder of a tournament that was played in shards
    #[arg(value_name = "TOURNAMENT")]
    what: PathBuf,
    /// Write no tables, and print the shards that have games to play, as in 3,17; N is the number of shards, if it was not
    /// always the same
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "0", value_parser = whole(0..=SHARDS_MAX))]
    missing: Option<u32>,
    /// Take all pairs with a game on this machine out of all journals, so that they are played again
    #[arg(long, value_name = "HOST")]
    drop_machine: Vec<String>,
    /// Print the tournament as JSON instead of tables
    #[arg(long, conflicts_with = "missing")]
    json: bool,
    #[command(flatten, next_help_heading = "Ratings")]
    rating: RatingArgs,
    #[command(flatten)]
    results: ResultsArgs,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let folder = folder(args, io)?;
    let dir = folder.path();
    for host in &args.drop_machine {
        for old in drop_machine(&folder, host)? {
            io.tell(&format!("without {}; the old journal is {}", shown(host), old.display()));
        }
    }
    let merged = merge(&folder)?;
    let (scheduler, count) = (&merged.scheduler, merged.shards.len());
    io.tell(&format!("{} of {} added to {}", counted(merged.added, "game"), counted(count, "shard"), dir.display()));
    for again in &merged.contradictions {
        let counts =
            again.counts.map_or_else(|| "the tournament's journal".to_owned(), |shard| format!("shard {shard}"));
        io.warn(&format!(
            "game {} has another result in shard {} than in {counts}, which counts: a bot is not deterministic, or depends on its \
             machine",
            again.id, again.other
        ));
    }
    if let Some(count) = args.missing {
        let count = NonZeroU32::new(count).map_or_else(|| merged.shard_count(), Ok)?;
        io.print_data(&format!("{}\n", indices(&merged, count)))?;
        let is_complete = !scheduler.is_open() && scheduler.missing().next().is_none();
        return Ok(if is_complete { Exit::Done } else { Exit::Incomplete });
    }
    let names: Vec<&str> = scheduler.event().bots.iter().map(|entry| entry.id.name.as_str()).collect();
    let asked = args.rating.asked();
    asked.analysis(&names, false)?;
    let mut outputs = Outputs::read(&folder)?;
    outputs.tables = asked.over(&outputs.tables).over(&merged.asked_of_shards(&folder)?);
    outputs.write(&folder)?;
    let analysis = analysis(&outputs.tables, scheduler.event(), "", io);
    let results = Results::new(scheduler, &merged.reader, outputs.tables.for_results(analysis))?;
    write_tables(&folder, &results)?;
    renew_index(&args.results.results, io);
    show_tournament(&results, dir, args.json, TextPage::default(), io)?;
    if !results.conducts()?.are_of_one_machine() {
        tell_machines(&machines(&results)?, io);
    }
    tell_missing(&merged, io);
    Ok(if results.progress().is_complete() { Exit::Done } else { Exit::Incomplete })
}

/// The folder of the tournament, which need not have a journal yet.
fn folder(args: &Args, io: &Io) -> anyhow::Result<ResultsFolder> {
    let places = [args.results.results.join(&args.what), args.what.clone()];
    let mut folders = places.iter().filter_map(|dir| ResultsFolder::open(dir).ok());
    if let Some(folder) = folders.find(|folder| folder.has(SHARDS_FOLDER)) {
        return Ok(folder);
    }
    let place = args.results.tournament(Some(&args.what.to_string_lossy()), io)?;
    let dir = place.path();
    if args.drop_machine.is_empty() {
        bail!(
            "{} has no shards; `arena tournament --shard 0/8` plays one, `arena standings` shows the others",
            dir.display()
        );
    }
    place.open().with_context(|| format!("opening folder {}", dir.display()))
}

/// A residual this small is no chance, even among hundreds of machines.
const RESIDUAL_P: f64 = 1e-5;
/// A machine is named if it has more time losses than this, and more than this times the share of all.
const TIMEOUTS_MIN: u64 = 3;
const TIMEOUTS_TIMES: f64 = 5.0;

/// Shows what each machine made of its games, and names those to be looked at.
fn tell_machines(rows: &[MachineRow], io: &Io) {
    io.tell(machines_text(rows).trim_end());
    let sum = |of: fn(&MachineRow) -> u64| rows.iter().map(of).sum::<u64>() as f64;
    let share = sum(|row| row.timeouts) / sum(|row| row.games).max(1.0);
    for row in rows {
        let is_slow = row.timeouts > TIMEOUTS_MIN && row.timeouts as f64 > TIMEOUTS_TIMES * share * row.games as f64;
        let is_unlike = row.residual.is_some_and(|residual| residual.p < RESIDUAL_P);
        if is_slow || is_unlike {
            let host = shown(&row.host);
            let what = if is_slow { "has many time losses" } else { "has other results than the others" };
            io.warn(&format!("{host} {what}; --drop-machine {host} takes its pairs out, to be played again"));
        }
    }
}

/// Says what is to be played, or played next.
fn tell_missing(merged: &Merged, io: &Io) {
    let missing = merged.scheduler.missing().count();
    if missing == 0 {
        return;
    }
    let decided = merged.scheduler.is_stepwise().then(|| merged.scheduler.decisions());
    let round = decided.map(|round| format!(" --round {round}")).unwrap_or_default();
    let games = counted(missing, "game");
    let what = if merged.decisions.is_empty() {
        format!("{games} missing")
    } else {
        format!("round {} is decided: {games}", merged.scheduler.decisions())
    };
    let how = match merged.shard_count() {
        Ok(count) => format!("--shard I/{count}{round} for I = {}", indices(merged, count)),
        Err(_) => format!("all shards{round}"),
    };
    io.tell(&format!("{what}; play {how}, and merge again"));
}

/// The shards with games to play.
fn indices(merged: &Merged, count: NonZeroU32) -> String {
    let missing: Vec<String> = merged.missing(count).iter().map(ToString::to_string).collect();
    missing.join(",")
}
