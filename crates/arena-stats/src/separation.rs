//! Which bots differ significantly, and how many more rounds the others need.

use std::ops::RangeInclusive;

use super::comparisons::Holm;
use super::elo::{ELO_PER_NAT, Estimate};
use super::normal::Z95;
use super::ratings::{Ratings, sd};
use super::sandwich::Errors;

/// Two adjacent bots in a ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbours {
    /// The bot that ranks higher.
    pub upper: usize,
    /// The bot that ranks lower.
    pub lower: usize,
    /// Rating of the upper bot minus that of the lower; may be negative if points determine the ranks.
    pub elo: f64,
    /// Standard deviation of the difference.
    pub sd: f64,
}

impl Neighbours {
    /// The difference with its 95 % interval.
    #[must_use]
    pub fn difference(&self) -> Estimate {
        Estimate::new(self.elo, Z95 * self.sd)
    }

    /// The difference in standard deviations, negative if the lower one seems stronger.
    #[must_use]
    pub fn z_score(&self) -> f64 {
        (self.elo / self.sd.max(f64::MIN_POSITIVE * ELO_PER_NAT)).clamp(-1e300, 1e300)
    }

    /// Whether the difference is significant at 95 %.
    #[must_use]
    pub fn are_separated(&self) -> bool {
        self.elo.abs() > Z95 * self.sd
    }

    /// The number of further rounds after which the difference would be significant, if it stays the same, given that
    /// `played` rounds have been played, possibly including a part of one.
    ///
    /// Errors are proportional to one over the square root of the number of rounds. Returns 0 if the difference is
    /// already significant, and `None` if the two look equal.
    #[must_use]
    pub fn more_rounds(&self, played: f64) -> Option<u64> {
        if self.are_separated() {
            return Some(0);
        }
        let factor = (Z95 * self.sd / self.elo).powi(2);
        let more = (played * (factor - 1.0)).ceil();
        // A larger number of rounds is not practical.
        (more.is_finite() && more < 1e15).then_some((more as u64).max(1))
    }
}

impl Ratings {
    /// The range of ranks within its group for each bot: the ranks of all bots from which its rating does not differ
    /// significantly at 95 %, with the joint error of both. `None` for a bot without games.
    #[must_use]
    pub fn rank_ranges(&self) -> Vec<Option<RangeInclusive<usize>>> {
        let bots = self.at.len() - 1;
        let sds: Vec<f64> = (0..bots).map(|bot| sd(&self.errors, bot)).collect();
        self.ranges(|a, b| self.differ(a, b, sds[a] + sds[b]))
    }

    /// The same, at 95 % for all bots together.
    #[must_use]
    pub fn rank_ranges_together(&self, holm: &Holm) -> Vec<Option<RangeInclusive<usize>>> {
        self.ranges(|a, b| self.p_value(a, b).is_some_and(|p| holm.is_significant(p)))
    }

    /// The ranges of ranks that follow from which comparable bots differ.
    fn ranges(&self, differ: impl Fn(usize, usize) -> bool) -> Vec<Option<RangeInclusive<usize>>> {
        let bots = self.at.len() - 1;
        let mut better = vec![0; bots];
        let mut worse = vec![0; bots];
        let mut members = vec![0; self.groups()];
        for a in 0..bots {
            let Some(rating) = self.of(a) else { continue };
            members[rating.group] += 1;
            for b in a + 1..bots {
                if self.comparable(a, b) && differ(a, b) {
                    let (upper, lower) = if self.at[a] > self.at[b] { (a, b) } else { (b, a) };
                    better[lower] += 1;
                    worse[upper] += 1;
                }
            }
        }
        let range = |bot: usize| self.of(bot).map(|rating| better[bot] + 1..=members[rating.group] - worse[bot]);
        (0..bots).map(range).collect()
    }

    /// Whether the difference is significant. `sd_max` is an upper bound of its standard deviation: most bots are so
    /// far apart, or so close, that only a part of the error has to be summed.
    fn differ(&self, a: usize, b: usize, sd_max: f64) -> bool {
        let needed = (self.at[a] - self.at[b]).abs() / Z95;
        if needed > sd_max {
            return true;
        }
        let limit = needed * needed;
        let is_below = |errors: &Errors| {
            let mut variance = 0.0;
            errors.of(a).chunks(64).zip(errors.of(b).chunks(64)).all(|(x, y)| {
                variance += x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
                variance < limit
            })
        };
        self.errors.iter().all(is_below)
    }

    /// Each bot in the given order with the next one of its group. Bots of other groups may rank between the two if
    /// points determine the ranks.
    pub fn neighbours(&self, order: &[usize]) -> impl Iterator<Item = Neighbours> {
        let mut last_of = vec![None; self.groups()];
        order.iter().filter_map(move |lower| {
            let upper = last_of[self.of(*lower)?.group].replace(*lower)?;
            let (elo, sd) = self.difference_and_sd(upper, *lower)?;
            Some(Neighbours { upper, lower: *lower, elo, sd })
        })
    }

    /// The two adjacent bots, in the given order, for which it is most significant that the lower is stronger. `None`
    /// if no such difference is significant.
    #[must_use]
    pub fn most_inverted_neighbours(&self, order: &[usize]) -> Option<Neighbours> {
        let clearest = self.neighbours(order).min_by(|x, y| x.z_score().total_cmp(&y.z_score()))?;
        (clearest.elo < 0.0 && clearest.are_separated()).then_some(clearest)
    }
}
