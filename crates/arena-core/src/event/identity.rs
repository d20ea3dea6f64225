//! The identity of a game and its hash.

use std::fmt;

use serde::Serialize;

use super::Tournament;
use crate::clock::TimeControl;
use crate::record::{BotId, Record};
use crate::rng::derive_seed;
use crate::rules::{Move, Seat};

/// Identity of a game: a hash of everything its result may depend on, written as 16 hexadecimal characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(u64);

impl GameId {
    /// Digits of an id that are enough for `arena replay`, nearly always.
    pub const SHORT: usize = 8;

    /// Parses an id. Any other text becomes an id that is in no schedule.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let written = u64::from_str_radix(text, 16).map(Self).ok().filter(|id| id.to_string() == text);
        written.unwrap_or_else(|| Self::hash(text.as_bytes()))
    }

    /// The id as a number.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The first digits of the id.
    #[must_use]
    pub fn short(self) -> String {
        let mut text = self.to_string();
        text.truncate(Self::SHORT);
        text
    }

    fn hash(bytes: &[u8]) -> Self {
        let hash = blake3::hash(bytes);
        Self(hash.as_bytes().first_chunk().map_or(0, |first| u64::from_be_bytes(*first)))
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Everything that a game's result may depend on. It has nothing about order, machines or concurrency, and names only where
/// they distinguish twins.
#[derive(Debug, Serialize)]
struct GameIdentity<'a> {
    game: &'a str,
    rules_version: u32,
    params: &'a serde_json::Map<String, serde_json::Value>,
    seed: u64,
    clock: &'a TimeControl,
    max_plies: Option<usize>,
    repeat: u32,
    fingerprints: [&'a str; 2],
    opening: &'a [Move],
}

impl GameIdentity<'_> {
    /// The first 64 bits of a BLAKE3 hash over its JSON.
    fn id(&self) -> GameId {
        GameId::hash(&serde_json::to_vec(self).expect("an identity serialises to memory"))
    }
}

impl Tournament {
    /// Id and seed of the game of these bots, by seat, from the opening with this running number, after `repeat` void
    /// attempts. `open_information` is the event's, passed in because it is slow to compute.
    #[must_use]
    pub fn identify(&self, opening: u32, bots: [usize; 2], repeat: u32, open_information: bool) -> (GameId, u64) {
        let moves = &self.openings[opening as usize % self.openings.len()];
        self.identify_from(opening, moves, bots, repeat, open_information)
    }

    /// As [`identify`](Self::identify), with the moves of the opening, which may have been added since.
    pub fn identify_from(
        &self,
        opening: u32,
        moves: &[Move],
        bots: [usize; 2],
        repeat: u32,
        open_information: bool,
    ) -> (GameId, u64) {
        let ids = bots.map(|bot| self.bots[bot].id.identity());
        let ids = ids.each_ref().map(AsRef::as_ref);
        // Seeds count openings from 1.
        let number = opening + 1;
        let seed =
            if open_information { shared_seed(self.seed, number) } else { secret_seed(self.seed, number, ids, repeat) };
        let identity = GameIdentity {
            game: &self.game,
            rules_version: self.rules_version,
            params: &self.params,
            seed,
            clock: &self.clock,
            max_plies: self.max_plies,
            repeat,
            fingerprints: ids,
            opening: moves,
        };
        (identity.id(), seed)
    }
}

/// With open information all games from one opening share their seed.
fn shared_seed(event_seed: u64, opening: u32) -> u64 {
    derive_seed(event_seed, "game", &[&opening.to_le_bytes()])
}

/// With hidden information every game has its own seed. A bot that remembers what an earlier game revealed must not know
/// the next one's secret, nor that of the replacement of a void game.
fn secret_seed(event_seed: u64, opening: u32, [first, second]: [&str; 2], repeat: u32) -> u64 {
    let (opening, repeat) = (opening.to_le_bytes(), repeat.to_le_bytes());
    derive_seed(event_seed, "game", &[&opening, first.as_bytes(), second.as_bytes(), &repeat])
}

/// The bots' own seeds in the game with this id, by seat. They derive from the event's seed, which is secret, so no bot can
/// compute its opponent's.
#[must_use]
pub fn bot_seeds(event_seed: u64, game: &str) -> [u64; 2] {
    Seat::BOTH.map(|seat| derive_seed(event_seed, "bot", &[game.as_bytes(), &[seat.index() as u8]]))
}

/// The id computed from a record's content; differs from [`Record::id`] if either was edited.
#[must_use]
pub fn recorded_id(record: &Record) -> String {
    let [first, second] = record.bots.each_ref().map(BotId::identity);
    let identity = GameIdentity {
        game: &record.game,
        rules_version: record.rules_version,
        params: &record.params,
        seed: record.seed,
        clock: &record.clock,
        max_plies: record.max_plies,
        repeat: record.repeat,
        fingerprints: [&first, &second],
        opening: &record.opening,
    };
    identity.id().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_what_is_written_and_nothing_else() {
        let written = "00deadbeef123456";
        assert_eq!(GameId::of(written).to_string(), written);
        assert_eq!(GameId::of(written).short(), "00deadbe");
        for other in ["", "deadbeef123456", "00DEADBEEF123456", "+0deadbeef123456", "00deadbeef1234567", "a game"] {
            assert_ne!(GameId::of(other), GameId::of(written), "{other}");
            assert_ne!(GameId::of(other).to_string(), other);
            assert_eq!(GameId::of(other), GameId::of(other));
        }
    }
}
