//! Whether one number per bot can describe a field.

use super::chances::{Chances, ClusterSums};
use super::counts::Counts;
use super::elo::ELO_PER_NAT;
use super::normal::binomial_tail;
use super::ratings::Ratings;

/// Least p(1−p) of a pairing that says something about [`Transitivity::misfit`]: p between 0.1 and 0.9.
const VARIANCE_MIN: f64 = 0.09;

/// Least number of clusters that a side is expected to win, or to lose, of a pairing for which a normal approximation is made.
const EXPECTED_MIN: f64 = 5.0;

/// How well the fit explains the results of each pairing.
#[derive(Debug, Clone, PartialEq)]
pub struct Transitivity {
    /// The test; `None` if the fit or virtual games explain all results.
    pub test: Option<LackOfFit>,
    /// For each pairing in the order of [`Counts::pairings`], the probability of a score so far from expectation, corrected for
    /// the number of pairings; 1 if nothing tests it. A small one is specific to this pairing.
    pub p: Vec<f64>,
    /// How many standard deviations `a` scored above expectation; `None` where too few games are expected to go either way.
    pub residual_z: Vec<Option<f64>>,
    /// Standard deviation over pairings of what a bot shows against another one from the difference of their ratings, in Elo,
    /// beyond chance; 0 if chance explains all.
    pub misfit: f64,
}

/// A test whether pairings deviate from the fit by more than their own noise.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct LackOfFit {
    /// The number of pairings tested.
    pub pairings: u64,
    /// The probability of a deviation like the largest one, if one number per bot is sufficient.
    pub p: f64,
}

/// Tests for lack of fit, pairing by pairing within strong classes.
///
/// For a pairing of c clusters, `u_c` is the points of a cluster above expectation, r = Σu and h = Σp(1−p). Then `φ = (Σ
/// within-pairing squares of u + e) / (Σ h (c-1)/c + e)` with e the mean of h/c, and `z = r / √(φ h)`. The score of a pairing
/// has the tail of a binomial distribution of games/φ trials, with the larger of its own φ and that of all. Where fewer than
/// 5 clusters are expected to go either way nothing is known of their noise: each cluster is a trial, as if its games always
/// went the same way. Twice the smaller tail is corrected for the number of pairings as in Holm 1979; the test of all is the
/// smallest of these. A fit to the same games leaves less than their noise, so the level is not reached. The misfit is by moments,
/// as the variance between studies of `DerSimonian` and Laird 1986: the mean of `(r/h)² − φ/h` over pairings of similar bots.
#[must_use]
pub fn transitivity(counts: &Counts, ratings: &Ratings) -> Transitivity {
    let (mut spread, mut expected, mut e) = (0.0, 0.0, 0.0);
    let chances = Chances::new(ratings.likeliest());
    // Virtual games explain the results of pairings between different strong classes.
    let tested: Vec<bool> = counts.pairings().map(|met| ratings.classes[met.a] == ratings.classes[met.b]).collect();
    let sums: Vec<ClusterSums> = counts.pairings().map(|met| chances.surplus(&met)).collect();
    let of_tested = || sums.iter().zip(&tested).filter_map(|(sums, tested)| tested.then_some(sums));
    for d in of_tested() {
        spread += d.spread();
        expected += d.variance * (d.clusters - 1.0) / d.clusters;
        e += d.variance / d.clusters;
    }
    let pairings = of_tested().count() as u64;
    e /= pairings.max(1) as f64;
    let dispersion = |spread: f64, expected: f64| if e > 0.0 { (spread + e) / (expected + e) } else { 1.0 };
    let phi = dispersion(spread, expected);
    let excess = |d: &ClusterSums| {
        (d.variance >= d.games * VARIANCE_MIN).then(|| (d.points / d.variance).powi(2) - phi / d.variance)
    };
    let excess: Vec<f64> = sums.iter().filter_map(excess).collect();
    let misfit = (excess.iter().sum::<f64>() / excess.len().max(1) as f64).max(0.0).sqrt() * ELO_PER_NAT;
    let (mut p, mut residual_z) = (Vec::new(), Vec::new());
    for d in &sums {
        // By the points of the side that is expected to have fewer, which keeps its share precise.
        let [own, other] = d.expected;
        let (expected, surplus) = if own <= other { (own, d.points) } else { (other, -d.points) };
        let share = expected / d.games;
        let known = share * d.clusters >= EXPECTED_MIN;
        let own = dispersion(d.spread(), d.variance * (d.clusters - 1.0) / d.clusters);
        let trials = if known { (d.games / phi.max(own)).max(d.clusters) } else { d.clusters };
        let scored = ((expected + surplus) / d.games).clamp(0.0, 1.0) * trials;
        let tail = if surplus > 0.0 {
            binomial_tail(scored, trials, [share, 1.0 - share])
        } else {
            binomial_tail(trials - scored, trials, [1.0 - share, share])
        };
        p.push((2.0 * tail).min(1.0));
        residual_z.push((known && phi > 0.0).then(|| d.points / (phi * d.variance).sqrt()));
    }
    p.iter_mut().zip(&tested).filter(|(_, tested)| !**tested).for_each(|(p, _)| *p = 1.0);
    holm(&mut p, pairings);
    let least = p.iter().copied().fold(1.0, f64::min);
    let test = (pairings > parameters(counts, ratings)).then_some(LackOfFit { pairings, p: least });
    Transitivity { test, p, residual_z, misfit }
}

/// Corrects probabilities for the number of tests: Holm, "A simple sequentially rejective multiple test procedure", 1979.
fn holm(p: &mut [f64], tests: u64) {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|x, y| p[*x].total_cmp(&p[*y]));
    let mut least: f64 = 0.0;
    for (place, index) in order.into_iter().enumerate() {
        let left = tests.saturating_sub(place as u64).max(1);
        least = least.max((p[index] * left as f64).min(1.0));
        p[index] = least;
    }
}

/// Number of parameters fitted to the pairings within strong classes: one less than the bots of each class, and γ.
fn parameters(counts: &Counts, ratings: &Ratings) -> u64 {
    let mut seen = std::collections::HashSet::new();
    let free = (0..counts.bots()).filter(|bot| ratings.of(*bot).is_some() && !seen.insert(ratings.classes[*bot]));
    free.count() as u64 + u64::from(ratings.options.fit_side)
}
