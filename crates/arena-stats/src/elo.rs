//! The Elo scale.

/// Elo points per nat: 400 points are odds of ten to one.
pub const ELO_PER_NAT: f64 = 400.0 / std::f64::consts::LN_10;

/// A value with its 95 % interval, which may have infinite ends.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// The value.
    pub elo: f64,
    /// The lower end.
    pub lo: f64,
    /// The upper end.
    pub hi: f64,
}

/// The value and half of its interval, in points: `+53.9 ± 30.7`.
impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ± {:.1}", arena_rules::text::signed(self.elo), self.half_width())
    }
}

impl Estimate {
    pub(super) fn new(elo: f64, margin: f64) -> Self {
        Self { elo, lo: elo - margin, hi: elo + margin }
    }

    /// Half of the interval's width; infinite if an end is.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        (self.hi - self.lo) / 2.0
    }

    /// Removes the bound below and above.
    pub(super) fn unbounded(self, [below, above]: [bool; 2]) -> Self {
        let lo = if below { f64::NEG_INFINITY } else { self.lo };
        let hi = if above { f64::INFINITY } else { self.hi };
        Self { lo, hi, ..self }
    }
}
