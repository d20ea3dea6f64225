//! `outputs.json`: what the tables of a results folder were asked to have, and the files elsewhere that its commands wrote.
//!
//! Both are memory and not results: without the file, tables have what the next command asks for, and a file that exists
//! already is overwritten only with `--force`.
//!
//! The file may be a stranger's. What it asks of the tables is named wherever they are shown. A file outside of the folder counts
//! as written only with a mark under the key of the user, which a stranger cannot make.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use arena_sys::machine::OwnKey;
use arena_sys::results_folder::{Durability, ResultsFolder, if_there, is_stream};
use serde::{Deserialize, Serialize};

use super::TableOptions;

/// Its name.
pub(super) const OUTPUTS_FILE: &str = "outputs.json";
/// More than any has.
const BYTES_MAX: u64 = 1 << 20;
/// Remembered files; the oldest are forgotten.
const FILES_MAX: usize = 1_000;

/// What is in `outputs.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outputs {
    /// What the tables have.
    #[serde(default)]
    pub tables: TableOptions,
    /// The files that were named to be written, the newest last.
    #[serde(default)]
    files: Vec<OutputFile>,
}

/// A file that an option named to be written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OutputFile {
    /// The option, such as `--events`.
    option: String,
    /// Its real path, from the results folder if it is in it, so that the folder can be moved.
    path: String,
    /// Of a file elsewhere: what shows that this user's arena has written it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    mark: String,
}

impl OutputFile {
    fn new(folder: &ResultsFolder, option: &str, path: &Path) -> Self {
        let path = stored(folder, path);
        let mark = if is_within(&path) { None } else { OwnKey::of_user().ok() }.map(|key| mark(&key, option, &path));
        Self { option: option.to_owned(), path, mark: mark.unwrap_or_default() }
    }
}

/// Without a key, no file elsewhere has a mark.
fn mark(key: &OwnKey, option: &str, path: &str) -> String {
    key.mark(format!("output {option} {path}").as_bytes())
}

/// Whether a stored path is that of a file in the folder.
fn is_within(path: &str) -> bool {
    !Path::new(path).is_absolute()
}

impl Outputs {
    /// Reads what is remembered in this folder; nothing if there is no file.
    ///
    /// # Errors
    ///
    /// Returns an error with the cure if the file cannot be read or is damaged.
    pub fn read(folder: &ResultsFolder) -> anyhow::Result<Self> {
        let path = folder.path_of(OUTPUTS_FILE);
        let mut text = String::new();
        let reading = || format!("reading {}", path.display());
        let Some(file) = if_there(folder.read(OUTPUTS_FILE)).with_context(reading)? else {
            return Ok(Self::default());
        };
        file.take(BYTES_MAX).read_to_string(&mut text).with_context(reading)?;
        let read = serde_json::from_str(&text).map_err(anyhow::Error::from);
        let read = read.and_then(|read: Self| Ok(Self { tables: read.tables.clone().checked()?, ..read }));
        read.with_context(|| format!("{}: remove it; tables then have what the next command asks for", path.display()))
    }

    /// Whether this option has written this file before, for this folder.
    #[must_use]
    pub fn has(&self, folder: &ResultsFolder, option: &str, path: &Path) -> bool {
        let wanted = OutputFile::new(folder, option, path);
        (is_within(&wanted.path) || !wanted.mark.is_empty()) && self.files.contains(&wanted)
    }

    /// Remembers that options write these files, except streams. They exist, or their folders do.
    #[must_use]
    pub fn with_files<'a>(
        mut self,
        folder: &ResultsFolder,
        files: impl IntoIterator<Item = (&'a str, &'a Path)>,
    ) -> Self {
        for (option, path) in files.into_iter().filter(|(_, path)| !is_stream(path)) {
            let file = OutputFile::new(folder, option, path);
            self.files.retain(|known| (&known.option, &known.path) != (&file.option, &file.path));
            self.files.push(file);
        }
        self.files.drain(..self.files.len().saturating_sub(FILES_MAX));
        self
    }

    /// Writes the file, if something has changed.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be written.
    pub fn write(&self, folder: &ResultsFolder) -> anyhow::Result<()> {
        if Self::read(folder).is_ok_and(|known| known == *self) {
            return Ok(());
        }
        folder.replace(OUTPUTS_FILE, Durability::Synced, |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            Ok(writeln!(out)?)
        })
    }
}

/// The path as it is stored.
pub(super) fn stored(folder: &ResultsFolder, path: &Path) -> String {
    let path = real(path);
    let path = folder
        .path()
        .canonicalize()
        .ok()
        .and_then(|home| Some(path.strip_prefix(home).ok()?.to_owned()))
        .unwrap_or(path);
    path.to_string_lossy().into_owned()
}

/// The path without links, also of a file that does not exist yet.
pub(super) fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return path.to_owned() };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    real(parent).join(name)
}
