//! Reads `games.csv` back. A file of a million games is read in a fraction of a second, so that nothing but the columns of a
//! list is decoded.

use std::collections::HashMap;
use std::io::BufRead;

use arena_core::event::GameId;
use arena_core::record::{GameResult, Status};
use arena_core::rules::Variant;
use arena_core::text::of_cell;

use super::{List, ListedGame};

/// The columns that a list needs.
const COLUMNS: [&str; 12] = [
    "id",
    "round",
    "pair",
    "first",
    "second",
    "result",
    "reason",
    "first_status",
    "second_status",
    "plies",
    "first_max_ms",
    "second_max_ms",
];

/// Adds the games of a table that [`games_csv`](crate::report::games_csv) wrote to `list`, for a new folder that will be the
/// last of [`List::folders`]; their reasons are those of `variant`. `None` if it is not such a table; some games may have been added then.
///
/// # Errors
///
/// Returns an error if `input` cannot be read.
pub fn read_games_csv(
    mut input: impl BufRead,
    variant: Option<&Variant>,
    list: &mut List,
) -> std::io::Result<Option<()>> {
    let mut known = HashMap::new();
    let mut line = String::new();
    input.read_line(&mut line)?;
    let heads: Vec<&str> = line.trim_end().split(',').collect();
    let places: Option<Vec<usize>> = COLUMNS.iter().map(|name| heads.iter().position(|head| head == name)).collect();
    let Some(places) = places.and_then(|places| <[usize; 12]>::try_from(places).ok()) else { return Ok(None) };
    let mut line = Vec::new();
    let mut ends = Vec::with_capacity(heads.len());
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(Some(()));
        }
        if line.pop() != Some(b'\n') {
            return Ok(None);
        }
        let reason = |list: &mut List, cell: &str| match known.get(cell) {
            Some(number) => *number,
            None => *known.entry(cell.to_owned()).or_insert(list.reason(&of_cell(cell), variant)),
        };
        let row = if line.contains(&b'"') {
            quoted(&line, heads.len()).and_then(|cells| row(&places.map(|place| cells[place].as_slice()), list, reason))
        } else {
            ends.clear();
            ends.extend(memchr::memchr_iter(b',', &line));
            ends.push(line.len());
            let cell = |place: usize| &line[place.checked_sub(1).map_or(0, |before| ends[before] + 1)..ends[place]];
            (ends.len() == heads.len()).then(|| places.map(cell)).and_then(|cells| row(&cells, list, reason))
        };
        let Some(row) = row else { return Ok(None) };
        list.rows.push(row);
    }
}

/// The cells of a line with quotes.
fn quoted(line: &[u8], count: usize) -> Option<Vec<Vec<u8>>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line);
    let record = reader.byte_records().next()?.ok()?;
    (record.len() == count).then(|| record.iter().map(<[u8]>::to_vec).collect())
}

/// The game in these cells, in the order of [`COLUMNS`].
fn row(
    cells: &[&[u8]; 12],
    list: &mut List,
    number_of_reason: impl FnOnce(&mut List, &str) -> u32,
) -> Option<ListedGame> {
    let [id, round, pair, first, second, result, reason, first_status, second_status, plies, first_max, second_max] =
        cells.map(|cell| std::str::from_utf8(cell).ok());
    let status = |name: Option<&str>| Status::ALL.into_iter().find(|status| Some(status.name()) == name);
    let mut longest = None;
    // It is empty where there was no move.
    for ms in [first_max?, second_max?].into_iter().filter(|ms| !ms.is_empty()) {
        longest = longest.max(Some(micros(ms)?));
    }
    Some(ListedGame {
        id: GameId::of(id?),
        slowest_us: longest,
        round: round?.parse().ok()?,
        pair: pair?.parse().ok()?,
        bots: [list.bots.number_of_cell(first?), list.bots.number_of_cell(second?)],
        plies: plies?.parse().ok()?,
        reason: number_of_reason(list, reason?),
        folder: list.folders.len() as u16,
        result: GameResult::ALL.into_iter().find(|known| Some(known.name()) == result)?,
        statuses: [status(first_status)?, status(second_status)?],
        gave_away: [false; 2],
    })
}

impl super::NumberedWords {
    /// The number of the word that a cell has.
    fn number_of_cell(&mut self, cell: &str) -> u32 {
        if cell.contains('\\') { self.number(&of_cell(cell)) } else { self.number(cell) }
    }
}

/// Milliseconds with three decimals as microseconds.
fn micros(ms: &str) -> Option<u64> {
    let (whole, decimals) = ms.split_once('.')?;
    let whole: u64 = whole.parse().ok()?;
    let decimals: u64 = (decimals.len() == 3).then(|| decimals.parse().ok())??;
    whole.checked_mul(1_000)?.checked_add(decimals)
}
