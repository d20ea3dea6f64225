//! The value of `--game`: a built-in game, or the manifest of a program that is the rules.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use arena_core::rules::{Variant, VariantError};
use arena_core::text::shown;
use arena_play::program::{game_of, named_program};
use arena_play::roster::RosterSettings;
use arena_run::session::{has_remembered_rules, load_game, recall_rules};
use arena_store::journal::last_event;
use arena_sys::flags::GAME;
use arena_sys::results_folder::ResultsFolder;

use super::guard::RulesReadArgs;
use super::shared::{BOTS_DEFAULT, RESULTS_DEFAULT};
use crate::cli::Io;

/// A game as it is named. [`GameArg::load`] makes it one that can be played.
#[derive(Debug, Clone)]
pub(crate) struct GameArg(NamedGame);

#[derive(Debug, Clone)]
enum NamedGame {
    /// A built-in game, or one whose program was started.
    Known(Variant),
    /// The manifest and the parameters of a program.
    Program(PathBuf, Option<String>),
}

impl FromStr for GameArg {
    type Err = VariantError;

    fn from_str(text: &str) -> Result<Self, VariantError> {
        Ok(Self(match named_program(text) {
            Some((path, params)) => NamedGame::Program(path.to_owned(), params.map(str::to_owned)),
            None => NamedGame::Known(text.parse()?),
        }))
    }
}

impl GameArg {
    /// The argument that names this game.
    pub(crate) fn of(game: &Variant) -> Self {
        Self(NamedGame::Known(game.clone()))
    }

    /// The game. Starts the program, if it is one, and says what it can read elsewhere. It cannot see the `hidden` folders.
    pub(crate) fn load(&self, settings: &RosterSettings, hidden: &[&Path], io: &Io) -> anyhow::Result<Variant> {
        let (path, params) = match &self.0 {
            NamedGame::Known(variant) => return Ok(variant.clone()),
            NamedGame::Program(path, params) => (path, params.as_deref()),
        };
        let variant = load_game(path, params, settings, hidden)?;
        let named = game_of(&variant).map_or(&[][..], |game| game.program.named_elsewhere());
        if !named.is_empty() {
            let named: Vec<String> = named.iter().map(|path| shown(&path.to_string_lossy())).collect();
            io.tell(&format!("the rules {} can read {}", shown(&path.to_string_lossy()), named.join(", ")));
        }
        Ok(variant)
    }
}

/// The game as `--game` takes it.
pub(crate) fn written(game: &Variant) -> String {
    let text = game.to_string();
    match game_of(game) {
        Some(program) => text.replacen(game.label, &program.program.path.to_string_lossy(), 1),
        None => text,
    }
}

/// The program that is the rules of recorded games, for commands that judge or show these.
#[derive(Debug, clap::Args)]
pub(crate) struct RulesArgs {
    /// File of the program of rules, for games that are not built in
    #[arg(long = "game", value_name = "FILE")]
    game: Option<GameArg>,
    #[command(flatten)]
    read: RulesReadArgs,
}

impl RulesArgs {
    /// Whether a program is named.
    pub(crate) fn is_given(&self) -> bool {
        self.game.is_some()
    }

    /// Starts the program, if one is named; built-in games are known anyway.
    pub(crate) fn load(&self, io: &Io) -> anyhow::Result<Option<Variant>> {
        let settings = RosterSettings { rules_reach: self.read.reach(), ..io.bot_settings() };
        self.game.as_ref().map(|game| game.load(&settings, &usual_folders(), io)).transpose()
    }
}

/// The folders that rules cannot see where a command has no flags for them.
fn usual_folders() -> [&'static Path; 2] {
    [BOTS_DEFAULT, RESULTS_DEFAULT].map(Path::new)
}

/// Starts the program that a results folder remembers as the rules `name` of its games, unless they are known.
///
/// # Errors
///
/// Returns why it is not started, and how to name it.
pub(crate) fn recall(folder: &ResultsFolder, name: &str, io: &Io) -> Result<(), String> {
    recall_with(folder, name, &io.bot_settings(), &usual_folders())
}

/// As [`recall`], with these settings. The program cannot see the `hidden` folders.
///
/// # Errors
///
/// See [`recall`].
pub(crate) fn recall_with(
    folder: &ResultsFolder,
    name: &str,
    settings: &RosterSettings,
    hidden: &[&Path],
) -> Result<(), String> {
    if !Variant::named(name).is_ok_and(|variant| variant.rules.is_absent()) {
        return Ok(());
    }
    recall_rules(folder, name, settings, hidden).map(drop).map_err(|why| {
        let place = folder.path().display();
        format!("the rules of {place} are the program {}, {why}; name it with {GAME} FILE", shown(name))
    })
}

/// Says that positions cannot be shown.
pub(crate) fn warn_of_missing_boards(why: &str, io: &Io) {
    io.warn(&format!("moves are shown without boards: {why}"));
}

/// As [`recall`], of the tournament in a folder that remembers rules; silently.
pub(crate) fn recall_quietly(folder: &ResultsFolder, io: &Io) {
    // The journal is read only where there may be something to start.
    if has_remembered_rules(folder)
        && let Some(event) = last_event(folder)
    {
        let _ = recall(folder, &event.game, io);
    }
}
