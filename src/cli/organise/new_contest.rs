//! `arena new-contest`: the file of a contest, commented, and a folder for its bots.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use arena_core::rules::{RULES, Variant};
use arena_core::suggest::is_mistyped;
use arena_core::text::shown;
use arena_play::program::{is_name, named_program};
use arena_run::session::is_tournament_name;

use crate::cli::args::shared::BOTS_DEFAULT;
use crate::cli::contest::FILE_NAME;
use crate::cli::make::{check_bot, new_game};
use crate::cli::{Exit, Io};

/// The file, with places for the game, the name and the title.
const TEMPLATE: &str = include_str!("contest.toml.in");
/// The column at which remarks begin.
const REMARKS: usize = 38;
/// The name of a contest whose game has none that a folder can have.
const NAME_USUAL: &str = "contest";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Game: built in, the manifest of a program of rules, or a new name, for which rules are made as `new-game` does
    #[arg(value_name = "GAME", default_value = RULES[0].name)]
    game: String,
}

/// The game of a contest.
#[derive(Debug)]
enum Game<'a> {
    BuiltIn,
    /// The manifest.
    Program(&'a Path),
    /// The name of one that is to be made.
    New,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let file = Path::new(FILE_NAME);
    if file.symlink_metadata().is_ok() {
        bail!("{FILE_NAME} exists already: this folder has a contest; make another folder for another one");
    }
    let game = game(&args.game)?;
    let (written, name) = match game {
        Game::BuiltIn => (args.game.clone(), args.game.clone()),
        Game::Program(path) => {
            // For authors on other systems, beside the rules.
            check_bot::write_into(path.parent().unwrap_or(Path::new("")))?;
            (args.game.clone(), path.file_stem().unwrap_or_default().to_string_lossy().into_owned())
        }
        Game::New => {
            new_game::make(&args.game, Path::new("."))?;
            (format!("./{}.toml", args.game), args.game.clone())
        }
    };
    std::fs::create_dir_all(BOTS_DEFAULT).with_context(|| format!("making folder {BOTS_DEFAULT}"))?;
    let made = OpenOptions::new().write(true).create_new(true).open(file);
    made.and_then(|mut made| made.write_all(text(&written, &name).as_bytes()))
        .with_context(|| format!("writing {FILE_NAME}"))?;
    let rules = match game {
        Game::BuiltIn => String::new(),
        Game::Program(_) => format!("rules:     arena check --game {}\n", arena_core::text::shell_word(&written)),
        Game::New => format!(
            "rules:     {name}.py has 21 sticks, take 1 to 3: make it your game\n           arena check --game {written}\n"
        ),
    };
    io.print(&format!(
        "made {FILE_NAME} and {BOTS_DEFAULT}/: a contest of {}\n{rules}\
         bots:      arena new-bot first\n           arena new-bot second\n\
         check:     arena check --all\n\
         play:      arena tournament\n\
         a night:   arena night --for 8h\n",
        shown(&written)
    ))?;
    Ok(Exit::Done)
}

fn game(text: &str) -> anyhow::Result<Game<'_>> {
    if let Some((path, _)) = named_program(text) {
        if !path.is_file() {
            bail!("there is no manifest {}; a new game is named without a path, such as `sticks`", shown(text));
        }
        return Ok(Game::Program(path));
    }
    let Err(error) = text.parse::<Variant>() else { return Ok(Game::BuiltIn) };
    // A typing error is no new game.
    if !is_name(text) || Variant::named(text).is_ok() || is_mistyped(text, Variant::names()) {
        bail!("{error}; a game of your own has another name, of a-z, 0-9 and _");
    }
    Ok(Game::New)
}

/// The file of a contest of this game.
fn text(game: &str, name: &str) -> String {
    let folder = if is_tournament_name(name) { name } else { NAME_USUAL };
    let values = [("game", game), ("name", folder), ("title", name)];
    let line = |line: &str| {
        let Some((key, value)) = values.iter().find(|(key, _)| line.starts_with(&format!("{key} = \"{{"))) else {
            return line.to_owned();
        };
        let remark = line.find('#').map_or("", |at| &line[at..]);
        let pair = format!("{key} = {}", toml::Value::from(*value));
        format!("{pair:<REMARKS$}{remark}")
    };
    TEMPLATE.lines().map(|text| line(text) + "\n").collect()
}
