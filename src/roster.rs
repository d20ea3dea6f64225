//! The roster: which bots are in a folder, how each is started, and what its identity is.
//!
//! A bot is an executable file, a manifest `NAME.toml`, or a folder with a `bot.toml`. Whatever is passed over is
//! listed with the reason, also what is part of another bot; whatever looks like a bot and is broken is listed with the
//! cure.

mod fingerprint;
mod links;
mod manifest;
mod names;
mod script;
mod settings;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};

use crate::guard::{Limits, Readable, SandboxMode, is_executable};
use crate::player::process::{Launch, STARTUP_DEFAULT};
use crate::protocol::JSON;
use crate::rules::Variant;
use crate::text::{causes, escaped, shown};
pub use names::parse_named_path;
use names::{Claim, checked_name, without_twins};
pub(crate) use names::{PLAIN_NAME, is_plain_name};
use settings::Terms;
pub use settings::{STARTUP_MOST, Settings};

/// A bot that was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// How it is started.
    pub launch: Launch,
    /// Hash of everything that makes it play as it does.
    pub fingerprint: String,
    /// Where it was found.
    pub path: PathBuf,
    /// Its own files and folders, which it may read in a sandbox.
    pub own: Vec<PathBuf>,
    /// Folders among its own that stay closed to it, since they do not count for its fingerprint.
    pub closed: Vec<PathBuf>,
    /// It is a folder that brings its manifest along, so that whoever runs the arena has not written that.
    pub stranger: bool,
    /// What its manifest asks for and it does not get, each a sentence with the cure.
    pub refused: Vec<String>,
    /// What is started, for people: a command, or the name and options of a built-in strategy.
    pub command: String,
    /// Names of the games it plays, as far as the manifest tells; `None` means all.
    games: Option<Vec<String>>,
    claim: Claim,
}

/// Something in a bots folder that is not a bot.
#[derive(Debug, Clone)]
pub struct PassedOver {
    /// Where it is.
    pub path: PathBuf,
    /// Why it is no bot.
    pub reason: String,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Roster {
    /// Bots, sorted by name.
    pub bots: Vec<Found>,
    /// Things that look like bots and cannot be used: name or path, and the cause with its cure.
    pub broken: Vec<(String, String)>,
    /// Things that are no bots.
    pub passed_over: Vec<PassedOver>,
}

impl Found {
    /// Whether its manifest lets it play this game.
    #[must_use]
    pub fn plays(&self, variant: &Variant) -> bool {
        self.games.as_ref().is_none_or(|games| games.iter().any(|name| variant.is_called(name)))
    }
}

impl Roster {
    /// Looks through `dir` and adds `extra` bots, given as name and path, with default settings.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be read.
    pub fn find(dir: &Path, extra: &[(String, PathBuf)]) -> anyhow::Result<Self> {
        Self::find_with(dir, extra, &Settings::default())
    }

    /// As [`Roster::find`], with `settings` that hold for all bots. The bots folder is `dir`, whatever these say.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be read.
    pub fn find_with(dir: &Path, extra: &[(String, PathBuf)], settings: &Settings) -> anyhow::Result<Self> {
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
            roster.look_at(&path, settings);
        }
        roster.pass_over_parts();
        for (name, path) in extra {
            match Self::only_with(name, path, settings) {
                Ok(found) => roster.bots.push(Found { claim: Claim::Given, ..found }),
                Err(error) => roster.broken.push((shown(name), one_line(&error))),
            }
        }
        roster.bots = without_twins(std::mem::take(&mut roster.bots), &mut roster.broken);
        roster.bots.sort_by(|a, b| a.launch.name.cmp(&b.launch.name));
        Ok(roster)
    }

    /// The one bot at `path`, under the name given, with default settings.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be used.
    pub fn only(name: &str, path: &Path) -> anyhow::Result<Found> {
        Self::only_with(name, path, &Settings::default())
    }

    /// As [`Roster::only`], with `settings` that hold for all bots.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be used.
    pub fn only_with(name: &str, path: &Path, settings: &Settings) -> anyhow::Result<Found> {
        let shown_path = || shown(&path.to_string_lossy());
        match load(path, Some(name), settings).with_context(shown_path)? {
            Looked::Bot(found) => Ok(*found),
            Looked::No(reason) => bail!("{} is not a bot: {reason}", shown_path()),
        }
    }

    /// The bot called `name`.
    ///
    /// # Errors
    ///
    /// Returns an error with the nearest name if there is none.
    pub fn get(&self, name: &str) -> anyhow::Result<&Found> {
        if let Some(found) = self.bots.iter().find(|bot| bot.launch.name == name) {
            return Ok(found);
        }
        if let Some((broken, cause)) = self.broken_as(name) {
            bail!("{broken} cannot be used: {cause}");
        }
        if let Some(passed) = self.passed_over_as(name) {
            bail!("{} is not a bot: {}", shown(&passed.path.to_string_lossy()), passed.reason);
        }
        let names = self.bots.iter().map(|bot| bot.launch.name.as_str());
        let hint = crate::suggest::did_you_mean(name, names);
        bail!("no bot named `{}`{hint}; `arena bots` lists them all", shown(name))
    }

    /// Whether there is a bot called `name`, or something that may be it once it is mended.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.bots.iter().any(|bot| bot.launch.name == name)
            || self.broken_as(name).is_some()
            || self.passed_over_as(name).is_some()
    }

    fn broken_as(&self, name: &str) -> Option<&(String, String)> {
        self.broken.iter().find(|(broken, _)| is_meant(name, broken))
    }

    fn passed_over_as(&self, name: &str) -> Option<&PassedOver> {
        self.passed_over.iter().find(|passed| is_meant(name, &passed.path.to_string_lossy()))
    }

    fn look_at(&mut self, path: &Path, settings: &Settings) {
        match load(path, None, settings) {
            Ok(Looked::Bot(found)) => self.bots.push(*found),
            Ok(Looked::No(reason)) => self.passed_over.push(PassedOver { path: path.to_owned(), reason }),
            Err(error) => self.broken.push((shown(&path.to_string_lossy()), one_line(&error))),
        }
    }

    /// What a manifest names as its own is part of that bot, and no bot beside it.
    fn pass_over_parts(&mut self) {
        let owner = |path: &Path, bots: &[Found]| {
            let path = absolute(path).ok()?;
            let has = |bot: &&Found| is_manifest(&bot.path) && bot.own.contains(&path);
            bots.iter().find(has).map(|bot| format!("part of the bot `{}`", bot.launch.name))
        };
        for passed in &mut self.passed_over {
            if let Some(reason) = owner(&passed.path, &self.bots) {
                passed.reason = reason;
            }
        }
        let parts = self.bots.iter().map(|bot| owner(&bot.path, &self.bots).filter(|_| !is_manifest(&bot.path)));
        let parts: Vec<Option<String>> = parts.collect();
        for (bot, part) in std::mem::take(&mut self.bots).into_iter().zip(parts) {
            match part {
                Some(reason) => self.passed_over.push(PassedOver { path: bot.path, reason }),
                None => self.bots.push(bot),
            }
        }
        self.passed_over.sort_by(|a, b| a.path.cmp(&b.path));
    }
}

/// Whether `name` is what is listed as `listed`, a name or a path, or the name of that file, with its ending or without.
fn is_meant(name: &str, listed: &str) -> bool {
    let path = Path::new(listed);
    listed == name || [path.file_name(), path.file_stem()].contains(&Some(name.as_ref()))
}

/// An error and its causes, fit for a list.
fn one_line(error: &anyhow::Error) -> String {
    escaped(&causes(error).join(": "))
}

enum Looked {
    Bot(Box<Found>),
    No(String),
}

/// Finds out what `path` is. Errors are for things that are meant as bots and cannot be used.
fn load(path: &Path, name: Option<&str>, settings: &Settings) -> anyhow::Result<Looked> {
    let file_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if name.is_none() {
        if file_name.starts_with('.') {
            return Ok(Looked::No("hidden".to_owned()));
        }
        if file_name.to_lowercase().starts_with("readme") {
            return Ok(Looked::No("something to read".to_owned()));
        }
        if file_name == "starters" {
            return Ok(Looked::No("bots to begin from, not to play".to_owned()));
        }
    }
    // Follows links; what is at the end must be a regular file or a folder, and only then is it opened.
    let meta = match (std::fs::metadata(path), std::fs::read_link(path)) {
        (Ok(meta), _) => meta,
        (Err(error), Ok(target)) => {
            bail!("a link to `{}`, which leads nowhere ({error}); mend or remove it", shown(&target.to_string_lossy()));
        }
        (Err(error), Err(_)) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("there is no such file or folder")
        }
        (Err(error), Err(_)) => return Err(error).context("it cannot be looked at"),
    };
    if meta.is_dir() {
        if !path.join(manifest::FOLDER_MANIFEST).is_file() {
            return Ok(Looked::No(
                "a folder without a bot.toml (one that names its `command` makes it a bot)".to_owned(),
            ));
        }
        let found = manifest::load_folder(path, name, &file_name, settings)?;
        return Ok(Looked::Bot(Box::new(found)));
    }
    if !meta.is_file() {
        return Ok(Looked::No("neither a file nor a folder".to_owned()));
    }
    if file_name == manifest::FOLDER_MANIFEST {
        // Whoever names the manifest means its folder.
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let found = manifest::load_folder(dir, name, "bot", settings)?;
        return Ok(Looked::Bot(Box::new(found)));
    }
    if let Some(stem) = file_name.strip_suffix(".toml") {
        return manifest::load_file(path, name, stem, settings);
    }
    if !is_executable(&meta) {
        return Ok(Looked::No("not executable (chmod +x makes it a bot)".to_owned()));
    }
    let name = checked_name(name.unwrap_or(&file_name))?;
    script::check(path)?;
    let program = absolute(path)?;
    let mut launch = launch(name, program, Vec::new(), absolute(path.parent().unwrap_or(Path::new(".")))?);
    settings.settle(&mut launch, &Terms::default(), &Terms::default());
    let allowed = settings::identity(&launch);
    let fingerprint = fingerprint::of_file(&allowed.each_ref().map(String::as_str), &launch.program)?;
    launch.originals = fingerprint.originals.into();
    Ok(Looked::Bot(Box::new(Found {
        command: launch.command_line(),
        own: vec![launch.program.clone()],
        closed: Vec::new(),
        launch,
        fingerprint: fingerprint.text,
        path: path.to_owned(),
        stranger: false,
        refused: Vec::new(),
        games: None,
        claim: Claim::Own,
    })))
}

fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

fn launch(name: String, program: PathBuf, args: Vec<std::ffi::OsString>, dir: PathBuf) -> Launch {
    // For whoever starts the bot to settle.
    let scratch = std::env::temp_dir();
    Launch {
        name,
        program,
        args,
        dir,
        env: Vec::new(),
        scratch,
        startup: STARTUP_DEFAULT,
        fresh: false,
        limits: Limits::default(),
        sandbox: SandboxMode::default(),
        readable: Readable::default(),
        listable: Vec::new(),
        originals: Arc::default(),
        protocol: &JSON,
        options: Vec::new(),
        freeze_idle: false,
        count_all: false,
    }
}

fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    std::path::absolute(path).with_context(|| format!("finding {}", path.display()))
}
