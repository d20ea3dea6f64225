//! Errors in questions.

use serde::Serialize;

use crate::rules::{MoveError, SetupError, VariantError};
use crate::text::json_mistake;

/// An error in a question.
#[derive(Debug, Serialize)]
pub struct Mistake {
    /// Index of the move that cannot be played, if that is the error.
    pub ply: Option<usize>,
    /// Description for people.
    pub message: String,
    /// Stable identifier for programs, listed in docs/judge.md.
    pub code: &'static str,
}

impl Mistake {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { ply: None, message: message.into(), code }
    }

    pub(super) fn of_json(error: &serde_json::Error) -> Self {
        let code = if error.is_data() { "bad_field" } else { "bad_json" };
        Self::new(code, json_mistake(error))
    }

    pub(super) fn of_variant(error: &VariantError) -> Self {
        Self::new(error.code(), error.to_string())
    }

    pub(super) fn of_setup(game: &str, error: &SetupError) -> Self {
        Self::new(error.code(), error.to_string()).in_game(game)
    }

    /// Adds the game to the message.
    pub(super) fn in_game(self, game: &str) -> Self {
        Self { message: format!("game `{game}`: {}", self.message), ..self }
    }

    /// A move that cannot be played.
    #[must_use]
    pub fn of_move(ply: usize, error: &MoveError) -> Self {
        Self { ply: Some(ply), ..Self::new(error.code(), error.to_string()) }
    }
}
