//! The schedule of a tournament, and what the journal holds of each of its games. A few words a game are kept, so that
//! memory does not grow with what was said and moved in them.
//!
//! A game that came out void is followed by another attempt at it, which is a game of its own with an id of its own: the
//! first void game of a place leads to the second attempt there, and so on to the one that counts or is still missing.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::event::{Event, GameId, ScheduledGame};
use crate::journal::Brief;

/// A game that is still to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// Its place in the schedule.
    pub place: u32,
    /// How many attempts at it were void.
    pub repeat: u32,
}

/// A schedule and the games that were played of it.
#[derive(Debug)]
pub struct Catalogue {
    schedule: Arc<[ScheduledGame]>,
    /// The latest attempt at each game, by place in the schedule.
    games: Vec<Option<Brief>>,
    /// Void attempts that others followed, and their places.
    void: Vec<(u32, Brief)>,
    /// Games that are not in the schedule.
    others: Vec<Brief>,
}

impl Catalogue {
    /// Finds the games of a journal in the schedule of `event`.
    #[must_use]
    pub fn new(event: &Event, schedule: Vec<ScheduledGame>, journal: &[Brief]) -> Self {
        let games = vec![None; schedule.len()];
        let mut catalogue = Self { games, schedule: schedule.into(), void: Vec::new(), others: Vec::new() };
        if journal.is_empty() {
            return catalogue;
        }
        let mut places: HashMap<GameId, u32> =
            (0..).zip(catalogue.schedule.iter()).map(|(place, game)| (game.id, place)).collect();
        // Void games first, which lead to the next attempts at them.
        let mut void: Vec<&Brief> = journal.iter().filter(|brief| !brief.is_settled()).collect();
        void.sort_by_key(|brief| brief.repeat);
        for brief in void.into_iter().chain(journal.iter().filter(|brief| brief.is_settled())) {
            let Some(place) = places.get(&brief.id).copied() else {
                catalogue.others.push(*brief);
                continue;
            };
            catalogue.add(place as usize, *brief);
            if !brief.is_settled() {
                let next = event.attempt(&catalogue.schedule[place as usize], brief.repeat.saturating_add(1));
                places.insert(next.id, place);
            }
        }
        catalogue
    }

    /// Finds the same games in another schedule, that of `event`.
    pub fn reschedule(&mut self, event: &Event, schedule: Vec<ScheduledGame>) {
        let mut journal = std::mem::take(&mut self.others);
        journal.extend(self.void.drain(..).map(|(_, brief)| brief));
        journal.extend(self.games.drain(..).flatten());
        *self = Self::new(event, schedule, &journal);
    }

    /// Adds an attempt at the game at `place` of the schedule, unless one before it counts.
    ///
    /// # Panics
    ///
    /// If the schedule is shorter.
    pub fn add(&mut self, place: usize, brief: Brief) {
        match self.games[place] {
            Some(earlier) if earlier.is_settled() => return,
            Some(earlier) => self.void.push((place as u32, earlier)),
            None => {}
        }
        self.games[place] = Some(brief);
    }

    /// The games of the tournament in order of play.
    #[must_use]
    pub const fn schedule(&self) -> &Arc<[ScheduledGame]> {
        &self.schedule
    }

    /// The latest attempt at the game at `place` of the schedule, if it was tried.
    #[must_use]
    pub fn at(&self, place: usize) -> Option<&Brief> {
        self.games.get(place)?.as_ref()
    }

    /// Every game that was tried, in order of the schedule, and the latest attempt at it, also if that was void.
    pub fn tried(&self) -> impl Iterator<Item = (&ScheduledGame, &Brief)> {
        self.schedule.iter().zip(&self.games).filter_map(|(game, brief)| brief.as_ref().map(|brief| (game, brief)))
    }

    /// Every game that counts, in order of the schedule.
    pub fn played(&self) -> impl Iterator<Item = (&ScheduledGame, &Brief)> {
        self.tried().filter(|(_, brief)| brief.counts())
    }

    /// Every attempt that came out void, with its game.
    pub fn void(&self) -> impl Iterator<Item = (&ScheduledGame, &Brief)> {
        let latest = self.tried().filter(|(_, brief)| !brief.is_settled());
        latest.chain(self.void.iter().map(|(place, brief)| (&self.schedule[*place as usize], brief)))
    }

    /// The games that are still to be played, in order of the schedule.
    #[must_use]
    pub fn missing(&self) -> Vec<Due> {
        let due = |(place, latest): (u32, &Option<Brief>)| match latest {
            None => Some(Due { place, repeat: 0 }),
            Some(brief) if brief.is_settled() => None,
            Some(brief) => Some(Due { place, repeat: brief.repeat.saturating_add(1) }),
        };
        (0..).zip(&self.games).filter_map(due).collect()
    }

    /// How many games of the journal are not in the schedule.
    #[must_use]
    pub fn others(&self) -> usize {
        self.others.iter().map(|brief| brief.id).collect::<HashSet<_>>().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::GameResult::{self, Draw, FirstWins, Void};
    use crate::report::fixture::{self, Stored};

    fn due(repeats: &[(u32, u32)]) -> Vec<Due> {
        repeats.iter().map(|(place, repeat)| Due { place: *place, repeat: *repeat }).collect()
    }

    #[test]
    fn void_attempts_lead_to_the_one_that_counts() {
        let event = fixture::event(&["a", "b"]);
        let schedule = fixture::schedule(&event);
        let attempt = |(repeat, result): (u32, GameResult)| {
            fixture::record(&event, &event.attempt(&schedule[1], repeat), result, 1)
        };
        let records = [(0, Void), (1, Void), (2, FirstWins), (3, Draw)].map(attempt);
        for known in 0..=3 {
            let mut catalogue = Stored::new(&event, &schedule, &records[..known]).catalogue;
            let missing = (0..4).map(|place| (place, if place == 1 { known as u32 } else { 0 }));
            let missing: Vec<_> = missing.filter(|(place, _)| *place != 1 || known < 3).collect();
            assert_eq!(catalogue.missing(), due(&missing), "{known}");
            assert_eq!(catalogue.void().count(), known.min(2), "{known}");
            assert!(catalogue.void().all(|(game, brief)| game.id == schedule[1].id && !brief.counts()));
            assert_eq!((catalogue.tried().count(), catalogue.played().count()), (known.min(1), known / 3));
            // The way is found again in another schedule, with games of other settings too.
            catalogue.reschedule(&event, schedule[..1].to_vec());
            assert_eq!((catalogue.missing(), catalogue.others()), (due(&[(0, 0)]), known));
            catalogue.reschedule(&event, schedule.clone());
            assert_eq!((catalogue.missing(), catalogue.void().count()), (due(&missing), known.min(2)), "{known}");
        }
        let whole = Stored::new(&event, &schedule, &records).catalogue;
        assert_eq!(whole.at(1).map(|brief| (brief.result, brief.repeat)), Some((FirstWins, 2)));
        assert_eq!(whole.others(), 1, "nothing leads to an attempt after one that counts");
        let torn = Stored::new(&event, &schedule, &records[1..]).catalogue;
        assert_eq!((torn.tried().count(), torn.others()), (0, 3), "nor to one whose void game was taken away");
    }

    #[test]
    fn games_beyond_the_schedule_are_kept_for_another() {
        let event = fixture::event(&["a", "b"]);
        let schedule = fixture::schedule(&event);
        let records: Vec<_> = schedule.iter().map(|game| fixture::record(&event, game, Draw, 1)).collect();
        let mut catalogue = Stored::new(&event, &schedule, records.iter().chain(&records[3..])).catalogue;
        catalogue.reschedule(&event, schedule[..1].to_vec());
        assert_eq!((catalogue.played().count(), catalogue.others()), (1, 3));
        catalogue.reschedule(&event, schedule.clone());
        let played: Vec<GameId> = catalogue.played().map(|(_, brief)| brief.id).collect();
        assert_eq!(played, schedule.iter().map(|game| game.id).collect::<Vec<_>>());
        assert_eq!((catalogue.missing(), catalogue.others()), (vec![], 0));
    }

    #[test]
    fn a_game_takes_few_bytes() {
        let bytes = size_of::<ScheduledGame>() + size_of::<Option<Brief>>();
        assert!(bytes <= 96, "{bytes}");
    }
}
