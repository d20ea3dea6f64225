//! Tables of games: a header, and a row for each game.

use std::io::Read;

use csv::ByteRecord;

use super::columns::Columns;
use super::lines::LineCounter;
use super::reading::{Label, Reading, Row};
use super::results::result;
use super::{PairMode, Paired, TableError};

/// Reads the named table.
pub(super) fn read(reading: &mut Reading, name: &str, separator: u8, input: impl Read) -> Result<(), TableError> {
    // The CSV reader's own line numbers are wrong after empty lines and with CRLF, and its message about rows of
    // different lengths is meant for programmers.
    let mut reader = csv::ReaderBuilder::new().flexible(true).delimiter(separator).from_reader(LineCounter::new(input));
    let mut columns = Columns::find(reader.byte_headers()?)?;
    columns.pair = columns.pair.filter(|_| reading.pairs == PairMode::Guess);
    reading.begin(if columns.pair.is_some() { Paired::ByColumn } else { Paired::Consecutively })?;
    let mut row = ByteRecord::new();
    while reader.read_byte_record(&mut row)? {
        let byte = row.position().map_or(0, csv::Position::byte);
        let end = reader.position().byte();
        let line = reader.get_mut().line_at(byte);
        reader.get_mut().begin_row(end);
        let added = game(line, &row, &columns).and_then(|game| reading.add(name, &game));
        added.map_err(|what| TableError::Row { line, what })?;
    }
    reading.end(columns.moves.is_some());
    Ok(())
}

/// Interprets a row.
fn game<'a>(line: u64, row: &'a ByteRecord, columns: &Columns) -> Result<Row<'a>, String> {
    let (width, found) = (columns.width, row.len());
    if found != width {
        return Err(format!(
            "the header has {width} columns and this row {found}; a name with a comma or a quote must be quoted: \
             \"a, b\""
        ));
    }
    let result = result(&row[columns.result])?;
    Ok(Row {
        line,
        players: [&row[columns.first], &row[columns.second]],
        result,
        label: columns.pair.map_or(Label::Neighbour, |column| Label::Text(&row[column])),
        opening: columns.opening.map(|column| &row[column]),
        moves: columns.moves.map(|column| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(&row[column]);
            if let Some(seed) = columns.hidden_seed {
                hasher.update(b"\0").update(&row[seed]);
            }
            let mut moves = [0; 16];
            moves.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
            moves
        }),
        forfeit: result.is_some_and(|result| columns.is_forfeit(row, result)),
        rated: !columns.is_withdrawn(row),
    })
}
