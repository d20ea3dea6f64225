//! Tests of the Davidson fit against closed forms, `SciPy` and its own laws.

use proptest::prelude::*;

use super::*;
use crate::counts::BySeat;
use crate::testing::{TestGame, counted, tables};
use crate::{Anchor, RatingOptions, Tally, rate};
use arena_rules::result::GameResult::{Draw, FirstWins, SecondWins};

/// Two bots that alternate seats as far as possible, with these results of the first.
fn two(wins: usize, draws: usize, losses: usize) -> Counts {
    let as_first = [(FirstWins, wins), (Draw, draws), (SecondWins, losses)];
    let results = as_first.into_iter().flat_map(|(result, count)| std::iter::repeat_n(result, count));
    counted(2, results.map(|result| (0, 1, result, None)))
}

#[track_caller]
fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, expected {expected}");
}

/// Observed minus expected: points of each bot, points of the first seat, draws.
fn surplus(counts: &Counts, fit: &Davidson) -> Vec<f64> {
    let (bots, mut surplus) = (counts.bots(), vec![0.0; counts.bots() + 2]);
    for met in counts.pairings() {
        let BySeat { as_first, as_second } = met.games();
        for (tally, first, second) in [(as_first, met.a, met.b), (as_second.reversed(), met.b, met.a)] {
            let d = fit.at[first] - fit.at[second] + fit.at[bots];
            let weights = [(d / 2.0).exp(), fit.nu, (-d / 2.0).exp()];
            let games = tally.games() as f64 / weights.iter().sum::<f64>();
            let points = tally.half_points() as f64 / 2.0 - games * (weights[0] + weights[1] / 2.0);
            surplus[first] += points;
            surplus[second] -= points;
            surplus[bots] += points;
            surplus[bots + 1] += tally.draws as f64 - games * weights[1];
        }
    }
    surplus
}

#[test]
fn two_bots_have_a_closed_form_solution() {
    for (wins, draws, losses) in [(30, 60, 10), (5, 1, 2), (1, 0, 1), (1, 40, 3), (7, 0, 2)] {
        let fit = davidson(&two(wins, draws, losses), false).unwrap();
        let [w, d, l] = [wins, draws, losses].map(|count| count as f64);
        let nu = d / (w * l).sqrt();
        assert!(!fit.held);
        assert_close(fit.nu, nu, 1e-9 * (1.0 + nu));
        assert_close(fit.of(0).unwrap().elo - fit.of(1).unwrap().elo, ELO_PER_NAT * (w / l).ln(), 1e-7);
        assert_close(fit.equal_draw_rate, nu / (2.0 + nu), 1e-9);
        let found = fit.predict(0, 1).unwrap();
        found.iter().zip([w, d, l]).for_each(|(p, n)| assert_close(*p, n / (w + d + l), 1e-9));
    }
    let fit = davidson(&two(30, 60, 10), false).unwrap();
    let [a, b] = [0, 1].map(|bot| *fit.of(bot).unwrap());
    assert_close(a.elo - b.elo, 190.85, 0.005);
    assert_close(a.scaled_elo - b.scaled_elo, 69.86, 0.005);
}

#[test]
fn without_draws_it_equals_the_main_fit() {
    let games = [(0, 1), (1, 2), (2, 0), (0, 1), (0, 3), (1, 0), (3, 4), (5, 6)];
    let counts = counted(7, games.map(|(first, second)| (first, second, FirstWins, None)));
    for fit_side in [false, true] {
        let fit = davidson(&counts, fit_side).unwrap();
        let ratings = rate(&counts, &RatingOptions { fit_side, ..RatingOptions::default() });
        assert_eq!([fit.nu, fit.equal_draw_rate, fit.scale()].map(f64::to_bits), [0.0, 0.0, 1.0_f64].map(f64::to_bits));
        assert!(!fit.held);
        // The first seat won every game.
        assert_eq!(fit.gamma, fit_side.then_some(f64::INFINITY));
        let levelled = fit.clone().aligned_with(&ratings);
        for bot in 0..7 {
            let strength = levelled.of(bot).unwrap();
            assert_close(strength.scaled_elo, ratings.of(bot).unwrap().elo.elo, 1e-6);
            assert_eq!(strength.group, ratings.of(bot).unwrap().group);
        }
        assert_eq!((fit.predict(0, 5), fit.predict(0, 7)), (None, None));
        assert_eq!(fit.predict(0, 1).map(|[win, draw, loss]| (draw, win + loss)), Some((0.0, 1.0)));
    }
}

#[test]
fn if_all_games_are_draws_all_bots_are_equal() {
    let fit = davidson(&counted(4, [(0, 1, Draw, None), (1, 2, Draw, None), (1, 0, Draw, None)]), true).unwrap();
    assert!(fit.nu == f64::INFINITY && fit.equal_draw_rate >= 1.0 && fit.gamma == Some(0.0) && !fit.held);
    assert_eq!(fit.of(2), Some(&DavidsonStrength { elo: 0.0, scaled_elo: 0.0, group: 0 }));
    assert_eq!((fit.of(3), fit.predict(0, 3), fit.predict(0, 2)), (None, None, Some([0.0, 1.0, 0.0])));
    assert_eq!(davidson(&two(0, 5, 0), true).unwrap().gamma, None);
    assert_eq!(davidson(&counted(3, []), true), None);
    assert_eq!(davidson(&counted(0, []), false), None);
}

#[test]
fn a_bot_that_wins_and_draws_but_never_loses_gets_a_virtual_game() {
    // Half a virtual win and half a loss: 3.5 to 0.5 among decisive games, and two draws in five games.
    let fit = davidson(&two(3, 2, 0), false).unwrap();
    assert!(fit.held);
    let apart = 7.0_f64.ln();
    assert_close(fit.of(0).unwrap().elo - fit.of(1).unwrap().elo, apart * ELO_PER_NAT, 1e-6);
    assert_close(fit.nu, 2.0 / 3.0 * ((apart / 2.0).exp() + (-apart / 2.0).exp()), 1e-8);
    assert_close(fit.predict(0, 1).unwrap()[1], 0.4, 1e-9);
}

#[test]
fn a_ring_with_more_wins_than_draws_needs_no_virtual_games() {
    // No bot loses to one that it beat.
    let ring = [(0, 1, FirstWins), (1, 2, FirstWins), (2, 0, FirstWins), (0, 1, Draw), (2, 3, Draw), (3, 2, Draw)];
    let counts = counted(4, ring.map(|(first, second, result)| (first, second, result, None)));
    let fit = davidson(&counts, false).unwrap();
    let surplus = surplus(&counts, &fit);
    assert!(!fit.held && [0, 1, 2, 3, 5].iter().all(|at| surplus[*at].abs() < 1e-8), "{fit:?} {surplus:?}");
}

#[test]
fn huge_numbers_of_games_give_the_same_fit() {
    let games = |counts: [u64; 3]| Tally { wins: counts[0], draws: counts[1], losses: counts[2] };
    for (tally, held) in [([1, 10_000_000, 1], false), ([9_000_000, 5, 1], false), ([2_000_000, 2_000_000, 0], true)] {
        let mut counts = two(1, 0, 0);
        counts.shapes.push(super::super::BySeat { as_first: games(tally), as_second: Tally::default() });
        counts.points = counts.shapes.iter().map(Into::into).collect();
        counts.entries[0].shape = counts.shapes.len() as u32 - 1;
        let fit = davidson(&counts, false).unwrap();
        assert_eq!(fit.held, held, "{tally:?} {fit:?}");
        let [w, d, l] = tally.map(|count| count as f64);
        assert_close(fit.predict(0, 1).unwrap()[1], d / (w + d + l), 1e-9);
    }
}

/// The games of a data set written by other tools (`tests/data/ratings/README.md`).
fn games(file: &str) -> Vec<TestGame> {
    let bot = |name: &str| name.strip_prefix("bot").unwrap().parse().unwrap();
    let game = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let result = if cells[2] == "1-0" {
            FirstWins
        } else if cells[2] == "0-1" {
            SecondWins
        } else {
            Draw
        };
        (bot(cells[0]), bot(cells[1]), result, cells[3].parse().ok())
    };
    file.lines().skip(1).map(game).collect()
}

/// Expected values from `scipy.optimize.minimize` (scipy 1.17.1; BFGS on the likelihood of single games, implemented
/// from the formula in the module documentation): ν, γ, strengths in Elo, predict(0, last).
#[test]
fn agrees_with_scipy() {
    let eight = include_str!("../../../../tests/data/ratings/eight.csv");
    let one_sided = include_str!("../../../../tests/data/ratings/one_sided.csv");
    let check = |file: &str, nu: f64, gamma: Option<f64>, elo: &[f64], chances: [f64; 3]| {
        let bots = elo.len();
        let fit = davidson(&counted(bots, games(file)), gamma.is_some()).unwrap();
        assert_close(fit.nu, nu, 2e-6);
        assert_eq!(fit.gamma.is_some(), gamma.is_some());
        assert_close(fit.gamma.unwrap_or(0.0), gamma.unwrap_or(0.0), 2e-3);
        elo.iter().enumerate().for_each(|(bot, elo)| assert_close(fit.of(bot).unwrap().elo, *elo, 0.006));
        fit.predict(0, bots - 1).unwrap().iter().zip(chances).for_each(|(p, q)| assert_close(*p, q, 1e-6));
    };
    let elo = [143.59, 164.35, 70.81, 70.81, -37.34, -53.32, -184.85, -174.05];
    check(eight, 0.703_953, None, &elo, [0.693_083, 0.195_563, 0.111_353]);
    let elo = [144.28, 165.14, 71.15, 71.15, -37.53, -53.59, -185.73, -174.88];
    check(eight, 0.706_493, Some(29.516), &elo, [0.693_146, 0.195_540, 0.111_315]);
    let elo = [147.22, 101.98, -2.08, -30.25, -60.68, -156.20];
    check(one_sided, 0.637_036, None, &elo, [0.694_266, 0.184_679, 0.121_055]);
    let elo = [134.89, 94.06, -9.09, -31.38, -46.80, -141.67];
    check(one_sided, 0.650_668, Some(73.648), &elo, [0.663_504, 0.195_014, 0.141_482]);
}

#[test]
fn it_can_be_aligned_with_anchored_ratings() {
    let counts = counted(8, games(include_str!("../../../../tests/data/ratings/eight.csv")));
    let anchor = Some(Anchor { bot: 3, elo: 1500.0 });
    let ratings = rate(&counts, &RatingOptions { anchor, ..RatingOptions::default() });
    let fit = davidson(&counts, false).unwrap().aligned_with(&ratings);
    assert_close(fit.of(3).unwrap().elo, 1500.0, 1e-9);
    assert_close(fit.of(3).unwrap().scaled_elo, 1500.0, 1e-9);
    // Davidson's own scale is a third longer; converted to Elo, it agrees within the difference of the curves.
    for bot in 0..8 {
        assert_close(fit.of(bot).unwrap().scaled_elo, ratings.of(bot).unwrap().elo.elo, 6.0);
    }
}

/// Whether θ and ν have a maximum without γ: the condition in the module documentation, from single games.
fn has_maximum(counts: &Counts) -> bool {
    let bots = counts.bots();
    let classes = Graph::new(counts).strong_classes();
    // The longest path between any two bots, with wins counted as 1 and draws as -1.
    let mut best = vec![vec![f64::NEG_INFINITY; bots]; bots];
    for met in counts.pairings() {
        if classes[met.a] != classes[met.b] {
            return true;
        }
        let total = met.total();
        for (from, to, wins) in [(met.a, met.b, total.wins), (met.b, met.a, total.losses)] {
            if total.draws > 0 {
                best[from][to] = -1.0;
            }
            if wins > 0 {
                best[from][to] = 1.0;
            }
        }
    }
    for via in 0..bots {
        for from in 0..bots {
            for to in 0..bots {
                best[from][to] = best[from][to].max(best[from][via] + best[via][to]);
            }
        }
    }
    (0..bots).any(|bot| best[bot][bot] > 0.0)
}

proptest! {
    #[test]
    fn its_numbers_are_always_valid((bots, games) in tables(), fit_side in any::<bool>()) {
        let counts = counted(bots, games.clone());
        let played = counts.first_seat();
        let Some(fit) = davidson(&counts, fit_side) else {
            prop_assert_eq!(played.games(), 0);
            return Ok(());
        };
        prop_assert_eq!(fit.nu == 0.0, played.draws == 0);
        prop_assert_eq!(fit.nu == f64::INFINITY, played.draws == played.games());
        prop_assert!(fit.nu >= 0.0 && (0.0..=1.0).contains(&fit.equal_draw_rate), "{:?}", fit);
        prop_assert!(fit.gamma.is_none_or(|gamma| !gamma.is_nan()));
        prop_assert!(fit_side || fit.gamma.is_none());
        if !fit_side && played.draws > 0 && played.draws < played.games() {
            prop_assert_eq!(fit.held, !has_maximum(&counts), "{:?}", fit);
        }
        let ratings = rate(&counts, &RatingOptions { fit_side, ..RatingOptions::default() });
        for fit in [fit.clone(), fit.clone().aligned_with(&ratings)] {
            for a in 0..bots {
                prop_assert_eq!(fit.of(a).map(|own| own.group), ratings.of(a).map(|own| own.group));
                prop_assert!(fit.of(a).is_none_or(|own| own.elo.is_finite() && own.scaled_elo.is_finite()));
                for b in 0..bots {
                    let Some(chances) = fit.predict(a, b) else { continue };
                    prop_assert!(chances.iter().all(|p| (0.0..=1.0).contains(p)), "{:?}", chances);
                    prop_assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                    let [win, draw, loss] = fit.predict(b, a).unwrap();
                    let close = chances.iter().zip([loss, draw, win]).all(|(p, q)| (p - q).abs() < 1e-12);
                    prop_assert!(close, "{:?}", chances);
                }
            }
        }
    }

    #[test]
    fn observations_equal_expectations((bots, games) in tables(), fit_side in any::<bool>()) {
        let counts = counted(bots, games);
        let graph = Graph::new(&counts);
        let connected = Connectivity::new(&counts, &graph, 0.0).draws.is_empty();
        let fit = davidson(&counts, fit_side).filter(|fit| {
            let side_held = fit_side && fit.gamma.is_none_or(f64::is_infinite);
            connected && !fit.held && !side_held && fit.nu.is_finite()
        });
        if let Some(fit) = fit {
            let surplus = surplus(&counts, &fit);
            let fitted = |at: &usize| fit_side || *at != bots;
            prop_assert!((0..bots + 2).filter(fitted).all(|at| surplus[at].abs() < 1e-6), "{:?}", surplus);
        }
    }

    #[test]
    fn names_and_order_do_not_matter((bots, games) in tables(), fit_side in any::<bool>(), turn in 0_usize..6) {
        let fit = davidson(&counted(bots, games.clone()), fit_side);
        let backwards = davidson(&counted(bots, games.iter().rev().copied()), fit_side);
        prop_assert_eq!(&fit, &backwards);
        let renamed = |bot: usize| if bot < bots { (bots - 1 - bot + turn) % bots } else { bot };
        let games = games.into_iter().map(|(a, b, result, cluster)| (renamed(a), renamed(b), result, cluster));
        let other = davidson(&counted(bots, games), fit_side);
        prop_assert_eq!(fit.is_some(), other.is_some());
        let Some((fit, other)) = fit.zip(other) else { return Ok(()) };
        let infinite = fit.nu.is_infinite() && other.nu.is_infinite();
        prop_assert!(infinite || (fit.nu - other.nu).abs() < 1e-6 * (1.0 + fit.nu));
        prop_assert_eq!((fit.held, fit.gamma.is_some()), (other.held, other.gamma.is_some()));
        for bot in 0..bots {
            let pair = fit.of(bot).zip(other.of(renamed(bot)));
            prop_assert!(pair.is_none_or(|(x, y)| (x.elo - y.elo).abs() < 1e-4), "{:?}", pair);
        }
    }
}
