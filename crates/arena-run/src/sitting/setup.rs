//! What is played, and by whom.

use arena_core::clock::TimeControl;
use arena_core::rules::{Move, Variant};
use arena_play::player::human::HUMAN;

/// Who plays, in whatever seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Participant {
    /// The name; [`HUMAN`] for a person.
    pub name: String,
    /// The fingerprint; [`HUMAN`] for a person.
    pub fingerprint: String,
    /// Whether it is a person.
    pub is_person: bool,
}

impl Participant {
    /// A person.
    #[must_use]
    pub fn person() -> Self {
        Self { name: HUMAN.to_owned(), fingerprint: HUMAN.to_owned(), is_person: true }
    }

    /// A bot.
    #[must_use]
    pub fn bot(name: &str, fingerprint: &str) -> Self {
        Self { name: name.to_owned(), fingerprint: fingerprint.to_owned(), is_person: false }
    }
}

/// What is played, and by whom.
#[derive(Debug, Clone)]
pub struct SittingSetup {
    /// The game.
    pub variant: Variant,
    /// The seed from which the seed of each game is derived.
    pub seed: u64,
    /// The seed of the first game, if it continues one.
    pub first_seed: Option<u64>,
    /// The time control of bots.
    pub clock: TimeControl,
    /// Whether persons have a clock, which is their own.
    pub is_timed: bool,
    /// Moves that the first game begins with.
    pub opening: Vec<Move>,
    /// Who plays.
    pub participants: [Participant; 2],
    /// The index of the participant in each seat, in the first game.
    pub seats: [usize; 2],
    /// Whether bots wait for a key before each move.
    pub is_paused: bool,
    /// The name of the bot that gives hints.
    pub hints: Option<String>,
}
