//! Shares of points, and their weighted means over several games, with their errors.
//!
//! The share of a bot is the mean over its games. With `u_c` what the bots of cluster c scored beyond the mean of their
//! pairing, its influence on the shares of the two is `±u_c / N`, for N games of each. As for ratings (`sandwich.rs`,
//! `openings.rs`) there are two estimates of their covariances, and the larger margin counts:
//!
//! ```text
//! V   = Σ_c d_c d_c' + Σ_pairings w m² p(1-p) y y',   d_c = u_c y,  y = e_a/N_a - e_b/N_b
//! V_o = R/(R-1) Σ_o D_o D_o',                         D_o = Σ_{c of opening o} d_c
//! ```
//!
//! Different games are independent of each other, so V of a weighted mean is the sum of w² V.

use super::counts::{Counts, SeatPoints};
use super::dense::{DenseMatrix, dot};
use super::elo::ELO_PER_NAT;
use super::normal::Z95;
use super::openings::Openings;
use super::ratings::{Ratings, likelihood_of_superiority};

/// The share of points of each bot in one game, and their covariances.
#[derive(Debug, Clone)]
pub struct Shares {
    of: Vec<Option<f64>>,
    /// Lower triangles, by cluster and by opening; the latter are the former where openings are unknown or too few.
    covariances: [DenseMatrix; 2],
}

/// A weighted mean of shares.
#[derive(Debug, Clone)]
pub struct MeanShares {
    of: Vec<f64>,
    covariances: [DenseMatrix; 2],
}

/// A share with its 95 % interval, within 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The share.
    pub score: f64,
    /// Lower end of the interval.
    pub lo: f64,
    /// Upper end of the interval.
    pub hi: f64,
}

fn won(points: &SeatPoints) -> [f64; 2] {
    [points.won[0] + points.won[1], points.lost[0] + points.lost[1]]
}

impl Shares {
    /// The shares in these games.
    #[must_use]
    pub fn new(counts: &Counts) -> Self {
        let bots = counts.bots();
        let (mut points, mut games, mut clusters) = (vec![0.0; bots], vec![0.0; bots], vec![0.0_f64; bots]);
        let mut mean = Vec::new();
        for met in counts.pairings() {
            let [a, b] = won(&met.points());
            for (bot, own) in [(met.a, a), (met.b, b)] {
                points[bot] += own;
                games[bot] += a + b;
                clusters[bot] += met.cluster_count() as f64;
            }
            mean.push(a / (a + b));
        }
        let mut by_cluster = DenseMatrix::zero(bots);
        for (met, mean) in counts.pairings().zip(&mean) {
            let spread = |(points, count): (&SeatPoints, f64)| {
                let [a, b] = won(points);
                count * (a - mean * (a + b)).powi(2)
            };
            let squares: f64 = met.cluster_points().map(spread).sum();
            let (all, count) = (won(&met.points()).iter().sum::<f64>(), met.cluster_count() as f64);
            let extra = count / clusters[met.a].max(clusters[met.b]) * (all / count).powi(2) * mean * (1.0 - mean);
            let (y, z) = (1.0 / games[met.a], -1.0 / games[met.b]);
            for (row, column, value) in [(met.a, met.a, y * y), (met.b, met.b, z * z), (met.b, met.a, y * z)] {
                by_cluster.add(row, column, (squares + extra) * value);
            }
        }
        let openings = Openings::of(counts).filter(|openings| !openings.are_too_few());
        let by_opening = openings.map(|openings| {
            openings.squares(bots, |opening, add| {
                let (a, b) = counts.bots_of(opening.row);
                let [own, other] = won(&opening.points());
                let beyond = own - mean[opening.row as usize] * (own + other);
                add(a, beyond / games[a]);
                add(b, -beyond / games[b]);
            })
        });
        let of = points.iter().zip(&games).map(|(points, games)| (*games > 0.0).then(|| points / games)).collect();
        let by_opening = by_opening.unwrap_or_else(|| by_cluster.clone());
        Self { of, covariances: [by_cluster, by_opening] }
    }

    /// The shares that these ratings predict for a round-robin, where bots did not meet equally often: of the first `bots` bots
    /// those that games connect, in the largest group of such. `None` if there are no two.
    ///
    /// The covariances are those of the strengths, `G V G'` with `∂s_i/∂θ_j = -p(1-p) / (n-1)`.
    #[must_use]
    pub fn predicted(ratings: &Ratings, bots: usize) -> Option<Self> {
        let group = |bot: usize| ratings.of(bot).map(|rating| rating.group);
        let members = |of: usize| (0..bots).filter(|bot| group(*bot) == Some(of)).collect::<Vec<usize>>();
        let groups = (0..ratings.groups()).rev().map(members);
        let rated = groups.max_by_key(Vec::len).filter(|rated| rated.len() > 1)?;
        let others = (rated.len() - 1) as f64;
        // By place among those rated.
        let mut slopes = vec![vec![0.0; rated.len()]; rated.len()];
        let mut of = vec![None; bots];
        for (a, slopes) in slopes.iter_mut().enumerate() {
            let mut sum = 0.0;
            for b in (0..rated.len()).filter(|b| *b != a) {
                let p = ratings.expected(rated[a], rated[b])?;
                let slope = p * (1.0 - p) / others / ELO_PER_NAT;
                sum += p;
                slopes[a] += slope;
                slopes[b] -= slope;
            }
            of[rated[a]] = Some(sum / others);
        }
        let covariance = |unit: usize| {
            let of_two = |a, b| ratings.covariance(a, b).and_then(|both| both[unit].or(both[0]));
            let of_one = |a: &usize| rated.iter().map(|b| of_two(*a, *b)).collect::<Option<Vec<f64>>>();
            let known = rated.iter().map(of_one).collect::<Option<Vec<_>>>()?;
            let product = |row: &[f64]| -> Vec<f64> { known.iter().map(|column| dot(row, column)).collect() };
            let mut sum = DenseMatrix::zero(bots);
            for (a, row) in slopes.iter().enumerate() {
                let row = product(row);
                for (b, other) in slopes[..=a].iter().enumerate() {
                    sum.add(rated[a], rated[b], dot(&row, other));
                }
            }
            Some(sum)
        };
        Some(Self { of, covariances: [covariance(0)?, covariance(1)?] })
    }

    /// The share of a bot; `None` if it has no games.
    #[must_use]
    pub fn of(&self, bot: usize) -> Option<f64> {
        self.of.get(bot).copied().flatten()
    }
}

impl MeanShares {
    /// The mean for `bots` bots over several games, each with its weight and the index there of each bot. A bot that is
    /// not there has nothing.
    #[must_use]
    pub fn new(bots: usize, games: &[(f64, &Shares, Vec<Option<usize>>)]) -> Self {
        let total: f64 = games.iter().map(|(weight, ..)| weight).sum();
        let mut mean = Self { of: vec![0.0; bots], covariances: [DenseMatrix::zero(bots), DenseMatrix::zero(bots)] };
        for (weight, shares, places) in games {
            let weight = weight / total;
            for (bot, place) in places.iter().enumerate() {
                let Some(place) = *place else { continue };
                mean.of[bot] += weight * shares.of(place).unwrap_or(0.0);
                for (sum, known) in mean.covariances.iter_mut().zip(&shares.covariances) {
                    for (other, column) in places[..=bot].iter().enumerate() {
                        let Some(column) = *column else { continue };
                        sum.add(bot, other, weight * weight * known.row(place.max(column))[place.min(column)]);
                    }
                }
            }
        }
        mean
    }

    /// The mean share of a bot.
    #[must_use]
    pub fn of(&self, bot: usize) -> Share {
        let sd = self.covariances.iter().map(|matrix| matrix.row(bot)[bot].sqrt()).fold(0.0, f64::max);
        let score = self.of[bot];
        Share { score, lo: (score - Z95 * sd).max(0.0), hi: (score + Z95 * sd).min(1.0) }
    }

    /// The probability that the mean share of `a` is the larger one.
    #[must_use]
    pub fn los(&self, a: usize, b: usize) -> f64 {
        likelihood_of_superiority(self.of[a] - self.of[b], self.sd(a, b))
    }

    /// The best and the worst rank of a bot among all: those with a significantly different share at 95 % are above or
    /// below it.
    #[must_use]
    pub fn ranks(&self, bot: usize) -> [usize; 2] {
        let bots = self.of.len();
        let is_above = |a: usize, b: usize| self.of[a] - self.of[b] > Z95 * self.sd(a, b);
        let above = (0..bots).filter(|other| is_above(*other, bot)).count();
        let below = (0..bots).filter(|other| is_above(bot, *other)).count();
        [above + 1, bots - below]
    }

    /// The standard deviation of a difference.
    fn sd(&self, a: usize, b: usize) -> f64 {
        let of = |matrix: &DenseMatrix| {
            let between = matrix.row(a.max(b))[a.min(b)];
            (matrix.row(a)[a] + matrix.row(b)[b] - 2.0 * between).max(0.0).sqrt()
        };
        self.covariances.iter().map(of).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CountsBuilder, RatingOptions, Sample, rate};
    use arena_rules::result::GameResult;
    use arena_rules::rng::Rng;

    const BOTS: usize = 4;

    /// Twice the points of the first bot in both games of a pair, by pairing.
    type Pairs = Vec<([usize; 2], Vec<[u8; 2]>)>;

    /// Pairs of random games; openings favour a side, so that the games of a pair are not independent.
    fn pairs(seed: u64, count: usize) -> Pairs {
        let mut rng = Rng::new(seed);
        let pairings = (0..BOTS).flat_map(|a| (a + 1..BOTS).map(move |b| [a, b]));
        let game = |rng: &mut Rng, level: u64| if rng.below(10) < level { 2 } else { rng.below(2) as u8 };
        let pair = |rng: &mut Rng, [a, b]: [usize; 2]| {
            let shift = rng.below(5);
            [game(rng, 2 + shift + (b - a) as u64), game(rng, 6 - shift + (b - a) as u64)]
        };
        pairings.map(|bots| (bots, (0..count).map(|_| pair(&mut rng, bots)).collect())).collect()
    }

    fn counts(pairs: &Pairs, has_openings: bool) -> Counts {
        counts_of(pairs, has_openings, BOTS)
    }

    fn counts_of(pairs: &Pairs, has_openings: bool, bots: usize) -> Counts {
        let mut builder = CountsBuilder::new(bots);
        let results = [GameResult::SecondWins, GameResult::Draw, GameResult::FirstWins];
        for ([a, b], games) in pairs {
            for (number, [first, second]) in (0..).zip(games) {
                let sample =
                    Sample { cluster: Some(number), pair: Some(number), opening: has_openings.then_some(number) };
                builder.add_sample(*a, *b, results[usize::from(*first)], sample);
                builder.add_sample(*b, *a, results[usize::from(2 - second)], sample);
            }
        }
        builder.finish()
    }

    fn everyone() -> Vec<Option<usize>> {
        (0..BOTS).map(Some).collect()
    }

    #[test]
    fn intervals_agree_with_a_bootstrap_over_pairs() {
        const TIMES: usize = 4000;
        let games = [pairs(1, 60), pairs(2, 90)];
        let mean_of = |games: &[Pairs; 2]| {
            let [x, y] = games.each_ref().map(|pairs| Shares::new(&counts(pairs, false)));
            MeanShares::new(BOTS, &[(1.0, &x, everyone()), (2.0, &y, everyone())])
        };
        let found = mean_of(&games);
        let mut rng = Rng::new(3);
        let mut drawn = || {
            let again = games.each_ref().map(|pairs| {
                let mut draw = |all: &Vec<[u8; 2]>| {
                    (0..all.len()).map(|_| all[rng.below(all.len() as u64) as usize]).collect::<Vec<_>>()
                };
                pairs.iter().map(|(bots, all)| (*bots, draw(all))).collect::<Pairs>()
            });
            mean_of(&again).of
        };
        let samples: Vec<Vec<f64>> = (0..TIMES).map(|_| drawn()).collect();
        let sd = |value: &dyn Fn(&Vec<f64>) -> f64| {
            let mean = samples.iter().map(value).sum::<f64>() / TIMES as f64;
            (samples.iter().map(|sample| (value(sample) - mean).powi(2)).sum::<f64>() / TIMES as f64).sqrt()
        };
        for a in 0..BOTS {
            let Share { lo, hi, .. } = found.of(a);
            let ratio = (hi - lo) / 2.0 / Z95 / sd(&|sample| sample[a]);
            assert!((ratio - 1.0).abs() < 0.05, "bot {a}: {ratio}");
            for b in 0..a {
                let ratio = found.sd(a, b) / sd(&|sample| sample[a] - sample[b]);
                assert!((ratio - 1.0).abs() < 0.05, "bots {a}, {b}: {ratio}");
            }
        }
    }

    #[test]
    fn shared_openings_are_the_sampling_unit_where_they_spread_more() {
        // Bot 0 wins every second opening against all others, and loses the rest.
        let mut pairs = pairs(1, 40);
        for ([a, _], games) in &mut pairs {
            if *a == 0 {
                games
                    .iter_mut()
                    .enumerate()
                    .for_each(|(number, game)| *game = [if number % 2 == 0 { 2 } else { 0 }; 2]);
            }
        }
        let width = |has_openings| {
            let shares = Shares::new(&counts(&pairs, has_openings));
            let Share { lo, hi, .. } = MeanShares::new(BOTS, &[(1.0, &shares, everyone())]).of(0);
            hi - lo
        };
        let ratio = width(true) / width(false);
        // √3 for as many equal pairings, and Student's deviate.
        assert!((ratio / 3.0_f64.sqrt() - 1.0).abs() < 0.06, "{ratio}");
    }

    #[test]
    fn what_ratings_predict_agrees_with_what_was_played() {
        let counts = counts(&pairs(4, 400), false);
        let played = Shares::new(&counts);
        let ratings = rate(&counts, &RatingOptions::default());
        let predicted = Shares::predicted(&ratings, BOTS).unwrap();
        let [played, predicted] =
            [played, predicted].map(|shares| MeanShares::new(BOTS, &[(1.0, &shares, everyone())]));
        for bot in 0..BOTS {
            let ([x, y], width) = ([played.of(bot), predicted.of(bot)], |share: Share| share.hi - share.lo);
            assert!((x.score - y.score).abs() < 1e-3, "bot {bot}: {x:?} {y:?}");
            assert!((width(x) / width(y) - 1.0).abs() < 0.05, "bot {bot}: {x:?} {y:?}");
        }
        // One without games has no share, and changes no other.
        let more = rate(&counts_of(&pairs(4, 400), false, BOTS + 1), &RatingOptions::default());
        let more = Shares::predicted(&more, BOTS + 1).unwrap();
        assert_eq!(more.of(BOTS), None);
        let more = MeanShares::new(BOTS, &[(1.0, &more, everyone())]);
        for bot in 0..BOTS {
            assert!((more.of(bot).score - predicted.of(bot).score).abs() < 1e-9);
            assert!((more.of(bot).hi - predicted.of(bot).hi).abs() < 1e-9);
        }
        let apart = rate(&CountsBuilder::new(3).finish(), &RatingOptions::default());
        assert!(Shares::predicted(&apart, 3).is_none());
    }

    #[test]
    fn weights_and_missing_games_count() {
        let shares = Shares::new(&counts(&pairs(1, 20), false));
        let other = Shares::new(&counts(&pairs(2, 20), false));
        let (x, y) = (shares.of(2).unwrap(), other.of(2).unwrap());
        let mean = MeanShares::new(2, &[(3.0, &shares, vec![Some(2), Some(0)]), (1.0, &other, vec![Some(2), None])]);
        assert!((mean.of(0).score - (0.75 * x + 0.25 * y)).abs() < 1e-12);
        assert!((mean.of(1).score - 0.75 * shares.of(0).unwrap()).abs() < 1e-12);
        let alone = MeanShares::new(1, &[(1.0, &shares, vec![Some(2)])]);
        assert_eq!((alone.of(0).score, alone.ranks(0)), (x, [1, 1]));
        assert_eq!(Shares::new(&CountsBuilder::new(2).finish()).of(0), None);
    }

    #[test]
    fn ranks_are_as_sure_as_the_difference() {
        let all = |count| {
            let shares = Shares::new(&counts(&pairs(5, count), false));
            MeanShares::new(BOTS, &[(1.0, &shares, everyone())])
        };
        let few: Vec<[usize; 2]> = (0..BOTS).map(|bot| all(3).ranks(bot)).collect();
        let many = all(3000);
        let sure: Vec<[usize; 2]> = (0..BOTS).map(|bot| many.ranks(bot)).collect();
        assert_eq!(sure, [[1, 1], [2, 2], [3, 3], [4, 4]]);
        assert!(few.iter().zip(1..).all(|([best, worst], rank)| *best <= rank && rank <= *worst));
        assert!(many.los(0, 1) > 0.999 && (many.los(0, 1) + many.los(1, 0) - 1.0).abs() < 1e-12);
    }
}
