//! Which files may be written where a person names one.
//!
//! Nothing that a person did not mean is overwritten: not what the command reads, no file of results, nothing in the folder
//! of the bots. Files are compared as the system identifies them, so links, `..` and second names do not help. Any other file
//! that exists needs `--force`, unless it is empty or the same option has written it before.

use std::collections::HashSet;
use std::fs::{File, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use arena_store::journal::{ANALYSES_NAME, FILE_NAME, OWN_LINES_NAME, SIGNATURES_NAME};
use arena_store::report::{RANKING_FILES, TOURNAMENT_FILES};
use arena_sys::flags::FORCE;
use arena_sys::results_folder::{ResultsFolder, is_stream};

use super::feedback_file::FEEDBACK_FILE;
use super::outputs::{OUTPUTS_FILE, Outputs, real};
use super::series_file::SERIES_FILE;

/// Entries looked at in search of a second name of a file.
const ENTRIES_MAX: usize = 200_000;

/// Device and inode.
type Id = (u64, u64);

/// What a command may overwrite.
#[derive(Debug, Default)]
pub struct Overwriting<'a> {
    /// What the command reads: files, and folders with all that is in them.
    pub inputs: Vec<&'a Path>,
    /// The folder of the bots.
    pub bots: PathBuf,
    /// The folder of all results.
    pub results: PathBuf,
    /// The results folder in which files are remembered, if it exists already.
    pub home: Option<ResultsFolder>,
    /// Whether any other existing file may be overwritten.
    pub is_forced: bool,
}

impl Overwriting<'_> {
    /// Fails if this option may not write this file.
    ///
    /// # Errors
    ///
    /// Returns an error with the option, the path, the reason and the cure.
    pub fn check(&self, option: &str, path: &Path) -> anyhow::Result<()> {
        let named = format!("{option} {}", path.display());
        let found = match path.metadata() {
            Ok(found) if found.is_dir() => bail!("{named} is a folder; name a file"),
            // Pipes and devices have nothing to lose.
            Ok(found) if !found.is_file() => return Ok(()),
            Ok(found) => Some(found),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                if path.is_symlink() {
                    bail!("{named} is a link to a file that does not exist; name the file itself");
                }
                None
            }
            Err(error) => return Err(error).with_context(|| format!("looking at {named}")),
        };
        let real = real(path);
        self.refuse_bots(&named, &real, found.as_ref())?;
        let Some(found) = found else {
            return if is_in_results(&real, 1) && is_ours(&real) {
                bail!("{named}: that is the name of a file of the results in this folder; choose another one")
            } else {
                Ok(())
            };
        };
        if self.inputs.iter().any(|input| is_within(&real, &ids([*input]))) {
            bail!("{named} is what this command reads, and would be lost; choose another file");
        }
        if is_ours(&real) && is_in_results(&real, 1) || self.has_second_name(&found, &[&self.results]) {
            bail!("{named} is a file of results, and would be lost; choose another file");
        }
        if found.len() == 0 || is_stream(path) || self.is_remembered(option, path)? {
            return Ok(());
        }
        if is_in_results(&real, 2) {
            bail!("{named} is in a results folder, and this option has not written it; choose another file");
        }
        if !self.is_forced {
            bail!("{named} exists already, and this option has not written it; choose another file, or add {FORCE}");
        }
        Ok(())
    }

    /// Fails if these options may not write these files, or two of them name the same, or one cannot be opened for writing: that
    /// should not come out after hours. Files that do not exist are created.
    ///
    /// # Errors
    ///
    /// See [`check`](Self::check).
    pub fn check_files(&self, files: &[(&str, &Path)]) -> anyhow::Result<()> {
        for (number, (option, path)) in files.iter().enumerate() {
            self.check(option, path)?;
            if is_stream(path) {
                continue;
            }
            let named = format!("{option} {}", path.display());
            if let Some((other, _)) = files[..number].iter().find(|(_, known)| real(known) == real(path)) {
                bail!("{named}: {other} names this file too; choose another one");
            }
        }
        for (option, path) in files {
            // Opening a pipe would wait for its reader.
            if is_stream(path) {
                continue;
            }
            let opened = File::options().append(true).create(true).open(path);
            opened.with_context(|| format!("writing {option} {}", path.display()))?;
        }
        Ok(())
    }

    /// Fails if this option may not write any of these files in a folder, which need not exist.
    ///
    /// # Errors
    ///
    /// See [`check`](Self::check).
    pub fn check_all<'a>(
        &self,
        option: &str,
        dir: &Path,
        names: impl IntoIterator<Item = &'a str>,
    ) -> anyhow::Result<()> {
        names.into_iter().try_for_each(|name| self.check(option, &dir.join(name)))
    }

    fn refuse_bots(&self, named: &str, real: &Path, found: Option<&Metadata>) -> anyhow::Result<()> {
        let entries = self.bots.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
        let bots: HashSet<Id> = ids(entries.chain([self.bots.clone()]));
        if is_within(real, &bots) || found.is_some_and(|found| self.has_second_name(found, &[&self.bots])) {
            bail!("{named} is in the folder of the bots, {}; choose another file", self.bots.display());
        }
        Ok(())
    }

    /// Whether this file has another name in one of these folders or the folders in them.
    fn has_second_name(&self, found: &Metadata, folders: &[&Path]) -> bool {
        let home = self.home.as_ref().map(|home| home.path().to_owned());
        found.nlink() > 1 && is_named_in(id(found), folders.iter().map(|path| path.to_path_buf()).chain(home).collect())
    }

    fn is_remembered(&self, option: &str, path: &Path) -> anyhow::Result<bool> {
        let Some(home) = &self.home else { return Ok(false) };
        Ok(Outputs::read(home)?.has(home, option, path))
    }
}

fn id(found: &Metadata) -> Id {
    (found.dev(), found.ino())
}

/// What these paths lead to, as far as they exist.
fn ids<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> HashSet<Id> {
    paths.into_iter().filter_map(|path| Some(id(&path.as_ref().metadata().ok()?))).collect()
}

/// Whether the path, or a folder above it, is one of these.
fn is_within(real: &Path, known: &HashSet<Id>) -> bool {
    !known.is_empty() && real.ancestors().any(|above| above.metadata().is_ok_and(|found| known.contains(&id(&found))))
}

/// Whether one of this many folders above the path has a journal or is that of a series.
fn is_in_results(real: &Path, levels: usize) -> bool {
    let is_results =
        |folder: &Path| [FILE_NAME, SERIES_FILE].iter().any(|name| folder.join(name).symlink_metadata().is_ok());
    real.ancestors().skip(1).take(levels).any(is_results)
}

/// Whether a results folder has a file of this name for itself.
fn is_ours(real: &Path) -> bool {
    let name = real.file_name().unwrap_or_default().to_string_lossy();
    // Those set aside have a number.
    let is_journal = [FILE_NAME, OWN_LINES_NAME, SIGNATURES_NAME].iter().any(|journal| name.starts_with(journal));
    let others = [OUTPUTS_FILE, FEEDBACK_FILE, SERIES_FILE, ANALYSES_NAME]
        .into_iter()
        .chain(RANKING_FILES)
        .chain(TOURNAMENT_FILES);
    is_journal || others.into_iter().any(|known| name == known)
}

/// Whether something in these folders, or in folders in them, is this file.
fn is_named_in(wanted: Id, mut folders: Vec<PathBuf>) -> bool {
    let mut left = ENTRIES_MAX;
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let Some(fewer) = left.checked_sub(1) else { return false };
            left = fewer;
            match entry.metadata() {
                Ok(found) if found.is_dir() => folders.push(entry.path()),
                Ok(found) if id(&found) == wanted => return true,
                _ => {}
            }
        }
    }
    false
}
