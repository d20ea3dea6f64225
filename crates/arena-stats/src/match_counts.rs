//! The outcomes of a match between two bots.

use super::duel::Duel;
use super::elo::{ELO_PER_NAT, Estimate};
use super::normal::Z95;

/// Numbers of outcomes of a match, from the worst for the first bot to the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchCounts {
    /// Swapped pairs by points: LL, LD, DD or WL, WD, WW.
    Pairs([u64; 5]),
    /// Single games: losses, draws, wins.
    Games([u64; 3]),
}

impl MatchCounts {
    /// The counts.
    #[must_use]
    pub const fn as_slice(&self) -> &[u64] {
        match self {
            Self::Pairs(counts) => counts,
            Self::Games(counts) => counts,
        }
    }

    /// The number of games in each outcome.
    const fn size(&self) -> u64 {
        match self {
            Self::Pairs(_) => 2,
            Self::Games(_) => 1,
        }
    }

    /// The number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.as_slice().iter().sum::<u64>() * self.size()
    }

    /// Points per game, 0 to 1; `None` without games.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        let last = self.as_slice().len() as u64 - 1;
        let total = self.as_slice().iter().sum::<u64>();
        let scored: u64 = (0..).zip(self.as_slice()).map(|(k, count)| k * count).sum();
        (total > 0).then(|| scored as f64 / (last * total) as f64)
    }

    /// The difference in Elo, if each outcome is a piece of evidence by itself; `None` without games.
    #[must_use]
    pub fn duel(&self) -> Option<Duel> {
        Duel::of((0..).zip(self.as_slice()).map(|(half_points, count)| (*count, half_points, self.size())))
    }

    /// Normalised Elo with its 95 % interval: the difference in units of the noise of a game, which determines how many
    /// games it takes to detect it. `None` if all outcomes are the same.
    ///
    /// `(μ - 1/2) / √(n σ²) · 800 / ln 10` for outcomes of n games, as in fishtest and fastchess.
    #[must_use]
    pub fn normalized_elo(&self) -> Option<Estimate> {
        let total = self.as_slice().iter().sum::<u64>() as f64;
        let last = (self.as_slice().len() - 1) as f64;
        let scored = || (0_u32..).zip(self.as_slice()).map(|(k, count)| (f64::from(k) / last, *count as f64 / total));
        let mean: f64 = scored().map(|(a, p)| a * p).sum();
        let variance: f64 = scored().map(|(a, p)| p * (a - mean) * (a - mean)).sum();
        let games = self.size() as f64;
        let elo = (mean - 0.5) / (games * variance).sqrt() * 2.0 * ELO_PER_NAT;
        let margin = Z95 * 2.0 * ELO_PER_NAT / (games * total).sqrt();
        let varied = self.as_slice().iter().filter(|count| **count > 0).count() > 1;
        varied.then_some(Estimate::new(elo, margin))
    }

    /// Pairs won over pairs lost, (WD + WW) / (LL + LD); infinite if none was lost. `None` for single games, and if
    /// every pair was tied.
    #[must_use]
    pub fn pair_ratio(&self) -> Option<f64> {
        match self {
            Self::Pairs([ll, ld, _, wd, ww]) if ll + ld + wd + ww > 0 => Some((wd + ww) as f64 / (ll + ld) as f64),
            _ => None,
        }
    }
}
