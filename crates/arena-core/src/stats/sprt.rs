//! The sequential probability ratio test of a match: play until one hypothesis is clearly more likely.
//!
//! Wald, "Sequential tests of statistical hypotheses", 1945, with the generalised likelihood ratio. Evaluate the test
//! after each completed pair, on the longest finished prefix of the schedule. In order of completion, short games would
//! come first, and the result would depend on timing.

use thiserror::Error;

use super::chances::Chance;
use super::elo::ELO_PER_NAT;
use super::likelihood_ratio::{SPRT_ELO_MAX, SprtModel, halved, log_likelihood_ratio, pair_increment};
use super::match_counts::MatchCounts;

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
