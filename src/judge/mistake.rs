//! What is wrong with a question.

use serde::Serialize;

use crate::rules::{MoveError, ParamError, SetupError, VariantError};
use crate::text::json_mistake;

/// What is wrong with a question.
#[derive(Debug, Serialize)]
pub struct Mistake {
    /// Index of the move that cannot be played, if that is what is wrong.
    pub ply: Option<usize>,
    /// For people.
    pub message: String,
    /// For programs: a stable identifier, listed in docs/judge.md.
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
        let code = match error {
            VariantError::UnknownGame(_) => "unknown_game",
            VariantError::Param { source: ParamError::Unknown(_), .. } => "unknown_param",
            VariantError::Param { .. } => "bad_param",
        };
        Self::new(code, error.to_string())
    }

    pub(super) fn of_setup(game: &str, error: &SetupError) -> Self {
        Self::new(error.code(), error.to_string()).in_game(game)
    }

    /// The same mistake, saying in which game.
    pub(super) fn in_game(self, game: &str) -> Self {
        Self { message: format!("game `{game}`: {}", self.message), ..self }
    }

    pub(super) fn of_move(ply: usize, error: &MoveError) -> Self {
        Self { ply: Some(ply), ..Self::new(error.code(), error.to_string()) }
    }
}
