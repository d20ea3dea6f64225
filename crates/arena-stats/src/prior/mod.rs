//! Strengths with a normal prior whose width is estimated from the games (empirical Bayes).
//!
//! A schedule that prefers bots which look equally strong stretches the scale of a maximum-likelihood fit, and no wider
//! interval cures a scale. A prior does: given the games, it does not matter how pairings were chosen. Strengths are
//! `N(0, τ²)` around the mean of their group, and maximise
//!
//! ```text
//! Q(θ)/φ − Σθ²/2τ²,   φ = (Σ_c u_c² + n/2) / ((1 − d/C) Σ_g p(1-p) + n/2)
//! ```
//!
//! where the dispersion φ makes up for games of a cluster that are not independent and for draws: C clusters, n bots, d
//! effective parameters. The width maximises the marginal likelihood by Laplace's approximation (Tierney and Kadane,
//! "Accurate approximations for posterior moments and marginal densities", 1986),
//!
//! ```text
//! Q/φ − Σθ²/2τ² − n ln τ − ½ ln det A − ½ (ln τ/τ₀)²,   A = H/φ + I/τ²
//! ```
//!
//! in which the direction that adds a constant to all strengths of a group cancels. The last term is a weak prior of the
//! width itself: without it, few bots that scored alike would be equal beyond doubt (Chung et al., "A nondegenerate
//! penalized likelihood estimator for variance parameters in multilevel models", 2013). One width serves all groups.
//!
//! Errors are those of the estimate around strengths drawn from the prior: `V = A⁻¹ (M/φ² + I/τ²) A⁻¹`, with M of
//! `sandwich.rs`, divided by 1 − d/C, or of `openings.rs`.

#[cfg(test)]
mod tests;

use super::chances::Chances;
use super::counts::Counts;
use super::dense::{DenseMatrix, dot};
use super::elo::ELO_PER_NAT;
use super::field::{Connectivity, Fitted};
use super::likelihood::{Model, Prior};
use super::newton::{Concave, NewtonFit, maximise};

/// Limits of the width, in Elo.
const WIDTHS: [f64; 2] = [1.0, 2000.0];

/// The median of the width's own prior, in Elo. Its standard deviation is a factor of e.
const WIDTH_TYPICAL: f64 = 200.0;

/// Lower limit of the dispersion: bots that draw all games are not known exactly.
const DISPERSION_MIN: f64 = 0.05;

/// Lower limit of the share of clusters that the parameters leave for the noise.
const LEFT_MIN: f64 = 0.5;

/// Precision of the width's logarithm, in the first and in the last search. An error changes ratings by its square.
const PRECISIONS: [f64; 2] = [1e-2, 1e-5];

/// Fits strengths and width. Returns the width in Elo, one standard deviation; `None` without games. `likeliest` is the fit
/// without a prior, which decides about γ.
pub(super) fn fit<'a>(counts: &'a Counts, field: &Connectivity, likeliest: &Fitted<'a>) -> (Fitted<'a>, Option<f64>) {
    let mut held = field.held.clone();
    held.push(!likeliest.model.side);
    let Model { side, side_draws, .. } = likeliest.model;
    let model = Model { counts, draws: Vec::new(), side, side_draws, prior: Prior::NONE, held };
    let mut search = WidthSearch { model, dispersion: 1.0, last: vec![0.0; counts.bots() + 1] };
    if counts.pairings().len() == 0 {
        let fit = search.fit_at(typical());
        return (Fitted { model: search.model, fit }, None);
    }
    let mut log_width = typical();
    for precision in PRECISIONS {
        let fit = search.fit_at(log_width);
        search.dispersion = search.dispersion_of(&fit);
        let limits = WIDTHS.map(|elo| libm::log(elo / ELO_PER_NAT));
        log_width = maximum(limits, log_width, precision, |log_width| search.marginal_likelihood(log_width));
    }
    let fit = search.fit_at(log_width);
    search.model.prior.variance = search.model.prior.ridge * search.dispersion;
    search.model.prior.correction = 1.0 / search.left_of(&fit);
    (Fitted { model: search.model, fit }, Some(libm::exp(log_width) * ELO_PER_NAT))
}

/// The logarithm of the typical width in nats.
fn typical() -> f64 {
    libm::log(WIDTH_TYPICAL / ELO_PER_NAT)
}

/// The search for the width.
struct WidthSearch<'a> {
    model: Model<'a>,
    dispersion: f64,
    /// The strengths of the last fit, from which the next one starts.
    last: Vec<f64>,
}

impl WidthSearch<'_> {
    fn fit_at(&mut self, log_width: f64) -> NewtonFit {
        self.model.prior.ridge = self.dispersion * libm::exp(-2.0 * log_width);
        let fit = maximise(&self.model, std::mem::take(&mut self.last));
        self.last.clone_from(&fit.at);
        fit
    }

    /// The logarithm of the marginal likelihood, up to a constant that depends on the dispersion.
    fn marginal_likelihood(&mut self, log_width: f64) -> f64 {
        let fit = self.fit_at(log_width);
        let bots = self.model.strengths(&fit.at).count() as f64;
        let half_log_det: f64 = (0..self.model.unknowns()).map(|at| libm::log(fit.curvature.row(at)[at])).sum();
        let unusual = log_width - typical();
        self.model.value(&fit.at) / self.dispersion - bots * log_width - half_log_det - unusual * unusual / 2.0
    }

    fn dispersion_of(&self, fit: &NewtonFit) -> f64 {
        let chances = Chances::new(&fit.at);
        let (mut squares, mut variance) = (0.0, 0.0);
        for met in self.model.counts.pairings() {
            let surplus = chances.surplus(&met);
            squares += surplus.squares;
            variance += surplus.variance;
        }
        let half_of_bots = self.model.strengths(&fit.at).count() as f64 / 2.0;
        ((squares + half_of_bots) / (self.left_of(fit) * variance + half_of_bots)).max(DISPERSION_MIN)
    }

    /// The share of clusters that the effective parameters leave for the noise: residuals are smaller than errors.
    fn left_of(&self, fit: &NewtonFit) -> f64 {
        let bots = self.model.strengths(&fit.at).count() as f64;
        let parameters = bots - self.model.prior.ridge * self.trace_of_inverse(fit);
        let clusters: u64 = self.model.counts.pairings().map(|met| met.cluster_count()).sum();
        (1.0 - parameters / clusters as f64).clamp(LEFT_MIN, 1.0)
    }

    /// The trace of the inverse curvature, over strengths that are not held fixed.
    fn trace_of_inverse(&self, fit: &NewtonFit) -> f64 {
        let mut inverse = DenseMatrix::identity_where(&vec![true; self.model.unknowns()]);
        inverse.forward(&fit.curvature, |row| row);
        let bots = (0..self.model.counts.bots()).filter(|bot| !self.model.held[*bot]);
        bots.map(|bot| dot(inverse.row(bot), inverse.row(bot))).sum()
    }
}

/// Finds the maximum of a function between two limits, from a first guess (Brent, "Algorithms for minimization without
/// derivatives", 1973, chapter 5): parabolas through the three best points, golden sections where these do not help.
fn maximum([mut low, mut high]: [f64; 2], guess: f64, precision: f64, mut value: impl FnMut(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.381_966_011_250_105;
    const STEPS_MAX: usize = 60;
    let first = (guess, value(guess));
    let [mut best, mut second, mut third] = [first; 3];
    let (mut step, mut before) = (0.0_f64, 0.0_f64);
    for _ in 0..STEPS_MAX {
        let middle = f64::midpoint(low, high);
        if (best.0 - middle).abs() <= 2.0 * precision - (high - low) / 2.0 {
            break;
        }
        let r = (best.0 - second.0) * (best.1 - third.1);
        let q = (best.0 - third.0) * (best.1 - second.1);
        let (rise, run) = ((best.0 - third.0) * q - (best.0 - second.0) * r, 2.0 * (r - q));
        let parabola = rise / run;
        let inside = best.0 + parabola > low + precision && best.0 + parabola < high - precision;
        if parabola.is_finite() && parabola.abs() < before.abs() / 2.0 && inside {
            (before, step) = (step, parabola);
        } else {
            before = if best.0 < middle { high - best.0 } else { low - best.0 };
            step = GOLDEN * before;
        }
        let change = if step.abs() >= precision { step } else { precision.copysign(step) };
        let next = (best.0 + change, value(best.0 + change));
        if next.1 >= best.1 {
            *(if next.0 >= best.0 { &mut low } else { &mut high }) = best.0;
            (third, second, best) = (second, best, next);
        } else {
            *(if next.0 < best.0 { &mut low } else { &mut high }) = next.0;
            if next.1 >= second.1 || second.0.to_bits() == best.0.to_bits() {
                (third, second) = (second, next);
            } else if next.1 >= third.1 || [best.0, second.0].map(f64::to_bits).contains(&third.0.to_bits()) {
                third = next;
            }
        }
    }
    best.0
}
