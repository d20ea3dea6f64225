//! Everything that the games between some bots say, in one place.

use super::{
    Counts, Davidson, NashShare, RankBy, RatingOptions, Ratings, Standing, Transitivity, davidson, nash_average, rate,
    standings, transitivity,
};

/// How draws are understood.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DrawModel {
    /// As half a win; how likely they are is not asked.
    #[default]
    Logistic,
    /// By [`davidson`] as well, beside the ratings.
    Davidson,
}

/// What is wanted of an analysis.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnalysisOptions {
    /// How to rate.
    pub rating: RatingOptions,
    /// What decides the ranks; by default points if everybody met everybody equally often, else ratings.
    pub rank_by: Option<RankBy>,
    /// Whether the Nash average is wanted, and the seed of its resampling.
    pub nash_seed: Option<u64>,
    /// Whether a fit with draws is wanted beside the ratings.
    pub draw_model: DrawModel,
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
    /// The fit with draws, with the zeros of the ratings, if it was wanted and there is one.
    pub davidson: Option<Davidson>,
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
        let wanted = options.draw_model == DrawModel::Davidson;
        let davidson = wanted.then(|| davidson(&counts, options.rating.fit_side)).flatten();
        let davidson = davidson.map(|fit| fit.on_zero_of(&ratings));
        Self { counts, ratings, rank_by, standings, transitivity, nash, davidson }
    }

    /// The probability that the bot at `place` in the standings is stronger than the next; `None` if there is no next
    /// one that it can be compared with.
    #[must_use]
    pub fn los_against_next(&self, place: usize) -> Option<f64> {
        let (here, next) = (self.standings.get(place)?, self.standings.get(place + 1)?);
        self.ratings.los(here.bot, next.bot)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::counted;
    use super::*;
    use crate::record::GameResult::{Draw, FirstWins};

    #[test]
    fn a_fit_with_draws_is_made_when_it_is_asked_for() {
        let analysed = |draw_model| {
            let games = [(0, 1, FirstWins, None), (1, 0, FirstWins, None), (0, 1, Draw, None), (0, 1, FirstWins, None)];
            let options = AnalysisOptions { draw_model, ..AnalysisOptions::default() };
            Analysis::new(counted(2, games), &[], &options)
        };
        assert_eq!(analysed(DrawModel::Logistic).davidson, None);
        assert!(analysed(DrawModel::Davidson).davidson.is_some_and(|fit| fit.nu > 0.0));
    }
}
