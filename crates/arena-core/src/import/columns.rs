//! The columns of a table.

use csv::ByteRecord;

use super::TableError;
use super::alike::trimmed;
use super::identity::{RecordParts, Tells, plain_name};
use crate::record::Status;
use crate::text::shown;

/// The columns with the players, by the names of the seats.
const SEATS: [[&str; 2]; 2] = [["white", "black"], ["first", "second"]];
/// What two columns of scores are called, before or after the name of the seat.
const SCORES: [&str; 6] = ["score", "points", "reward", "rewards", "result", "outcome"];

/// The positions of the columns in a row.
pub(super) struct CsvColumns {
    /// Number of columns.
    pub(super) width: usize,
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) result: ResultColumns,
    pub(super) pair: Option<usize>,
    /// The column of the format, in the games of a tournament.
    pub(super) format: Option<usize>,
    pub(super) opening: Option<usize>,
    pub(super) moves: Option<usize>,
    /// The column of the seed, if games have hidden information. Equal moves with another seed are then another game.
    pub(super) hidden_seed: Option<usize>,
    statuses: Option<[usize; 2]>,
    /// The other columns by name, if one of them can tell games apart.
    others: Vec<OtherColumn>,
}

/// Where the result is.
#[derive(Clone, Copy)]
pub(super) enum ResultColumns {
    /// In one column.
    One(usize),
    /// In two: the scores of the players by seat.
    Scores([usize; 2]),
}

impl ResultColumns {
    fn places(self) -> impl Iterator<Item = usize> {
        let (first, second) = match self {
            Self::One(place) => (place, None),
            Self::Scores([first, second]) => (first, Some(second)),
        };
        std::iter::once(first).chain(second)
    }
}

struct OtherColumn {
    place: usize,
    name: Vec<u8>,
    tells: Tells,
}

impl CsvColumns {
    pub(super) fn find(header: &ByteRecord) -> Result<Self, TableError> {
        // Player names are kept byte for byte; column names are normalised.
        let is = |column: &[u8], name: &str| trimmed(column).eq_ignore_ascii_case(name.as_bytes());
        let place = |name: &str| header.iter().position(|column| is(column, name));
        let twice =
            |names: &[&str]| header.iter().filter(|column| names.iter().any(|name| is(column, name))).count() > 1;
        let seats = [0, 1].map(|seat| SEATS.map(|names| names[seat]));
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
            names.into_iter().find_map(place).ok_or_else(|| missing(header, wanted))
        };
        let [first, second] = seats;
        let (first, second) = (need(first, "`white` or `first`")?, need(second, "`black` or `second`")?);
        let result = match place("result") {
            Some(result) => ResultColumns::One(result),
            None => scores(header).map(ResultColumns::Scores).ok_or_else(|| missing(header, "`result`"))?,
        };
        let moves = place("moves");
        let mut columns_apart = vec![first, second];
        columns_apart.extend(moves);
        columns_apart.extend(result.places());
        Ok(Self {
            width: header.len(),
            first,
            second,
            result,
            pair: place("pair"),
            format: place("format").filter(|_| place("match").is_some()),
            opening: place("opening"),
            moves,
            hidden_seed: place("hidden").and(place("seed")),
            statuses: place("first_status").zip(place("second_status")).map(|(first, second)| [first, second]),
            others: others(header, &columns_apart),
        })
    }

    /// Whether either player was withdrawn, if the table has statuses.
    pub(super) fn is_withdrawn(&self, row: &ByteRecord) -> bool {
        let withdrawn = |column: &usize| &row[*column] == Status::Withdrawn.name().as_bytes();
        self.statuses.is_some_and(|columns| columns.iter().any(withdrawn))
    }

    /// Whether the status of each player is a fault, if the table has statuses.
    pub(super) fn faults(&self, row: &ByteRecord) -> [bool; 2] {
        let is_fault =
            |column: usize| Status::ALL.iter().any(|known| known.is_fault() && known.name().as_bytes() == &row[column]);
        self.statuses.map_or([false; 2], |columns| columns.map(is_fault))
    }

    /// Collects what identifies the record of a row, except players, moves and result; `None` if nothing can.
    pub(super) fn record(&self, row: &ByteRecord) -> Option<RecordParts> {
        let mut parts = RecordParts::default();
        for OtherColumn { place, name, tells } in &self.others {
            parts.add(name, *tells, trimmed(&row[*place]));
        }
        Some(parts).filter(|_| !self.others.is_empty())
    }
}

fn missing(header: &ByteRecord, wanted: &'static str) -> TableError {
    let names = header.iter().map(|name| shown(&String::from_utf8_lossy(trimmed(name))));
    TableError::Column { wanted, found: names.collect::<Vec<_>>().join(", ") }
}

/// Two columns with the scores of both seats, such as `white_score` and `black_score`.
fn scores(header: &ByteRecord) -> Option<[usize; 2]> {
    let names: Vec<String> = header.iter().map(plain_name).collect();
    let place = |name: &str| names.iter().position(|known| known == name);
    let seats = SEATS.iter().chain(&[["1", "2"]]);
    let forms = seats.flat_map(|seats| {
        let both = |name: &dyn Fn(&str) -> String| seats.map(name);
        SCORES
            .iter()
            .flat_map(move |score| [both(&|seat| format!("{seat}{score}")), both(&|seat| format!("{score}{seat}"))])
    });
    forms.into_iter().find_map(|[first, second]| Some([place(&first)?, place(&second)?]))
}

/// The columns except these, by name, if one of them can tell games apart.
fn others(header: &ByteRecord, except: &[usize]) -> Vec<OtherColumn> {
    let columns = header.iter().enumerate().filter(|(place, _)| !except.contains(place));
    let mut others: Vec<OtherColumn> = columns
        .map(|(place, name)| OtherColumn { place, name: trimmed(name).to_ascii_lowercase(), tells: Tells::of(name) })
        .collect();
    others.sort_by(|one, other| one.name.cmp(&other.name));
    let can_tell = others.iter().any(|column| matches!(column.tells, Tells::Game | Tells::Time | Tells::Round));
    if can_tell { others } else { Vec::new() }
}
