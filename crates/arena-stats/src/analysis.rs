//! The complete analysis of a set of games.

use super::{
    Counts, Davidson, Holm, NashError, NashShare, RankBy, RatingOptions, Ratings, Standing, Transitivity, davidson,
    nash_average, rate, standings, transitivity,
};

/// Options of an analysis.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnalysisOptions {
    /// How to rate.
    pub rating: RatingOptions,
    /// What determines the ranks; by default points if the schedule is equal, otherwise ratings.
    pub rank_by: Option<RankBy>,
    /// The seed for resampling the Nash average, if one is wanted.
    pub nash_seed: Option<u64>,
    /// Whether to fit a model with draws by [`davidson`], in addition to the ratings, for which a draw is half a win.
    pub davidson: bool,
    /// Whether all pairs of bots are to be compared at one error rate for all of them together.
    pub family_wise: bool,
    /// Whether the covariances of the ratings and all probabilities of superiority are to be reported.
    pub covariance: bool,
}

/// The results of an analysis of games.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// All games, from which points are counted.
    pub counts: Counts,
    /// The rated games, if they are not all games.
    rated: Option<Counts>,
    /// Strengths and their errors.
    pub ratings: Ratings,
    /// What determines the ranks.
    pub rank_by: RankBy,
    /// Ranks and points, best first.
    pub standings: Vec<Standing>,
    /// How well one number per bot describes the results.
    pub transitivity: Transitivity,
    /// The Nash average by bot, if requested.
    pub nash: Option<Result<Vec<NashShare>, NashError>>,
    /// The p values of all pairs of bots, if they are compared together.
    pub holm: Option<Holm>,
    /// Whether the errors of all differences are to be reported.
    pub covariance: bool,
    /// The fit with draws, with the same zeros as the ratings, if requested and it exists.
    pub davidson: Option<Davidson>,
}

impl Analysis {
    /// Analyses the games. If `rated` is given, only these count for the ratings; the others count for points only.
    /// `forfeits` is the number of games that each bot lost by a fault.
    #[must_use]
    pub fn new(counts: Counts, rated: Option<Counts>, forfeits: &[u64], options: &AnalysisOptions) -> Self {
        let evidence = rated.as_ref().unwrap_or(&counts);
        let ratings = rate(evidence, &options.rating);
        let fair = if counts.is_equal_schedule() { RankBy::Points } else { RankBy::Elo };
        let rank_by = options.rank_by.unwrap_or(fair);
        let standings = standings(&counts, forfeits, &ratings, rank_by);
        let transitivity = transitivity(evidence, &ratings);
        let nash = options.nash_seed.map(|seed| nash_average(evidence, seed));
        let holm = options.family_wise.then(|| ratings.holm());
        let davidson = options.davidson.then(|| davidson(evidence, options.rating.fit_side)).flatten();
        let davidson = davidson.map(|fit| fit.aligned_with(&ratings));
        Self {
            counts,
            rated,
            ratings,
            rank_by,
            standings,
            transitivity,
            nash,
            holm,
            covariance: options.covariance,
            davidson,
        }
    }

    /// Ranks by the best and worst rank of each bot; equal ones share theirs and are in order of rating.
    pub fn rank_by_format(&mut self, ranks: &[[usize; 2]]) {
        let elo = |row: &Standing| self.ratings.of(row.bot).map_or(f64::NEG_INFINITY, |rating| rating.elo.elo);
        self.standings.sort_by(|x, y| ranks[x.bot].cmp(&ranks[y.bot]).then(elo(y).total_cmp(&elo(x))));
        let above: Vec<usize> =
            self.standings.iter().map(|row| ranks.iter().filter(|other| **other < ranks[row.bot]).count()).collect();
        self.standings.iter_mut().zip(above).for_each(|(row, above)| row.rank = above + 1);
        self.rank_by = RankBy::Format;
    }

    /// The rated games, on which everything except points is based.
    #[must_use]
    pub fn rated(&self) -> &Counts {
        self.rated.as_ref().unwrap_or(&self.counts)
    }

    /// The probability that the bot at `place` in the standings is stronger than the next bot of its group; `None` if
    /// it is the last one.
    #[must_use]
    pub fn los_against_next(&self, place: usize) -> Option<f64> {
        let (here, below) = self.standings.get(place..)?.split_first()?;
        below.iter().find_map(|next| self.ratings.los(here.bot, next.bot))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::head_to_head;
    use super::super::testing::{counted, tables};
    use super::*;
    use arena_rules::result::GameResult::{Draw, FirstWins};

    /// Everything in an analysis except points, exactly.
    fn said(analysis: &Analysis) -> String {
        let met = head_to_head(analysis).filter(|row| row.duel.is_some() || row.misfit_p.is_some());
        let met: Vec<_> =
            met.map(|row| (row.a, row.b, row.pairs, row.duel, row.los_overall, row.expected, row.misfit_p)).collect();
        let Analysis { ratings, transitivity, nash, holm, davidson, .. } = analysis;
        format!("{ratings:?} {holm:?} {transitivity:?} {nash:?} {davidson:?} {met:?} {:?}", analysis.rated())
    }

    #[test]
    fn davidsons_model_is_fitted_on_request() {
        let analysed = |davidson| {
            let games = [(0, 1, FirstWins, None), (1, 0, FirstWins, None), (0, 1, Draw, None), (0, 1, FirstWins, None)];
            let options = AnalysisOptions { davidson, ..AnalysisOptions::default() };
            Analysis::new(counted(2, games), None, &[], &options)
        };
        assert_eq!(analysed(false).davidson, None);
        assert!(analysed(true).davidson.is_some_and(|fit| fit.nu > 0.0));
    }

    proptest! {
        #[test]
        fn unrated_games_change_only_points(
            (bots, games) in tables(),
            unrated in prop::collection::vec((0_usize..6, 0_usize..6, any::<bool>(), prop::option::of(1_u32..6)), 0..20),
            fit_side in any::<bool>(),
        ) {
            let unrated: Vec<_> = unrated
                .into_iter()
                .map(|(first, second, won, cluster)| {
                    (first, second, if won { FirstWins } else { arena_rules::result::GameResult::SecondWins }, cluster)
                })
                .collect();
            let options = AnalysisOptions {
                rank_by: None,
                rating: RatingOptions { fit_side, ..RatingOptions::default() },
                nash_seed: Some(1),
                davidson: true,
                family_wise: true,
                covariance: false,
            };
            let rated = counted(bots, games.clone());
            let all = counted(bots, games.iter().chain(&unrated).copied());
            let without = Analysis::new(rated.clone(), None, &[], &options);
            let mut with = Analysis::new(all.clone(), Some(rated), &[], &options);

            let points = |analysis: &Analysis| {
                let mut points: Vec<_> =
                    analysis.standings.iter().map(|row| (row.bot, row.games)).collect();
                points.sort_unstable();
                points
            };
            prop_assert_eq!(points(&with), points(&Analysis::new(all, None, &[], &options)));
            // Pairings are seen from the higher bot in the standings, which depends on points.
            with.standings.clone_from(&without.standings);
            prop_assert_eq!(said(&with), said(&without));
        }
    }
}
