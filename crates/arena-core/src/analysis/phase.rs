//! Mistakes by phase: how far the game went, by what it uses up.
//!
//! A phase is a quarter of what a game can use up: of the cells of a board, or of the marbles of a heap. Plies would not do:
//! 30 of them fill most of one board and little of another.

use crate::rules::State;

/// What the phases are called: how much was used up before the move.
pub const PHASES: [&str; 4] = ["0–25 %", "25–50 %", "50–75 %", "75–100 %"];

/// A bot's judged moves in one phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PhaseCount {
    /// Moves in positions where some legal move gives the result away.
    pub could: u64,
    /// Moves that gave it away.
    pub gave_away: u64,
}

impl PhaseCount {
    /// The share of the first that are among the second.
    #[must_use]
    pub fn rate(self) -> Option<f64> {
        (self.could > 0).then(|| self.gave_away as f64 / self.could as f64)
    }
}

/// The phase of a position, as an index of [`PHASES`]; `None` if its rules use nothing up.
#[must_use]
pub(super) fn phase(state: &dyn State) -> Option<usize> {
    let [used, all] = state.used_up()?;
    (all > 0).then(|| (used * PHASES.len() / all).min(PHASES.len() - 1))
}
