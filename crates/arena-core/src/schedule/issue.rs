//! Issuing games and settling them.

use super::{Brief, Job, News, PlaceState, RETRIES_MAX, Scheduler};

impl Scheduler {
    /// Limits issued games to `places` beyond the first open one: where an early decision may end the tournament, games
    /// beyond it would be wasted.
    pub fn keep_within(&mut self, places: u32) {
        self.ahead = places;
    }

    /// Issues no game at `place` or after it.
    pub fn hold_at(&mut self, place: u32) {
        self.limit = place;
    }

    /// The first place not considered yet whose game is to be played, unless its bots are withdrawn; that after the last one
    /// if there is none.
    pub fn next_place(&mut self) -> u32 {
        while self.next < self.total && self.stages[self.next as usize] != PlaceState::Due {
            self.next += 1;
        }
        self.next
    }

    /// The next game to be played; `None` if none is due now. More may become due when issued games are settled.
    pub fn issue(&mut self) -> Option<Job> {
        loop {
            let telling = if self.again.is_empty() { self.newcomers.next() } else { None };
            let place = match telling.or_else(|| self.again.pop_first()) {
                Some(place) => place,
                None if self.next < self.total.min(self.limit).min(self.scanned.saturating_add(self.ahead)) => {
                    self.next += 1;
                    self.next - 1
                }
                // No running game can decide about them.
                None if self.issued == 0 && !self.held.is_empty() => self.held.remove(0),
                None => return None,
            };
            if self.stages.get(place as usize) != Some(&PlaceState::Due) || place >= self.total {
                continue;
            }
            let bots = self.games.planned(place).bots;
            if bots.iter().any(|bot| self.gone[*bot]) {
                self.stages[place as usize] = PlaceState::Closed;
                self.has_left_out = true;
                self.scan();
            } else if self.is_lost(place) {
                // It need not be played.
            } else if telling.is_some() && bots.iter().any(|bot| self.is_suspect(*bot)) {
                // Only the first games in the order of the schedule can decide about it.
                for bot in bots {
                    if self.is_suspect(bot) {
                        self.newcomers.give_up(bot);
                    }
                }
            } else if self.issued > 0 && bots.iter().any(|bot| self.is_suspect(*bot)) {
                self.held.push(place);
            } else {
                self.stages[place as usize] = PlaceState::Issued;
                self.issued += 1;
                let repeat = self.latest(place).map_or(0, |void| void.repeat.saturating_add(1));
                let game = self.games.game(place, repeat);
                let opening = self.games.event.openings[game.opening].clone();
                let (retries, starved) = self.retries.get(&place).copied().unwrap_or_default();
                let quiet = self.is_quiet(place);
                return Some(Job { place, game, opening, retries, starved, quiet });
            }
        }
    }

    /// Whether the game at `place` is played while no bot waits for another one: an attempt at its pair was disturbed.
    #[must_use]
    pub fn is_quiet(&self, place: u32) -> bool {
        self.disturbed.contains(&(place / 2))
    }

    /// Settles the game issued for `place`. `starved`: it is void because the machine gave a bot no processor.
    pub fn settle(&mut self, place: u32, brief: Brief, starved: bool) -> News {
        self.issued -= 1;
        self.add(place, brief);
        self.newcomers.note(self.games.planned(place).bots, &brief);
        let (retries, was_starved) = self.retries.get(&place).copied().unwrap_or_default();
        let is_retried = brief.is_our_failure() && retries < RETRIES_MAX;
        if is_retried {
            self.retries.insert(place, (retries + 1, was_starved || starved));
        }
        if is_retried || self.may_start_yet(place) {
            self.stages[place as usize] = PlaceState::Due;
            self.again.insert(place);
            return News { tried_again: true, withdrawn: Vec::new() };
        }
        self.retries.remove(&place);
        self.stages[place as usize] = PlaceState::Closed;
        News { tried_again: false, withdrawn: self.scan() }
    }

    /// Whether neither bot could start the game at `place`, and it is tried again at once: decisions wait for it.
    fn may_start_yet(&self, place: u32) -> bool {
        let failed = self.failed_starts(place);
        self.starts_max().is_some_and(|limit| !failed.is_multiple_of(limit))
    }

    /// Leaves games that were tried in vain to another run, so that the results are those of [`Scheduler::as_left`].
    pub fn leave_unsettled(&mut self) {
        for place in 0..self.total {
            if self.stages[place as usize] == PlaceState::Due && self.latest(place).is_some() {
                self.stages[place as usize] = PlaceState::Closed;
            }
        }
        self.scan();
    }

    /// Takes back an issued game that has not begun.
    pub fn take_back(&mut self, place: u32) {
        self.issued -= 1;
        self.stages[place as usize] = PlaceState::Due;
        self.again.insert(place);
    }

    /// Leaves an issued game for another run, and all further games of these bots, whose files have changed.
    pub fn leave_out(&mut self, place: u32, bots: impl IntoIterator<Item = usize>) {
        self.issued -= 1;
        self.stages[place as usize] = PlaceState::Closed;
        self.has_left_out = true;
        self.set_aside(bots);
        self.scan();
    }

    /// Leaves all further games of these bots for another run.
    pub fn set_aside(&mut self, bots: impl IntoIterator<Item = usize>) {
        for bot in bots {
            self.gone[bot] = true;
        }
    }

    /// Whether the issued game at `place` should not begin now: one of its bots is withdrawn or gone, or will be withdrawn
    /// unless an earlier game clears it.
    #[must_use]
    pub fn is_unwanted(&self, place: u32) -> bool {
        let bots = self.games.planned(place).bots;
        place >= self.total || self.is_lost(place) || bots.iter().any(|bot| self.gone[*bot] || self.is_suspect(*bot))
    }

    /// The bots that begin no games now, at least from some place on: they are withdrawn, gone, or will be withdrawn unless an
    /// earlier game clears them. [`Scheduler::is_unwanted`] changes only with these and the number of games.
    #[must_use]
    pub fn stopped_bots(&self) -> Vec<usize> {
        let is_stopped = |bot: &usize| self.gone[*bot] || self.withdrawal(*bot).is_some() || self.is_suspect(*bot);
        (0..self.gone.len()).filter(is_stopped).collect()
    }

    /// Counts strikes up to the first open game; returns the bots withdrawn by them.
    pub(super) fn scan(&mut self) -> Vec<usize> {
        let mut withdrawn = Vec::new();
        while self.scanned < self.total {
            let place = self.scanned;
            let is_closed = matches!(self.stages[place as usize], PlaceState::Closed | PlaceState::Elsewhere);
            if !is_closed && !self.is_lost(place) {
                break;
            }
            self.scanned += 1;
            if self.withdrawn_at(place) != [false; 2] {
                continue;
            }
            if self.is_quiet(place) {
                let culprits =
                    self.attempts_at(place).filter_map(|brief| self.culprit(place, brief)).collect::<Vec<_>>();
                withdrawn.extend(culprits.into_iter().filter(|bot| self.strikes.note_disturbance(place, *bot)));
            }
            if let Some(brief) = self.latest(place).copied() {
                // Where a game is tried until both bots are withdrawn, every attempt is a failed start.
                let times = if self.is_stepwise() { self.failed_starts(place).max(1) } else { 1 };
                let bots = self.games.planned(place).bots;
                withdrawn.extend((0..times).flat_map(|_| self.strikes.note(place, bots, &brief)));
            }
        }
        self.suspects.scanned(self.scanned, &self.strikes);
        if !self.held.is_empty() && !self.suspects.has_any(&self.strikes) {
            self.again.extend(self.held.drain(..));
        }
        withdrawn
    }

    /// Whether a bot will be withdrawn unless an earlier game clears it.
    fn is_suspect(&self, bot: usize) -> bool {
        self.suspects.has(bot, &self.strikes)
    }
}
