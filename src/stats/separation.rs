//! Which bots the games tell apart, and how many more would be needed for the rest.

use std::ops::RangeInclusive;

use super::elo::ELO_PER_NAT;
use super::normal::Z95;
use super::ratings::{Ratings, length};

/// Two neighbours in a ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbours {
    /// The one ranked higher.
    pub upper: usize,
    /// The one ranked lower.
    pub lower: usize,
    /// Rating of the upper minus that of the lower; may be negative when points decide the ranks.
    pub elo: f64,
    /// Standard deviation of that difference.
    pub sd: f64,
}

impl Neighbours {
    /// The difference in standard deviations.
    fn clearness(&self) -> f64 {
        (self.elo / self.sd.max(f64::MIN_POSITIVE * ELO_PER_NAT)).clamp(-1e300, 1e300)
    }

    /// Whether the difference is significant at 95 %.
    #[must_use]
    pub fn are_separated(&self) -> bool {
        self.elo.abs() > Z95 * self.sd
    }

    /// How many more rounds would make the difference significant, if it stays what it is, after `played` rounds, of
    /// which the last may be unfinished.
    ///
    /// Errors shrink with the square root of the number of rounds. 0 if the two are separated already; `None` if
    /// they look equal, so that no number would do.
    #[must_use]
    pub fn more_rounds(&self, played: f64) -> Option<u64> {
        if self.are_separated() {
            return Some(0);
        }
        let factor = (Z95 * self.sd / self.elo).powi(2);
        let more = (played * (factor - 1.0)).ceil();
        // Beyond this a number of rounds is no answer.
        (more.is_finite() && more < 1e15).then_some((more as u64).max(1))
    }
}

impl Ratings {
    /// The ranks within its group that each bot may have: those of all bots from which its rating does not differ
    /// significantly at 95 %, the errors of both taken together. `None` for a bot without games.
    #[must_use]
    pub fn rank_ranges(&self) -> Vec<Option<RangeInclusive<usize>>> {
        let bots = self.at.len() - 1;
        let mut better = vec![0; bots];
        let mut worse = vec![0; bots];
        let mut members = vec![0; self.groups()];
        let sds: Vec<f64> = (0..bots).map(|bot| length(self.errors().of(bot))).collect();
        for a in 0..bots {
            let Some(rating) = self.of(a) else { continue };
            members[rating.group] += 1;
            for b in a + 1..bots {
                if self.comparable(a, b) && self.differ(a, b, sds[a] + sds[b]) {
                    let (upper, lower) = if self.at[a] > self.at[b] { (a, b) } else { (b, a) };
                    better[lower] += 1;
                    worse[upper] += 1;
                }
            }
        }
        let range = |bot: usize| self.of(bot).map(|rating| better[bot] + 1..=members[rating.group] - worse[bot]);
        (0..bots).map(range).collect()
    }

    /// Whether the difference is significant; `sd_max` is a bound of its standard deviation. Most bots are so far
    /// apart, or so close, that only a part of the error needs to be added up.
    fn differ(&self, a: usize, b: usize, sd_max: f64) -> bool {
        let needed = (self.at[a] - self.at[b]).abs() / Z95;
        if needed > sd_max {
            return true;
        }
        let (limit, mut variance) = (needed * needed, 0.0);
        for (x, y) in self.errors().of(a).chunks(64).zip(self.errors().of(b).chunks(64)) {
            variance += x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
            if variance >= limit {
                return false;
            }
        }
        true
    }

    /// Each bot in the given order with the next one of its group. Other groups may lie between: ranks by points run
    /// through all of them.
    fn neighbours(&self, order: &[usize]) -> impl Iterator<Item = Neighbours> {
        let mut last_of = vec![None; self.groups()];
        order.iter().filter_map(move |lower| {
            let upper = last_of[self.of(*lower)?.group].replace(*lower)?;
            let (elo, sd) = self.difference_and_sd(upper, *lower)?;
            Some(Neighbours { upper, lower: *lower, elo, sd })
        })
    }

    /// The neighbours in the given order, each with the next of its group, that are hardest to tell apart: those whose
    /// difference is smallest for its error. `None` if no two bots are comparable.
    #[must_use]
    pub fn closest_neighbours(&self, order: &[usize]) -> Option<Neighbours> {
        self.neighbours(order).min_by(|x, y| x.clearness().abs().total_cmp(&y.clearness().abs()))
    }

    /// The neighbours in the given order of which the one ranked lower is most clearly the stronger. `None` if no such
    /// difference is significant.
    #[must_use]
    pub fn wrong_way_round(&self, order: &[usize]) -> Option<Neighbours> {
        let clearest = self.neighbours(order).min_by(|x, y| x.clearness().total_cmp(&y.clearness()))?;
        (clearest.elo < 0.0 && clearest.are_separated()).then_some(clearest)
    }
}
