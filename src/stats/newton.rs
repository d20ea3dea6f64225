//! The maximum of the quasi-likelihood, by Newton's method.

use super::likelihood::{Curvature, Model, Slopes};

/// The largest change of log-odds in one step, in nats: beyond it the quadratic picture is worthless.
const CHANGE_MAX: f64 = 3.0;

/// Steps of less than this many nats are rounding.
const CHANGE_MIN: f64 = 1e-12;

/// Below this many nats Newton's method needs no supervision.
const CHANGE_SAFE: f64 = 0.1;

/// Far more than any field needs; a limit for data that have no maximum.
const STEPS_MAX: usize = 100;

/// How exactly each step is solved for; what is missed is made up for by the next.
const STEP_PRECISION: f64 = 1e-3;

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
    let Slopes { mut value, mut gradient, mut curvature } = model.slopes(&at, true);
    let mut smallest = f64::INFINITY;
    for _ in 0..STEPS_MAX {
        let step = curvature.solve(&model.held, &gradient, STEP_PRECISION);
        let change = model.largest_change(&step);
        // Rounding in the sums may keep steps from getting smaller for ever.
        let stalled = change < 1e-9 && change > smallest / 2.0;
        if change < CHANGE_MIN || stalled {
            return Fit { at, curvature, converged: true };
        }
        // Large fields: make room before the next one is computed.
        drop(curvature);
        smallest = smallest.min(change);
        let mut length = (CHANGE_MAX / change).min(1.0);
        (at, Slopes { value, gradient, curvature }) = loop {
            let there: Vec<f64> = at.iter().zip(&step).map(|(at, step)| at + length * step).collect();
            let risky = length * change > CHANGE_SAFE;
            let next = model.slopes(&there, risky);
            let worse = next.value.zip(value).is_some_and(|(next, now)| next < now);
            if !(risky && worse) {
                break (there, next);
            }
            length /= 2.0;
        };
    }
    Fit { at, curvature, converged: false }
}
