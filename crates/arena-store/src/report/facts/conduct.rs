//! How each bot behaved, and where: sums over the games of the journal, which is read once or twice for them.

use std::collections::BTreeSet;
use std::time::Duration;

use arena_core::event::GameId;
use arena_core::record::{DeniedCalls, Record, Status};
use arena_core::rules::Seat;

use super::by_ply::ByPly;
use super::times::MoveTimes;
use crate::report::Results;

/// Names of machines and versions that are kept; a tournament has few.
const ORIGINS_MAX: usize = 16;

/// Classes of machines that are told apart for a bot; there are few.
const CLASSES_MAX: usize = 16;
/// Stands for all further classes.
pub(crate) const OTHER_CLASSES: &str = "other";

/// What the games say about their bots and their origin.
#[derive(Debug, Default)]
pub struct Conducts {
    /// Sums by bot, in roster order.
    pub(crate) bots: Vec<Conduct>,
    /// Times by ply.
    pub(crate) by_ply: ByPly,
    /// The machines on which games were played.
    pub(crate) hosts: BTreeSet<String>,
    /// The versions of the arena that played them.
    pub(crate) arenas: BTreeSet<String>,
    /// The start of the first game and of the last one; empty without games.
    pub(crate) started: [String; 2],
    /// The most games that were played at a time.
    slots: u32,
    /// Time of the moves of all games, in microseconds.
    moves_us: u64,
    /// Time of the moves of the last game, in microseconds.
    last_us: u64,
    /// Fewest plies of a game.
    pub(crate) shortest: usize,
    /// The game with the most plies, and its bots.
    pub(crate) longest: Option<(usize, [usize; 2], GameId)>,
    /// The game in which the bots saw the lead change most often, and how often.
    pub(crate) turns: Option<(usize, [usize; 2], GameId)>,
}

/// Sums over a bot's games.
#[derive(Debug, Default)]
pub(crate) struct Conduct {
    pub(crate) games: u64,
    pub(crate) times: MoveTimes,
    /// Moves that it made.
    pub(crate) moves: u64,
    /// The longest time after which it was stopped, in microseconds, if it lost on time.
    pub(crate) stopped_us: Option<u64>,
    /// CPU time, if the system reports it.
    pub(crate) cpu_us: Option<u64>,
    pub(crate) credit_us: u64,
    pub(crate) off_move_us: u64,
    pub(crate) statuses: [u64; Status::ALL.len()],
    /// Number of its timeouts after the full credit for waiting.
    pub(crate) starved: u64,
    pub(crate) surplus_lines: u64,
    pub(crate) denied: DeniedCalls,
    /// Void attempts in which both bots had started.
    pub(crate) void: u64,
    /// Void attempts at games of others that it is to blame for.
    pub(crate) disturbed_others: u64,
    /// Classes of the machines that played them and the void attempts; an empty one if that is not recorded.
    pub(crate) classes: BTreeSet<String>,
}

impl Conducts {
    /// Reads every game that counts, and the void ones in which both bots had started.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub(crate) fn of(results: &Results<'_>) -> anyhow::Result<Self> {
        let by_ply = ByPly::new(results.ranking.analysis.standings.iter().map(|row| row.bot));
        let mut conducts = Self { by_ply, shortest: usize::MAX, ..Self::default() };
        let count = results.event().bots.len();
        conducts.bots = sums(results, count, |bot, _| bot, |bots, record| conducts.note(bots, record))?;
        Ok(conducts)
    }

    /// Whether one machine played all games.
    #[must_use]
    pub fn are_of_one_machine(&self) -> bool {
        self.hosts.len() < 2
    }

    /// The classes of the machines on which games were played, as far as they are recorded.
    pub(crate) fn classes(&self) -> BTreeSet<String> {
        let classes = self.bots.iter().flat_map(|bot| &bot.classes);
        classes.filter(|class| !class.is_empty()).cloned().collect()
    }

    /// Notes what is not a sum of a bot.
    fn note(&mut self, bots: [usize; 2], record: &Record) {
        self.by_ply.add(bots, record);
        for (known, name) in [(&mut self.hosts, &record.host), (&mut self.arenas, &record.arena)] {
            if !name.is_empty() && known.len() < ORIGINS_MAX && !known.contains(name) {
                known.insert(name.clone());
            }
        }
        self.slots = self.slots.max(record.machine.as_ref().map_or(0, |machine| machine.slots));
        self.moves_us = record.played.iter().fold(self.moves_us, |sum, played| sum.saturating_add(played.us));
        let [first, last] = &mut self.started;
        if !record.started.is_empty() {
            if first.is_empty() || record.started < *first {
                first.clone_from(&record.started);
            }
            if record.started > *last {
                last.clone_from(&record.started);
                self.last_us = record.played.iter().fold(0, |sum, played| sum.saturating_add(played.us));
            }
        }
        self.shortest = self.shortest.min(record.moves.len());
        for (known, count) in [(&mut self.longest, record.moves.len()), (&mut self.turns, turns(record))] {
            if known.is_none_or(|(most, ..)| count > most) {
                *known = Some((count, bots, GameId::of(&record.id)));
            }
        }
    }

    /// The mean time of a game's moves in seconds, and the most games at a time, if that is recorded.
    pub(crate) fn seconds_and_slots(&self) -> (f64, u32) {
        let games = self.bots.iter().map(|bot| bot.games).sum::<u64>() / 2;
        (self.moves_us as f64 / 1e6 / games.max(1) as f64, self.slots)
    }

    /// When the last game ended, to the minute in UTC, and the seconds from the start of the first game to it; `None` if the
    /// records do not say so.
    pub(crate) fn span(&self) -> Option<(String, f64)> {
        let [first, last] = &self.started;
        arena_sys::time::span(first, last, Duration::from_micros(self.last_us))
    }
}

/// How often the lead changed in the eyes of both bots, by their last evaluations.
fn turns(record: &Record) -> usize {
    /// Evaluations from which on a bot sees one side ahead.
    const AHEAD: f64 = 0.1;
    let (mut seen, mut leader, mut turns) = ([0.0; 2], 0.0, 0);
    for (index, played) in record.played.iter().enumerate() {
        let seat = record.movers.seat(record.opening.len() + index);
        let Some(eval) = played.eval_of_first(seat) else { continue };
        seen[seat.index()] = eval;
        let agreed = if seen.iter().all(|eval| *eval > AHEAD) {
            1.0
        } else if seen.iter().all(|eval| *eval < -AHEAD) {
            -1.0
        } else {
            continue;
        };
        turns += usize::from(leader * agreed < 0.0);
        leader = agreed;
    }
    turns
}

/// Sums over all games, into `rows` rows: `row` says which has the games of a bot that are like this one. `note` sees each
/// game that counts once.
pub(crate) fn sums(
    results: &Results<'_>,
    rows: usize,
    row: impl Fn(usize, &Record) -> usize,
    mut note: impl FnMut([usize; 2], &Record),
) -> anyhow::Result<Vec<Conduct>> {
    let mut sums: Vec<Conduct> = (0..rows).map(|_| Conduct::default()).collect();
    for (game, brief) in results.schedule.played() {
        let record = results.record(&game, &brief)?;
        for seat in Seat::BOTH {
            sums[row(game.bots[seat.index()], &record)].add(&record, seat);
        }
        note(game.bots, &record);
    }
    for (game, brief) in results.schedule.void().filter(|(_, brief)| brief.is_our_failure()) {
        let record = results.record(&game, &brief)?;
        for bot in game.bots {
            let sum = &mut sums[row(bot, &record)];
            sum.void += 1;
            sum.note_class(&record);
        }
        if let Some(bot) = results.schedule.culprit(game.place, &brief) {
            sums[row(bot, &record)].disturbed_others += 1;
        }
    }
    let needs_second_pass = |sum: bool, conduct: &mut Conduct| conduct.times.needs_second_pass() || sum;
    if sums.iter_mut().fold(false, needs_second_pass) {
        for (game, brief) in results.schedule.played() {
            let record = results.record(&game, &brief)?;
            for seat in Seat::BOTH {
                let times = &mut sums[row(game.bots[seat.index()], &record)].times;
                record.times_of(seat).for_each(|us| times.add_again(us));
            }
        }
    }
    Ok(sums)
}

impl Conduct {
    /// Games lost by timeout.
    pub(crate) const fn timeouts(&self) -> u64 {
        self.statuses[Status::Timeout as usize]
    }

    fn add(&mut self, record: &Record, seat: Seat) {
        self.games += 1;
        self.note_class(record);
        record.times_of(seat).for_each(|us| self.times.add(us));
        self.stopped_us = self.stopped_us.max(record.stopped_us(seat));
        for played in record.played_by(seat) {
            self.moves += 1;
            self.credit_us = self.credit_us.saturating_add(played.credit_us);
        }
        self.cpu_us = [self.cpu_us, record.cpu_of(seat)].into_iter().flatten().reduce(u64::saturating_add);
        self.off_move_us = self.off_move_us.saturating_add(record.off_move_us[seat.index()]);
        self.statuses[record.statuses[seat.index()] as usize] += 1;
        self.starved += u64::from(record.is_starved_timeout(seat));
        self.surplus_lines += u64::from(record.surplus_lines[seat.index()]);
        self.denied += record.denied[seat.index()].clone();
    }

    fn note_class(&mut self, record: &Record) {
        if let Some(class) = record.class().filter(|class| !self.classes.contains(*class)) {
            let name = if self.classes.len() < CLASSES_MAX { class } else { OTHER_CLASSES };
            self.classes.insert(name.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use arena_core::clock::TimeControl;

    use super::*;

    #[test]
    fn statuses_are_indexed_in_their_order() {
        for (index, status) in Status::ALL.into_iter().enumerate() {
            assert_eq!(status as usize, index);
        }
    }

    #[test]
    fn a_move_that_did_not_come_counts_with_the_time_until_it_was_stopped() {
        let mut record = crate::fixture::reported_game();
        let seat = Seat::Second;
        let stopped = |record: &Record| {
            let mut conduct = Conduct::default();
            conduct.add(record, seat);
            assert_eq!(conduct.times.summary().map(|times| times[4]), conduct.stopped_us);
            assert_eq!((conduct.moves + 1, conduct.timeouts()), (conduct.times.count(), 1));
            conduct.stopped_us
        };
        // Old journals lack the wait: the limit and the margin.
        record.clock = TimeControl { margin_ms: 10, ..TimeControl::per_move(Duration::from_secs(1)) };
        assert_eq!(stopped(&record), Some(1_010_000));
        // What is left of the bank, if that is less.
        record.clock.bank_ms = Some(512);
        assert_eq!(stopped(&record), Some(522_000));
        record.evidence[seat.index()].as_mut().unwrap().elapsed_us = Some(1_234_567);
        assert_eq!(stopped(&record), Some(1_234_567));
        record.statuses[seat.index()] = Status::Crashed;
        assert_eq!(record.stopped_us(seat), None);
    }
}
