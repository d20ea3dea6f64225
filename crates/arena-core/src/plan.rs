//! What a tournament will cost and tell before it is played: the formats and ratings that ship, with simulated bots.
//!
//! A game between bots `d` nats apart is won with the logistic probability p of `d` plus what its opening adds, and drawn with
//! 4 p (1-p) times the share of draws between equals. An opening adds a normal number to the first seat (the bias) and one to each
//! bot (its reaction). So both games of a pair depend on each other, and all pairings on the openings that they share.
//!
//! Margins follow from a few simulated tournaments, and those of longer ones by the root of their length. The same seed gives the
//! same plan.

use crate::format::{Due, Field, Format, FormatOptions, Pair, Plan, Setting, Settled, SettledGame};
use crate::record::GameResult;
use crate::rng::{Rng, derive_seed};
use crate::stats::{CountsBuilder, ELO_PER_NAT, Observed, RatingOptions, Ratings, Sample, normal_cdf, rate};

/// The most bots of a plan: each format is simulated.
pub const BOTS_MAX: usize = 300;
/// The most pairs of games that are simulated for a tournament; longer ones follow from shorter ones.
const PAIRS_SIMULATED: f64 = 60_000.0;
/// The most simulations of a tournament.
const RUNS_MAX: f64 = 24.0;
/// The seed of the simulations: arbitrary, but fixed.
const SEED: u64 = 1;
/// The largest size of a format that is considered.
const SIZE_MAX: f64 = 1_000_000.0;
/// The most sizes that are tried for a margin.
const STEPS_MAX: usize = 14;
/// Steps of each integral over what openings add, to four deviations on each side.
const STEPS: i32 = 32;

/// Simulated bots.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// Their ratings, best first, with mean 0.
    elo: Vec<f64>,
    draws: f64,
    /// Standard deviations of what an opening adds, in nats: to the first seat, and to each bot.
    bias: f64,
    reaction: f64,
}

impl World {
    /// Bots whose strengths are spread like a normal distribution of standard deviation `spread` (in Elo), and whose openings add
    /// nothing. `draws` is the share of draws between equals.
    #[must_use]
    pub fn normal(bots: usize, spread: f64, draws: f64) -> Self {
        let elo = spread_out(bots, spread);
        Self { elo, draws, bias: 0.0, reaction: 0.0 }
    }

    /// Bots and openings like those of these results. Other numbers of `bots` than theirs have the same spread.
    #[must_use]
    pub fn like(observed: &Observed, bots: usize) -> Self {
        let known = &observed.elo;
        let spread = (known.iter().map(|elo| elo * elo).sum::<f64>() / known.len() as f64).sqrt();
        let elo = if bots == known.len() { known.clone() } else { spread_out(bots, spread) };
        let mut world = Self { elo, draws: observed.draws, bias: 0.0, reaction: 0.0 };
        // Each depends on the other by how much openings shrink mean scores.
        for _ in 0..20 {
            world.reaction = (observed.reaction.sqrt() / world.marginal()).min(3.0);
            let (mut low, mut high) = (0.0, 6.0);
            for _ in 0..30 {
                world.bias = f64::midpoint(low, high);
                if world.dispersion() > observed.dispersion { low = world.bias } else { high = world.bias }
            }
        }
        world
    }

    /// The number of bots.
    #[must_use]
    pub fn bots(&self) -> usize {
        self.elo.len()
    }

    /// The standard deviation of the ratings.
    #[must_use]
    pub fn spread(&self) -> f64 {
        (self.elo.iter().map(|elo| elo * elo).sum::<f64>() / self.elo.len().max(1) as f64).sqrt()
    }

    /// The share of draws between equals.
    #[must_use]
    pub const fn draws(&self) -> f64 {
        self.draws
    }

    /// The probabilities of a pair of games between two bots this far apart, in Elo of one opening: LL, LD, DD or WL, WD, WW.
    #[must_use]
    pub fn pair(&self, elo: f64) -> [f64; 5] {
        let weights = |sd: f64| {
            let points = if sd > 0.0 { -STEPS..=STEPS } else { 0..=0 };
            let z = |step: i32| 4.0 * f64::from(step) / f64::from(STEPS);
            points.map(move |step| (sd * z(step), (-z(step).powi(2) / 2.0).exp())).collect::<Vec<_>>()
        };
        let (biases, reactions) = (weights(self.bias), weights(self.reaction * std::f64::consts::SQRT_2));
        let mut sum = [0.0; 5];
        for (bias, weight) in &biases {
            for (reaction, other) in &reactions {
                let level = elo / ELO_PER_NAT + reaction;
                let [first, second] = [level + bias, level - bias].map(|level| self.game(level));
                for (place, one) in first.iter().enumerate() {
                    for (other_place, two) in second.iter().enumerate() {
                        sum[place + other_place] += weight * other * one * two;
                    }
                }
            }
        }
        let total: f64 = sum.iter().sum();
        sum.map(|share| share / total)
    }

    /// The probabilities of a loss, a draw and a win of a bot that is better by this many nats.
    fn game(&self, nats: f64) -> [f64; 3] {
        let win = 1.0 / (1.0 + (-nats).exp());
        let draw = self.draws * 4.0 * win * (1.0 - win);
        [1.0 - win - draw / 2.0, draw, win - draw / 2.0]
    }

    fn dispersion(&self) -> f64 {
        let pair = self.pair(0.0);
        pair.iter().zip([-1.0_f64, -0.5, 0.0, 0.5, 1.0]).map(|(p, points)| 2.0 * p * points * points).sum()
    }

    /// By how much openings shrink differences of strength in mean scores, about.
    fn marginal(&self) -> f64 {
        let variance = self.bias.powi(2) + 2.0 * self.reaction.powi(2);
        1.0 / (1.0 + std::f64::consts::PI / 8.0 * variance).sqrt()
    }
}

/// The quantiles of a normal distribution, best first, scaled to this standard deviation.
fn spread_out(bots: usize, spread: f64) -> Vec<f64> {
    let quantile = |share: f64| {
        let (mut low, mut high) = (-8.0, 8.0);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if normal_cdf(middle) < share { low = middle } else { high = middle }
        }
        high
    };
    let all: Vec<f64> = (0..bots).map(|bot| -quantile((bot as f64 + 0.5) / bots as f64)).collect();
    let sd = (all.iter().map(|z| z * z).sum::<f64>() / bots.max(1) as f64).sqrt();
    all.into_iter().map(|z| if sd > 0.0 { spread * z / sd } else { 0.0 }).collect()
}

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
}

/// The name of the flag for the size of a format.
#[must_use]
pub fn size_flag(format: &Format) -> &'static str {
    format.endless.map_or(format.rounds.0, |(flag, _)| flag).name
}

/// The longest tournament of this format that takes at most `games`, or the shortest one if that takes more.
#[must_use]
pub fn within(world: &World, format: &'static Format, games: f64) -> Forecast {
    let shortest = forecast(world, format, 1);
    let each = forecast(world, format, 8).games / 8.0;
    let size = (games / each).floor().clamp(1.0, SIZE_MAX) as u32;
    if size == 1 { shortest } else { forecast(world, format, size) }
}

/// The shortest tournament of this format after which the margin is at most `margin` (in Elo); `None` if the format does not rate,
/// or cannot reach it.
#[must_use]
pub fn reaching(world: &World, format: &'static Format, margin: f64) -> Option<Forecast> {
    if !format.rates {
        return None;
    }
    // Margins fall with about the root of the size. Those of a ladder may stay for long where it plays within groups whose order
    // is known, so sizes double until one is large enough.
    let mut size = 16;
    let (mut least, mut most): (u32, Option<Forecast>) = (0, None);
    for _ in 0..STEPS_MAX {
        let tried = forecast(world, format, size);
        let excess = tried.margin.map_or(2.0, |own| own / margin);
        if excess > 1.0 {
            least = size;
        } else {
            most = Some(tried);
        }
        let by_root = (f64::from(size) * excess * excess).ceil().clamp(1.0, SIZE_MAX) as u32;
        size = match most.map(|most| most.size) {
            Some(most) if excess > 0.98 && size == most || most - least <= 1 + least / 50 => break,
            Some(most) if by_root > least && by_root < most => by_root,
            Some(most) => least.midpoint(most),
            None if least >= SIZE_MAX as u32 => break,
            None => by_root.max(least.saturating_mul(2)).min(SIZE_MAX as u32),
        };
    }
    most
}

/// What a tournament of this size takes and tells.
#[must_use]
pub fn forecast(world: &World, format: &'static Format, size: u32) -> Forecast {
    let bots = world.bots().max(1);
    let per_size = match format.plan {
        Plan::Fixed { pairings, .. } => pairings(&field(world, format, 1, 0)).max(1),
        Plan::Stepwise { .. } => bots,
    } as f64;
    let simulated = (PAIRS_SIMULATED / per_size).floor().clamp(1.0, f64::from(size)) as u32;
    // Many short ones, since each is another draw; a gauntlet has but one margin.
    let runs = (PAIRS_SIMULATED / (per_size * f64::from(simulated))).clamp(2.0, RUNS_MAX) as u64;
    let (mut games, mut margins) = (0.0, Vec::new());
    for run in 0..runs {
        let (pairs, ratings) = play(world, format, simulated, derive_seed(SEED, "plan", &[&run.to_le_bytes()]));
        games += 2.0 * pairs as f64 / runs as f64;
        margins.extend(margin(world, format, &ratings));
    }
    let times = f64::from(size) / f64::from(simulated);
    let mean = margins.iter().sum::<f64>() / margins.len() as f64;
    let is_known = format.rates && !margins.is_empty() && 2 * margins.len() as u64 > runs;
    Forecast { format, size, games: games * times, margin: is_known.then(|| mean / times.sqrt()) }
}

/// The margin that a tournament is about, if it has an end.
fn margin(world: &World, format: &Format, ratings: &Ratings) -> Option<f64> {
    let of = |bot: usize| ratings.of(bot).map_or(f64::INFINITY, |rating| rating.elo.half_width());
    let margin = match world.bots() {
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

/// The challenger of a gauntlet: a bot in the middle.
fn challengers(format: &Format, bots: usize) -> Vec<usize> {
    if format.has_challengers { vec![bots / 2] } else { Vec::new() }
}

/// Plays a tournament of these bots; returns its pairs and ratings.
#[must_use]
pub fn play(world: &World, format: &Format, size: u32, seed: u64) -> (usize, Ratings) {
    let field = field(world, format, size, seed);
    let mut hall = Hall::new(world, seed);
    let mut prefers_likes = false;
    match format.plan {
        Plan::Fixed { pairings, pairing, .. } => {
            for round in 0..field.rounds {
                for number in 0..pairings(&field) {
                    hall.play(&Pair { round: round + 1, opening: round, bots: pairing(&field, number) });
                }
            }
        }
        Plan::Stepwise { start, known, .. } => {
            prefers_likes = known.is_some();
            let (mut state, mut due): (_, Vec<Pair>) = (start(&field), Vec::new());
            loop {
                for pair in &due[hall.pairs..state.waits_for()] {
                    state.settle(&hall.play(pair));
                }
                match state.due() {
                    Due::Over(_) => break,
                    Due::Pairs(pairs) => {
                        state.add(&pairs);
                        due.extend(pairs);
                    }
                }
            }
            for pair in &due[hall.pairs..] {
                hall.play(pair);
            }
        }
    }
    let options = RatingOptions { fitted_prior: prefers_likes, ..RatingOptions::default() };
    (hall.pairs, rate(&hall.games.finish(), &options))
}

/// The inputs of a format of this size.
fn field(world: &World, format: &Format, size: u32, seed: u64) -> Field {
    let bots = world.bots();
    let (mut rounds, mut options) = (size, FormatOptions::default());
    if let Some((flag, _)) = format.endless.filter(|_| format.is_stepwise()) {
        options.set(flag, Setting::Number(u64::from(size)));
        rounds = format.rounds.1;
    }
    Field {
        bots,
        rounds,
        openings: format.openings(rounds, &options) as usize,
        seed,
        keys: (0..bots).map(|bot| derive_seed(seed, "key", &[&bot.to_le_bytes()])).collect(),
        challengers: challengers(format, bots),
        options,
        ..Field::default()
    }
}

/// Where simulated games are played.
struct Hall<'a> {
    world: &'a World,
    nats: Vec<f64>,
    seed: u64,
    rng: Rng,
    games: CountsBuilder,
    pairs: usize,
}

impl<'a> Hall<'a> {
    fn new(world: &'a World, seed: u64) -> Self {
        // Mean scores are to be those of the ratings.
        let nats = world.elo.iter().map(|elo| elo / ELO_PER_NAT / world.marginal()).collect();
        let rng = Rng::new(derive_seed(seed, "games", &[]));
        Self { world, nats, seed, rng, games: CountsBuilder::new(world.bots()), pairs: 0 }
    }

    /// What an opening adds to a bot, or to the first seat.
    fn added(&self, opening: u32, bot: Option<usize>, sd: f64) -> f64 {
        if sd == 0.0 {
            return 0.0;
        }
        let bot = bot.map_or(u64::MAX, |bot| bot as u64);
        sd * Rng::new(derive_seed(self.seed, "opening", &[&opening.to_le_bytes(), &bot.to_le_bytes()])).normal()
    }

    fn play(&mut self, pair: &Pair) -> Settled {
        let world = self.world;
        let bias = self.added(pair.opening, None, world.bias);
        let level = |bot: usize| self.nats[bot] + self.added(pair.opening, Some(bot), world.reaction);
        let [a, b] = pair.bots;
        let difference = level(a) - level(b);
        let games = [difference + bias, bias - difference].map(|nats| {
            let [loss, draw, _] = world.game(nats);
            let drawn = self.rng.below(1 << 53) as f64 / (1_u64 << 53) as f64;
            let result = match drawn {
                drawn if drawn < loss => GameResult::SecondWins,
                drawn if drawn < loss + draw => GameResult::Draw,
                _ => GameResult::FirstWins,
            };
            SettledGame { result, withdrawn: [false; 2], is_evidence: true, moves: self.rng.below(u64::MAX) }
        });
        let number = Some(self.pairs as u32);
        let sample = Sample { pair: number, cluster: number, opening: Some(pair.opening) };
        self.games.add_sample(a, b, games[0].result, sample);
        self.games.add_sample(b, a, games[1].result, sample);
        self.pairs += 1;
        Settled { pair: *pair, games }
    }
}
