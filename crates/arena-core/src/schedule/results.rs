//! The results of a schedule: games as they count, and progress.

use std::sync::Arc;

use super::{Brief, PlaceState, Planned, Scheduler, Withdrawal, record};
use crate::event::{GameId, Tournament};
use crate::format::{Over, Pair};
use crate::record::{Record, Status};
use crate::referee::Verdict;

impl Scheduler {
    /// The game at `place` as it counts, if it was tried or need not be: the latest attempt, or the result of a withdrawal.
    #[must_use]
    pub fn at(&self, place: u32) -> Option<Brief> {
        let latest = self.latest(place).copied();
        let lost = self.lost(place);
        if lost == [false; 2] {
            return latest;
        }
        let statuses = lost.map(|lost| if lost { Status::Withdrawn } else { Status::Ok });
        if latest.is_some_and(|latest| latest.statuses == statuses) {
            return latest;
        }
        Some(Brief::of(&self.unplayed(place, lost.map(|lost| lost.then_some(""))), 0, 0))
    }

    /// The record of the game at `place` that withdrawn bots lose unplayed; `why` by seat.
    #[must_use]
    pub fn unplayed(&self, place: u32, why: [Option<&str>; 2]) -> Record {
        let (event, game) = (&self.games.event, self.games.game(place, 0));
        record(event, &game, &event.openings[game.opening], Verdict::withdrawn(why))
    }

    /// The known attempt with this id at the game at `place`.
    #[must_use]
    pub fn attempt(&self, place: u32, id: GameId) -> Option<Brief> {
        let void = || self.void.iter().find(|(at, brief)| (*at, brief.id) == (place, id)).map(|(_, brief)| *brief);
        self.latest(place).copied().filter(|brief| brief.id == id).or_else(void)
    }

    /// The tournament's definition, including added openings.
    #[must_use]
    pub const fn event(&self) -> &Arc<Tournament> {
        &self.games.event
    }

    /// Number of games.
    #[must_use]
    pub const fn total(&self) -> u32 {
        self.total
    }

    /// Number of known attempts at games.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.briefs.len() as u32
    }

    /// Whether a bot plays no further game in this run.
    #[must_use]
    pub fn is_gone(&self, bot: usize) -> bool {
        self.gone[bot]
    }

    /// Number of games from one place to before another that are to be played.
    #[must_use]
    pub fn due_between(&self, from: u32, to: u32) -> u32 {
        let places = self.stages.get(from as usize..to.min(self.total) as usize).unwrap_or_default();
        places.iter().filter(|stage| **stage == PlaceState::Due).count() as u32
    }

    /// Whether a decision ended the tournament before its last game.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.total < self.games.len()
    }

    /// Number of games that a withdrawn bot loses unplayed, without those lost by a bot withdrawn before it. Visits every
    /// place.
    #[must_use]
    pub fn lost_unplayed(&self, bot: usize) -> usize {
        let since = |bot: &usize| (self.withdrawal(*bot).map_or(u32::MAX, |withdrawal| withdrawal.from), *bot);
        let loses = |game: &Planned| game.bots.into_iter().min_by_key(since) == Some(bot);
        self.tried().filter(|(game, brief)| brief.bytes == 0 && loses(game)).count()
    }

    /// Whether every game was tried, or need not be, and no more follow.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.scanned == self.total && self.issued == 0 && !self.has_left_out && !self.is_open()
    }

    /// Whether its format is stepwise.
    #[must_use]
    pub fn is_stepwise(&self) -> bool {
        self.prefix.is_stepwise()
    }

    /// The number of decisions so far.
    #[must_use]
    pub fn decisions(&self) -> u32 {
        self.prefix.ends.len() as u32
    }

    /// Whether pairs are yet to be added: a stepwise format may add more, or a fixed one without rounds is a list of pairs that
    /// its policy gives before the first game.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let awaits_list = !self.is_stepwise() && self.event().rounds == 0 && self.total == 0;
        (self.prefix.is_open() || awaits_list) && !self.is_part()
    }

    /// The number of games of the whole tournament, with those that a stepwise format is expected to add; more if matches are level
    /// after their pairs. `None` if only results determine it.
    #[must_use]
    pub fn expected(&self) -> Option<u32> {
        if !self.is_stepwise() {
            return Some(self.total);
        }
        let more = u32::try_from(self.prefix.to_come()?).unwrap_or(u32::MAX);
        Some(self.total.saturating_add(more.saturating_mul(2)))
    }

    /// The challengers, if the format has any.
    #[must_use]
    pub fn challengers(&self) -> &[usize] {
        &self.games.seating.field.challengers
    }

    /// Whether bots meet more often that look about equally strong.
    #[must_use]
    pub fn prefers_likes(&self) -> bool {
        self.games.known_order().is_some()
    }

    /// Whether the games that a ladder takes over from the journal are not in the schedule yet: its first decision adds them.
    #[must_use]
    pub fn awaits_known_games(&self) -> bool {
        self.prefers_likes() && self.decisions() == 0
    }

    /// Why a stepwise format adds no more pairs.
    #[must_use]
    pub fn over(&self) -> Option<Over> {
        self.prefix.over
    }

    /// Whether pairs were added because of results.
    #[must_use]
    pub fn is_extended(&self) -> bool {
        self.games.is_extended()
    }

    /// Games that are to be played. Visits every place.
    pub fn missing(&self) -> impl Iterator<Item = Planned> {
        let due = |place: &u32| !self.is_elsewhere(*place) && self.at(*place).is_none_or(|brief| !brief.is_settled());
        (0..self.total).filter(due).map(|place| self.games.planned(place))
    }

    /// All pairs, in order of the schedule.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> {
        (0..self.total as usize / 2).map(|number| self.games.pair(number))
    }

    /// The game at `place`.
    ///
    /// # Panics
    ///
    /// If there is no such place.
    #[must_use]
    pub fn planned(&self, place: u32) -> Planned {
        self.games.planned(place)
    }

    /// The id of the game at `place`, at the first attempt.
    #[must_use]
    pub fn id(&self, place: u32) -> GameId {
        self.games.game(place, 0).id
    }

    /// All games, in order of the schedule.
    pub fn games(&self) -> impl Iterator<Item = Planned> {
        (0..self.total).map(|place| self.games.planned(place))
    }

    /// Every game that was tried or lost unplayed, in order of the schedule, as it counts.
    pub fn tried(&self) -> impl Iterator<Item = (Planned, Brief)> {
        // Most places of a schedule that has just begun, or was stopped, have none.
        let counted = (0..self.total).filter_map(|place| Some((place, self.at(place)?)));
        counted.map(|(place, brief)| (self.games.planned(place), brief))
    }

    /// The games whose result counts, in order of the schedule.
    pub fn played(&self) -> impl Iterator<Item = (Planned, Brief)> {
        self.tried().filter(|(_, brief)| brief.counts())
    }

    /// Void attempts, including those followed by others.
    pub fn void(&self) -> impl Iterator<Item = (Planned, Brief)> {
        let latest = (0..self.total).filter_map(|place| Some((place, *self.latest(place)?)));
        let latest = latest.filter(|(_, brief)| !brief.is_settled());
        let all = self.void.iter().copied().chain(latest);
        all.map(|(place, brief)| (self.games.planned(place), brief))
    }

    /// Number of void attempts at games of others that each bot is to blame for, since it took the processor while it waited
    /// for its own.
    #[must_use]
    pub fn disturbances(&self) -> Vec<u32> {
        let mut counts = vec![0; self.games.event.bots.len()];
        for bot in self.void().filter_map(|(game, brief)| self.culprit(game.place, &brief)) {
            counts[bot] += 1;
        }
        counts
    }

    /// Number of games in the journal that are not in the schedule: of other settings, rounds or bots.
    #[must_use]
    pub fn others(&self) -> usize {
        self.others.len()
    }

    /// Number of games in the journal beyond a decision that ended the tournament.
    #[must_use]
    pub fn beyond(&self) -> usize {
        (self.total as usize..self.latest.len()).filter(|place| self.latest[*place] > 0).count()
    }

    /// The withdrawal of a bot, if it is withdrawn.
    #[must_use]
    pub fn withdrawal(&self, bot: usize) -> Option<&Withdrawal> {
        self.strikes.withdrawal(bot)
    }
}
