//! `bots.csv`: how each bot behaved, in roster order.

use std::io::Write;

use super::cells::Column;
use super::times::Times;
use super::{Results, cells};
use crate::event::Entry;
use crate::record::Status;
use crate::rules::Seat;
use crate::text::cell;

/// Sums over a bot's games.
#[derive(Default)]
struct Conduct {
    games: u64,
    times: Times,
    /// CPU time, if the system reports it.
    cpu_us: Option<u64>,
    credit_us: u64,
    off_move_us: u64,
    statuses: [u64; Status::ALL.len()],
    /// Number of its timeouts after the full credit for waiting.
    starved: u64,
    surplus_lines: u64,
}

struct Row<'a> {
    entry: &'a Entry,
    conduct: Conduct,
    /// Mean, median, 99th percentile and maximum.
    times: Option<[u64; 4]>,
    void: u64,
}

impl Row<'_> {
    fn time(&self, index: usize) -> String {
        self.times.map(|times| cells::millis(times[index])).unwrap_or_default()
    }

    fn games_with(&self, status: Status) -> String {
        self.conduct.statuses[status as usize].to_string()
    }
}

/// Writes every bot's games, moves, times and faults. Void games are counted, but otherwise ignored. Times are in
/// milliseconds, and empty for a bot without moves. Reads the games of the journal once or twice.
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
        ("p99_ms", |row| row.time(2)),
        ("max_ms", |row| row.time(3)),
        ("cpu_ms", |row| row.conduct.cpu_us.map(cells::millis).unwrap_or_default()),
        ("credit_ms", |row| cells::millis(row.conduct.credit_us)),
        ("off_move_ms", |row| cells::millis(row.conduct.off_move_us)),
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
    let conducts = conducts(results)?.into_iter().zip(results.void_games());
    let rows = results
        .event()
        .bots
        .iter()
        .zip(conducts)
        .map(|(entry, (conduct, void))| Ok(Row { entry, times: conduct.times.summary(), conduct, void }));
    cells::write_table(out, &columns, rows)
}

fn conducts(results: &Results<'_>) -> anyhow::Result<Vec<Conduct>> {
    let mut conducts: Vec<Conduct> = results.event().bots.iter().map(|_| Conduct::default()).collect();
    for (game, brief) in results.schedule.played() {
        let record = results.record(&game, &brief)?;
        for seat in Seat::BOTH {
            let conduct = &mut conducts[game.bots[seat.index()]];
            conduct.games += 1;
            for played in record.played_by(seat) {
                conduct.times.add(played.us);
                conduct.credit_us = conduct.credit_us.saturating_add(played.credit_us);
            }
            conduct.cpu_us = [conduct.cpu_us, record.cpu_of(seat)].into_iter().flatten().reduce(u64::saturating_add);
            conduct.off_move_us = conduct.off_move_us.saturating_add(record.off_move_us[seat.index()]);
            conduct.statuses[record.statuses[seat.index()] as usize] += 1;
            conduct.starved += u64::from(record.is_starved_timeout(seat));
            conduct.surplus_lines += u64::from(record.surplus_lines[seat.index()]);
        }
    }
    let mut needs_second_pass = false;
    for conduct in &mut conducts {
        needs_second_pass |= conduct.times.needs_second_pass();
    }
    if needs_second_pass {
        for (game, brief) in results.schedule.played() {
            let record = results.record(&game, &brief)?;
            for seat in Seat::BOTH {
                let times = &mut conducts[game.bots[seat.index()]].times;
                record.played_by(seat).for_each(|played| times.add_again(played.us));
            }
        }
    }
    Ok(conducts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_indexed_in_their_order() {
        for (index, status) in Status::ALL.into_iter().enumerate() {
            assert_eq!(status as usize, index);
        }
    }
}
