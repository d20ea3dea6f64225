//! The columns of a table.

use csv::ByteRecord;

use super::TableError;
use super::alike::trimmed;
use crate::record::{GameResult, Status};
use crate::text::shown;

/// The positions of the columns in a row.
pub(super) struct CsvColumns {
    /// Number of columns.
    pub(super) width: usize,
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) result: usize,
    pub(super) pair: Option<usize>,
    pub(super) opening: Option<usize>,
    pub(super) moves: Option<usize>,
    /// The column of the seed, if games have hidden information. Equal moves with another seed are then another game.
    pub(super) hidden_seed: Option<usize>,
    statuses: Option<[usize; 2]>,
}

impl CsvColumns {
    pub(super) fn find(header: &ByteRecord) -> Result<Self, TableError> {
        // Player names are kept byte for byte; column names are normalised.
        let is = |column: &[u8], name: &str| trimmed(column).eq_ignore_ascii_case(name.as_bytes());
        let place = |name: &str| header.iter().position(|column| is(column, name));
        let twice =
            |names: &[&str]| header.iter().filter(|column| names.iter().any(|name| is(column, name))).count() > 1;
        let seats = [["white", "first"], ["black", "second"]];
        if let Some(names) = seats.iter().find(|names| twice(&names[..])) {
            return Err(TableError::TwoColumns(format!("a column `{}`,", names.join("`, or `"))));
        }
        if let Some(name) = ["result", "pair", "opening", "moves"].into_iter().find(|name| twice(&[*name])) {
            return Err(TableError::TwoColumns(format!("a column `{name}`")));
        }
        if place("winner").is_some()
            && place("loser").is_some()
            && seats.iter().flatten().all(|name| place(name).is_none())
        {
            return Err(TableError::Winners);
        }
        let need = |names: [&str; 2], wanted: &'static str| {
            names.into_iter().find_map(place).ok_or_else(|| TableError::Column {
                wanted,
                found: header
                    .iter()
                    .map(|name| shown(&String::from_utf8_lossy(trimmed(name))))
                    .collect::<Vec<_>>()
                    .join(", "),
            })
        };
        Ok(Self {
            width: header.len(),
            first: need(["white", "first"], "`white` or `first`")?,
            second: need(["black", "second"], "`black` or `second`")?,
            result: need(["result", "result"], "`result`")?,
            pair: place("pair"),
            opening: place("opening"),
            moves: place("moves"),
            hidden_seed: place("hidden").and(place("seed")),
            statuses: place("first_status").zip(place("second_status")).map(|(first, second)| [first, second]),
        })
    }

    /// Whether either player was withdrawn, if the table has statuses.
    pub(super) fn is_withdrawn(&self, row: &ByteRecord) -> bool {
        let withdrawn = |column: &usize| &row[*column] == Status::Withdrawn.name().as_bytes();
        self.statuses.is_some_and(|columns| columns.iter().any(withdrawn))
    }

    /// Whether the loser's status is a fault, if the table has statuses.
    pub(super) fn is_forfeit(&self, row: &ByteRecord, result: GameResult) -> bool {
        let Some((columns, winner)) = self.statuses.zip(result.winner()) else { return false };
        let status = &row[columns[winner.other().index()]];
        Status::ALL.iter().any(|known| known.is_fault() && known.name().as_bytes() == status)
    }
}
