//! The difference between a bot and the mean of others.

use super::dense::dot;
use super::elo::{ELO_PER_NAT, Estimate};
use super::normal::Z95;
use super::ratings::Ratings;
use super::sandwich::Errors;

impl Ratings {
    /// The difference between `bot` and the mean of `others` with its 95 % interval, from the joint errors; `None` if they are
    /// not all comparable, or the rating of one of them is unbounded.
    #[must_use]
    pub fn against_mean(&self, bot: usize, others: &[usize]) -> Option<Estimate> {
        let is_bounded = |bot: &usize| self.of(*bot).is_some_and(|rating| rating.elo.half_width().is_finite());
        if !others.iter().chain([&bot]).all(is_bounded) || !others.iter().all(|other| self.comparable(bot, *other)) {
            return None;
        }
        let share = 1.0 / others.len().max(1) as f64;
        let sd = |errors: &Errors| {
            let mut apart = errors.of(bot).to_vec();
            for other in others {
                apart.iter_mut().zip(errors.of(*other)).for_each(|(sum, error)| *sum -= share * error);
            }
            dot(&apart, &apart).sqrt()
        };
        let difference = others.iter().fold(self.at[bot], |sum, other| sum - share * self.at[*other]);
        let sd = self.errors.iter().map(sd).fold(0.0, f64::max);
        Some(Estimate::new(difference * ELO_PER_NAT, Z95 * ELO_PER_NAT * sd))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::counted;
    use super::super::{RatingOptions, rate};
    use arena_rules::result::GameResult::{Draw, FirstWins, SecondWins};

    #[test]
    fn against_one_it_is_their_difference_and_against_more_it_is_narrower() {
        let games = [(0, 1), (0, 2), (0, 3)].into_iter().flat_map(|(a, b)| {
            let results = [FirstWins, Draw, SecondWins, FirstWins];
            results.into_iter().enumerate().map(move |(number, result)| (a, b, result, Some(number as u32)))
        });
        let ratings = rate(&counted(5, games), &RatingOptions::default());
        let [one, difference] = [ratings.against_mean(0, &[2]).unwrap(), ratings.difference(0, 2).unwrap()];
        assert!((one.elo - difference.elo).abs() < 1e-9 && (one.hi - difference.hi).abs() < 1e-9);
        let all = ratings.against_mean(0, &[1, 2, 3]).unwrap();
        assert!((all.elo - one.elo).abs() < 1e-9 && all.half_width() < 0.7 * one.half_width());
        assert_eq!(ratings.against_mean(0, &[1, 4]), None, "a bot without games");
    }

    #[test]
    fn there_is_none_against_a_bot_that_lost_everything() {
        let games = [(0, 1, FirstWins, None), (1, 0, SecondWins, None), (0, 2, Draw, None), (2, 0, Draw, None)];
        let ratings = rate(&counted(3, games), &RatingOptions::default());
        assert_eq!(ratings.against_mean(0, &[1, 2]), None);
        assert!(ratings.against_mean(0, &[2]).is_some());
    }
}
