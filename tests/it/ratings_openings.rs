//! Whether margins hold where bots react differently to the openings that all pairings play.
//!
//! The long test makes the table of docs/simulations.md, and fails if that is another.

use std::fmt::{self, Write as _};
use std::fs;

use arena::record::GameResult;
use arena::rng::Rng;
use arena::stats::{CountsBuilder, RatingOptions, Ratings, Sample, rate};

use crate::ratings_coverage::{davidson, drawn, uniform};

/// Bots: each two are equal, the next two weaker by this many nats.
const BOTS: usize = 8;
const STEP: f64 = 0.3;

/// A tournament of [`BOTS`] bots, all spreads in nats.
#[derive(Clone, Copy)]
struct Field {
    /// Standard deviation of what an opening is worth to a bot, against any opponent.
    reaction: f64,
    /// Standard deviation of what an opening is worth to the first seat.
    bias: f64,
    /// Share of draws between equals.
    draws: f64,
    /// Openings, of which every pairing plays one swapped pair each.
    openings: u32,
}

/// What intervals came to.
#[derive(Default)]
struct Shares {
    /// Ratings, and differences between two bots, whose interval holds the truth.
    bots: f64,
    differences: f64,
    /// Pairs of equal bots whose difference is significant.
    told_apart: f64,
    /// Mean margin of a rating, in Elo.
    margin: f64,
}

impl Field {
    fn strength(bot: usize) -> f64 {
        -STEP * (bot / 2) as f64
    }

    /// The ratings that infinitely many openings would give, in nats: those of the mean scores.
    fn truth(&self) -> [f64; BOTS] {
        const STEPS: u32 = 400;
        let spread = (2.0 * self.reaction.powi(2) + self.bias.powi(2)).sqrt();
        let score = |difference: f64| {
            let (mut sum, mut weights) = (0.0, 0.0);
            for step in 0..=STEPS {
                let z = 12.0 * f64::from(step) / f64::from(STEPS) - 6.0;
                let weight = (-z * z / 2.0).exp();
                let [win, draw, loss] = davidson(difference + spread * z, self.draws);
                sum += weight * (win + draw / 2.0) / (win + draw + loss);
                weights += weight;
            }
            sum / weights
        };
        let scores: Vec<[f64; BOTS]> =
            (0..BOTS).map(|a| std::array::from_fn(|b| score(Self::strength(a) - Self::strength(b)))).collect();
        // Zermelo's iteration.
        let mut powers = [1.0_f64; BOTS];
        for _ in 0..2_000 {
            powers = std::array::from_fn(|a| {
                let others = || (0..BOTS).filter(move |b| *b != a);
                others().map(|b| scores[a][b]).sum::<f64>()
                    / others().map(|b| 1.0 / (powers[a] + powers[b])).sum::<f64>()
            });
        }
        let mean = powers.iter().map(|power| power.ln()).sum::<f64>() / BOTS as f64;
        powers.map(|power| power.ln() - mean)
    }

    fn play(&self, rng: &mut Rng) -> Ratings {
        let mut builder = CountsBuilder::new(BOTS);
        for opening in 0..self.openings {
            let bias = self.bias * normal(rng);
            let level: [f64; BOTS] = std::array::from_fn(|bot| Self::strength(bot) + self.reaction * normal(rng));
            for (a, b) in (0..BOTS).flat_map(|b| (0..b).map(move |a| (a, b))) {
                for (first, second) in [(a, b), (b, a)] {
                    let result: GameResult = drawn(davidson(level[first] - level[second] + bias, self.draws), rng);
                    let sample = Sample { pair: Some(opening), cluster: Some(opening), opening: Some(opening) };
                    builder.add_sample(first, second, result, sample);
                }
            }
        }
        rate(&builder.finish(), &RatingOptions::default())
    }

    fn shares(&self, runs: u32) -> Shares {
        const ELO_PER_NAT: f64 = 400.0 / std::f64::consts::LN_10;
        let truth = self.truth();
        let mut rng = Rng::new(1);
        let mut shares = Shares::default();
        let holds = |lo: f64, hi: f64, truth: f64| f64::from(u8::from((lo..=hi).contains(&(truth * ELO_PER_NAT))));
        for _ in 0..runs {
            let ratings = self.play(&mut rng);
            for (bot, truth) in truth.iter().enumerate() {
                let elo = ratings.of(bot).expect("it played").elo;
                shares.bots += holds(elo.lo, elo.hi, *truth) / BOTS as f64;
                shares.margin += (elo.hi - elo.lo) / 2.0 / BOTS as f64;
            }
            for (a, b) in (0..BOTS).flat_map(|b| (0..b).map(move |a| (a, b))) {
                let difference = ratings.difference(a, b).expect("they met");
                shares.differences +=
                    holds(difference.lo, difference.hi, truth[a] - truth[b]) / (BOTS * (BOTS - 1) / 2) as f64;
                if a / 2 == b / 2 {
                    let is_apart = difference.lo > 0.0 || difference.hi < 0.0;
                    shares.told_apart += f64::from(u8::from(is_apart)) / (BOTS / 2) as f64;
                }
            }
        }
        let runs = f64::from(runs);
        Shares {
            bots: shares.bots / runs,
            differences: shares.differences / runs,
            told_apart: shares.told_apart / runs,
            margin: shares.margin / runs,
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| {} | {} | {} | {} |", self.reaction, self.bias, self.draws, self.openings)
    }
}

impl fmt::Display for Shares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {:.3} | {:.3} | {:.3} | ±{:.0} |", self.bots, self.differences, self.told_apart, self.margin)
    }
}

/// A standard normal variate (Box and Muller, "A note on the generation of random normal deviates", 1958).
fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - uniform(rng)).ln()).sqrt() * (std::f64::consts::TAU * uniform(rng)).cos()
}

/// The row of the table for a field, whose intervals hold the truth as often as they say.
#[track_caller]
fn check(field: Field, runs: u32) -> String {
    let shares = field.shares(runs);
    for share in [shares.bots, shares.differences] {
        assert!((0.93..=0.97).contains(&share), "{field}{shares}");
    }
    assert!(shares.told_apart <= 0.07, "{field}{shares}");
    format!("{field}{shares}")
}

#[test]
fn intervals_hold_the_truth_whatever_bots_make_of_fifty_openings() {
    for reaction in [0.0, 0.5, 1.5] {
        check(Field { reaction, bias: 0.5, draws: 0.1, openings: 50 }, 300);
    }
}

/// However often the same openings are played, they say nothing of others.
#[test]
fn more_games_from_the_same_openings_do_not_narrow_margins_for_ever() {
    let margin = |openings: u32, times: u32| {
        let mut rng = Rng::new(3);
        let mut builder = CountsBuilder::new(3);
        for opening in 0..openings {
            let level: [f64; 3] = std::array::from_fn(|_| normal(&mut rng));
            for (pair, (a, b)) in (0..times).flat_map(|time| [(0, 1), (0, 2), (1, 2)].map(|bots| (time, bots))) {
                for (first, second) in [(a, b), (b, a)] {
                    let result = drawn(davidson(level[first] - level[second], 0.1), &mut rng);
                    let cluster = Some(opening * times + pair);
                    builder.add_sample(
                        first,
                        second,
                        result,
                        Sample { pair: cluster, cluster, opening: Some(opening) },
                    );
                }
            }
        }
        let ratings = rate(&builder.finish(), &RatingOptions::default());
        (ratings.difference(0, 1).expect("they met").half_width(), ratings.of_these_openings)
    };
    let (often, _) = margin(10, 400);
    assert!((margin(10, 1_600).0 / often - 1.0).abs() < 0.1, "a fourfold number of games would halve an honest margin");
    assert!(margin(40, 400).0 < 0.7 * often, "more openings do narrow it");
    let few = margin(3, 400);
    assert!(few.1 && few.0 < 0.5 * often, "three have no spread to speak of: pairs alone count, and that is said");
}

#[test]
#[ignore = "takes a quarter of a minute"]
fn intervals_hold_the_truth_in_every_kind_of_field() {
    let mut table = String::new();
    for (reaction, bias, draws) in
        [(0.0, 0.0, 0.05), (0.0, 2.0, 0.05), (0.5, 0.5, 0.3), (1.5, 0.5, 0.05), (1.5, 2.0, 0.3)]
    {
        for openings in [20, 50, 200] {
            let row = check(Field { reaction, bias, draws, openings }, 1_000);
            writeln!(table, "{row}").expect("text");
        }
    }
    let documented = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/simulations.md")).expect("the docs");
    assert!(documented.contains(&table), "docs/simulations.md has another table than this:\n{table}");
}
