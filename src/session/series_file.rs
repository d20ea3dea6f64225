//! `series.json`: what a series consists of, so that its table can be made again.

use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use crate::report::{Durability, replace};

/// Its name in the folder of a series.
const SERIES_FILE: &str = "series.json";

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

impl SeriesFile {
    /// Whether this is the folder of a series.
    #[must_use]
    pub fn is_in(dir: &Path) -> bool {
        dir.join(SERIES_FILE).is_file()
    }

    /// Reads the definition in this folder.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be read, and what to do.
    pub fn read(dir: &Path) -> anyhow::Result<Self> {
        let path = dir.join(SERIES_FILE);
        let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{}: run `arena series` again to write it", path.display()))
    }

    /// Writes it into this folder.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be written.
    pub fn write(&self, dir: &Path) -> anyhow::Result<()> {
        let mut text = serde_json::to_string_pretty(self).context("writing JSON")?;
        text.push('\n');
        replace(&dir.join(SERIES_FILE), Durability::Synced, |out| Ok(out.write_all(text.as_bytes())?))
    }
}
