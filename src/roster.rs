//! The roster: the bots in a folder, how each is started, and its identity.
//!
//! A bot is an executable file, a manifest `NAME.toml`, or a folder with a `bot.toml`. Everything else is listed as
//! skipped, with the reason. A broken bot is listed with the cause and the cure.

mod fingerprint;
mod links;
mod manifest;
mod names;
mod script;
mod settings;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};

use crate::guard::{GuardProgram, Limits, Readable, SandboxMode, is_executable};
use crate::player::process::{Launch, STARTUP_DEFAULT};
use crate::protocol::JSON;
use crate::rules::Variant;
use crate::text::{causes, escaped, shown};
use fingerprint::Fingerprint;
pub use names::parse_named_path;
use names::{Claim, checked_name, without_twins};
use settings::Terms;
pub use settings::{STARTUP_MOST, Settings};

/// A bot in the roster.
#[derive(Debug, Clone)]
pub struct Found {
    /// How it is started.
    pub launch: Launch,
    /// Hash of everything that determines how it plays.
    pub fingerprint: String,
    /// Path of its file or manifest.
    pub path: PathBuf,
    /// Its own files and folders, which it may read in a sandbox.
    pub own: Vec<PathBuf>,
    /// Folders among its own that it may not read, because they are not part of its fingerprint.
    pub closed: Vec<PathBuf>,
    /// Whether it is a folder with its own manifest, which the user of the arena has not written.
    pub untrusted: bool,
    /// Requests of its manifest that are not granted, each as a sentence with the cure.
    pub refused: Vec<String>,
    /// Description of what is started: a command, or the name and options of a built-in strategy.
    pub command: String,
    /// Names of the games it plays, if the manifest lists them; `None` means all.
    games: Option<Vec<String>>,
    claim: Claim,
}

/// A file or folder in a bots folder that is not a bot.
#[derive(Debug, Clone)]
pub struct Skipped {
    /// Its path.
    pub path: PathBuf,
    /// Why it is not a bot.
    pub reason: String,
}

/// The bots in a folder.
#[derive(Debug, Default)]
pub struct Roster {
    /// Bots, sorted by name.
    pub bots: Vec<Found>,
    /// Bots that cannot be used: name or path, and the cause with its cure.
    pub broken: Vec<(String, String)>,
    /// Files and folders that are not bots.
    pub skipped: Vec<Skipped>,
}

impl Found {
    /// A bot that may read no more than any other and plays all games.
    fn new(mut launch: Launch, fingerprint: Fingerprint, path: &Path) -> Self {
        launch.files = fingerprint.files.into();
        Self {
            command: launch.command_line(),
            launch,
            fingerprint: fingerprint.text,
            path: path.to_owned(),
            own: Vec::new(),
            closed: fingerprint.closed,
            untrusted: false,
            refused: Vec::new(),
            games: None,
            claim: Claim::Own,
        }
    }

    /// Whether its manifest allows it to play this game.
    #[must_use]
    pub fn plays(&self, variant: &Variant) -> bool {
        self.games.as_ref().is_none_or(|games| games.iter().any(|name| variant.is_called(name)))
    }
}

impl Roster {
    /// Finds the bots in `dir` and adds `extra` bots, given by name and path; `settings` are for all of them. The bots folder is
    /// `dir`, whatever `settings.bots` is.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be read.
    pub fn find(dir: &Path, extra: &[(String, PathBuf)], settings: &Settings) -> anyhow::Result<Self> {
        let settings = &Settings { bots: Some(dir.to_owned()), ..settings.clone() };
        let mut roster = Self::default();
        let entries = std::fs::read_dir(dir)
            .with_context(|| format!("reading the bots folder {}; name another one with --bots DIR", dir.display()))?;
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
        for (name, path) in extra {
            match Self::only(name, path, settings) {
                Ok(found) => roster.bots.push(Found { claim: Claim::Given, ..found }),
                Err(error) => roster.broken.push((shown(name), one_line(&error))),
            }
        }
        roster.bots = without_twins(std::mem::take(&mut roster.bots), &mut roster.broken);
        roster.bots.sort_by(|a, b| a.launch.name.cmp(&b.launch.name));
        Ok(roster)
    }

    /// Loads the bot at `path` under the given name.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be used.
    pub fn only(name: &str, path: &Path, settings: &Settings) -> anyhow::Result<Found> {
        let shown_path = || shown(&path.to_string_lossy());
        match load(path, Some(name), settings).with_context(shown_path)? {
            Inspected::Bot(found) => Ok(*found),
            Inspected::Skip(reason) => bail!("{} is not a bot: {reason}", shown_path()),
        }
    }

    /// Returns the bot called `name`.
    ///
    /// # Errors
    ///
    /// Returns an error, with the nearest known name, if there is none.
    pub fn get(&self, name: &str) -> anyhow::Result<&Found> {
        if let Some(found) = self.bots.iter().find(|bot| bot.launch.name == name) {
            return Ok(found);
        }
        if let Some((broken, cause)) = self.broken_as(name) {
            bail!("{broken} cannot be used: {cause}");
        }
        if let Some(skipped) = self.skipped_as(name) {
            bail!("{} is not a bot: {}", shown(&skipped.path.to_string_lossy()), skipped.reason);
        }
        let names = self.bots.iter().map(|bot| bot.launch.name.as_str());
        let hint = crate::suggest::did_you_mean(name, names);
        bail!("no bot named `{}`{hint}; `arena bots` lists them all", shown(name))
    }

    /// Whether there is a bot called `name`, usable or not.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.bots.iter().any(|bot| bot.launch.name == name)
            || self.broken_as(name).is_some()
            || self.skipped_as(name).is_some()
    }

    fn broken_as(&self, name: &str) -> Option<&(String, String)> {
        self.broken.iter().find(|(broken, _)| is_meant(name, broken))
    }

    fn skipped_as(&self, name: &str) -> Option<&Skipped> {
        self.skipped.iter().find(|skipped| is_meant(name, &skipped.path.to_string_lossy()))
    }

    /// Skips files that a manifest lists as parts of its bot.
    fn skip_parts(&mut self) {
        let owner = |path: &Path, bots: &[Found]| {
            let path = absolute(path).ok()?;
            let has = |bot: &&Found| is_manifest(&bot.path) && bot.own.contains(&path);
            bots.iter().find(has).map(|bot| format!("part of the bot `{}`", bot.launch.name))
        };
        for skipped in &mut self.skipped {
            if let Some(reason) = owner(&skipped.path, &self.bots) {
                skipped.reason = reason;
            }
        }
        let parts = self.bots.iter().map(|bot| owner(&bot.path, &self.bots).filter(|_| !is_manifest(&bot.path)));
        let parts: Vec<Option<String>> = parts.collect();
        for (bot, part) in std::mem::take(&mut self.bots).into_iter().zip(parts) {
            match part {
                Some(reason) => self.skipped.push(Skipped { path: bot.path, reason }),
                None => self.bots.push(bot),
            }
        }
        self.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    }
}

/// Whether `name` refers to the entry `listed`, a name or a path: equal to it, or to its file name with or without
/// extension.
fn is_meant(name: &str, listed: &str) -> bool {
    let path = Path::new(listed);
    listed == name || [path.file_name(), path.file_stem()].contains(&Some(name.as_ref()))
}

/// An error and its causes in one line.
fn one_line(error: &anyhow::Error) -> String {
    escaped(&causes(error).join(": "))
}

enum Inspected {
    Bot(Box<Found>),
    Skip(String),
}

/// Loads the bot at `path`. Returns an error if it looks like a bot but cannot be used.
fn load(path: &Path, name: Option<&str>, settings: &Settings) -> anyhow::Result<Inspected> {
    let file_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if name.is_none() {
        if file_name.starts_with('.') {
            return Ok(Inspected::Skip("hidden".to_owned()));
        }
        if file_name.to_lowercase().starts_with("readme") {
            return Ok(Inspected::Skip("documentation".to_owned()));
        }
        if file_name == "starters" {
            return Ok(Inspected::Skip("starter bots; copy one to use it".to_owned()));
        }
    }
    // Follow links first: only a regular file or a folder may be opened.
    let meta = match (std::fs::metadata(path), std::fs::read_link(path)) {
        (Ok(meta), _) => meta,
        (Err(error), Ok(target)) => {
            bail!("a broken link to `{}` ({error}); fix or remove it", shown(&target.to_string_lossy()));
        }
        (Err(error), Err(_)) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("there is no such file or folder")
        }
        (Err(error), Err(_)) => return Err(error).context("it cannot be read"),
    };
    if meta.is_dir() {
        if !path.join(links::FOLDER_MANIFEST).is_file() {
            return Ok(Inspected::Skip(
                "a folder without a bot.toml; add one with a `command` to make it a bot".to_owned(),
            ));
        }
        let found = manifest::load_folder(path, name, &file_name, settings)?;
        return Ok(Inspected::Bot(Box::new(found)));
    }
    if !meta.is_file() {
        return Ok(Inspected::Skip("neither a file nor a folder".to_owned()));
    }
    if file_name == links::FOLDER_MANIFEST {
        // A folder's manifest stands for the folder.
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let found = manifest::load_folder(dir, name, "bot", settings)?;
        return Ok(Inspected::Bot(Box::new(found)));
    }
    if let Some(stem) = file_name.strip_suffix(".toml") {
        return manifest::load_file(path, name, stem, settings);
    }
    if !is_executable(&meta) {
        return Ok(Inspected::Skip("not executable; use chmod +x to make it a bot".to_owned()));
    }
    let name = checked_name(name.unwrap_or(&file_name))?;
    script::check(path)?;
    let program = absolute(path)?;
    let mut launch = launch(name, program, Vec::new(), absolute(path.parent().unwrap_or(Path::new(".")))?);
    settings.settle(&mut launch, &Terms::default(), &Terms::default());
    let allowed = settings::identity(&launch);
    let fingerprint = fingerprint::of_file(&allowed.each_ref().map(String::as_str), &launch.program)?;
    let own = vec![launch.program.clone()];
    Ok(Inspected::Bot(Box::new(Found { own, ..Found::new(launch, fingerprint, path) })))
}

fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

fn launch(name: String, program: PathBuf, args: Vec<std::ffi::OsString>, dir: PathBuf) -> Launch {
    // Replaced when the bot is started.
    let scratch = std::env::temp_dir();
    Launch {
        name,
        program,
        args,
        dir,
        env: Vec::new(),
        scratch,
        guard: GuardProgram::default(),
        startup: STARTUP_DEFAULT,
        fresh: false,
        limits: Limits::default(),
        sandbox: SandboxMode::default(),
        readable: Readable::default(),
        listable: Vec::new(),
        files: Arc::default(),
        protocol: &JSON,
        options: Vec::new(),
        freeze_idle: false,
        count_all: false,
    }
}

fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    std::path::absolute(path).with_context(|| format!("finding {}", path.display()))
}
