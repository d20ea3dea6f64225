//! `games.csv`: one row per game.

use std::io::Write;

use super::{Results, cells};
use crate::record::Record;
use crate::rules::Seat;
use crate::text::cell;

const HEADER: [&str; 18] = [
    "id",
    "round",
    "pair",
    "opening",
    "first",
    "second",
    "result",
    "winner",
    "reason",
    "first_status",
    "second_status",
    "plies",
    "moves",
    "seed",
    "first_ms",
    "second_ms",
    "first_max_ms",
    "second_max_ms",
];

/// Writes every game that was played, including void ones, in schedule order. `opening` and `moves` (which begin with
/// the opening) are separated by spaces. Times are in milliseconds and include only the seat's own moves; the longest
/// is empty if it made none.
///
/// # Errors
///
/// Returns an error if `out` or the journal fails.
pub fn games_csv(results: &Results<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut table = cells::csv_table(out, HEADER)?;
    for (game, brief) in results.schedule().tried() {
        let record = results.record(&game, &brief)?;
        let names = game.bots.map(|bot| cell(results.name(bot).as_bytes()));
        let times = Seat::BOTH.map(|seat| times(&record, seat));
        table.write_record([
            record.id.as_str(),
            &game.round.to_string(),
            &game.pair.to_string(),
            &cells::moves(&record.opening),
            &names[0],
            &names[1],
            record.result.name(),
            record.result.winner().map_or("", |seat| &names[seat.index()]),
            &cell(record.reason.as_bytes()),
            record.statuses[0].name(),
            record.statuses[1].name(),
            &record.moves.len().to_string(),
            &cells::moves(&record.moves),
            &record.seed.to_string(),
            &times[0].0,
            &times[1].0,
            &times[0].1,
            &times[1].1,
        ])?;
    }
    Ok(table.flush()?)
}

/// The total and the longest time of the seat's moves.
fn times(record: &Record, seat: Seat) -> (String, String) {
    let total = record.played_by(seat).fold(0_u64, |total, played| total.saturating_add(played.us));
    let longest = record.played_by(seat).map(|played| played.us).max();
    (cells::millis(total), longest.map(cells::millis).unwrap_or_default())
}
