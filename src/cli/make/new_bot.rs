//! `arena new-bot NAME`: creates a bot from the starter of a language or a protocol, or for a program that is there already.
//! The binary contains the starters.

use std::fmt::Write as _;
use std::fs::{DirBuilder, File};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use arena_core::rules::Variant;
use arena_core::text::{shell_word, shown};
use arena_play::roster::{FoundBot, PLAIN_NAME, Roster, RosterSettings, is_plain_name, why_ignored};
use arena_sys::flags::GAME;
use arena_wire::protocol::{Protocol, protocol_named};

use crate::cli::args::shared::one_of;
use crate::cli::{Exit, Io};

/// The starter of a language.
#[derive(Debug)]
struct Starter {
    /// Name of its only file, if the bot is a folder.
    file: &'static str,
    text: &'static str,
    kind: StarterKind,
}

#[derive(Debug)]
enum StarterKind {
    /// One executable file with this extension.
    Script(&'static str),
    /// A folder with a manifest; `{dir}` in the command that builds it is the folder with a slash, or nothing in it.
    Compiled { build: &'static str, command: &'static str },
}

/// The text of a starter.
macro_rules! starter {
    ($file:literal) => {
        include_str!(concat!("../../../bots/starters/", $file))
    };
}

const fn script(file: &'static str, extension: &'static str, text: &'static str) -> Starter {
    Starter { file, text, kind: StarterKind::Script(extension) }
}

const fn compiled(file: &'static str, build: &'static str, command: &'static str, text: &'static str) -> Starter {
    Starter { file, text, kind: StarterKind::Compiled { build, command } }
}

/// How a program beside its manifest is started.
const BOT: &str = r#"["./bot"]"#;

static PYTHON: Starter = script("bot.py", "py", starter!("python/bot.py"));
static JAVASCRIPT: Starter = script("bot.js", "js", starter!("javascript/bot.js"));
static C: Starter = compiled("bot.c", "cc -O2 -o {dir}bot {dir}bot.c", BOT, starter!("c/bot.c"));
static CPP: Starter = compiled("bot.cpp", "c++ -std=c++17 -O2 -o {dir}bot {dir}bot.cpp", BOT, starter!("cpp/bot.cpp"));
static GO: Starter = compiled("bot.go", "go build -o {dir}bot {dir}bot.go", BOT, starter!("go/bot.go"));
static RUST: Starter = compiled("bot.rs", "rustc -O -o {dir}bot {dir}bot.rs", BOT, starter!("rust/bot.rs"));
static JAVA: Starter =
    compiled("Bot.java", "javac -d {dir}. {dir}Bot.java", r#"["java", "-cp", ".", "Bot"]"#, starter!("java/Bot.java"));

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of the bot
    name: String,
    /// Language of the bot
    #[arg(
        long,
        value_name = "LANGUAGE",
        default_value = "python",
        value_parser = one_of([
            ("python", &PYTHON), ("javascript", &JAVASCRIPT), ("c", &C), ("cpp", &CPP), ("go", &GO), ("java", &JAVA),
            ("rust", &RUST),
        ])
    )]
    lang: &'static Starter,
    /// Protocol of the bot [default: the arena's own, json]
    #[arg(long, value_name = "PROTOCOL", value_parser = protocol_named, conflicts_with = "lang")]
    protocol: Option<&'static Protocol>,
    /// Folder of the bots, made if it does not exist
    #[arg(long, value_name = "DIR", default_value = "bots")]
    bots: PathBuf,
    /// Program and arguments, if the bot is there already: only a manifest is made
    #[arg(last = true, value_name = "PROGRAM", conflicts_with = "lang")]
    program: Vec<String>,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let starter = args.protocol.and_then(|protocol| protocol.starter.map(|starter| (protocol, starter)));
    let is_there = !args.program.is_empty();
    let file_name = match args.lang.kind {
        _ if is_there => format!("{}.toml", args.name.trim_end_matches(".toml")),
        _ if starter.is_some() => args.name.clone(),
        StarterKind::Script(extension) if Path::new(&args.name).extension().is_none_or(|given| given != extension) => {
            format!("{}.{extension}", args.name)
        }
        _ => args.name.clone(),
    };
    let named = if is_there { &args.name } else { &file_name };
    if !is_plain_name(named) {
        bail!("`{}` is not a valid bot name; use {PLAIN_NAME}", shown(named));
    }
    if let Some(why) = why_ignored(&file_name) {
        bail!("a bot cannot be called `{file_name}`, because such files are skipped ({why}); choose another name");
    }
    let path = args.bots.join(&file_name);
    std::fs::create_dir_all(&args.bots).with_context(|| format!("making folder {}", args.bots.display()))?;
    if let Some(other) = entry_named(&args.bots, &file_name)? {
        bail!("{} exists already; choose another name", shown(&other.to_string_lossy()));
    }
    let mut text = format!("made {}\n", path.display());
    let mut game = String::new();
    match (starter, &args.lang.kind) {
        _ if is_there => {
            write(&path, &manifest_for(args)?, 0o666)?;
            let found = try_manifest(&path, io).inspect_err(|_| drop(std::fs::remove_file(&path)))?;
            if !Variant::names().filter_map(|name| Variant::named(name).ok()).any(|variant| found.plays(&variant)) {
                game = format!(" {GAME} FILE");
            }
        }
        (Some((protocol, (file, source))), _) => {
            DirBuilder::new().create(&path).with_context(|| format!("making folder {}", path.display()))?;
            write(&path.join(file), source, 0o777)?;
            let manifest = format!("command = [\"python3\", {file:?}]\nprotocol = {:?}\n", protocol.name);
            write(&path.join("bot.toml"), &manifest, 0o666)?;
        }
        (None, StarterKind::Script(_)) => write(&path, args.lang.text, 0o777)?,
        (None, StarterKind::Compiled { build, command }) => {
            DirBuilder::new().create(&path).with_context(|| format!("making folder {}", path.display()))?;
            write(&path.join(args.lang.file), args.lang.text, 0o666)?;
            write(
                &path.join("bot.toml"),
                &format!("command = {command}\nbuild = {:?}\n", build.replace("{dir}", "")),
                0o666,
            )?;
            let build = build.replace("{dir}. ", &format!("{} ", path.display()));
            let build = build.replace("{dir}", &format!("{}/", path.display()));
            let _ = writeln!(text, "build it, now and after each change: {build}");
        }
    }
    let folder = if args.bots == Path::new("bots") {
        String::new()
    } else {
        format!(" --bots {}", shell_word(&args.bots.to_string_lossy()))
    };
    let name = if is_there { file_name.trim_end_matches(".toml") } else { &file_name };
    let _ = writeln!(text, "try it: arena check {name}{folder}{game}");
    io.print(&text)?;
    Ok(Exit::Done)
}

/// The bot of a new manifest. Fails if it cannot be started.
fn try_manifest(path: &Path, io: &Io) -> anyhow::Result<FoundBot> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let bots = path.parent().map(Path::to_owned);
    let settings = RosterSettings { bots, ..io.bot_settings() };
    let found = Roster::only(&name, path, &settings).context("it cannot be used, so nothing was made")?;
    match found.launch.missing_program() {
        Some(why) => bail!("{why}; nothing was made"),
        None => Ok(found),
    }
}

/// The manifest for a program. Paths in a manifest are relative to the bots folder, and those given here to the present one;
/// what they name belongs to the bot, so it may read it.
fn manifest_for(args: &Args) -> anyhow::Result<String> {
    let mut manifest = toml::Table::new();
    let mut files = Vec::new();
    let mut words = Vec::new();
    for word in &args.program {
        let is_beside = args.bots.join(word).is_file();
        if is_beside || !Path::new(word).is_file() {
            words.push(toml::Value::from(word.as_str()));
            continue;
        }
        let path = std::path::absolute(word).with_context(|| format!("finding {}", shown(word)))?;
        let path = path.to_str().with_context(|| format!("the path of {} is not UTF-8", shown(word)))?;
        words.push(path.into());
        files.push(toml::Value::from(path));
    }
    if words.len() > 1 && files.first() == words.first() {
        // An interpreter is none of the bot's files.
        files.remove(0);
    }
    manifest.insert("command".to_owned(), words.into());
    if let Some(protocol) = args.protocol {
        manifest.insert("protocol".to_owned(), protocol.name.into());
    }
    if !files.is_empty() {
        manifest.insert("files".to_owned(), files.into());
    }
    toml::to_string(&manifest).context("writing the manifest")
}

/// The entry of `bots` with this name, ignoring case.
fn entry_named(bots: &Path, name: &str) -> anyhow::Result<Option<PathBuf>> {
    let reading = || format!("reading folder {}", bots.display());
    for entry in std::fs::read_dir(bots).with_context(reading)? {
        let entry = entry.with_context(reading)?;
        if entry.file_name().eq_ignore_ascii_case(name) {
            return Ok(Some(entry.path()));
        }
    }
    Ok(None)
}

/// Writes a new file with this mode, as far as the umask allows.
fn write(path: &Path, text: &str, mode: u32) -> anyhow::Result<()> {
    let created = File::options().write(true).create_new(true).mode(mode).open(path);
    created.and_then(|mut file| file.write_all(text.as_bytes())).with_context(|| format!("writing {}", path.display()))
}
