//! The advantage of moving first.

use super::Tally;
use super::counts::Counts;
use super::field::{Field, Fitted};
use super::normal::Z95;
use super::ratings::{ELO_PER_NAT, Estimate};
use super::sandwich::side_variance;

/// What it was worth to move first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SideAdvantage {
    /// What the first seat won, drew and lost.
    pub games: Tally,
    /// The advantage, strengths being allowed for; infinite if no finite one explains the games. `None` without
    /// games, or if the games cannot tell it from strength.
    pub elo: Option<Estimate>,
}

/// Estimates the side advantage from a fit that has it as an unknown.
///
/// That is a fit of its own where ratings do not have it as part of theirs.
pub(super) fn side_advantage(counts: &Counts, field: &Field, fitted: &Fitted<'_>) -> SideAdvantage {
    let games = counts.first_seat();
    if games.games() == 0 || !field.tells_sides_apart {
        return SideAdvantage { games, elo: None };
    }
    let Fitted { model, fit } = fitted;
    let gamma = fit.at[counts.bots()];
    let elo = gamma * ELO_PER_NAT;
    let margin = Z95 * ELO_PER_NAT * side_variance(field, fitted).sqrt();
    let (lo, hi) = (elo - margin, elo + margin);
    // If a virtual game had to hold it, it goes on for ever and only the near end is known.
    let estimate = match (model.side_draws > 0.0, gamma > 0.0) {
        (false, _) => Estimate { elo, lo, hi },
        (true, true) => Estimate { elo: f64::INFINITY, lo, hi: f64::INFINITY },
        (true, false) => Estimate { elo: f64::NEG_INFINITY, lo: f64::NEG_INFINITY, hi },
    };
    SideAdvantage { games, elo: Some(estimate) }
}
