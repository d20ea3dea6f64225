//! Games whose rules are programs, for the commands.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use arena_core::rules::Variant;
use arena_play::program::{self, Program};
use arena_play::roster::RosterSettings;

use super::Scratch;

thread_local! {
    /// The folders for the temporary files of the rules that this thread has started.
    static FOLDERS: RefCell<Vec<Scratch>> = const { RefCell::new(Vec::new()) };
}

/// Starts the program of rules whose manifest is at `path`, with these parameters, such as `rows=6`. It cannot see the
/// `hidden` folders. It runs until [`leave_games`].
///
/// # Errors
///
/// Returns why its game cannot be played.
pub fn load_game(
    path: &Path,
    params: Option<&str>,
    settings: &RosterSettings,
    hidden: &[&Path],
) -> anyhow::Result<Variant> {
    start_game(Program::load(path, settings)?, params, hidden)
}

/// As [`load_game`], of a program whose manifest was read.
pub(super) fn start_game(program: Program, params: Option<&str>, hidden: &[&Path]) -> anyhow::Result<Variant> {
    let scratch = Scratch::create()?;
    let folder = scratch.path().to_owned();
    FOLDERS.with_borrow_mut(|folders| folders.push(scratch));
    let hidden: Vec<PathBuf> = hidden.iter().map(|path| path.to_path_buf()).collect();
    Ok(program::start(program, params, &folder, &hidden)?)
}

/// Ends the processes of rules that this thread has started, and removes their files.
pub fn leave_games() {
    program::leave();
    FOLDERS.with_borrow_mut(Vec::clear);
}
