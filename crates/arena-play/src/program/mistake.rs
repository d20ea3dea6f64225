//! What is wrong with an answer of a program of rules.

use arena_core::rules::NameTaken;
use arena_core::text::shown;
use thiserror::Error;

use super::json::JsonMistake;

/// Why an answer is not accepted, as the end of a sentence such as `the rules hex@1f2e3d4c failed at ply 17: …`. Foreign text
/// in it is escaped and cut.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Mistake {
    /// The line is not UTF-8.
    #[error("they write a line that is not UTF-8, at byte {at}")]
    NotUtf8 {
        /// The number of the first wrong byte, from 1.
        at: usize,
    },
    /// The line begins with `{` and is no valid JSON object.
    #[error("they write a line that is not valid: {0}")]
    Json(#[from] JsonMistake),
    /// The line is longer than allowed.
    #[error("they write a line longer than {max} bytes")]
    TooLong {
        /// The maximum length.
        max: usize,
    },
    /// A message came when nothing was asked.
    #[error("they write a message when nothing was asked")]
    Surplus,
    /// The answer is of another kind than what was asked for.
    #[error("they answer `{asked}` with `{got}`")]
    WrongType {
        /// The type of the request.
        asked: &'static str,
        /// The type of the answer.
        got: String,
    },
    /// The answer names another request.
    #[error("they answer id {asked} with id {got}")]
    WrongId {
        /// The id of the request.
        asked: u64,
        /// The id of the answer.
        got: i64,
    },
    /// A required field is not there.
    #[error("their `{of}` has no `{field}`")]
    Missing {
        /// The type of the answer.
        of: String,
        /// The field.
        field: &'static str,
    },
    /// There are more or fewer labels than moves.
    #[error("they give {labels} labels for {moves} legal moves; `labels` has one for each, in the same order")]
    Labels {
        /// The number of labels.
        labels: usize,
        /// The number of moves.
        moves: usize,
    },
    /// Two moves have the same label.
    #[error("two of their moves have the label {0}")]
    LabelTwice(String),
    /// What their hello has declared is not there.
    #[error("their `position` has no `{field}`, but their hello has `{declared}`")]
    Promised {
        /// The field of the position.
        field: &'static str,
        /// The field of the hello.
        declared: &'static str,
    },
    /// A field has a wrong value.
    #[error("`{field}` is {value}; it must be {expected}")]
    Field {
        /// The field.
        field: String,
        /// Its value, as JSON.
        value: String,
        /// What is accepted.
        expected: String,
    },
    /// A position has both a list of legal moves and one of samples, or neither.
    #[error("a position has either `legal_moves` or `sample_moves`; theirs has {0}")]
    Lists(&'static str),
    /// A position has no legal moves.
    #[error("their `{0}` is empty; a position in which nothing can be played is `over`, or the other seat moves")]
    NoMoves(&'static str),
    /// There are more moves than may be listed.
    #[error("they list {count} moves in `{field}`, at most {max} are allowed{cure}")]
    TooManyMoves {
        /// The list.
        field: &'static str,
        /// The number of moves.
        count: usize,
        /// How many may be listed.
        max: usize,
        /// What to do, as the end of the sentence.
        cure: &'static str,
    },
    /// A move is listed twice.
    #[error("they list the move {0} twice")]
    Twice(String),
    /// A listed move is not well formed.
    #[error("they list a move in `{field}` that is not well formed: {why}")]
    BadMove {
        /// The list.
        field: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// They have given too many different reasons for ends of games.
    #[error("they give the reason `{reason}` after {max} others; no more different ones are allowed")]
    TooManyReasons {
        /// The one too many.
        reason: String,
        /// How many are allowed.
        max: usize,
    },
    /// Their game has the name of a built-in one.
    #[error(transparent)]
    Taken(NameTaken),
}

impl Mistake {
    /// The mistake of a field with this `value`, as JSON.
    pub(super) fn field(field: impl Into<String>, value: &str, expected: impl Into<String>) -> Self {
        Self::Field { field: field.into(), value: shown(value), expected: expected.into() }
    }
}
