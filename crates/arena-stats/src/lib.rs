//! Statistics: pure functions from game results to ratings, tests and standings.
//!
//! # Examples
//!
//! ```
//! use arena_rules::result::GameResult::{Draw, FirstWins, SecondWins};
//! use arena_stats::{CountsBuilder, MatchCounts, RatingOptions, Sprt, SprtModel, SprtVerdict, rate};
//!
//! // Forty pairs of games between bots 0 and 1, with seats swapped. A pair is one cluster.
//! let mut builder = CountsBuilder::new(2);
//! for pair in 0..40 {
//!     builder.add(0, 1, FirstWins, Some(pair));
//!     builder.add(1, 0, if pair % 4 == 0 { SecondWins } else { Draw }, Some(pair));
//! }
//! let counts = builder.finish();
//!
//! let ratings = rate(&counts, &RatingOptions::default());
//! let difference = ratings.difference(0, 1).expect("they played each other");
//! assert!(difference.lo > 0.0 && difference.lo < difference.elo && difference.elo < difference.hi);
//!
//! let test = Sprt::new(SprtModel::Logistic, [0.0, 50.0], 0.05, 0.05)?;
//! assert_eq!(test.verdict(&MatchCounts::Pairs(counts.pairing(0).pairs())), SprtVerdict::H1);
//! # Ok::<(), arena_stats::SprtError>(())
//! ```
//!
//! Nothing here knows names, files or time. Every number depends only on the set of results and not on their order, so
//! that standings are the same at any concurrency and after any interruption. Points are counted in halves and
//! tie-breaks in quarters, as integers, so that comparisons are exact.
//!
//! ```text
//! games ── counts_builder ──> counts ──> ratings ──> separation, comparisons, transitivity      a field: rate()
//!                               │          │ field, graph       what is comparable, and virtual games
//!                               │          │ likelihood, newton, chances, prior      the fit
//!                               │          └ sandwich, openings, dense, side      its errors
//!                               ├──> davidson      probabilities of draws
//!                               ├──> duel      two bots alone
//!                               ├──> match_counts ──> sprt, likelihood_ratio      a match
//!                               ├──> shares      several games together
//!                               └──> nash      intransitive fields
//! two sets of games ──> change      ratings then and now
//! events, by cluster ──> ratio      a mean over games
//! pairs of games ──> fixed_field    one player among others of known ratings
//! pairs, by machine ──> residuals      several machines
//! counts, ratings ──> observed      the noise of other games between such bots
//! ```
//!
//! Strengths are in nats internally, and in Elo (400 points are odds of ten to one) in the public interface.

mod agreement;
mod analysis;
mod chances;
mod change;
mod comparisons;
mod contrast;
mod counts;
mod counts_builder;
mod davidson;
mod dense;
mod duel;
mod duplicates;
mod elo;
mod field;
mod fixed_field;
mod graph;
mod head_to_head;
mod likelihood;
mod likelihood_ratio;
mod match_counts;
mod nash;
mod newton;
mod normal;
mod observed;
mod openings;
mod prior;
mod ratings;
mod ratio;
mod residuals;
mod sandwich;
mod separation;
mod shares;
mod side;
mod sprt;
mod standings;
mod transitivity;

pub use agreement::{Agreement, Choice, Choices, POSITIONS_MIN, usual_agreement};
pub use analysis::{Analysis, AnalysisOptions};
pub use change::{ComparedGame, rating_changes};
pub use comparisons::{FAMILY_ALPHA, Holm};
pub use counts::{BySeat, Counts, Pairing};
pub use counts_builder::{CountsBuilder, Sample};
pub use davidson::{Davidson, DavidsonStrength, davidson};
pub use dense::{DenseMatrix, dot};
pub use duel::Duel;
pub use duplicates::Duplicates;
pub use elo::{ELO_PER_NAT, Estimate};
pub use fixed_field::{FixedPair, Strength, next_opponent, strength};
pub use head_to_head::{HeadToHead, head_to_head};
pub use likelihood_ratio::{SPRT_ELO_MAX, SprtModel};
pub use match_counts::MatchCounts;
pub use nash::{NASH_BOTS_MAX, NashError, NashShare, nash_average};
pub use normal::{Z95, normal_cdf};
pub use observed::Observed;
pub use openings::OPENINGS_MIN;
pub use ratings::{Anchor, Rating, RatingOptions, Ratings, rate};
pub use ratio::{events_per_game, ratio_margin};
pub use residuals::{MachinePair, Residual, residuals};
pub use separation::Neighbours;
pub use shares::{MeanShares, Share, Shares};
pub use side::SideAdvantage;
pub use sprt::{Course, ExpectedGames, Sprt, SprtError, SprtVerdict};
pub use standings::{RankBy, Standing, standings};
pub use transitivity::{LackOfFit, Transitivity, transitivity};

use arena_rules::result::GameResult;
use arena_rules::rules::Seat;

/// Maximum number of bots that are rated together.
///
/// Exact errors of all differences take up to three matrices of all bots by all bots (24 n² bytes: 600 MB here), and the
/// time to decompose them (n³: about two minutes here, and eight times as long for twice as many bots). [`rate`] does not
/// check it: callers reject a larger field before anything of that size is allocated.
pub const PLAYERS_MAX: usize = 5_000;

/// Wins, draws and losses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

/// `+77 =14 -85`: each count with the sign of its result.
impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "+{} ={} -{}", self.wins, self.draws, self.losses)
    }
}

impl Tally {
    /// Counts a game from the side of `seat`; ignores void games.
    pub fn count(&mut self, result: GameResult, seat: Seat) {
        match result.winner() {
            Some(winner) if winner == seat => self.wins += 1,
            Some(_) => self.losses += 1,
            None if result == GameResult::Void => {}
            None => self.draws += 1,
        }
    }

    /// The number of games.
    #[must_use]
    pub const fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Twice the points: 2 for a win, 1 for a draw.
    #[must_use]
    pub const fn half_points(self) -> u64 {
        2 * self.wins + self.draws
    }

    /// The same games from the opponents' side.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// The same games, `count` times.
    #[must_use]
    pub const fn times(self, count: u64) -> Self {
        Self { wins: self.wins * count, draws: self.draws * count, losses: self.losses * count }
    }

    /// Points per game, 0 to 1; `None` without games.
    #[must_use]
    pub fn score(self) -> Option<f64> {
        (self.games() > 0).then(|| self.half_points() as f64 / (2 * self.games()) as f64)
    }
}

impl std::ops::Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { wins: self.wins + other.wins, draws: self.draws + other.draws, losses: self.losses + other.losses }
    }
}

#[cfg(test)]
mod testing {
    use proptest::prelude::*;

    use super::*;

    /// The bots of a game by seat, its result and its cluster.
    pub(super) type TestGame = (usize, usize, GameResult, Option<u32>);

    /// Aggregates games.
    pub(super) fn counted(bots: usize, games: impl IntoIterator<Item = TestGame>) -> Counts {
        let mut builder = CountsBuilder::new(bots);
        games.into_iter().for_each(|(first, second, result, cluster)| builder.add(first, second, result, cluster));
        builder.finish()
    }

    /// Generates games of 0 to 5 bots with any results, including void and invalid ones.
    pub(super) fn tables() -> impl Strategy<Value = (usize, Vec<TestGame>)> {
        let result = prop::sample::select(vec![
            GameResult::FirstWins,
            GameResult::SecondWins,
            GameResult::Draw,
            GameResult::Void,
        ]);
        let game = (0_usize..6, 0_usize..6, result, prop::option::of(1_u32..6));
        (0_usize..6, prop::collection::vec(game, 0..40))
    }
}
