//! The normal, binomial, F, Student and chi² distributions.

use libm::{erfc, lgamma};

/// The normal deviate of two-sided 95 %.
pub const Z95: f64 = 1.959_963_984_540_054;

/// The probability that a standard normal variable is below `z`.
#[must_use]
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

/// The probability that an F variable with these degrees of freedom, both positive, is above `f`.
///
/// It is the regularised incomplete beta function `I_x(d2/2, d1/2)` at `x = d2 / (d2 + d1 f)` (DLMF 8.17).
#[must_use]
pub(super) fn f_tail(f: f64, [above, below]: [f64; 2]) -> f64 {
    if f <= 0.0 {
        return 1.0;
    }
    // 1 - x is passed separately: near 1, it would be lost in x.
    let scaled = above * f;
    let [x, rest] = if scaled.is_finite() { [below / (below + scaled), scaled / (below + scaled)] } else { [0.0, 1.0] };
    regularized_beta([x, rest], below / 2.0, above / 2.0)
}

/// The probability of at least `least` successes in independent trials, given the probabilities of a success and of a failure.
///
/// It is `I_p(k, n-k+1)` (DLMF 8.17.5), which also lies between for numbers that are not whole.
#[must_use]
pub(super) fn binomial_tail(least: f64, trials: f64, chances: [f64; 2]) -> f64 {
    if least <= 0.0 { 1.0 } else { regularized_beta(chances, least, (trials - least).max(0.0) + 1.0) }
}

/// The two-sided 95 % quantile of Student's distribution for at least one degree of freedom: the square root of an F
/// quantile.
#[must_use]
pub(super) fn t95(degrees: f64) -> f64 {
    // The quantile for one degree of freedom is 12.7; the error of 50 halvings is below that of the tail.
    let (mut low, mut high) = (Z95, 13.0);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if f_tail(middle * middle, [1.0, degrees]) > 0.05 { low = middle } else { high = middle }
    }
    high
}

/// The probability that a chi² variable with this many degrees of freedom is above `chi2`.
///
/// For whole degrees it is a finite sum (Abramowitz and Stegun 26.4.4 and 26.4.5), here of logarithms, since the factors of
/// its terms leave the range of numbers.
#[must_use]
pub(super) fn chi2_tail(chi2: f64, degrees: u32) -> f64 {
    if chi2 <= 0.0 {
        return 1.0;
    }
    let half = chi2 / 2.0;
    // The powers of the terms are whole for even degrees, and lie between for odd ones.
    let (first, offset) = if degrees.is_multiple_of(2) { (0.0, 0.0) } else { (erfc(half.sqrt()), 0.5) };
    let term = |index: u32| {
        let power = f64::from(index) + offset;
        (power * half.ln() - half - lgamma(power + 1.0)).exp()
    };
    (first + (0..degrees / 2).map(term).sum::<f64>()).min(1.0)
}

/// `I_x(a, b)`, given x and 1 − x; a and b positive.
fn regularized_beta([x, rest]: [f64; 2], a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if rest <= 0.0 {
        return 1.0;
    }
    let front = (lgamma(a + b) - lgamma(a) - lgamma(b) + a * x.ln() + b * rest.ln()).exp();
    // The fraction converges fast on this side of the mean; the other side by symmetry (DLMF 8.17.4).
    if x < (a + 1.0) / (a + b + 2.0) {
        (front * beta_fraction(x, a, b) / a).min(1.0)
    } else {
        (1.0 - front * beta_fraction(rest, b, a) / b).max(0.0)
    }
}

/// The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method as modified by Thompson
/// and Barnett (1986).
#[expect(clippy::many_single_char_names, reason = "the names of the formula")]
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    /// Maximum number of terms. It takes about √max(a, b); this suffices for 10¹⁰ degrees of freedom.
    const STEPS_MAX: u32 = 200_000;
    let away_from_zero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for step in 1..STEPS_MAX {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for numerator in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + numerator * d);
            c = away_from_zero(1.0 + numerator / c);
            change = c * d;
            fraction *= change;
        }
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values by `scipy.stats.norm.cdf` and `scipy.stats.f.sf` of version 1.17.1.
    #[test]
    fn the_normal_distribution_agrees_with_scipy() {
        for (z, expected) in [
            (-40.0, 0.0),
            (-30.0, 4.906_713_927_147_908e-198),
            (-8.0, 6.220_960_574_271_74e-16),
            (-7.071_067_8, 7.687_299_629_545_428e-13),
            (-7.08, 7.207_723_086_467_469e-13),
            (-3.0, 0.001_349_898_031_630_093_3),
            (-0.1, 0.460_172_162_722_971),
            (0.0, 0.5),
            (1.96, 0.975_002_104_851_779_5),
            (9.0, 1.0),
        ] {
            let found = normal_cdf(z);
            assert!((found - expected).abs() <= 1e-15_f64.min(1e-8 * expected), "{z}: {found}");
        }
        assert!((normal_cdf(Z95) - 0.975).abs() < 1e-15);
    }

    #[test]
    fn the_f_distribution_agrees_with_scipy() {
        for (f, degrees, expected) in [
            (1.0, [1.0, 1.0], 0.5),
            (2.5, [3.0, 10.0], 0.119_039_562_658_278_09),
            (0.1, [5.0, 200.0], 0.992_008_984_588_737_5),
            (59.0, [1.0, 120.0], 4.733_393_377_606_117e-12),
            (1.0, [21.0, 500.0], 0.461_449_985_498_313_6),
            (4.0, [2.0, 1e6], 0.018_315_931_939_737_72),
            (1e9, [1.0, 3.0], 6.973_820_172_484_813e-14),
            (1.5, [700.0, 3.0], 0.427_297_195_242_347_16),
            (1.02, [499_500.0, 1e6], 2.963_312_321_511_754_7e-16),
        ] {
            let found = f_tail(f, degrees);
            assert!((found - expected).abs() <= 1e-6 * expected, "{f} {degrees:?}: {found}");
        }
        for f in [f64::INFINITY, f64::MAX] {
            assert!(f_tail(f, [2.0, 5.0]) < 1e-300);
        }
        assert!((f_tail(0.0, [2.0, 5.0]) - 1.0).abs() < 1e-15);
    }

    /// Expected values by sums of binomial terms.
    #[test]
    fn the_binomial_distribution_is_a_sum_of_its_terms() {
        for (least, trials, p, expected) in [
            (1.0, 200.0, 3e-5, 1.0 - (200.0 * (-3e-5_f64).ln_1p()).exp()),
            (2.0, 3.0, 0.5, 0.5),
            (3.0, 3.0, 0.1, 0.001),
            (0.0, 9.0, 0.3, 1.0),
            (1.0, 4.0, 0.0, 0.0),
        ] {
            let found = binomial_tail(least, trials, [p, 1.0 - p]);
            assert!((found - expected).abs() <= 1e-9 * expected, "{least} of {trials} at {p}: {found}");
        }
    }

    /// Expected values from printed tables of Student's distribution.
    #[test]
    fn students_distribution_agrees_with_tables() {
        for (degrees, expected) in [(1.0, 12.706), (2.0, 4.303), (9.0, 2.262), (30.0, 2.042), (120.0, 1.980)] {
            assert!((t95(degrees) - expected).abs() < 6e-4, "{degrees}: {}", t95(degrees));
        }
        assert!((t95(1e6) - Z95).abs() < 1e-5);
    }

    /// Expected values by `mpmath.gammainc` of version 1.3.0.
    #[test]
    fn the_chi2_distribution_agrees_with_mpmath() {
        for (chi2, degrees, expected) in [
            (0.001, 1, 0.974_772_879_369_960_4),
            (1.0, 1, 0.317_310_507_862_914_1),
            (3.841_458_820_694_124, 1, 0.050_000_000_000_000_06),
            (60.0, 1, 9.485_737_571_073_848e-15),
            (1400.0, 1, 2.101_014_516_264_217_6e-306),
            (0.5, 2, 0.778_800_783_071_404_9),
            (5.991_464_547_107_979, 2, 0.050_000_000_000_000_07),
            (18.307_038_053_275_146, 10, 0.050_000_000_000_000_01),
            (2.0, 9, 0.991_467_606_628_813_5),
            (300.0, 9, 2.610_277_347_207_023_8e-59),
            (100.0, 100, 0.481_191_684_527_956_74),
            (250.0, 101, 1.239_056_353_974_199_4e-14),
            (800.0, 200, 1.094_374_708_734_698_3e-72),
            (3000.0, 2999, 0.491_415_973_043_736_13),
        ] {
            let found = chi2_tail(chi2, degrees);
            assert!((found - expected).abs() <= 1e-10 * expected, "{chi2}, {degrees}: {found:e}");
        }
        let ends = [chi2_tail(0.0, 1), chi2_tail(-1.0, 9), chi2_tail(1e9, 3)];
        assert_eq!(ends.map(|tail| tail.to_string()), ["1", "1", "0"]);
    }

    #[test]
    fn the_chi2_distribution_of_one_degree_is_the_square_of_a_normal_one() {
        for z in [0.1, 1.0, 3.0, 8.0] {
            assert!((chi2_tail(z * z, 1) - 2.0 * normal_cdf(-z)).abs() < 1e-14);
        }
    }
}
