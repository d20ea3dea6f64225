//! Games whose rules are programs, for the commands.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use arena_core::rules::Variant;
use arena_play::program;
use arena_play::roster::RosterSettings;

use super::Scratch;

/// The folders for the temporary files of rules.
static FOLDERS: Mutex<Vec<Scratch>> = Mutex::new(Vec::new());

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
    let scratch = Scratch::create()?;
    let folder = scratch.path().to_owned();
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    let hidden: Vec<PathBuf> = hidden.iter().map(|path| path.to_path_buf()).collect();
    Ok(program::load(path, params, settings, &folder, &hidden)?)
}

/// Ends the processes of rules that this thread has started, and removes their files.
pub fn leave_games() {
    program::leave();
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).clear();
}
