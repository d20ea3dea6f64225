//! The sequential probability ratio test of a match: play until one hypothesis is clearly more likely.
//!
//! Wald, "Sequential tests of statistical hypotheses", 1945, with the generalised likelihood ratio. Evaluate the test
//! after each completed pair, on the longest finished prefix of the schedule. In order of completion, short games would
//! come first, and the result would depend on timing.

use thiserror::Error;

use super::chances::Chance;
use super::elo::ELO_PER_NAT;
use super::likelihood_ratio::{
    SPRT_ELO_MAX, SprtModel, elo_of, halved, increment, log_likelihood_ratio, normal_log_likelihood_ratio,
    pair_increment,
};
use super::match_counts::MatchCounts;
use arena_rules::rng::Rng;

/// The result of a test so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SprtVerdict {
    /// `elo0` is accepted: the bot is not that much stronger.
    H0,
    /// `elo1` is accepted.
    H1,
    /// Neither hypothesis is accepted yet; a match that ends here is inconclusive.
    #[default]
    Undecided,
}

impl SprtVerdict {
    /// The word for the result of a finished match.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::H0 => "H0",
            Self::H1 => "H1",
            Self::Undecided => "inconclusive",
        }
    }
}

/// Arguments from which no test can be made.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum SprtError {
    /// A hypothesis is out of range or not a number.
    #[error("{0} is not between -{SPRT_ELO_MAX} and {SPRT_ELO_MAX} Elo")]
    Elo(f64),
    /// The hypotheses are equal or in the wrong order.
    #[error("elo0 ({0}) must be less than elo1 ({1})")]
    Order(f64, f64),
    /// The error rates are out of range.
    #[error("alpha ({0}) and beta ({1}) must be above 0 and together below 1")]
    Errors(f64, f64),
}

/// A sequential test of "stronger by `elo1`" against "stronger by `elo0`".
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    elo: [f64; 2],
    alpha: f64,
    beta: f64,
    model: SprtModel,
}

/// The average number of games of a test, by the true strength.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedGames {
    /// If `elo0` is true.
    pub at_elo0: f64,
    /// If `elo1` is true.
    pub at_elo1: f64,
    /// If the true strength lies between them, where it takes longest.
    pub between: f64,
}

/// How a test goes for one true strength.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Course {
    /// The average number of games.
    pub games: f64,
    /// The probability that `elo1` is accepted.
    pub accepts_elo1: f64,
}

impl Sprt {
    /// Creates a test that accepts `elo1` with probability `alpha` if `elo0` is true, and `elo0` with probability
    /// `beta` if `elo1` is true.
    ///
    /// # Errors
    ///
    /// Returns [`SprtError`] if an argument is invalid.
    pub fn new(model: SprtModel, [elo0, elo1]: [f64; 2], alpha: f64, beta: f64) -> Result<Self, SprtError> {
        for elo in [elo0, elo1] {
            if elo.is_nan() || elo.abs() > SPRT_ELO_MAX {
                return Err(SprtError::Elo(elo));
            }
        }
        if elo0 >= elo1 {
            return Err(SprtError::Order(elo0, elo1));
        }
        if alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0 {
            Ok(Self { elo: [elo0, elo1], alpha, beta, model })
        } else {
            Err(SprtError::Errors(alpha, beta))
        }
    }

    /// The scale of the hypotheses.
    #[must_use]
    pub const fn model(&self) -> SprtModel {
        self.model
    }

    /// `elo0` and `elo1`.
    #[must_use]
    pub const fn hypotheses(&self) -> [f64; 2] {
        self.elo
    }

    /// `alpha` and `beta`.
    #[must_use]
    pub const fn error_rates(&self) -> [f64; 2] {
        [self.alpha, self.beta]
    }

    /// The log-likelihood ratios at which `elo0` and `elo1` are accepted.
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// The log-likelihood ratio of `elo1` over `elo0`; 0 without games.
    #[must_use]
    pub fn llr(&self, counts: &MatchCounts) -> f64 {
        log_likelihood_ratio(counts.as_slice(), self.model, self.elo)
    }

    /// The result of the test for these games.
    #[must_use]
    pub fn verdict(&self, counts: &MatchCounts) -> SprtVerdict {
        let ([lower, upper], llr) = (self.bounds(), self.llr(counts));
        if llr >= upper {
            SprtVerdict::H1
        } else if llr <= lower {
            SprtVerdict::H0
        } else {
            SprtVerdict::Undecided
        }
    }

    /// The Elo, on the scale of the hypotheses, of a bot whose pairs have these probabilities: LL, LD, DD or WL, WD, WW.
    #[must_use]
    pub fn elo_of(&self, pairs: [f64; 5]) -> f64 {
        elo_of(pairs, self.model)
    }

    /// How the test goes if pairs have these probabilities, and there are games enough.
    ///
    /// Tests are simulated, always with the same seed: the games have a standard error of about 2 %. In the longest ones, the
    /// log-likelihood ratio is taken as a Brownian motion (Wald 1945), between bounds that are farther away by 0.583 standard
    /// deviations of what a pair adds, since it ends beyond them (Siegmund, "Sequential analysis", 1985, chapter 10).
    #[must_use]
    pub fn course(&self, pairs: [f64; 5]) -> Course {
        /// Games from which a test is long.
        const LONG: f64 = 4_000.0;
        /// Games below which only the exact normalized ratio will do.
        const SHORT: f64 = 150.0;
        let motion = self.motion(pairs);
        // The exact normalized ratio takes a hundred times as long as the logistic one, so it is computed near a bound only.
        let near = match self.model {
            SprtModel::Logistic => f64::INFINITY,
            SprtModel::Normalized if motion.games < SHORT => 0.6,
            SprtModel::Normalized => f64::NEG_INFINITY,
        };
        if motion.games < LONG { self.simulated(pairs, near) } else { motion }
    }

    /// The mean course of simulated tests. After many pairs, the ratio is that of normal numbers of unknown variance with the same
    /// moments, which is nearly the same and computed at once. After few, if it is at most `near` a bound, it is the test's own,
    /// since the first pair of a kind changes it by much.
    fn simulated(&self, pairs: [f64; 5], near: f64) -> Course {
        const TESTS: u32 = 1_500;
        const SEED: u64 = 1;
        /// Pairs that are few.
        const FEW: u32 = 100;
        /// Unlikely many.
        const PAIRS_MAX: u32 = 100_000;
        const STEPS: u64 = 1 << 53;
        let [lower, upper] = self.bounds();
        let mut rng = Rng::new(SEED);
        let (mut played, mut accepted) = (0, 0);
        for _ in 0..TESTS {
            let (mut counts, mut off) = ([0_u64; 5], 0.0);
            for number in 0..PAIRS_MAX {
                let mut left = rng.below(STEPS) as f64 / STEPS as f64;
                let kind = pairs.iter().position(|p| {
                    left -= p;
                    left < 0.0
                });
                counts[kind.unwrap_or(4)] += 1;
                played += 1;
                let mut llr = normal_log_likelihood_ratio(counts, self.model, self.elo);
                if number < FEW {
                    if llr + off > upper - near || llr + off < lower + near {
                        off = self.llr(&MatchCounts::Pairs(counts)) - llr;
                    }
                    llr += off;
                }
                if llr >= upper || llr <= lower {
                    accepted += u32::from(llr >= upper);
                    break;
                }
            }
        }
        // What has not occurred is rare and not impossible.
        let accepts_elo1 = (f64::from(accepted) + 0.5) / (f64::from(TESTS) + 1.0);
        Course { games: 2.0 * f64::from(played) / f64::from(TESTS), accepts_elo1 }
    }

    /// The course of a Brownian motion.
    fn motion(&self, pairs: [f64; 5]) -> Course {
        const OVERSHOOT: f64 = 0.5826;
        /// Exponents beyond it change nothing.
        const FAR: f64 = 300.0;
        let (drift, variance) = increment(pairs, self.model, self.elo);
        let [lower, upper] = self.bounds();
        let beyond = OVERSHOOT * variance.sqrt();
        let [lower, upper] = [lower - beyond, upper + beyond];
        let slope = 2.0 * drift / variance;
        if slope.abs() * (upper - lower) < 1e-6 {
            return Course {
                games: (-2.0 * lower * upper / variance).max(2.0),
                accepts_elo1: -lower / (upper - lower),
            };
        }
        let [below, above] = [lower, upper].map(|bound| (-slope * bound).clamp(-FAR, FAR).exp_m1());
        let accepts_elo1 = below / (below - above);
        let end = accepts_elo1 * upper + (1.0 - accepts_elo1) * lower;
        Course { games: (2.0 * end / drift).max(2.0), accepts_elo1 }
    }

    /// The expected number of games (Wald 1945, without overshoot), at least one pair. Assumes independent games
    /// without draws. Draws reduce it in the logistic model, and change it little in the normalized one, whose
    /// hypotheses are in units of the noise.
    #[must_use]
    pub fn expected_games(&self) -> ExpectedGames {
        const PAIR: f64 = 2.0;
        /// Between closer hypotheses the drift is lost in rounding.
        const CLOSE: f64 = 0.01;
        let [lower, upper] = self.bounds();
        let increment = |elo| pair_increment(decisive(self.model, elo), self.model, self.elo);
        let [elo0, elo1] = self.elo;
        let even = halved(60, elo0, elo1, |elo| increment(elo).0 < 0.0);
        let (_, variance) = increment(even);
        // Of close hypotheses it is half of the variance.
        let [drift0, drift1] = if elo1 - elo0 < CLOSE {
            [-variance / 2.0, variance / 2.0]
        } else {
            [elo0, elo1].map(|elo| increment(elo).0)
        };
        let games = |pairs: f64| (PAIR * pairs).max(PAIR);
        ExpectedGames {
            at_elo0: games(((1.0 - self.alpha) * lower + self.alpha * upper) / drift0),
            at_elo1: games(((1.0 - self.beta) * upper + self.beta * lower) / drift1),
            between: games(-lower * upper / variance),
        }
    }
}

/// The chances of a game without draws at a hypothesis.
fn decisive(model: SprtModel, elo: f64) -> Chance {
    match model {
        SprtModel::Logistic => Chance::new(elo / ELO_PER_NAT),
        SprtModel::Normalized => {
            // The mean above one half is `ratio` deviations of a game, √(win * loss).
            let ratio = elo / (2.0 * ELO_PER_NAT);
            let excess = ratio / ratio.hypot(1.0);
            Chance { win: f64::midpoint(1.0, excess), loss: f64::midpoint(1.0, -excess) }
        }
    }
}
