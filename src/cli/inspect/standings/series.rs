//! The tables of a series again, and the combined one.

use std::collections::HashMap;

use anyhow::{Context, bail};
use arena_core::event::{GameId, Stop};
use arena_core::schedule::Scheduler;
use arena_core::text::shown;
use arena_run::session::{SeriesFile, SeriesPart};
use arena_store::journal::{self, Reader};
use arena_store::report::{Results, ResultsOptions, too_large_a_series};
use arena_sys::results_folder::{ResultsFolder, if_there};

use super::{Args, asked, read_to_show, remembers, rewrite};
use crate::cli::run::index::renew_index;
use crate::cli::run::remembered::is_read_only;
use crate::cli::run::series::show_combined;
use crate::cli::{Exit, Io};

/// Rebuilds the tables of every game in the folder of a series, and the combined one.
pub(super) fn rebuild(args: &Args, folder: &ResultsFolder, io: &Io) -> anyhow::Result<Exit> {
    let dir = folder.path();
    if args.json || args.markdown || args.latex || args.svg.is_some() || args.feedback.feedback.is_some() {
        bail!(
            "--json, --markdown, --latex, --svg and --feedback are for one tournament; {} is a series: name {}/GAME",
            dir.display(),
            dir.display()
        );
    }
    let (tournaments, strict) = read_games(folder, false, io)?;
    let (mut games, mut is_written) = (Vec::new(), false);
    for (part, (scheduler, journal, stop)) in &tournaments {
        let (outputs, analysis) = asked(args, scheduler, journal.folder(), io)?;
        let options = ResultsOptions {
            stop: *stop,
            remembers_rules: remembers(journal.folder(), scheduler),
            ..outputs.tables.for_results(analysis)
        };
        let results = Results::new(scheduler, journal, options)?;
        is_written |= rewrite(journal.folder(), &results, &outputs, io)?;
        games.push(part.clone().with(results));
    }
    match show_combined(&games, strict, folder, io)? {
        Err(error) if is_read_only(&error) => {
            io.tell(&format!("{} is read-only: its combined table is not rewritten", dir.display()));
        }
        written => written?,
    }
    if is_written {
        renew_index(&args.results.results, io);
    }
    Ok(Exit::Done)
}

/// A game of a series, and what [`read_to_show`] read of it.
pub(crate) type ReadGame = (SeriesPart, (Scheduler, Reader, Option<Stop>));

/// The games in the folder of a series, and whether it is strict.
pub(crate) fn read_games(folder: &ResultsFolder, is_public: bool, io: &Io) -> anyhow::Result<(Vec<ReadGame>, bool)> {
    let SeriesFile { games, strict } = SeriesFile::read(folder)?;
    let mut tournaments: Vec<ReadGame> = Vec::new();
    for part in games {
        let own = if_there(folder.subfolder(&part.folder))?.filter(|own| own.has(journal::FILE_NAME));
        let own = own.with_context(|| format!("the series has no games of {} yet", shown(&part.game)))?;
        tournaments.push((part, read_to_show(&own, is_public, io)?));
    }
    if let Some(why) = too_large_a_series(tournaments.iter().map(|(_, (scheduler, ..))| &**scheduler.event())) {
        bail!("{}: {why}", folder.path().display());
    }
    no_game_twice(folder, &tournaments)?;
    Ok((tournaments, strict))
}

/// Fails if two folders of a series hold the same game, such as a folder and its copy: it would count twice.
fn no_game_twice(folder: &ResultsFolder, tournaments: &[ReadGame]) -> anyhow::Result<()> {
    let mut holders: HashMap<GameId, &str> = HashMap::new();
    for (part, (scheduler, ..)) in tournaments {
        for (_, brief) in scheduler.played() {
            match holders.insert(brief.id, &part.folder) {
                Some(other) if other != part.folder => bail!(
                    "{}: `{}` and `{}` hold the same games, which would count twice; remove one of them from the series",
                    folder.path().display(),
                    shown(other),
                    shown(&part.folder)
                ),
                _ => {}
            }
        }
    }
    Ok(())
}
