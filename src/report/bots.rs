//! `bots.csv`: how each bot behaved, in roster order.

use std::io::Write;

use super::times::Times;
use super::{Results, cells};
use crate::record::Status;
use crate::rules::Seat;
use crate::text::cell;

const HEADER: [&str; 22] = [
    "name",
    "games",
    "moves",
    "mean_ms",
    "p50_ms",
    "p99_ms",
    "max_ms",
    "cpu_ms",
    "credit_ms",
    "off_move_ms",
    "timeout",
    "illegal_move",
    "protocol_error",
    "crashed",
    "startup_failed",
    "interference",
    "resigned",
    "withdrawn",
    "void",
    "surplus_lines",
    "fingerprint",
    "command",
];

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
    surplus_lines: u64,
}

/// Writes every bot's games, moves, times and faults. Void games are counted, but otherwise ignored. Times are in
/// milliseconds, and empty for a bot without moves. Reads the games of the journal once or twice.
///
/// # Errors
///
/// Returns an error if `out` or the journal fails.
pub fn bots_csv(results: &Results<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut table = cells::csv_table(out, HEADER)?;
    let conducts = conducts(results)?.into_iter().zip(results.void_games());
    for (entry, (conduct, void)) in results.event().bots.iter().zip(conducts) {
        let mut row =
            vec![cell(entry.id.name.as_bytes()), conduct.games.to_string(), conduct.times.count().to_string()];
        row.extend(conduct.times.summary().map(|times| times.map(cells::millis)).unwrap_or_default());
        row.push(conduct.cpu_us.map_or_else(String::new, cells::millis));
        row.push(cells::millis(conduct.credit_us));
        row.push(cells::millis(conduct.off_move_us));
        for status in Status::ALL.into_iter().filter(|status| *status != Status::Ok) {
            row.push(conduct.statuses[status as usize].to_string());
        }
        row.extend([
            void.to_string(),
            conduct.surplus_lines.to_string(),
            cell(entry.id.fingerprint.as_bytes()),
            cell(entry.command.as_bytes()),
        ]);
        table.write_record(row)?;
    }
    Ok(table.flush()?)
}

fn conducts(results: &Results<'_>) -> anyhow::Result<Vec<Conduct>> {
    let mut conducts: Vec<Conduct> = results.event().bots.iter().map(|_| Conduct::default()).collect();
    for played in results.played_records() {
        let (game, record) = played?;
        for seat in Seat::BOTH {
            let Some(conduct) = conducts.get_mut(game.bots[seat.index()]) else { continue };
            conduct.games += 1;
            for played in record.played_by(seat) {
                conduct.times.add(played.us);
                conduct.credit_us = conduct.credit_us.saturating_add(played.credit_us);
            }
            conduct.cpu_us = [conduct.cpu_us, record.cpu_of(seat)].into_iter().flatten().reduce(u64::saturating_add);
            conduct.off_move_us = conduct.off_move_us.saturating_add(record.off_move_us[seat.index()]);
            conduct.statuses[record.statuses[seat.index()] as usize] += 1;
            conduct.surplus_lines += u64::from(record.surplus_lines[seat.index()]);
        }
    }
    let mut again = false;
    for conduct in &mut conducts {
        again |= conduct.times.needs_a_closer_look();
    }
    if again {
        for played in results.played_records() {
            let (game, record) = played?;
            for seat in Seat::BOTH {
                let Some(conduct) = conducts.get_mut(game.bots[seat.index()]) else { continue };
                record.played_by(seat).for_each(|played| conduct.times.add_again(played.us));
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
