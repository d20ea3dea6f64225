//! How long a bot thought, and how near it came to its limit.

use std::time::Duration;

use arena_core::clock::{Charge, Clock, Taken};
use arena_core::event::Tournament;
use arena_core::record::Record;
use arena_core::rules::Seat;
use arena_core::text::{millis, percent};

use crate::report::Results;

/// The move that took the largest share of what it was allowed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearest {
    taken: Duration,
    limit: Duration,
}

impl Nearest {
    fn share(self) -> f64 {
        self.taken.as_secs_f64() / self.limit.as_secs_f64().max(1e-9)
    }
}

/// For each bot the move of all its games that came nearest to its limit. A move that did not come is not among them.
///
/// # Errors
///
/// Returns an error if the journal cannot be read.
pub(super) fn nearest(results: &Results<'_>) -> anyhow::Result<Vec<Option<Nearest>>> {
    let mut nearest: Vec<Option<Nearest>> = vec![None; results.event().bots.len()];
    for (game, brief) in results.schedule.played().filter(|(_, brief)| brief.bytes > 0) {
        let record = results.record(&game, &brief)?;
        for seat in Seat::BOTH {
            let known = &mut nearest[game.bots[seat.index()]];
            *known = moves(&record, seat).chain(*known).max_by(|a, b| a.share().total_cmp(&b.share()));
        }
    }
    Ok(nearest)
}

/// What each move was charged, and its limit then.
fn moves(record: &Record, seat: Seat) -> impl Iterator<Item = Nearest> {
    let mut clock = Clock::new(record.clock);
    record.played_by(seat).map(move |played| {
        let (limit, taken) = (clock.budget(), played.taken());
        let _ = clock.spend(&taken);
        let Taken { wall, cpu, .. } = taken;
        let taken = if record.clock.charge == Charge::Cpu { cpu.unwrap_or_default() } else { wall };
        Nearest { taken, limit }
    })
}

/// Labels and what they say; `None` if the bot made no move. `times` are the mean, the median, the 90th and the 99th percentile and
/// the longest, in microseconds.
pub(super) fn facts(
    times: Option<[u64; 5]>,
    event: &Tournament,
    nearest: Option<Nearest>,
) -> Option<Vec<(&'static str, String)>> {
    let [_, median, _, p99, longest] = times?;
    let ms = |us: u64| format!("{} ms", millis(us));
    let margin = event.clock.margin_ms;
    let mut facts = vec![
        ("Median", ms(median)),
        ("99 of 100 moves", format!("at most {}", ms(p99))),
        ("Longest", ms(longest)),
        ("Limit", format!("{}; {margin} ms more are forgiven", event.clock)),
    ];
    facts.extend(nearest.map(|nearest| {
        let [taken, limit] = [nearest.taken, nearest.limit].map(|time| ms(time.as_micros() as u64));
        ("Nearest to the limit", format!("{taken} of {limit} left to a move, {}%", percent(nearest.share())))
    }));
    Some(facts)
}
