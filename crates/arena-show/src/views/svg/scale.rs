//! Scales: values to places, and round numbers on them.

/// How values are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScaleKind {
    /// Equal differences are equally far apart.
    Linear,
    /// Equal ratios are; for values from 1.
    Log,
}

/// A scale that maps values to places.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    kind: ScaleKind,
    lo: f64,
    hi: f64,
    from: f64,
    to: f64,
}

/// Largest distance from 0 of a value on an axis; no sum or difference of two overflows.
const VALUE_MAX: f64 = 1e21;

impl Scale {
    /// A scale on which all of `values` have a place from `from` to `to`; those that are not finite are ignored. A linear one
    /// begins and ends with its values, a logarithmic one with powers of ten.
    pub fn new(kind: ScaleKind, values: impl IntoIterator<Item = f64>, [from, to]: [f64; 2]) -> Self {
        let values = values.into_iter().filter(|value| value.is_finite()).map(|value| match kind {
            ScaleKind::Linear => value.clamp(-VALUE_MAX, VALUE_MAX),
            ScaleKind::Log => libm::log10(value.clamp(1.0, VALUE_MAX)),
        });
        let [lo, hi] = range(values).unwrap_or_default();
        let (lo, hi) = match kind {
            ScaleKind::Log => (lo.floor(), hi.ceil().max(lo.floor() + 1.0)),
            // Values that are equal, or nearly, need some width.
            ScaleKind::Linear if hi - lo <= 1e-6 + (lo.abs() + hi.abs()) * 1e-9 => {
                let widen = 1.0_f64.max(lo.abs() * 0.01);
                (lo - widen, hi + widen)
            }
            ScaleKind::Linear => (lo, hi),
        };
        Self { kind, lo, hi, from, to }
    }

    /// The same scale with a little more on both sides.
    pub(crate) fn widened(self) -> Self {
        let more = (self.hi - self.lo) * 0.04;
        Self { lo: self.lo - more, hi: self.hi + more, ..self }
    }

    /// Whether a value is on the scale.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        (0.0..=1.0).contains(&self.share(value))
    }

    /// The place of a value; the nearer end for one that is not on the scale.
    #[must_use]
    pub fn at(&self, value: f64) -> f64 {
        let share = self.share(value).clamp(0.0, 1.0);
        // NaN has no place; nothing is drawn for it.
        if share.is_nan() { self.from } else { self.from + share * (self.to - self.from) }
    }

    /// How far along the scale a value is: 0 at its begin, 1 at its end.
    fn share(&self, value: f64) -> f64 {
        let value = match self.kind {
            ScaleKind::Linear => value,
            ScaleKind::Log => libm::log10(value.max(1.0)),
        };
        (value - self.lo) / (self.hi - self.lo)
    }

    /// Round numbers on the scale, ascending, no more than `most` (at least 2).
    #[must_use]
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        let most = most.max(2) as f64;
        let step = match self.kind {
            ScaleKind::Linear => round_step(self.lo, self.hi, most),
            ScaleKind::Log => ((self.hi - self.lo) / (most - 1.0)).ceil().max(1.0),
        };
        let [first, last] = [(self.lo / step).ceil(), (self.hi / step).floor()].map(|number| number as i64);
        let numbers = (first..=last).map(|number| number as f64 * step);
        match self.kind {
            ScaleKind::Linear => numbers.collect(),
            ScaleKind::Log => numbers.map(|power| 10_f64.powi(power as i32)).collect(),
        }
    }
}

/// The least and the greatest of these values; none without any.
pub fn range(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.fold(None, |range, value| Some(range.map_or([value; 2], |[lo, hi]| [lo.min(value), hi.max(value)])))
}

/// The smallest of 1, 2 and 5 times a power of ten that has no more than `most` multiples in the range.
fn round_step(lo: f64, hi: f64, most: f64) -> f64 {
    let power = 10_f64.powi(libm::log10((hi - lo) / most).floor() as i32);
    let steps = [1.0, 2.0, 5.0, 10.0, 20.0].map(|factor| factor * power);
    let is_enough = |step: &f64| (hi / step).floor() - (lo / step).ceil() < most;
    steps.into_iter().find(is_enough).unwrap_or(50.0 * power)
}

/// A number of an axis, with the decimals it needs: ticks are round.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text.strip_prefix('-') {
        Some("0") => "0".to_owned(),
        Some(positive) => format!("−{positive}"),
        None => text.to_owned(),
    }
}

/// A time in microseconds, as short as a person says it.
pub(super) fn time(us: f64) -> String {
    let units = [(1e6, "s"), (1e3, "ms")];
    let (unit, name) = units.into_iter().find(|(unit, _)| us >= *unit).unwrap_or((1.0, "µs"));
    let value = us / unit;
    if value >= 1e6 {
        return format!("{value:.0e} {name}");
    }
    let decimals = usize::from(value < 9.95 && value.fract() != 0.0);
    format!("{value:.decimals$} {name}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Whether it is 1, 2 or 5 times a power of ten.
    fn is_round(step: f64) -> bool {
        let mantissa = format!("{step:.9e}");
        ["1.000000000e", "2.000000000e", "5.000000000e"].iter().any(|round| mantissa.starts_with(round))
    }

    proptest! {
        #[test]
        fn ticks_are_round_ascending_inside_and_few(
            values in prop::collection::vec(prop_oneof![-3e3..3e3_f64, any::<f64>(), Just(0.0)], 0..5),
            most in 2_usize..20,
            is_log in any::<bool>(),
        ) {
            let kind = if is_log { ScaleKind::Log } else { ScaleKind::Linear };
            let scale = Scale::new(kind, values.iter().copied(), [10.0, 110.0]);
            let ticks = scale.ticks(most);
            prop_assert!(!ticks.is_empty() && ticks.len() <= most, "{ticks:?}");
            prop_assert!(ticks.windows(2).all(|two| two[0] < two[1]), "{ticks:?}");
            prop_assert!(ticks.iter().all(|tick| (10.0..=110.0).contains(&scale.at(*tick))));
            match kind {
                ScaleKind::Linear => {
                    let slack = (scale.hi - scale.lo) * 1e-9;
                    prop_assert!(ticks.iter().all(|tick| (scale.lo - slack..=scale.hi + slack).contains(tick)));
                    prop_assert!(ticks.windows(2).all(|two| is_round(two[1] - two[0]) || two[1].abs() > 1e9), "{ticks:?}");
                }
                ScaleKind::Log => {
                    let powers = ticks.iter().map(|tick| libm::log10(*tick)).all(|power| (power - power.round()).abs() < 1e-9);
                    prop_assert!(powers, "{ticks:?}");
                }
            }
            for value in values {
                prop_assert!((10.0..=110.0).contains(&scale.at(value)));
            }
        }

        #[test]
        fn places_ascend_with_values(a in -1e6..1e6_f64, b in -1e6..1e6_f64, is_log in any::<bool>()) {
            let kind = if is_log { ScaleKind::Log } else { ScaleKind::Linear };
            let scale = Scale::new(kind, [a, b], [0.0, 1.0]).widened();
            prop_assert!(scale.at(a.min(b)) <= scale.at(a.max(b)));
        }
    }

    #[test]
    fn some_ticks() {
        let ticks = |values: [f64; 2], kind| Scale::new(kind, values, [0.0, 1.0]).ticks(6);
        assert_eq!(ticks([-120.0, 130.0], ScaleKind::Linear), [-100.0, -50.0, 0.0, 50.0, 100.0]);
        assert_eq!(ticks([5.0, 5.0], ScaleKind::Linear), [4.0, 4.5, 5.0, 5.5, 6.0]);
        assert_eq!(ticks([0.0, 4_000.0], ScaleKind::Log), [1.0, 10.0, 100.0, 1_000.0, 10_000.0]);
    }

    #[test]
    fn a_scale_contains_what_is_between_its_ends() {
        let scale = Scale::new(ScaleKind::Linear, [-10.0, 20.0], [0.0, 1.0]);
        let values = [-10.0, 0.0, 20.0, -10.1, 20.1, f64::INFINITY, f64::NAN];
        assert_eq!(values.map(|value| scale.contains(value)), [true, true, true, false, false, false, false]);
    }

    #[test]
    fn numbers_as_people_read_them() {
        assert_eq!([-0.0, -150.0, 0.5, 1e6].map(number), ["0", "−150", "0.5", "1000000"]);
        let times = [1.0, 999.0, 1_000.0, 1_234.0, 12_345.0, 1e6, 61.5e6, 1e15].map(time);
        assert_eq!(times, ["1 µs", "999 µs", "1 ms", "1.2 ms", "12 ms", "1 s", "62 s", "1e9 s"]);
    }
}
