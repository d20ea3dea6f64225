//! How the ratings settled: fits to prefixes of the schedule.

use arena_core::stats::{CountsBuilder, Duplicates, Estimate, Sample, rate};

use crate::report::{Results, counted_games};

/// Fits at most.
const FITS_MAX: u32 = 40;
/// Bots whose ratings are kept.
const BOTS_MAX: usize = 12;
/// Bound of the work of all fits: each takes time by the cube of its bots. 40 fits of 100 bots.
const WORK_MAX: u64 = 40_000_000;

/// Ratings after prefixes of complete rounds.
#[derive(Debug)]
pub(crate) struct Settling {
    /// The first bots of the standings.
    pub(crate) bots: Vec<usize>,
    /// The prefixes, in order.
    pub(crate) steps: Vec<Step>,
}

/// The ratings after some rounds.
#[derive(Debug)]
pub(crate) struct Step {
    /// Complete rounds.
    pub(crate) rounds: u32,
    /// Rated games.
    pub(crate) games: usize,
    /// The ratings, in the order of [`Settling::bots`]; `None` for a bot without games.
    pub(crate) elo: Vec<Option<Estimate>>,
}

impl Settling {
    /// Fits ratings to prefixes of the schedule, each ending with a round; `None` if there are too many bots to do so.
    pub(crate) fn of(results: &Results<'_>) -> Option<Self> {
        let bots = results.event().bots.len() as u64;
        let fits = (WORK_MAX / bots.saturating_pow(3).max(1)).min(FITS_MAX.into()) as u32;
        if fits < 2 {
            return None;
        }
        let bots = results.ranking.first(BOTS_MAX);
        let complete = complete_rounds(results);
        let ends = (1..=fits).map(|fit| (u64::from(complete) * u64::from(fit)).div_ceil(fits.into()) as u32);
        let mut ends: Vec<u32> = ends.filter(|rounds| *rounds > 0).collect();
        ends.dedup();
        let steps = fit(results, &bots, &ends);
        Some(Self { bots, steps })
    }

    /// Whether there are ratings after several numbers of rounds.
    pub(crate) fn is_of_several(&self) -> bool {
        self.steps.len() > 1
    }
}

/// The number of rounds before the first unsettled game, without its own.
fn complete_rounds(results: &Results<'_>) -> u32 {
    let schedule = results.schedule;
    let open = schedule.games().find(|game| schedule.at(game.place).is_none_or(|brief| !brief.is_settled()));
    match open {
        Some(open) => open.round.saturating_sub(1),
        None => schedule.total().checked_sub(1).map_or(0, |last| schedule.planned(last).round),
    }
}

/// The ratings after each of these numbers of rounds, which ascend. The games of a round follow each other.
fn fit(results: &Results<'_>, bots: &[usize], ends: &[u32]) -> Vec<Step> {
    let options = &results.ranking.analysis.ratings.options;
    let mut duplicates = Duplicates::default();
    let mut counts = CountsBuilder::new(results.event().bots.len());
    let mut games = counted_games(results.schedule, &mut duplicates).filter(|(_, game)| game.rated).peekable();
    let mut rated = 0;
    let step = |rounds: &u32| {
        while let Some((_, game)) = games.next_if(|(planned, _)| planned.round <= *rounds) {
            let sample = Sample { pair: Some(game.pair), cluster: Some(game.cluster), opening: game.opening };
            counts.add_sample(game.first as usize, game.second as usize, game.result, sample);
            rated += 1;
        }
        let ratings = rate(&counts.so_far(), options);
        let elo = bots.iter().map(|bot| ratings.of(*bot).map(|rating| rating.elo)).collect();
        Step { rounds: *rounds, games: rated, elo }
    };
    ends.iter().map(step).collect()
}
