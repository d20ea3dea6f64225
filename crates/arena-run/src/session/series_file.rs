//! `series.json`: what a series consists of, so that its table can be made again.

use std::io::Read as _;

use anyhow::{Context, bail};
use arena_core::text::shown;
use arena_store::report::{Results, SeriesGame};
use arena_sys::results_folder::{Durability, ResultsFolder};
use serde::{Deserialize, Serialize};

use super::is_tournament_name;

/// Its name in the folder of a series.
pub(super) const SERIES_FILE: &str = "series.json";
/// More than any series has.
const BYTES_MAX: u64 = 1 << 20;

/// The definition of a series. Its tournaments have their own, in their journals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeriesFile {
    /// The tournaments, in the order of the columns.
    pub games: Vec<SeriesPart>,
    /// Whether a bot has no points in games that it missed, instead of no rank.
    pub strict: bool,
}

/// A tournament of a series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeriesPart {
    /// Its name in columns: the game with its parameters.
    pub game: String,
    /// Its folder within that of the series, which names the format too.
    pub folder: String,
    /// Its weight in the mean.
    pub weight: f64,
}

impl SeriesPart {
    /// The game with its results.
    #[must_use]
    pub fn with(self, results: Results<'_>) -> SeriesGame<'_> {
        SeriesGame { label: self.game, folder: self.folder, weight: self.weight, results }
    }
}

impl SeriesFile {
    /// Whether this is the folder of a series.
    #[must_use]
    pub fn is_in(folder: &ResultsFolder) -> bool {
        folder.has(SERIES_FILE)
    }

    /// Reads the definition in this folder.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be read, or names what no series has, and what to do.
    pub fn read(folder: &ResultsFolder) -> anyhow::Result<Self> {
        let path = folder.path_of(SERIES_FILE);
        let mut text = String::new();
        let read = folder.read(SERIES_FILE).and_then(|file| file.take(BYTES_MAX).read_to_string(&mut text));
        read.with_context(|| format!("reading {}", path.display()))?;
        let read = serde_json::from_str(&text).map_err(anyhow::Error::from).and_then(Self::checked);
        read.with_context(|| format!("{}: run `arena series` again to write it", path.display()))
    }

    /// Itself, if its folders are in that of the series, each once, and its weights can be averaged by.
    fn checked(self) -> anyhow::Result<Self> {
        for (number, SeriesPart { game, folder, weight }) in self.games.iter().enumerate() {
            if !is_tournament_name(folder) {
                bail!(
                    "the folder of {} is `{}`, which is not the name of one in the series",
                    shown(game),
                    shown(folder)
                );
            }
            if self.games[..number].iter().any(|other| other.folder == *folder) {
                bail!("the folder `{}` is named twice, so its games would count twice", shown(folder));
            }
            if !weight.is_finite() || *weight <= 0.0 {
                bail!("the weight of {} is {weight}, and not above 0", shown(game));
            }
        }
        Ok(self)
    }

    /// Writes it into this folder.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be written.
    pub fn write(&self, folder: &ResultsFolder) -> anyhow::Result<()> {
        let mut text = serde_json::to_string_pretty(self).context("writing JSON")?;
        text.push('\n');
        folder.replace(SERIES_FILE, Durability::Synced, |out| Ok(out.write_all(text.as_bytes())?))
    }
}
