//! Comparisons of all bots with each other, at one error rate for all of them together.
//!
//! The p value of a difference is the larger of two: of the errors by cluster with the normal distribution, and of those by
//! opening with Student's. Nothing is assumed of how differences are correlated: Holm's and Bonferroni's inequalities hold in
//! any case.
//!
//! - *Holm* ("A simple sequentially rejective multiple test procedure", 1979), over all pairs of bots: with 95 % probability
//!   no two equal bots differ significantly. So all ranks that follow hold at once (Mogstad, Romano, Shaikh and Wilhelm,
//!   "Inference for ranks with applications to mobility across neighbourhoods and academic achievement across countries",
//!   2024).
//! - A bot may be the best unless another is better and differs from it by that test. So the bots that may be the best are those
//!   whose ranges of ranks begin with the first: a table says one thing. The tests of Hsu ("Constrained simultaneous confidence
//!   intervals for multiple comparisons with the best", 1984) leave fewer bots, but contradict such ranges.
//!
//! Where there are few openings, Student's distribution has long tails and hardly any pair differs. [`Holm::lost_to_openings`]
//! tells that from a lack of games.

use super::normal::f_tail;
use super::ratings::Ratings;
use libm::erfc;

/// The rate of any error in a family of comparisons.
pub const FAMILY_ALPHA: f64 = 0.05;

/// The p values of all pairs of bots that games connect, adjusted for their number.
#[derive(Debug, Clone)]
pub struct Holm {
    /// From the smallest on, those whose adjusted one is below 1.
    p: Vec<f64>,
    adjusted: Vec<f64>,
    /// Pairs.
    pairs: usize,
    lost_to_openings: usize,
}

impl Holm {
    /// Adjusts the p values of a family.
    fn new(mut p: Vec<f64>) -> Self {
        p.sort_unstable_by(f64::total_cmp);
        let all = p.len();
        let mut largest = 0.0_f64;
        let steps = p.iter().enumerate().map(|(place, p)| {
            largest = largest.max((all - place) as f64 * p);
            largest
        });
        let adjusted: Vec<f64> = steps.take_while(|adjusted| *adjusted < 1.0).collect();
        p.truncate(adjusted.len());
        p.shrink_to_fit();
        Self { p, adjusted, pairs: all, lost_to_openings: 0 }
    }

    /// Pairs that were compared.
    #[must_use]
    pub const fn pairs(&self) -> usize {
        self.pairs
    }

    /// Pairs that would differ significantly if openings were not sampled, only games: openings are what keeps them from it.
    #[must_use]
    pub const fn lost_to_openings(&self) -> usize {
        self.lost_to_openings
    }

    /// Significant members of the family.
    fn significant(&self) -> usize {
        self.adjusted.partition_point(|adjusted| *adjusted < FAMILY_ALPHA)
    }

    /// The adjusted p value of a member of the family: the smallest error rate of the family at which it is significant.
    #[must_use]
    pub fn adjusted(&self, p: f64) -> f64 {
        // Of equal ones the first has the largest factor.
        self.adjusted.get(self.p.partition_point(|smaller| *smaller < p)).copied().unwrap_or(1.0)
    }

    /// Whether a member of the family is significant.
    #[must_use]
    pub fn is_significant(&self, p: f64) -> bool {
        self.adjusted(p) < FAMILY_ALPHA
    }
}

impl Ratings {
    /// The two-sided p value of the hypothesis that two bots are equally strong; `None` if they are not comparable. Below 0.05
    /// exactly where the 95 % interval of [`Ratings::difference`] does not contain 0.
    #[must_use]
    pub fn p_value(&self, a: usize, b: usize) -> Option<f64> {
        self.p_values(a, b).map(|[_, larger]| larger)
    }

    /// The p value by cluster alone, and the larger of it and that by opening, where there are errors by opening.
    fn p_values(&self, a: usize, b: usize) -> Option<[f64; 2]> {
        let (by_cluster, by_opening) = self.sds_of_difference(a, b)?;
        let difference = (self.at[a] - self.at[b]).abs();
        if difference == 0.0 {
            return Some([1.0; 2]);
        }
        let normal = erfc(difference / by_cluster * std::f64::consts::FRAC_1_SQRT_2);
        let student = by_opening.zip(self.student).map(|(sd, student)| {
            let t = difference / sd * student.enlarged;
            f_tail(t * t, [1.0, student.degrees])
        });
        Some([normal, student.map_or(normal, |student| student.max(normal))])
    }

    /// The effective number of openings whose sampling the errors allow for: the independent units. `None` where they do not.
    #[must_use]
    pub fn independent_openings(&self) -> Option<f64> {
        self.student.map(|student| student.degrees + 1.0)
    }

    /// The p values of all pairs of bots, adjusted.
    #[must_use]
    pub fn holm(&self) -> Holm {
        let bots = self.at.len() - 1;
        let pairs = (0..bots).flat_map(|b| (0..b).map(move |a| (a, b)));
        let p: Vec<[f64; 2]> = pairs.filter_map(|(a, b)| self.p_values(a, b)).collect();
        let [by_cluster, larger] = [0, 1].map(|which| Holm::new(p.iter().map(|both| both[which]).collect()));
        let lost_to_openings = by_cluster.significant().saturating_sub(larger.significant());
        Holm { lost_to_openings, ..larger }
    }

    /// For each of these bots the smallest adjusted p value of one of the others that is better, and 1 where none is; from
    /// [`FAMILY_ALPHA`] on it may be the best. `None` for all unless games connect all of them.
    #[must_use]
    pub fn p_best(&self, bots: &[usize], holm: &Holm) -> Option<Vec<f64>> {
        let of = |bot: &usize| {
            bots.iter().filter(|other| *other != bot).try_fold(1.0_f64, |least, other| {
                let p = self.p_value(*bot, *other)?;
                Some(if self.at[*other] > self.at[*bot] { least.min(holm.adjusted(p)) } else { least })
            })
        };
        bots.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{counted, tables};
    use super::super::{RatingOptions, rate};
    use super::*;
    use arena_rules::result::GameResult::{Draw, FirstWins, SecondWins};

    /// Expected values by `p.adjust(c(.01, .04, .03, .005, .03), "holm")` of R.
    #[test]
    fn holm_agrees_with_r() {
        let p = [0.01, 0.04, 0.03, 0.005, 0.03];
        let holm = Holm::new(p.to_vec());
        let adjusted = p.map(|p| holm.adjusted(p));
        let expected = [0.04, 0.09, 0.09, 0.025, 0.09];
        assert!(adjusted.iter().zip(expected).all(|(found, wanted)| (found - wanted).abs() < 1e-12), "{adjusted:?}");
        assert!((Holm::new(vec![0.4, 0.6, 0.9]).adjusted(0.6) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn only_a_bot_that_is_clearly_worse_cannot_be_the_best() {
        let games = (0..40).flat_map(|pair| {
            let upset = if pair % 8 == 0 { SecondWins } else { FirstWins };
            [(0, 1, Draw, Some(pair)), (0, 2, upset, Some(pair)), (1, 2, upset, Some(pair))]
        });
        let ratings = rate(&counted(4, games), &RatingOptions::default());
        let holm = ratings.holm();
        let best = ratings.p_best(&[0, 1, 2], &holm).expect("they met");
        assert!(best[0] >= FAMILY_ALPHA && best[1] >= FAMILY_ALPHA && best[2] < 1e-3, "{best:?}");
        assert_eq!(ratings.p_best(&[0, 3], &holm), None, "a bot without games");
        let ranges = ratings.rank_ranges_together(&holm);
        assert_eq!(ranges, [Some(1..=2), Some(1..=2), Some(3..=3), None]);
    }

    proptest! {
        #[test]
        fn p_is_small_where_the_interval_leaves_zero_out_and_adjusting_only_raises_it((bots, games) in tables()) {
            let ratings = rate(&counted(bots, games), &RatingOptions::default());
            let holm = ratings.holm();
            for (a, b) in (0..bots).flat_map(|b| (0..b).map(move |a| (a, b))) {
                let (Some(p), Some(found)) = (ratings.p_value(a, b), ratings.difference(a, b)) else { continue };
                prop_assert!((0.0..=1.0).contains(&p) && ratings.p_value(b, a) == Some(p));
                if (p - 0.05).abs() > 1e-9 {
                    prop_assert_eq!(p < 0.05, found.lo > 0.0 || found.hi < 0.0);
                }
                prop_assert!(holm.adjusted(p) >= p);
            }
            let together = ratings.rank_ranges_together(&holm);
            // A bot may be the best exactly if its range of ranks begins with the first.
            let rated: Vec<usize> = (0..bots).filter(|bot| together[*bot].is_some()).collect();
            for (bot, p) in rated.iter().zip(ratings.p_best(&rated, &holm).into_iter().flatten()) {
                let begins = together[*bot].as_ref().is_some_and(|range| *range.start() == 1);
                prop_assert_eq!(p >= FAMILY_ALPHA, begins);
            }
            prop_assert!(holm.lost_to_openings() <= holm.pairs());
            for (one, all) in ratings.rank_ranges().into_iter().zip(together) {
                prop_assert!(one.zip(all).is_none_or(|(one, all)| all.start() <= one.start() && one.end() <= all.end()));
            }
        }
    }
}
