//! Nash averaging: the evaluation of a field in which strength is not transitive.
//!
//! Bots are weighted by the equilibrium of the game "choose a bot, score against the other's choice". In a cycle of
//! rock, paper and scissors all three share the weight. A bot that loses to the mixture gets none (Balduzzi, Tuyls,
//! Perolat and Graepel, "Re-evaluating evaluation", 2018). The equilibrium is discontinuous in the scores, so it is
//! averaged over resampled games.

use thiserror::Error;

use super::counts::{Counts, Pairing};
use super::dense::dot;
use arena_rules::rng::{Rng, derive_seed};

/// Maximum number of bots; more would take too long, and the table would be unreadable.
pub const NASH_BOTS_MAX: usize = 50;

/// Number of resampled tables to average.
const RESAMPLES: u32 = 200;

/// The weight of a bot in the mixture, and its margin against the mixture.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct NashShare {
    /// Its probability, 0 to 1. All weights sum to 1.
    pub weight: f64,
    /// Twice its score above one half against the mixture: −1 to 1, and 0 for bots with weight.
    pub margin: f64,
}

/// Why there is no Nash average.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NashError {
    /// There are more bots than [`NASH_BOTS_MAX`].
    #[error("it supports at most {NASH_BOTS_MAX} bots, not {0}")]
    TooMany(usize),
    /// Some pairing has no rated games.
    #[error("it needs rated games between every two bots, and some pairings have none")]
    NotAllMet,
}

/// The maximum-entropy equilibrium of the score margins, averaged over resampled clusters drawn from `seed`.
///
/// # Errors
///
/// Returns [`NashError`] if some pairing has no games, if there are too many bots, or none.
pub fn nash_average(counts: &Counts, seed: u64) -> Result<Vec<NashShare>, NashError> {
    let bots = counts.bots();
    let complete = counts.pairings().len() == bots * bots.saturating_sub(1) / 2;
    if bots > NASH_BOTS_MAX {
        return Err(NashError::TooMany(bots));
    }
    if bots == 0 || !complete {
        return Err(NashError::NotAllMet);
    }
    let mut rng = Rng::new(derive_seed(seed, "nash", &[]));
    let mut shares = vec![NashShare::default(); bots];
    for _ in 0..RESAMPLES {
        let mut margins = vec![vec![0.0; bots]; bots];
        for met in counts.pairings() {
            let margin = 2.0 * resampled_score(&met, &mut rng) - 1.0;
            margins[met.a][met.b] = margin;
            margins[met.b][met.a] = -margin;
        }
        let weights = equilibrium(&margins);
        for ((share, weight), row) in shares.iter_mut().zip(&weights).zip(&margins) {
            share.weight += weight / f64::from(RESAMPLES);
            share.margin += dot(row, &weights) / f64::from(RESAMPLES);
        }
    }
    Ok(shares)
}

/// The score of `a` in a bootstrap sample of the clusters.
fn resampled_score(met: &Pairing<'_>, rng: &mut Rng) -> f64 {
    /// Number of clusters above which the mean is drawn from its normal approximation.
    const DRAWN_MAX: u64 = 100;
    let count = met.cluster_count();
    let scores: Vec<(u64, f64, f64)> = met
        .clusters()
        .map(|(cluster, count)| (count, cluster.total().half_points() as f64 / 2.0, cluster.total().games() as f64))
        .collect();
    if count <= DRAWN_MAX {
        let (mut points, mut games) = (0.0, 0.0);
        for _ in 0..count {
            let mut drawn = rng.below(count);
            for (count, won, played) in &scores {
                if drawn < *count {
                    points += won;
                    games += played;
                    break;
                }
                drawn -= count;
            }
        }
        return points / games;
    }
    let sum = |of: &dyn Fn(f64, f64) -> f64| scores.iter().map(|(n, won, played)| *n as f64 * of(*won, *played)).sum();
    let (points, games): (f64, f64) = (sum(&|won, _| won), sum(&|_, played| played));
    let mean = points / games;
    let squares: f64 = sum(&|won, played| (won - mean * played).powi(2));
    (mean + squares.sqrt() / games * standard_normal(rng)).clamp(0.0, 1.0)
}

/// A standard normal deviate (Box and Muller, "A note on the generation of random normal deviates", 1958).
fn standard_normal(rng: &mut Rng) -> f64 {
    let mut uniform = || (rng.below(1 << 53) as f64 + 0.5) / (1_u64 << 53) as f64;
    let (radius, angle) = ((-2.0 * uniform().ln()).sqrt(), 2.0 * std::f64::consts::PI * uniform());
    radius * angle.cos()
}

/// The maximum-entropy equilibrium of an antisymmetric game, to about 0.001.
///
/// It is the limit for τ → 0 of p = softmax(A p / τ), the equilibrium of players who also value entropy, followed from
/// τ = 1. In z = ln p, the equations `z - A p / τ = const`, Σp = 1 have a derivative whose symmetric part is positive,
/// so every Newton step exists.
fn equilibrium(margins: &[Vec<f64>]) -> Vec<f64> {
    const TEMPERATURE_MIN: f64 = 1e-4;
    const STEPS_MAX: usize = 100;
    /// Maximum step, in nats.
    const STEP_MAX: f64 = 2.0;
    const WEIGHT_MIN: f64 = 1e-12;
    let bots = margins.len();
    let mut weights = vec![1.0 / bots as f64; bots];
    let mut temperature: f64 = 1.0;
    loop {
        for _ in 0..STEPS_MAX {
            let step = newton_step(margins, &weights, temperature);
            // A negligible weight may decrease further; it need not converge.
            let matters = |weight: f64, step: f64| weight > 2.0 * WEIGHT_MIN || step > 0.0;
            let steps = weights.iter().zip(&step).filter(|(weight, step)| matters(**weight, **step));
            let largest = steps.fold(0.0_f64, |largest, (_, step)| largest.max(step.abs()));
            let length = (STEP_MAX / largest).min(1.0);
            for (weight, step) in weights.iter_mut().zip(&step) {
                *weight = (*weight * (length * step).exp()).max(WEIGHT_MIN);
            }
            let sum: f64 = weights.iter().sum();
            for weight in &mut weights {
                *weight /= sum;
            }
            if largest < 1e-6 {
                break;
            }
        }
        if temperature <= TEMPERATURE_MIN {
            return weights;
        }
        temperature = (temperature / 2.0).max(TEMPERATURE_MIN);
    }
}

/// The change of z = ln p that solves the linearised equations, by Gaussian elimination with pivoting.
fn newton_step(margins: &[Vec<f64>], weights: &[f64], temperature: f64) -> Vec<f64> {
    let bots = weights.len();
    // The unknowns are the changes of z and of the constant; the last column is the right-hand side.
    let mut rows: Vec<Vec<f64>> = margins
        .iter()
        .enumerate()
        .map(|(bot, margins)| {
            let mut row: Vec<f64> = margins.iter().zip(weights).map(|(a, p)| -a * p / temperature).collect();
            row[bot] += 1.0;
            row.extend([1.0, dot(margins, weights) / temperature - weights[bot].ln()]);
            row
        })
        .collect();
    rows.push(weights.iter().copied().chain([0.0, 0.0]).collect());
    let size = bots + 1;
    for column in 0..size {
        let pivot = (column..size).max_by(|x, y| rows[*x][column].abs().total_cmp(&rows[*y][column].abs()));
        rows.swap(column, pivot.unwrap_or(column));
        let (above, below) = rows.split_at_mut(column + 1);
        let pivot = &above[column];
        for row in below {
            let factor = if pivot[column] == 0.0 { 0.0 } else { row[column] / pivot[column] };
            row[column..].iter_mut().zip(&pivot[column..]).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let mut solution = vec![0.0; size];
    for row in (0..size).rev() {
        let known = dot(&rows[row][row + 1..size], &solution[row + 1..]);
        let diagonal = rows[row][row];
        solution[row] = if diagonal == 0.0 { 0.0 } else { (rows[row][size] - known) / diagonal };
    }
    solution.truncate(bots);
    solution
}
