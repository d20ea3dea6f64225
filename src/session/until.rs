//! `--until`: more rounds until ratings are separated or precise enough.

use std::collections::BTreeMap;

use super::{Session, Settings};
use crate::format::{Pair, Until};
use crate::report::{Ranking, Results, rank};
use crate::schedule::{Addition, Policy, Scheduler};
use crate::stats::AnalysisOptions;
use crate::text::counted;

/// Minimum number of rounds added at a time.
const STEP_MIN: u32 = 10;

impl Until {
    /// A sentence: whether the goal was reached; if not, which bots missed it and why no more games are played.
    #[must_use]
    pub fn outcome(self, results: &Results<'_>, rounds_max: u32) -> String {
        const NAMED_MAX: usize = 3;
        let ranking = &results.ranking;
        let due = self.pairings(ranking);
        let missed: Vec<String> = match self {
            Self::Separated => {
                due.iter().map(|[a, b]| format!("{} and {} overlap", ranking.name(*a), ranking.name(*b))).collect()
            }
            Self::Margin(margin) => {
                let rated = ranking.compared().into_iter().filter_map(|bot| Some((bot, ranking.half_width(bot)?)));
                rated
                    .filter(|(_, half_width)| *half_width > margin)
                    .map(|(bot, half_width)| match half_width {
                        f64::INFINITY => format!("{} is unbounded", ranking.name(bot)),
                        half_width => format!("{} is at ±{half_width:.1}", ranking.name(bot)),
                    })
                    .collect()
            }
            Self::Top { .. } => Vec::new(),
        };
        if missed.is_empty() {
            return format!("--until {self}: reached");
        }
        let more = match missed.len().saturating_sub(NAMED_MAX) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let why = if due.is_empty() {
            "more games rarely bound it".to_owned()
        } else {
            format!("no pairing may play more than {} (--max-rounds)", counted(rounds_max as usize, "round"))
        };
        let named = missed[..missed.len().min(NAMED_MAX)].join(", ");
        format!("--until {self}: not reached: {named}{more}; {why}")
    }

    /// The rounds played and to be played by each pairing that continues; empty if the goal is reached, or no pairing may
    /// play more.
    fn more(self, scheduler: &Scheduler, options: &AnalysisOptions, rounds_max: u32) -> BTreeMap<[usize; 2], [u32; 2]> {
        let due = self.pairings(&rank(scheduler, options)).into_iter().map(|[a, b]| [a.min(b), a.max(b)]);
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
    fn pairings(self, ranking: &Ranking) -> Vec<[usize; 2]> {
        let order = ranking.compared();
        match self {
            Self::Separated => {
                let overlap = |[a, b]: &[usize; 2]| {
                    let difference = ranking.analysis.ratings.difference(*a, *b);
                    difference.is_some_and(|difference| difference.lo <= 0.0 && difference.hi >= 0.0)
                };
                order.windows(2).map(|two| [two[0], two[1]]).filter(overlap).collect()
            }
            Self::Margin(margin) => {
                let wide = |bot: usize| {
                    ranking.half_width(bot).is_some_and(|half_width| half_width.is_finite() && half_width > margin)
                };
                let all = order.iter().flat_map(|a| order.iter().map(move |b| [*a, *b]));
                all.filter(|[a, b]| a < b && (wide(*a) || wide(*b))).collect()
            }
            // A goal of ladders.
            Self::Top { .. } => Vec::new(),
        }
    }
}

/// Adds rounds until a goal is reached.
#[derive(Debug)]
pub struct UntilReached {
    goal: Option<Until>,
    rounds_max: u32,
    options: AnalysisOptions,
    settings: Settings,
}

impl UntilReached {
    /// Adds no rounds without a goal, and never exceeds `rounds_max` rounds of a pairing.
    #[must_use]
    pub fn new(goal: Option<Until>, rounds_max: u32, session: &Session, options: &AnalysisOptions) -> Self {
        Self { goal, rounds_max, options: *options, settings: session.settings.clone() }
    }
}

impl Policy for UntilReached {
    fn more(&mut self, scheduler: &Scheduler) -> Option<Addition> {
        if !scheduler.is_complete() {
            return None;
        }
        let event = scheduler.event();
        let more = self.goal?.more(scheduler, &self.options, self.rounds_max);
        let last = more.values().map(|[_, wanted]| *wanted).max()?;
        let pairs = (event.rounds + 1..=last).flat_map(|round| {
            let due = more.iter().filter(move |(_, [played, wanted])| *played < round && round <= *wanted);
            due.map(move |(bots, _)| Pair { round, opening: round - 1, bots: *bots })
        });
        let known = event.openings.len();
        let openings = if known < last as usize {
            self.settings.openings.take(&self.settings.game, event.seed, last).ok()
        } else {
            None
        };
        let openings = openings.into_iter().flat_map(|(openings, _)| openings).skip(known).collect();
        Some(Addition { pairs: pairs.collect(), openings })
    }
}
