//! What is in a folder of results: tournaments, and series of them.

use std::path::Path;

use anyhow::Context as _;
use arena_store::journal::FILE_NAME;
use arena_sys::results_folder::{Place, ResultsFolder, if_there};

use super::SeriesFile;

/// A tournament or a series.
#[derive(Debug)]
pub struct Listed {
    /// Where it is.
    pub place: Place,
    /// The tournaments of a series that have begun.
    pub games: Option<Vec<Place>>,
}

/// The tournaments and series in the folder `results`, by name; none if it is not there. Links to others are followed if it is
/// one's own (`is_own`). What is wrong with one goes to `passed_over` with its path, and does not keep people from the others.
///
/// # Errors
///
/// Returns an error if the folder cannot be read.
pub fn listed(
    results: &Path,
    is_own: bool,
    passed_over: &mut dyn FnMut(&Path, anyhow::Error),
) -> anyhow::Result<Vec<Listed>> {
    let reading = || format!("reading folder {}", results.display());
    let names = if_there(ResultsFolder::open(results).and_then(|folder| folder.names())).with_context(reading)?;
    let mut all = Vec::new();
    for name in names.unwrap_or_default() {
        let path = results.join(&name);
        // Beside results there may be anything.
        let Ok(folder) = ResultsFolder::open(&path) else { continue };
        let place = if is_own { Place::at(&path) } else { Place::within(results, name) };
        match kind(&folder, place) {
            Ok(found) => all.extend(found),
            Err(error) => passed_over(&path, error),
        }
    }
    all.sort_by(|a, b| a.place.cmp(&b.place));
    Ok(all)
}

/// What is in a folder, if it is that of a tournament or series.
fn kind(folder: &ResultsFolder, place: Place) -> anyhow::Result<Option<Listed>> {
    let games = if folder.has(FILE_NAME) {
        // It is refused here and not when it is its turn, which may be before others.
        let journal = place.open().and_then(|folder| folder.read(FILE_NAME));
        journal.with_context(|| format!("reading journal {}", folder.path_of(FILE_NAME).display()))?;
        None
    } else if SeriesFile::is_in(folder) {
        Some(games_of(&place)?)
    } else {
        return Ok(None);
    };
    Ok(Some(Listed { place, games }))
}

/// The tournaments of a series that have begun.
///
/// # Errors
///
/// Returns an error if its definition or its folder cannot be read.
pub fn games_of(series: &Place) -> anyhow::Result<Vec<Place>> {
    let folder = series.open()?;
    let mut begun = Vec::new();
    for game in SeriesFile::read(&folder)?.games {
        let part = if_there(folder.subfolder(&game.folder))?;
        if part.is_some_and(|part| part.has(FILE_NAME)) {
            begun.push(series.clone().with(game.folder));
        }
    }
    Ok(begun)
}
