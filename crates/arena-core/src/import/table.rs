//! Tables of games: a header, and a row for each game.

use std::io::Read;

use csv::ByteRecord;

use super::alike::trimmed;
use super::columns::CsvColumns;
use super::lines::LineCounter;
use super::reading::{Label, ReadGame, Reading};
use super::results::result;
use super::{LeftOutCause, PairMode, Paired, TableError};

/// Reads a table.
pub(super) fn read(reading: &mut Reading, separator: u8, input: impl Read) -> Result<(), TableError> {
    // The CSV reader's own line numbers are wrong after empty lines and with CRLF, and its message about rows of
    // different lengths is meant for programmers.
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(LineCounter::new(input));
    let mut row = ByteRecord::new();
    let mut columns: Option<CsvColumns> = None;
    while reader.read_byte_record(&mut row)? {
        let byte = row.position().map_or(0, csv::Position::byte);
        let end = reader.position().byte();
        let line = reader.get_mut().line_at(byte);
        reader.get_mut().begin_row(end);
        // Spreadsheets write empty cells for rows that were cleared.
        if row.iter().all(|cell| trimmed(cell).is_empty()) {
            continue;
        }
        if let Some(columns) = &columns {
            game(reading, line, &row, columns, separator)?;
            continue;
        }
        let columns = columns.insert(CsvColumns::find(&row)?);
        columns.pair = columns.pair.filter(|_| reading.pairs == PairMode::Guess);
        reading.begin(if columns.pair.is_some() { Paired::ByColumn } else { Paired::Consecutively })?;
    }
    let columns = columns.ok_or(TableError::Empty)?;
    reading.end_file(columns.moves.is_some())
}

/// Adds the game of a row, or leaves it out.
fn game(
    reading: &mut Reading,
    line: u64,
    row: &ByteRecord,
    columns: &CsvColumns,
    separator: u8,
) -> Result<(), TableError> {
    let (width, found) = (columns.width, row.len());
    if let Some(rows) = rows_within(row, columns, separator) {
        reading.found(rows);
        return reading.leave_out_unnamed(LeftOutCause::Quote, rows, line, || format!("{rows} rows"));
    }
    // Some programs end every row with a separator.
    if found < width || row.iter().skip(width).any(|cell| !trimmed(cell).is_empty()) {
        let lines = 1 + lines_within(row).count();
        reading.found(lines);
        return reading.leave_out_unnamed(LeftOutCause::Cells, lines, line, || format!("{found} instead of {width}"));
    }
    reading.found(1);
    let cell = |column: usize| trimmed(&row[column]);
    let moves = columns.moves.map(cell);
    let has_moves = moves.is_some_and(|moves| !moves.is_empty());
    let Some(players) = reading.players(line, [columns.first, columns.second].map(cell), has_moves)? else {
        return Ok(());
    };
    let written = cell(columns.result);
    let result = result(written);
    reading.add(&ReadGame {
        line,
        players,
        result,
        written,
        end: None,
        label: columns.pair.map_or(Label::Neighbour, |column| Label::Text(cell(column))),
        opening: columns.opening.map(cell),
        moves: moves.map(|moves| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(moves);
            if let Some(seed) = columns.hidden_seed {
                hasher.update(b"\0").update(&row[seed]);
            }
            let mut hash = [0; 16];
            hash.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
            hash
        }),
        forfeit: result.is_ok_and(|result| columns.is_forfeit(row, result)),
        rated: !columns.is_withdrawn(row),
    })
}

/// The number of rows in this one, if a quote that was not closed made it swallow others: a cell has lines that are
/// rows with a result.
fn rows_within(row: &ByteRecord, columns: &CsvColumns, separator: u8) -> Option<usize> {
    let is_row = |line: &[u8]| {
        let cell = line.split(|byte| *byte == separator).nth(columns.result).map(trimmed).unwrap_or_default();
        let cell = cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\"")).unwrap_or(cell);
        !cell.is_empty() && result(cell) != Err(LeftOutCause::UnknownResult)
    };
    (columns.result > 0 && lines_within(row).any(is_row)).then(|| 1 + lines_within(row).count())
}

/// The lines of cells after their first one, except blank ones.
fn lines_within(row: &ByteRecord) -> impl Iterator<Item = &[u8]> {
    let cells = row.iter().filter_map(|cell| Some(&cell[memchr::memchr2(b'\r', b'\n', cell)?..]));
    cells.flat_map(|rest| rest.split(|byte| b"\r\n".contains(byte))).filter(|line| !trimmed(line).is_empty())
}
