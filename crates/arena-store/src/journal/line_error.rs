//! What is wrong with a line.

use arena_core::text::shown;
use thiserror::Error;

/// Why a line is none of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LineError {
    /// It is longer than any line.
    #[error("it has {bytes} bytes, a line of a journal has at most {most}")]
    TooLong {
        /// Its length.
        bytes: u64,
        /// At most.
        most: usize,
    },
    /// It is not text.
    #[error("invalid UTF-8: {0}")]
    NotUtf8(std::str::Utf8Error),
    /// It is not JSON, or has no type or sum.
    #[error("not a line of a journal: {0}")]
    NotALine(String),
    /// It does not end in its sum.
    #[error("it does not end in its sum: it was edited or damaged")]
    NoSum,
    /// Its sum is another one.
    #[error("its sum is {}, but its content gives {found}: it was edited or damaged", shown(written))]
    OtherSum {
        /// As it is written.
        written: String,
        /// As it follows from the content.
        found: String,
    },
    /// It has other fields than lines of its type.
    #[error("not a {kind} of this version: {mistake}")]
    OtherVersion {
        /// The type.
        kind: String,
        /// What is wrong with it.
        mistake: String,
    },
    /// There is no such type.
    #[error("unknown type `{}`", shown(.0))]
    UnknownType(String),
    /// Openings of a book before these are missing.
    #[error("it has the openings of book {} from {from} on, and the lines before it have {known}", shown(book))]
    BookGap {
        /// Hash of the book.
        book: String,
        /// Number of openings that should be before.
        from: usize,
        /// Number of those that are.
        known: usize,
    },
    /// Openings of the book of a definition are missing.
    #[error(
        "the first {count} openings of its book {} are in lines before it, which have {known} of them",
        shown(book)
    )]
    NoBook {
        /// Hash of the book.
        book: String,
        /// Number of openings that should be there.
        count: usize,
        /// Number of those that are.
        known: usize,
    },
    /// It is not of a game.
    #[error("it is not a game")]
    NotAGame,
    /// It has a list that is too long.
    #[error("it has a list of {size} elements, and no tournament has one of more than {most}")]
    LongList {
        /// Its elements.
        size: u64,
        /// At most.
        most: u64,
    },
    /// It has more moves than its game can have.
    #[error(
        "game {}: it has {plies} moves, and a game of {} with its parameters has at most {most}",
        shown(id),
        shown(game)
    )]
    TooManyMoves {
        /// Its id.
        id: String,
        /// Its rules.
        game: String,
        /// Its moves.
        plies: usize,
        /// At most.
        most: usize,
    },
}
