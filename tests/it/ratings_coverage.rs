//! Whether 95 % intervals hold the truth as often as they say.

use arena::record::GameResult::{Draw, FirstWins, SecondWins};
use arena::rng::Rng;
use arena::stats::{CountsBuilder, RatingOptions, rate};

/// What happens in a match: the score expected of bot 0 in nats, the share of draws at equality in Davidson's law,
/// the spread of openings and the advantage of moving first, in nats.
struct Field {
    strength: f64,
    draws: f64,
    openings: f64,
    side: f64,
}

fn uniform(rng: &mut Rng) -> f64 {
    rng.below(1 << 53) as f64 / (1_u64 << 53) as f64
}

/// The share of `runs` whose interval holds the true difference between the first two of `bots` equally spaced ones,
/// and that of the intervals that hold the true rating of their bot.
fn coverage(field: &Field, bots: usize, pairs: u32, runs: u32, seed: u64) -> [f64; 2] {
    let mut rng = Rng::new(seed);
    let (mut differences, mut of_bots) = (0_u32, 0_u32);
    let truth: Vec<f64> = (0..bots).map(|bot| -field.strength * bot as f64).collect();
    let score = |difference: f64| {
        // The logistic rating that belongs to the mean score over openings and seats, by summation.
        let steps = 400;
        let mut sum = 0.0;
        for step in 0..steps {
            let bias = field.openings * 3.0_f64.sqrt() * (2.0 * (f64::from(step) + 0.5) / f64::from(steps) - 1.0);
            for seat in [field.side + bias, -field.side - bias] {
                let [win, draw, loss] = davidson(difference + seat, field.draws);
                sum += (win + draw / 2.0) / (win + draw + loss) / 2.0;
            }
        }
        sum / f64::from(steps)
    };
    let true_elo = |a: usize, b: usize| {
        let score = score(truth[a] - truth[b]);
        400.0 * (score / (1.0 - score)).log10()
    };
    // Everybody met everybody as often, so a rating is the mean of the differences, but for what the law bends them.
    let true_ratings: Vec<f64> =
        (0..bots).map(|a| (0..bots).map(|b| true_elo(a, b)).sum::<f64>() / bots as f64).collect();
    let true_difference = true_elo(0, 1);
    for _ in 0..runs {
        let mut builder = CountsBuilder::new(bots);
        for a in 0..bots {
            for b in a + 1..bots {
                for pair in 0..pairs {
                    let bias = field.openings * 3.0_f64.sqrt() * (2.0 * uniform(&mut rng) - 1.0);
                    for (first, second) in [(a, b), (b, a)] {
                        let [win, draw, loss] = davidson(truth[first] - truth[second] + field.side + bias, field.draws);
                        let at = uniform(&mut rng) * (win + draw + loss);
                        let result = if at < win {
                            FirstWins
                        } else if at < win + draw {
                            Draw
                        } else {
                            SecondWins
                        };
                        builder.add(first, second, result, Some(pair));
                    }
                }
            }
        }
        let ratings = rate(&builder.finish(), &RatingOptions::default());
        let difference = ratings.difference(0, 1).expect("they met");
        // Of two bots the open end of an interval is open for the difference too.
        let [zero, one] = [0, 1].map(|bot| ratings.of(bot).expect("it played").elo);
        let above = zero.hi.is_infinite() || one.lo.is_infinite() || true_difference <= difference.hi;
        let below = zero.lo.is_infinite() || one.hi.is_infinite() || true_difference >= difference.lo;
        differences += u32::from(above && below);
        for (bot, truth) in true_ratings.iter().enumerate() {
            let found = ratings.of(bot).expect("it played").elo;
            of_bots += u32::from((found.lo..=found.hi).contains(truth));
        }
    }
    [f64::from(differences) / f64::from(runs), f64::from(of_bots) / f64::from(runs) / bots as f64]
}

fn davidson(difference: f64, draws: f64) -> [f64; 3] {
    let nu = 2.0 * draws / (1.0 - draws);
    [(difference / 2.0).exp(), nu, (-difference / 2.0).exp()]
}

#[track_caller]
fn check(field: &Field, bots: usize, pairs: u32) {
    let runs = 2_000;
    let shares = coverage(field, bots, pairs, runs, 1);
    assert!(shares.iter().all(|share| (0.93..=0.995).contains(share)), "{pairs} pairs of {bots} bots: {shares:?}");
}

const EVEN_DECISIVE: Field = Field { strength: 0.0, draws: 0.05, openings: 0.3, side: 0.3 };
const DRAWISH: Field = Field { strength: 0.55, draws: 0.5, openings: 0.3, side: 0.2 };
const CLEAR: Field = Field { strength: 1.2, draws: 0.2, openings: 0.5, side: 0.0 };

#[test]
fn eight_pairs_of_even_bots() {
    check(&EVEN_DECISIVE, 2, 8);
}

#[test]
fn fifty_pairs_of_even_bots() {
    check(&EVEN_DECISIVE, 2, 50);
}

#[test]
fn eight_pairs_with_many_draws() {
    check(&DRAWISH, 2, 8);
}

#[test]
fn fifty_pairs_with_many_draws() {
    check(&DRAWISH, 2, 50);
}

#[test]
fn eight_and_fifty_pairs_of_unequal_bots() {
    check(&CLEAR, 2, 8);
    check(&CLEAR, 2, 50);
}

#[test]
fn eight_and_fifty_pairs_among_five_bots() {
    let field = Field { strength: 0.3, ..EVEN_DECISIVE };
    check(&field, 5, 8);
    check(&field, 5, 50);
}
