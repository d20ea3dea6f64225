//! The lines below the bar on a terminal: who leads, how far the goal is, and the last upset.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arena_core::event::Tournament;
use arena_core::format::Format;
use arena_core::schedule::{Brief, Planned};
use arena_core::text::{cut, shown};
use arena_run::session::Goal;
use arena_show::views::{Ranking, whole_percent};
use arena_store::report::{Expectations, leaders};
use arena_sys::time::{long_duration, now};

/// Time between changes: a line that changes more often cannot be read.
const EVERY: Duration = Duration::from_secs(1);

/// What is known between the first game and the last.
#[derive(Default)]
pub(super) struct Outlook {
    /// What a fixed format plays more rounds for.
    pub(super) goal: Option<Goal>,
    /// When no more games begin.
    pub(super) deadline: Option<Instant>,
    pub(super) event: Option<Arc<Tournament>>,
    expectations: Expectations,
    leaders: Option<String>,
    distance: Option<String>,
    upset: Option<String>,
    changed: Option<Instant>,
}

impl Outlook {
    /// Takes new standings.
    pub(super) fn rank(&mut self, ranking: &Ranking) {
        self.expectations = Expectations::of(ranking);
        self.leaders = leaders(ranking);
        let (ratings, order) = (&ranking.analysis.ratings, ranking.compared());
        let format = self.event.as_deref().and_then(|event| Some((event, Format::named(&event.format)?)));
        self.distance = match self.goal {
            Some(Goal::Ratings(until, _)) => Some(until.distance(ratings, &order)),
            _ => format
                .and_then(|(event, format)| (format.distance)(&event.format_options, ratings, &order, ranking.games())),
        };
    }

    /// Takes a finished game.
    pub(super) fn end_game(&mut self, game: &Planned, brief: &Brief) {
        let Some((event, upset)) = self.event.as_ref().zip(self.expectations.upset(game.bots, brief)) else { return };
        let [winner, loser] =
            upset.bots.map(|bot| event.bots.get(bot).map_or_else(String::new, |bot| shown(&bot.id.name)));
        let expected = whole_percent(upset.expected);
        self.upset = Some(format!("last upset: {winner} beat {loser} (expected {expected} %)"));
    }

    /// The lines, if it is time for new ones.
    pub(super) fn next(&mut self, columns: usize) -> Option<String> {
        let at = now();
        if self.changed.is_some_and(|changed| at - changed < EVERY) {
            return None;
        }
        self.changed = Some(at);
        Some(self.lines(columns, at))
    }

    fn lines(&self, columns: usize, at: Instant) -> String {
        let left = self
            .deadline
            .map(|deadline| format!("{} left", long_duration(deadline.saturating_duration_since(at).as_secs_f64())));
        let goal: Vec<&str> = self.distance.iter().chain(&left).map(String::as_str).collect();
        let goal = (!goal.is_empty()).then(|| goal.join(", "));
        let lines = [&self.leaders, &goal, &self.upset].into_iter().flatten();
        lines.map(|line| cut(line, columns)).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use arena_core::event::ScheduledGame;
    use arena_core::format::{Flag, Setting, Until, flags};
    use arena_core::record::GameResult;
    use arena_store::report::{Results, ResultsOptions};

    use super::*;
    use crate::fixture;
    use crate::stored::Stored;

    /// The lines after the games of three bots, the first of which wins all but the last, for a goal or in a ladder with this
    /// setting.
    fn lines(goal: Option<Goal>, ladder: Option<Setting>, columns: usize) -> String {
        let mut event = Tournament { rounds: 6, ..fixture::event(&["first-of-all", "b", "c"]) };
        let games = fixture::schedule(&event);
        let last = games.iter().rfind(|game| game.bots.contains(&0)).unwrap().id;
        let record = |game: &ScheduledGame| {
            let of = |wins: bool| if wins { GameResult::FirstWins } else { GameResult::SecondWins };
            let is_first = game.bots[0] == 0;
            let result = if game.bots.contains(&0) { of(is_first != (game.id == last)) } else { GameResult::Draw };
            fixture::record(&event, game, result, 1)
        };
        let records: Vec<_> = games.iter().map(record).collect();
        let stored = Stored::new(&event, &records);
        let results = Results::new(&stored.scheduler, &stored.reader, ResultsOptions::default()).unwrap();
        if let Some(setting) = ladder {
            let is_number = matches!(setting, Setting::Number(_));
            let flag = if is_number {
                Flag::all().into_iter().find(|flag| flag.name == "pairs-per-bot").unwrap()
            } else {
                &flags::UNTIL
            };
            event.format = "ladder".to_owned();
            event.format_options.set(flag, setting);
        }
        let at = now();
        let deadline = goal.map(|_| at + Duration::from_secs(754));
        let mut outlook = Outlook { goal, deadline, event: Some(Arc::new(event)), ..Outlook::default() };
        outlook.rank(results.ranking());
        let (planned, brief) = stored.scheduler.played().find(|(_, brief)| brief.id == last).unwrap();
        outlook.end_game(&planned, &brief);
        assert!(outlook.next(columns).is_some() && outlook.next(columns).is_none(), "once a second at most");
        outlook.lines(columns, at)
    }

    #[test]
    fn leaders_goal_and_upset_have_a_line_each_that_fits() {
        insta::assert_snapshot!(lines(Some(Goal::Ratings(Until::Margin(20.0), 100)), None, 80), @r"
        after 36 games: first-of-all 96 % (±347 Elo), b 29 % (±216), c 25 % (±206)
        largest margin ±347.2, goal ±20, 12m 34s left
        last upset: b beat first-of-all (expected 4 %)
        ");
        insta::assert_snapshot!(lines(Some(Goal::Time), None, 60), @r"
        after 36 games: first-of-all 96 % (±347 Elo), b 29 % (±216)…
        12m 34s left
        last upset: b beat first-of-all (expected 4 %)
        ");
        insta::assert_snapshot!(lines(None, Some(Setting::Until(Until::Separated)), 60), @r"
        after 36 games: first-of-all 96 % (±347 Elo), b 29 % (±216)…
        0 of 2 pairs of neighbours separated, goal all
        last upset: b beat first-of-all (expected 4 %)
        ");
        insta::assert_snapshot!(lines(None, Some(Setting::Until(Until::Top { bots: 1, apart: 10.0 })), 60), @r"
        after 36 games: first-of-all 96 % (±347 Elo), b 29 % (±216)…
        best 1: 0 of 2 pairings with the others decided, goal all
        last upset: b beat first-of-all (expected 4 %)
        ");
        insta::assert_snapshot!(lines(None, Some(Setting::Number(50)), 25), @r"
        after 36 games: first-of…
        12 pairs for each bot, g…
        last upset: b beat first…
        ");
        assert_eq!(Outlook::default().lines(80, now()), "");
    }
}
