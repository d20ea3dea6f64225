//! Whether one number per bot can describe a field.

use super::chances::Chances;
use super::counts::{Counts, Pairing};
use super::normal::f_tail;
use super::ratings::Ratings;

/// How well the fit explains the results of each pairing.
#[derive(Debug, Clone, PartialEq)]
pub struct Transitivity {
    /// The test; `None` if virtual games explain all results, or if no pairing was repeated.
    pub test: Option<LackOfFit>,
    /// For each pairing in the order of [`Counts::pairings`], how many standard deviations `a` scored above
    /// expectation. Beyond ±3 the result is specific to this pairing.
    pub residual_z: Vec<f64>,
}

/// A test whether pairings deviate from the fit by more than their own noise.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct LackOfFit {
    /// Mean square between pairings over mean square within; about 1 if one number per bot is sufficient.
    pub f: f64,
    /// Degrees of freedom between and within pairings.
    pub degrees: [u64; 2],
    /// The probability of such a large F in that case.
    pub p: f64,
}

/// The deviation of one pairing: r, h, Σu² and the number of clusters.
struct Deviation {
    sum: f64,
    variance: f64,
    squares: f64,
    clusters: f64,
    /// Whether both bots are in the same strong class; others are explained by virtual games.
    inside: bool,
}

/// Tests for lack of fit, by an analysis of variance over pairings within strong classes.
///
/// For a pairing of c clusters, `u_c` is the points of a cluster above expectation, r = Σu and h = Σp(1−p). Then `X² =
/// Σ r²/h`, `φ = (Σ within-pairing squares of u + e) / (Σ h (c-1)/c + e)` with e the mean of h/c, `F = X² / (df φ)` on
/// (df, Σ(c−1)) degrees of freedom, and `z = r / √(φ h)`. The test is our own; in simulations a 5 % level rejects 5 to
/// 6 %.
#[must_use]
pub fn transitivity(counts: &Counts, ratings: &Ratings) -> Transitivity {
    let (mut x2, mut spread, mut expected, mut e) = (0.0, 0.0, 0.0, 0.0);
    let (mut between, mut within) = (0, 0);
    let chances = Chances::new(&ratings.at);
    let deviations = || counts.pairings().map(|met| deviation(&met, ratings, &chances));
    for d in deviations().filter(|deviation| deviation.inside) {
        x2 += if d.variance > 0.0 { d.sum * d.sum / d.variance } else { 0.0 };
        spread += (d.squares - d.sum * d.sum / d.clusters).max(0.0);
        expected += d.variance * (d.clusters - 1.0) / d.clusters;
        e += d.variance / d.clusters;
        between += 1;
        within += d.clusters as u64 - 1;
    }
    e /= between.max(1) as f64;
    let phi = if e > 0.0 { (spread + e) / (expected + e) } else { 1.0 };
    let fitted = parameters(counts, ratings);
    let test = (between > fitted && within > 0).then(|| {
        let degrees = [between - fitted, within];
        let f = x2 / (degrees[0] as f64 * phi);
        LackOfFit { f, degrees, p: f_tail(f, degrees.map(|degrees| degrees as f64)) }
    });
    let z = |d: Deviation| if d.variance > 0.0 { d.sum / (phi * d.variance).sqrt() } else { 0.0 };
    Transitivity { test, residual_z: deviations().map(z).collect() }
}

fn deviation(met: &Pairing<'_>, ratings: &Ratings, chances: &Chances<'_>) -> Deviation {
    let seats = chances.seats(met.a, met.b);
    let inside = ratings.classes[met.a] == ratings.classes[met.b];
    let mut deviation = Deviation { sum: 0.0, variance: 0.0, squares: 0.0, clusters: 0.0, inside };
    for (points, count) in met.cluster_points() {
        let mut above = 0.0;
        for (seat, p) in seats.iter().enumerate() {
            above += p.surplus(points.won[seat], points.lost[seat]);
            deviation.variance += count * (points.won[seat] + points.lost[seat]) * p.variance();
        }
        deviation.sum += count * above;
        deviation.squares += count * above * above;
        deviation.clusters += count;
    }
    deviation
}

/// Number of parameters fitted to the pairings within strong classes: one less than the bots of each class, and γ.
fn parameters(counts: &Counts, ratings: &Ratings) -> u64 {
    let mut seen = std::collections::HashSet::new();
    let free = (0..counts.bots()).filter(|bot| ratings.of(*bot).is_some() && !seen.insert(ratings.classes[*bot]));
    free.count() as u64 + u64::from(ratings.options.fit_side)
}
