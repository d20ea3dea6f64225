//! The positions that were solved in this run.

use std::collections::HashMap;
use std::sync::Mutex;

use super::verdict::GuessCost;
use crate::rules::Move;
use crate::solver::{Answer, Unsolved, Value};

/// Positions that are kept; later ones are solved anew.
pub const MEMORY_MAX: usize = 1 << 20;

/// What is kept of a position.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Its value.
    pub answer: Answer,
    /// Whether some legal move gives the result away, if that was asked and is known.
    pub could: Option<bool>,
    /// A move that keeps the value, if the move that was made gave the result away.
    pub best: Option<Move>,
}

/// A question about a position: a hash of the position, what the played move is known to be worth, and whether there is one.
/// Its answer depends on nothing else, so it does not matter which game asks first, and memory changes no output.
pub(super) type Question = (u128, Option<Value>, bool);

/// Answers of this run, for all threads.
#[derive(Debug)]
pub struct Memory {
    known: Mutex<HashMap<Question, Found>>,
    guesses: Mutex<HashMap<u128, Result<GuessCost, Unsolved>>>,
    max: usize,
}

impl Default for Memory {
    fn default() -> Self {
        Self::of(MEMORY_MAX)
    }
}

impl Memory {
    /// An empty one with room for `max` positions.
    #[must_use]
    pub fn of(max: usize) -> Self {
        Self { known: Mutex::default(), guesses: Mutex::default(), max }
    }

    pub(super) fn get(&self, question: &Question) -> Option<Found> {
        self.known.lock().ok()?.get(question).cloned()
    }

    pub(super) fn keep(&self, question: Question, found: Found) {
        if let Ok(mut known) = self.known.lock()
            && known.len() < self.max
        {
            known.insert(question, found);
        }
    }

    /// What a guess costs, by a hash of it and of what its mover knows.
    pub(super) fn guess(&self, question: u128) -> Option<Result<GuessCost, Unsolved>> {
        self.guesses.lock().ok()?.get(&question).copied()
    }

    pub(super) fn keep_guess(&self, question: u128, cost: Result<GuessCost, Unsolved>) {
        if let Ok(mut guesses) = self.guesses.lock()
            && guesses.len() < self.max
        {
            guesses.insert(question, cost);
        }
    }
}
