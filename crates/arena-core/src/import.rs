//! Imports games written by other tools: tables with the columns `white,black,result` or `first,second,result`, and
//! optionally `pair`, and chess games in PGN. Pure: bytes in, games out.
//!
//! # Examples
//!
//! ```
//! use arena_core::import::{ImportOptions, Paired, read_all};
//!
//! let csv = "white,black,result\nann,bob,1-0\nbob,ann,1/2-1/2\nbob,,1-0\n";
//! let (table, paired) = read_all([("games.csv".to_owned(), csv.as_bytes())], &ImportOptions::default())?;
//! assert_eq!(table.names, [b"ann", b"bob"]);
//! assert_eq!((table.games.len(), paired), (2, Paired::Consecutively));
//! assert_eq!((table.read, table.left_out[0].places.games), (3, 1));
//! # Ok::<(), arena_core::import::ImportError>(())
//! ```
//!
//! ```text
//! bytes ── source ──┬── table ──┬── reading ── file ──┬── copies ── pairs ──> games
//!                   └── pgn ────┘    values, scale    └── (of each file)
//! source (packed, foreign, utf16): what a file is     table (columns, lines): its rows     pgn (tag, moves, comment): its games
//! reading (names): the games of all files     values (results, scale): what the results of a file mean
//! copies (identity): records of the same game     pairs: games with swapped seats
//! ```
//!
//! Every game that is read is in the table or is left out for a [`LeftOutCause`]: [`GameTable::read`] is the sum.

mod alike;
mod columns;
mod copies;
mod file;
mod foreign;
mod identity;
mod left_out;
mod lines;
mod missing;
#[cfg(test)]
mod mutations;
mod names;
mod packed;
mod pairs;
mod pgn;
mod reading;
mod results;
mod scale;
#[cfg(test)]
mod scale_laws;
mod source;
mod table;
#[cfg(test)]
mod tests;
mod utf16;
mod values;

use std::io::Read;

use thiserror::Error;

pub use left_out::{GamePlace, GamePlaces, LeftOutCause, LeftOutGames};
use reading::Reading;
pub use scale::{NoScale, Scale};
use source::{FileKind, Source, recognised};

use crate::record::GameResult;

/// Which games form a pair: two games of the same opening with seats swapped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PairMode {
    /// By the column `pair` or the tag `Round` if a game of the file has it; otherwise every two rows if each two have
    /// swapped seats; otherwise none.
    #[default]
    Guess,
    /// Every two rows.
    Consecutive,
    /// None: every game is independent.
    None,
}

/// What becomes of a file with games that cannot be rated, other than void and unfinished ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OddGames {
    /// The games are left out.
    #[default]
    LeftOut,
    /// The file is refused, also if a PGN tag `Result` differs from the end of the moves, or a tag comes twice.
    Refused,
}

/// How files are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Which games form a pair.
    pub pairs: PairMode,
    /// What becomes of games that cannot be rated.
    pub odd: OddGames,
    /// What the results of tables mean; if `None`, each file is read in the scale that explains its results.
    pub scale: Option<Scale>,
}

/// The scale in which the results of a table were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScaleOfFile {
    /// Name of the file.
    pub file: String,
    /// What its results mean.
    pub scale: Scale,
    /// Whether all of them are written like `1-0`.
    pub is_plain: bool,
}

/// A file, and where it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOrigin {
    /// Name of the file.
    pub file: String,
    /// Name of the [`Format`](crate::format::Format) of the tournament whose `games.csv` it is, if it says so.
    pub format: Option<&'static str>,
}

/// How the games of a table were paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paired {
    /// By the column `pair`: games of the same two players with the same label and seats swapped.
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
pub struct GameRow {
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GameTable {
    /// Names of the players without the white space around them, else byte for byte, in ascending order.
    pub names: Vec<Vec<u8>>,
    /// Groups of players, by number, whose names differ only in case, invisible characters or the encoding of accents.
    pub alike: Vec<Vec<usize>>,
    /// The games in the order of the rows.
    pub games: Vec<GameRow>,
    /// Number of games that were read: those in `games` and those that are left out.
    pub read: usize,
    /// The games that are left out, by cause.
    pub left_out: Vec<LeftOutGames>,
    /// Games of PGN files whose tag `Result`, which counts, differs from the end of the moves.
    pub two_results: GamePlaces,
    /// Games of PGN files with a tag that comes twice.
    pub tags_twice: GamePlaces,
    /// The files, in order.
    pub origins: Vec<FileOrigin>,
    /// The scales of the tables, in order.
    pub scales: Vec<ScaleOfFile>,
    /// Number of games that are equal to one of another file, but without a name that tells them apart.
    pub doubtful_copies: usize,
    /// Number of games without a partner: they have no label, no game with their label is the other one, or they are the
    /// last row of a table that is paired by rows.
    pub unpaired: usize,
    /// Number of labels that more than two games of two players share. These are paired in their order.
    pub split_labels: usize,
    /// Number of games that repeat an earlier one, if moves are known.
    pub repeated: u64,
}

impl GameTable {
    /// Number of games that are left out for this cause.
    #[must_use]
    pub fn left_out_for(&self, cause: LeftOutCause) -> usize {
        self.left_out.iter().find(|left_out| left_out.cause == cause).map_or(0, |left_out| left_out.places.games)
    }
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
    /// It is not text, but a file that other programs unpack.
    #[error("{0}")]
    Packed(String),
    /// It is a file of another kind, without games that can be read.
    #[error("{0}")]
    Foreign(String),
    /// Its results have no meaning, or more than one.
    #[error("{what}{}", choice(.scales))]
    Results {
        /// What is wrong with them.
        what: String,
        /// The scales of which one can be chosen, each by its name and with what it means.
        scales: Vec<String>,
    },
    /// None of its games can be rated.
    #[error("it has no game that can be rated{}", causes(.0))]
    NoGames(Vec<LeftOutGames>),
    /// There is no header.
    #[error(
        "it is empty; the first line must name the columns, white,black,result or first,second,result, or be a tag of \
         PGN"
    )]
    Empty,
    /// It names winners instead of seats.
    #[error(
        "the columns `winner` and `loser` do not say who moved first; call them `first` and `second`, add a column \
         `result` with 1-0 in every row, and choose `none` for the side"
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
    #[error("{0}; choose `none` for the pairs, or add a column `pair`")]
    NotAPair(String),
}

/// Lists the scales of which one can be chosen.
fn choice(scales: &[String]) -> String {
    if scales.is_empty() { String::new() } else { format!("; choose the scale: {}", scales.join(" or ")) }
}

/// Lists the games that are left out.
fn causes(left_out: &[LeftOutGames]) -> String {
    let causes: Vec<String> = left_out.iter().map(ToString::to_string).collect();
    if causes.is_empty() { String::new() } else { format!("; left out: {}", causes.join("; ")) }
}

/// Reads named files as if they were one. The kind of a file follows from the ending `.pgn` of its name, or its first line.
///
/// # Errors
///
/// Returns the file that is invalid or has no game that can be rated, with the line and the reason.
pub fn read_all(
    inputs: impl IntoIterator<Item = (String, impl Read)>,
    options: &ImportOptions,
) -> Result<(GameTable, Paired), ImportError> {
    let mut reading = Reading::new(options);
    for (table, input) in inputs {
        read(&mut reading, &table, input).map_err(|source| ImportError { table, source })?;
    }
    reading.finish()
}

fn read(reading: &mut Reading<'_>, name: &str, input: impl Read) -> Result<(), TableError> {
    let Source { kind, input, foreign } = recognised(name, input)?;
    reading.begin_file(name, kind == FileKind::Pgn);
    let read = match kind {
        FileKind::Pgn => pgn::read(reading, input),
        FileKind::Table { separator } => table::read(reading, separator, input),
    };
    read.map_err(|error| match (error, foreign) {
        (TableError::Column { .. } | TableError::NoGames(_), Some(what)) => TableError::Foreign(what),
        (error, _) => error,
    })
}
