//! Imports games written by other tools: tables with the columns `white,black,result` or `first,second,result`, and
//! optionally `pair`, and chess games in PGN. Pure: bytes in, games out.
//!
//! ```
//! use arena::import::{PairMode, Paired, read_all};
//!
//! let csv = "white,black,result\nann,bob,1-0\nbob,ann,1/2-1/2\n";
//! let (table, paired) = read_all([("games.csv".to_owned(), csv.as_bytes())], PairMode::Guess)?;
//! assert_eq!(table.names, [b"ann", b"bob"]);
//! assert_eq!((table.games.len(), paired), (2, Paired::Consecutively));
//! # Ok::<(), arena::import::ImportError>(())
//! ```
//!
//! ```text
//! bytes ── source ──┬── table ──┬── reading ──> games
//!                   └── pgn ────┘
//! source: what a file is      table (columns, lines): its rows      pgn (tag, moves, rounds): its games
//! reading (names, labels): players, pairs and equal games of all files together
//! ```

mod columns;
mod labels;
mod lines;
mod names;
mod pgn;
mod reading;
mod results;
mod rounds;
mod source;
mod table;
#[cfg(test)]
mod tests;

use std::io::Read;

use thiserror::Error;

use reading::Reading;
use source::{Kind, recognised};

use crate::record::GameResult;

/// Which games form a pair: two games of the same opening with seats swapped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PairMode {
    /// By the column `pair` if there is one, or the tag `Round` if the first game of a PGN file has it; otherwise every
    /// two rows if each two have swapped seats; otherwise none.
    #[default]
    Guess,
    /// Every two rows.
    Consecutive,
    /// None: every game is independent.
    None,
}

/// How the games of a table were paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paired {
    /// By the column `pair`, in which at least one cell is not empty.
    ByColumn,
    /// By the tag `Round`: games of the same players in the same round, from the same position, with seats swapped.
    ByRound,
    /// Every two rows.
    Consecutively,
    /// Not at all.
    NotAtAll,
}

/// One game of the table, with players by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Game {
    /// Number of the player who moved first.
    pub first: u32,
    /// Number of the player who moved second.
    pub second: u32,
    /// Number of its pair.
    pub pair: u32,
    /// Number of its cluster of evidence: the games of a pair, and games that repeat another move for move.
    pub cluster: u32,
    /// Number of its opening, from 0, if known.
    pub opening: Option<u32>,
    /// The result; never void.
    pub result: GameResult,
    /// Whether the loser lost by a fault.
    pub forfeit: bool,
    /// Whether it counts for ratings: neither player was withdrawn.
    pub rated: bool,
}

/// A table of games.
#[derive(Debug, Default)]
pub struct GameTable {
    /// Names of the players, byte for byte, in ascending order.
    pub names: Vec<Vec<u8>>,
    /// The games in the order of the rows.
    pub games: Vec<Game>,
    /// Number of void games, which are left out.
    pub void: usize,
    /// Number of unfinished games, with the result `*`, which are left out.
    pub unfinished: usize,
    /// Number of games without a partner: their cell in the column `pair` is empty, no game of their round is the
    /// other one, or they are the last row of a table that is paired by rows.
    pub unpaired: usize,
    /// Number of games that repeat an earlier one, if moves are known.
    pub repeated: u64,
}

/// A table that cannot be imported.
#[derive(Debug, Error)]
#[error("games {table}")]
pub struct ImportError {
    /// Name of the table.
    pub table: String,
    /// What is wrong with it.
    pub source: TableError,
}

/// What is wrong with a table.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// It cannot be read, or is not CSV.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// There is no header.
    #[error(
        "it is empty; the first line must name the columns, white,black,result or first,second,result, or be a tag of \
         PGN"
    )]
    Empty,
    /// It names winners instead of seats.
    #[error(
        "the columns `winner` and `loser` do not say who moved first; call them `first` and `second`, add a column \
         `result` with 1-0 in every row, and use --side none"
    )]
    Winners,
    /// The header has more than one column of the same meaning.
    #[error("the header has {0} more than once; keep one of them")]
    TwoColumns(String),
    /// A column is missing.
    #[error("the header has no column {wanted}; it has: {found}")]
    Column {
        /// Name of the missing column.
        wanted: &'static str,
        /// The columns of the header.
        found: String,
    },
    /// A row is invalid.
    #[error("line {line}: {what}")]
    Row {
        /// Number of the line, from 1.
        line: u64,
        /// What is wrong, and what is accepted.
        what: String,
    },
    /// Rows that should be pairs are not.
    #[error("{0}; use --pairs none, or add a column `pair`")]
    NotAPair(String),
}

/// Reads named files as if they were one. The kind of a file follows from the ending `.pgn` of its name, or its first line.
///
/// # Errors
///
/// Returns the file that is invalid, with the line and the reason.
pub fn read_all(
    inputs: impl IntoIterator<Item = (String, impl Read)>,
    pairs: PairMode,
) -> Result<(GameTable, Paired), ImportError> {
    let mut reading = Reading::new(pairs);
    for (table, input) in inputs {
        read(&mut reading, &table, input).map_err(|source| ImportError { table, source })?;
    }
    reading.finish()
}

fn read(reading: &mut Reading, name: &str, input: impl Read) -> Result<(), TableError> {
    let (kind, input) = recognised(name, input).map_err(csv::Error::from)?;
    match kind {
        Kind::Pgn => pgn::read(reading, name, input),
        Kind::Table { separator } => table::read(reading, name, separator, input),
    }
}
