//! `games.csv`: one row per game.

use std::io::Write;

use arena_core::record::Record;
use arena_core::rules::Seat;
use arena_core::schedule::Planned;
use arena_core::text::cell;

use super::rounds::match_numbers;
use crate::report::cells::CsvColumn;
use crate::report::{Results, cells};

/// A game, and the names of its bots for the table.
struct GamesRow {
    game: Planned,
    record: Record,
    names: [String; 2],
    /// The stepwise format, and the number of its match in it.
    format: String,
    number: usize,
    /// Its hidden information, as JSON.
    hidden: String,
}

/// Writes every game that was played, including void ones, in schedule order. `opening` and `moves` (which begin with
/// the opening) are separated by spaces. Times are in milliseconds and include only the seat's own moves; the longest
/// is empty if it made none. If the game has hidden information, a column `hidden` with it follows `seed`.
///
/// # Errors
///
/// Returns an error if `out` or the journal fails.
pub fn games_csv(results: &Results<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let all: [CsvColumn<GamesRow>; 21] = [
        ("id", |row| row.record.id.clone()),
        ("round", |row| row.game.round.to_string()),
        ("pair", |row| row.game.pair.to_string()),
        ("format", |row| row.format.clone()),
        ("match", |row| row.number.to_string()),
        ("opening", |row| cells::moves(&row.record.opening)),
        ("first", |row| row.names[0].clone()),
        ("second", |row| row.names[1].clone()),
        ("result", |row| row.record.result.name().to_owned()),
        ("winner", |row| row.record.result.winner().map_or_else(String::new, |seat| row.names[seat.index()].clone())),
        ("reason", |row| cell(row.record.reason.as_bytes())),
        ("first_status", |row| row.record.statuses[0].name().to_owned()),
        ("second_status", |row| row.record.statuses[1].name().to_owned()),
        ("plies", |row| row.record.moves.len().to_string()),
        ("moves", |row| cells::moves(&row.record.moves)),
        ("seed", |row| row.record.seed.to_string()),
        ("hidden", |row| row.hidden.clone()),
        ("first_ms", |row| total_ms(&row.record, Seat::First)),
        ("second_ms", |row| total_ms(&row.record, Seat::Second)),
        ("first_max_ms", |row| longest_ms(&row.record, Seat::First)),
        ("second_max_ms", |row| longest_ms(&row.record, Seat::Second)),
    ];
    let closed = results.event().variant().ok().filter(|variant| !variant.rules.open_information);
    let sheet = results.ranking.sheet.as_ref();
    let mut columns = all.to_vec();
    columns.retain(|(name, _)| {
        (*name != "hidden" || closed.is_some()) && (!["format", "match"].contains(name) || sheet.is_some())
    });
    let numbers = sheet.filter(|sheet| !sheet.ranks.is_empty()).map(match_numbers);
    // Tables need no program, and what that reveals it reveals at the end of a game.
    let known = closed.as_ref().filter(|variant| !variant.rules.is_external());
    let hidden = |seed| known?.start(seed).ok()?.reveal().map(|hidden| hidden.get().to_owned());
    let rows = results.schedule.tried().map(|(game, brief)| {
        let names = game.bots.map(|bot| cell(results.name(bot).as_bytes()));
        let record = results.record(&game, &brief)?;
        let [a, b] = game.bots;
        let number = numbers.as_ref().map_or(Some(game.pair as usize), |all| all.get(&[a.min(b), a.max(b)]).copied());
        let number = number.unwrap_or_default();
        let format = results.event().format.clone();
        Ok(GamesRow { format, hidden: hidden(record.seed).unwrap_or_default(), record, game, names, number })
    });
    cells::write_table(out, &columns, rows)
}

fn total_ms(record: &Record, seat: Seat) -> String {
    arena_core::text::millis(record.times_of(seat).fold(0, u64::saturating_add))
}

/// The longest time of the seat's moves.
fn longest_ms(record: &Record, seat: Seat) -> String {
    record.times_of(seat).max().map(arena_core::text::millis).unwrap_or_default()
}
