//! Upsets: games whose winner was expected to score little. In one place, since the report, the terminal and the live page
//! all tell of them.

use arena_core::schedule::Brief;
use arena_core::stats::ELO_PER_NAT;
use arena_show::views::Ranking;

/// A winner that was expected to score less than this surprised.
const UPSET: f64 = 0.3;

/// What bots are expected to score against each other, as of some standings. Small, unlike those.
#[derive(Debug, Clone, Default)]
pub struct Expectations {
    /// Group and Elo of each rated bot: those of other groups are not comparable.
    by_bot: Vec<Option<(usize, f64)>>,
}

/// A game without a fault whose winner was expected to score little.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Upset {
    /// Numbers of the winner and of the loser.
    pub bots: [usize; 2],
    /// The expected score of the winner, from 0 to 1.
    pub expected: f64,
}

impl Expectations {
    /// What these standings let expect.
    #[must_use]
    pub fn of(ranking: &Ranking) -> Self {
        let standings = &ranking.analysis.standings;
        let rating = |bot| ranking.analysis.ratings.of(bot).map(|rating| (rating.group, rating.elo.elo));
        Self { by_bot: (0..standings.len()).map(rating).collect() }
    }

    /// The upset that a game between these bots was, if it was one.
    #[must_use]
    pub fn upset(&self, bots: [usize; 2], brief: &Brief) -> Option<Upset> {
        let is_played = brief.bytes > 0 && brief.is_rated() && !brief.statuses.iter().any(|status| status.is_fault());
        let winner = brief.result.winner().filter(|_| is_played)?;
        let bots = [winner, winner.other()].map(|seat| bots[seat.index()]);
        let [(group, won), (other, lost)] = [(*self.by_bot.get(bots[0])?)?, (*self.by_bot.get(bots[1])?)?];
        let expected = 1.0 / (1.0 + ((lost - won) / ELO_PER_NAT).exp());
        (group == other && expected < UPSET).then_some(Upset { bots, expected })
    }
}

#[cfg(test)]
mod tests {
    use arena_core::record::{GameResult, Status};

    use super::*;
    use crate::fixture;
    use crate::report::Results;
    use crate::report::ResultsOptions;
    use crate::report::stored::Stored;

    #[test]
    fn a_win_of_the_weaker_bot_is_an_upset_unless_a_fault_gave_it() {
        let event = fixture::event(&["strong", "weak"]);
        let games = fixture::schedule(&event);
        let strong_wins = |game: &arena_core::event::ScheduledGame| {
            let result = if game.bots[0] == 0 { GameResult::FirstWins } else { GameResult::SecondWins };
            fixture::record(&event, game, result, 1)
        };
        let mut records: Vec<_> = games.iter().map(strong_wins).collect();
        let last = records.last_mut().unwrap();
        last.result = if games[games.len() - 1].bots[0] == 0 { GameResult::SecondWins } else { GameResult::FirstWins };
        let upset = Brief::of(last, 0, 1);
        let stored = Stored::new(&event, &records);
        let results = Results::new(&stored.scheduler, &stored.reader, ResultsOptions::default()).unwrap();
        let expectations = Expectations::of(&results.ranking);
        let bots = games[games.len() - 1].bots;
        let found = expectations.upset(bots, &upset).unwrap();
        assert_eq!((found.bots, found.expected < UPSET), ([1, 0], true), "{found:?}");
        assert_eq!(Some(found.expected), results.ranking.analysis.ratings.expected(1, 0));
        let usual = Brief::of(&records[0], 0, 1);
        assert_eq!(expectations.upset(games[0].bots, &usual), None);
        assert_eq!(Expectations::default().upset(bots, &upset), None);
        let mut crashed = upset;
        crashed.statuses[0] = Status::Crashed;
        assert_eq!(expectations.upset(bots, &crashed), None);
    }
}
