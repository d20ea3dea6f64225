//! Whether 95 % intervals hold the truth as often as they say.

use arena::record::GameResult::{self, Draw, FirstWins, SecondWins};
use arena::rng::Rng;
use arena::stats::{CountsBuilder, RatingOptions, Sample, rate};

/// What happens in a match: the score expected of bot 0 in nats, the share of draws at equality in Davidson's law,
/// the spread of openings and the advantage of moving first, in nats.
struct Field {
    strength: f64,
    draws: f64,
    openings: f64,
    side: f64,
}

impl Field {
    /// What an opening is worth to the first seat beside the usual.
    fn bias(&self, rng: &mut Rng) -> f64 {
        self.openings * 3.0_f64.sqrt() * (2.0 * uniform(rng) - 1.0)
    }

    /// A game whose first bot is so much stronger.
    fn game(&self, difference: f64, rng: &mut Rng) -> GameResult {
        drawn(davidson(difference + self.side, self.draws), rng)
    }
}

/// A result with these odds of a win, a draw and a loss of the first seat.
pub(crate) fn drawn([win, draw, loss]: [f64; 3], rng: &mut Rng) -> GameResult {
    let at = uniform(rng) * (win + draw + loss);
    if at < win {
        FirstWins
    } else if at < win + draw {
        Draw
    } else {
        SecondWins
    }
}

/// From 0 to below 1.
pub(crate) fn uniform(rng: &mut Rng) -> f64 {
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
    // All pairings have equally many games, so a rating is the mean of the differences, up to the curvature of the model.
    let true_ratings: Vec<f64> =
        (0..bots).map(|a| (0..bots).map(|b| true_elo(a, b)).sum::<f64>() / bots as f64).collect();
    let true_difference = true_elo(0, 1);
    for _ in 0..runs {
        let mut builder = CountsBuilder::new(bots);
        for a in 0..bots {
            for b in a + 1..bots {
                for pair in 0..pairs {
                    let bias = field.bias(&mut rng);
                    for (first, second) in [(a, b), (b, a)] {
                        let result = field.game(truth[first] - truth[second] + bias, &mut rng);
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

/// The odds of a win, a draw and a loss, by the share of draws between equals.
pub(crate) fn davidson(difference: f64, draws: f64) -> [f64; 3] {
    let nu = 2.0 * draws / (1.0 - draws);
    [(difference / 2.0).exp(), nu, (-difference / 2.0).exp()]
}

#[track_caller]
fn check(field: &Field, bots: usize, pairs: u32) {
    let runs = 1_000;
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

/// How openings are dealt out, and what is known of them.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Openings {
    /// Each round has one for all pairings.
    Shared,
    /// Every pair has its own, and that is known.
    Own,
    /// Every pair has its own, as it is taken if nothing is known.
    Unknown,
}

/// The share of `runs` whose interval holds the advantage of moving first, which is 0: openings favour both alike.
fn side_coverage(field: &Field, openings: Openings, bots: usize, rounds: u32, runs: u32) -> f64 {
    assert!(field.side.abs() < f64::MIN_POSITIVE, "any other truth would depend on the law of the openings");
    let mut rng = Rng::new(2);
    let mut held = 0;
    for _ in 0..runs {
        let mut builder = CountsBuilder::new(bots);
        let mut pair = 0;
        for round in 0..rounds {
            let mut bias = field.bias(&mut rng);
            for a in 0..bots {
                for b in a + 1..bots {
                    if openings != Openings::Shared {
                        bias = field.bias(&mut rng);
                    }
                    for (first, second) in [(a, b), (b, a)] {
                        let difference = field.strength * (second as f64 - first as f64);
                        let result = field.game(difference + bias, &mut rng);
                        let opening = match openings {
                            Openings::Shared => Some(round),
                            Openings::Own => Some(pair),
                            Openings::Unknown => None,
                        };
                        builder.add_sample(
                            first,
                            second,
                            result,
                            Sample { pair: Some(pair), cluster: Some(pair), opening },
                        );
                    }
                    pair += 1;
                }
            }
        }
        let ratings = rate(&builder.finish(), &RatingOptions::default());
        let elo = ratings.side.elo.expect("seats were swapped");
        assert!(!ratings.of_these_openings, "there are enough of them");
        held += u32::from((elo.lo..=elo.hi).contains(&0.0));
    }
    f64::from(held) / f64::from(runs)
}

/// Bots that are much alike, and openings that decide most games.
const ALIKE: Field = Field { strength: 0.1, draws: 0.1, openings: 1.5, side: 0.0 };
const APART: Field = Field { strength: 0.6, draws: 0.3, openings: 0.7, side: 0.0 };

#[track_caller]
fn check_side(openings: Openings) {
    for (field, bots, rounds) in
        [(&ALIKE, 6, 10), (&ALIKE, 4, 40), (&APART, 6, 10), (&APART, 2, 10), (&ALIKE, 2, 50), (&APART, 3, 5)]
    {
        // One extra game is not quite enough for so few games of two bots.
        if openings == Openings::Unknown && bots * rounds as usize <= 20 {
            continue;
        }
        let share = side_coverage(field, openings, bots, rounds, 500);
        assert!((0.93..=0.995).contains(&share), "{openings:?}, {bots} bots, {rounds} rounds: {share}");
    }
}

#[test]
fn the_first_seat_with_openings_shared_by_all_pairings() {
    check_side(Openings::Shared);
}

#[test]
fn the_first_seat_with_openings_of_their_own() {
    check_side(Openings::Own);
    check_side(Openings::Unknown);
}
