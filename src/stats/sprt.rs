//! The sequential probability ratio test of a match: play until one hypothesis is clearly the better.
//!
//! Wald, "Sequential tests of statistical hypotheses", 1945, with the generalised likelihood ratio. The test is to be
//! asked after each completed pair, on the longest finished prefix of the schedule: in order of finishing, short
//! games would come first and thread timing would decide.

use thiserror::Error;

use super::elo::ELO_PER_NAT;
use super::likelihood_ratio::{SPRT_ELO_MAX, SprtModel, log_likelihood_ratio};
use super::match_counts::MatchCounts;

/// What the games so far allow to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SprtVerdict {
    /// `elo0` is accepted: the bot is not that much stronger.
    H0,
    /// `elo1` is accepted.
    H1,
    /// Neither yet; if no more games are to come, the match is inconclusive.
    Undecided,
}

impl SprtVerdict {
    /// The word for it when no more games are to come.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::H0 => "H0",
            Self::H1 => "H1",
            Self::Undecided => "inconclusive",
        }
    }
}

/// Why a test cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum SprtError {
    /// A hypothesis is out of range, or no number.
    #[error("{0} is not between -{SPRT_ELO_MAX} and {SPRT_ELO_MAX} Elo")]
    Elo(f64),
    /// The hypotheses are the wrong way round, or the same.
    #[error("elo0 ({0}) must be less than elo1 ({1})")]
    Order(f64, f64),
    /// The rates of errors are impossible.
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

/// How many games a test takes on average, by the true strength.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedGames {
    /// If `elo0` is true.
    pub at_elo0: f64,
    /// If `elo1` is true.
    pub at_elo1: f64,
    /// If the truth lies halfway, where it is hardest to tell.
    pub between: f64,
}

impl Sprt {
    /// A test that accepts `elo1` with probability `alpha` where `elo0` is true, and `elo0` with probability `beta`
    /// where `elo1` is true.
    ///
    /// # Errors
    ///
    /// Returns [`SprtError`] if an argument makes no sense.
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

    /// The likelihood ratios, as logarithms, at which `elo0` and `elo1` are accepted.
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// The logarithm of the likelihood ratio of `elo1` over `elo0`; 0 without games.
    #[must_use]
    pub fn llr(&self, counts: &MatchCounts) -> f64 {
        log_likelihood_ratio(counts.as_slice(), self.model, self.elo)
    }

    /// What these games allow to say.
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

    /// The expected number of games (Wald 1945, without overshoot), at least those of a pair. For the logistic model it
    /// is that of games without draws, and fewer are needed the more are drawn.
    #[must_use]
    pub fn expected_games(&self) -> ExpectedGames {
        const PAIR: f64 = 2.0;
        let [lower, upper] = self.bounds();
        // The ratio drifts by half the squared distance of the hypotheses, in units of noise, per game, and its
        // variance is twice that.
        let drift = ((self.elo[1] - self.elo[0]) / (2.0 * ELO_PER_NAT)).powi(2) / 2.0;
        ExpectedGames {
            at_elo0: (-((1.0 - self.alpha) * lower + self.alpha * upper) / drift).max(PAIR),
            at_elo1: (((1.0 - self.beta) * upper + self.beta * lower) / drift).max(PAIR),
            between: (-lower * upper / (2.0 * drift)).max(PAIR),
        }
    }
}
