//! Tests of the fitted prior.

use proptest::prelude::*;

use super::super::testing::{TestGame, counted, tables};
use super::super::{RatingOptions, Ratings, rate};
use super::maximum;
use arena_rules::result::GameResult::{Draw, FirstWins, SecondWins};
use arena_rules::rng::Rng;

const FITTED: RatingOptions = RatingOptions { fit_side: false, anchor: None, prior_draws: 0.0, fitted_prior: true };

fn rated(bots: usize, games: impl IntoIterator<Item = TestGame>) -> Ratings {
    rate(&counted(bots, games), &FITTED)
}

/// A standard normal deviate: the sum of twelve uniform ones, less six.
fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.below(1 << 20) as f64 / f64::from(1 << 20)).sum::<f64>() - 6.0
}

/// A round-robin of pairs between bots of these strengths in nats, where openings favour a seat.
fn round_robin(strengths: &[f64], rounds: u32, rng: &mut Rng) -> Ratings {
    let mut games = Vec::new();
    for round in 0..rounds {
        let opening = normal(rng) / 2.0;
        for b in 0..strengths.len() {
            for a in 0..b {
                // The openings leave the mean score of a pair logistic, so that strengths keep their scale.
                let score = 1.0 / (1.0 + (strengths[b] - strengths[a]).exp());
                let bias = opening.clamp(-1.0, 1.0) * score * (1.0 - score);
                for (first, second, score) in [(a, b, score + bias), (b, a, 1.0 - score + bias)] {
                    let won = (rng.below(1 << 30) as f64) < score * f64::from(1 << 30);
                    games.push((first, second, if won { FirstWins } else { SecondWins }, Some(round)));
                }
            }
        }
    }
    rated(strengths.len(), games)
}

#[test]
fn the_maximum_is_found() {
    for (peak, guess) in [(0.3, 0.0), (-5.2, 3.0), (3.9, 3.9)] {
        let found = maximum([-6.0, 4.0], guess, 1e-6, |x| -(x - peak) * (x - peak) - (x - peak).powi(4));
        assert!((found - peak).abs() < 1e-5, "{found} {peak}");
    }
    assert!((maximum([0.0, 1.0], 0.2, 1e-6, |x| x) - 1.0).abs() < 1e-5);
}

#[test]
fn a_bot_that_won_everything_is_bounded() {
    let rated = rated(3, [(0, 1, FirstWins, None), (0, 2, FirstWins, None), (1, 2, Draw, None)]);
    let [best, second, third] = [0, 1, 2].map(|bot| *rated.of(bot).unwrap());
    assert!(best.elo.elo > 10.0 && best.elo.hi.is_finite() && best.ml.unwrap() > best.elo.elo, "{best:?}");
    assert!((second.elo.elo - third.elo.elo).abs() < 1e-9);
    assert!((best.elo.elo + second.elo.elo + third.elo.elo).abs() < 1e-9);
}

#[test]
fn bots_that_score_alike_are_drawn_together() {
    let games = |bots: usize| (0..bots).flat_map(move |b| (0..b).map(move |a| [a, b]));
    let alike = |bots| {
        rated(
            bots,
            games(bots)
                .flat_map(|[a, b]| (0..40).map(move |n| (a, b, if n % 2 == 0 { FirstWins } else { SecondWins }, None))),
        )
    };
    let (few, many) = (alike(2), alike(20));
    assert!(few.difference(0, 1).unwrap().hi > 30.0, "{few:?}");
    assert!(many.prior_width.unwrap() < 10.0, "{:?}", many.prior_width);
    assert!(many.difference(0, 1).unwrap().elo.abs() < 1e-9);
}

#[test]
fn much_evidence_leaves_ratings_as_they_are() {
    let rated = round_robin(&[-2.0, -1.0, 0.0, 1.0, 2.0], 1_000, &mut Rng::new(1));
    for bot in 0..5 {
        let rating = rated.of(bot).unwrap();
        assert!((rating.elo.elo - rating.ml.unwrap()).abs() < 1.0, "{rating:?}");
    }
    assert!((150.0..450.0).contains(&rated.prior_width.unwrap()), "{:?}", rated.prior_width);
}

#[test]
fn intervals_hold_for_strengths_drawn_from_the_prior() {
    let mut rng = Rng::new(5);
    let (mut held, mut all, mut shown_true, mut shown_shown) = (0, 0, 0.0, 0.0);
    for _ in 0..150 {
        let mut strengths: Vec<f64> = (0..12).map(|_| normal(&mut rng)).collect();
        let mean = strengths.iter().sum::<f64>() / 12.0;
        for nats in &mut strengths {
            *nats -= mean;
        }
        let ratings = round_robin(&strengths, 2, &mut rng);
        for (bot, nats) in strengths.iter().enumerate() {
            let (elo, strength) = (ratings.of(bot).unwrap().elo, nats * super::ELO_PER_NAT);
            held += u32::from(elo.lo <= strength && strength <= elo.hi);
            all += 1;
            shown_true += elo.elo * strength;
            shown_shown += elo.elo * elo.elo;
        }
    }
    let (coverage, scale) = (f64::from(held) / f64::from(all), shown_true / shown_shown);
    assert!((0.935..0.975).contains(&coverage), "{coverage}");
    // The true strength of a bot is, on average, what it is rated at.
    assert!((0.97..1.03).contains(&scale), "{scale}");
}

proptest! {
    #[test]
    fn everything_is_finite((bots, games) in tables()) {
        let rated = rated(bots, games);
        for bot in (0..bots).filter_map(|bot| rated.of(bot)) {
            prop_assert!(bot.elo.hi.is_finite() && bot.elo.lo < bot.elo.elo && bot.elo.elo < bot.elo.hi, "{bot:?}");
            prop_assert!(bot.ml.is_some_and(f64::is_finite), "{bot:?}");
        }
        prop_assert!(rated.prior_width.is_none_or(|width| (0.9..2100.0).contains(&width)));
    }

    #[test]
    fn neither_names_nor_sides_matter((bots, games) in tables()) {
        let renamed: Vec<TestGame> = games.iter().filter(|game| game.0.max(game.1) < bots).map(|&(first, second, result, pair)| (bots - 1 - first, bots - 1 - second, result, pair)).collect();
        let (one, other) = (rated(bots, games), rated(bots, renamed));
        for bot in 0..bots {
            if let (Some(x), Some(y)) = (one.of(bot), other.of(bots - 1 - bot)) {
                prop_assert!((x.elo.elo - y.elo.elo).abs() < 1e-2 && (x.elo.hi / y.elo.hi - 1.0).abs() < 1e-3, "{x:?} {y:?}");
            }
        }
    }
}
