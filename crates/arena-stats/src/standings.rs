//! Ranks, points and tie-breaks.

use std::cmp::Reverse;

use super::{BySeat, Counts, Ratings};

/// What determines the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RankBy {
    /// Points: what people expect, and fair if all pairings have equally many games and seats are balanced.
    Points,
    /// Ratings: also fair for uneven schedules. Groups that never met are ranked separately.
    Elo,
    /// The rule of the tournament's format, such as how far a bot got.
    Format,
}

/// A bot's line in the standings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// 1 for the best; bots that no tie-break separates share a rank (1, 1, 3).
    pub rank: usize,
    /// Index in the roster.
    pub bot: usize,
    /// Its games.
    pub games: BySeat,
    /// Twice the points against the bots it is tied with; `None` unless there are such bots and all of them played each
    /// other equally often.
    pub direct_halves: Option<u64>,
    /// Four times the Sonneborn–Berger score: the sum over opponents of points against them times all their points.
    pub sb_quarters: u64,
    /// Games lost by a fault of its own.
    pub forfeits: u64,
}

impl Standing {
    /// The tie-breaks in order of precedence; larger is better.
    fn tie_breaks(&self) -> (Option<u64>, u64, u64) {
        (self.direct_halves, self.sb_quarters, self.games.total().wins)
    }
}

/// Computes the standings of all bots, best first; bots of equal rank are in roster order. `forfeits` is the number of
/// games that each bot lost by a fault.
///
/// Ranks by points or ratings. Ties are broken by the points among the tied bots, then by Sonneborn–Berger score, then
/// by wins.
#[must_use]
pub fn standings(counts: &Counts, forfeits: &[u64], ratings: &Ratings, by: RankBy) -> Vec<Standing> {
    let row = |bot: usize| {
        let forfeits = forfeits.get(bot).copied().unwrap_or(0);
        Standing { rank: 1, bot, games: BySeat::default(), direct_halves: None, sb_quarters: 0, forfeits }
    };
    let mut rows: Vec<Standing> = (0..counts.bots()).map(row).collect();
    for met in counts.pairings() {
        rows[met.a].games = rows[met.a].games + met.games();
        rows[met.b].games = rows[met.b].games + met.games().reversed();
    }
    let halves: Vec<u64> = rows.iter().map(|row| row.games.total().half_points()).collect();
    for met in counts.pairings() {
        rows[met.a].sb_quarters += met.total().half_points() * halves[met.b];
        rows[met.b].sb_quarters += met.total().reversed().half_points() * halves[met.a];
    }

    // The primary criterion, smaller is better. Bots without games come last, in a group of their own.
    let first: Vec<(usize, Reverse<i64>)> = (0..counts.bots())
        .map(|bot| match by {
            RankBy::Points => (0, Reverse(halves[bot] as i64)),
            RankBy::Elo | RankBy::Format => ratings
                .of(bot)
                .map_or((usize::MAX, Reverse(0)), |rating| (rating.group, Reverse(micro_elo(rating.elo.elo)))),
        })
        .collect();
    // Both sorts are stable, so bots that are completely tied stay in roster order.
    rows.sort_by_key(|row| first[row.bot]);
    for tied in rows.chunk_by_mut(|a, b| first[a.bot] == first[b.bot]).filter(|tied| tied.len() > 1) {
        if let Some(halves) = direct_halves(tied, counts) {
            tied.iter_mut().zip(halves).for_each(|(row, halves)| row.direct_halves = Some(halves));
        }
    }
    rows.sort_by_key(|row| (first[row.bot], Reverse(row.tie_breaks())));
    let mut group_start = 0;
    for place in 1..rows.len() {
        let (before, here) = (rows[place - 1], rows[place]);
        let [above, own] = [before, here].map(|row| first[row.bot]);
        if own.0 != above.0 && own.0 != usize::MAX {
            group_start = place;
        }
        let tied = own == above && here.tie_breaks() == before.tie_breaks();
        rows[place].rank = if tied { before.rank } else { place - group_start + 1 };
    }
    rows
}

/// Rounds to a millionth of a point, so that equal ratings compare as equal despite rounding errors.
fn micro_elo(elo: f64) -> i64 {
    (elo * 1e6).round() as i64
}

/// Twice the points of tied bots among themselves; `None` unless they all played each other equally often.
fn direct_halves(tied: &[Standing], counts: &Counts) -> Option<Vec<u64>> {
    let mut games = None;
    let mut halves = vec![0; tied.len()];
    for (a, b) in (0..tied.len()).flat_map(|b| (0..b).map(move |a| (a, b))) {
        // Tied bots are in roster order.
        let met = counts.pairing(counts.place(tied[a].bot, tied[b].bot)?).total();
        if *games.get_or_insert(met.games()) != met.games() {
            return None;
        }
        halves[a] += met.half_points();
        halves[b] += met.reversed().half_points();
    }
    Some(halves)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{counted, tables};
    use super::super::{RatingOptions, rate};
    use super::*;
    use arena_rules::result::GameResult::{self, Draw, FirstWins, SecondWins, Void};

    type UnpairedGame = (usize, usize, GameResult);

    fn rows(bots: usize, games: &[UnpairedGame], by: RankBy) -> Vec<Standing> {
        let counts = counted(bots, games.iter().map(|&(first, second, result)| (first, second, result, None)));
        standings(&counts, &vec![0; bots], &rate(&counts, &RatingOptions::default()), by)
    }

    /// `rank:bot` of each line, best first.
    #[track_caller]
    fn check(bots: usize, games: &[UnpairedGame], by: RankBy, expected: &str) -> Vec<Standing> {
        let rows = rows(bots, games, by);
        let shown: Vec<String> = rows.iter().map(|row| format!("{}:{}", row.rank, row.bot)).collect();
        assert_eq!(shown.join(" "), expected);
        rows
    }

    #[test]
    fn without_games_all_bots_share_the_first_rank_in_roster_order() {
        for by in [RankBy::Points, RankBy::Elo] {
            let rows = check(3, &[], by, "1:0 1:1 1:2");
            assert!(rows.iter().all(|row| row.games.total().score().is_none() && row.direct_halves.is_none()));
            check(0, &[], by, "");
            check(1, &[], by, "1:0");
        }
    }

    #[test]
    fn points_come_first() {
        check(3, &[(0, 1, SecondWins), (1, 2, FirstWins), (2, 0, FirstWins)], RankBy::Points, "1:1 2:2 3:0");
    }

    #[test]
    fn with_uneven_pairings_ratings_account_for_the_opponents() {
        // 2 has most points, all from 3, who loses to everyone; 0 scored half against 1 and beat 2 once.
        let games = [
            (0, 2, FirstWins),
            (2, 0, Draw),
            (0, 1, Draw),
            (2, 3, FirstWins),
            (3, 2, SecondWins),
            (2, 3, FirstWins),
            (3, 2, SecondWins),
            (3, 0, SecondWins),
            (3, 1, FirstWins),
        ];
        check(4, &games, RankBy::Points, "1:2 2:0 3:3 4:1");
        check(4, &games, RankBy::Elo, "1:0 2:2 3:3 4:1");
    }

    #[test]
    fn groups_that_never_met_are_ranked_apart() {
        let games = [(0, 1, SecondWins), (2, 3, FirstWins)];
        check(5, &games, RankBy::Elo, "1:1 2:0 1:2 2:3 3:4");
    }

    #[test]
    fn a_tie_is_broken_by_the_games_among_the_tied() {
        // 0 and 1 have one point each and 1 beat 0; 2 and 3 have half a point each and drew.
        let games = [(0, 1, SecondWins), (0, 2, FirstWins), (2, 3, Draw)];
        let rows = check(4, &games, RankBy::Points, "1:1 2:0 3:2 3:3");
        assert_eq!(rows.iter().map(|row| row.direct_halves).collect::<Vec<_>>(), [Some(2), Some(0), Some(1), Some(1)]);
    }

    #[test]
    fn direct_encounters_do_not_apply_if_some_of_the_tied_never_met() {
        // 0, 1 and 3 have one point each, but 0 and 3 never met.
        let rows =
            check(4, &[(0, 1, SecondWins), (0, 2, FirstWins), (1, 3, SecondWins)], RankBy::Points, "1:1 1:3 3:0 4:2");
        assert!(rows.iter().all(|row| row.direct_halves.is_none()));
    }

    #[test]
    fn direct_encounters_count_only_games_among_the_tied() {
        // 0 and 1 have two points each. 0 beat 1, whose points are from 2 and 3.
        let games = [
            (0, 1, FirstWins),
            (0, 2, SecondWins),
            (0, 3, FirstWins),
            (1, 2, FirstWins),
            (1, 3, FirstWins),
            (2, 3, SecondWins),
        ];
        let rows = check(4, &games, RankBy::Points, "1:0 2:1 3:3 4:2");
        assert_eq!(rows.iter().map(|row| row.direct_halves).collect::<Vec<_>>(), [Some(2), Some(0), Some(2), Some(0)]);
        assert_eq!(rows.iter().map(|row| row.sb_quarters).collect::<Vec<_>>(), [12, 8, 4, 8]);
    }

    #[test]
    fn a_draw_against_a_stronger_bot_counts_more_in_sonneborn_berger() {
        // 1 and 2 have half a point each from draws against 0 (strong) and 3 (weak); they never met.
        let games = [(0, 1, Draw), (2, 3, Draw), (0, 3, FirstWins)];
        let rows = check(4, &games, RankBy::Points, "1:0 2:1 3:2 3:3");
        assert_eq!(rows[1].sb_quarters, 3);
    }

    #[test]
    fn more_wins_break_the_last_tie() {
        // 0 drew twice with 2; 1 won and lost against 3. Points and Sonneborn–Berger are equal, wins are not.
        let games = [(0, 2, Draw), (2, 0, Draw), (1, 3, FirstWins), (3, 1, FirstWins)];
        check(4, &games, RankBy::Points, "1:1 1:3 3:0 3:2");
    }

    #[test]
    fn void_games_and_unknown_bots_are_ignored() {
        let games = [(0, 1, Void), (0, 0, FirstWins), (0, 9, FirstWins)];
        assert!(rows(2, &games, RankBy::Points).iter().all(|row| row.games.total().games() == 0 && row.rank == 1));
    }

    proptest! {
        #[test]
        fn points_sum_to_games_and_scores_are_probabilities((bots, games) in tables()) {
            let counts = counted(bots, games.iter().copied());
            for by in [RankBy::Points, RankBy::Elo] {
                let rows = standings(&counts, &[], &rate(&counts, &RatingOptions::default()), by);
                let halves: u64 = rows.iter().map(|row| row.games.total().half_points()).sum();
                let seats: u64 = rows.iter().map(|row| row.games.total().games()).sum();
                prop_assert_eq!(halves, seats);
                prop_assert_eq!(rows.len(), bots);
                prop_assert!(rows.iter().all(|row| row.games.total().score().is_none_or(|score| (0.0..=1.0).contains(&score))));
            }
        }

        #[test]
        fn relabelling_the_bots_relabels_the_standings((bots, games) in tables()) {
            let ranks = |relabel: &dyn Fn(usize) -> usize| {
                let games = games.iter().map(|&(first, second, result, cluster)| {
                    let relabel = |bot: usize| if bot < bots { relabel(bot) } else { bot };
                    (relabel(first), relabel(second), result, cluster)
                });
                let counts = counted(bots, games);
                let mut rows = standings(&counts, &[], &rate(&counts, &RatingOptions::default()), RankBy::Points);
                for row in &mut rows {
                    row.bot = relabel(row.bot);
                }
                rows.sort_by_key(|row| row.bot);
                rows
            };
            prop_assert_eq!(ranks(&|bot| bot), ranks(&|bot| bots - 1 - bot));
        }
    }
}
