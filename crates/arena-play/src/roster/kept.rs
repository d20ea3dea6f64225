//! The last versions of bots that passed the check, kept in the bots folder, so that a bot plays on whose new version fails.
//!
//! ```text
//! bots/.kept/0123456789abcdef/     a copy of the bot with this fingerprint
//! bots/.kept/eve@connect4.json     which of them `eve` plays this game with, since when, and where it lay
//! ```
//!
//! A version belongs to the path that it came from. A bot of that name at another path, whose author may be another one, has no
//! earlier version until one of its own passes.
//!
//! The folder is ours alone: one that others can write to is refused, and no link in it is followed. A copy gets its name
//! when it is complete and has the fingerprint of the original. It is loaded like any other bot, so its files are compared
//! with the fingerprint before each start.

mod copy;
mod record;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};
use arena_core::event::{EarlierVersion, day};
use arena_core::rules::Variant;
use arena_core::text::shown;
use arena_guard::remove_folder;
use arena_sys::entropy::unpredictable;
use arena_sys::results_folder::{LockedFile, ResultsFolder, if_there};

use super::inspected::absolute;
use super::layout::{CopyLayout, builtin, load_copy};
use super::names::{Claim, place, without_twins};
use super::{FoundBot, Roster, RosterSettings};
use copy::{names_outside, size, write};
use record::{KeptBot, Origin, is_fingerprint};

/// The folder of all copies, in the bots folder.
const KEPT: &str = ".kept";
/// Maximum total size of the files of a bot that is kept.
const BOT_BYTES_MAX: u64 = 64 << 20;
/// Maximum total size of all copies.
const ALL_BYTES_MAX: u64 = 4 << 30;
/// Prefix of the names of copies that are not complete.
const PARTIAL: &str = ".copy-";
const LOCK: &str = ".lock";

/// The kept versions of bots for one game.
#[derive(Debug, Clone)]
pub struct KeptVersions {
    bots: PathBuf,
    /// The game and its parameters, as in the names of records.
    game: String,
    settings: RosterSettings,
}

impl KeptVersions {
    /// The versions in the bots folder `bots` that passed the check for `game`. `settings` are those of all bots.
    #[must_use]
    pub fn new(bots: &Path, game: &Variant, settings: &RosterSettings) -> Self {
        let game = game.to_string().replace([':', ','], "-");
        Self { bots: bots.to_owned(), game, settings: settings.clone() }
    }

    /// Replaces bots of the roster that cannot be used, or are no longer recognised as bots, by their kept versions. Returns
    /// remarks about versions that cannot be used either.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder of kept versions is refused or cannot be read.
    pub fn replace_unusable(&self, roster: &mut Roster) -> anyhow::Result<Vec<String>> {
        let Some(folder) = self.folder()? else { return Ok(Vec::new()) };
        let (records, mut remarks) = self.records(&folder)?;
        for record in records {
            // A bot that calls itself so in a folder of another name does not take the place of one that fails.
            let is_taken = |bot: &FoundBot| {
                bot.launch.name.eq_ignore_ascii_case(&record.name) && bot.claim != Claim::UntrustedManifest
            };
            if roster.bots.iter().any(is_taken) {
                continue;
            }
            let path = record.entry.as_ref().map(|entry| self.bots.join(entry));
            let Some(unusable) = path.and_then(|path| roster.unusable_at(&path)) else {
                if let Some(other) = roster.unusable_called(&record.name) {
                    remarks.push(format!("{}: {}", record.name, not_usable(&record, &of_another(&record, &other))));
                }
                continue;
            };
            match self.load(&folder, &record) {
                Ok(found) => {
                    let cause = roster.take_unusable(unusable);
                    roster.bots.push(FoundBot { claim: Claim::Folder, ..instead(found, record, false, cause) });
                }
                Err(error) => remarks.push(format!("{}: {}", record.name, not_usable(&record, &error))),
            }
        }
        roster.bots = without_twins(std::mem::take(&mut roster.bots));
        roster.bots.sort_by(|a, b| a.launch.name.cmp(&b.launch.name));
        Ok(remarks)
    }

    /// Whether this version of the bot is kept, or is of the arena and needs no copy.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder of kept versions is refused or cannot be read.
    pub fn has(&self, found: &FoundBot) -> anyhow::Result<bool> {
        let folder = self.folder()?;
        if builtin(found).is_some() {
            return Ok(true);
        }
        let Some(folder) = folder else { return Ok(false) };
        // A record or a copy that was damaged is replaced while the version works.
        let record = KeptBot::read(&folder, &found.launch.name, &self.game).unwrap_or(None);
        let origin = self.origin(found);
        let is_same = |record: &KeptBot| record.fingerprint == found.fingerprint && record.is_of(&origin);
        Ok(record.filter(is_same).is_some_and(|record| self.load(&folder, &record).is_ok()))
    }

    /// The last version of the bot `failed` that passed the check, if another one is kept; `starts` is whether the new one
    /// starts, and `cause` why it fails. The error says why a version cannot be used, such as one of a bot at another path.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder of kept versions is refused, or the version cannot be used.
    pub fn stand_in(&self, failed: &FoundBot, starts: bool, cause: &str) -> anyhow::Result<Option<FoundBot>> {
        let Some(folder) = self.folder()? else { return Ok(None) };
        let record = KeptBot::read(&folder, &failed.launch.name, &self.game)?;
        let Some(record) = record.filter(|record| record.fingerprint != failed.fingerprint) else { return Ok(None) };
        let origin = self.origin(failed);
        if !record.is_of(&origin) {
            bail!(not_usable(&record, &of_another(&record, &origin.to_string())));
        }
        let found = self.load(&folder, &record).map_err(|error| anyhow::Error::msg(not_usable(&record, &error)))?;
        Ok(Some(instead(found, record, starts, cause.to_owned())))
    }

    /// Keeps these versions, each instead of the one before. Returns remarks about those that are not kept, and about names that are
    /// those of other bots now.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder of kept versions is refused or cannot be written to.
    pub fn keep<'a>(&self, bots: impl IntoIterator<Item = &'a FoundBot>, today: &str) -> anyhow::Result<Vec<String>> {
        let mut bots = bots.into_iter().filter(|bot| builtin(bot).is_none()).peekable();
        if bots.peek().is_none() {
            return Ok(Vec::new());
        }
        let folder = self.create()?;
        let Some(_lock) = lock(&folder)? else {
            return Ok(vec![format!(
                "another arena is writing to {}, so this run keeps no version",
                shown_path(&folder)
            )]);
        };
        folder.remove_left_behind();
        let mut remarks = Vec::new();
        for bot in bots {
            let name = &bot.launch.name;
            match self.keep_one(&folder, bot, today) {
                Ok(remark) => remarks.extend(remark.map(|remark| format!("{name}: {remark}"))),
                Err(error) => remarks.push(format!("{name}: this version is not kept: {error:#}")),
            }
        }
        remove_unused(&folder);
        Ok(remarks)
    }

    /// Keeps a version. Returns a remark if the name was that of another bot.
    fn keep_one(&self, folder: &ResultsFolder, found: &FoundBot, today: &str) -> anyhow::Result<Option<String>> {
        let origin = self.origin(found);
        if let Some(outside) = names_outside(found) {
            let path = shown(&outside);
            bail!(
                "it names `{path}`, which is not a path inside its folder; put the file there, and name it relative to the \
                 manifest"
            );
        }
        let layout = CopyLayout::of(found)?;
        let bytes = size(&layout)?;
        ensure!(bytes <= BOT_BYTES_MAX, "its files are larger than {} MiB in total", BOT_BYTES_MAX >> 20);
        let name = &found.launch.name;
        let former = KeptBot::read(folder, name, &self.game).ok().flatten().filter(|former| !former.is_of(&origin));
        if let Some(former) = former.as_ref().filter(|former| self.is_there(former))
            && found.claim == Claim::UntrustedManifest
        {
            bail!("the kept version of that name is of {}, which is there; give it another name", former.owner());
        }
        let is_own = |record: &KeptBot| record.name == *name && record.game == self.game;
        let others: Vec<KeptBot> = KeptBot::all(folder)?.into_iter().flatten().filter(|it| !is_own(it)).collect();
        let mut sizes: BTreeMap<&str, u64> =
            others.iter().map(|other| (other.fingerprint.as_str(), other.bytes)).collect();
        sizes.insert(&found.fingerprint, bytes);
        ensure!(
            sizes.values().fold(0, |all: u64, bytes| all.saturating_add(*bytes)) <= ALL_BYTES_MAX,
            "all versions in {} would be larger than {} GiB in total; remove those of bots that are gone",
            shown_path(folder),
            ALL_BYTES_MAX >> 30
        );
        if self.loaded(folder, &found.fingerprint, name).is_err() {
            self.copy(folder, found, &layout)?;
        }
        let (name, game, fingerprint) = (name.clone(), self.game.clone(), found.fingerprint.clone());
        let (entry, elsewhere) = match origin.clone() {
            Origin::Entry(entry) => (Some(entry), None),
            Origin::Elsewhere(path) => (None, Some(path)),
        };
        let record = KeptBot {
            format: record::FORMAT,
            name,
            game,
            fingerprint,
            date: today.to_owned(),
            entry,
            elsewhere,
            bytes,
        };
        record.write(folder)?;
        // A bot that was renamed in its manifest.
        for other in others.iter().filter(|other| other.game == record.game && other.is_of(&origin)) {
            other.remove(folder)?;
        }
        Ok(former.map(|former| {
            let (day, owner) = (day(&former.date), former.owner());
            format!("the version of {day} was of {owner}, and is no longer kept: {origin} has the name now")
        }))
    }

    /// Whether the bot of a kept version still lies where it came from.
    fn is_there(&self, kept: &KeptBot) -> bool {
        let path = match kept.origin() {
            Some(Origin::Entry(entry)) => self.bots.join(entry),
            Some(Origin::Elsewhere(path)) => path.into(),
            None => return false,
        };
        path.symlink_metadata().is_ok()
    }

    /// Copies a bot. The copy gets its name when it is complete.
    fn copy(&self, folder: &ResultsFolder, found: &FoundBot, layout: &CopyLayout) -> anyhow::Result<()> {
        let partial = folder.path_of(format!("{PARTIAL}{:016x}", unpredictable()));
        let writing = || format!("writing to {}", shown_path(folder));
        DirBuilder::new().mode(0o700).create(&partial).with_context(writing)?;
        let copy = || {
            write(layout, &partial).with_context(writing)?;
            let copy = load_copy(&partial, &found.launch.name, &self.settings)?;
            ensure!(
                copy.fingerprint == found.fingerprint,
                "its copy has another fingerprint: it changes at the moment, or depends on where it lies"
            );
            let path = folder.path_of(&found.fingerprint);
            // One whose files were changed.
            let _ = remove_folder(&path, None);
            std::fs::rename(&partial, &path).with_context(writing)
        };
        // It is gone if it was renamed.
        copy().inspect_err(|_| drop(remove_folder(&partial, None)))
    }

    /// Loads a kept version.
    fn load(&self, folder: &ResultsFolder, record: &KeptBot) -> anyhow::Result<FoundBot> {
        self.loaded(folder, &record.fingerprint, &record.name)
    }

    fn loaded(&self, folder: &ResultsFolder, fingerprint: &str, name: &str) -> anyhow::Result<FoundBot> {
        // Refuses links.
        let copy = folder.subfolder(fingerprint)?;
        let found = load_copy(copy.path(), name, &self.settings)?;
        ensure!(
            found.fingerprint == fingerprint,
            "its files in {} have changed, or limits or the sandbox are not as they were",
            shown_path(&copy)
        );
        Ok(found)
    }

    /// The records of this game, and remarks about those that cannot be read.
    fn records(&self, folder: &ResultsFolder) -> anyhow::Result<(Vec<KeptBot>, Vec<String>)> {
        let (mut records, mut remarks) = (Vec::new(), Vec::new());
        for record in KeptBot::all(folder)? {
            match record {
                Ok(record) if record.game == self.game => records.push(record),
                Ok(_) => {}
                Err(error) => remarks.push(format!("{error:#}")),
            }
        }
        Ok((records, remarks))
    }

    /// Where a bot lies.
    fn origin(&self, found: &FoundBot) -> Origin {
        // The same place, however it was named.
        let of = |path: &Path| absolute(path).unwrap_or_else(|_| path.to_owned());
        let (place, bots) = (of(place(found)), of(&self.bots));
        let name = place.file_name().filter(|_| place.parent() == Some(&bots)).and_then(OsStr::to_str);
        name.map_or_else(
            || Origin::Elsewhere(place.to_string_lossy().into_owned()),
            |name| Origin::Entry(name.to_owned()),
        )
    }

    /// The folder of kept versions, if there is one.
    fn folder(&self) -> anyhow::Result<Option<ResultsFolder>> {
        let path = self.bots.join(KEPT);
        let shown = || shown(&path.to_string_lossy());
        let Some(bots) = if_there(ResultsFolder::open(&self.bots)).with_context(shown)? else { return Ok(None) };
        match std::fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => {
                let is_folder = found.with_context(shown)?.is_dir();
                ensure!(is_folder, "{} is not a folder, or is a link, which is not followed; remove it", shown());
            }
        }
        let folder = bots.subfolder(KEPT).with_context(shown)?;
        ensure!(
            folder.is_ours_alone().with_context(shown)?,
            "{} belongs to another user, or others can write to it, so the bots in it may be theirs; remove it",
            shown()
        );
        Ok(Some(folder))
    }

    /// As [`folder`](Self::folder), and creates it first if it is not there.
    fn create(&self) -> anyhow::Result<ResultsFolder> {
        let path = self.bots.join(KEPT);
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(error).with_context(|| format!("creating folder {}", shown(&path.to_string_lossy())))
            }
            _ => self.folder()?.with_context(|| format!("{} was removed", shown(&path.to_string_lossy()))),
        }
    }
}

/// The kept version `found`, which plays because the new version fails.
fn instead(found: FoundBot, KeptBot { name, date, .. }: KeptBot, starts: bool, cause: String) -> FoundBot {
    FoundBot { earlier: Some(EarlierVersion { name, cause, starts, date }), ..found }
}

/// Why the kept version of a bot does not play.
fn not_usable(record: &KeptBot, error: &anyhow::Error) -> String {
    format!("the version of {} cannot be used: {error:#}", day(&record.date))
}

/// Why a kept version does not play for the bot or submission `other`.
fn of_another(record: &KeptBot, other: &str) -> anyhow::Error {
    anyhow!("it is of {}, and this is {other}, which has none yet", record.owner())
}

fn shown_path(folder: &ResultsFolder) -> String {
    shown(&folder.path().to_string_lossy())
}

/// Locks the folder, unless another arena has it.
fn lock(folder: &ResultsFolder) -> anyhow::Result<Option<LockedFile>> {
    let locking = || format!("locking {}", shown_path(folder));
    let file = folder.rewrite(LOCK).with_context(locking)?;
    Ok(LockedFile::lock(file).with_context(locking)?.ok())
}

/// Removes the copies that no record names, and those that were not completed. Only of a locked folder. What cannot be removed
/// stays, and only takes space.
fn remove_unused(folder: &ResultsFolder) {
    let records: Result<Vec<KeptBot>, _> = KeptBot::all(folder).and_then(|all| all.into_iter().collect());
    let is_unused = |name: &OsStr| {
        let name = name.to_str().unwrap_or_default();
        let is_named = |records: &Vec<KeptBot>| records.iter().any(|record| record.fingerprint == name);
        // A record that cannot be read may name any copy.
        name.starts_with(PARTIAL) || is_fingerprint(name) && records.as_ref().is_ok_and(|it| !is_named(it))
    };
    for name in folder.names().into_iter().flatten().filter(|name| is_unused(name)) {
        let _ = remove_folder(&folder.path_of(name), None);
    }
}

#[cfg(test)]
mod tests;
