//! Everything that the games between some bots say, in one place.

use super::{
    Counts, NashShare, RankBy, RatingOptions, Ratings, Standing, Transitivity, nash_average, rate, standings,
    transitivity,
};

/// What is wanted of an analysis.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnalysisOptions {
    /// How to rate.
    pub rating: RatingOptions,
    /// What decides the ranks; by default points if everybody met everybody equally often, else ratings.
    pub rank_by: Option<RankBy>,
    /// Whether the Nash average is wanted, and the seed of its resampling.
    pub nash_seed: Option<u64>,
}

/// Everything that the games between some bots say.
#[derive(Debug)]
pub struct Analysis {
    /// The games.
    pub counts: Counts,
    /// Strengths and their errors.
    pub ratings: Ratings,
    /// What decides the ranks.
    pub rank_by: RankBy,
    /// Ranks and points, best first.
    pub standings: Vec<Standing>,
    /// Whether one number per bot describes them.
    pub transitivity: Transitivity,
    /// The Nash average by bot, if it was wanted and every two bots met.
    pub nash: Option<Vec<NashShare>>,
}

impl Analysis {
    /// Analyses the games. `forfeits` are the games that each bot lost by a fault.
    #[must_use]
    pub fn new(counts: Counts, forfeits: &[u64], options: &AnalysisOptions) -> Self {
        let ratings = rate(&counts, &options.rating);
        let fair = if counts.is_equal_schedule() { RankBy::Points } else { RankBy::Elo };
        let rank_by = options.rank_by.unwrap_or(fair);
        let standings = standings(&counts, forfeits, &ratings, rank_by);
        let transitivity = transitivity(&counts, &ratings);
        let nash = options.nash_seed.and_then(|seed| nash_average(&counts, seed));
        Self { counts, ratings, rank_by, standings, transitivity, nash }
    }

    /// The probability that the bot at `place` in the standings is stronger than the next; `None` if there is no next
    /// one that it can be compared with.
    #[must_use]
    pub fn los_against_next(&self, place: usize) -> Option<f64> {
        let (here, next) = (self.standings.get(place)?, self.standings.get(place + 1)?);
        self.ratings.los(here.bot, next.bot)
    }
}
