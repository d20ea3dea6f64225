//! Records: which version of a bot is kept for a game.

use std::io::Read;

use anyhow::{Context, bail, ensure};
use arena_core::event::is_day;
use arena_core::text::shown;
use arena_sys::results_folder::{Durability, ResultsFolder, if_there, is_plain};
use serde::{Deserialize, Serialize};

use crate::roster::names::is_plain_name;

/// Version of the format of records.
pub(super) const FORMAT: u32 = 1;
const SUFFIX: &str = ".json";
/// Maximum size of a record.
const BYTES_MAX: u64 = 1 << 16;
/// Digits of a fingerprint.
const DIGITS: usize = 16;

/// The last good version of a bot in a game: a file `NAME@GAME.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeptBot {
    pub(super) format: u32,
    /// Name of the bot.
    pub(super) name: String,
    /// The game and its parameters.
    pub(super) game: String,
    /// Its fingerprint, and the name of the folder with its copy.
    pub(super) fingerprint: String,
    /// Local date on which it was kept.
    pub(super) date: String,
    /// Name of its file or folder in the bots folder; `None` if it lay elsewhere.
    pub(super) entry: Option<String>,
    /// Its path if it lay elsewhere; records of older versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) elsewhere: Option<String>,
    /// Total size of its files.
    pub(super) bytes: u64,
}

/// Where a bot lies. A kept version belongs to that, and not to a name, which anyone can write into a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// A file or folder of the bots folder, by its name.
    Entry(String),
    /// A path.
    Elsewhere(String),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Self::Entry(path) | Self::Elsewhere(path)) = self;
        write!(f, "`{}`", shown(path))
    }
}

impl KeptBot {
    /// The record of a bot, if there is one.
    pub(super) fn read(folder: &ResultsFolder, name: &str, game: &str) -> anyhow::Result<Option<Self>> {
        Self::read_file(folder, &file(name, game))
    }

    /// All records, and what is wrong with those that cannot be read.
    pub(super) fn all(folder: &ResultsFolder) -> anyhow::Result<Vec<anyhow::Result<Self>>> {
        let reading = || format!("reading folder {}", shown(&folder.path().to_string_lossy()));
        let names = folder.names().with_context(reading)?;
        let mut names: Vec<&str> = names.iter().filter_map(|name| name.to_str()).collect();
        names.retain(|name| name.ends_with(SUFFIX) && !name.starts_with('.'));
        names.sort_unstable();
        Ok(names.into_iter().filter_map(|name| Self::read_file(folder, name).transpose()).collect())
    }

    fn read_file(folder: &ResultsFolder, file: &str) -> anyhow::Result<Option<Self>> {
        let read = || {
            let Some(opened) = if_there(folder.read(file))? else { return Ok(None) };
            let mut bytes = Vec::new();
            opened.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
            ensure!(bytes.len() as u64 <= BYTES_MAX, "it is larger than {BYTES_MAX} bytes");
            let record: Self = serde_json::from_slice(&bytes)?;
            record.check(file)?;
            Ok(Some(record))
        };
        read().with_context(|| format!("{}; remove it", shown(&folder.path_of(file).to_string_lossy())))
    }

    /// Rejects what this arena would not have written.
    fn check(&self, file: &str) -> anyhow::Result<()> {
        if self.format != FORMAT {
            bail!("it has format {}, and this arena reads {FORMAT}", self.format);
        }
        ensure!(is_plain_name(&self.name), "`{}` is not the name of a bot", shown(&self.name));
        ensure!(self::file(&self.name, &self.game) == file, "it is the record of another bot or game");
        ensure!(is_fingerprint(&self.fingerprint), "`{}` is not a fingerprint", shown(&self.fingerprint));
        ensure!(is_day(&self.date), "`{}` is not a date", shown(&self.date));
        ensure!(self.entry.iter().all(is_plain), "its `entry` is not the name of a file");
        Ok(())
    }

    /// Writes it, instead of the one of the same bot and game.
    pub(super) fn write(&self, folder: &ResultsFolder) -> anyhow::Result<()> {
        folder.replace(file(&self.name, &self.game), Durability::Synced, |out| {
            Ok(writeln!(out, "{}", serde_json::to_string_pretty(self)?)?)
        })
    }

    /// Removes it.
    pub(super) fn remove(&self, folder: &ResultsFolder) -> anyhow::Result<()> {
        let file = file(&self.name, &self.game);
        folder.remove(&file).with_context(|| format!("removing {}", shown(&folder.path_of(file).to_string_lossy())))
    }

    /// Where its bot lay; `None` if the record does not say.
    pub(super) fn origin(&self) -> Option<Origin> {
        let entry = self.entry.clone().map(Origin::Entry);
        entry.or_else(|| self.elsewhere.clone().map(Origin::Elsewhere))
    }

    /// Whether its bot lay there.
    pub(super) fn is_of(&self, origin: &Origin) -> bool {
        self.origin().as_ref() == Some(origin)
    }

    /// Whose it is, in words.
    pub(super) fn owner(&self) -> String {
        self.origin().map_or_else(|| "a bot outside the bots folder".to_owned(), |origin| origin.to_string())
    }
}

/// The name of a record. Names of bots have no `@`.
fn file(name: &str, game: &str) -> String {
    format!("{name}@{game}{SUFFIX}")
}

/// Whether this is a fingerprint, and so a safe file name.
pub(super) fn is_fingerprint(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
