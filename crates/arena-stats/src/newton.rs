//! Newton's method for the maximum of a concave function.

use super::dense::{DenseMatrix, dot};

/// Maximum change of log-odds in one step, in nats. The quadratic approximation does not hold beyond it.
const CHANGE_MAX: f64 = 3.0;

/// Change below which a step is the last, in nats. The error after it is about its square, and so is the change of the
/// curvature.
const CHANGE_LAST: f64 = 1e-8;

/// Change below which Newton's method converges without a line search, in nats.
const CHANGE_SAFE: f64 = 0.1;

/// Maximum number of steps, far more than needed unless there is no maximum.
const STEPS_MAX: usize = 100;

/// A concave function of log-odds.
pub(super) trait Concave {
    /// The value of the function. Slow, and rarely needed.
    fn value(&self, at: &[f64]) -> f64;

    /// Its derivatives.
    fn slopes(&self, at: &[f64]) -> Slopes;

    /// Unknowns that are held fixed. The rows and columns of the curvature are those of the identity there.
    fn held(&self) -> &[bool];

    /// The largest change of any log-odds that `step` makes.
    fn largest_change(&self, step: &[f64]) -> f64;
}

/// The derivatives at a point.
pub(super) struct Slopes {
    pub(super) gradient: Vec<f64>,
    /// The lower triangle of the negative second derivatives.
    pub(super) curvature: DenseMatrix,
}

/// The maximum, if it exists.
pub(super) struct NewtonFit {
    /// The unknowns.
    pub(super) at: Vec<f64>,
    /// The Cholesky decomposition of the negative second derivatives.
    pub(super) curvature: DenseMatrix,
    pub(super) converged: bool,
}

/// Finds the maximum, starting from `start`.
pub(super) fn maximise(function: &impl Concave, start: Vec<f64>) -> NewtonFit {
    let mut at = start;
    let mut slopes = function.slopes(&at);
    slopes.curvature.cholesky();
    for _ in 0..STEPS_MAX {
        let free = slopes.gradient.iter().zip(function.held());
        let mut step: Vec<f64> = free.map(|(slope, held)| if *held { 0.0 } else { *slope }).collect();
        slopes.curvature.solve(&mut step);
        let change = function.largest_change(&step);
        if !change.is_finite() {
            break;
        }
        // Convergence is quadratic: after a step this small the fit has converged.
        if change < CHANGE_LAST {
            at.iter_mut().zip(&step).for_each(|(at, step)| *at += step);
            return NewtonFit { at, curvature: slopes.curvature, converged: true };
        }
        // Free the memory of large fields before the next slopes are computed.
        drop(slopes);
        let mut length = (CHANGE_MAX / change).min(1.0);
        (at, slopes) = loop {
            let there: Vec<f64> = at.iter().zip(&step).map(|(at, step)| at + length * step).collect();
            let next = function.slopes(&there);
            // If the function still rises here, it rose along the whole step.
            let rises = dot(&next.gradient, &step) >= 0.0;
            if rises || length * change < CHANGE_SAFE || function.value(&there) >= function.value(&at) {
                break (there, next);
            }
            length /= 2.0;
        };
        slopes.curvature.cholesky();
    }
    NewtonFit { at, curvature: slopes.curvature, converged: false }
}
