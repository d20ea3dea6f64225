//! Manifests: bots described in TOML.

mod written;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use arena_bots::strategy::Strategy;
use arena_core::rules::Variant;
use arena_core::speech::{DialectOptions, OptionValue};
use arena_core::text::{counted, shown};
use arena_guard::can_close;
use arena_wire::protocol::{JSON, Protocol, protocol_named};
use toml::Spanned;

use super::inspected::{Inspected, absolute, launch};
use super::links::{self, FOLDER_MANIFEST, OUTSIDE};
use super::names::{Claim, checked_name};
use super::parts::Closing;
use super::settings::{self, ManifestOrigin, PermissionTerms, RosterSettings};
use super::skipped::is_unstartable_agent;
use super::{FoundBot, SkipReason, fingerprint, script};
use crate::player::engine::EnginePlayer;
use crate::player::in_process::PlayerFactory;
use crate::player::process::Launch;
use written::WrittenManifest;
pub(crate) use written::{absolute_names, absolute_paths, line_in};
pub use written::{parse_toml, read_manifest};

/// Loads the manifest `path`, which is not a [`FOLDER_MANIFEST`]. A manifest in the bots
/// folder is trusted; any other one is not.
pub(super) fn load_file(
    path: &Path,
    given_name: Option<&str>,
    stem: &str,
    settings: &RosterSettings,
) -> anyhow::Result<Inspected> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let written = WrittenManifest::read(path)?;
    let is_ours = is_bots(dir, settings);
    if written.starts_nothing() && is_ours && dir.join(stem).join(FOLDER_MANIFEST).is_file() {
        written.grants()?;
        written.tags()?;
        let why = format!("limits of the bot folder `{}`, which are in force", shown(stem));
        return Ok(Inspected::Skip(SkipReason::Part(why)));
    }
    let terms = written.terms()?;
    let nothing = PermissionTerms::default();
    let (granted, asked) = if is_ours { (&terms, &nothing) } else { (&nothing, &terms) };
    let allowed = |launch: &mut Launch| {
        settings.settle(launch, granted, asked);
        RosterSettings::refused(launch, asked, ManifestOrigin::File(path))
    };
    let found = build(given_name, stem, &written, path, dir, settings, &allowed)?;
    Ok(Inspected::Bot(Box::new(FoundBot { granted_by: is_ours.then(|| path.to_owned()), ..found })))
}

/// Loads the manifest of the bot that is the folder `dir`. It is untrusted; a manifest beside it in the bots folder can
/// grant more.
pub(super) fn load_folder(
    dir: &Path,
    given_name: Option<&str>,
    own_name: &str,
    settings: &RosterSettings,
) -> anyhow::Result<FoundBot> {
    let path = dir.join(FOLDER_MANIFEST);
    let written = WrittenManifest::read(&links::real_manifest(&path, dir)?)?;
    let asked = written.terms()?;
    let file = grant_file(dir, settings);
    let granted = match file.as_deref().filter(|file| file.is_file()) {
        None => None,
        Some(file) => {
            let grants = || -> anyhow::Result<_> {
                let beside = WrittenManifest::read(file)?;
                // Otherwise it is a bot of that name.
                if beside.starts_nothing() { Ok(Some((beside.grants()?, beside.tags()?))) } else { Ok(None) }
            };
            grants().with_context(|| format!("permissions in {}", shown(&file.to_string_lossy())))?
        }
    };
    let granted_by = file.clone().filter(|_| granted.is_some());
    let (granted, tags) = granted.unwrap_or_default();
    let allowed = |launch: &mut Launch| {
        settings.settle(launch, &granted, &asked);
        RosterSettings::refused(launch, &asked, ManifestOrigin::Folder(file.as_deref()))
    };
    let found = build(given_name, own_name, &written, &path, dir, settings, &allowed)?;
    Ok(FoundBot { granted_by, tags: found.tags.with(tags), ..found })
}

/// The bot that plays `strategy` with default options. It has no file: its path is the name of the strategy.
pub(super) fn builtin(strategy: &Strategy, settings: &RosterSettings) -> anyhow::Result<FoundBot> {
    let written = WrittenManifest::parse(format!("builtin = {:?}", strategy.name))?;
    let allowed = |launch: &mut Launch| {
        settings.settle(launch, &PermissionTerms::default(), &PermissionTerms::default());
        Vec::new()
    };
    build(None, strategy.name, &written, Path::new(strategy.name), Path::new("/"), settings, &allowed)
}

/// The file that can grant permissions to the bot folder `dir`: beside it, if that is the bots folder.
fn grant_file(dir: &Path, settings: &RosterSettings) -> Option<PathBuf> {
    let (parent, name) = (dir.parent()?, dir.file_name()?);
    is_bots(parent, settings).then(|| parent.join(format!("{}.toml", name.to_string_lossy())))
}

/// Whether `dir` is the bots folder.
fn is_bots(dir: &Path, settings: &RosterSettings) -> bool {
    let real = |dir: &Path| if dir.as_os_str().is_empty() { Path::new(".") } else { dir }.canonicalize().ok();
    settings.bots.as_deref().and_then(real).is_some_and(|bots| real(dir) == Some(bots))
}

/// A bot under construction from its manifest.
struct Draft<'a> {
    written: &'a WrittenManifest,
    path: &'a Path,
    dir: PathBuf,
    name: String,
    protocol: &'static Protocol,
    /// Whether the bot is all of `dir`.
    whole_folder: bool,
    allowed: Allowed<'a>,
}

/// Sets a bot's permissions, and returns the requests that are not granted.
type Allowed<'a> = &'a dyn Fn(&mut Launch) -> Vec<String>;

/// Builds the bot of a manifest. Its name is `given_name`, else the manifest's, else `own_name`.
fn build(
    given_name: Option<&str>,
    own_name: &str,
    written: &WrittenManifest,
    path: &Path,
    dir: &Path,
    settings: &RosterSettings,
    allowed: Allowed<'_>,
) -> anyhow::Result<FoundBot> {
    let manifest = &written.manifest;
    let name = checked_name(given_name.or(manifest.name.as_deref()).unwrap_or(own_name))?;
    let untrusted = path.file_name().is_some_and(|file| file == FOLDER_MANIFEST);
    let claim = match untrusted {
        true if name.eq_ignore_ascii_case(own_name) => Claim::Folder,
        true => Claim::UntrustedManifest,
        false if manifest.name.is_some() => Claim::Manifest,
        false => Claim::File,
    };
    if manifest.games.as_ref().is_some_and(Vec::is_empty) {
        bail!("`games` is empty; remove it to play all games")
    }
    let protocol = match &manifest.protocol {
        None => &JSON,
        Some(name) => protocol_named(name.get_ref()).map_err(anyhow::Error::msg).with_context(|| written.line(name))?,
    };
    for game in manifest.games.iter().flatten() {
        Variant::check_name(game.get_ref()).with_context(|| written.line(game))?;
        can_play(protocol, game.get_ref()).with_context(|| written.line(game))?;
    }
    let draft = Draft { written, path, dir: absolute(dir)?, name, protocol, whole_folder: untrusted, allowed };
    let mut found = match (&manifest.command, &manifest.builtin) {
        (Some(words), None) => draft.of_command(words)?,
        (None, Some(builtin)) => draft.of_builtin(builtin, settings.builtins_in_process)?,
        (Some(_), Some(builtin)) => {
            bail!("{}: `command` and `builtin` exclude each other; remove one", written.line(builtin))
        }
        (None, None) => bail!("it needs `command = [\"program\", \"argument\"]` or `builtin = \"strategy\"`"),
    };
    // Python, for example, searches for modules among the files in its folder.
    if !manifest.files.is_empty() {
        found.launch.listable.push(draft.dir);
    }
    let is_above_closed = |own: &&PathBuf| found.closed.iter().any(|closed| closed.starts_with(own));
    found.launch.listable.extend(found.own.iter().filter(is_above_closed).cloned());
    let named = manifest.games.as_ref().map(|named| named.iter().map(|game| game.get_ref().clone()).collect());
    Ok(FoundBot { games: named.or(found.games), untrusted, claim, tags: written.tags()?, ..found })
}

impl Draft<'_> {
    fn of_command(&self, words: &Spanned<Vec<String>>) -> anyhow::Result<FoundBot> {
        let manifest = &self.written.manifest;
        let here = || self.written.line(words);
        let protocol = self.protocol;
        let options = self.dialect_options()?;
        check_words("command", "words", words.get_ref()).with_context(here)?;
        let (program, args) = resolve(words.get_ref(), &self.dir)?;
        if protocol.shim.is_some() {
            let [file] = args.as_slice() else {
                let (bot, got) = (protocol.words.bot, counted(1 + args.len(), "word"));
                bail!("{}: {bot} is `[interpreter, file]`; got {got}", here());
            };
            if !self.dir.join(file).is_file() {
                bail!("{}: there is no file {} in its folder", here(), shown(&file.to_string_lossy()));
            }
        }
        if self.whole_folder {
            links::check_command(words.get_ref(), &program, &self.dir).with_context(here)?;
        }
        if program.starts_with(&self.dir) {
            script::check(&program)?;
        }
        let further = self.further_files()?;
        check_env(&manifest.env, &|name| self.written.line(name))?;
        let (mut launch, mut refused) = self.launch(program, args);
        launch.protocol = protocol;
        if protocol.shim.is_none()
            && let Some(file) = launch.args.iter().find(|file| is_unstartable_agent(&self.dir.join(file)))
        {
            let file = shown(&file.to_string_lossy());
            refused.push(format!(
                "its file {file} looks like a Kaggle agent; if it is one, add protocol = \"kaggle\" to its manifest"
            ));
        }
        launch.build.clone_from(&manifest.build);
        launch.options = options;
        // Before the shim: people are shown their own words.
        let command = launch.command_line();
        launch.args.splice(..0, protocol.shim.into_iter().flat_map(|shim| ["-c".into(), shim.into()]));
        let excluded = self.excluded()?;
        let closing = Closing::new(can_close(launch.sandbox), &excluded);
        let allowed = settings::identity(&launch);
        let mut words: Vec<&str> = allowed.iter().map(String::as_str).collect();
        let mut own = own_files(&launch.program, &launch.args, &self.dir);
        own.extend(further);
        let (fingerprint, own) = if self.whole_folder {
            // What it names is its own even in a folder that is closed; all else, and the manifest, are the folder's files.
            own.retain(|path| excluded.iter().any(|excluded| path.starts_with(excluded)));
            let fingerprint = fingerprint::of_folder(&words, &self.dir, closing, &own)?;
            own.insert(0, self.dir.clone());
            (fingerprint, own)
        } else {
            let canonical = self.written.canonical(&self.dir)?;
            words.push(&canonical);
            (fingerprint::of_files_and_folders(&words, &self.dir, &own, closing, |_| Ok(()))?, own)
        };
        let absolute = absolute_paths(manifest.command.as_ref(), &manifest.files, &self.dir);
        Ok(FoundBot { own, excluded, absolute, refused, command, ..FoundBot::new(launch, fingerprint, self.path) })
    }

    fn of_builtin(&self, builtin: &Spanned<String>, is_in_process: bool) -> anyhow::Result<FoundBot> {
        let manifest = &self.written.manifest;
        let of_commands = [
            ("files", manifest.files.first()),
            ("exclude", manifest.exclude.first()),
            ("env", manifest.env.keys().next()),
            ("protocol", manifest.protocol.as_ref()),
        ];
        if let Some((what, Some(at))) = of_commands.into_iter().find(|(_, set)| set.is_some()) {
            bail!("{}: `{what}` only applies to a `command`; remove it", self.written.line(at));
        }
        let strategy = Strategy::named(builtin.get_ref()).with_context(|| self.written.line(builtin))?;
        let mut given = serde_json::Map::new();
        for (option, value) in &manifest.options {
            given.insert(option.get_ref().clone(), serde_json::to_value(value).context("reading `options`")?);
            // Check options one at a time, so that an error has a line.
            strategy.options_from_json(&given).with_context(|| self.written.line(option))?;
        }
        let options = strategy.options_from_json(&given)?;
        // All options are explicit, so that a changed default is a new identity.
        let mut words = vec![strategy.name.to_owned()];
        words.extend(options.iter().map(|(name, value)| format!("{name}={value}")));
        let args = ["bot".to_owned()].into_iter().chain(words.iter().cloned()).map(OsString::from).collect();
        let command = format!("builtin {}", words.join(" "));
        let (mut launch, refused) = self.launch(PathBuf::new(), args);
        launch.program = launch.guard.arena_file().context("the `arena` binary, which plays it, is not named")?;
        let (version, allowed) = (strategy.version.to_string(), settings::identity(&launch));
        let identity = ["builtin", &version].into_iter();
        let identity: Vec<&str> = identity.chain(words.iter().chain(&allowed).map(String::as_str)).collect();
        let fingerprint = fingerprint::of_words(&identity, &launch.program)?;
        if is_in_process {
            let player = move || Box::new(EnginePlayer::new(strategy, options.clone())) as Box<_>;
            launch.in_process = Some(PlayerFactory::new(player));
        }
        let games = Variant::names()
            .filter(|name| Variant::named(name).is_ok_and(|variant| (strategy.plays)(&variant)))
            .map(str::to_owned)
            .collect();
        Ok(FoundBot { refused, command, games: Some(games), ..FoundBot::new(launch, fingerprint, self.path) })
    }

    /// The options of its protocol.
    fn dialect_options(&self) -> anyhow::Result<DialectOptions> {
        let given = &self.written.manifest.options;
        let mut options = DialectOptions::new();
        for (name, value) in given {
            let value = match value {
                toml::Value::Boolean(value) => Some(OptionValue::Bool(*value)),
                toml::Value::Integer(value) => Some(OptionValue::Integer(*value)),
                toml::Value::String(text) => OptionValue::text(text),
                _ => None,
            };
            let value = value.with_context(|| {
                let (line, bytes) = (self.written.line(name), OptionValue::BYTES_MAX);
                let name = shown(name.get_ref());
                format!("{line}: `{name}` is an integer, a boolean or a string of printable ASCII up to {bytes} bytes")
            })?;
            options.insert(name.get_ref().clone(), value);
        }
        (self.protocol.check_options)(&options).map_err(|(name, why)| {
            let at = given.keys().find(|given| *given.get_ref() == name);
            anyhow!("{}: {}", at.map_or_else(String::new, |at| self.written.line(at)), shown(&why))
        })?;
        Ok(options)
    }

    /// The files and folders in `files`. An untrusted bot may only name paths inside its folder, also after following
    /// links; a manifest in the bots folder may name any.
    fn further_files(&self) -> anyhow::Result<Vec<PathBuf>> {
        let home = links::home(&self.dir)?;
        let inside = |name: &Spanned<String>| {
            let path = self.dir.join(name.get_ref());
            let shown = shown(name.get_ref());
            let real =
                path.canonicalize().with_context(|| format!("`files` names `{shown}`, which cannot be found"))?;
            // Opening anything else might block forever.
            if !real.is_file() && !real.is_dir() {
                bail!("`files` names `{shown}`, which is neither a file nor a folder; remove it");
            }
            if self.whole_folder && !real.starts_with(&home) {
                bail!("`files` names `{shown}`, {OUTSIDE}");
            }
            Ok(path)
        };
        let files = self.written.manifest.files.iter();
        files.map(|name| inside(name).with_context(|| self.written.line(name))).collect()
    }

    /// The folders in `exclude`, which need not be there yet.
    fn excluded(&self) -> anyhow::Result<Vec<PathBuf>> {
        let excluded = |name: &Spanned<String>| {
            let (path, shown) = (Path::new(name.get_ref()), shown(name.get_ref()));
            if path.as_os_str().is_empty() || !path.components().all(|part| matches!(part, Component::Normal(_))) {
                bail!("`exclude` names `{shown}`; write the path of a folder from that of the manifest, without `..`");
            }
            let inside: PathBuf = self.dir.join(path.components().collect::<PathBuf>());
            let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_symlink());
            if inside.ancestors().take_while(|above| *above != self.dir).any(is_link) {
                bail!("`exclude` names `{shown}`, which is or leads through a link; name the folder itself");
            }
            if inside.exists() && !inside.is_dir() {
                bail!("`exclude` names `{shown}`, which is no folder; name the folder that it is in");
            }
            Ok(inside)
        };
        let exclude = self.written.manifest.exclude.iter();
        exclude.map(|name| excluded(name).with_context(|| self.written.line(name))).collect()
    }

    /// Applies the rest of the manifest and the permissions; also returns the requests that are not granted.
    fn launch(&self, program: PathBuf, args: Vec<OsString>) -> (Launch, Vec<String>) {
        let manifest = &self.written.manifest;
        let mut launch = launch(self.name.clone(), program, args, self.dir.clone());
        launch.env = manifest.env.iter().map(|(name, value)| (name.get_ref().clone(), value.clone())).collect();
        launch.fresh = manifest.fresh.unwrap_or(!self.protocol.is_greeted);
        let refused = (self.allowed)(&mut launch);
        (launch, refused)
    }
}

/// Fails if bots of this protocol play no variant of that name.
fn can_play(protocol: &Protocol, game: &str) -> anyhow::Result<()> {
    let variants = Variant::names().filter_map(|name| Variant::named(name).ok());
    let tried = variants.filter(|variant| variant.is_called(game)).map(|variant| (protocol.plays)(&variant, true));
    tried.reduce(Result::or).unwrap_or(Ok(())).map_err(|why| anyhow!("`games` names {}: {why}", shown(game)))
}

/// Rejects variables of the environment that no process can have; `line` says where a name is.
pub(crate) fn check_env(
    env: &BTreeMap<Spanned<String>, String>,
    line: &dyn Fn(&Spanned<String>) -> String,
) -> anyhow::Result<()> {
    if let Some(first) = env.keys().min_by_key(|name| name.span().start) {
        let words = env.iter().flat_map(|(name, value)| [name.get_ref(), value]);
        check_words("env", "names and values", words).with_context(|| line(first))?;
    }
    for (name, value) in env {
        let name = name.get_ref();
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            bail!("`env` cannot set `{}`: names cannot contain `=`, and neither names nor values NUL", shown(name));
        }
    }
    Ok(())
}

/// Rejects more words than any program needs, because all of them are sent to the bot's guard at every start.
pub(crate) fn check_words<'a>(of: &str, what: &str, words: impl IntoIterator<Item = &'a String>) -> anyhow::Result<()> {
    const WORDS_MAX: usize = 1_000;
    /// The longest argument that Linux accepts.
    const BYTES_MAX: usize = 128 << 10;
    let (count, bytes) = words.into_iter().fold((0, 0), |(count, bytes), word| (count + 1, bytes + word.len()));
    if count > WORDS_MAX || bytes > BYTES_MAX {
        bail!(
            "`{of}` has {count} {what} of {bytes} bytes; at most {WORDS_MAX} of {BYTES_MAX} are allowed; put the \
             rest into a file"
        );
    }
    Ok(())
}

/// The program and its arguments. A program that exists in the bot's folder takes precedence; any other name without a
/// slash is searched in `PATH`.
pub(crate) fn resolve(words: &[String], dir: &Path) -> anyhow::Result<(PathBuf, Vec<OsString>)> {
    let Some((program, args)) = words.split_first().filter(|(program, _)| !program.is_empty()) else {
        bail!("`command` names no program; write for example command = [\"python3\", \"bot.py\"]")
    };
    if words.iter().any(|word| word.contains('\0')) {
        bail!("`command` contains a NUL character; remove it")
    }
    let local = dir.join(program);
    let program = if program.contains('/') || local.is_file() { absolute(&local)? } else { PathBuf::from(program) };
    Ok((program, args.iter().map(OsString::from).collect()))
}

/// The files of a command that belong to the bot: its program, and arguments that are files in its folder.
pub(crate) fn own_files(program: &Path, args: &[OsString], dir: &Path) -> Vec<PathBuf> {
    let candidates = std::iter::once(program.to_owned()).chain(args.iter().map(|arg| dir.join(arg)));
    candidates.filter(|path| path.starts_with(dir) && path.is_file()).collect()
}
