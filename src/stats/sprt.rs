//! The sequential probability ratio test of a match: play until one hypothesis is clearly more likely.
//!
//! Wald, "Sequential tests of statistical hypotheses", 1945, with the generalised likelihood ratio. Evaluate the test
//! after each completed pair, on the longest finished prefix of the schedule. In order of completion, short games would
//! come first, and the result would depend on timing.

use thiserror::Error;

use super::elo::ELO_PER_NAT;
use super::likelihood_ratio::{SPRT_ELO_MAX, SprtModel, log_likelihood_ratio};
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
    /// If the true strength lies halfway between, which takes longest.
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

    /// The expected number of games (Wald 1945, without overshoot), at least one pair. For the logistic model this
    /// assumes no draws; draws reduce it.
    #[must_use]
    pub fn expected_games(&self) -> ExpectedGames {
        const PAIR: f64 = 2.0;
        let [lower, upper] = self.bounds();
        // Per game, the log-likelihood ratio drifts by half the squared distance of the hypotheses in units of noise,
        // and its variance is twice that.
        let drift = ((self.elo[1] - self.elo[0]) / (2.0 * ELO_PER_NAT)).powi(2) / 2.0;
        ExpectedGames {
            at_elo0: (-((1.0 - self.alpha) * lower + self.alpha * upper) / drift).max(PAIR),
            at_elo1: (((1.0 - self.beta) * upper + self.beta * lower) / drift).max(PAIR),
            between: (-lower * upper / (2.0 * drift)).max(PAIR),
        }
    }
}
