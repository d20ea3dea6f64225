//! A folder for others: what an earlier publication wrote is replaced, and nothing else in it is touched.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use arena_store::report::{INDEX_FILE, PUBLISHED_FILES, PUBLISHED_OF_SERIES};
use arena_sys::results_folder::{Durability, ResultsFolder};

use super::is_tournament_name;

/// The paths of all files that were written, as JSON.
const LIST: &str = "published.json";
/// More than any list has.
const BYTES_MAX: u64 = 64 << 20;

/// Whether a publication writes a file of this path.
fn is_of_publication(path: &str) -> bool {
    let Some((parents, name)) = path.rsplit_once('/') else { return path == INDEX_FILE };
    let is_written = PUBLISHED_FILES.iter().chain(&PUBLISHED_OF_SERIES).any(|file| *file == name);
    is_written && parents.split('/').all(is_tournament_name)
}

/// An open folder for others.
#[derive(Debug)]
pub struct PublishedFolder {
    folder: ResultsFolder,
    /// Files of this publication and of earlier ones, by their paths in the folder.
    ours: BTreeSet<String>,
}

impl PublishedFolder {
    /// Opens the folder, and creates it first if it is not there. `files` are those that may be written, besides the page of all.
    ///
    /// # Errors
    ///
    /// Returns an error, and writes nothing, if something is there that no publication wrote and that would be replaced.
    pub fn open(dir: &Path, files: impl IntoIterator<Item = String>) -> anyhow::Result<Self> {
        std::fs::create_dir_all(dir).with_context(|| format!("creating folder {}", dir.display()))?;
        let folder = ResultsFolder::open(dir).with_context(|| format!("opening folder {}", dir.display()))?;
        let mut known: BTreeSet<String> = BTreeSet::new();
        if folder.has(LIST) {
            let mut text = String::new();
            let read = folder.read(LIST).and_then(|file| file.take(BYTES_MAX).read_to_string(&mut text));
            let read = read.map_err(anyhow::Error::from).and_then(|_| Ok(serde_json::from_str(&text)?));
            known = read.with_context(|| format!("{}: name another folder", folder.path_of(LIST).display()))?;
            // The list may be someone else's: no other file is ours, whatever it says.
            known.retain(|path| is_of_publication(path));
        } else if !folder.names()?.is_empty() {
            bail!("{} has files of others, which are never overwritten: name a new or empty folder", dir.display());
        }
        let mut published = Self { folder, ours: known.clone() };
        for path in files.into_iter().chain([INDEX_FILE.to_owned()]) {
            let is_there = published.split(&path).is_ok_and(|(folder, name)| folder.has(name));
            if is_there && !known.contains(&path) {
                let path = published.folder.path_of(path);
                bail!("{} was not published by the arena, so it is not overwritten: move it away", path.display());
            }
            published.ours.insert(path);
        }
        // First, so that what a killed publication leaves is ours too.
        published.write_list(&published.ours)?;
        Ok(published)
    }

    /// The folder of a tournament.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be made.
    pub fn part(&self, path: &str) -> anyhow::Result<ResultsFolder> {
        let made = path.split('/').try_fold(self.folder.clone(), |folder, name| folder.make_subfolder(name));
        made.with_context(|| format!("creating folder {}", self.folder.path_of(path).display()))
    }

    /// Writes the page of all tournaments, and removes what earlier publications wrote and this one did not: all but `written`.
    ///
    /// # Errors
    ///
    /// Returns an error if something cannot be written or removed.
    pub fn finish(self, index: &str, written: impl IntoIterator<Item = String>) -> anyhow::Result<()> {
        self.folder.replace(INDEX_FILE, Durability::Flushed, |out| Ok(out.write_all(index.as_bytes())?))?;
        let is_there = |path: &String| self.split(path).is_ok_and(|(folder, name)| folder.has(name));
        let written = written.into_iter().chain([INDEX_FILE.to_owned()]).filter(is_there).collect();
        for path in self.ours.difference(&written) {
            let removing = || format!("removing {}", self.folder.path_of(path).display());
            let Ok((folder, name)) = self.split(path) else { continue };
            folder.remove(name).with_context(removing)?;
            let mut empty = path.as_str();
            while let Some((parent, _)) = empty.rsplit_once('/') {
                let (folder, name) = self.split(parent)?;
                folder.remove_empty_subfolder(name).with_context(removing)?;
                empty = parent;
            }
        }
        self.write_list(&written)
    }

    /// The folder of a file, and its name in it.
    fn split<'a>(&self, path: &'a str) -> std::io::Result<(ResultsFolder, &'a str)> {
        let (parents, name) = path.rsplit_once('/').map_or((None, path), |(parents, name)| (Some(parents), name));
        let mut names = parents.into_iter().flat_map(|parents| parents.split('/'));
        Ok((names.try_fold(self.folder.clone(), |folder, name| folder.subfolder(name))?, name))
    }

    fn write_list(&self, paths: &BTreeSet<String>) -> anyhow::Result<()> {
        self.folder.replace(LIST, Durability::Flushed, |out| {
            serde_json::to_writer_pretty(&mut *out, paths)?;
            Ok(writeln!(out)?)
        })
    }
}
