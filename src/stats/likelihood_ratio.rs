//! The generalised likelihood ratio of two hypotheses about a match.
//!
//! For each hypothesis the distribution of outcomes is fitted by maximum likelihood under its constraint, and the
//! logarithms of the two likelihoods are compared (Van den Bergh, "Comments on normalized Elo" and its practical
//! companion, as used by fishtest; for the logistic model Owen, "Empirical likelihood", 1988). Outcomes that never
//! occurred count as a thousandth of one, so every logarithm exists.

use super::chances::Chance;
use super::sprt::Model;

/// The logarithm of the likelihood of `elo1` over that of `elo0`; 0 without data. `counts` are of outcomes from the
/// worst, scored equally apart from 0 to 1: 5 for pairs, 3 for games.
pub(super) fn log_likelihood_ratio(counts: &[u64], model: Model, [elo0, elo1]: [f64; 2]) -> f64 {
    if counts.iter().sum::<u64>() == 0 {
        return 0.0;
    }
    let regular: Vec<f64> = counts.iter().map(|count| if *count == 0 { 1e-3 } else { *count as f64 }).collect();
    let total: f64 = regular.iter().sum();
    let last = (counts.len() - 1) as f64;
    let sample = Sample {
        scores: (0..counts.len()).map(|k| k as f64 / last).collect(),
        observed: regular.iter().map(|count| count / total).collect(),
    };
    let [p0, p1] = [elo0, elo1].map(|elo| match model {
        Model::Logistic => sample.with_mean(elo),
        Model::Normalized => sample.with_normalized(elo),
    });
    let terms = sample.observed.iter().zip(p0.iter().zip(&p1)).map(|(p, (p0, p1))| p * (p1 / p0).ln());
    total * terms.sum::<f64>()
}

/// Outcomes by score, and how often each was seen.
struct Sample {
    scores: Vec<f64>,
    observed: Vec<f64>,
}

impl Sample {
    /// The likeliest distribution whose mean is the score that belongs to `elo` on the logistic scale.
    fn with_mean(&self, elo: f64) -> Vec<f64> {
        let mean = Chance::new(elo / super::ratings::ELO_PER_NAT);
        // a - s, which loses nothing for s near 1.
        let centred: Vec<f64> = self.scores.iter().map(|a| a * mean.loss - (1.0 - a) * mean.win).collect();
        self.balanced(&centred).unwrap_or_else(|| self.observed.clone())
    }

    /// The likeliest distribution whose normalised Elo is `elo`: mean above half over standard deviation.
    ///
    /// The constraint is not linear in the distribution; its linear form at the last solution is solved again until
    /// nothing changes. That converges from near by only, so the constraint is moved from what was observed, where
    /// the solution is known, to `elo` in steps that are halved when they fail. If they become too small, which has
    /// never been seen, the last solution is returned.
    fn with_normalized(&self, elo: f64) -> Vec<f64> {
        const SOLVES_MAX: usize = 1_000;
        // Pairs of games have 5 outcomes, and their mean varies by √2 less than that of a game.
        let games = if self.scores.len() == 5 { 2.0_f64 } else { 1.0 };
        let target = elo * games.sqrt() / (2.0 * super::ratings::ELO_PER_NAT);
        let mut solution = self.observed.clone();
        let mut at = self.normalized(&solution);
        let mut step = target - at;
        for _ in 0..SOLVES_MAX {
            let last = step.abs() >= (target - at).abs();
            let next = if last { target } else { at + step };
            match self.with_ratio(next, &solution) {
                Some(found) if last => return found,
                Some(found) => {
                    (solution, at) = (found, next);
                    step *= 2.0;
                }
                None => step = (next - at) / 2.0,
            }
        }
        solution
    }

    /// Mean above half over standard deviation.
    fn normalized(&self, p: &[f64]) -> f64 {
        let (mean, sd) = self.moments(p);
        (mean - 0.5) / sd
    }

    fn moments(&self, p: &[f64]) -> (f64, f64) {
        let mean: f64 = self.scores.iter().zip(p).map(|(a, p)| a * p).sum();
        let variance: f64 = self.scores.iter().zip(p).map(|(a, p)| p * (a - mean) * (a - mean)).sum();
        (mean, variance.sqrt())
    }

    /// The likeliest distribution with the ratio `t` of mean above half to standard deviation, from a near one.
    fn with_ratio(&self, t: f64, near: &[f64]) -> Option<Vec<f64>> {
        const ROUNDS_MAX: usize = 60;
        let mut p = near.to_vec();
        for _ in 0..ROUNDS_MAX {
            let (mean, sd) = self.moments(&p);
            let linear = |a: &f64| a - 0.5 - t * sd / 2.0 * (1.0 + ((a - mean) / sd).powi(2));
            let constraint: Vec<f64> = self.scores.iter().map(linear).collect();
            let next = self.balanced(&constraint)?;
            let change = next.iter().zip(&p).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            p = next;
            if change < 1e-11 {
                break;
            }
        }
        ((self.normalized(&p) - t).abs() < 1e-6).then_some(p)
    }

    /// The likeliest distribution in which `values` have the mean 0: `p_k / (1 + x v_k)`, with x the root of
    /// `Σ p_k v_k / (1 + x v_k)`, a falling function. `None` if the values are all on one side of 0.
    fn balanced(&self, values: &[f64]) -> Option<Vec<f64>> {
        let (least, most) = values.iter().fold((0.0_f64, 0.0_f64), |(least, most), v| (least.min(*v), most.max(*v)));
        if !(least < 0.0 && most > 0.0) {
            return None;
        }
        let (mut low, mut high) = (-1.0 / most, -1.0 / least);
        let slope = |x: f64| -> f64 { self.observed.iter().zip(values).map(|(p, v)| p * v / (1.0 + x * v)).sum() };
        // Bisection, until the ends are neighbouring numbers: 2000 halvings reach the smallest ones there are.
        for _ in 0..2_000 {
            let middle = f64::midpoint(low, high);
            if middle <= low || middle >= high {
                break;
            }
            if slope(middle) > 0.0 { low = middle } else { high = middle }
        }
        let x = f64::midpoint(low, high);
        Some(self.observed.iter().zip(values).map(|(p, v)| p / (1.0 + x * v)).collect())
    }
}
