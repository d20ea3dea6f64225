//! The tables of a series again, and the combined one.

use anyhow::{Context, bail};

use super::{Args, asked, is_read_only, read_tournament, rewrite};
use crate::cli::open::renew_index;
use crate::cli::series::show_combined;
use crate::cli::{Exit, tell};
use crate::journal;
use crate::report::{Results, SeriesGame, too_large_a_series};
use crate::results_folder::{ResultsFolder, if_there};
use crate::session::{SeriesFile, SeriesPart};
use crate::text::shown;

/// Rebuilds the tables of every game in the folder of a series, and the combined one.
pub(super) fn rebuild(args: &Args, folder: &ResultsFolder) -> anyhow::Result<Exit> {
    let dir = folder.path();
    if args.json || args.markdown || args.latex || args.svg.is_some() {
        bail!(
            "--json, --markdown, --latex and --svg are for one tournament; {} is a series: name {}/GAME",
            dir.display(),
            dir.display()
        );
    }
    let SeriesFile { games, strict } = SeriesFile::read(folder)?;
    let mut tournaments = Vec::new();
    for SeriesPart { game, folder: part, weight } in games {
        let part = if_there(folder.subfolder(part))?.filter(|part| part.has(journal::FILE_NAME));
        let part = part.with_context(|| format!("the series has no games of {} yet", shown(&game)))?;
        let read = read_tournament(&part, false)?;
        tournaments.push((game, weight, read));
    }
    if let Some(why) = too_large_a_series(tournaments.iter().map(|(.., (scheduler, ..))| &**scheduler.event())) {
        bail!("{}: {why}", dir.display());
    }
    let (mut games, mut is_written) = (Vec::new(), false);
    for (label, weight, (scheduler, journal, stop)) in &tournaments {
        let (outputs, options) = asked(args, scheduler, journal.folder())?;
        let mut results = Results::new(scheduler, journal, &options)?;
        results.with_times = outputs.tables.with_times();
        results.stop = *stop;
        is_written |= rewrite(journal.folder(), &results, &outputs)?;
        games.push(SeriesGame { label: label.clone(), weight: *weight, results });
    }
    match show_combined(&games, strict, folder)? {
        Err(error) if is_read_only(&error) => {
            tell(&format!("{} is read-only: its combined table is not rewritten", dir.display()));
        }
        written => written?,
    }
    if is_written {
        renew_index(&args.results.results);
    }
    let is_over = |game: &SeriesGame<'_>| game.results.progress.is_complete() || game.results.is_out_of_time();
    Ok(if games.iter().all(is_over) { Exit::Done } else { Exit::Incomplete })
}
