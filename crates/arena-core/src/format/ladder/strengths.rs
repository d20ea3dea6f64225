//! The strengths that a ladder chooses by: a fit with a fixed prior, and draws from its normal approximation.
//!
//! With c complete pairs of two bots, S points of the first one in them, e pending pairs and p its expected score,
//!
//! ```text
//! θ̂ maximises Σ [S ln p + (2c − S) ln(1 − p)]/φ − λ/2 Σθ²,   V⁻¹ = λI + Σ (c + e) 2p(1-p)/φ xx',   x = e_a − e_b
//! φ = (Σ_c (x_c − 2p)² + n/2) / (Σ_c 2p(1-p) + n/2)
//! ```
//!
//! Only for choosing: the ratings that are shown have a prior of fitted width and errors of clusters. All numbers are the
//! same on every machine: exponentials in software, sums in order of index, no threads.

use super::evidence::LadderEvidence;
use crate::rng::Rng;
use crate::stats::{DenseMatrix, dot};

/// λ: strengths have a prior with a standard deviation of two nats, 347 Elo.
const PRECISION: f64 = 0.25;

/// Limits of φ.
const DISPERSIONS: [f64; 2] = [0.05, 3.0];

/// Largest change of a strength in a step, in nats.
const STEP_MAX: f64 = 2.0;

/// Change after which the fit has converged, in nats, and the most steps.
const STEP_LAST: f64 = 1e-9;
const STEPS_MAX: usize = 50;

/// Estimated strengths with their joint errors.
#[derive(Debug)]
pub(super) struct Strengths {
    /// The estimates, in nats.
    pub(super) nats: Vec<f64>,
    /// By bot, vectors whose scalar products are the covariances V.
    errors: DenseMatrix,
    /// Their mean.
    mean: Vec<f64>,
}

impl Strengths {
    pub(super) fn of(evidence: &LadderEvidence) -> Self {
        let bots = evidence.bots();
        let mut fit = StrengthFit { nats: vec![0.0; bots], dispersion: 1.0 };
        for _ in 0..STEPS_MAX {
            if fit.step(evidence) < STEP_LAST {
                break;
            }
        }
        let mut curvature = fit.curvature(evidence, 1.0);
        curvature.cholesky();
        let mut errors = DenseMatrix::identity_where(&vec![true; bots]);
        errors.forward(&curvature, |row| row);
        let mut mean = vec![0.0; errors.size()];
        for bot in 0..bots {
            mean.iter_mut().zip(errors.row(bot)).for_each(|(mean, error)| *mean += error / bots as f64);
        }
        Self { nats: fit.nats, errors, mean }
    }

    /// The standard deviation of the difference of two bots.
    pub(super) fn sd_between(&self, [a, b]: [usize; 2]) -> f64 {
        distance(self.errors.row(a), self.errors.row(b))
    }

    /// The standard deviation of a bot relative to the mean of all.
    pub(super) fn sd(&self, bot: usize) -> f64 {
        distance(self.errors.row(bot), &self.mean)
    }

    /// Draws strengths of `bots` from the normal distribution around the estimates.
    pub(super) fn draw(&self, bots: &[usize], rng: &mut Rng) -> Vec<f64> {
        let mut deviates = vec![0.0; self.errors.size()];
        deviates[..self.nats.len()].fill_with(|| rng.normal());
        bots.iter().map(|bot| self.nats[*bot] + dot(self.errors.row(*bot), &deviates)).collect()
    }
}

/// The length of the difference of two vectors.
fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// A fit under way.
struct StrengthFit {
    nats: Vec<f64>,
    dispersion: f64,
}

impl StrengthFit {
    fn expected(&self, [a, b]: [usize; 2]) -> f64 {
        1.0 / (1.0 + libm::exp(self.nats[b] - self.nats[a]))
    }

    /// One step of Newton's method, with the dispersion at its start. Returns the largest change.
    fn step(&mut self, evidence: &LadderEvidence) -> f64 {
        let even = evidence.bots() as f64 / 2.0;
        let (mut squares, mut variance) = (even, even);
        let mut step = vec![0.0; self.nats.len()];
        for (bots, met) in evidence.met() {
            let (pairs, points, p) = (f64::from(met.pairs), f64::from(met.half_points) / 2.0, self.expected(bots));
            squares += f64::from(met.squares) / 4.0 - 4.0 * p * points + 4.0 * pairs * p * p;
            variance += pairs * 2.0 * p * (1.0 - p);
            let surplus = points - 2.0 * pairs * p;
            step[bots[0]] += surplus;
            step[bots[1]] -= surplus;
        }
        let [least, most] = DISPERSIONS;
        self.dispersion = (squares / variance).clamp(least, most);
        for (slope, nats) in step.iter_mut().zip(&self.nats) {
            *slope = *slope / self.dispersion - PRECISION * nats;
        }
        let mut curvature = self.curvature(evidence, 0.0);
        curvature.cholesky();
        curvature.solve(&mut step);
        let change = step.iter().fold(0.0, |most: f64, step| most.max(step.abs()));
        let length = (STEP_MAX / change).min(1.0);
        self.nats.iter_mut().zip(&step).for_each(|(nats, step)| *nats += length * step);
        change
    }

    /// The lower triangle of V⁻¹, in which a pending pair counts as `pending` settled ones.
    fn curvature(&self, evidence: &LadderEvidence, pending: f64) -> DenseMatrix {
        let mut sum = DenseMatrix::zero(self.nats.len());
        (0..self.nats.len()).for_each(|bot| sum.add(bot, bot, PRECISION));
        for (bots, met) in evidence.met() {
            let p = self.expected(bots);
            let pairs = f64::from(met.pairs) + pending * f64::from(met.pending);
            let weight = pairs * 2.0 * p * (1.0 - p) / self.dispersion;
            let [low, high] = bots;
            sum.add(low, low, weight);
            sum.add(high, high, weight);
            sum.add(high, low, -weight);
        }
        sum
    }
}
