//! Tournaments of schedule version 1, whose journals record what is now derived.

use super::{Brief, Scheduler};
use crate::event::{Event, Extra};
use crate::format::Pair;

impl Scheduler {
    /// Whether strikes and withdrawn games are read from the journal: schedule version 1.
    pub(super) fn is_recorded(&self) -> bool {
        self.games.event.schedule_version == 1
    }

    /// Counts strikes in the order of the journal.
    pub(super) fn count_recorded_strikes(&mut self) {
        let mut games: Vec<(u32, Brief)> = self.void.clone();
        games.extend((0..self.total).filter_map(|place| Some((place, *self.latest(place)?))));
        games.sort_unstable_by_key(|(_, brief)| brief.offset);
        for (place, brief) in games {
            self.strikes.note(place, self.games.planned(place).bots, &brief);
        }
    }
}

/// The pairs beyond the rounds of the tournament: round by round, in the order of the pairings.
pub(super) fn extra(event: &Event) -> Vec<Pair> {
    let of = |extra: &Extra| {
        let bots = extra.bots;
        (event.rounds + 1..=extra.rounds).map(move |round| Pair { round, opening: round - 1, bots })
    };
    let mut pairs: Vec<Pair> = event.extra.iter().flat_map(of).collect();
    pairs.sort_by_key(|pair| pair.round);
    pairs
}
