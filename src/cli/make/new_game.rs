//! `arena new-game NAME`: the smallest rules as a program, with a manifest, to begin with; and a checker for authors of bots.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use arena_core::rules::Variant;
use arena_core::text::shown;
use arena_play::program::is_name;

use super::check_bot;
use crate::cli::{Exit, Io};

/// The smallest rules, which docs/games.md explains.
const RULES: &str = include_str!("../../../examples/games/sticks.py");
/// The name of their game.
const EXAMPLE: &str = "sticks";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of the game: a-z, 0-9 and _
    name: String,
    /// Folder for the files, made if it does not exist
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let [manifest, rules] = make(&args.name, &args.dir)?;
    let path = manifest.to_string_lossy();
    let game = if path.contains('/') { path.into_owned() } else { format!("./{path}") };
    io.print(&format!(
        "made {} and {}: 21 sticks, take 1 to 3; make it your game\n\
         check it: arena check --game {game}\n\
         play it:  arena play random --game {game}\n\
         authors without the arena, such as on Windows, check a bot with {}: docs/other-systems.md\n",
        rules.display(),
        manifest.display(),
        args.dir.join(check_bot::FILE).display()
    ))?;
    Ok(Exit::Done)
}

/// Makes the manifest and the rules of a game in a folder, and returns their paths.
pub(crate) fn make(name: &str, dir: &Path) -> anyhow::Result<[PathBuf; 2]> {
    if !is_name(name) {
        bail!("`{}` is no name of a game; use 1 to 32 characters, each of a-z, 0-9 or _", shown(name));
    }
    if Variant::named(name).is_ok() {
        bail!("`{name}` is a built-in game; give it another name");
    }
    let [manifest, rules] = ["toml", "py"].map(|extension| dir.join(format!("{name}.{extension}")));
    if let Some(there) = [&manifest, &rules].into_iter().find(|path| path.symlink_metadata().is_ok()) {
        bail!("{} exists already; choose another name", shown(&there.to_string_lossy()));
    }
    std::fs::create_dir_all(dir).with_context(|| format!("making folder {}", dir.display()))?;
    let text = format!(
        "# The rules of {name}: docs/games.md. Name what else belongs to them: files = [\"data.json\"]\n\
         command = [\"python3\", \"{name}.py\"]\n"
    );
    write(&rules, &RULES.replace(&format!("\"{EXAMPLE}\""), &format!("\"{name}\"")))?;
    write(&manifest, &text)?;
    check_bot::write_into(dir)?;
    Ok([manifest, rules])
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).with_context(|| format!("writing {}", path.display()))
}
