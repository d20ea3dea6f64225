//! The games of a tournament by place: computed, so that planned games take no memory.

use std::sync::Arc;

use serde::Serialize;

use super::ScheduleError;
use crate::event::{GAMES_MAX, GameId, ScheduledGame, Seating, Tournament};
use crate::format::{Field, Format, FormatKind, KnownPair, OpeningOrder, Pair, Sheet, Stepwise};
use crate::stats::PLAYERS_MAX;

/// A game of the schedule, without its id, which is slow to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Planned {
    /// Its place in the schedule, from 0.
    pub place: u32,
    /// Round, from 1; 0 for games that were known before the first decision of a ladder.
    pub round: u32,
    /// Number of the pair within the tournament, from 1: its two games share it.
    pub pair: u32,
    /// Index of the opening in [`Tournament::openings`].
    pub opening: usize,
    /// Indices into [`Tournament::bots`], by seat.
    pub bots: [usize; 2],
}

/// Whether the game at `place` is the first of its pair, in which the first bot of the pair has the first seat.
#[must_use]
pub const fn is_first_of_pair(place: u32) -> bool {
    place.is_multiple_of(2)
}

/// All pairs of a tournament: the computed ones of a fixed format, then added ones.
#[derive(Debug, Clone)]
pub(super) struct PlannedPairs {
    pub(super) event: Arc<Tournament>,
    open_information: bool,
    kind: FormatKind,
    pub(super) seating: Seating,
    /// Pairings in a round of a fixed format.
    pairings: usize,
    /// Pairs of all rounds of a fixed format.
    fixed: usize,
    /// The added pairs; their openings are in the event.
    added: Vec<Pair>,
    /// Pairs of all rounds that follow from the definition, or were added whole after these.
    whole: usize,
}

impl PlannedPairs {
    /// The games that follow from `event` alone.
    pub(super) fn new(event: Arc<Tournament>) -> Result<Self, ScheduleError> {
        if event.bots.len() > PLAYERS_MAX {
            return Err(ScheduleError::TooManyBots(event.bots.len()));
        }
        let format = Format::named(&event.format);
        let format = format.ok_or_else(|| ScheduleError::UnknownFormat(event.format.clone()))?;
        let kind = format.kind;
        let seating = event.seating(format);
        let pairings = match kind {
            FormatKind::Fixed { pairings, .. } => pairings(&seating.field),
            FormatKind::Stepwise { .. } => 0,
        };
        let (fixed, games) = (pairings * event.rounds as usize, event.fixed_games());
        if games > GAMES_MAX {
            return Err(ScheduleError::TooManyGames { games, bots: event.bots.len() });
        }
        if event.openings.is_empty() {
            return Err(ScheduleError::NoOpening);
        }
        let open_information = event.open_information();
        Ok(Self { event, open_information, kind, seating, pairings, fixed, added: Vec::new(), whole: fixed })
    }

    /// Number of games.
    pub(super) fn len(&self) -> u32 {
        2 * (self.fixed + self.added.len()) as u32
    }

    /// Adds pairs, which may be whole rounds.
    pub(super) fn add(&mut self, pairs: Vec<Pair>, are_whole: bool) {
        if are_whole && self.whole == self.fixed + self.added.len() {
            self.whole += pairs.len();
        }
        self.added.extend(pairs);
    }

    /// Numbers of pairs after which all bots have played equally many, and nearly so, if the pair with this number is of a
    /// whole round of a fixed format; else zeros.
    pub(super) fn steps(&self, number: usize) -> [usize; 2] {
        match self.kind {
            FormatKind::Fixed { turn, .. } if number < self.whole => {
                let turn = turn(&self.seating.field);
                [if turn.is_level { turn.pairs } else { self.pairings }, turn.pairs]
            }
            _ => [0; 2],
        }
    }

    /// The results of a stepwise format; `withdrawn` as [`Field::withdrawn`].
    pub(super) fn sheet(&self, pairs: &[KnownPair], withdrawn: &[(usize, usize)]) -> Option<Sheet> {
        let field = Field { withdrawn: withdrawn.to_vec(), ..self.seating.field.clone() };
        Format::named(&self.event.format)?.sheet.map(|sheet| sheet(&field, pairs))
    }

    /// If the schedule begins with the pairs that are known: the order of their openings after those of rounds.
    pub(super) const fn known_order(&self) -> Option<OpeningOrder> {
        if let FormatKind::Stepwise { known, .. } = self.kind { known } else { None }
    }

    /// The id of the first or second game of `pair`, after `repeat` void attempts.
    pub(super) fn id(&self, Pair { opening, bots: [a, b], .. }: Pair, game: usize, repeat: u32) -> GameId {
        let bots = if game == 0 { [a, b] } else { [b, a] };
        self.event.identify(opening, bots, repeat, self.open_information).0
    }

    /// Whether so many pairs more can be played.
    pub(super) fn fit(&self, pairs: usize) -> bool {
        u64::from(self.len()) + 2 * pairs as u64 <= GAMES_MAX
    }

    /// Whether pairs were added to a fixed format because of results.
    pub(super) fn is_extended(&self) -> bool {
        self.fixed > 0 && self.whole < self.fixed + self.added.len()
    }

    /// The pair with this number, from 0.
    pub(super) fn pair(&self, number: usize) -> Pair {
        match self.kind {
            FormatKind::Fixed { pairing, .. } if number < self.fixed => {
                let opening = (number / self.pairings) as u32;
                Pair { round: opening + 1, opening, bots: pairing(&self.seating.field, number % self.pairings) }
            }
            _ => self.added[number - self.fixed],
        }
    }

    /// The game at `place`: the first bot of a pair moves first in the first of its games.
    pub(super) fn planned(&self, place: u32) -> Planned {
        let number = place as usize / 2;
        let Pair { round, opening, bots: [a, b] } = self.pair(number);
        let bots = if is_first_of_pair(place) { [a, b] } else { [b, a] };
        let opening = opening as usize % self.event.openings.len();
        Planned { place, round, pair: number as u32 + 1, opening, bots }
    }

    /// The game at `place` with its id, after `repeat` void attempts at it.
    pub(super) fn game(&self, place: u32, repeat: u32) -> ScheduledGame {
        let Planned { round, pair, opening, bots, .. } = self.planned(place);
        let number = self.pair(place as usize / 2).opening;
        let (id, seed) = self.event.identify(number, bots, repeat, self.open_information);
        ScheduledGame { id, round, pair, number, opening, bots, seed, repeat }
    }

    /// The format, if it is stepwise, before its first decision.
    pub(super) fn start(&self) -> Option<Box<dyn Stepwise>> {
        match self.kind {
            FormatKind::Fixed { .. } => None,
            FormatKind::Stepwise { start, .. } => Some(start(&self.seating.field)),
        }
    }
}
