//! `arena new-bot NAME`: creates a bot from the starter of a language. The binary contains the starters.

use std::fmt::Write as _;
use std::fs::{DirBuilder, File};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::shared_args::one_of;
use super::{Exit, print};
use crate::roster::{PLAIN_NAME, is_plain_name, why_ignored};
use crate::text::shown;

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
        include_str!(concat!("../../bots/starters/", $file))
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
pub(super) struct Args {
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
    /// Folder of the bots, made if it does not exist
    #[arg(long, value_name = "DIR", default_value = "bots")]
    bots: PathBuf,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let file_name = match args.lang.kind {
        StarterKind::Script(extension) if Path::new(&args.name).extension().is_none_or(|given| given != extension) => {
            format!("{}.{extension}", args.name)
        }
        _ => args.name.clone(),
    };
    if !is_plain_name(&file_name) {
        bail!("`{}` is not a valid bot name; use {PLAIN_NAME}", shown(&file_name));
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
    match args.lang.kind {
        StarterKind::Script(_) => write(&path, args.lang.text, 0o777)?,
        StarterKind::Compiled { build, command } => {
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
    let folder =
        if args.bots == Path::new("bots") { String::new() } else { format!(" --bots {}", args.bots.display()) };
    let _ = writeln!(text, "try it: arena check {file_name}{folder}");
    print(&text)?;
    Ok(Exit::Done)
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
