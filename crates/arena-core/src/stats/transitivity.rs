//! Whether one number per bot can describe a field.

use super::chances::{Chances, ClusterSums};
use super::counts::Counts;
use super::elo::ELO_PER_NAT;
use super::normal::f_tail;
use super::ratings::Ratings;

/// Least p(1−p) of a pairing that says something about [`Transitivity::misfit`]: p between 0.1 and 0.9.
const VARIANCE_MIN: f64 = 0.09;

/// How well the fit explains the results of each pairing.
#[derive(Debug, Clone, PartialEq)]
pub struct Transitivity {
    /// The test; `None` if virtual games explain all results, or if no pairing was repeated.
    pub test: Option<LackOfFit>,
    /// For each pairing in the order of [`Counts::pairings`], how many standard deviations `a` scored above
    /// expectation. Beyond ±3 the result is specific to this pairing.
    pub residual_z: Vec<f64>,
    /// Standard deviation over pairings of what a bot shows against another one from the difference of their ratings, in Elo,
    /// beyond chance; 0 if chance explains all.
    pub misfit: f64,
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

/// Tests for lack of fit, by an analysis of variance over pairings within strong classes.
///
/// For a pairing of c clusters, `u_c` is the points of a cluster above expectation, r = Σu and h = Σp(1−p). Then `X² =
/// Σ r²/h`, `φ = (Σ within-pairing squares of u + e) / (Σ h (c-1)/c + e)` with e the mean of h/c, `F = X² / (df φ)` on
/// (df, Σ(c−1)) degrees of freedom, and `z = r / √(φ h)`. The test is our own; in simulations a 5 % level rejects 5 to
/// 6 %. The misfit is by moments, as the variance between studies of `DerSimonian` and Laird 1986: the mean of `(r/h)² − φ/h` over
/// pairings of similar bots.
#[must_use]
pub fn transitivity(counts: &Counts, ratings: &Ratings) -> Transitivity {
    let (mut x2, mut spread, mut expected, mut e) = (0.0, 0.0, 0.0, 0.0);
    let (mut between, mut within) = (0, 0);
    let chances = Chances::new(ratings.likeliest());
    // Virtual games explain the results of pairings between different strong classes.
    for met in counts.pairings().filter(|met| ratings.classes[met.a] == ratings.classes[met.b]) {
        let d = chances.surplus(&met);
        x2 += if d.variance > 0.0 { d.points * d.points / d.variance } else { 0.0 };
        spread += (d.squares - d.points * d.points / d.clusters).max(0.0);
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
    let z = |d: ClusterSums| if d.variance > 0.0 { d.points / (phi * d.variance).sqrt() } else { 0.0 };
    let excess = |d: ClusterSums| {
        (d.variance >= d.games * VARIANCE_MIN).then(|| (d.points / d.variance).powi(2) - phi / d.variance)
    };
    let excess: Vec<f64> = counts.pairings().filter_map(|met| excess(chances.surplus(&met))).collect();
    let misfit = (excess.iter().sum::<f64>() / excess.len().max(1) as f64).max(0.0).sqrt() * ELO_PER_NAT;
    let residual_z = counts.pairings().map(|met| z(chances.surplus(&met))).collect();
    Transitivity { test, residual_z, misfit }
}

/// Number of parameters fitted to the pairings within strong classes: one less than the bots of each class, and γ.
fn parameters(counts: &Counts, ratings: &Ratings) -> u64 {
    let mut seen = std::collections::HashSet::new();
    let free = (0..counts.bots()).filter(|bot| ratings.of(*bot).is_some() && !seen.insert(ratings.classes[*bot]));
    free.count() as u64 + u64::from(ratings.options.fit_side)
}
