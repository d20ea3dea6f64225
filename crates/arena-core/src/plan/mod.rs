//! What a tournament will cost and tell before it is played: the formats and ratings that ship, with simulated bots.
//!
//! A game between bots `d` nats apart is won with the logistic probability p of `d` plus what its opening adds, and drawn with
//! 4 p (1-p) times the share of draws between equals. An opening adds a normal number to the first seat (the bias) and one to each
//! bot (its reaction). So both games of a pair depend on each other, and all pairings on the openings that they share.
//!
//! Margins follow from a few simulated tournaments, and those of longer ones by the root of their length. The same seed gives the
//! same plan.

mod limits;
#[cfg(test)]
mod tests;
mod world;

use crate::format::{Format, FormatKind, Pair, Settled, SettledGame, simulate};
use crate::record::GameResult;
use crate::rng::derive_seed;
use crate::stats::{Counts, CountsBuilder, RatingOptions, Ratings, Sample, rate};
pub use limits::size_flag;
use limits::{challengers, field, games_max, meetings_max, size_max};
pub use world::World;

/// The most bots of a plan: each format is simulated.
pub const BOTS_MAX: usize = 300;
/// The most pairs of games of a simulated tournament, about; longer ones follow from shorter ones.
const PAIRS_MAX: f64 = 60_000.0;
/// The pairs of games after which no more tournaments are simulated.
const PAIRS_TOTAL: f64 = 100_000.0;
/// The fewest and the most simulations of a tournament.
const RUNS: [usize; 2] = [2, 100];
/// The fewest from which the standard error of their mean margin is known, and the one that is small enough.
const RUNS_KNOWN: usize = 8;
const ERROR: f64 = 0.01;
/// The seed of the simulations: arbitrary, but fixed.
const SEED: u64 = 1;
/// The most sizes that are tried for a margin.
const STEPS_MAX: usize = 14;

/// A tournament that could be played.
#[derive(Debug, Clone, Copy)]
pub struct Forecast {
    /// Its format.
    pub format: &'static Format,
    /// Its rounds, pairs of a match or pairs of each bot, by the flag of [`size_flag`].
    pub size: u32,
    /// The games that it takes, on average.
    pub games: f64,
    /// The median of the 95 % margins of its bots, of a gauntlet that of its challenger, and of two bots that of their difference;
    /// `None` if that is unbounded, or the format finds a winner and no ratings.
    pub margin: Option<f64>,
    /// The most pairs of any two bots.
    meetings: f64,
}

impl Forecast {
    /// What is played: two bots play a match.
    #[must_use]
    pub const fn name(&self, bots: usize) -> &'static str {
        if bots == 2 { "match" } else { self.format.name }
    }

    /// The flag to give to a tournament for it, such as `--pairs-per-bot 300`.
    #[must_use]
    pub fn flag(&self) -> String {
        format!("{} {}", size_flag(self.format), self.size)
    }
}

/// Why no tournament of a format reaches a margin.
#[derive(Debug, Clone, Copy)]
pub enum Unreached {
    /// The format finds a winner and no ratings.
    NoRatings,
    /// The margin of the longest tournament that can be played is unbounded: bots win or lose all of their games.
    Unbounded,
    /// The longest tournament that can be played has a larger margin.
    Longest(Forecast),
}

/// The longest tournament of this format that can be played and takes at most `games`, or the shortest one if that takes more.
#[must_use]
pub fn within(world: &World, format: &'static Format, games: f64) -> Forecast {
    let each = forecast(world, format, 8).games / 8.0;
    let most = f64::from(size_max(format, world.bots()));
    let mut longest = forecast(world, format, (games.min(games_max(format)) / each).floor().clamp(1.0, most) as u32);
    // A ladder goes on with other pairings where two bots may not meet again, and others may tell less.
    while let Some(meetings) = meetings_max(format)
        && longest.meetings > meetings
        && longest.size > 1
    {
        let size = (f64::from(longest.size) * meetings / longest.meetings) as u32;
        longest = forecast(world, format, size.clamp(1, longest.size - 1));
    }
    longest
}

/// The shortest tournament of this format after which the margin is at most `margin` (in Elo).
///
/// # Errors
///
/// Returns [`Unreached`] if there is none that can be played.
pub fn reaching(world: &World, format: &'static Format, margin: f64) -> Result<Forecast, Unreached> {
    if !format.rates {
        return Err(Unreached::NoRatings);
    }
    let longest = within(world, format, f64::INFINITY);
    match longest.margin {
        None => return Err(Unreached::Unbounded),
        Some(least) if least > margin => return Err(Unreached::Longest(longest)),
        Some(_) => {}
    }
    // Margins fall with about the root of the size. Those of a ladder may stay for long where it plays within groups whose order
    // is known, so sizes double until one is large enough.
    let mut size = longest.size.min(16);
    let (mut least, mut most): (u32, Option<Forecast>) = (0, None);
    for _ in 0..STEPS_MAX {
        let tried = forecast(world, format, size);
        let excess = tried.margin.map_or(2.0, |own| own / margin);
        if excess > 1.0 {
            least = size;
        } else {
            most = Some(tried);
        }
        let by_root = (f64::from(size) * excess * excess).ceil().max(1.0) as u32;
        size = match most.map(|most| most.size) {
            Some(most) if excess > 0.98 && size == most || most - least <= 1 + least / 50 => break,
            Some(most) if by_root > least && by_root < most => by_root,
            Some(most) => least.midpoint(most),
            None if least >= longest.size => break,
            None => by_root.max(least.saturating_mul(2)).min(longest.size),
        };
    }
    Ok(most.unwrap_or(longest))
}

/// What a tournament of this size takes and tells.
#[must_use]
pub fn forecast(world: &World, format: &'static Format, size: u32) -> Forecast {
    let bots = world.bots().max(1);
    let per_size = match format.kind {
        FormatKind::Fixed { pairings, .. } => pairings(&field(format, bots, 1, 0)).max(1),
        FormatKind::Stepwise { .. } => bots,
    } as f64;
    let simulated = (PAIRS_MAX / per_size).floor().clamp(1.0, f64::from(size)) as u32;
    let (mut games, mut margins, mut runs, mut meetings) = (0.0, Vec::new(), 0, 0);
    // Margins of a ladder differ most, since they hang on a few gaps.
    while runs < RUNS[1] && (games < 2.0 * PAIRS_TOTAL || runs < RUNS[0]) {
        let seed = derive_seed(SEED, "plan", &[&(runs as u64).to_le_bytes()]);
        let (counts, ratings) = play(format, bots, simulated, seed, world.law(seed));
        games += counts.first_seat().games() as f64;
        let of_two = counts.pairings().map(|pairing| pairing.total().games().div_ceil(2));
        meetings = meetings.max(of_two.max().unwrap_or(0));
        margins.extend(margin(format, bots, &ratings));
        runs += 1;
        if margins.len() >= RUNS_KNOWN && error_of(&margins) < ERROR {
            break;
        }
    }
    let times = f64::from(size) / f64::from(simulated);
    let is_known = format.rates && 2 * margins.len() > runs;
    let margin = is_known.then(|| mean(&margins) / times.sqrt());
    Forecast { format, size, games: games * times / runs as f64, margin, meetings: meetings as f64 * times }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard error of a mean, relative to it.
fn error_of(values: &[f64]) -> f64 {
    let (mean, count) = (mean(values), values.len() as f64);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (count - 1.0) / count).sqrt() / mean
}

/// The margin that a tournament is about, if it has an end: see [`Forecast::margin`].
#[must_use]
pub fn margin(format: &Format, bots: usize, ratings: &Ratings) -> Option<f64> {
    let of = |bot: usize| ratings.of(bot).map_or(f64::INFINITY, |rating| rating.elo.half_width());
    let margin = match bots {
        2 if of(0).is_finite() => ratings.difference(0, 1)?.half_width(),
        bots if !challengers(format, bots).is_empty() => of(challengers(format, bots)[0]),
        bots => {
            let mut all: Vec<f64> = (0..bots).map(of).collect();
            all.sort_by(f64::total_cmp);
            *all.get(bots / 2)?
        }
    };
    margin.is_finite().then_some(margin)
}

/// Plays a tournament of this size of bots, of which the results of each pair are those of `law`; returns its games and ratings.
/// The challenger of a gauntlet is a bot in the middle.
#[must_use]
pub fn play(
    format: &Format,
    bots: usize,
    size: u32,
    seed: u64,
    mut law: impl FnMut(&Pair) -> [GameResult; 2],
) -> (Counts, Ratings) {
    let mut number = 0;
    let (played, _) = simulate(format, &field(format, bots, size, seed), |pair| {
        // No game repeats another.
        let game = |result| {
            number += 1;
            SettledGame { result, withdrawn: [false; 2], is_evidence: true, moves: number }
        };
        Settled { pair, games: law(&pair).map(game) }
    });
    let counts = tally(bots, &played);
    let ratings = rate(&counts, &RatingOptions { fitted_prior: format.prefers_likes(), ..RatingOptions::default() });
    (counts, ratings)
}

/// The games of these pairs.
#[must_use]
pub fn tally(bots: usize, played: &[Settled]) -> Counts {
    let mut counts = CountsBuilder::new(bots);
    for (number, Settled { pair, games }) in (0..).zip(played) {
        let [a, b] = pair.bots;
        let sample = Sample { pair: Some(number), cluster: Some(number), opening: Some(pair.opening) };
        counts.add_sample(a, b, games[0].result, sample);
        counts.add_sample(b, a, games[1].result, sample);
    }
    counts.finish()
}
