//! The program that is the rules of an event's game.

use serde::{Deserialize, Serialize};

use super::Tournament;
use crate::rules::DeclaredRules;

/// The program that is the rules of a game: what tables, reports and schedules need of it, so that they need neither its
/// process nor its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameProgram {
    /// The path of its manifest as it was named, for people.
    pub path: String,
    /// What it declares.
    #[serde(flatten)]
    pub rules: DeclaredRules,
}

impl Tournament {
    /// Makes the game known to this process if it is that of a program that this process does not have; `cure` says what to do
    /// to have it, as the end of a sentence.
    pub fn declare_game(&self, cure: &str) {
        if let Some(program) = &self.program {
            let path = crate::text::shown(&program.path);
            let why = format!("its game is the program {} ({path}); {cure}", self.game);
            program.rules.declare_absent(&self.game, &why);
        }
    }
}
