//! Pairs that were added to a tournament, as the journal stores them.

use serde::{Deserialize, Serialize};

use super::ROUNDS_MAX;
use crate::format::{Over, Pair};
use crate::rules::Move;

/// A decision about the next pairs, or that there are none. Stored before the first of their games begins, so that it is final,
/// even for a later version of the arena.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Number of the decision within the tournament, from 1.
    pub n: u32,
    /// Number of leading pairs whose results it was based on.
    pub after: u32,
    /// Hash of its inputs: the tournament's definition and every result before it.
    pub of: String,
    /// Why no more pairs are added, if that was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Over>,
    /// Whether the pairs are whole rounds that do not depend on results, added because time was left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    /// The pairs: round, running number of the opening, and the two bots.
    pub pairs: Vec<(u32, u32, usize, usize)>,
    /// Openings that the pairs need beyond those the tournament had.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub openings: Vec<Vec<Move>>,
}

impl Round {
    /// The pairs that are added.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> {
        self.pairs.iter().map(|(round, opening, a, b)| Pair { round: *round, opening: *opening, bots: [*a, *b] })
    }

    /// The first pair that `bots` bots cannot play: a bot is missing or meets itself, or the number of the opening is too large.
    #[must_use]
    pub fn unplayable(&self, bots: usize) -> Option<Pair> {
        let is_sound = |Pair { opening, bots: [a, b], .. }: &Pair| *opening < ROUNDS_MAX && a != b && *a.max(b) < bots;
        self.pairs().find(|pair| !is_sound(pair))
    }
}
