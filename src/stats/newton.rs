//! The maximum of a concave function, by Newton's method.

use super::dense::dot;

/// The largest change of log-odds in one step, in nats: beyond it the quadratic picture is worthless.
const CHANGE_MAX: f64 = 3.0;

/// A step of less than this many nats is the last: it misses about its square, and moves the curvature by as little.
const CHANGE_LAST: f64 = 1e-8;

/// Below this many nats Newton's method needs no supervision.
const CHANGE_SAFE: f64 = 0.1;

/// After a step of less than this many nats the next may well be the last but one.
const CHANGE_SMALL: f64 = 0.03;

/// Far more than any field needs; a limit for data that have no maximum.
const STEPS_MAX: usize = 100;

/// A concave function of log-odds, as far as climbing it takes.
pub(super) trait Concave {
    /// Minus its second derivatives.
    type Curvature;

    /// The function itself. Logarithms are slow and it is rarely needed.
    fn value(&self, at: &[f64]) -> f64;

    /// Its derivatives.
    fn slopes(&self, at: &[f64]) -> Slopes<Self::Curvature>;

    /// Newton's step: curvature times step is the gradient; one that is not among the last need not be exact. May leave
    /// the curvature decomposed.
    fn step(&self, slopes: &mut Slopes<Self::Curvature>, is_late: bool) -> Vec<f64>;

    /// The largest change of any log-odds that `step` makes.
    fn largest_change(&self, step: &[f64]) -> f64;
}

/// The derivatives at one point.
pub(super) struct Slopes<C> {
    pub(super) gradient: Vec<f64>,
    /// Minus the second derivatives.
    pub(super) curvature: C,
}

/// The maximum, if there is one.
pub(super) struct Fit<C> {
    /// The unknowns.
    pub(super) at: Vec<f64>,
    pub(super) curvature: C,
    pub(super) converged: bool,
}

/// Climbs from `start` to the maximum.
pub(super) fn maximise<F: Concave>(function: &F, start: Vec<f64>) -> Fit<F::Curvature> {
    let mut at = start;
    let mut slopes = function.slopes(&at);
    let mut change = f64::INFINITY;
    for _ in 0..STEPS_MAX {
        // Steps square their error.
        let step = function.step(&mut slopes, change < CHANGE_SMALL);
        change = function.largest_change(&step);
        if !change.is_finite() {
            break;
        }
        // After one as small as this nothing is left to do.
        if change < CHANGE_LAST {
            at.iter_mut().zip(&step).for_each(|(at, step)| *at += step);
            return Fit { at, curvature: slopes.curvature, converged: true };
        }
        // Large fields: make room before the next one is computed.
        drop(slopes);
        let mut length = (CHANGE_MAX / change).min(1.0);
        (at, slopes) = loop {
            let there: Vec<f64> = at.iter().zip(&step).map(|(at, step)| at + length * step).collect();
            let next = function.slopes(&there);
            // As long as it still rises there it has risen on the way.
            let rises = dot(&next.gradient, &step) >= 0.0;
            if rises || length * change < CHANGE_SAFE || function.value(&there) >= function.value(&at) {
                break (there, next);
            }
            length /= 2.0;
        };
    }
    Fit { at, curvature: slopes.curvature, converged: false }
}
