//! Simulated bots, and the results of their games.

use crate::format::Pair;
use crate::record::GameResult;
use crate::rng::{Rng, derive_seed};
use crate::stats::{ELO_PER_NAT, Observed, normal_cdf};

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

    /// The results of pairs in a tournament of this seed.
    pub fn law(&self, seed: u64) -> impl FnMut(&Pair) -> [GameResult; 2] {
        // Mean scores are to be those of the ratings.
        let shrunk = self.marginal();
        let mut rng = Rng::new(derive_seed(seed, "games", &[]));
        move |pair| {
            let level =
                |bot: usize| self.elo[bot] / ELO_PER_NAT / shrunk + added(seed, pair.opening, Some(bot), self.reaction);
            let (bias, difference) =
                (added(seed, pair.opening, None, self.bias), level(pair.bots[0]) - level(pair.bots[1]));
            [difference + bias, bias - difference].map(|nats| {
                let [loss, draw, _] = self.game(nats);
                match rng.below(1 << 53) as f64 / (1_u64 << 53) as f64 {
                    drawn if drawn < loss => GameResult::SecondWins,
                    drawn if drawn < loss + draw => GameResult::Draw,
                    _ => GameResult::FirstWins,
                }
            })
        }
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

/// What opening this adds to a bot, or without one to the first seat: a normal number of this standard deviation.
fn added(seed: u64, opening: u32, bot: Option<usize>, sd: f64) -> f64 {
    if sd == 0.0 {
        return 0.0;
    }
    let bot = bot.map_or(u64::MAX, |bot| bot as u64);
    sd * Rng::new(derive_seed(seed, "opening", &[&opening.to_le_bytes(), &bot.to_le_bytes()])).normal()
}
