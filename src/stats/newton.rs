//! The maximum of the quasi-likelihood, by Newton's method.

use super::dense::dot;
use super::likelihood::{Curvature, Model, Slopes};

/// The largest change of log-odds in one step, in nats: beyond it the quadratic picture is worthless.
const CHANGE_MAX: f64 = 3.0;

/// A step of less than this many nats is the last: it misses half its square, and moves the curvature by as little.
const CHANGE_LAST: f64 = 1e-8;

/// A step of less than this many nats may well be the last but one, and is solved for to the end.
const CHANGE_SMALL: f64 = 1e-3;

/// Below this many nats Newton's method needs no supervision.
const CHANGE_SAFE: f64 = 0.1;

/// Far more than any field needs; a limit for data that have no maximum.
const STEPS_MAX: usize = 100;

/// How exactly each step is solved for; what is missed is made up for by the next.
const STEP_PRECISION: f64 = 1e-3;

/// The same for the last steps.
const LAST_STEP_PRECISION: f64 = 1e-6;

/// The maximum, if there is one.
pub(super) struct Fit<'a> {
    /// The strengths, then γ.
    pub(super) at: Vec<f64>,
    pub(super) curvature: Curvature<'a>,
    pub(super) converged: bool,
}

/// Climbs from `start` to the maximum.
pub(super) fn maximise<'a>(model: &Model<'a>, start: Vec<f64>) -> Fit<'a> {
    let mut at = start;
    let Slopes { mut gradient, mut curvature } = model.slopes(&at);
    let mut precision = STEP_PRECISION;
    for _ in 0..STEPS_MAX {
        let mut step = curvature.solve(&model.held, &gradient, precision);
        let mut change = model.largest_change(&step);
        if change < CHANGE_SMALL && precision > LAST_STEP_PRECISION {
            precision = LAST_STEP_PRECISION;
            step = curvature.solve(&model.held, &gradient, precision);
            change = model.largest_change(&step);
        }
        // Steps square their error: after one as small as this nothing is left to do.
        if change < CHANGE_LAST {
            at.iter_mut().zip(&step).for_each(|(at, step)| *at += step);
            return Fit { at, curvature, converged: true };
        }
        // Large fields: make room before the next one is computed.
        drop(curvature);
        let mut length = (CHANGE_MAX / change).min(1.0);
        (at, Slopes { gradient, curvature }) = loop {
            let there: Vec<f64> = at.iter().zip(&step).map(|(at, step)| at + length * step).collect();
            let next = model.slopes(&there);
            // Q is concave: as long as it still rises there it has risen on the way.
            let rises = dot(&next.gradient, &step) >= 0.0;
            if rises || length * change < CHANGE_SAFE || model.value(&there) >= model.value(&at) {
                break (there, next);
            }
            length /= 2.0;
        };
    }
    Fit { at, curvature, converged: false }
}
