//! The games of programs that this process has: a list that only grows.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arena_core::rules::{Params, StartRule, Variant};
use arena_guard::is_of_system;

use super::error::{GameError, Problem};
use super::game::ProgramGame;
use super::identity::hash;
use super::log::RulesLog;
use super::manifest::Program;
use super::pool;
use super::position::{Position, REFUSED};
use super::process::Process;
use crate::roster::RosterSettings;

static GAMES: Mutex<Vec<&'static ProgramGame>> = Mutex::new(Vec::new());

/// The game of these rules, if they are a program of this machine.
#[must_use]
pub fn game_of(variant: &Variant) -> Option<&'static ProgramGame> {
    named(variant.rules.name)
}

fn named(name: &str) -> Option<&'static ProgramGame> {
    GAMES.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().find(|game| game.name == name)
}

/// Files and folders of all programs of rules of this process, which bots may not read; not those of the system.
#[must_use]
pub fn own_files() -> Vec<PathBuf> {
    let games = GAMES.lock().unwrap_or_else(PoisonError::into_inner).clone();
    games.iter().flat_map(|game| &game.program.own).filter(|own| !is_of_system(own)).cloned().collect()
}

/// Starts the program whose manifest is at `path`, and makes its game known to this process: the variant with the parameters
/// of the manifest and those in `texts`, such as `rows=6`. Of `settings`, the guard and the sandbox apply; processes write to
/// `scratch` and may not read the `hidden` folders.
///
/// # Errors
///
/// Returns why the game cannot be played: the manifest, the program or the parameters are wrong.
pub fn load(
    path: &Path,
    texts: Option<&str>,
    settings: &RosterSettings,
    scratch: &Path,
    hidden: &[PathBuf],
) -> Result<Variant, GameError> {
    start(Program::load(path, settings)?, texts, scratch, hidden)
}

/// As [`load`], of a program whose manifest was read.
///
/// # Errors
///
/// See [`load`].
pub fn start(
    mut program: Program,
    texts: Option<&str>,
    scratch: &Path,
    hidden: &[PathBuf],
) -> Result<Variant, GameError> {
    let path = program.path.clone();
    let fails = |problem| GameError::new(&path, problem);
    scratch.clone_into(&mut program.launch.scratch);
    program.fence_in(hidden)?;
    let log = Arc::new(RulesLog::none());
    let process = Process::start(&program, &log).map_err(|broken| fails(Problem::Broken(broken)))?;
    let hello = process.hello().clone();
    let name = format!("{}@{}", hello.game, hash(&program, &hello));
    let game = named(&name).unwrap_or_else(|| {
        let game: &'static ProgramGame = Box::leak(Box::new(ProgramGame::new(name.clone(), program, hello, log)));
        GAMES.lock().unwrap_or_else(PoisonError::into_inner).push(game);
        game
    });
    pool::keep(game, process);
    let start =
        || -> StartRule { Box::leak(Box::new(move |params: &Params, seed| Position::start(game, params, seed))) };
    let rules = game.hello.declared().declare(&name, start).map_err(|taken| fails(taken.into()))?;
    let mut params = Params::defaults(rules.params);
    game.program.set_params(rules.params, &mut params)?;
    let given = texts.iter().flat_map(|texts| texts.split(','));
    let expected = "a parameter; write name=value, separated by commas";
    params.set_texts(rules.params, given, expected).map_err(|error| fails(Problem::Manifest(error.to_string())))?;
    match rules.start(&params, 0) {
        Ok(_) => Ok(Variant { rules, params, label: rules.label() }),
        Err(error) if error.code() == REFUSED => Err(fails(Problem::Refused(error.to_string()))),
        Err(error) => Err(fails(Problem::Manifest(error.to_string()))),
    }
}
