//! The advantage of moving first.
//!
//! Openings favour a seat, and the same ones may be played by all pairings: then their clusters are not independent of
//! each other, as those of ratings, in which the swapped games cancel the opening, nearly are. So there are two margins, by
//! clusters (`sandwich.rs`) and by openings, and the larger one holds.

use super::Tally;
use super::counts::{Counts, Opening};
use super::elo::{ELO_PER_NAT, Estimate};
use super::field::{Field, Fitted};
use super::normal::{Z95, t95};
use super::sandwich::side_error;

/// With fewer openings than this their spread says next to nothing.
const OPENINGS_MIN: f64 = 3.0;

/// What it was worth to move first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SideAdvantage {
    /// What the first seat won, drew and lost.
    pub games: Tally,
    /// The advantage, strengths being allowed for; infinite if no finite one explains the games. `None` without
    /// games, or if the games cannot tell it from strength.
    pub elo: Option<Estimate>,
    /// Whether the interval is for the openings that were played and no others: they are known, and so few that nothing
    /// can be said of others.
    pub of_these_openings: bool,
}

/// Estimates the side advantage from a fit that has it as an unknown.
///
/// That is a fit of its own where ratings do not have it as part of theirs.
pub(super) fn side_advantage(counts: &Counts, field: &Field, fitted: &Fitted<'_>) -> SideAdvantage {
    let games = counts.first_seat();
    if games.games() == 0 || !field.tells_sides_apart {
        return SideAdvantage { games, elo: None, of_these_openings: false };
    }
    let Fitted { model, fit } = fitted;
    let gamma = fit.at[counts.bots()];
    let elo = gamma * ELO_PER_NAT;
    let error = side_error(field, fitted);
    let openings = openings_played(counts, games);
    let by_opening = openings.map_or(0.0, |openings| openings.margin(games) * error.per_point);
    let margin = ELO_PER_NAT * (Z95 * error.variance.sqrt()).max(by_opening);
    let (lo, hi) = (elo - margin, elo + margin);
    // If a virtual game had to hold it, it goes on for ever and only the near end is known.
    let estimate = match (model.side_draws > 0.0, gamma > 0.0) {
        (false, _) => Estimate { elo, lo, hi },
        (true, true) => Estimate { elo: f64::INFINITY, lo, hi: f64::INFINITY },
        (true, false) => Estimate { elo: f64::NEG_INFINITY, lo: f64::NEG_INFINITY, hi },
    };
    let of_these_openings = openings.is_some_and(|openings| openings.are_too_few());
    SideAdvantage { games, elo: Some(estimate), of_these_openings }
}

/// The openings, if those of all games are known.
#[derive(Clone, Copy)]
struct Openings<'a> {
    each: &'a [Opening],
    /// How many there are; fewer if some have more games than others, by their part in a variance that is the sum of
    /// squares of all games of an opening (Satterthwaite, "An approximate distribution of estimates of variance
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

    /// The margin at 95 % of the points of the first seat, with openings as clusters that were drawn at random
    /// (Cochran, "Sampling techniques", 1977, chapter 9A: clusters of unequal sizes).
    fn margin(&self, games: Tally) -> f64 {
        if self.are_too_few() {
            return 0.0;
        }
        let score = games.score().unwrap_or(0.5);
        let surplus = |opening: &Opening| opening.half_points as f64 / 2.0 - opening.games as f64 * score;
        let squares: f64 = self.each.iter().map(|opening| surplus(opening).powi(2)).sum();
        let degrees = self.number - 1.0;
        t95(degrees) * (squares * self.number / degrees).sqrt()
    }
}
