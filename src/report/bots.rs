//! `bots.csv`: how each bot behaved, in the order of the roster.

use std::io::Write;

use super::{Results, cells};
use crate::record::Status;
use crate::rules::Seat;

const HEADER: [&str; 17] = [
    "name",
    "games",
    "moves",
    "mean_ms",
    "p50_ms",
    "p99_ms",
    "max_ms",
    "timeout",
    "illegal_move",
    "protocol_error",
    "crashed",
    "startup_failed",
    "resigned",
    "withdrawn",
    "surplus_lines",
    "fingerprint",
    "command",
];

/// What is summed up over a bot's games.
#[derive(Default)]
struct Conduct {
    games: u64,
    us: Vec<u64>,
    statuses: [u64; Status::ALL.len()],
    surplus_lines: u64,
}

/// Writes every bot's games, moves, times and faults. Void games are left out; times are milliseconds and empty for a
/// bot that made no move.
///
/// # Errors
///
/// Returns an error if `out` does.
pub fn bots_csv(results: &Results<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut table = cells::csv_table(out, HEADER)?;
    for (entry, conduct) in results.event().bots.iter().zip(conducts(results)) {
        let mut row = vec![entry.id.name.clone(), conduct.games.to_string(), conduct.us.len().to_string()];
        row.extend(times(conduct.us));
        for status in Status::ALL.into_iter().filter(|status| *status != Status::Ok) {
            row.push(conduct.statuses[status as usize].to_string());
        }
        row.extend([conduct.surplus_lines.to_string(), entry.id.fingerprint.clone(), entry.command.clone()]);
        table.write_record(row)?;
    }
    Ok(table.flush()?)
}

fn conducts(results: &Results<'_>) -> Vec<Conduct> {
    let mut conducts: Vec<Conduct> = results.event().bots.iter().map(|_| Conduct::default()).collect();
    for (game, record) in results.played() {
        for seat in Seat::BOTH {
            let Some(conduct) = conducts.get_mut(game.bots[seat.index()]) else { continue };
            conduct.games += 1;
            conduct.us.extend(record.played_by(seat).map(|played| played.us));
            conduct.statuses[record.statuses[seat.index()] as usize] += 1;
            conduct.surplus_lines += u64::from(record.surplus_lines[seat.index()]);
        }
    }
    conducts
}

/// Mean, median, 99th percentile and maximum, in milliseconds.
fn times(mut us: Vec<u64>) -> [String; 4] {
    us.sort_unstable();
    let Some(&max) = us.last() else { return Default::default() };
    let count = us.len() as u128;
    let mean = (us.iter().map(|&us| u128::from(us)).sum::<u128>() + count / 2) / count;
    // The nearest rank: the smallest time that at least so many per cent of the moves did not exceed.
    let percentile = |percent: usize| us[(us.len() * percent).div_ceil(100) - 1];
    [mean as u64, percentile(50), percentile(99), max].map(cells::millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_occurred() {
        assert_eq!(times(vec![]), ["", "", "", ""]);
        assert_eq!(times(vec![7]), ["0.007"; 4]);
        assert_eq!(times((1..=200).rev().collect()), ["0.101", "0.100", "0.198", "0.200"]);
        assert_eq!(times(vec![u64::MAX; 2])[0], "18446744073709551.615");
    }

    #[test]
    fn statuses_index_by_their_order() {
        for (index, status) in Status::ALL.into_iter().enumerate() {
            assert_eq!(status as usize, index);
        }
    }
}
