//! The files of a results folder: their names, and what writes them.

use anyhow::Context as _;
use arena_show::views::Ranking;
use arena_sys::results_folder::{Durability, ResultsFolder};

use super::{
    Combined, Results, SeriesGame, bots_csv, covariance_csv, crosstable_csv, games_csv, head_to_head_csv, html,
    los_csv, rounds_csv, standings_csv, tournament_json,
};

/// The file of the matches of a stepwise format.
const ROUNDS_FILE: &str = "rounds.csv";

/// The file of a results folder that people open first.
pub const REPORT_FILE: &str = "report.html";
/// The page of all tournaments, in the folder of their folders.
pub const INDEX_FILE: &str = "index.html";
/// Bots against best play.
pub const ANALYSIS_FILE: &str = "analysis.csv";
/// The table of a series.
pub const COMBINED_FILE: &str = "combined.csv";
/// A ranking of games from files, as JSON.
pub const SUMMARY_FILE: &str = "summary.json";
const COVARIANCE_FILES: [&str; 2] = ["covariance.csv", "los.csv"];

/// The files of a ranking.
pub const RANKING_FILES: [&str; 6] =
    ["standings.csv", "crosstable.csv", "head_to_head.csv", COVARIANCE_FILES[0], COVARIANCE_FILES[1], SUMMARY_FILE];
/// The files of a tournament or series that are no files of a ranking.
pub const TOURNAMENT_FILES: [&str; 7] =
    [ROUNDS_FILE, "bots.csv", "games.csv", REPORT_FILE, "tournament.json", COMBINED_FILE, ANALYSIS_FILE];

/// The files of a tournament that others get, as far as it has them.
pub const PUBLISHED_FILES: [&str; 9] = [
    REPORT_FILE,
    "standings.csv",
    "crosstable.csv",
    "head_to_head.csv",
    COVARIANCE_FILES[0],
    COVARIANCE_FILES[1],
    ROUNDS_FILE,
    "games.csv",
    "bots.csv",
];

/// Those of a series.
pub const PUBLISHED_OF_SERIES: [&str; 2] = [REPORT_FILE, COMBINED_FILE];

/// Writes all derived files of a results folder: standings, crosstable, head to head, tournament, bots, games and the
/// report. Games come late, since that file is by far the largest and the disk may be full. Others get [`PUBLISHED_FILES`].
///
/// # Errors
///
/// Returns the first file that could not be written, and why. Files before it are complete, the others unchanged.
pub fn write_all(folder: &ResultsFolder, results: &Results<'_>, durability: Durability) -> anyhow::Result<()> {
    write_standings(folder, results, durability)?;
    folder.replace("bots.csv", durability, |out| bots_csv(results, out))?;
    folder.replace("games.csv", durability, |out| games_csv(results, out))?;
    let page = html::report_html(results)?;
    folder.replace(REPORT_FILE, durability, |out| Ok(out.write_all(page.as_bytes())?))
}

/// Writes the files of a series, in whose folder those of its games are: the table of all, and the report.
///
/// # Errors
///
/// See [`write_all`].
pub fn write_series(
    folder: &ResultsFolder,
    combined: &Combined,
    games: &[SeriesGame<'_>],
    durability: Durability,
) -> anyhow::Result<()> {
    folder.replace(COMBINED_FILE, durability, |out| combined.write_csv(out))?;
    let name = folder.path().file_name().unwrap_or_default().to_string_lossy();
    let page = html::series::series_html(&name, combined, games)?;
    folder.replace(REPORT_FILE, durability, |out| Ok(out.write_all(page.as_bytes())?))
}

/// Writes the derived files that do not need every game: standings, crosstable, head to head and tournament.
///
/// # Errors
///
/// See [`write_all`].
pub fn write_standings(folder: &ResultsFolder, results: &Results<'_>, durability: Durability) -> anyhow::Result<()> {
    write_ranking(folder, &results.ranking, durability)?;
    if !results.ranking.analysis.covariance {
        // Files from an earlier request would be out of date.
        for stale in COVARIANCE_FILES {
            remove(folder, stale)?;
        }
    }
    match &results.ranking.sheet {
        Some(sheet) => folder.replace(ROUNDS_FILE, durability, |out| rounds_csv(results, sheet, out))?,
        // From another format.
        None => remove(folder, ROUNDS_FILE)?,
    }
    if results.for_others {
        return Ok(());
    }
    folder.replace("tournament.json", durability, |out| tournament_json(results, out))
}

/// Writes standings, crosstable and head to head, and the errors of all differences if requested.
///
/// # Errors
///
/// See [`write_all`].
pub fn write_ranking(folder: &ResultsFolder, ranking: &Ranking, durability: Durability) -> anyhow::Result<()> {
    folder.replace("standings.csv", durability, |out| standings_csv(ranking, out))?;
    folder.replace("crosstable.csv", durability, |out| crosstable_csv(ranking, out))?;
    folder.replace("head_to_head.csv", durability, |out| head_to_head_csv(ranking, out))?;
    if ranking.analysis.covariance {
        folder.replace("covariance.csv", durability, |out| covariance_csv(ranking, out))?;
        folder.replace("los.csv", durability, |out| los_csv(ranking, out))?;
    }
    Ok(())
}

/// Removes a derived file if it is there.
fn remove(folder: &ResultsFolder, name: &str) -> anyhow::Result<()> {
    let removed = folder.remove(name);
    removed.with_context(|| format!("could not remove `{}`, which is out of date", folder.path_of(name).display()))
}
