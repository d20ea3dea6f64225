//! The roster: the bots in a folder, how each is started, and its identity.
//!
//! A bot is an executable file, a manifest `NAME.toml`, or a folder with a `bot.toml`. Everything else is listed as
//! skipped, with the reason, and with the cure if it was meant as a bot. A broken bot is listed with cause and cure.

mod fingerprint;
mod in_process;
mod inspected;
mod kept;
mod layout;
mod links;
mod load;
mod manifest;
mod missing;
mod names;
mod parts;
mod script;
mod settings;
mod skipped;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use arena_bots::strategy::{STRATEGIES, Strategy};
use arena_core::event::{EarlierVersion, MadeOf};
use arena_core::rules::Variant;
use arena_core::suggest::did_you_mean;
use arena_core::tags::Tags;
use arena_core::text::{causes, escaped, shown};
use arena_guard::can_close;
use arena_sys::flags::{BOT, BOTS, BUILTINS};

use crate::player::process::{FileSnapshot, Launch};
use fingerprint::Fingerprint;
pub(crate) use fingerprint::of_files_and_folders;
use inspected::Inspected;
pub(crate) use inspected::{absolute, launch};
pub use kept::KeptVersions;
pub use layout::manifest_of_copy;
pub use layout::{CopyLayout, FILES, INDEX, Item, builtin, check_link, load_copy};
pub(crate) use links::{home, may_lead_to};
use load::load;
pub use load::why_ignored;
pub(crate) use manifest::absolute_paths;
pub(crate) use manifest::{absolute_names, check_env, check_words, line_in, own_files, resolve};
pub use manifest::{parse_toml, read_manifest};
use missing::missing;
use names::{Claim, without_twins};
pub use names::{NameError, parse_named_path};
pub use names::{PLAIN_NAME, is_plain_name};
use parts::BotPart;
pub(crate) use parts::Closing;
pub(crate) use parts::named;
pub(crate) use script::check as check_script;
pub use settings::{RosterSettings, RulesReach, STARTUP_MOST};
use skipped::is_source;
pub use skipped::{SkipReason, Skipped};

/// A bot in the roster.
#[derive(Debug, Clone)]
pub struct FoundBot {
    /// How it is started.
    pub launch: Launch,
    /// Hash of everything that determines how it plays.
    pub fingerprint: String,
    /// Path of its file or manifest; for a built-in strategy without a manifest, its name.
    pub path: PathBuf,
    /// Its own files and folders, which it may read in a sandbox.
    pub own: Vec<PathBuf>,
    /// Folders among its own that it may not read, because they are not part of its fingerprint.
    pub closed: Vec<PathBuf>,
    /// Folders that its manifest excludes: closed as well, except what it names in them.
    excluded: Vec<PathBuf>,
    /// Whether it is a folder with its own manifest, which the user of the arena has not written.
    pub untrusted: bool,
    /// The manifest in the bots folder that grants its permissions: its own, or the one beside its folder.
    pub granted_by: Option<PathBuf>,
    /// Those of its own files and folders that its manifest names by absolute paths.
    pub absolute: Vec<PathBuf>,
    /// Requests that are not granted, of its manifest or for a name, each as a sentence with the cure.
    pub refused: Vec<String>,
    /// Set if it is an earlier version, which plays because the new one fails.
    pub earlier: Option<EarlierVersion>,
    /// What its manifest says about it, for tables.
    pub tags: Tags,
    /// Description of what is started: a command, or the name and options of a built-in strategy.
    pub command: String,
    /// Names of the games it plays, if the manifest lists them; `None` means all.
    games: Option<Vec<String>>,
    claim: Claim,
}

/// The index of an entry that is not a usable bot, among those of its kind.
#[derive(Debug, Clone, Copy)]
enum Unusable {
    Broken(usize),
    Skipped(usize),
}

/// The bots in a folder.
#[derive(Debug, Clone, Default)]
pub struct Roster {
    /// Bots, sorted by name.
    pub bots: Vec<FoundBot>,
    /// Bots that cannot be used: name or path, and the cause with its cure.
    pub broken: Vec<(String, String)>,
    /// Files and folders that are not bots.
    pub skipped: Vec<Skipped>,
}

impl FoundBot {
    /// A bot without special permissions that plays all games.
    fn new(mut launch: Launch, fingerprint: Fingerprint, path: &Path) -> Self {
        launch.files = fingerprint.files.into();
        path.clone_into(&mut launch.path);
        Self {
            command: launch.command_line(),
            launch,
            fingerprint: fingerprint.text,
            path: path.to_owned(),
            own: Vec::new(),
            closed: fingerprint.closed,
            excluded: Vec::new(),
            untrusted: false,
            granted_by: None,
            absolute: Vec::new(),
            refused: Vec::new(),
            earlier: None,
            tags: Tags::default(),
            games: None,
            claim: Claim::File,
        }
    }

    /// A program that is no bot, with its files, to be copied as bots are.
    pub(crate) fn of_program(launch: &Launch, own: &[PathBuf], closed: &[PathBuf], absolute: &[PathBuf]) -> Self {
        let (own, absolute) = (own.to_vec(), absolute.to_vec());
        let path = launch.path.clone();
        let fingerprint = Fingerprint { text: String::new(), files: launch.files.to_vec(), closed: closed.to_vec() };
        Self { own, absolute, ..Self::new(launch.clone(), fingerprint, &path) }
    }

    /// A bot of a tournament that is not there now. It cannot be started.
    #[must_use]
    pub fn absent(name: &str, fingerprint: &str) -> Self {
        let launch = inspected::launch(name.to_owned(), PathBuf::new(), Vec::new(), PathBuf::new());
        let fingerprint = Fingerprint { text: fingerprint.to_owned(), files: Vec::new(), closed: Vec::new() };
        Self::new(launch, fingerprint, Path::new(""))
    }

    /// What its fingerprint was computed from, to be recorded; `None` if it is no process.
    #[must_use]
    pub fn made_of(&self) -> Option<MadeOf> {
        /// A bot with more files is recorded without them.
        const FILES_MAX: usize = 100;
        if !self.has_program() {
            return None;
        }
        let words = settings::identity(&self.launch);
        let permissions = words.iter().filter_map(|word| word.split_once(' '));
        let permissions = permissions.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let hash = |file: &FileSnapshot| {
            let name = parts::named(&self.launch.dir, file.path()).to_string_lossy().into_owned();
            Some((name, file.content.as_ref()?.to_hex()[..16].to_owned()))
        };
        let files = self.launch.files.iter().filter(|_| self.launch.files.len() <= FILES_MAX).filter_map(hash);
        Some(MadeOf { permissions, files: files.collect() })
    }

    /// Its own files, folders and links, without what is closed to it.
    fn parts(&self) -> anyhow::Result<Vec<BotPart>> {
        let closing = Closing::new(can_close(self.launch.sandbox), &self.excluded);
        let parts = if self.untrusted {
            parts::of_folder(&self.launch.dir, closing, &self.own)?
        } else {
            parts::of_paths(&self.launch.dir, &self.own, closing, |_| Ok(()))?
        };
        Ok(parts.read)
    }

    /// Names of the games it plays; `None` if it claims all.
    #[must_use]
    pub fn games(&self) -> Option<Vec<&str>> {
        match &self.games {
            Some(games) => Some(games.iter().map(String::as_str).collect()),
            None => Some(self.launch.protocol.games.to_vec()).filter(|games| !games.is_empty()),
        }
    }

    /// Whether its manifest and its protocol allow it to play this game.
    #[must_use]
    pub fn plays(&self, variant: &Variant) -> bool {
        self.other_games(variant).is_none()
    }

    /// Its name, and why it does not play this game if more is known than that; `None` if it plays it.
    #[must_use]
    pub fn other_games(&self, variant: &Variant) -> Option<String> {
        let name = &self.launch.name;
        let why = self.cannot_play(variant).map(|why| format!("{name}: {why}"));
        why.or_else(|| (self.names(variant) == Some(false)).then(|| name.clone()))
    }

    /// Why its protocol does not let it play this game, if it does not.
    #[must_use]
    pub fn cannot_play(&self, variant: &Variant) -> Option<String> {
        (self.launch.protocol.plays)(variant, self.names(variant) == Some(true)).err()
    }

    /// Whether its manifest names this game, if it names any.
    fn names(&self, variant: &Variant) -> Option<bool> {
        self.games.as_ref().map(|games| games.iter().any(|name| variant.is_called(name)))
    }
}

impl Roster {
    /// Finds the bots in `dir` and adds `extra` bots, given by name and path; `settings` apply to all of them. Uses `dir`
    /// as the bots folder and ignores `settings.bots`.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be read, or an extra bot cannot be used.
    pub fn find(dir: &Path, extra: &[(String, PathBuf)], settings: &RosterSettings) -> anyhow::Result<Self> {
        let settings = &RosterSettings { bots: Some(dir.to_owned()), ..settings.clone() };
        let mut roster = Self::default();
        let entries = std::fs::read_dir(dir)
            .with_context(|| format!("reading the bots folder {}; name another one with {BOTS} DIR", dir.display()))?;
        let mut paths = Vec::new();
        for entry in entries {
            paths.push(entry.with_context(|| format!("reading the bots folder {}", dir.display()))?.path());
        }
        paths.sort();
        for path in paths {
            match load(&path, None, settings) {
                Ok(Inspected::Bot(found)) => roster.bots.push(*found),
                Ok(Inspected::Skip(reason)) => roster.skipped.push(Skipped { path, reason }),
                Err(error) => roster.broken.push((shown(&path.to_string_lossy()), one_line(&error))),
            }
        }
        roster.skip_parts();
        roster.add(extra, settings)?;
        Ok(roster)
    }

    /// Only the `extra` bots of [`find`](Self::find), without a bots folder.
    ///
    /// # Errors
    ///
    /// Returns an error if one of them cannot be used.
    pub fn without_folder(extra: &[(String, PathBuf)], settings: &RosterSettings) -> anyhow::Result<Self> {
        let mut roster = Self::default();
        roster.add(extra, settings)?;
        Ok(roster)
    }

    /// Adds bots that were named, which must work, and makes all names distinct.
    fn add(&mut self, extra: &[(String, PathBuf)], settings: &RosterSettings) -> anyhow::Result<()> {
        for (index, (name, path)) in extra.iter().enumerate() {
            if extra[..index].iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                bail!("{BOT} {name} is given twice (names ignore case); give one of the bots another name");
            }
            let given = || format!("{BOT} {name}={}", shown(&path.to_string_lossy()));
            match load(path, Some(name), settings).with_context(given)? {
                Inspected::Bot(found) => self.bots.push(FoundBot { claim: Claim::Given, ..*found }),
                Inspected::Skip(reason) => bail!("{} is not a bot: {reason}", given()),
            }
        }
        self.bots = without_twins(std::mem::take(&mut self.bots));
        self.bots.sort_by(|a, b| a.launch.name.cmp(&b.launch.name));
        Ok(())
    }

    /// The bot that plays `strategy` with default options, under the name of the strategy.
    ///
    /// # Errors
    ///
    /// Returns an error if `settings` do not name the `arena` binary, which plays it.
    pub fn builtin(strategy: &Strategy, settings: &RosterSettings) -> anyhow::Result<FoundBot> {
        manifest::builtin(strategy, settings)
    }

    /// Adds the built-in strategies for which `plays` holds, except those whose name a bot has, usable or not.
    ///
    /// # Errors
    ///
    /// Returns an error if `settings` do not name the `arena` binary, which plays them.
    pub fn add_builtins(&mut self, settings: &RosterSettings, plays: impl Fn(&FoundBot) -> bool) -> anyhow::Result<()> {
        for strategy in STRATEGIES {
            let has_name = |bot: &FoundBot| bot.launch.name.eq_ignore_ascii_case(strategy.name);
            if self.has(strategy.name) || self.bots.iter().any(has_name) {
                continue;
            }
            let found = Self::builtin(strategy, settings)?;
            if plays(&found) {
                self.bots.push(found);
            }
        }
        self.bots.sort_by(|a, b| a.launch.name.cmp(&b.launch.name));
        Ok(())
    }

    /// Moves the bots whose program, or the file that it is to run, does not exist on this machine to those that cannot be used.
    /// Only for lists: they may be meant for other machines.
    pub fn break_missing(&mut self) {
        for bot in std::mem::take(&mut self.bots) {
            match missing(&bot.launch) {
                Some(why) => self.broken.push((bot.launch.name, why)),
                None => self.bots.push(bot),
            }
        }
    }

    /// The submissions that do not play: the name or path, and the cause with its cure. Bots that cannot be used come
    /// first, then skipped submissions.
    pub fn left_out(&self) -> impl Iterator<Item = (String, String)> {
        let submissions = self.skipped.iter().filter(|skipped| skipped.is_submission());
        let submissions = submissions.map(|it| (shown(&it.path.to_string_lossy()), it.reason.to_string()));
        self.broken.iter().cloned().chain(submissions)
    }

    /// Loads the bot at `path` under the given name.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be used.
    pub fn only(name: &str, path: &Path, settings: &RosterSettings) -> anyhow::Result<FoundBot> {
        let shown_path = || shown(&path.to_string_lossy());
        match load(path, Some(name), settings).with_context(shown_path)? {
            Inspected::Bot(found) => Ok(*found),
            Inspected::Skip(reason) => bail!("{} is not a bot: {reason}", shown_path()),
        }
    }

    /// Returns the bot called `name`, or the only bot with this name without its extension: `mybot` for `mybot.py`.
    ///
    /// # Errors
    ///
    /// Returns an error, with the nearest known name, if there is none.
    pub fn get(&self, name: &str) -> anyhow::Result<&FoundBot> {
        if let Some(found) = self.bots.iter().find(|bot| bot.launch.name == name) {
            return Ok(found);
        }
        let mut called = self.bots.iter().filter(|bot| Path::new(&bot.launch.name).file_stem() == Some(name.as_ref()));
        if let (Some(found), None) = (called.next(), called.next()) {
            return Ok(found);
        }
        if let Some((broken, cause)) = self.broken_as(name) {
            bail!("{broken} cannot be used: {cause}");
        }
        if let Some(skipped) = self.skipped_as(name) {
            bail!("{} is not a bot: {}", shown(&skipped.path.to_string_lossy()), skipped.reason);
        }
        let names = self.bots.iter().map(|bot| bot.launch.name.as_str());
        let hint = did_you_mean(name, names.chain(STRATEGIES.iter().map(|strategy| strategy.name)));
        bail!("no bot named `{}`{hint}; `arena bots {BUILTINS}` lists them all", shown(name))
    }

    /// Whether there is a bot called `name`, usable or not.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.bots.iter().any(|bot| bot.launch.name == name)
            || self.broken_as(name).is_some()
            || self.skipped_as(name).is_some_and(Skipped::is_submission)
    }

    /// The entry at `path`, if it is not a usable bot. A file that was a bot may no longer look like one.
    fn unusable_at(&self, path: &Path) -> Option<Unusable> {
        let listed = shown(&path.to_string_lossy());
        let broken = self.broken.iter().position(|(broken, _)| *broken == listed).map(Unusable::Broken);
        let is_it = |it: &Skipped| it.path == path && !matches!(it.reason, SkipReason::Part(_));
        broken.or_else(|| self.skipped.iter().position(is_it).map(Unusable::Skipped))
    }

    /// The submission that is not a usable bot and is meant by `name`, as it is shown.
    fn unusable_called(&self, name: &str) -> Option<String> {
        let broken = self.broken_as(name).map(|(broken, _)| format!("`{broken}`"));
        let skipped = || self.skipped_as(name).filter(|skipped| skipped.is_submission());
        broken.or_else(|| Some(format!("`{}`", shown(&skipped()?.path.to_string_lossy()))))
    }

    /// Removes such an entry; returns why it cannot be used.
    fn take_unusable(&mut self, entry: Unusable) -> String {
        match entry {
            Unusable::Broken(index) => self.broken.remove(index).1,
            Unusable::Skipped(index) => self.skipped.remove(index).reason.to_string(),
        }
    }

    fn broken_as(&self, name: &str) -> Option<&(String, String)> {
        self.broken.iter().find(|(broken, _)| is_meant(name, broken))
    }

    /// The skipped file or folder that `name` means: preferably one that was meant as a bot.
    fn skipped_as(&self, name: &str) -> Option<&Skipped> {
        let meant = self.skipped.iter().filter(|skipped| is_meant(name, &skipped.path.to_string_lossy()));
        meant.min_by_key(|skipped| !skipped.is_submission())
    }

    /// Skips files that a manifest lists as parts of its bot, and ignores the sources of bots.
    fn skip_parts(&mut self) {
        let owner = |path: &Path, bots: &[FoundBot]| {
            let path = absolute(path).ok()?;
            let has = |bot: &&FoundBot| is_manifest(&bot.path) && bot.own.contains(&path);
            bots.iter().find(has).map(|bot| format!("part of the bot `{}`", bot.launch.name))
        };
        for skipped in &mut self.skipped {
            let source = || source_of(&skipped.path, &self.bots).map(|bot| format!("source of the bot `{bot}`"));
            if let Some(reason) = owner(&skipped.path, &self.bots).or_else(source) {
                skipped.reason = SkipReason::Part(reason);
            }
        }
        let parts = self.bots.iter().map(|bot| owner(&bot.path, &self.bots).filter(|_| !is_manifest(&bot.path)));
        let parts: Vec<Option<String>> = parts.collect();
        for (bot, part) in std::mem::take(&mut self.bots).into_iter().zip(parts) {
            match part {
                Some(reason) => self.skipped.push(Skipped { path: bot.path, reason: SkipReason::Part(reason) }),
                None => self.bots.push(bot),
            }
        }
        self.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    }
}

/// The bot that the source file `path` is probably the source of: one whose file or argument has the same name without
/// extension, such as `mybot` for `mybot.c`.
fn source_of<'a>(path: &Path, bots: &'a [FoundBot]) -> Option<&'a str> {
    let stem = path.file_stem().filter(|_| is_source(path))?;
    let is_of = |bot: &&FoundBot| {
        let words = [bot.path.as_os_str(), bot.launch.program.as_os_str()].into_iter();
        let mut words = words.chain(bot.launch.args.iter().map(OsString::as_os_str));
        !bot.untrusted && words.any(|word| Path::new(word).file_stem() == Some(stem))
    };
    bots.iter().find(is_of).map(|bot| bot.launch.name.as_str())
}

/// Whether `name` refers to the entry `listed`, a name or a path: equal to it, or to its file name with or without
/// extension.
fn is_meant(name: &str, listed: &str) -> bool {
    let path = Path::new(listed);
    listed == name || [path.file_name(), path.file_stem()].contains(&Some(name.as_ref()))
}

/// An error and its causes in one line.
fn one_line(error: &anyhow::Error) -> String {
    escaped(&causes(error.as_ref()).join(": "))
}

fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}
