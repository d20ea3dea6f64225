//! `bots.csv`: how each bot behaved, in roster order.

use std::io::Write;

use super::cells::Column;
use super::conduct::Conduct;
use super::{Results, cells};
use crate::event::Entry;
use crate::record::Status;
use crate::text::cell;

/// A bot and its sums.
struct Row<'a> {
    entry: &'a Entry,
    conduct: &'a Conduct,
    /// Mean, median, 90th and 99th percentile, and maximum.
    times: Option<[u64; 5]>,
    void: u64,
}

impl Row<'_> {
    fn time(&self, index: usize) -> String {
        self.times.map(|times| crate::text::millis(times[index])).unwrap_or_default()
    }

    fn games_with(&self, status: Status) -> String {
        self.conduct.statuses[status as usize].to_string()
    }
}

/// Writes every bot's games, moves, times and faults. Void games are counted, but otherwise ignored. Times are in
/// milliseconds, and empty for a bot without moves.
///
/// # Errors
///
/// Returns an error if `out` or the journal fails.
pub fn bots_csv(results: &Results<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let columns: [Column<Row<'_>>; 23] = [
        ("name", |row| cell(row.entry.id.name.as_bytes())),
        ("games", |row| row.conduct.games.to_string()),
        ("moves", |row| row.conduct.times.count().to_string()),
        ("mean_ms", |row| row.time(0)),
        ("p50_ms", |row| row.time(1)),
        ("p99_ms", |row| row.time(3)),
        ("max_ms", |row| row.time(4)),
        ("cpu_ms", |row| row.conduct.cpu_us.map(crate::text::millis).unwrap_or_default()),
        ("credit_ms", |row| crate::text::millis(row.conduct.credit_us)),
        ("off_move_ms", |row| crate::text::millis(row.conduct.off_move_us)),
        ("timeout", |row| row.games_with(Status::Timeout)),
        ("timeout_starved", |row| row.conduct.starved.to_string()),
        ("illegal_move", |row| row.games_with(Status::IllegalMove)),
        ("protocol_error", |row| row.games_with(Status::ProtocolError)),
        ("crashed", |row| row.games_with(Status::Crashed)),
        ("startup_failed", |row| row.games_with(Status::StartupFailed)),
        ("interference", |row| row.games_with(Status::Interference)),
        ("resigned", |row| row.games_with(Status::Resigned)),
        ("withdrawn", |row| row.games_with(Status::Withdrawn)),
        ("void", |row| row.void.to_string()),
        ("surplus_lines", |row| row.conduct.surplus_lines.to_string()),
        ("fingerprint", |row| cell(row.entry.id.fingerprint.as_bytes())),
        ("command", |row| cell(row.entry.command.as_bytes())),
    ];
    let conducts = results.conducts()?.bots.iter().zip(results.void_games());
    let rows = results
        .event()
        .bots
        .iter()
        .zip(conducts)
        .map(|(entry, (conduct, void))| Ok(Row { entry, times: conduct.times.summary(), conduct, void }));
    cells::write_table(out, &columns, rows)
}
