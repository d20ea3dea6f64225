//! The advantage of moving first.
//!
//! Openings favour a seat, and all pairings may play the same openings. Their clusters are then not independent. So
//! there are two error margins, by clusters (`sandwich.rs`) and by openings (`openings.rs`), and the larger one is used.

use super::Tally;
use super::counts::Counts;
use super::elo::{ELO_PER_NAT, Estimate};
use super::field::{Connectivity, Fitted};
use super::normal::Z95;
use super::openings::Openings;
use super::sandwich::side_error;

/// The advantage of moving first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SideAdvantage {
    /// The wins, draws and losses of the first seat.
    pub games: Tally,
    /// The advantage, adjusted for strength; infinite if no finite value explains the games. `None` without games, or
    /// if the games cannot separate it from strength.
    pub elo: Option<Estimate>,
}

/// Estimates the side advantage from a fit in which it is an unknown. This is a separate fit if the ratings do not
/// include it.
pub(super) fn side_advantage(
    counts: &Counts,
    field: &Connectivity,
    fitted: &Fitted<'_>,
    openings: Option<Openings<'_>>,
) -> SideAdvantage {
    let games = counts.first_seat();
    if games.games() == 0 || !field.sides_are_identifiable {
        return SideAdvantage { games, elo: None };
    }
    let Fitted { model, fit } = fitted;
    let gamma = fit.at[counts.bots()];
    let elo = gamma * ELO_PER_NAT;
    let error = side_error(field, fitted);
    let by_opening = openings.map_or(0.0, |openings| openings.first_seat_margin() * error.per_point);
    let margin = ELO_PER_NAT * (Z95 * error.variance.sqrt()).max(by_opening);
    let estimate = Estimate::new(elo, margin);
    // If a virtual game had to bound it, it is infinite, and only the nearer end is known.
    let estimate = if model.side_draws > 0.0 {
        let open = [gamma <= 0.0, gamma > 0.0];
        Estimate { elo: if gamma > 0.0 { f64::INFINITY } else { f64::NEG_INFINITY }, ..estimate.unbounded(open) }
    } else {
        estimate
    };
    SideAdvantage { games, elo: Some(estimate) }
}
