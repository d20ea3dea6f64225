//! Head-to-head results of two bots.

use super::{Analysis, BySeat, Duel};

/// The games between two bots, as seen from `a`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeadToHead {
    /// Index of the bot that ranks higher.
    pub a: usize,
    /// Index of the bot that ranks lower.
    pub b: usize,
    /// Their games, by the seat of `a`.
    pub games: BySeat,
    /// Complete pairs of rated games by twice the points of `a`: LL, LD, DD or WL, WD, WW. Excludes pairs in which both
    /// games repeat others.
    pub pairs: [u64; 5],
    /// The difference according to their rated games alone.
    pub duel: Option<Duel>,
    /// The probability that `a` is stronger, according to all games.
    pub los_overall: Option<f64>,
    /// The score per game that the ratings predict for `a`.
    pub expected: Option<f64>,
    /// How many standard deviations `a` scored above expectation; `None` if no or too few games are rated.
    pub residual_z: Option<f64>,
    /// The probability of a score so far from expectation, corrected for the number of pairings.
    pub misfit_p: Option<f64>,
}

impl HeadToHead {
    /// The same results from the other bot's side.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.pairs.reverse();
        Self {
            a: self.b,
            b: self.a,
            games: self.games.reversed(),
            pairs: self.pairs,
            duel: self.duel.map(|duel| duel.reversed()),
            los_overall: self.los_overall.map(|los| 1.0 - los),
            expected: self.expected.map(|expected| 1.0 - expected),
            residual_z: self.residual_z.map(|z| -z),
            misfit_p: self.misfit_p,
        }
    }
}

/// Every pairing that was played, in the order of the standings. Rows are computed lazily, as there may be far more
/// pairings than bots.
pub fn head_to_head(analysis: &Analysis) -> impl Iterator<Item = HeadToHead> + '_ {
    let mut place = vec![0; analysis.standings.len()];
    for (index, row) in analysis.standings.iter().enumerate() {
        place[row.bot] = index;
    }
    let places = |a: usize, b: usize| (place[a].min(place[b]), place[a].max(place[b]));
    let mut order: Vec<u32> = (0..analysis.counts.pairings().len() as u32).collect();
    order.sort_by_cached_key(|index| {
        let met = analysis.counts.pairing(*index as usize);
        places(met.a, met.b)
    });
    order.into_iter().map(move |index| {
        let met = analysis.counts.pairing(index as usize);
        let rated = analysis.rated().place(met.a, met.b);
        let evidence = rated.map(|place| analysis.rated().pairing(place));
        let row = HeadToHead {
            a: met.a,
            b: met.b,
            games: met.games(),
            pairs: evidence.map(|evidence| evidence.pairs()).unwrap_or_default(),
            duel: evidence.and_then(|evidence| evidence.duel()),
            los_overall: analysis.ratings.los(met.a, met.b),
            expected: analysis.ratings.expected(met.a, met.b),
            residual_z: rated.and_then(|place| analysis.transitivity.residual_z[place]),
            misfit_p: rated.map(|place| analysis.transitivity.p[place]),
        };
        if place[met.a] < place[met.b] { row } else { row.reversed() }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Tally;
    use super::super::testing::{counted, tables};
    use super::*;
    use crate::AnalysisOptions;
    use arena_rules::result::GameResult::{Draw, FirstWins, SecondWins};

    fn analysed(counts: super::super::Counts) -> Analysis {
        Analysis::new(counts, None, &[], &AnalysisOptions::default())
    }

    #[test]
    fn pairs_are_counted_from_the_higher_bots_side() {
        let games = [
            (0, 1, SecondWins, Some(1)),
            (1, 0, FirstWins, Some(1)),
            (0, 1, Draw, Some(2)),
            (1, 0, FirstWins, Some(2)),
            (0, 1, SecondWins, Some(3)),
        ];
        let analysis = analysed(counted(2, games));
        let rows: Vec<HeadToHead> = head_to_head(&analysis).collect();
        assert_eq!((rows.len(), rows[0].a, rows[0].b), (1, 1, 0));
        assert_eq!(rows[0].games.as_first, Tally { wins: 2, draws: 0, losses: 0 });
        assert_eq!(rows[0].games.as_second, Tally { wins: 2, draws: 1, losses: 0 });
        // The third pair is incomplete and is not counted.
        assert_eq!(rows[0].pairs, [0, 0, 0, 1, 1]);
        assert!(rows[0].duel.unwrap().elo.elo > 0.0 && rows[0].los_overall.unwrap() > 0.5);
    }

    proptest! {
        #[test]
        fn pairings_add_up_to_the_standings((bots, games) in tables()) {
            let analysis = analysed(counted(bots, games));
            let met: Vec<HeadToHead> = head_to_head(&analysis).collect();
            for row in &analysis.standings {
                let total = |pairing: &HeadToHead| {
                    let total = pairing.games.total();
                    match row.bot {
                        bot if bot == pairing.a => total.half_points(),
                        bot if bot == pairing.b => total.reversed().half_points(),
                        _ => 0,
                    }
                };
                prop_assert_eq!(met.iter().map(total).sum::<u64>(), row.games.total().half_points());
            }
            for pairing in &met {
                prop_assert!(2 * pairing.pairs.iter().sum::<u64>() <= pairing.games.total().games());
                prop_assert!(pairing.games.total().games() > 0);
            }
        }
    }
}
