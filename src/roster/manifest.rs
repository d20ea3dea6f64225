//! Manifests: bots described in TOML.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{Claim, Found, absolute, checked_name, fingerprint, launch, script};
use crate::guard::{Limits, SandboxMode, is_installed, open_foreign};
use crate::rules::Variant;
use crate::strategy::Strategy;
use crate::text::{in_plain_words, shown, utf8};

/// Nobody waits longer for a `hello`: the first game waits for the check of all bots.
const STARTUP_MS_MAX: u64 = 600_000;

/// The manifest that makes its whole folder a bot.
pub(super) const FOLDER_MANIFEST: &str = "bot.toml";

/// The file, as written by the author of a bot.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    /// Name in the tournament; the file's or folder's name otherwise. Not part of the fingerprint.
    #[serde(skip_serializing)]
    name: Option<String>,
    /// Program and arguments; paths are relative to the bot's folder.
    command: Option<Spanned<Vec<String>>>,
    /// Name of a strategy that ships in the arena.
    builtin: Option<Spanned<String>>,
    /// Options of that strategy.
    #[serde(default)]
    options: BTreeMap<Spanned<String>, toml::Value>,
    /// Added to the environment.
    #[serde(default)]
    env: BTreeMap<Spanned<String>, String>,
    /// Names of the games it plays; all if absent.
    games: Option<Vec<Spanned<String>>>,
    /// Whether every game gets a new process.
    #[serde(default)]
    fresh: bool,
    /// Time from its start to its `hello`.
    startup_ms: Option<Spanned<u64>>,
    /// What it may use up; not part of the fingerprint, and neither is what fences it in.
    #[serde(skip_serializing)]
    limits: Option<Spanned<Limits>>,
    #[serde(skip_serializing)]
    sandbox: Option<Spanned<SandboxMode>>,
    /// Files and folders beside the manifest that are its own as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<Spanned<String>>,
}

/// Reads the manifest at `path` of a bot that lives in `dir`. Its name is the one given by the user, the one in the
/// manifest, or `file_name`, in this order.
pub(super) fn load(path: &Path, dir: &Path, given_name: Option<&str>, file_name: &str) -> anyhow::Result<Found> {
    let text = read(path).context("the manifest cannot be read")?;
    let line = |at: usize| format!("line {}", 1 + text[..at.min(text.len())].matches('\n').count());
    let manifest: Manifest = toml::from_str(&text).map_err(|error| {
        let mut mistake = in_plain_words(&error.message().replace('\n', "; "));
        // TOML has greater numbers than fit into 64 bits, and its reader speaks of them in types of Rust.
        if mistake.contains("as i128") || mistake.contains("as u128") {
            mistake = format!("the number is too large; give one of at most {}", i64::MAX);
        }
        let Some(span) = error.span() else { return anyhow!("{mistake}") };
        let before = &text[..span.start.min(text.len())];
        let written = text[before.rfind('\n').map_or(0, |end| end + 1)..].lines().next().unwrap_or_default();
        anyhow!("{}, `{}`: {mistake}", line(span.start), shown(written.trim()))
    })?;
    let name = given_name.or(manifest.name.as_deref()).unwrap_or(file_name);
    let found = build(&manifest, path, dir, name, line)?;
    Ok(if name.eq_ignore_ascii_case(file_name) { found } else { Found { claim: Claim::Taken, ..found } })
}

/// Reads as much as a manifest may be: a file with holes in it can be longer than memory.
fn read(path: &Path) -> anyhow::Result<String> {
    const BYTES_MAX: u64 = 1 << 20;
    let mut bytes = Vec::new();
    open_foreign(path)?.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > BYTES_MAX {
        bail!("it is longer than {BYTES_MAX} bytes");
    }
    utf8(bytes).map_err(|line| anyhow!("line {line} is not UTF-8; save it as UTF-8"))
}

/// `line` turns a place in the manifest into `line 3`.
fn build(
    manifest: &Manifest,
    path: &Path,
    dir: &Path,
    name: &str,
    line: impl Fn(usize) -> String,
) -> anyhow::Result<Found> {
    let name = checked_name(name)?;
    let whole_folder = path.file_name().is_some_and(|file| file == FOLDER_MANIFEST);
    if manifest.games.as_ref().is_some_and(Vec::is_empty) {
        bail!("`games` names no game, so that it would sit out everywhere; leave it out to play all");
    }
    for game in manifest.games.iter().flatten() {
        Variant::named(game.get_ref()).with_context(|| line(game.span().start))?;
    }
    let dir = absolute(dir)?;
    let (mut launch, fingerprint, own, command, mut games) = match (&manifest.command, &manifest.builtin) {
        (Some(words), None) => {
            if !manifest.options.is_empty() {
                bail!("`options` are for `builtin` strategies; give a command its arguments in `command`");
            }
            check_words("command", "words", words.get_ref()).with_context(|| line(words.span().start))?;
            let (program, args) = resolve(words.get_ref(), &dir)?;
            if whole_folder {
                stay_inside(words.get_ref(), &program, &dir).with_context(|| line(words.span().start))?;
            }
            if program.starts_with(&dir) {
                script::check(&program)?;
            }
            let further = further_files(&manifest.files, &dir, whole_folder, &line)?;
            let canonical = toml::to_string(manifest).context("writing the manifest out again")?;
            let (fingerprint, own) = if whole_folder {
                (fingerprint::of_folder(&[&canonical], &dir)?, vec![dir.clone()])
            } else {
                let mut own = own_files(&program, &args, &dir);
                own.extend(further);
                (fingerprint::of_files_and_folders(&[&canonical], &dir, &own)?, own)
            };
            let launch = launch(name, program, args, dir);
            let command = launch.command_line();
            (launch, fingerprint, own, command, None)
        }
        (None, Some(builtin)) => {
            let none_of_its_own = |what: &str, at: usize| {
                anyhow!("{}: `{what}` is for a `command`; a builtin strategy has no use for it, remove it", line(at))
            };
            if let Some(file) = manifest.files.first() {
                return Err(none_of_its_own("files", file.span().start));
            }
            if let Some(name) = manifest.env.keys().next() {
                return Err(none_of_its_own("env", name.span().start));
            }
            let strategy = Strategy::named(builtin.get_ref()).with_context(|| line(builtin.span().start))?;
            let mut given = serde_json::Map::new();
            for (option, value) in &manifest.options {
                given.insert(option.get_ref().clone(), serde_json::to_value(value).context("reading `options`")?);
                // Each alone, so that a mistake has a line.
                strategy.options_from_json(&given).with_context(|| line(option.span().start))?;
            }
            let options = strategy.options_from_json(&given)?;
            // Every option is spelt out, so that a new default in a later version is a new identity.
            let mut words = vec![strategy.name.to_owned()];
            words.extend(options.iter().map(|(name, value)| format!("{name}={value}")));
            let program = std::env::current_exe().context("finding the arena's own program")?;
            let args = ["bot".to_owned()].into_iter().chain(words.iter().cloned()).map(OsString::from).collect();
            let command = format!("builtin {}", words.join(" "));
            let version = strategy.version.to_string();
            let identity: Vec<&str> =
                ["builtin", &version].into_iter().chain(words.iter().map(String::as_str)).collect();
            let fingerprint = fingerprint::of_words(&identity, &program)?;
            let games = Variant::names()
                .filter(|name| Variant::named(name).is_ok_and(|variant| (strategy.plays)(&variant)))
                .map(str::to_owned)
                .collect();
            (launch(name, program, args, dir), fingerprint, Vec::new(), command, Some(games))
        }
        (Some(_), Some(builtin)) => {
            bail!("{}: `command` and `builtin` exclude each other; remove one", line(builtin.span().start))
        }
        (None, None) => bail!("it needs `command = [\"program\", \"argument\"]` or `builtin = \"strategy\"`"),
    };
    check_env(&manifest.env, &line)?;
    launch.originals = fingerprint.originals.into();
    launch.env = manifest.env.iter().map(|(name, value)| (name.get_ref().clone(), value.clone())).collect();
    if let Some(startup_ms) = &manifest.startup_ms {
        launch.startup = startup(*startup_ms.get_ref()).with_context(|| line(startup_ms.span().start))?;
    }
    launch.fresh = manifest.fresh;
    if let Some(limits) = &manifest.limits {
        limits.get_ref().check().map_err(anyhow::Error::msg).with_context(|| line(limits.span().start))?;
        launch.limits = limits.get_ref().clone();
    }
    if let Some(sandbox) = &manifest.sandbox {
        launch.sandbox = *sandbox.get_ref();
        if launch.sandbox == SandboxMode::Off {
            bail!("{}: a manifest may only ask for a stricter sandbox; use --sandbox off", line(sandbox.span().start));
        }
    }
    if !manifest.files.is_empty() {
        // Python, for one, looks for a module among the names of the files in its folder.
        launch.listable = vec![launch.dir.clone()];
    }
    if let Some(named) = &manifest.games {
        games = Some(named.iter().map(|game| game.get_ref().clone()).collect());
    }
    let (fingerprint, path) = (fingerprint.text, path.to_owned());
    Ok(Found { launch, fingerprint, path, own, stranger: whole_folder, command, games, claim: Claim::Own })
}

fn startup(ms: u64) -> anyhow::Result<Duration> {
    match ms {
        0 => bail!("`startup_ms` cannot be 0, since no bot says hello at once; leave it out for 10000"),
        1..=STARTUP_MS_MAX => Ok(Duration::from_millis(ms)),
        _ => bail!("`startup_ms` cannot be {ms}, at most {STARTUP_MS_MAX} (ten minutes)"),
    }
}

fn check_env(env: &BTreeMap<Spanned<String>, String>, line: &impl Fn(usize) -> String) -> anyhow::Result<()> {
    if let Some(at) = env.keys().map(|name| name.span().start).min() {
        let words = env.iter().flat_map(|(name, value)| [name.get_ref(), value]);
        check_words("env", "names and values", words).with_context(|| line(at))?;
    }
    for (name, value) in env {
        let name = name.get_ref();
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            bail!("`env` cannot set `{}`: a name has no `=`, and neither has a NUL character", shown(name));
        }
    }
    Ok(())
}

/// Refuses more than a program needs: all of it goes to the bot's guard at every start.
fn check_words<'a>(of: &str, what: &str, words: impl IntoIterator<Item = &'a String>) -> anyhow::Result<()> {
    const WORDS_MAX: usize = 1_000;
    /// As long as the longest argument that Linux passes on.
    const BYTES_MAX: usize = 128 << 10;
    let (count, bytes) = words.into_iter().fold((0, 0), |(count, bytes), word| (count + 1, bytes + word.len()));
    if count > WORDS_MAX || bytes > BYTES_MAX {
        bail!(
            "`{of}` has {count} {what} of {bytes} bytes; at most {WORDS_MAX} of {BYTES_MAX} are passed on, put the \
             rest into a file"
        );
    }
    Ok(())
}

/// The program and its arguments. A program that exists in the bot's folder is meant to be that one; any other is
/// looked for in `PATH`, unless it is written as a path.
fn resolve(words: &[String], dir: &Path) -> anyhow::Result<(PathBuf, Vec<OsString>)> {
    let Some((program, args)) = words.split_first().filter(|(program, _)| !program.is_empty()) else {
        bail!("`command` names no program; write for example command = [\"python3\", \"bot.py\"]")
    };
    if words.iter().any(|word| word.contains('\0')) {
        bail!("`command` holds a NUL character, which no program can be given");
    }
    let local = dir.join(program);
    let program = if program.contains('/') || local.is_file() { absolute(&local)? } else { PathBuf::from(program) };
    Ok((program, args.iter().map(OsString::from).collect()))
}

/// The files and folders that `files` names. A bot that is a folder brings its manifest along, so that one opens nothing
/// outside of it, not by links either; a manifest in the bots folder is from whoever runs the arena.
fn further_files(
    files: &[Spanned<String>],
    dir: &Path,
    whole_folder: bool,
    line: &impl Fn(usize) -> String,
) -> anyhow::Result<Vec<PathBuf>> {
    let home = home(dir)?;
    let inside = |name: &Spanned<String>| {
        let path = dir.join(name.get_ref());
        let shown = shown(name.get_ref());
        let real = path.canonicalize().with_context(|| format!("`files` names `{shown}`, which cannot be found"))?;
        // To open anything else may take for ever.
        if !real.is_file() && !real.is_dir() {
            bail!("`files` names `{shown}`, which is neither a file nor a folder; remove it");
        }
        if whole_folder && !real.starts_with(&home) {
            bail!("`files` names `{shown}`, {OUTSIDE}");
        }
        Ok(path)
    };
    files.iter().map(|name| inside(name).with_context(|| line(name.span().start))).collect()
}

/// Of what a folder's manifest or a link in it names and the folder does not hold.
pub(super) const OUTSIDE: &str = "which is not inside the bot's folder; put it there";

pub(super) fn home(dir: &Path) -> anyhow::Result<PathBuf> {
    dir.canonicalize().with_context(|| format!("finding {}", dir.display()))
}

/// Whether a bot that is a folder, `home` by its real name, may use `path`, `real` by its real name: its own, or what
/// is installed. A link in its own folder is no installed one, wherever that folder lies, and neither is another bot.
pub(super) fn may_lead_to(path: &Path, real: &Path, home: &Path) -> bool {
    let is_of_bots = |path: &Path| path.starts_with(home) || is_of_neighbour(path, home);
    // Where a link lies counts as well as where it leads to.
    let place = || path.parent().and_then(|dir| dir.canonicalize().ok());
    real.starts_with(home)
        || !is_of_neighbour(real, home)
            && (is_installed(real) || place().is_some_and(|dir| !is_of_bots(&dir) && is_installed(path)))
}

/// Whether `real` belongs to a bot beside the one at `home`.
fn is_of_neighbour(real: &Path, home: &Path) -> bool {
    let Some(bots) = home.parent() else { return false };
    let Some(first) = real.strip_prefix(bots).ok().and_then(|rest| rest.iter().next()) else { return false };
    let beside = bots.join(first);
    beside != home && (beside.is_file() || beside.join(FOLDER_MANIFEST).is_file())
}

/// A bot that is a folder is started from its own files and from installed programs, also where links lead.
fn stay_inside(words: &[String], program: &Path, dir: &Path) -> anyhow::Result<()> {
    let home = home(dir)?;
    for (index, word) in words.iter().enumerate() {
        let path = dir.join(word);
        // A program that is looked for in `PATH`, and an argument that is something else.
        let is_other =
            if index == 0 { program.is_relative() } else { Path::new(word).is_absolute() || !path.is_file() };
        // What is not there is told when it is started.
        let Ok(real) = path.canonicalize() else { continue };
        if !is_other && !may_lead_to(&path, &real, &home) {
            bail!("`command` names `{}`, {OUTSIDE}", shown(word));
        }
    }
    Ok(())
}

/// The files of a command that belong to the bot: its program and those arguments that are files in its folder.
fn own_files(program: &Path, args: &[OsString], dir: &Path) -> Vec<PathBuf> {
    let candidates = std::iter::once(program.to_owned()).chain(args.iter().map(|arg| dir.join(arg)));
    candidates.filter(|path| path.starts_with(dir) && path.is_file()).collect()
}
