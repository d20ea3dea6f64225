//! How ratings changed from one set of games to another that has most of the same games.
//!
//! The two estimates are not independent, so the margin of their difference is none of either. For an efficient estimator and
//! nested sets the variance of the difference is the difference of the variances (Hausman, "Specification tests in
//! econometrics", 1978, section 2). Ours is not efficient where pairs and openings correlate games; the sets are not nested where a
//! bot was replaced; and the larger of two estimated variances does not subtract. So the margin is a delete-a-group jackknife:
//! both sets are rated without one group of pairs or openings at a time, and the variance is that of the changes found
//! (Wolter, "Introduction to variance estimation", 2nd edition 2007, section 4.2), with Student's deviate for the number of groups.

use std::collections::{BTreeSet, HashMap};

use arena_rules::result::GameResult;

use super::counts_builder::{CountsBuilder, Sample};
use super::elo::{ELO_PER_NAT, Estimate};
use super::normal::t95;
use super::ratings::{RatingOptions, Ratings, rate};

/// Most groups. More make margins a little steadier, and each takes two fits.
const GROUPS_MAX: usize = 24;
/// Fewest groups whose spread says something.
const GROUPS_MIN: usize = 4;

/// A game of a set that is compared with another one.
#[derive(Debug, Clone, Copy)]
pub struct ComparedGame {
    /// The bots, by seat. A bot has the same index in both sets.
    pub bots: [usize; 2],
    /// Who won.
    pub result: GameResult,
    /// What it shares with other games of its set.
    pub sample: Sample,
    /// The piece of evidence that it belongs to, in either set: its opening where openings are shared, else its pair.
    pub unit: u64,
}

/// By bot, the change of its rating from the first set of games to the second, relative to the mean of the bots of `reference`,
/// with its 95 % interval. The interval says by how much the change may be off because other pairs or openings might have
/// been played: it contains 0 in 95 of 100 cases if the strengths of all bots are the same in both sets.
///
/// `None` for a bot that is not comparable with the reference in both sets, or whose rating is unbounded in one. All are `None`
/// if there are fewer than four units. The anchor of `options` does not matter.
#[must_use]
pub fn rating_changes(
    bots: usize,
    [then, now]: [&[ComparedGame]; 2],
    options: &RatingOptions,
    reference: &[usize],
) -> Vec<Option<Estimate>> {
    let sets = [then, now].map(|games| games.iter().map(|game| game.unit).collect::<BTreeSet<u64>>());
    // Each group has its share of the units that both sets have, and of those that are new.
    let units = sets[0].iter().chain(sets[1].difference(&sets[0]));
    let places: HashMap<u64, usize> = units.copied().zip(0..).collect();
    let groups = places.len().min(GROUPS_MAX);
    if groups < GROUPS_MIN {
        return vec![None; bots];
    }
    let group = |game: &ComparedGame| places.get(&game.unit).map_or(0, |place| place % groups);
    let fit = |games: &[ComparedGame], without: Option<usize>| {
        let mut counts = CountsBuilder::new(bots);
        for game in games.iter().filter(|game| without.is_none_or(|without| group(game) != without)) {
            counts.add_sample(game.bots[0], game.bots[1], game.result, game.sample);
        }
        rate(&counts.finish(), &RatingOptions { anchor: None, ..*options })
    };
    let whole = [then, now].map(|games| fit(games, None));
    let is_known = |bot: usize| whole.iter().all(|ratings| is_comparable(ratings, bot, reference));
    let changes = |[then, now]: [&Ratings; 2]| -> Vec<f64> {
        let [then, now] = [then, now].map(|ratings| relative(ratings, reference));
        now.iter().zip(&then).map(|(now, then)| now - then).collect()
    };
    let found = changes(whole.each_ref());
    let without: Vec<Vec<f64>> = (0..groups)
        .map(|group| {
            let [then, now] = [then, now].map(|games| fit(games, Some(group)));
            changes([&then, &now])
        })
        .collect();
    let number = groups as f64;
    let margin = |bot: usize| {
        let mean = without.iter().map(|changes| changes[bot]).sum::<f64>() / number;
        let squares: f64 = without.iter().map(|changes| (changes[bot] - mean).powi(2)).sum();
        t95(number - 1.0) * (squares * (number - 1.0) / number).sqrt()
    };
    (0..bots).map(|bot| is_known(bot).then(|| Estimate::new(found[bot], margin(bot)))).collect()
}

/// The ratings in Elo relative to the mean of `reference`, whether or not they are comparable.
fn relative(ratings: &Ratings, reference: &[usize]) -> Vec<f64> {
    let strengths = &ratings.at[..ratings.at.len() - 1];
    let zero = reference.iter().map(|bot| strengths[*bot]).sum::<f64>() / reference.len().max(1) as f64;
    strengths.iter().map(|strength| (strength - zero) * ELO_PER_NAT).collect()
}

fn is_comparable(ratings: &Ratings, bot: usize, reference: &[usize]) -> bool {
    let is_bounded = |bot: usize| ratings.of(bot).is_some_and(|rating| rating.elo.half_width().is_finite());
    !reference.is_empty()
        && reference.iter().all(|other| is_bounded(*other) && ratings.comparable(bot, *other))
        && is_bounded(bot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_rules::result::GameResult::{Draw, FirstWins, SecondWins};
    use arena_rules::rng::Rng;

    /// Bots of a tournament: the last one joins late, and the one before it is replaced by its twin.
    const BOTS: usize = 8;

    fn uniform(rng: &mut Rng) -> f64 {
        rng.below(1 << 53) as f64 / (1_u64 << 53) as f64
    }

    fn normal(rng: &mut Rng) -> f64 {
        (0..12).map(|_| uniform(rng)).sum::<f64>() - 6.0
    }

    struct Field {
        /// How differently bots take openings, in nats.
        reaction: f64,
        /// What openings are worth to the first seat, in nats.
        bias: f64,
        /// Rounds of the first set, and of the second one.
        rounds: [u32; 2],
        is_shared: bool,
        is_changed: bool,
    }

    impl Field {
        fn play(&self, rng: &mut Rng) -> [Vec<ComparedGame>; 2] {
            let mut sets = [Vec::new(), Vec::new()];
            let mut pair = 0;
            for round in 0..self.rounds[1] {
                let mut drawn: Vec<f64> = (0..=BOTS + 1).map(|_| normal(rng)).collect();
                for b in 0..=BOTS {
                    for a in 0..b {
                        if !self.is_shared {
                            drawn = (0..=BOTS + 1).map(|_| normal(rng)).collect();
                        }
                        pair += 1;
                        let level = |bot: usize| -0.3 * (bot / 2) as f64 + self.reaction * drawn[bot];
                        let unit = if self.is_shared { round } else { pair };
                        let sample =
                            Sample { pair: Some(pair), cluster: Some(pair), opening: self.is_shared.then_some(round) };
                        for [first, second] in [[a, b], [b, a]] {
                            let x = level(first) - level(second) + self.bias * drawn[BOTS + 1];
                            let (win, draw, loss) = ((x / 2.0).exp(), 0.4, (-x / 2.0).exp());
                            let at = uniform(rng) * (win + draw + loss);
                            let result = if at < win {
                                FirstWins
                            } else if at < win + draw {
                                Draw
                            } else {
                                SecondWins
                            };
                            let game = ComparedGame { bots: [first, second], result, sample, unit: u64::from(unit) };
                            let [is_then, is_now] = if self.is_changed {
                                // Then BOTS - 2 and not its twin BOTS - 1, nor BOTS; now those and not BOTS - 2.
                                [b < BOTS - 1, a != BOTS - 2 && b != BOTS - 2]
                            } else {
                                [b < BOTS; 2]
                            };
                            if is_then && round < self.rounds[0] {
                                sets[0].push(game);
                            }
                            if is_now {
                                sets[1].push(game);
                            }
                        }
                    }
                }
            }
            sets
        }

        /// The share of intervals that contain 0, their mean width, and the share by the difference of the variances.
        fn coverage(&self, runs: u32) -> [f64; 3] {
            let mut rng = Rng::new(5);
            let mut sums = [0.0; 3];
            let reference: Vec<usize> = (0..BOTS - 2).collect();
            for _ in 0..runs {
                let [then, now] = self.play(&mut rng);
                let changes = rating_changes(BOTS + 1, [&then, &now], &RatingOptions::default(), &reference);
                let fit = |games: &[ComparedGame]| {
                    let mut counts = CountsBuilder::new(BOTS + 1);
                    for game in games {
                        counts.add_sample(game.bots[0], game.bots[1], game.result, game.sample);
                    }
                    rate(&counts.finish(), &RatingOptions::default())
                };
                let [then, now] = [fit(&then), fit(&now)];
                for bot in reference.iter().copied() {
                    let change = changes[bot].expect("it is comparable");
                    let [a, b] =
                        [&then, &now].map(|ratings| ratings.against_mean(bot, &reference).unwrap().half_width());
                    let margin = (a * a - b * b).max(0.0).sqrt();
                    sums[0] += f64::from(u8::from(change.lo <= 0.0 && 0.0 <= change.hi));
                    sums[1] += change.half_width();
                    sums[2] += f64::from(u8::from(change.elo.abs() <= margin));
                }
            }
            sums.map(|sum| sum / f64::from(runs) / reference.len() as f64)
        }
    }

    /// With 200 runs each it is 0.91 to 0.997 in 48 such fields, the lowest where four openings were known first. The difference of
    /// the variances is as good with nested sets of unrelated pairs, and 0.83 to 0.87 where a bot was replaced and little added.
    #[test]
    fn the_intervals_of_changes_hold_whether_or_not_the_field_changed() {
        for (reaction, rounds, is_shared, is_changed) in [
            (0.0, [6, 12], false, false),
            (0.5, [10, 14], true, true),
            (1.5, [8, 16], true, false),
            (0.5, [20, 24], false, true),
        ] {
            let [held, width, by_variances] = Field { reaction, bias: 0.5, rounds, is_shared, is_changed }.coverage(20);
            let of =
                format!("{reaction} {rounds:?} {is_shared} {is_changed}: {held:.3} ±{width:.1}, {by_variances:.3}");
            assert!((0.9..=1.0).contains(&held), "{of}");
            let is_overlapping = is_changed && !is_shared;
            assert!(!is_overlapping || by_variances < held, "why it is not the difference of the variances: {of}");
        }
    }

    #[test]
    fn the_same_games_are_no_change_and_a_bot_without_games_has_none() {
        let mut rng = Rng::new(1);
        let field = Field { reaction: 0.3, bias: 0.0, rounds: [6, 6], is_shared: true, is_changed: false };
        let [games, _] = field.play(&mut rng);
        let changes = rating_changes(BOTS + 1, [&games, &games], &RatingOptions::default(), &[0, 1]);
        assert!(changes[..BOTS].iter().all(|change| *change == Some(Estimate::new(0.0, 0.0))), "{changes:?}");
        assert_eq!(changes[BOTS], None);
        assert!(
            rating_changes(BOTS + 1, [&games, &games], &RatingOptions::default(), &[BOTS]).iter().all(Option::is_none)
        );
        let few: Vec<ComparedGame> = games.iter().copied().filter(|game| game.unit < 3).collect();
        assert!(rating_changes(BOTS, [&few, &games[..1]], &RatingOptions::default(), &[0]).iter().all(Option::is_none));
        assert!(rating_changes(0, [&[], &[]], &RatingOptions::default(), &[]).is_empty());
    }

    #[test]
    fn the_change_is_that_of_the_ratings_relative_to_the_reference() {
        let mut rng = Rng::new(2);
        let field = Field { reaction: 0.3, bias: 0.0, rounds: [6, 9], is_shared: false, is_changed: true };
        let [then, now] = field.play(&mut rng);
        let changes = rating_changes(BOTS + 1, [&then, &now], &RatingOptions::default(), &[2]);
        assert_eq!(changes[2].map(|change| (change.elo, change.half_width())), Some((0.0, 0.0)));
        let fit = |games: &[ComparedGame]| {
            let mut counts = CountsBuilder::new(BOTS + 1);
            for game in games {
                counts.add_sample(game.bots[0], game.bots[1], game.result, game.sample);
            }
            rate(&counts.finish(), &RatingOptions::default()).difference(0, 2).expect("they met").elo
        };
        let expected = fit(&now) - fit(&then);
        assert!(changes[0].is_some_and(|change| (change.elo - expected).abs() < 1e-9), "{changes:?} {expected}");
        // Only one set has games of these.
        assert_eq!([changes[BOTS - 2], changes[BOTS - 1], changes[BOTS]], [None; 3]);
    }
}
