//! A budget of time: where a run stops so that its bots have played alike.

use std::time::{Duration, Instant};

use arena_core::schedule::{Borders, Scheduler};

/// The run stops where the field is level if that wastes at most this share of the time so far; else where it is nearly so.
const WASTE_MAX: u32 = 10;

/// Decides up to which place games are issued.
#[derive(Debug)]
pub(super) struct IssueBudget {
    deadline: Instant,
    begun: Instant,
    /// Attempts that were known then.
    known: u32,
    /// No game at this place or after it begins, as decided so far.
    pub(super) limit: u32,
    /// Whether it was decided that no more games begin.
    pub(super) is_spent: bool,
}

impl IssueBudget {
    pub(super) fn new(deadline: Instant, scheduler: &Scheduler, now: Instant) -> Self {
        Self { deadline, begun: now, known: scheduler.attempts(), limit: 0, is_spent: false }
    }

    /// Decides how many more games are issued, of which so many are running.
    pub(super) fn update(&mut self, scheduler: &mut Scheduler, running: usize, now: Instant) {
        let next = scheduler.next_place();
        if now >= self.deadline {
            self.limit = next;
            self.is_spent = true;
        } else if !self.is_spent && next >= self.limit && next < scheduler.total() {
            let times = GameTimes { left: self.deadline - now, spent: now - self.begun };
            let games = scheduler.attempts().saturating_sub(self.known);
            // Before the first game has ended nothing is known; what is begun then is little.
            let second = (games > 0).then(|| times.spent.as_secs_f64() / f64::from(games));
            let fits = |end: u32| {
                let ahead = running as u32 + scheduler.due_between(next, end);
                second.is_none_or(|each| f64::from(ahead) * each <= times.left.as_secs_f64())
            };
            match choice(scheduler.borders(next), times, fits) {
                Some(limit) => self.limit = limit,
                None => self.is_spent = true,
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct GameTimes {
    left: Duration,
    spent: Duration,
}

/// The border up to which to play; `None` to stop here. `fits` tells whether the games before a place are over in time.
fn choice(borders: Borders, times: GameTimes, fits: impl Fn(u32) -> bool) -> Option<u32> {
    let Borders { is_level, level, near } = borders;
    let wastes_little = times.left <= times.spent / WASTE_MAX;
    let stops = !fits(near) || is_level && wastes_little && !fits(level);
    (!stops).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(left: u64, is_level: bool, time_for: u32, expected: Option<u32>) {
        let times = GameTimes { left: Duration::from_secs(left), spent: Duration::from_secs(100) };
        let borders = Borders { is_level, level: 40, near: 12 };
        assert_eq!(choice(borders, times, |end| end <= time_for), expected);
    }

    #[test]
    fn it_stops_where_bots_have_played_alike_unless_that_wastes_time() {
        check(50, true, 40, Some(12));
        check(50, true, 39, Some(12));
        check(50, true, 11, None);
        check(10, true, 39, None);
        check(10, true, 40, Some(12));
        check(10, false, 39, Some(12));
        check(10, false, 11, None);
    }
}
