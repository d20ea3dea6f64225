//! `arena standings`: the tables again, from a journal alone or from plain tables of games.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};

use super::rating_args::RatingArgs;
use super::shared_args::one_of;
use super::{Exit, ResultsArgs, print, tell};
use crate::event;
use crate::import::{self, PairMode, Paired};
use crate::journal::{self, Lock};
use crate::report::{Durability, Ranking, Results, ranking_text, replace, summary_json, summary_text, write_ranking};
use crate::schedule::Scheduler;
use crate::session::{Trial, write_tables};
use crate::text::{counted, shown};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Name or folder of a tournament [default: the only one there is], or CSV files of games with the columns
    /// white,black,result or first,second,result (1-0, 0-1, 1/2-1/2) and optionally pair
    #[arg(value_name = "TOURNAMENT|FILE")]
    what: Vec<PathBuf>,
    /// Which rows of a file are the two games of a pair, seats swapped [default: those with the same `pair`, else
    /// every two rows if all of them are swapped twos]
    #[arg(
        long,
        value_name = "WHICH",
        value_parser = one_of([("consecutive", PairMode::Consecutive), ("none", PairMode::None)])
    )]
    pairs: Option<PairMode>,
    /// Where the tables of files go [default: beside the first file, in a folder named after it]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    rating: RatingArgs,
    #[command(flatten)]
    results: ResultsArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    match args.what.as_slice() {
        [] => tournament(args, None),
        [file] if file.file_name() == Some(journal::FILE_NAME.as_ref()) => tournament(args, Some(file)),
        files if files.iter().all(|path| is_readable(path)) => rate_files(args, files),
        [name] => tournament(args, Some(name)),
        many => {
            let missing = many.iter().find(|path| !is_readable(path)).map(|path| path.display().to_string());
            bail!("no file `{}`; several arguments must all be CSV files of games", shown(&missing.unwrap_or_default()))
        }
    }
}

/// Whether there is something to read: a file, or a pipe as shells make them.
fn is_readable(path: &Path) -> bool {
    path.exists() && !path.is_dir()
}

/// The default folder for the tables of files.
fn beside(first: &Path) -> anyhow::Result<PathBuf> {
    // The folder of standard input is not ours either.
    if !first.is_file() || ["/dev", "/proc"].iter().any(|folder| first.starts_with(folder)) {
        bail!("{} is not a file with a folder for tables beside it; say with --out DIR where they go", first.display());
    }
    Ok(first.with_extension("standings"))
}

/// Rejects an input file given twice.
fn no_file_twice(files: &[PathBuf]) -> anyhow::Result<()> {
    let mut seen = HashSet::new();
    for path in files.iter().filter(|path| path.is_file()) {
        let file = path.canonicalize().with_context(|| format!("reading games {}", path.display()))?;
        if !seen.insert(file) {
            bail!("games {} are given twice, and would count twice; leave one out", path.display());
        }
    }
    Ok(())
}

fn tournament(args: &Args, name: Option<&Path>) -> anyhow::Result<Exit> {
    if args.pairs.is_some() || args.out.is_some() {
        bail!("--pairs and --out are for CSV files of games; a tournament knows its pairs and its folder");
    }
    let name = name.map(|name| name.to_string_lossy());
    let dir = args.results.tournament(name.as_deref())?;
    let (journal, contents) = journal::read(&dir)?;
    let event = contents.event.with_context(|| {
        format!("journal {} holds no tournament; `arena tournament` begins one", journal.path().display())
    })?;
    let mut trial = Trial::new(event.sprt.as_ref().and_then(event::Test::sprt));
    let scheduler = Scheduler::new(Arc::new(event), &contents.games, &contents.rounds, &mut trial)?;
    drop((contents.games, contents.rounds));
    if !contents.twice.is_empty() {
        tell(&format!("{}: {}", journal.path().display(), contents.twice));
    }
    let names: Vec<&str> = scheduler.event().bots.iter().map(|entry| entry.id.name.as_str()).collect();
    let options = args.rating.options(&names, false)?;
    let results = Results::new(&scheduler, &journal, &options)?;
    // A tournament that is running writes these files itself, and one process at a time may.
    let written = match Lock::take_if_free(&dir) {
        Ok(Ok(_lock)) => write_tables(&dir, &results),
        Ok(Err(holder)) => {
            let place = dir.display();
            tell(&format!(
                "{place} is in use by another arena (process {holder}), which writes the tables; these are the standings so far"
            ));
            Ok(())
        }
        Err(error) if is_read_only(&error) => {
            tell(&format!("{} can only be read: its tables stay as they are", dir.display()));
            Ok(())
        }
        Err(error) => Err(error),
    };
    print(&summary_text(&results, &dir))?;
    written?;
    Ok(if results.progress.is_complete() { Exit::Done } else { Exit::Incomplete })
}

/// Results may be shown to users who cannot write them.
fn is_read_only(error: &anyhow::Error) -> bool {
    let kind = error.root_cause().downcast_ref().map(std::io::Error::kind);
    matches!(kind, Some(ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied))
}

fn rate_files(args: &Args, files: &[PathBuf]) -> anyhow::Result<Exit> {
    no_file_twice(files)?;
    let dir = args.out.clone().map_or_else(|| beside(&files[0]), Ok)?;
    let inputs = files.iter().map(|path| {
        let file = File::open(path).with_context(|| format!("reading games {}", path.display()))?;
        Ok((path.display().to_string(), Box::new(BufReader::with_capacity(1 << 16, file)) as Box<dyn Read>))
    });
    let (table, paired) =
        import::read_all(inputs.collect::<anyhow::Result<Vec<_>>>()?, args.pairs.unwrap_or(PairMode::Guess))?;
    let games = table.games.len();
    // Swapped pairs balance the seats; games without a partner do not, if they are the most.
    let balanced = paired != Paired::NotAtAll && 2 * table.unpaired <= games;
    let options = args.rating.options(&table.names, !balanced)?;
    if let Some(warning) = slow_to_rate(table.names.len()) {
        tell(&warning);
    }
    let mut ranking = Ranking::of(table.names, table.games, &options);
    ranking.repeated = table.repeated;
    tell(&how_paired(paired, [games, table.void, table.unpaired], ranking.analysis.ratings.options.fit_side));

    std::fs::create_dir_all(&dir).with_context(|| format!("creating folder {}", dir.display()))?;
    if dir.join(journal::FILE_NAME).exists() {
        bail!("{} is the folder of a tournament, whose tables would be lost; choose another --out", dir.display());
    }
    write_ranking(&dir, &ranking, Durability::Flushed)?;
    replace(&dir.join("summary.json"), Durability::Flushed, |out| summary_json(&ranking, paired, table.unpaired, out))?;
    print(&ranking_text(&ranking, &dir, None, &[]))?;
    print(&format!("\ntables: {}", dir.join("*.csv").display()))?;
    Ok(Exit::Done)
}

/// Errors are exact, which takes a matrix of all players by all players.
fn slow_to_rate(players: usize) -> Option<String> {
    const QUICK_PLAYERS_MAX: usize = 2_000;
    (players > QUICK_PLAYERS_MAX).then(|| {
        format!(
            "rating {players} players, whose errors take time by the cube of their number: {QUICK_PLAYERS_MAX} take some \
             seconds and twice as many about a minute; tables whose players never met are quicker one by one"
        )
    })
}

/// Describes what was taken for pairs, since errors depend on it.
fn how_paired(paired: Paired, [games, void, unpaired]: [usize; 3], fits_side: bool) -> String {
    if games == 0 {
        return "0 games".to_owned();
    }
    let how = match paired {
        Paired::ByColumn if unpaired > 0 => {
            &format!("paired by the column `pair`, {unpaired} without a pair taken alone")
        }
        Paired::ByColumn => "paired by the column `pair`",
        Paired::Consecutively => {
            "every two rows taken as a pair with seats swapped (--pairs none takes each game alone)"
        }
        Paired::NotAtAll => "each taken alone",
    };
    let fitted = if fits_side { ", with the first seat's advantage fitted" } else { "" };
    let cure = match (paired, unpaired) {
        (Paired::NotAtAll, 0) => " (a column `pair` pairs them)",
        (Paired::NotAtAll, _) => " (the column `pair` is empty)",
        _ => "",
    };
    let void = if void > 0 { format!("; {} left out", counted(void, "void game")) } else { String::new() };
    format!("{}, {how}{fitted}{cure}{void}", counted(games, "game"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_is_said_before() {
        assert_eq!(slow_to_rate(2_000), None);
        assert!(slow_to_rate(2_001).is_some_and(|warning| warning.starts_with("rating 2001 players")));
    }
}
