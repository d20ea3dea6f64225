//! More rounds than asked for: until ratings are separated or precise enough, or for as long as a budget of time lasts.

use std::collections::{BTreeMap, HashSet};

use arena_core::event::ROUNDS_MAX;
use arena_core::format::flags::{MAX_ROUNDS, UNTIL};
use arena_core::format::{Pair, Until};
use arena_core::openings::Lost;
use arena_core::schedule::{Addition, Policy, Scheduler};
use arena_core::stats::AnalysisOptions;
use arena_core::text::counted;
use arena_show::views::Ranking;
use arena_store::report::{Results, rank};

use super::{Goal, Session, SessionSettings};

/// Minimum number of rounds added at a time.
const STEP_MIN: u32 = 10;

/// A sentence: whether the goal was reached; if not, which bots missed it and why no more games are played.
#[must_use]
pub fn outcome(until: Until, results: &Results<'_>, rounds_max: u32) -> String {
    const NAMED_MAX: usize = 3;
    let ranking = results.ranking();
    let due = pairings(until, ranking);
    let missed: Vec<String> = match until {
        Until::Separated => {
            due.iter().map(|[a, b]| format!("{} and {} overlap", ranking.name(*a), ranking.name(*b))).collect()
        }
        Until::Margin(margin) => {
            let rated = ranking.compared().into_iter().filter_map(|bot| Some((bot, ranking.half_width(bot)?)));
            rated
                .filter(|(_, half_width)| *half_width > margin)
                .map(|(bot, half_width)| match half_width {
                    f64::INFINITY => format!("{} is unbounded", ranking.name(bot)),
                    half_width => format!("{} is at ±{half_width:.1}", ranking.name(bot)),
                })
                .collect()
        }
        Until::Top { .. } => Vec::new(),
    };
    if missed.is_empty() {
        return format!("{UNTIL} {until}: reached");
    }
    let more = match missed.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let why = if due.is_empty() {
        "more games rarely bound it".to_owned()
    } else {
        format!("no pairing may play more than {} ({MAX_ROUNDS})", counted(rounds_max as usize, "round"))
    };
    let named = missed[..missed.len().min(NAMED_MAX)].join(", ");
    format!("{UNTIL} {until}: not reached: {named}{more}; {why}")
}

/// The rounds played and to be played by each pairing that continues; empty if the goal is reached, or no pairing may
/// play more.
fn more(
    until: Until,
    scheduler: &Scheduler,
    options: &AnalysisOptions,
    rounds_max: u32,
) -> BTreeMap<[usize; 2], [u32; 2]> {
    let due = pairings(until, &rank(scheduler, options)).into_iter().map(|[a, b]| [a.min(b), a.max(b)]);
    let mut more: BTreeMap<[usize; 2], [u32; 2]> = due.map(|bots| (bots, [scheduler.event().rounds; 2])).collect();
    for game in scheduler.games() {
        let [a, b] = game.bots;
        if let Some([played, _]) = more.get_mut(&[a.min(b), a.max(b)]) {
            *played = game.round.max(*played);
        }
    }
    for [played, wanted] in more.values_mut() {
        *wanted = (*played + (*played / 2).max(STEP_MIN)).min(rounds_max);
    }
    more.retain(|_, [played, wanted]| wanted > played);
    more
}

/// The pairings that should continue.
fn pairings(until: Until, ranking: &Ranking) -> Vec<[usize; 2]> {
    let order = ranking.compared();
    match until {
        Until::Separated => {
            let overlap = |[a, b]: &[usize; 2]| {
                let difference = ranking.analysis.ratings.difference(*a, *b);
                difference.is_some_and(|difference| difference.lo <= 0.0 && difference.hi >= 0.0)
            };
            order.windows(2).map(|two| [two[0], two[1]]).filter(overlap).collect()
        }
        Until::Margin(margin) => {
            let wide = |bot: usize| {
                ranking.half_width(bot).is_some_and(|half_width| half_width.is_finite() && half_width > margin)
            };
            let all = order.iter().flat_map(|a| order.iter().map(move |b| [*a, *b]));
            all.filter(|[a, b]| a < b && (wide(*a) || wide(*b))).collect()
        }
        // A goal of ladders.
        Until::Top { .. } => Vec::new(),
    }
}

/// Adds rounds until a goal is reached; none without a goal.
#[derive(Debug)]
pub struct MoreRounds {
    options: AnalysisOptions,
    settings: SessionSettings,
}

impl MoreRounds {
    /// Adds rounds to the tournament of `session` until its goal is reached; none without a goal.
    #[must_use]
    pub fn new(session: &Session, options: &AnalysisOptions) -> Self {
        Self { options: *options, settings: session.settings.clone() }
    }

    /// The pairs of further rounds for a goal of ratings, and the last of these rounds.
    fn for_ratings(&self, until: Until, rounds_max: u32, scheduler: &Scheduler) -> Option<(Vec<Pair>, u32)> {
        let more = more(until, scheduler, &self.options, rounds_max);
        let last = more.values().map(|[_, wanted]| *wanted).max()?;
        let pairs = (scheduler.event().rounds + 1..=last).flat_map(|round| {
            let due = more.iter().filter(move |(_, [played, wanted])| *played < round && round <= *wanted);
            due.map(move |(bots, _)| Pair { round, opening: round - 1, bots: *bots })
        });
        Some((pairs.collect(), last))
    }
}

/// The pairs of half as many rounds again, and the number of the last round. `None` if the last third of the rounds only repeated
/// games.
fn whole_rounds(scheduler: &Scheduler) -> Option<(Vec<Pair>, u32)> {
    let played = scheduler.pairs().map(|pair| pair.round).max()?;
    if only_repeats(scheduler, played - (played / 3).max(1)) {
        return None;
    }
    let last = (played + (played / 2).max(STEP_MIN)).min(ROUNDS_MAX);
    let pairings: Vec<[usize; 2]> =
        scheduler.pairs().take_while(|pair| pair.round == 1).map(|pair| pair.bots).collect();
    let round = |round| pairings.iter().map(move |bots| Pair { round, opening: round - 1, bots: *bots });
    Some(((played + 1..=last).flat_map(round).collect(), last))
}

/// Whether every game after this round repeats an earlier one move for move. Ignores games that withdrawn bots lost unplayed.
fn only_repeats(scheduler: &Scheduler, round: u32) -> bool {
    let mut earlier = HashSet::new();
    scheduler.played().filter(|(_, brief)| brief.is_rated()).all(|(game, brief)| {
        let is_new = earlier.insert((game.bots, brief.moves));
        game.round <= round || !is_new
    })
}

impl Policy for MoreRounds {
    fn more(&mut self, scheduler: &Scheduler) -> Option<Addition> {
        if !scheduler.is_complete() {
            return None;
        }
        let goal = self.settings.goal?;
        let (pairs, last) = match goal {
            Goal::Ratings(until, rounds_max) => self.for_ratings(until, rounds_max, scheduler)?,
            Goal::Time => whole_rounds(scheduler)?,
        };
        let event = scheduler.event();
        let known = event.openings.len();
        let openings = if known < last as usize {
            let drawn_lost = Lost::in_schedule(event.schedule_version);
            let taken = self.settings.openings.take(&self.settings.game, event.seed, last, drawn_lost).ok();
            // The rest of a book that was changed meanwhile is no part of it.
            taken.filter(|taken| taken.book == event.book || event.book.is_none())
        } else {
            None
        };
        let openings = openings.into_iter().flat_map(|taken| taken.openings).skip(known).collect();
        Some(Addition { pairs, openings, is_whole: goal == Goal::Time })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::fixture;
    use arena_core::event::Tournament;
    use arena_core::record::GameResult;
    use arena_core::rules::Move;
    use arena_core::schedule::{Borders, Brief};

    use super::*;

    struct WholeRounds;

    impl Policy for WholeRounds {
        fn more(&mut self, scheduler: &Scheduler) -> Option<Addition> {
            let (pairs, _) = whole_rounds(scheduler)?;
            Some(Addition { pairs, openings: Vec::new(), is_whole: true })
        }
    }

    /// A round-robin of four bots and four rounds, all played. The last moves of a game are `moves` of its round and pair.
    fn played(moves: fn(u32, u32) -> i64) -> Scheduler {
        let names = ["a", "b", "c", "d"];
        let event = Tournament { rounds: 4, ..fixture::event(&names) };
        let mut scheduler = Scheduler::new(Arc::new(event), &[], &[], &mut ()).unwrap();
        while let Some(job) = scheduler.issue() {
            let mut record = fixture::record(scheduler.event(), &job.game, GameResult::Draw, 1);
            record.moves.push(Move::Int(moves(job.game.round, job.game.pair)));
            scheduler.settle(job.place, Brief::of(&record, 0, 1), false);
        }
        scheduler
    }

    #[test]
    fn rounds_are_added_whole_while_they_tell_something_new() {
        let mut scheduler = played(|round, _| i64::from(round));
        let before: Vec<Pair> = scheduler.pairs().collect();
        assert!(scheduler.decide(&mut WholeRounds).is_some_and(|round| round.whole));
        assert!(!scheduler.is_extended(), "no pair was added because of results");
        let pairs: Vec<Pair> = scheduler.pairs().collect();
        assert_eq!((pairs.len(), &pairs[..before.len()]), (14 * 6, &before[..]));
        for (number, pair) in pairs.iter().enumerate() {
            let round = (number / 6) as u32 + 1;
            assert_eq!(*pair, Pair { round, opening: round - 1, bots: pairs[number % 6].bots });
            // Each bot plays once in two pairs.
            let next = 4 * (number as u32 / 2 + 1);
            let borders = Borders { is_level: number.is_multiple_of(2), level: next, near: next };
            assert_eq!(scheduler.borders(2 * number as u32), borders, "{number}");
        }
    }

    #[test]
    fn no_rounds_are_added_after_some_that_only_repeat() {
        // There are two openings, so that the third round can repeat the first.
        assert!(played(|_, _| 0).decide(&mut WholeRounds).is_none());
        assert!(played(|_, pair| i64::from(pair == 24)).decide(&mut WholeRounds).is_some());
    }
}
