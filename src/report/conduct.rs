//! How each bot behaved, and where: sums over the games of the journal, which is read once or twice for them.

use std::collections::BTreeSet;

use super::Results;
use super::by_ply::ByPly;
use super::times::Times;
use crate::record::{Record, Status};
use crate::rules::Seat;

/// Names of machines and versions that are kept; a tournament has few.
const ORIGINS_MAX: usize = 16;

/// What the games say about their bots and their origin.
#[derive(Debug)]
pub struct Conducts {
    /// Sums by bot, in roster order.
    pub(super) bots: Vec<Conduct>,
    /// Times by ply.
    pub(super) by_ply: ByPly,
    /// The machines on which games were played.
    pub(super) hosts: BTreeSet<String>,
    /// The versions of the arena that played them.
    pub(super) arenas: BTreeSet<String>,
    /// The start of the first game and of the last one; empty without games.
    pub(super) started: [String; 2],
}

/// Sums over a bot's games.
#[derive(Debug, Default)]
pub(super) struct Conduct {
    pub(super) games: u64,
    pub(super) times: Times,
    /// CPU time, if the system reports it.
    pub(super) cpu_us: Option<u64>,
    pub(super) credit_us: u64,
    pub(super) off_move_us: u64,
    pub(super) statuses: [u64; Status::ALL.len()],
    /// Number of its timeouts after the full credit for waiting.
    pub(super) starved: u64,
    pub(super) surplus_lines: u64,
}

impl Conducts {
    /// Reads every game that counts.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub(super) fn of(results: &Results<'_>) -> anyhow::Result<Self> {
        let bots = results.event().bots.iter().map(|_| Conduct::default()).collect();
        let started = [String::new(), String::new()];
        let by_ply = ByPly::new(results.ranking.analysis.standings.iter().map(|row| row.bot));
        let mut conducts = Self { bots, by_ply, hosts: BTreeSet::new(), arenas: BTreeSet::new(), started };
        for (game, brief) in results.schedule.played() {
            conducts.add(game.bots, &results.record(&game, &brief)?);
        }
        let mut needs_second_pass = false;
        for conduct in &mut conducts.bots {
            needs_second_pass |= conduct.times.needs_second_pass();
        }
        if needs_second_pass {
            for (game, brief) in results.schedule.played() {
                let record = results.record(&game, &brief)?;
                for seat in Seat::BOTH {
                    let times = &mut conducts.bots[game.bots[seat.index()]].times;
                    record.played_by(seat).for_each(|played| times.add_again(played.us));
                }
            }
        }
        Ok(conducts)
    }

    fn add(&mut self, bots: [usize; 2], record: &Record) {
        for seat in Seat::BOTH {
            self.bots[bots[seat.index()]].add(record, seat);
        }
        self.by_ply.add(bots, record);
        for (known, name) in [(&mut self.hosts, &record.host), (&mut self.arenas, &record.arena)] {
            if !name.is_empty() && known.len() < ORIGINS_MAX && !known.contains(name) {
                known.insert(name.clone());
            }
        }
        let [first, last] = &mut self.started;
        if !record.started.is_empty() {
            if first.is_empty() || record.started < *first {
                first.clone_from(&record.started);
            }
            if record.started > *last {
                last.clone_from(&record.started);
            }
        }
    }
}

impl Conduct {
    /// Games lost by timeout.
    pub(super) const fn timeouts(&self) -> u64 {
        self.statuses[Status::Timeout as usize]
    }

    fn add(&mut self, record: &Record, seat: Seat) {
        self.games += 1;
        for played in record.played_by(seat) {
            self.times.add(played.us);
            self.credit_us = self.credit_us.saturating_add(played.credit_us);
        }
        self.cpu_us = [self.cpu_us, record.cpu_of(seat)].into_iter().flatten().reduce(u64::saturating_add);
        self.off_move_us = self.off_move_us.saturating_add(record.off_move_us[seat.index()]);
        self.statuses[record.statuses[seat.index()] as usize] += 1;
        self.starved += u64::from(record.is_starved_timeout(seat));
        self.surplus_lines += u64::from(record.surplus_lines[seat.index()]);
    }
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
