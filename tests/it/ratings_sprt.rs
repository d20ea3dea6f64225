//! The test of a match, held against published cases and its laws.

use arena::rng::Rng;
use arena::stats::{MatchCounts, Sprt, SprtError, SprtModel, SprtVerdict};
use proptest::prelude::*;

fn sprt(model: SprtModel, elo: [f64; 2]) -> Sprt {
    Sprt::new(model, elo, 0.05, 0.05).expect("valid")
}

/// Cases of fastchess's own tests, to the two digits they give.
#[test]
fn published_cases_are_met() {
    use MatchCounts::{Games, Pairs};
    use SprtModel::{Logistic, Normalized};
    for (model, elo, counts, expected) in [
        (Normalized, [0.0, 2.0], Pairs([365, 16_618, 36_229, 16_974, 390]), 2.25),
        (Normalized, [-1.75, 0.25], Pairs([127, 4_883, 10_712, 5_150, 104]), 3.01),
        (Logistic, [0.0, 2.0], Pairs([871, 26_175, 55_983, 26_678, 821]), -4.98),
        (Normalized, [0.0, 2.0], Games([36_027, 68_692, 36_433]), 0.92),
    ] {
        let llr = sprt(model, elo).llr(&counts);
        assert!((llr - expected).abs() < 0.01, "{counts:?}: {llr}");
    }
}

/// Bounds far from the data, where other solvers gave the opposite sign.
#[test]
fn wide_bounds_are_solved() {
    let llr = sprt(SprtModel::Normalized, [500.0, 1500.0]).llr(&MatchCounts::Pairs([549, 54, 33, 1, 0]));
    assert!((llr + 1303.6).abs() < 0.1, "{llr}");
}

/// Nearly nothing but defeats, or wins, or draws: far from any hypothesis, and hardly any variance.
#[test]
fn extreme_results_are_solved() {
    use MatchCounts::{Games, Pairs};
    for (elo, counts, expected) in [
        ([0.0, 5.0], Games([10_000_000_000, 3, 5]), SprtVerdict::H0),
        ([-5.0, 0.0], Pairs([0, 0, 0, 0, 1_000_000_000]), SprtVerdict::H1),
        ([1_900.0, 2_000.0], Pairs([0, 0, 1_000_000, 0, 0]), SprtVerdict::H0),
    ] {
        let test = sprt(SprtModel::Normalized, elo);
        assert_eq!(test.verdict(&counts), expected, "{counts:?}: {}", test.llr(&counts));
        let mirrored = sprt(SprtModel::Normalized, [-elo[1], -elo[0]]).llr(&reversed(&counts));
        assert!((mirrored + test.llr(&counts)).abs() < 1e-3 * mirrored.abs(), "{counts:?}: {mirrored}");
    }
}

#[test]
fn verdicts_follow_the_bounds() {
    let test = sprt(SprtModel::Normalized, [0.0, 20.0]);
    let [lower, upper] = test.bounds();
    assert!((lower + 2.944_439).abs() < 1e-6 && (upper - 2.944_439).abs() < 1e-6);
    assert_eq!(test.verdict(&MatchCounts::Pairs([0; 5])), SprtVerdict::Undecided);
    assert_eq!(test.verdict(&MatchCounts::Pairs([0, 10, 30, 80, 20])), SprtVerdict::H1);
    assert_eq!(test.verdict(&MatchCounts::Pairs([20, 80, 30, 10, 0])), SprtVerdict::H0);
}

#[test]
fn the_expected_number_of_games_is_the_table_of_the_specification() {
    let table = [(5.0, 25_600.0, 41_900.0), (10.0, 6_400.0, 10_500.0), (20.0, 1_600.0, 2_600.0)];
    for (width, at_a_hypothesis, between) in table {
        for model in SprtModel::ALL {
            let games = sprt(model, [-width / 2.0, width / 2.0]).expected_games();
            assert!((games.at_elo0 / at_a_hypothesis - 1.0).abs() < 0.01, "{games:?}");
            assert!((games.at_elo1 / at_a_hypothesis - 1.0).abs() < 0.01, "{games:?}");
            assert!((games.between / between - 1.0).abs() < 0.01, "{games:?}");
        }
    }
}

/// The pairs at the end of a test. They are of two games without draws, each won with probability `win`.
fn played(test: &Sprt, win: f64, rng: &mut Rng) -> MatchCounts {
    let mut counts = [0; 5];
    while test.verdict(&MatchCounts::Pairs(counts)) == SprtVerdict::Undecided {
        let wins = (0..2).filter(|_| (rng.below(1 << 32) as f64) < win * (1_u64 << 32) as f64).count();
        counts[2 * wins] += 1;
    }
    MatchCounts::Pairs(counts)
}

/// The mean number of games of such tests.
fn games_played(test: &Sprt, win: f64, rng: &mut Rng) -> f64 {
    const TESTS: u32 = 150;
    let games: u64 = (0..TESTS).map(|_| played(test, win, rng).games()).sum();
    games as f64 / f64::from(TESTS)
}

/// The score of a bot that is stronger by this many Elo.
fn logistic(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// "A is not weaker than B by 100 Elo or more", "A is weaker than B", and their like.
#[test]
fn what_a_verdict_says_is_wrong_in_at_most_one_test_of_twenty() {
    const TESTS: usize = 400;
    let mut rng = Rng::new(39);
    for [elo0, elo1] in [[-100.0, 0.0], [0.0, 100.0], [50.0, 150.0]] {
        let test = sprt(SprtModel::Logistic, [elo0, elo1]);
        // What is said is that the difference is above elo0, or below elo1. It is nearest to true, and wrong, at these.
        for (truth, wrong) in [(elo0, SprtVerdict::H1), (elo1, SprtVerdict::H0)] {
            let ends = (0..TESTS).map(|_| test.verdict(&played(&test, logistic(truth), &mut rng)));
            let wrong = ends.filter(|verdict| *verdict == wrong).count();
            // Of 20 expected, 31 are two and a half standard deviations more.
            assert!((1..=31).contains(&wrong), "[{elo0}, {elo1}] at {truth}: {wrong} of {TESTS}");
        }
    }
}

#[test]
fn tests_take_as_many_games_as_expected_far_from_zero_too() {
    let mut rng = Rng::new(7);
    for elo in [[-200.0, -150.0], [0.0, 50.0], [300.0, 350.0]] {
        let test = sprt(SprtModel::Logistic, elo);
        let expected = test.expected_games();
        for (at, expected) in elo.into_iter().zip([expected.at_elo0, expected.at_elo1]) {
            let played = games_played(&test, logistic(at), &mut rng);
            // The last pair leads a little beyond the bound: by about 5 % of the way.
            let ratio = played / (1.05 * expected);
            assert!((0.87..1.15).contains(&ratio), "{elo:?} at {at}: {played} played, {expected} expected");
        }
    }
}

/// The error of the observed normalised Elo, far from zero, is also that of the deviation by which it is divided:
/// `1 - t γ + t² (κ - 1) / 4` times larger in squares for pairs with ratio t, skewness γ and kurtosis κ.
#[test]
fn normalized_tests_take_longer_far_from_zero() {
    let near = sprt(SprtModel::Normalized, [-1.0, 1.0]).expected_games();
    for elo in [-700.0, -150.0, 300.0, 500.0] {
        let ratio = elo * 10_f64.ln() / 800.0;
        let square = ratio * ratio;
        let longer = 1.0 + 2.5 * square + square * square;
        let games = sprt(SprtModel::Normalized, [elo - 1.0, elo + 1.0]).expected_games();
        for (far, near) in [(games.at_elo0, near.at_elo0), (games.between, near.between), (games.at_elo1, near.at_elo1)]
        {
            assert!((far / near / longer - 1.0).abs() < 0.02, "{elo}: {far} {near} {longer}");
        }
    }
}

#[test]
fn close_hypotheses_take_games_by_the_square_of_their_distance() {
    for model in SprtModel::ALL {
        let games = |width| sprt(model, [0.0, width]).expected_games();
        for width in [0.011, 0.009, 1e-4, 1e-8] {
            let [near, far] = [games(width), games(1.0)].map(|games| [games.at_elo0, games.at_elo1, games.between]);
            for (near, far) in near.into_iter().zip(far) {
                assert!((near * width * width / far - 1.0).abs() < 0.02, "{model:?} {width}: {near} {far}");
            }
        }
    }
}

#[test]
fn no_test_takes_less_than_a_pair() {
    let games = sprt(SprtModel::Normalized, [-1990.0, 1990.0]).expected_games();
    assert!([games.at_elo0, games.at_elo1, games.between].iter().all(|games| (games - 2.0).abs() < 1e-9), "{games:?}");
}

#[test]
fn impossible_tests_are_refused_with_the_reason() {
    let refused = |elo, alpha, beta| Sprt::new(SprtModel::Logistic, elo, alpha, beta).expect_err("refused").to_string();
    insta::assert_snapshot!(refused([5.0, 5.0], 0.05, 0.05), @"elo0 (5) must be less than elo1 (5)");
    insta::assert_snapshot!(refused([0.0, 5.0], 0.0, 0.05), @"alpha (0) and beta (0.05) must be above 0 and together below 1");
    insta::assert_snapshot!(refused([0.0, 5.0], 0.5, 0.5), @"alpha (0.5) and beta (0.5) must be above 0 and together below 1");
    insta::assert_snapshot!(refused([0.0, 5.0], f64::NAN, 0.5), @"alpha (NaN) and beta (0.5) must be above 0 and together below 1");
    insta::assert_snapshot!(refused([0.0, f64::INFINITY], 0.05, 0.05), @"inf is not between -2000 and 2000 Elo");
    assert!(matches!(Sprt::new(SprtModel::Logistic, [f64::NAN, 5.0], 0.05, 0.05), Err(SprtError::Elo(_))));
}

#[test]
fn what_a_match_says_beside_the_test() {
    let counts = MatchCounts::Pairs([5, 20, 50, 30, 10]);
    assert_eq!((counts.games(), counts.pair_ratio()), (230, Some(1.6)));
    let (elo, nelo) = (counts.duel().expect("games").elo, counts.normalized_elo().expect("spread"));
    insta::assert_snapshot!(format!("{:.2} {:.2} {:.2} | {:.2} {:.2} {:.2}", elo.lo, elo.elo, elo.hi, nelo.lo, nelo.elo, nelo.hi), @"-1.07 30.29 61.65 | -0.51 44.39 89.29");
    assert_eq!(MatchCounts::Pairs([0, 0, 9, 0, 0]).normalized_elo(), None);
    assert_eq!(MatchCounts::Pairs([0, 0, 9, 0, 0]).pair_ratio(), None);
    assert_eq!(MatchCounts::Pairs([0, 0, 9, 0, 1]).pair_ratio(), Some(f64::INFINITY));
    assert_eq!(MatchCounts::Games([0, 0, 0]).duel(), None);
}

fn counts() -> impl Strategy<Value = MatchCounts> {
    counts_of(|| prop_oneof![Just(0_u64), 0_u64..4, 0_u64..100, 0_u64..100_000].boxed())
}

/// Also more than anybody plays.
fn any_counts() -> impl Strategy<Value = MatchCounts> {
    counts_of(|| prop_oneof![Just(0_u64), 0_u64..4, 0_u64..100_000, 0_u64..=1_000_000_000_000].boxed())
}

fn counts_of(number: impl Fn() -> BoxedStrategy<u64>) -> impl Strategy<Value = MatchCounts> {
    prop_oneof![
        [number(), number(), number(), number(), number()].prop_map(MatchCounts::Pairs),
        [number(), number(), number()].prop_map(MatchCounts::Games),
    ]
}

/// The same counts from the other bot's side.
fn reversed(counts: &MatchCounts) -> MatchCounts {
    let mut counts = *counts;
    match &mut counts {
        MatchCounts::Pairs(counts) => counts.reverse(),
        MatchCounts::Games(counts) => counts.reverse(),
    }
    counts
}

fn hypotheses() -> impl Strategy<Value = [f64; 2]> {
    (-2000.0..2000.0, -2000.0..2000.0)
        .prop_filter("apart", |(x, y): &(f64, f64)| (x - y).abs() > 1e-3)
        .prop_map(|(x, y)| [x.min(y), x.max(y)])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_ratio_is_always_a_number(counts in any_counts(), elo in hypotheses()) {
        for model in SprtModel::ALL {
            let llr = sprt(model, elo).llr(&counts);
            prop_assert!(llr.is_finite(), "{model:?} {elo:?} {counts:?}: {llr}");
        }
    }

    #[test]
    fn the_nearer_hypothesis_is_the_better_one(counts in any_counts(), elo in hypotheses()) {
        let llr = sprt(SprtModel::Normalized, elo).llr(&counts);
        if let Some(seen) = counts.normalized_elo() {
            // Outcomes that were not seen count as a thousandth of one, which moves the others a little.
            prop_assert!(seen.elo > elo[0] - 1.0 || llr <= 1e-9, "{elo:?} {counts:?}: {llr}");
            prop_assert!(seen.elo < elo[1] + 1.0 || llr >= -1e-9, "{elo:?} {counts:?}: {llr}");
        }
    }

    #[test]
    fn the_other_side_sees_the_opposite(counts in any_counts(), elo in hypotheses()) {
        for model in SprtModel::ALL {
            let llr = sprt(model, elo).llr(&counts);
            let other = sprt(model, [-elo[1], -elo[0]]).llr(&reversed(&counts));
            prop_assert!((llr + other).abs() < 1e-3 * (1.0 + llr.abs()), "{model:?}: {llr} {other}");
        }
    }

    #[test]
    fn figures_are_numbers(counts in counts()) {
        if let Some(duel) = counts.duel() {
            prop_assert!(duel.elo.elo.is_finite() && duel.elo.lo <= duel.elo.elo && duel.elo.elo <= duel.elo.hi);
            let other = reversed(&counts).duel().expect("the same games");
            prop_assert!((duel.los + other.los - 1.0).abs() < 1e-9 && (duel.elo.hi + other.elo.lo).abs() < 1e-6 || duel.elo.hi.is_infinite());
        }
        prop_assert!(counts.normalized_elo().is_none_or(|nelo| nelo.elo.is_finite() && nelo.lo < nelo.hi));
    }
}
