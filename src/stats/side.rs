//! The advantage of moving first.
//!
//! Openings favour a seat, and all pairings may play the same openings. Their clusters are then not independent. (For
//! ratings they nearly are, because swapped games cancel the opening.) So there are two error margins, by clusters
//! (`sandwich.rs`) and by openings, and the larger one is used.

use super::Tally;
use super::counts::{Counts, OpeningScore};
use super::elo::{ELO_PER_NAT, Estimate};
use super::field::{Field, Fitted};
use super::normal::{Z95, t95};
use super::sandwich::side_error;

/// Minimum number of openings; the spread of fewer is not informative.
const OPENINGS_MIN: f64 = 3.0;

/// The advantage of moving first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SideAdvantage {
    /// The wins, draws and losses of the first seat.
    pub games: Tally,
    /// The advantage, adjusted for strength; infinite if no finite value explains the games. `None` without games, or
    /// if the games cannot separate it from strength.
    pub elo: Option<Estimate>,
    /// Whether the interval only holds for the openings that were played: they are known, and too few to generalise.
    pub of_these_openings: bool,
}

/// Estimates the side advantage from a fit in which it is an unknown. This is a separate fit if the ratings do not
/// include it.
pub(super) fn side_advantage(counts: &Counts, field: &Field, fitted: &Fitted<'_>) -> SideAdvantage {
    let games = counts.first_seat();
    if games.games() == 0 || !field.sides_are_identifiable {
        return SideAdvantage { games, elo: None, of_these_openings: false };
    }
    let Fitted { model, fit } = fitted;
    let gamma = fit.at[counts.bots()];
    let elo = gamma * ELO_PER_NAT;
    let error = side_error(field, fitted);
    let openings = openings_played(counts, games);
    let by_opening = openings.map_or(0.0, |openings| openings.margin(games) * error.per_point);
    let margin = ELO_PER_NAT * (Z95 * error.variance.sqrt()).max(by_opening);
    let estimate = Estimate::new(elo, margin);
    // If a virtual game had to bound it, it is infinite, and only the nearer end is known.
    let estimate = if model.side_draws > 0.0 {
        let open = [gamma <= 0.0, gamma > 0.0];
        Estimate { elo: if gamma > 0.0 { f64::INFINITY } else { f64::NEG_INFINITY }, ..estimate.unbounded(open) }
    } else {
        estimate
    };
    let of_these_openings = openings.is_some_and(|openings| openings.are_too_few());
    SideAdvantage { games, elo: Some(estimate), of_these_openings }
}

/// The openings, if they are known for all games.
#[derive(Clone, Copy)]
struct Openings<'a> {
    each: &'a [OpeningScore],
    /// Effective number of openings, lower if some have more games than others: their weight in a variance that is the
    /// sum of squares of all games of an opening (Satterthwaite, "An approximate distribution of estimates of variance
    /// components", 1946).
    number: f64,
}

fn openings_played(counts: &Counts, games: Tally) -> Option<Openings<'_>> {
    let each = &counts.openings[..];
    let known: u64 = each.iter().map(|opening| opening.games).sum();
    let power = |exponent: i32| each.iter().map(|opening| (opening.games as f64).powi(exponent)).sum::<f64>();
    (known == games.games()).then(|| Openings { each, number: power(2).powi(2) / power(4) })
}

impl Openings<'_> {
    fn are_too_few(&self) -> bool {
        self.number < OPENINGS_MIN
    }

    /// The 95 % margin of the points of the first seat, with openings as randomly drawn clusters (Cochran, "Sampling
    /// techniques", 1977, chapter 9A: clusters of unequal sizes).
    fn margin(&self, games: Tally) -> f64 {
        if self.are_too_few() {
            return 0.0;
        }
        let score = games.score().unwrap_or(0.5);
        let surplus = |opening: &OpeningScore| opening.half_points as f64 / 2.0 - opening.games as f64 * score;
        let squares: f64 = self.each.iter().map(|opening| surplus(opening).powi(2)).sum();
        let degrees = self.number - 1.0;
        t95(degrees) * (squares * self.number / degrees).sqrt()
    }
}
