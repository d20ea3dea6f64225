//! The laws that any rating must obey, whatever the games.

use arena::record::GameResult::{Draw, FirstWins, SecondWins};
use arena::rng::Rng;
use arena::stats::{Anchor, Counts, CountsBuilder, Estimate, RatingOptions, Sample, rate, transitivity};
use proptest::prelude::*;

use crate::ratings::{Game, PLAIN, WITH_SIDE, count};

fn some_games() -> impl Strategy<Value = Vec<Game>> {
    let result = prop::sample::select(vec![FirstWins, Draw, SecondWins]);
    let game = (0_usize..5, 0_usize..5, result, prop::option::of(0_u32..4));
    prop::collection::vec(game, 0..40)
}

/// The games as they are, and with known openings: of a cluster, whatever its bots.
fn both_ways(games: &[Game]) -> [Counts; 2] {
    let mut builder = CountsBuilder::new(5);
    for &(first, second, result, cluster) in games {
        let opening = Some(cluster.unwrap_or(4));
        builder.add_sample(first, second, result, Sample { cluster, pair: cluster, opening });
    }
    [count(5, games), builder.finish()]
}

fn options() -> impl Strategy<Value = RatingOptions> {
    let draws = prop::sample::select(vec![0.0, 0.0, 1.5]);
    (any::<bool>(), prop::option::of(0_usize..5), draws, any::<bool>()).prop_map(
        |(fit_side, anchor, prior_draws, fitted_prior)| {
            let anchor = anchor.map(|bot| Anchor { bot, elo: 1000.0 });
            RatingOptions { fit_side, anchor, prior_draws, fitted_prior }
        },
    )
}

/// Everything reported about a field is a valid number.
#[track_caller]
fn assert_sane(counts: &Counts, options: &RatingOptions) {
    let ratings = rate(counts, options);
    for a in 0..counts.bots() {
        let Some(rating) = ratings.of(a) else { continue };
        let Estimate { elo, lo, hi } = rating.elo;
        assert!(elo.is_finite() && lo <= elo && elo <= hi, "{counts:?} {options:?}: {rating:?}");
        assert!(elo.abs() < 20_000.0, "{counts:?} {options:?}: {rating:?}");
        for b in 0..counts.bots() {
            if let Some(los) = ratings.los(a, b) {
                assert!((0.0..=1.0).contains(&los), "{los}");
                assert!((los + ratings.los(b, a).expect("as comparable") - 1.0).abs() < 1e-12);
            }
            assert!(ratings.expected(a, b).is_none_or(|p| (0.0..=1.0).contains(&p)));
            assert!(ratings.difference(a, b).is_none_or(|d| d.lo.is_finite() && d.hi.is_finite()));
        }
    }
    for range in ratings.rank_ranges().into_iter().flatten() {
        assert!(1 <= *range.start() && range.start() <= range.end() && *range.end() <= counts.bots(), "{range:?}");
    }
    if let Some(Estimate { elo, lo, hi }) = ratings.side.elo {
        assert!(lo <= elo && elo <= hi, "{counts:?} {options:?}: {:?}", ratings.side);
    }
    let order: Vec<usize> = (0..counts.bots()).collect();
    assert!(ratings.neighbours(&order).all(|pair| pair.elo.is_finite() && pair.sd.is_finite()));
    let found = transitivity(counts, &ratings);
    assert!(found.residual_z.iter().flatten().all(|z| z.is_finite()), "{counts:?} {options:?}: {found:?}");
    assert!(found.p.iter().all(|p| (0.0..=1.0).contains(p)), "{counts:?} {options:?}: {found:?}");
    for pairing in counts.pairings() {
        let duel = pairing.duel().expect("they met");
        assert!(duel.elo.elo.is_finite() && duel.elo.lo <= duel.elo.elo && duel.elo.elo <= duel.elo.hi, "{duel:?}");
        assert!((0.0..=1.0).contains(&duel.los));
    }
}

/// All tables of counts 0 to 3 of the results of two bots, by seat, with every way to cluster that matters.
#[test]
fn every_small_table_of_two_bots_is_rated() {
    for table in 0..4_usize.pow(6) {
        let digit = |at: u32| table / 4_usize.pow(at) % 4;
        for clustered in [false, true] {
            let mut games = Vec::new();
            for (at, (seats, result)) in [
                ([0, 1], FirstWins),
                ([0, 1], Draw),
                ([0, 1], SecondWins),
                ([1, 0], FirstWins),
                ([1, 0], Draw),
                ([1, 0], SecondWins),
            ]
            .into_iter()
            .enumerate()
            {
                let first = games.len() as u32;
                games.extend(
                    (0..digit(at as u32) as u32)
                        .map(|n| (seats[0], seats[1], result, clustered.then_some((first + n) % 4))),
                );
            }
            let counts = count(2, &games);
            assert_sane(&counts, &PLAIN);
            assert_sane(&counts, &WITH_SIDE);
        }
    }
}

/// All tables of counts 0 to 3 of wins and losses among three bots, draws by the parity of the table.
#[test]
fn every_small_table_of_three_bots_is_rated() {
    for table in 0..4_usize.pow(6) {
        let mut games = Vec::new();
        for (at, (a, b)) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)].into_iter().enumerate() {
            let wins = table / 4_usize.pow(at as u32) % 4;
            games.extend(std::iter::repeat_n((a, b, FirstWins, None), wins));
        }
        assert_sane(&count(3, &games), &PLAIN);
        assert_sane(&count(3, &games), &WITH_SIDE);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_table_of_counts_up_to_three_between_four_bots_is_rated(
        table in prop::collection::vec(0_usize..4, 36),
        sparse in prop::collection::vec(any::<bool>(), 12),
        options in options(),
    ) {
        let seats: Vec<(usize, usize)> =
            (0..4).flat_map(|a| (0..4).filter(move |b| *b != a).map(move |b| (a, b))).collect();
        let mut games = Vec::new();
        for (at, (a, b)) in seats.into_iter().enumerate().filter(|(at, _)| sparse[*at]) {
            for (kind, result) in [FirstWins, Draw, SecondWins].into_iter().enumerate() {
                let count = table[3 * at + kind];
                games.extend((0..count as u32).map(|pair| (a, b, result, (kind == 0).then_some(pair))));
            }
        }
        assert_sane(&count(4, &games), &options);
    }

    #[test]
    fn any_games_with_any_options_are_rated(games in some_games(), options in options()) {
        for counts in &both_ways(&games) {
            assert_sane(counts, &options);
        }
    }

    #[test]
    fn the_order_of_games_does_not_change_a_bit(games in some_games(), seed in any::<u64>(), options in options()) {
        let mut other = games.clone();
        Rng::new(seed).shuffle(&mut other);
        for (one, other) in both_ways(&games).iter().zip(&both_ways(&other)) {
            let ratings = [one, other].map(|counts| rate(counts, &options));
            for bot in 0..5 {
                prop_assert_eq!(ratings[0].of(bot), ratings[1].of(bot));
            }
        }
    }

    #[test]
    fn other_names_give_the_same_ratings(games in some_games(), fit_side in any::<bool>()) {
        let options = RatingOptions { fit_side, ..PLAIN };
        let renamed: Vec<Game> = games.iter().map(|&(a, b, result, pair)| (4 - a, 4 - b, result, pair)).collect();
        for (one, renamed) in both_ways(&games).iter().zip(&both_ways(&renamed)) {
        let ratings = [one, renamed].map(|counts| rate(counts, &options));
        for (a, b) in (0..5).flat_map(|a| (0..5).map(move |b| (a, b))) {
            let differences = [ratings[0].difference(a, b), ratings[1].difference(4 - a, 4 - b)];
            prop_assert_eq!(differences[0].is_some(), differences[1].is_some());
            if let [Some(x), Some(y)] = differences {
                // Margins of hundreds of Elo are sums of squares, which lose half of the digits.
                prop_assert!((x.elo - y.elo).abs() < 1e-6 && (x.hi - y.hi).abs() < 1e-4, "{x:?} {y:?}");
            }
        }
        }
    }

    #[test]
    fn seen_from_the_other_side_everything_is_the_other_way_round(games in some_games()) {
        let swapped: Vec<Game> = games
            .iter()
            .map(|&(a, b, result, pair)| {
                let result = match result { FirstWins => SecondWins, SecondWins => FirstWins, other => other };
                (a, b, result, pair)
            })
            .collect();
        for (one, swapped) in both_ways(&games).iter().zip(&both_ways(&swapped)) {
        let ratings = [one, swapped].map(|counts| rate(counts, &WITH_SIDE));
        for (a, b) in (0..5).flat_map(|a| (0..5).map(move |b| (a, b))) {
            if let (Some(x), Some(y)) = (ratings[0].difference(a, b), ratings[1].difference(a, b)) {
                prop_assert!((x.elo + y.elo).abs() < 1e-6 && (x.hi + y.lo).abs() < 1e-4, "{x:?} {y:?}");
            }
        }
        if let [Some(x), Some(y)] = ratings.map(|ratings| ratings.side.elo) {
            prop_assert!((x.elo + y.elo).abs() < 1e-6 || x.elo.is_infinite() && y.elo.is_infinite() && x.elo.signum() != y.elo.signum(), "{x:?} {y:?}");
        }
        }
    }

    #[test]
    fn two_bots_in_the_joint_fit_are_a_duel(games in some_games()) {
        let counts = count(2, &games);
        for pairing in counts.pairings() {
            let duel = pairing.duel().expect("they met");
            let ratings = rate(&counts, &PLAIN);
            let joint = ratings.difference(0, 1).expect("they met");
            prop_assert!((joint.elo - duel.elo.elo).abs() < 1e-6, "{joint:?} {duel:?}");
            for (joint, alone) in [(joint.lo, duel.elo.lo), (joint.hi, duel.elo.hi)] {
                prop_assert!(alone.is_infinite() || (joint - alone).abs() < 1e-5);
            }
            prop_assert!((ratings.los(0, 1).expect("they met") - duel.los).abs() < 1e-7);
        }
    }

    #[test]
    fn expected_points_are_the_points_obtained(games in some_games()) {
        let counts = count(5, &games);
        let ratings = rate(&counts, &RatingOptions { prior_draws: 0.0, ..PLAIN });
        let open = (0..5).filter_map(|bot| ratings.of(bot)).any(|r| r.elo.lo.is_infinite() || r.elo.hi.is_infinite());
        let mut surplus = [0.0; 5];
        for met in counts.pairings() {
            let total = met.total();
            let above = total.half_points() as f64 / 2.0
                - total.games() as f64 * ratings.expected(met.a, met.b).expect("they met");
            surplus[met.a] += above;
            surplus[met.b] -= above;
        }
        prop_assert!(open || surplus.iter().all(|points| points.abs() < 1e-8), "{surplus:?}");
    }

    /// Games that are repeated within their cluster are no further evidence: not for strength, nor for the first seat.
    #[test]
    fn repeated_games_change_no_margin(games in some_games(), copies in 2_usize..40) {
        let alone = |(game, cluster): (Game, u32)| (game.0, game.1, game.2, Some(game.3.unwrap_or(cluster)));
        let once: Vec<Game> = games.into_iter().zip(10..).map(alone).collect();
        let rated = |copies| rate(&count(5, &once.repeat(copies)), &PLAIN);
        let [one, many] = [1, copies].map(rated);
        let closed = |ratings: &arena::stats::Ratings| {
            (0..5).filter_map(|bot| ratings.of(bot)).all(|rating| rating.elo.lo.is_finite() && rating.elo.hi.is_finite())
        };
        let close = |x: f64, y: f64| (x - y).abs() < 1e-5 * (1.0 + x.abs()) || x.to_bits() == y.to_bits();
        if closed(&one) {
            for bot in 0..5 {
                let [x, y] = [&one, &many].map(|ratings| ratings.of(bot).map(|rating| rating.elo));
                prop_assert!(x.is_none() && y.is_none() || x.zip(y).is_some_and(|(x, y)| close(x.lo, y.lo)), "{x:?} {y:?}");
            }
        }
        if let [Some(x), Some(y)] = [one.side.elo, many.side.elo]
            && x.lo.is_finite()
            && x.hi.is_finite()
            && closed(&one)
        {
            prop_assert!(close(x.lo, y.lo) && close(x.hi, y.hi), "{x:?} {y:?}");
        }
    }

    /// The sandwich is S + W for one copy, S/k + W/k² for k copies: errors shrink with the square root of the number of
    /// games, except for the extra pair, which fades.
    #[test]
    fn duplicated_games_shrink_errors_by_the_square_root(games in some_games()) {
        let variance = |copies: u32| {
            let games: Vec<Game> = (0..copies)
                .flat_map(|copy| games.iter().map(move |&(a, b, result, pair)| {
                    (a, b, result, pair.map(|pair| 10 * copy + pair))
                }))
                .collect();
            let ratings = rate(&count(5, &games), &PLAIN);
            let open = (0..5).filter_map(|bot| ratings.of(bot)).any(|r| r.elo.lo.is_infinite() || r.elo.hi.is_infinite());
            ratings.difference(0, 1).filter(|_| !open).map(|d| ((d.hi - d.elo) / 100.0).powi(2) * f64::from(copies))
        };
        if let [Some(one), Some(two), Some(four)] = [1, 2, 4].map(variance) {
            prop_assert!(((one - two) - 2.0 * (two - four)).abs() < 1e-7 * (1.0 + one), "{one} {two} {four}");
        }
    }
}

/// A tournament under the model: `pairs` swapped pairs of each pairing. The second game of a pair goes as the first with
/// probability `alike`, and a game is drawn with probability `drawn`, more often between equals.
fn by_the_model(strengths: &[f64], pairs: u32, [alike, drawn]: [f64; 2], rng: &mut Rng) -> Counts {
    let mut chance = || rng.below(1 << 30) as f64 / f64::from(1 << 30);
    let mut games = Vec::new();
    for a in 0..strengths.len() {
        for b in 0..a {
            let p = 1.0 / (1.0 + (strengths[b] - strengths[a]).exp());
            let draw = 2.0 * drawn * p.min(1.0 - p);
            for pair in 0..pairs {
                let mut play = || match chance() {
                    u if u < p - draw / 2.0 => [FirstWins, SecondWins],
                    u if u < p + draw / 2.0 => [Draw, Draw],
                    _ => [SecondWins, FirstWins],
                };
                let first = play();
                let second = play();
                let second = if chance() < alike { first } else { second };
                games.extend([(a, b, first[0], Some(pair)), (b, a, second[1], Some(pair))]);
            }
        }
    }
    count(strengths.len(), &games)
}

/// In a field that one number per bot describes, the test finds something else at most as often as its level says, from
/// close to hopeless fields, with independent and with equal games of a pair, with and without draws.
#[test]
fn a_field_of_the_model_is_rarely_doubted() {
    const RUNS: u32 = 150;
    let mut rng = Rng::new(5);
    for (bots, width, pairs, pair) in [
        (3, 0.3, 40, [0.0, 0.0]),
        (4, 2.0, 30, [1.0, 0.0]),
        (8, 1.0, 25, [0.5, 0.6]),
        (8, 3.0, 20, [0.0, 0.9]),
        (12, 2.0, 5, [1.0, 0.3]),
        (6, 1.5, 100, [0.0, 0.95]),
    ] {
        let mut doubted = 0;
        for _ in 0..RUNS {
            let strengths: Vec<f64> = (0..bots).map(|_| width * rng.normal()).collect();
            let counts = by_the_model(&strengths, pairs, pair, &mut rng);
            let found = transitivity(&counts, &rate(&counts, &PLAIN));
            doubted += u32::from(found.test.is_some_and(|test| test.p < 0.05));
        }
        assert!(f64::from(doubted) < f64::from(RUNS) * 0.1, "{bots} bots, {width}, {pairs} pairs, {pair:?}: {doubted}");
    }
}

/// One game that was to be won in 6 of 1,000 tournaments says nothing among hundreds.
#[test]
fn a_single_upset_is_not_a_finding() {
    // Bots far apart, of which each takes a third of the points from the next, and the weakest takes one game from the best.
    let mut games = Vec::new();
    for a in 0..6_usize {
        for b in 0..a {
            for pair in 0..50 {
                let lost = a - b == 1 && pair % 3 == 0 || (a, b, pair) == (5, 0, 0);
                let kept = if lost { SecondWins } else { FirstWins };
                games.extend([(a, b, kept, Some(pair)), (b, a, SecondWins, Some(pair))]);
            }
        }
    }
    let counts = count(6, &games);
    let ratings = rate(&counts, &PLAIN);
    let upset = ratings.expected(0, 5).expect("comparable") * 100.0;
    let found = transitivity(&counts, &ratings);
    let place = counts.pairings().position(|met| (met.a, met.b) == (0, 5)).expect("they met");
    assert!(upset < 0.1 && found.residual_z[place].is_none() && found.p[place] > 0.5, "{upset}: {:?}", found.p);
}

/// A cycle among five bots is found, and its pairings alone are named.
#[test]
fn a_cycle_within_a_field_is_named() {
    let mut rng = Rng::new(8);
    let mut games = Vec::new();
    for a in 0..5_usize {
        for b in 0..a {
            let cycle = match (a, b) {
                (1, 0) | (2, 1) => 85,
                (2, 0) => 15,
                _ => 50,
            };
            for pair in 0..60 {
                let mut won = || rng.below(100) < cycle;
                let [x, y] = [won(), won()];
                games.push((a, b, if x { FirstWins } else { SecondWins }, Some(pair)));
                games.push((b, a, if y { SecondWins } else { FirstWins }, Some(pair)));
            }
        }
    }
    let counts = count(5, &games);
    let found = transitivity(&counts, &rate(&counts, &PLAIN));
    assert!(found.test.is_some_and(|test| test.p < 1e-6 && test.pairings == 10), "{found:?}");
    for (met, p) in counts.pairings().zip(&found.p) {
        assert_eq!(*p < 0.01, met.a < 3 && met.b < 3, "{} {}: {p}", met.a, met.b);
    }
}
