//! The schedule of a tournament, and what the journal holds of each of its games. A few words a game are kept, so that
//! memory does not grow with what was said and moved in them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::event::{GameId, ScheduledGame};
use crate::journal::Brief;

/// A schedule and the games that were played of it. Of several records of one game the first that
/// need not be played again stands.
#[derive(Debug)]
pub struct Catalogue {
    schedule: Arc<[ScheduledGame]>,
    /// The games that were played, by place in the schedule.
    games: Vec<Option<Brief>>,
    /// Games that are not in the schedule.
    others: Vec<Brief>,
    /// Records of games that need not have been played again.
    repeated: usize,
}

impl Catalogue {
    /// Finds the games of a journal in the schedule.
    #[must_use]
    pub fn new(schedule: Vec<ScheduledGame>, journal: &[Brief]) -> Self {
        let games = vec![None; schedule.len()];
        let mut catalogue = Self { games, schedule: schedule.into(), others: Vec::new(), repeated: 0 };
        if journal.is_empty() {
            return catalogue;
        }
        let places: HashMap<GameId, u32> =
            (0..).zip(catalogue.schedule.iter()).map(|(place, game)| (game.id, place)).collect();
        for brief in journal {
            match places.get(&brief.id) {
                Some(place) => catalogue.add(*place as usize, *brief),
                None => catalogue.others.push(*brief),
            }
        }
        catalogue
    }

    /// Finds the same games in another schedule.
    pub fn reschedule(&mut self, schedule: Vec<ScheduledGame>) {
        let mut journal = std::mem::take(&mut self.others);
        journal.extend(std::mem::take(&mut self.games).into_iter().flatten());
        let repeated = self.repeated;
        *self = Self::new(schedule, &journal);
        self.repeated += repeated;
    }

    /// Adds the game at `place` of the schedule.
    ///
    /// # Panics
    ///
    /// If the schedule is shorter.
    pub fn add(&mut self, place: usize, brief: Brief) {
        let game = &mut self.games[place];
        if game.is_none_or(|earlier| !earlier.is_settled()) {
            *game = Some(brief);
        } else {
            self.repeated += usize::from(brief.is_settled());
        }
    }

    /// The games of the tournament in order of play.
    #[must_use]
    pub const fn schedule(&self) -> &Arc<[ScheduledGame]> {
        &self.schedule
    }

    /// The game at `place` of the schedule, if it was tried.
    #[must_use]
    pub fn at(&self, place: usize) -> Option<&Brief> {
        self.games.get(place)?.as_ref()
    }

    /// Every game that was tried, void ones included, in order of the schedule.
    pub fn tried(&self) -> impl Iterator<Item = (&ScheduledGame, &Brief)> {
        self.schedule.iter().zip(&self.games).filter_map(|(game, brief)| brief.as_ref().map(|brief| (game, brief)))
    }

    /// Every game that counts, in order of the schedule.
    pub fn played(&self) -> impl Iterator<Item = (&ScheduledGame, &Brief)> {
        self.tried().filter(|(_, brief)| brief.counts())
    }

    /// Places of the games that are still to be played.
    #[must_use]
    pub fn missing(&self) -> Vec<u32> {
        let settled = self.games.iter().map(|game| game.is_some_and(|brief| brief.is_settled()));
        (0..).zip(settled).filter(|(_, settled)| !settled).map(|(place, _)| place).collect()
    }

    /// How many records are of games of the schedule that were settled before; they count nowhere.
    #[must_use]
    pub const fn repeated(&self) -> usize {
        self.repeated
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
    use crate::record::GameResult::{Draw, FirstWins, Void};
    use crate::report::fixture::{self, Stored};

    #[test]
    fn the_first_record_that_counts_stands() {
        let event = fixture::event(&["a", "b"]);
        let schedule = fixture::schedule(&event);
        let records = [Void, FirstWins, Draw, Void].map(|result| fixture::record(&event, &schedule[1], result, 1));
        let catalogue = Stored::new(&schedule, &records).catalogue;
        assert_eq!(catalogue.at(1).map(|brief| brief.result), Some(FirstWins));
        assert_eq!((catalogue.missing(), catalogue.others(), catalogue.repeated()), (vec![0, 2, 3], 0, 1));
        let void = Stored::new(&schedule, &records[..1]).catalogue;
        assert_eq!((void.tried().count(), void.played().count(), void.missing().len()), (1, 0, 4));
    }

    #[test]
    fn games_beyond_the_schedule_are_kept_for_another() {
        let event = fixture::event(&["a", "b"]);
        let schedule = fixture::schedule(&event);
        let records: Vec<_> = schedule.iter().map(|game| fixture::record(&event, game, Draw, 1)).collect();
        let mut catalogue = Stored::new(&schedule, records.iter().chain(&records[3..])).catalogue;
        catalogue.reschedule(schedule[..1].to_vec());
        assert_eq!((catalogue.played().count(), catalogue.others()), (1, 3));
        catalogue.reschedule(schedule.clone());
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
