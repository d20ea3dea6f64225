//! The rows of the standings as people see them, in a terminal and on a page.

use super::{Ranking, cells};
use crate::stats::{Estimate, RankBy, Tally};
use crate::text::signed;

/// A bot's standing, as text.
#[derive(Debug)]
pub(super) struct ShownRow {
    /// The bot.
    pub(super) bot: usize,
    /// Its rank, or a range of ranks: `2–4`.
    pub(super) rank: String,
    /// Its name.
    pub(super) name: String,
    /// What its format shows beside the ranks, if anything.
    pub(super) of_format: Option<String>,
    /// Its rating, with a sign.
    pub(super) elo: String,
    /// The 95 % margin of the rating; empty if there is none.
    pub(super) margin: String,
    /// Games that count.
    pub(super) games: String,
    /// Wins, draws and losses.
    pub(super) results: String,
    /// Points.
    pub(super) points: String,
    /// Points per game.
    pub(super) score: String,
    /// The probability of being stronger than the next bot; empty for the last one.
    pub(super) los: String,
    /// The score from the first seat.
    pub(super) first: String,
    /// The score from the second seat.
    pub(super) second: String,
    /// Games lost by a fault.
    pub(super) faults: String,
    /// Its group, if there are several.
    pub(super) group: Option<String>,
    /// Its rating by Davidson's model, if requested.
    pub(super) davidson: Option<String>,
    /// Its share of the Nash average, if requested.
    pub(super) nash: Option<String>,
}

/// The standings, best first. Ranks are ranges if the ratings allow several, unless points determine the ranks and
/// contradict the ratings.
pub(super) fn shown_rows(ranking: &Ranking) -> impl Iterator<Item = ShownRow> {
    let analysis = &ranking.analysis;
    let nash = ranking.nash();
    let grouped = analysis.ratings.groups() > 1;
    let davidson = analysis.davidson.as_ref();
    let ranges = analysis.ratings.rank_ranges();
    let by_elo = analysis.rank_by == RankBy::Elo;
    let by_format = analysis.rank_by == RankBy::Format;
    analysis.standings.iter().enumerate().map(move |(place, row)| {
        let total = row.games.total();
        let rating = analysis.ratings.of(row.bot);
        let (elo, margin) =
            rating.map_or_else(|| ("-".to_owned(), String::new()), |rating| elo_and_margin(&rating.elo));
        let tied = analysis.standings.iter().filter(|other| other.rank == row.rank).count();
        let [best, worst] = if by_format {
            // In an unfinished knockout the ranks that are still possible; else bots may share one.
            let possible = ranking.sheet.as_ref().and_then(|sheet| sheet.ranks.get(row.bot));
            possible.copied().filter(|[best, worst]| best < worst).unwrap_or([row.rank, row.rank + tied - 1])
        } else {
            let range = ranges.get(row.bot).and_then(Option::as_ref);
            let range = range.filter(|range| by_elo || !grouped && range.contains(&row.rank));
            range.map_or([row.rank; 2], |range| [*range.start(), *range.end()])
        };
        let rank = if best < worst { format!("{best}–{worst}") } else { best.to_string() };
        ShownRow {
            bot: row.bot,
            rank,
            name: ranking.name(row.bot),
            of_format: ranking.shown_column().map(|(_, cells)| cells.get(row.bot).cloned().unwrap_or_default()),
            elo,
            margin,
            games: total.games().to_string(),
            results: wins_draws_losses(total),
            points: cells::halves(total.half_points()),
            score: cells::percent(total.score()),
            los: analysis.los_against_next(place).map_or_else(String::new, |los| cells::percent(Some(los))),
            first: cells::percent(row.games.as_first.score()),
            second: cells::percent(row.games.as_second.score()),
            faults: row.forfeits.to_string(),
            group: grouped.then(|| rating.map_or_else(String::new, |rating| (rating.group + 1).to_string())),
            davidson: davidson.map(|fit| fit.of(row.bot).map_or_else(String::new, |of| signed(of.scaled_elo))),
            nash: nash.map(|shares| cells::percent(shares.get(row.bot).map(|share| share.weight))),
        }
    })
}

/// A rating and its 95 % margin. If it is unbounded on one side, only the other bound is shown: `>120`.
pub(super) fn elo_and_margin(elo: &Estimate) -> (String, String) {
    match (elo.lo.is_finite(), elo.hi.is_finite()) {
        (true, true) => (signed(elo.elo), format!("{:.1}", elo.half_width())),
        (true, false) => (format!(">{}", signed(elo.lo)), String::new()),
        (false, true) => (format!("<{}", signed(elo.hi)), String::new()),
        (false, false) => ("?".to_owned(), String::new()),
    }
}

/// `3-1-2`.
pub(super) fn wins_draws_losses(tally: Tally) -> String {
    format!("{}-{}-{}", tally.wins, tally.draws, tally.losses)
}
