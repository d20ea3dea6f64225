//! Why a program of rules cannot be played.

use std::path::Path;

use arena_core::rules::NameTaken;
use arena_core::text::shown;
use thiserror::Error;

use super::broken::Broken;

/// Why the game of a program cannot be played at all.
#[derive(Debug, Error)]
#[error("game `{path}`: {problem}")]
pub struct GameError {
    /// The path of the manifest, as it was named, escaped.
    path: String,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a program of rules.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// Its manifest or its files are wrong; says how.
    #[error("{0}")]
    Manifest(String),
    /// It could not be started, or failed before a game.
    #[error("{0}")]
    Broken(Box<Broken>),
    /// It refuses these parameters; its own words, escaped.
    #[error("its program says: {0} (refused)")]
    Refused(String),
    /// It has the name of a built-in game.
    #[error(transparent)]
    Taken(#[from] NameTaken),
}

impl GameError {
    /// The error of the game whose manifest was named `path`.
    #[must_use]
    pub fn new(path: &Path, problem: Problem) -> Self {
        Self { path: shown(&path.to_string_lossy()), problem }
    }
}
