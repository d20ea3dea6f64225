//! What all standings show of a bot, as numbers: tables, pages, plots and files differ only in how they write them.

use arena_core::stats::{Estimate, RankBy, Rating, Standing, Tally};

use super::Ranking;

/// A bot in the order of the standings.
#[derive(Debug, Clone)]
pub struct RankedBot<'a> {
    /// The bot.
    pub bot: usize,
    /// Its name, for people.
    pub name: String,
    /// Its rank, results and tie-breaks.
    pub standing: &'a Standing,
    /// All its games.
    pub total: Tally,
    /// Its rating; `None` without rated games.
    pub rating: Option<&'a Rating>,
    /// The probability of being stronger than the next bot; `None` for the last one.
    pub los: Option<f64>,
    /// What its format shows beside the ranks, if anything.
    pub of_format: Option<&'a str>,
    /// Its rating by Davidson's model, if requested.
    pub davidson_elo: Option<f64>,
    /// Its share of the Nash average, if requested.
    pub nash: Option<f64>,
    /// The p value of the hypothesis that none is better, if requested.
    pub p_best: Option<f64>,
    /// Whether it was withdrawn.
    pub is_withdrawn: bool,
    ranking: &'a Ranking,
}

impl RankedBot<'_> {
    /// Its rating with its interval.
    #[must_use]
    pub fn elo(&self) -> Option<Estimate> {
        self.rating.map(|rating| rating.elo)
    }

    /// The group of bots that games connect with it, from 1.
    #[must_use]
    pub fn group(&self) -> Option<usize> {
        self.rating.map(|rating| rating.group + 1)
    }

    /// The best and the worst rank that the results allow. They differ if the ratings allow several, unless points determine
    /// the ranks and contradict the ratings.
    #[must_use]
    pub fn ranks(&self) -> [usize; 2] {
        let Standing { bot, rank, .. } = *self.standing;
        let Ranking { analysis, sheet, .. } = self.ranking;
        // Bots may share a rank, as those do that have no games.
        let tied = analysis.standings.iter().filter(|other| other.rank == rank).count();
        let shared = [rank, rank + tied - 1];
        if analysis.rank_by == RankBy::Format {
            // In an unfinished knockout the ranks that are still possible.
            let possible = sheet.as_ref().and_then(|sheet| sheet.ranks.get(bot));
            return possible.copied().filter(|[best, worst]| best < worst).unwrap_or(shared);
        }
        let is_rated_alone = analysis.rank_by == RankBy::Elo;
        let is_connected = analysis.ratings.groups() < 2;
        let range = self.ranking.rank_ranges().get(bot).and_then(Option::as_ref);
        let range = range.filter(|range| is_rated_alone || is_connected && range.contains(&rank));
        range.map_or(shared, |range| [*range.start(), *range.end()])
    }

    /// Its rank, or a range of ranks: `2–4`.
    #[must_use]
    pub fn rank(&self) -> String {
        range_of_ranks(self.ranks())
    }
}

/// The best and the worst rank in words, or the one: `2–4`, `5`.
#[must_use]
pub fn range_of_ranks([best, worst]: [usize; 2]) -> String {
    if best < worst { format!("{best}–{worst}") } else { best.to_string() }
}

impl Ranking {
    /// The bots, best first.
    pub fn bots(&self) -> impl Iterator<Item = RankedBot<'_>> {
        let analysis = &self.analysis;
        let of_format = self.shown_column().map(|(_, cells)| cells);
        analysis.standings.iter().enumerate().map(move |(place, standing)| {
            let bot = standing.bot;
            RankedBot {
                bot,
                name: self.name(bot),
                standing,
                total: standing.games.total(),
                rating: analysis.ratings.of(bot),
                los: analysis.los_against_next(place),
                of_format: of_format.map(|cells| cells.get(bot).map_or("", String::as_str)),
                davidson_elo: analysis.davidson.as_ref().and_then(|fit| fit.of(bot)).map(|of| of.scaled_elo),
                nash: self.nash().and_then(|shares| shares.get(bot)).map(|share| share.weight),
                p_best: self.p_best()[bot],
                is_withdrawn: self.withdrawn.contains(&bot),
                ranking: self,
            }
        })
    }
}
