//! The measured time of a game.

use std::time::Instant;

/// Games that it is taken from.
const GAMES_MAX: f64 = 100.0;

/// How long a slot is busy with a game.
pub(super) struct GameDuration {
    /// Seconds that slots were busy, and games that they have finished in this time.
    busy: f64,
    games: f64,
    since: Instant,
}

impl GameDuration {
    pub(super) const fn new(now: Instant) -> Self {
        Self { busy: 0.0, games: 0.0, since: now }
    }

    /// Counts the time since the last call, in which so many slots were busy.
    pub(super) fn update(&mut self, busy_slots: usize, now: Instant) {
        self.busy += (now - self.since).as_secs_f64() * busy_slots as f64;
        self.since = now;
    }

    /// A game ended; so many slots were busy until now.
    pub(super) fn game(&mut self, busy_slots: usize, now: Instant) {
        self.update(busy_slots, now);
        self.games += 1.0;
        if self.games > GAMES_MAX {
            self.busy /= 2.0;
            self.games /= 2.0;
        }
    }

    /// Seconds of a slot for a game; `None` before the first.
    pub(super) fn seconds(&self) -> Option<f64> {
        (self.games > 0.0).then(|| self.busy / self.games)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use arena_sys::time::now;

    use super::*;

    #[test]
    fn idle_slots_do_not_make_games_longer() {
        let begun = now();
        let at = |ms| begun + Duration::from_millis(ms);
        let mut game_duration = GameDuration::new(begun);
        game_duration.update(0, at(10_000));
        game_duration.update(1, at(10_100));
        game_duration.game(2, at(10_200));
        game_duration.game(1, at(10_300));
        assert!((game_duration.seconds().unwrap() - 0.2).abs() < 1e-9);
    }
}
