//! Ranks, points and tie-breaks.

use std::cmp::Reverse;

use super::{GameScore, Tally, counted};
use crate::rules::Seat;

/// A bot's line in the standings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// 1 for the best; bots that no tie-break separates share a rank (1, 1, 3).
    pub rank: usize,
    /// Index in the roster.
    pub bot: usize,
    /// The games in which it moved first.
    pub as_first: Tally,
    /// The games in which it moved second.
    pub as_second: Tally,
    /// Twice the points against the bots with equally many points; `None` unless there are such bots and all of
    /// them played each other, equally often.
    pub direct_halves: Option<u64>,
    /// Four times the Sonneborn–Berger score: the sum over opponents of points against them times all their points.
    pub sb_quarters: u64,
    /// Games lost by a fault of its own.
    pub forfeits: u64,
}

impl Standing {
    const fn new(bot: usize) -> Self {
        let none = Tally { wins: 0, draws: 0, losses: 0 };
        Self { rank: 1, bot, as_first: none, as_second: none, direct_halves: None, sb_quarters: 0, forfeits: 0 }
    }

    /// All of its games.
    #[must_use]
    pub fn total(&self) -> Tally {
        self.as_first + self.as_second
    }

    /// What decides the rank, best last.
    fn key(&self) -> (u64, Option<u64>, u64, u64) {
        (self.total().half_points(), self.direct_halves, self.sb_quarters, self.total().wins)
    }
}

/// The standings of `bots` bots after `games`, best first; bots of equal rank in roster order.
///
/// Ranked by points. Ties are broken by the points among the tied, then Sonneborn–Berger, then wins.
#[must_use]
pub fn standings(bots: usize, games: &[GameScore]) -> Vec<Standing> {
    let mut rows: Vec<Standing> = (0..bots).map(Standing::new).collect();
    let mut met = vec![vec![Tally::default(); bots]; bots];
    for game in counted(bots, games) {
        rows[game.first].as_first.count(game.result, Seat::First);
        rows[game.second].as_second.count(game.result, Seat::Second);
        met[game.first][game.second].count(game.result, Seat::First);
        met[game.second][game.first].count(game.result, Seat::Second);
        if let Some(winner) = game.result.winner() {
            let loser = winner.other().index();
            rows[game.bots()[loser]].forfeits += u64::from(game.statuses[loser].is_fault());
        }
    }

    let halves: Vec<u64> = rows.iter().map(|row| row.total().half_points()).collect();
    for row in &mut rows {
        row.sb_quarters = met[row.bot].iter().zip(&halves).map(|(tally, points)| tally.half_points() * points).sum();
    }

    // Both sorts are stable, which keeps bots that nothing separates in roster order.
    rows.sort_by_key(|row| Reverse(halves[row.bot]));
    for tied in rows.chunk_by_mut(|a, b| halves[a.bot] == halves[b.bot]) {
        direct_encounters(tied, &met);
    }
    rows.sort_by_key(|row| Reverse(row.key()));
    for place in 0..rows.len() {
        let tied = place > 0 && rows[place].key() == rows[place - 1].key();
        rows[place].rank = if tied { rows[place - 1].rank } else { place + 1 };
    }
    rows
}

/// Fills in the points of `tied` among themselves, if comparing them is fair.
fn direct_encounters(tied: &mut [Standing], met: &[Vec<Tally>]) {
    let bots: Vec<usize> = tied.iter().map(|row| row.bot).collect();
    let mut meetings =
        bots.iter().enumerate().flat_map(|(place, &a)| bots[place + 1..].iter().map(move |&b| met[a][b].games()));
    let fair = meetings.next().is_some_and(|games| games > 0 && meetings.all(|other| other == games));
    if fair {
        for row in tied {
            row.direct_halves = Some(bots.iter().map(|&other| met[row.bot][other].half_points()).sum());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{game, tables};
    use super::*;
    use crate::record::GameResult::{self, Draw, FirstWins, SecondWins, Void};
    use crate::record::Status;

    /// `rank:bot` of each line, best first.
    #[track_caller]
    fn check(bots: usize, games: &[(usize, usize, GameResult)], expected: &str) -> Vec<Standing> {
        let games: Vec<GameScore> =
            games.iter().map(|&(first, second, result)| game(first, second, result, 1)).collect();
        let rows = standings(bots, &games);
        let shown: Vec<String> = rows.iter().map(|row| format!("{}:{}", row.rank, row.bot)).collect();
        assert_eq!(shown.join(" "), expected);
        rows
    }

    #[test]
    fn without_games_all_share_the_first_rank_in_roster_order() {
        let rows = check(3, &[], "1:0 1:1 1:2");
        assert!(rows.iter().all(|row| row.total().score().is_none() && row.direct_halves.is_none()));
        check(0, &[], "");
        check(1, &[], "1:0");
    }

    #[test]
    fn points_come_first() {
        check(3, &[(0, 1, SecondWins), (1, 2, FirstWins), (2, 0, FirstWins)], "1:1 2:2 3:0");
    }

    #[test]
    fn a_tie_is_broken_by_the_games_among_the_tied() {
        // 0 and 1 have one point each and 1 beat 0; 2 and 3 have half a point each and drew.
        let games = [(0, 1, SecondWins), (0, 2, FirstWins), (2, 3, Draw)];
        let rows = check(4, &games, "1:1 2:0 3:2 3:3");
        assert_eq!(rows.iter().map(|row| row.direct_halves).collect::<Vec<_>>(), [Some(2), Some(0), Some(1), Some(1)]);
    }

    #[test]
    fn direct_does_not_apply_when_some_of_the_tied_never_met() {
        // 0, 1 and 3 have one point each, but 0 and 3 never met.
        let rows = check(4, &[(0, 1, SecondWins), (0, 2, FirstWins), (1, 3, SecondWins)], "1:1 1:3 3:0 4:2");
        assert!(rows.iter().all(|row| row.direct_halves.is_none()));
    }

    #[test]
    fn direct_counts_only_the_games_among_the_tied() {
        // 0 and 1 have two points each. 0 beat 1, who took his points from 2 and 3.
        let games = [
            (0, 1, FirstWins),
            (0, 2, SecondWins),
            (0, 3, FirstWins),
            (1, 2, FirstWins),
            (1, 3, FirstWins),
            (2, 3, SecondWins),
        ];
        let rows = check(4, &games, "1:0 2:1 3:3 4:2");
        assert_eq!(rows.iter().map(|row| row.direct_halves).collect::<Vec<_>>(), [Some(2), Some(0), Some(2), Some(0)]);
        assert_eq!(rows.iter().map(|row| row.sb_quarters).collect::<Vec<_>>(), [12, 8, 4, 8]);
    }

    #[test]
    fn a_draw_against_the_stronger_counts_more_in_sonneborn_berger() {
        // 1 and 2 have half a point each from draws against 0 (strong) and 3 (weak); they never met.
        let games = [(0, 1, Draw), (2, 3, Draw), (0, 3, FirstWins)];
        let rows = check(4, &games, "1:0 2:1 3:2 3:3");
        assert_eq!(rows[1].sb_quarters, 3);
    }

    #[test]
    fn more_wins_break_the_last_tie() {
        // 0 drew twice with 2; 1 won and lost against 3: points and Sonneborn–Berger agree, wins do not.
        let games = [(0, 2, Draw), (2, 0, Draw), (1, 3, FirstWins), (3, 1, FirstWins)];
        check(4, &games, "1:1 1:3 3:0 3:2");
    }

    #[test]
    fn losses_by_own_fault_are_counted_and_wins_by_the_opponents_fault_are_not() {
        let mut lost = game(0, 1, SecondWins, 1);
        lost.statuses = [Status::Timeout, Status::Ok];
        let mut resigned = game(0, 1, SecondWins, 2);
        resigned.statuses = [Status::Resigned, Status::Ok];
        let rows = standings(2, &[lost, resigned]);
        assert_eq!((rows[0].bot, rows[0].forfeits, rows[1].forfeits), (1, 0, 1));
    }

    #[test]
    fn void_games_and_unknown_bots_count_nowhere() {
        let games = [game(0, 1, Void, 1), game(0, 0, FirstWins, 2), game(0, 9, FirstWins, 3)];
        assert!(standings(2, &games).iter().all(|row| row.total().games() == 0 && row.rank == 1));
    }

    proptest! {
           #[test]
           fn the_order_of_the_games_does_not_matter((bots, games) in tables(), seed in any::<u64>()) {
               let mut shuffled = games.clone();
               shuffled.sort_by_cached_key(|game| blake3::hash(format!("{seed}{game:?}").as_bytes()).to_hex());
               prop_assert_eq!(standings(bots, &games), standings(bots, &shuffled));
           }

           #[test]
           fn points_sum_to_games_and_scores_are_probabilities((bots, games) in tables()) {
               let rows = standings(bots, &games);
               let halves: u64 = rows.iter().map(|row| row.total().half_points()).sum();
               let seats: u64 = rows.iter().map(|row| row.total().games()).sum();
               prop_assert_eq!(halves, seats);
               prop_assert_eq!(rows.len(), bots);
               for row in rows {
                   prop_assert!(row.total().score().is_none_or(|score| (0.0..=1.0).contains(&score)));
                   prop_assert!(row.forfeits <= row.total().losses);
               }
           }

           #[test]
           fn relabelling_the_bots_relabels_the_standings((bots, games) in tables()) {
               let relabel = |bot: usize| if bot < bots { bots - 1 - bot } else { bot };
               let relabelled: Vec<GameScore> = games
                   .iter()
                   .map(|game| GameScore { first: relabel(game.first), second: relabel(game.second), ..*game })
                   .collect();
               let ranks = |games: &[GameScore], relabel: &dyn Fn(usize) -> usize| {
                   let mut rows = standings(bots, games);
                   for row in &mut rows {
    row.bot = relabel(row.bot);
    }
                   rows.sort_by_key(|row| row.bot);
                   rows
               };
               prop_assert_eq!(ranks(&games, &relabel), ranks(&relabelled, &|bot| bot));
           }
       }
}
