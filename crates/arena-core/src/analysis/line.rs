//! The positions of a stored game.

use thiserror::Error;

use crate::record::Record;
use crate::rules::{Move, Outcome, Seat, State, Variant, step};
use crate::solver::Value;

/// Why a record has no positions.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LineError {
    /// Its game is not known, or the rules failed.
    #[error("{0}")]
    Rules(String),
    /// It was played under other rules.
    #[error("it was played under version {0} of the rules, and these are version {1}")]
    Version(u32, u32),
    /// A move is not legal.
    #[error("ply {0}: {1}")]
    Move(usize, String),
}

/// The positions of a game from the end of its opening on.
#[derive(Debug)]
pub struct Line {
    /// Moves of the opening.
    pub from: usize,
    /// The positions before each move after the opening, and the one after the last if the game is not over there.
    pub positions: Vec<Box<dyn State>>,
    /// These moves.
    pub moves: Vec<Move>,
    /// Who made each of them.
    pub movers: Vec<Seat>,
    /// How the rules ended the game, if they did.
    pub outcome: Option<Outcome>,
    /// A hash of all moves, those of the opening first: 16 hexadecimal digits.
    pub digest: String,
}

/// What tells a game from another one with the same id, such as the one that was played in its place later: 16 hexadecimal
/// digits, a hash of its moves.
#[must_use]
pub(super) fn digest(moves: &[Move]) -> String {
    let mut hasher = blake3::Hasher::new();
    for played in moves {
        hasher.update(played.to_string().as_bytes());
        hasher.update(b"\n");
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

impl Line {
    /// Replays a record.
    ///
    /// # Errors
    ///
    /// Returns why it does not follow the rules.
    pub fn of(record: &Record, variant: &Variant) -> Result<Self, LineError> {
        if record.rules_version != variant.rules.version {
            return Err(LineError::Version(record.rules_version, variant.rules.version));
        }
        Self::replay(variant, record.seed, record.opening.len(), &record.moves)
    }

    /// Replays the moves of a game, of which the first `opening` are its opening.
    ///
    /// # Errors
    ///
    /// Returns why they do not follow the rules.
    pub fn replay(variant: &Variant, seed: u64, opening: usize, moves: &[Move]) -> Result<Self, LineError> {
        let mut state = variant.start(seed).map_err(|fault| LineError::Rules(fault.to_string()))?;
        let from = opening.min(moves.len());
        let own = moves[from..].to_vec();
        let digest = digest(moves);
        let mut line = Self { from, positions: Vec::new(), moves: own, movers: Vec::new(), outcome: None, digest };
        for (ply, played) in moves.iter().enumerate() {
            if ply >= from {
                line.positions.push(state.boxed_clone());
                line.movers.push(state.to_move());
            }
            step(state.as_mut(), played).map_err(|why| LineError::Move(ply + 1, why.to_string()))?;
        }
        line.outcome = state.outcome();
        if line.outcome.is_none() {
            line.positions.push(state);
        }
        Ok(line)
    }

    /// What the move that ended the game is worth to the side that made it, if the rules ended it.
    #[must_use]
    pub fn last_worth(&self) -> Option<Value> {
        let (outcome, mover) = (self.outcome?, *self.movers.last()?);
        Some(Value::ended(outcome, mover))
    }
}
