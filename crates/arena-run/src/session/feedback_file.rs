//! `feedback.json`: up to which game the authors of bots know the results.
//!
//! It is written after their texts: whatever is killed before is told again. Feedback that is written again without new games
//! compares with the same games again.

use std::io::Read as _;

use anyhow::Context as _;
use arena_store::journal::GamePlace;
use arena_sys::results_folder::{Durability, ResultsFolder, if_there};
use serde::{Deserialize, Serialize};

/// Its name.
pub(super) const FEEDBACK_FILE: &str = "feedback.json";
/// More than it has.
const BYTES_MAX: u64 = 1 << 16;

/// What is in `feedback.json`. The file may be a stranger's: a place is used only if that game is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Told {
    /// The last game of the last feedback.
    pub(super) last: GamePlace,
    /// That of the feedback before, with which the last one compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<GamePlace>,
}

impl Told {
    /// What is known after feedback whose last game is `last`.
    pub(super) fn after(known: Option<Self>, last: GamePlace) -> Self {
        match known {
            Some(known) if known.last == last => known,
            known => Self { last, before: known.map(|known| known.last) },
        }
    }

    /// What is known in this results folder.
    ///
    /// # Errors
    ///
    /// Returns an error with the cure if the file cannot be read or is damaged.
    pub(super) fn read(folder: &ResultsFolder) -> anyhow::Result<Option<Self>> {
        let path = folder.path_of(FEEDBACK_FILE);
        let reading = || format!("reading {}", path.display());
        let Some(file) = if_there(folder.read(FEEDBACK_FILE)).with_context(reading)? else { return Ok(None) };
        let mut text = String::new();
        file.take(BYTES_MAX).read_to_string(&mut text).with_context(reading)?;
        let told = serde_json::from_str(&text);
        told.map(Some).with_context(|| format!("{}: remove it; the next feedback is then a first one", path.display()))
    }

    /// Writes the file.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be written.
    pub(super) fn write(&self, folder: &ResultsFolder) -> anyhow::Result<()> {
        folder.replace(FEEDBACK_FILE, Durability::Synced, |out| {
            serde_json::to_writer(&mut *out, self)?;
            Ok(writeln!(out)?)
        })
    }
}
