//! Why a game went otherwise when it was played again.

use arena_core::record::{Record, Status};
use arena_core::rules::Seat;
use arena_core::text::shown;
use serde::Serialize;

/// A bot that uses at least this share of the limit of a move, in percent, or this many microseconds without such a limit, may
/// play what it has found by then.
const THINKING_PERCENT: u64 = 50;
const THINKING_US: u64 = 5_000;

/// Why a game went otherwise, as far as records tell: the first of these that holds. Later ones assume that bot, rules and
/// question are the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case", tag = "cause")]
pub enum RerunCause {
    /// The record does not follow the rules, or its parts do not agree: no bot has to do with that.
    Record,
    /// These bots are not there, or cannot play.
    Missing {
        /// Their names.
        bots: Vec<String>,
    },
    /// It was not played, or not to its end.
    NotPlayed,
    /// The rules are another version.
    Rules,
    /// The time control, or the number of moves after which a game is a draw, is another one.
    Clock,
    /// These bots have another fingerprint.
    Version {
        /// Their names.
        bots: Vec<String>,
    },
    /// The bots got other random numbers: one of the games replaces a void one.
    Seed,
    /// It lost on time in one of the games, or thought for so long, then or before in the game, that its move may depend on how
    /// far it got.
    Time {
        /// Its name.
        bot: String,
    },
    /// It failed when the game was played again, or in both games in another way.
    Fault {
        /// Its name.
        bot: String,
    },
    /// It lost by a fault in the record alone, which a record cannot prove.
    RecordedFault {
        /// Its name.
        bot: String,
    },
    /// It answered otherwise on another class of machine.
    Machine {
        /// Its name.
        bot: String,
    },
    /// It answered otherwise to another version of arena.
    Arena {
        /// Its name.
        bot: String,
    },
    /// It gave another answer to the same question: it is random, remembers earlier games, or the record is false.
    Unpredictable {
        /// Its name.
        bot: String,
    },
}

impl RerunCause {
    /// The cause of the difference of two records of a game that are alike up to `ply`.
    pub(super) fn of(old: &Record, new: &Record, ply: usize) -> Self {
        if (&old.game, old.rules_version) != (&new.game, new.rules_version) {
            return Self::Rules;
        }
        if (old.clock, old.max_plies) != (new.clock, new.max_plies) {
            return Self::Clock;
        }
        let pairs = old.bots.iter().zip(&new.bots);
        let changed = pairs.filter(|(old, new)| old.fingerprint != new.fingerprint);
        let mut changed: Vec<String> = changed.map(|(_, new)| new.name.clone()).collect();
        changed.sort_unstable();
        if !changed.is_empty() {
            return Self::Version { bots: changed };
        }
        if old.id != new.id {
            return Self::Seed;
        }
        let name = |seat: Seat| new.bots[seat.index()].name.clone();
        let failed = |wanted: fn(Status) -> bool| {
            let differs = |seat: &Seat| old.statuses[seat.index()] != new.statuses[seat.index()];
            let has = |seat: &Seat| [old, new].iter().any(|record| wanted(record.statuses[seat.index()]));
            Seat::BOTH.into_iter().filter(differs).find(has)
        };
        // If both moved, one of them moved otherwise before any fault.
        let both_moved = ply < old.moves.len().min(new.moves.len());
        if !both_moved {
            let is_recorded = |seat: &Seat| {
                let [old, new] = [old, new].map(|record| record.statuses[seat.index()]);
                old.is_fault() && new == Status::Ok
            };
            if let Some(seat) = Seat::BOTH.into_iter().find(is_recorded) {
                return Self::RecordedFault { bot: name(seat) };
            }
            if let Some(seat) = failed(|status| status == Status::Timeout) {
                return Self::Time { bot: name(seat) };
            }
            if let Some(seat) = failed(Status::is_fault) {
                return Self::Fault { bot: name(seat) };
            }
        }
        let longer = if ply < new.moves.len() { new } else { old };
        let seat = longer.movers.seat(ply);
        let bot = name(seat);
        let class = |record: &Record| record.machine.as_ref().map(|machine| machine.class.clone());
        if [old, new].into_iter().any(|record| has_long_move(record, seat, ply)) {
            Self::Time { bot }
        } else if class(old) != class(new) {
            Self::Machine { bot }
        } else if old.arena != new.arena {
            Self::Arena { bot }
        } else {
            Self::Unpredictable { bot }
        }
    }

    /// The cause in words, after the game.
    #[must_use]
    pub fn words(&self) -> String {
        let list = |bots: &[String]| bots.iter().map(|bot| shown(bot)).collect::<Vec<_>>().join(" and ");
        let be = |bots: &[String]| if bots.len() == 1 { "is" } else { "are" };
        match self {
            Self::Record => "the record contradicts itself".to_owned(),
            Self::Missing { bots } => format!("{} {} missing", list(bots), be(bots)),
            Self::NotPlayed => "not played to the end".to_owned(),
            Self::Rules => "the rules are another version".to_owned(),
            Self::Clock => "another time control".to_owned(),
            Self::Version { bots } if bots.len() == 1 => format!("{} is another version", list(bots)),
            Self::Version { bots } => format!("{} are other versions", list(bots)),
            Self::Seed => "other random numbers, since one of the two games replaces a void one".to_owned(),
            Self::Time { bot } => format!("the moves of {} depend on time", shown(bot)),
            Self::Fault { bot } => format!("{} failed when it played again", shown(bot)),
            Self::RecordedFault { bot } => {
                format!("{} failed in the record alone, which a record cannot prove", shown(bot))
            }
            Self::Machine { bot } => format!("{} answered otherwise on another class of machine", shown(bot)),
            Self::Arena { bot } => format!("{} answered otherwise to another version of arena", shown(bot)),
            Self::Unpredictable { bot } => {
                let bot = shown(bot);
                format!(
                    "{bot} answered the same question otherwise: it is random, remembers earlier games, or the record is false"
                )
            }
        }
    }
}

/// Whether a move of `seat` up to this ply took so long that it may depend on time.
fn has_long_move(record: &Record, seat: Seat, ply: usize) -> bool {
    let least = record.clock.move_ms.map_or(THINKING_US, |ms| 10 * ms * THINKING_PERCENT);
    let until = (ply + 1).saturating_sub(record.opening.len());
    let played = record.played.iter().enumerate().take(until);
    let mut own = played.filter(|(index, _)| record.movers.seat(record.opening.len() + index) == seat);
    own.any(|(_, played)| played.us >= least)
}

#[cfg(test)]
mod tests {
    use crate::fixture;
    use arena_core::record::{Played, PlayedOn};
    use arena_core::rules::Move;

    use super::*;

    /// A game of 100 ms a move in which the bots answered these moves after an opening of one move, in these times.
    fn record(moves: &[i64], us: u64) -> Record {
        let event = fixture::event(&["ann", "bob"]);
        let game = &fixture::schedule(&event)[0];
        let mut record = fixture::record(&event, game, arena_core::record::GameResult::Draw, 0);
        record.opening = vec![Move::Int(3)];
        record.moves = record.opening.iter().cloned().chain(moves.iter().map(|played| Move::Int(*played))).collect();
        record.played = moves.iter().map(|_| Played { us, ..Played::default() }).collect();
        record.clock.move_ms = Some(100);
        record.machine = None;
        record
    }

    fn cause(old: &Record, new: &Record) -> RerunCause {
        RerunCause::of(old, new, old.moves.iter().zip(&new.moves).take_while(|(old, new)| old == new).count())
    }

    #[test]
    fn the_first_cause_that_holds_is_named() {
        let old = record(&[1, 2, 3], 900);
        let [first, second] = old.bots.each_ref().map(|bot| bot.name.clone());
        let mut new = record(&[1, 5, 3], 900);
        // The opening is a move of the first seat, so that it also made the second answer.
        assert_eq!(cause(&old, &new), RerunCause::Unpredictable { bot: first.clone() });
        new.arena = "0.0.0".to_owned();
        assert_eq!(cause(&old, &new), RerunCause::Arena { bot: first.clone() });
        let class = "x".to_owned();
        new.machine = Some(PlayedOn { class, cpu: String::new(), slots: 1, calibration: None });
        assert_eq!(cause(&old, &new), RerunCause::Machine { bot: first.clone() });
        // What the other one thought says nothing.
        new.played[0].us = 60_000;
        assert_eq!(cause(&old, &new), RerunCause::Machine { bot: first.clone() });
        new.played[1].us = 60_000;
        assert_eq!(cause(&old, &new), RerunCause::Time { bot: first.clone() });
        new.statuses[1] = Status::Timeout;
        assert_eq!(cause(&old, &new), RerunCause::Time { bot: first.clone() }, "it moved otherwise before");
        new.id = "another".to_owned();
        assert_eq!(cause(&old, &new), RerunCause::Seed);
        new.bots[1].fingerprint = "another".to_owned();
        assert_eq!(cause(&old, &new), RerunCause::Version { bots: vec![second] });
        new.clock.margin_ms += 1;
        assert_eq!(cause(&old, &new), RerunCause::Clock);
        new.rules_version += 1;
        assert_eq!(cause(&old, &new), RerunCause::Rules);
    }

    #[test]
    fn a_game_that_ends_earlier_by_a_fault_has_it_for_a_cause() {
        let (old, mut new) = (record(&[1, 2, 3], 900), record(&[1, 2], 900));
        let second = new.bots[1].name.clone();
        new.statuses[1] = Status::Crashed;
        assert_eq!(cause(&old, &new), RerunCause::Fault { bot: second.clone() });
        new.statuses[1] = Status::Timeout;
        assert_eq!(cause(&old, &new), RerunCause::Time { bot: second.clone() });
        // Anyone can write that into a record.
        assert_eq!(cause(&new, &old), RerunCause::RecordedFault { bot: second.clone() });
        // The same fault, and one move more before it.
        let mut later = record(&[1, 2, 3], 900);
        later.statuses[1] = Status::Timeout;
        assert_eq!(cause(&new, &later), RerunCause::Unpredictable { bot: second });
    }
}
