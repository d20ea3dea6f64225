//! What plans keep, whatever their figures. `benches/plan.rs` compares these with simulations.

use super::{World, forecast, play, within};
use crate::format::{FORMATS, Format};
use crate::stats::{Observed, Sprt, SprtModel};

#[test]
fn more_games_tell_more() {
    let world = World::normal(4, 150.0, 0.2);
    for format in FORMATS.iter().filter(|format| format.rates) {
        let margins = [4, 16].map(|size| forecast(&world, format, size).margin.expect("a margin"));
        assert!(margins.is_sorted_by(|few, many| many < few), "{}: {margins:?}", format.name);
    }
}

#[test]
fn the_games_are_those_that_the_format_plays() {
    const BOTS: usize = 5;
    let world = World::normal(BOTS, 150.0, 0.2);
    for format in FORMATS {
        let planned = forecast(&world, format, 6).games;
        let games = |seed: u64| play(format, BOTS, 6, seed, world.law(seed)).0.first_seat().games() as f64;
        let found = (0..10).map(games).sum::<f64>() / 10.0;
        // A ladder ends within a batch, and a knockout plays on when a match is drawn.
        let tolerance = if format.is_stepwise() { 0.05 } else { 1e-9 };
        assert!((planned / found - 1.0).abs() < tolerance, "{}: planned {planned}, played {found}", format.name);
    }
    for (name, games) in [("round-robin", 20), ("gauntlet", 8)] {
        let format = Format::named(name).expect("a format");
        for size in [1, 30] {
            let planned = within(&world, format, f64::from(size * games));
            assert_eq!((planned.size, planned.games.round() as u32), (size, size * games), "{name}");
        }
    }
}

/// Pairs whose Elo is this on the scale of a test.
fn pairs(sprt: &Sprt, elo: f64, draws: f64) -> [f64; 5] {
    let world = World::normal(2, 0.0, draws);
    let (mut low, mut high) = (-2_000.0, 2_000.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if sprt.elo_of(world.pair(middle)) < elo { low = middle } else { high = middle }
    }
    world.pair(high)
}

/// Tests of which the games follow from a formula, and a short one that is simulated.
const TESTS: [(SprtModel, [f64; 2]); 3] =
    [(SprtModel::Logistic, [-5.0, 0.0]), (SprtModel::Normalized, [0.0, 5.0]), (SprtModel::Logistic, [-200.0, 200.0])];

#[test]
fn tests_err_as_often_as_allowed_and_take_longest_between_their_hypotheses() {
    for (model, [elo0, elo1]) in TESTS {
        let [alpha, beta] = [0.1, 0.05];
        let sprt = Sprt::new(model, [elo0, elo1], alpha, beta).expect("a test");
        let at = |place: f64| sprt.course(pairs(&sprt, elo0 + place * (elo1 - elo0), 0.0));
        let [below, first, middle, second, above] = [-1.0, 0.0, 0.5, 1.0, 2.0].map(at);
        // Few games step far beyond a bound, so that a short test errs less.
        let least = if elo1 - elo0 > 100.0 { 0.0 } else { 0.9 };
        for (errors, allowed) in [(first.accepts_elo1, alpha), (1.0 - second.accepts_elo1, beta)] {
            assert!((least..=1.1).contains(&(errors / allowed)), "{sprt:?} {first:?} {second:?}");
        }
        for (shorter, longer) in [(below, first), (first, middle), (second, middle), (above, second)] {
            assert!(shorter.games < longer.games, "{sprt:?} {shorter:?} {longer:?}");
        }
    }
}

#[test]
fn a_test_is_the_same_from_the_other_side() {
    for (model, [elo0, elo1]) in TESTS {
        let sprt = Sprt::new(model, [elo0, elo1], 0.05, 0.1).expect("a test");
        let mirrored = Sprt::new(model, [-elo1, -elo0], 0.1, 0.05).expect("a test");
        for place in [0.0, 0.5] {
            let pairs = pairs(&sprt, elo0 + place * (elo1 - elo0), 0.3);
            let mut swapped = pairs;
            swapped.reverse();
            let (own, other) = (sprt.course(pairs), mirrored.course(swapped));
            // Four standard errors of simulated ones.
            assert!((own.games / other.games - 1.0).abs() < 0.1, "{sprt:?} {own:?} {other:?}");
            assert!((own.accepts_elo1 + other.accepts_elo1 - 1.0).abs() < 0.05, "{sprt:?} {own:?} {other:?}");
        }
    }
}

#[test]
fn what_is_observed_of_simulated_bots_is_what_they_are() {
    const BOTS: usize = 8;
    let elo: Vec<f64> = (0..BOTS).map(|bot| 50.0 * (3.5 - bot as f64)).collect();
    // With a bias there would be fewer draws, since openings are less even.
    for (draws, dispersion, reaction) in [(0.0, 1.0, 0.0), (0.5, 0.5, 0.0), (0.0, 0.7, 0.1)] {
        let given = Observed { elo: elo.clone(), draws, dispersion, reaction };
        let world = World::like(&given, BOTS);
        let (counts, ratings) = play(Format::usual(), BOTS, 80, 1, world.law(1));
        let found = Observed::of(&counts, &ratings).expect("games");
        let spread = (found.elo.iter().map(|elo| elo * elo).sum::<f64>() / BOTS as f64).sqrt();
        assert!((spread / world.spread() - 1.0).abs() < 0.1, "{found:?}");
        assert!((found.draws - draws).abs() < 0.03, "{found:?}");
        assert!((found.dispersion / dispersion - 1.0).abs() < 0.15, "{found:?} {given:?}");
        assert!((found.reaction - reaction).abs() < 0.04, "{found:?} {given:?}");
    }
}
