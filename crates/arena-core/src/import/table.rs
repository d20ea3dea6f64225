//! Tables of games: a header, and a row for each game.

use std::io::Read;

use csv::ByteRecord;

use super::alike::trimmed;
use super::columns::{CsvColumns, ResultColumns};
use super::lines::LineCounter;
use super::missing::{is_missing, present};
use super::reading::{ReadGame, Reading};
use super::results::{Written, written};
use super::{LeftOutCause, TableError};

/// Reads a table.
pub(super) fn read(reading: &mut Reading<'_>, separator: u8, input: impl Read) -> Result<(), TableError> {
    // The CSV reader's own line numbers are wrong after empty lines and with CRLF, and its message about rows of
    // different lengths is meant for programmers.
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(LineCounter::new(input));
    let mut row = ByteRecord::new();
    let mut columns: Option<CsvColumns> = None;
    let mut header = ByteRecord::new();
    let mut scores = Vec::new();
    while reader.read_byte_record(&mut row)? {
        let byte = row.position().map_or(0, csv::Position::byte);
        let end = reader.position().byte();
        let line = reader.get_mut().line_at(byte);
        reader.get_mut().begin_row(end);
        // Spreadsheets write empty cells for rows that were cleared.
        if row.iter().all(|cell| trimmed(cell).is_empty()) {
            continue;
        }
        match &columns {
            // Of another table that was put behind the first.
            Some(_) if is_same(&row, &header) => reading.begin_rows(),
            Some(columns) => game(reading, line, &row, columns, separator, &mut scores)?,
            None => {
                columns = Some(CsvColumns::find(&row)?);
                header.clone_from(&row);
            }
        }
    }
    let columns = columns.ok_or(TableError::Empty)?;
    reading.end_file(columns.moves.is_some())
}

/// Whether a row has the same cells as the header.
fn is_same(row: &ByteRecord, header: &ByteRecord) -> bool {
    row.len() == header.len() && row.iter().zip(header).all(|(cell, name)| trimmed(cell) == trimmed(name))
}

/// Adds the game of a row, or leaves it out.
fn game(
    reading: &mut Reading<'_>,
    line: u64,
    row: &ByteRecord,
    columns: &CsvColumns,
    separator: u8,
    scores: &mut Vec<u8>,
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
    reading.format(columns.format.map(cell));
    let moves = columns.moves.map(cell).and_then(present).map(|moves| {
        let mut hasher = blake3::Hasher::new();
        hasher.update(moves);
        if let Some(seed) = columns.hidden_seed {
            hasher.update(b"\0").update(&row[seed]);
        }
        let mut hash = [0; 16];
        hash.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        hash
    });
    let players = [columns.first, columns.second].map(cell);
    reading.add(&ReadGame {
        line,
        players,
        written: result_cell(row, columns, scores),
        cause: None,
        label: columns.pair.map(cell),
        opening: columns.opening.map(cell),
        has_moves: moves.is_some(),
        moves,
        identity: columns.record(row).and_then(|record| record.identity(players, moves)),
        faults: columns.faults(row),
        rated: !columns.is_withdrawn(row),
    })
}

/// The result of a row: its cell, or `1:0` if each score has its own.
fn result_cell<'a>(row: &'a ByteRecord, columns: &CsvColumns, scores: &'a mut Vec<u8>) -> &'a [u8] {
    let cell = |column: usize| trimmed(&row[column]);
    match columns.result {
        ResultColumns::One(column) => cell(column),
        ResultColumns::Scores(both) => {
            scores.clear();
            let [first, second] = both.map(cell);
            // Two equal words may stand for a draw, if that scale is chosen.
            if !is_missing(first) || !is_missing(second) || first.len() > 1 && first == second {
                scores.extend_from_slice(first);
                scores.push(b':');
                scores.extend_from_slice(second);
            }
            scores
        }
    }
}

/// The number of rows in this one, if a quote that was not closed made it swallow others: a cell has lines that are
/// rows with a result.
fn rows_within(row: &ByteRecord, columns: &CsvColumns, separator: u8) -> Option<usize> {
    let (ResultColumns::One(column) | ResultColumns::Scores([column, _])) = columns.result;
    let is_row = |line: &[u8]| {
        let cell = line.split(|byte| *byte == separator).nth(column).map(trimmed).unwrap_or_default();
        let cell = cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\"")).unwrap_or(cell);
        !cell.is_empty() && written(cell) != Written::Other
    };
    (column > 0 && lines_within(row).any(is_row)).then(|| 1 + lines_within(row).count())
}

/// The lines of cells after their first one, except blank ones.
fn lines_within(row: &ByteRecord) -> impl Iterator<Item = &[u8]> {
    let cells = row.iter().filter_map(|cell| Some(&cell[memchr::memchr2(b'\r', b'\n', cell)?..]));
    cells.flat_map(|rest| rest.split(|byte| b"\r\n".contains(byte))).filter(|line| !trimmed(line).is_empty())
}
