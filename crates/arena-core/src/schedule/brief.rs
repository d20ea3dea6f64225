//! Summaries of games, so that a tournament of millions of games fits into memory.

use crate::event::GameId;
use crate::record::{BotId, Disturbance, GameResult, Record, Status};
use crate::rules::{self, Seat};

/// The parts of a game that schedule and standings need, and the position of the full record in the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brief {
    /// Which game it is.
    pub id: GameId,
    /// A hash of its moves and, with hidden information, of its seed, since the same moves are then another game. The
    /// probability of a collision between any two of a million games is 1 in 30 million. Of a void game that a bot is to
    /// blame for, a hash of that bot's identity: nothing needs the moves of a void game.
    pub moves: u64,
    /// Offset of its line in the journal, in bytes.
    pub offset: u64,
    /// Length of its line; 0 for a game that is not in this journal: a withdrawn bot lost it unplayed, or another machine has
    /// it.
    pub bytes: u32,
    /// Void attempts at this game before.
    pub repeat: u32,
    /// Time that each seat took to restart after its faults, in milliseconds, at most 65,535.
    pub restart_ms: [u16; 2],
    /// Who won.
    pub result: GameResult,
    /// The status of each seat.
    pub statuses: [Status; 2],
    /// Further inputs of strikes.
    pub(super) traits: Traits,
}

/// Inputs of strikes besides statuses: two bits a seat and two of the game, in the last spare byte of a [`Brief`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Traits(u8);

impl Traits {
    const MOVED: [u8; 2] = [1, 2];
    const STARVED: [u8; 2] = [4, 8];
    const DISTURBED: u8 = 16;
    const CULPRIT: u8 = 32;
    const BREAKS_RULES: u8 = 64;
    const RULES_FAILED: u8 = 128;

    fn of(record: &Record) -> Self {
        let mut bits = 0;
        for seat in Seat::BOTH {
            let index = seat.index();
            if record.played_by(seat).next().is_some() {
                bits |= Self::MOVED[index];
            }
            if record.is_starved_timeout(seat) {
                bits |= Self::STARVED[index];
            }
        }
        if let Some(disturbance) = record.disturbance.as_ref().filter(|_| !record.counts()) {
            bits |= Self::DISTURBED;
            bits |= if disturbance.culprit().is_some() { Self::CULPRIT } else { 0 };
        }
        if record.breaks_rules() {
            bits |= Self::BREAKS_RULES;
        }
        if record.rules_fault.is_some() {
            bits |= Self::RULES_FAILED;
        }
        Self(bits)
    }
}

/// A hash of what a bot is known by.
pub(super) fn identity_hash(bot: &BotId) -> u64 {
    first_word(&blake3::hash(bot.identity().as_bytes()))
}

fn first_word(hash: &blake3::Hash) -> u64 {
    hash.as_bytes().first_chunk().map_or(0, |first| u64::from_le_bytes(*first))
}

impl Brief {
    /// Summarises `record`, whose line has this many `bytes` and begins at `offset`.
    ///
    /// # Panics
    ///
    /// Never: moves always serialise.
    #[must_use]
    pub fn of(record: &Record, offset: u64, bytes: u32) -> Self {
        let mut moves = serde_json::to_vec(&record.moves).expect("moves serialise to memory");
        if record.hidden || rules::all().any(|rules| rules.name == record.game && !rules.open_information) {
            moves.extend(record.seed.to_le_bytes());
        }
        let culprit = record.disturbance.as_ref().filter(|_| !record.counts()).and_then(Disturbance::culprit);
        Self {
            id: GameId::of(&record.id),
            moves: culprit.map_or_else(|| first_word(&blake3::hash(&moves)), identity_hash),
            offset,
            bytes,
            repeat: record.repeat,
            restart_ms: record.restart_us.map(|us| u16::try_from(us / 1_000).unwrap_or(u16::MAX)),
            result: record.result,
            statuses: record.statuses,
            traits: Traits::of(record),
        }
    }

    /// The game as one whose line begins at `offset`.
    #[must_use]
    pub const fn moved_to(self, offset: u64) -> Self {
        Self { offset, ..self }
    }

    /// The game as one that is in another journal.
    #[must_use]
    pub const fn elsewhere(self) -> Self {
        Self { offset: 0, bytes: 0, ..self }
    }

    /// Whether the game has a result that counts.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.result != GameResult::Void
    }

    /// Whether it failed because of the arena: neither bot was at fault.
    #[must_use]
    pub fn is_our_failure(&self) -> bool {
        self.result == GameResult::Void && self.statuses == [Status::Ok; 2]
    }

    /// Whether a bot made a move that was not listed and on which the rules fail.
    #[must_use]
    pub const fn breaks_rules(&self) -> bool {
        self.traits.0 & Traits::BREAKS_RULES != 0
    }

    /// Whether it is void because the rules failed.
    #[must_use]
    pub const fn is_rules_fault(&self) -> bool {
        self.traits.0 & Traits::RULES_FAILED != 0
    }

    /// Whether it is void because bots that did not play it took the processor.
    pub(super) const fn is_disturbed(&self) -> bool {
        self.traits.0 & Traits::DISTURBED != 0
    }

    /// A hash of the [identity](BotId::identity) of the bot that is to blame for that, if there is one.
    pub(super) fn culprit(&self) -> Option<u64> {
        (self.traits.0 & Traits::CULPRIT != 0).then_some(self.moves)
    }

    /// Whether the bot on this seat made a move after the opening.
    pub(super) const fn has_moved(&self, seat: Seat) -> bool {
        self.traits.0 & Traits::MOVED[seat.index()] != 0
    }

    /// Whether the bot on this seat lost on time after the full credit.
    #[must_use]
    pub const fn is_starved_timeout(&self, seat: Seat) -> bool {
        self.traits.0 & Traits::STARVED[seat.index()] != 0
    }

    /// Whether neither bot could start. Such a game is missing, and tried again ([`schedule`](crate::schedule)).
    #[must_use]
    pub fn is_unstartable(&self) -> bool {
        !self.counts() && self.statuses == [Status::StartupFailed; 2]
    }

    /// Whether the game need not be played again: it counts, or a bot was withdrawn.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.counts() || self.statuses.contains(&Status::Withdrawn)
    }

    /// Whether both bots played, so that the result says something about their strengths. A failed start is rated, but is no
    /// reason to play other pairs.
    pub(super) fn is_evidence(&self) -> bool {
        self.is_rated() && !self.statuses.contains(&Status::StartupFailed)
    }

    /// Whether the result is evidence of strength: it counts, and neither bot was withdrawn.
    #[must_use]
    pub fn is_rated(&self) -> bool {
        self.counts() && !self.statuses.contains(&Status::Withdrawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn the_same_moves_are_another_game_where_another_code_is_hidden() {
        let event = fixture::event(&["a", "b"]);
        let played = |game: &str, seed| {
            let mut record = fixture::record(&event, &fixture::schedule(&event)[0], GameResult::Draw, 1);
            (record.game, record.seed) = (game.to_owned(), seed);
            Brief::of(&record, 0, 1).moves
        };
        assert_eq!(played("connect4", 1), played("connect4", 2));
        assert_ne!(played("mastermind", 1), played("mastermind", 2));
        assert_eq!(played("mastermind", 1), played("mastermind", 1));
    }
}
