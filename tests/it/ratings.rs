//! Ratings held against other tools, and against the laws that any rating must obey.
//!
//! Data sets and expected values are in `tests/data/ratings/`, made by hand with `choix`, `scipy` and `numpy`; its README
//! has the versions. Ordo was not obtainable.

use std::path::Path;

use arena::record::GameResult::{self, Draw, FirstWins, SecondWins};
use arena::rng::Rng;
use arena::stats::{Anchor, Counts, CountsBuilder, Estimate, RatingOptions, Ratings, nash_average, rate, transitivity};
use proptest::prelude::*;

pub(crate) type Game = (usize, usize, GameResult, Option<u32>);

pub(crate) fn count(bots: usize, games: &[Game]) -> Counts {
    let mut builder = CountsBuilder::new(bots);
    for &(first, second, result, pair) in games {
        builder.add(first, second, result, pair);
    }
    builder.finish()
}

const WITH_SIDE: RatingOptions = RatingOptions { fit_side: true, anchor: None, prior_draws: 0.0 };

fn elo(ratings: &Ratings, bot: usize) -> Estimate {
    ratings.of(bot).expect("it played").elo
}

/// The rows of a data file, header left out.
fn rows(file: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/ratings").join(file);
    let mut reader = csv::Reader::from_path(&path).expect("the file is there");
    reader.records().map(|row| row.expect("a row").iter().map(str::to_owned).collect()).collect()
}

fn bot(name: &str) -> usize {
    name.strip_prefix("bot").and_then(|number| number.parse().ok()).expect("bots are numbered")
}

/// The ratings of a data set differ from those of other tools by at most 0.05 Elo, 0.1 with the side advantage.
#[track_caller]
fn check_against_other_tools(name: &str) {
    let games: Vec<Game> = rows(&format!("{name}.csv"))
        .iter()
        .map(|row| {
            let result = match row[2].as_str() {
                "1-0" => FirstWins,
                "0-1" => SecondWins,
                _ => Draw,
            };
            (bot(&row[0]), bot(&row[1]), result, Some(row[3].parse().expect("a pair")))
        })
        .collect();
    let expected = rows(&format!("{name}.expected.csv"));
    let counts = count(expected.len(), &games);
    let (plain, sided) = (rate(&counts, &RatingOptions::default()), rate(&counts, &WITH_SIDE));
    let close = |found: f64, expected: &str, tolerance: f64| {
        let expected: f64 = expected.parse().expect("a number");
        assert!((found - expected).abs() <= tolerance, "{name}: {found}, expected {expected}");
    };
    for row in &expected {
        let (plain, with_side) = (elo(&plain, bot(&row[0])), elo(&sided, bot(&row[0])));
        close(plain.elo, &row[1], 0.05);
        close(plain.elo, &row[2], 0.05);
        close(plain.hi - plain.elo, &row[3], 0.05);
        close(with_side.elo, &row[4], 0.1);
        close(with_side.elo - with_side.lo, &row[5], 0.1);
        for ratings in [&self::rate(&counts, &RatingOptions::default()), &sided] {
            let side = ratings.side().elo.expect("both seats were played");
            close(side.elo, &row[6], 0.1);
            close(side.hi - side.elo, &row[7], 0.1);
        }
    }
}

#[test]
fn three_bots_agree_with_other_tools() {
    check_against_other_tools("three");
}

#[test]
fn eight_bots_agree_with_other_tools() {
    check_against_other_tools("eight");
}

#[test]
fn forty_bots_agree_with_other_tools() {
    check_against_other_tools("forty");
}

#[test]
fn single_games_with_a_side_advantage_agree_with_other_tools() {
    check_against_other_tools("one_sided");
}

/// Elo of every bot as `lo elo hi`, and the likelihood that the first is stronger than the second.
fn shown(bots: usize, games: &[Game], options: &RatingOptions) -> String {
    let ratings = rate(&count(bots, games), options);
    let row = |bot| {
        ratings.of(bot).map_or_else(
            || "-".to_owned(),
            |rating| format!("{}: {:.1} {:.1} {:.1}", rating.group, rating.elo.lo, rating.elo.elo, rating.elo.hi),
        )
    };
    let los = ratings.los(0, 1).map_or_else(String::new, |los| format!(" los {los:.3}"));
    (0..bots).map(row).collect::<Vec<_>>().join(" | ") + &los
}

/// `pairs` swapped pairs of bot 0 against bot 1 with these results of bot 0 as first and as second.
fn pairs(pairs: u32, [first, second]: [GameResult; 2]) -> Vec<Game> {
    (0..pairs).flat_map(|pair| [(0, 1, first, Some(pair)), (1, 0, second, Some(pair))]).collect()
}

const PLAIN: RatingOptions = RatingOptions { fit_side: false, anchor: None, prior_draws: 0.0 };

#[test]
fn one_win_says_little() {
    // 3/4 of two games, one of them virtual; exact Bayes with a flat prior says .75.
    insta::assert_snapshot!(shown(2, &[(0, 1, FirstWins, None)], &PLAIN), @"0: -158.4 95.4 inf | 0: -inf -95.4 158.4 los 0.769");
}

#[test]
fn ten_swept_pairs_say_much_but_not_how_much() {
    insta::assert_snapshot!(shown(2, &pairs(10, [FirstWins, SecondWins]), &PLAIN), @"0: 118.5 322.6 inf | 0: -inf -322.6 -118.5 los 0.999");
}

#[test]
fn pairs_that_are_all_even_leave_a_finite_doubt() {
    insta::assert_snapshot!(shown(2, &pairs(18, [FirstWins, FirstWins]), &PLAIN), @"0: -18.9 0.0 18.9 | 0: -18.9 0.0 18.9 los 0.500");
}

#[test]
fn islands_are_rated_apart_and_idle_bots_not_at_all() {
    let games = [(0, 2, FirstWins, None), (2, 0, FirstWins, None), (3, 4, FirstWins, None), (4, 3, Draw, None)];
    insta::assert_snapshot!(shown(5, &games, &PLAIN), @"0: -294.9 0.0 294.9 | - | 0: -294.9 0.0 294.9 | 1: -158.4 95.4 349.2 | 1: -349.2 -95.4 158.4");
}

#[test]
fn tiers_have_open_ends_towards_the_main_class() {
    // 0 beat all, 1 and 2 shared, 3 lost all.
    let games = [
        (0, 1, FirstWins, None),
        (1, 2, FirstWins, None),
        (2, 1, FirstWins, None),
        (2, 3, FirstWins, None),
        (0, 2, FirstWins, None),
    ];
    insta::assert_snapshot!(shown(4, &games, &PLAIN), @"0: -186.4 358.2 inf | 0: -243.9 2.5 248.9 | 0: -248.9 -2.5 243.9 | 0: -inf -384.2 467.2 los 0.878");
    let prior = RatingOptions { prior_draws: 1.0, ..PLAIN };
    insta::assert_snapshot!(shown(4, &games, &prior), @"0: -94.4 364.6 823.5 | 0: -343.8 8.4 360.6 | 0: -283.2 4.4 291.9 | 0: -1021.3 -377.3 266.7 los 0.885");
}

#[test]
fn an_anchor_is_exact_and_the_others_are_measured_against_it() {
    let games = pairs(10, [FirstWins, Draw]);
    let anchor = RatingOptions { anchor: Some(Anchor { bot: 1, elo: 1500.0 }), ..PLAIN };
    insta::assert_snapshot!(shown(2, &games, &anchor), @"0: 1612.2 1690.8 1769.5 | 0: 1500.0 1500.0 1500.0 los 1.000");
}

#[test]
fn nothing_is_known_without_games() {
    for bots in [0, 1, 3] {
        let counts = count(bots, &[]);
        let ratings = rate(&counts, &PLAIN);
        assert!((0..bots).all(|bot| ratings.of(bot).is_none()) && ratings.side().elo.is_none());
        assert_eq!((ratings.groups(), ratings.los(0, 1)), (0, None));
        assert!(ratings.rank_ranges().iter().all(Option::is_none));
        assert!(ratings.closest_neighbours(&[0, 1, 2]).is_none());
        assert_eq!(transitivity(&counts, &ratings).test, None);
    }
}

#[test]
fn the_side_advantage_is_infinite_when_the_first_seat_always_won() {
    let side = rate(&count(2, &pairs(5, [FirstWins, FirstWins])), &WITH_SIDE).side().elo.expect("told apart");
    assert!(side.elo == f64::INFINITY && side.hi == f64::INFINITY && side.lo.is_finite(), "{side:?}");
    let side = rate(&count(2, &pairs(5, [SecondWins, SecondWins])), &PLAIN).side().elo.expect("told apart");
    assert!(side.elo == f64::NEG_INFINITY && side.lo == f64::NEG_INFINITY && side.hi.is_finite(), "{side:?}");
    assert_eq!(rate(&count(2, &[(0, 1, FirstWins, None)]), &WITH_SIDE).side().elo, None);
}

#[test]
fn rank_ranges_overlap_where_differences_are_not_significant() {
    // 0 is far above 1 and 2, which are even.
    let mut games = pairs(40, [FirstWins, SecondWins]);
    games.extend(pairs(1, [Draw, Draw]));
    games.extend((0..40).flat_map(|pair| [(0, 2, FirstWins, Some(pair)), (2, 0, SecondWins, Some(pair))]));
    games.extend((0..40).flat_map(|pair| [(1, 2, FirstWins, Some(pair)), (2, 1, FirstWins, Some(pair))]));
    let ratings = rate(&count(3, &games), &PLAIN);
    assert_eq!(ratings.rank_ranges(), [Some(1..=1), Some(2..=3), Some(2..=3)]);
    let closest = ratings.closest_neighbours(&[0, 1, 2]).expect("all met");
    assert_eq!((closest.upper, closest.lower), (1, 2));
    let wide = ratings.closest_neighbours(&[0, 1]).expect("they met");
    assert_eq!(wide.more_rounds(40), Some(0));
}

#[test]
fn more_rounds_shrink_errors_with_their_square_root() {
    let mut games = pairs(8, [FirstWins, Draw]);
    games.extend(pairs(8, [SecondWins, FirstWins]).into_iter().map(|(a, b, r, pair)| (a, b, r, pair.map(|p| p + 100))));
    let neighbours = rate(&count(2, &games), &PLAIN).closest_neighbours(&[0, 1]).expect("they met");
    let more = neighbours.more_rounds(16).expect("they differ");
    let needed = 1.959_964 * neighbours.sd * (16.0 / (16.0 + more as f64)).sqrt();
    assert!(!neighbours.are_separated() && more > 0 && neighbours.elo.abs() >= needed, "{neighbours:?} {more}");
    assert_eq!(
        rate(&count(2, &pairs(4, [Draw, Draw])), &PLAIN).closest_neighbours(&[0, 1]).and_then(|n| n.more_rounds(4)),
        None
    );
}

/// The spread of ratings over resampled pairs, the usual and slow way to an error, is that of the sandwich where games
/// are many enough for the extra pair not to matter.
#[test]
fn errors_agree_with_a_bootstrap_over_pairs() {
    const BOTS: usize = 4;
    const PAIRS: u64 = 100;
    const RESAMPLES: u32 = 3_000;
    let mut rng = Rng::new(5);
    let met: Vec<(usize, usize)> = (0..BOTS).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let mut draw = |first: usize| match rng.below(10) {
        0..3 => Draw,
        at if at < 5 + first as u64 => FirstWins,
        _ => SecondWins,
    };
    let played: Vec<Vec<[GameResult; 2]>> =
        met.iter().map(|&(a, b)| (0..PAIRS).map(|_| [draw(a), draw(b)]).collect()).collect();
    let ratings = |mut pick: Box<dyn FnMut(u64) -> u64>| {
        let mut builder = CountsBuilder::new(BOTS);
        for (&(a, b), pairs) in met.iter().zip(&played) {
            for pair in 0..PAIRS {
                let [first, second] = pairs[pick(pair) as usize];
                builder.add(a, b, first, Some(pair as u32));
                builder.add(b, a, second, Some(pair as u32));
            }
        }
        rate(&builder.finish(), &PLAIN)
    };
    let exact = ratings(Box::new(|pair| pair));
    let mut sums = [[0.0; 2]; BOTS];
    for resample in 0..RESAMPLES {
        let mut rng = Rng::new(u64::from(resample));
        let ratings = ratings(Box::new(move |_| rng.below(PAIRS)));
        for (bot, [sum, squares]) in sums.iter_mut().enumerate() {
            let elo = elo(&ratings, bot).elo - elo(&exact, bot).elo;
            (*sum, *squares) = (*sum + elo, *squares + elo * elo);
        }
    }
    for (bot, [sum, squares]) in sums.into_iter().enumerate() {
        let mean = sum / f64::from(RESAMPLES);
        let sd = (squares / f64::from(RESAMPLES) - mean * mean).sqrt();
        let Estimate { elo, hi, .. } = elo(&exact, bot);
        assert!((1.959_964 * sd / (hi - elo) - 1.0).abs() < 0.05, "bot {bot}: {sd}, {}", (hi - elo) / 1.959_964);
    }
}

/// Rock, paper and scissors: each beats the next by 3 to 1 with some noise.
fn cycle(pairs: u32) -> Vec<Game> {
    let mut games = Vec::new();
    for pair in 0..pairs {
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            let second = if pair % 2 == 0 { SecondWins } else { FirstWins };
            games.extend([(a, b, FirstWins, Some(pair)), (b, a, second, Some(pair))]);
        }
    }
    games
}

#[test]
fn a_cycle_is_not_described_by_one_number_and_shares_the_nash_weight() {
    let counts = count(3, &cycle(20));
    let found = transitivity(&counts, &rate(&counts, &PLAIN));
    let test = found.test.expect("pairings were repeated");
    assert!(test.p < 1e-6 && test.degrees == [1, 57], "{test:?}");
    assert!(found.residual_z.iter().all(|z| z.abs() > 3.0), "{:?}", found.residual_z);
    let nash = nash_average(&counts, 1).expect("complete");
    assert!(nash.iter().all(|share| (share.weight - 1.0 / 3.0).abs() < 0.1), "{nash:?}");
    assert_eq!(nash_average(&counts, 1), nash_average(&counts, 1));
}

#[test]
fn a_bot_that_beats_all_takes_the_whole_nash_weight() {
    let mut games = cycle(20);
    games.extend((0..40).flat_map(|pair| (0..3).map(move |bot| (3, bot, FirstWins, Some(pair)))));
    let nash = nash_average(&count(4, &games), 1).expect("complete");
    assert!(nash[3].weight > 0.999 && nash[3].margin.abs() < 0.01 && nash[0].margin < -0.99, "{nash:?}");
    assert_eq!(nash_average(&count(5, &games), 1), None);
    assert_eq!(nash_average(&count(0, &[]), 1), None);
    assert!(nash_average(&count(1, &[]), 1).is_some_and(|shares| (shares[0].weight - 1.0).abs() < 1e-9));
}

#[test]
fn fifty_bots_are_averaged_and_one_more_is_refused() {
    let mut rng = Rng::new(3);
    let mut field = |bots: usize| -> Counts {
        let result = |drawn| [FirstWins, Draw, SecondWins][drawn as usize];
        let games: Vec<Game> = (0..bots)
            .flat_map(|a| (0..a).flat_map(move |b| [(a, b), (b, a)]))
            .map(|(a, b)| (a, b, result(rng.below(3)), Some(1)))
            .collect();
        count(bots, &games)
    };
    let nash = nash_average(&field(50), 1).expect("complete");
    let sum: f64 = nash.iter().map(|share| share.weight).sum();
    assert!((sum - 1.0).abs() < 1e-9 && nash.iter().all(|share| share.margin < 0.001), "{nash:?}");
    assert_eq!(nash_average(&field(51), 1), None);
}

#[test]
fn even_bots_share_the_nash_weight_evenly() {
    let games: Vec<Game> = (0..6).flat_map(|a| (0..a).map(move |b| (a, b, Draw, None))).collect();
    let nash = nash_average(&count(6, &games), 1).expect("complete");
    assert!(nash.iter().all(|share| (share.weight - 1.0 / 6.0).abs() < 1e-9), "{nash:?}");
}

#[test]
fn a_thousand_bots_in_a_chain_are_rated() {
    // Thinly linked: the hardest case for iterative methods. Everyone won 3 of 4 points from the next.
    let games: Vec<Game> = (0..999)
        .flat_map(|bot| [FirstWins, Draw].into_iter().map(move |result| (bot, bot + 1, result, None)))
        .collect();
    let ratings = rate(&count(1000, &games), &PLAIN);
    let step = 400.0 * 3.0_f64.log10();
    for bot in 0..999 {
        let difference = ratings.difference(bot, bot + 1).expect("linked");
        assert!((difference.elo - step).abs() < 1e-6, "{bot}: {difference:?}");
    }
}

fn some_games() -> impl Strategy<Value = Vec<Game>> {
    let result = prop::sample::select(vec![FirstWins, Draw, SecondWins]);
    let game = (0_usize..5, 0_usize..5, result, prop::option::of(0_u32..4));
    prop::collection::vec(game, 0..40)
}

fn options() -> impl Strategy<Value = RatingOptions> {
    (any::<bool>(), prop::option::of(0_usize..5), prop::sample::select(vec![0.0, 0.0, 1.5])).prop_map(
        |(fit_side, anchor, prior_draws)| {
            let anchor = anchor.map(|bot| Anchor { bot, elo: 1000.0 });
            RatingOptions { fit_side, anchor, prior_draws }
        },
    )
}

/// Everything that is said about a field is a number where it should be one.
#[track_caller]
pub(crate) fn assert_sane(counts: &Counts, options: &RatingOptions) {
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
    if let Some(Estimate { elo, lo, hi }) = ratings.side().elo {
        assert!(lo <= elo && elo <= hi, "{counts:?} {options:?}: {:?}", ratings.side());
    }
    let order: Vec<usize> = (0..counts.bots()).collect();
    assert!(ratings.closest_neighbours(&order).is_none_or(|pair| pair.elo.is_finite() && pair.sd.is_finite()));
    let found = transitivity(counts, &ratings);
    assert!(found.residual_z.iter().all(|z| z.is_finite()), "{counts:?} {options:?}: {found:?}");
    assert!(found.test.is_none_or(|test| test.f.is_finite() && (0.0..=1.0).contains(&test.p)), "{counts:?}: {found:?}");
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
        assert_sane(&count(5, &games), &options);
    }

    #[test]
    fn the_order_of_games_does_not_change_a_bit(games in some_games(), seed in any::<u64>(), options in options()) {
        let mut other = games.clone();
        Rng::new(seed).shuffle(&mut other);
        let ratings = [games, other].map(|games| rate(&count(5, &games), &options));
        for bot in 0..5 {
            prop_assert_eq!(ratings[0].of(bot), ratings[1].of(bot));
        }
    }

    #[test]
    fn other_names_give_the_same_ratings(games in some_games(), fit_side in any::<bool>()) {
        let options = RatingOptions { fit_side, ..PLAIN };
        let renamed: Vec<Game> = games.iter().map(|&(a, b, result, pair)| (4 - a, 4 - b, result, pair)).collect();
        let ratings = [games, renamed].map(|games| rate(&count(5, &games), &options));
        for (a, b) in (0..5).flat_map(|a| (0..5).map(move |b| (a, b))) {
            let differences = [ratings[0].difference(a, b), ratings[1].difference(4 - a, 4 - b)];
            prop_assert_eq!(differences[0].is_some(), differences[1].is_some());
            if let [Some(x), Some(y)] = differences {
                prop_assert!((x.elo - y.elo).abs() < 1e-6 && (x.hi - y.hi).abs() < 1e-6, "{x:?} {y:?}");
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
        let ratings = [games, swapped].map(|games| rate(&count(5, &games), &WITH_SIDE));
        for (a, b) in (0..5).flat_map(|a| (0..5).map(move |b| (a, b))) {
            if let (Some(x), Some(y)) = (ratings[0].difference(a, b), ratings[1].difference(a, b)) {
                prop_assert!((x.elo + y.elo).abs() < 1e-6 && (x.hi + y.lo).abs() < 1e-6, "{x:?} {y:?}");
            }
        }
        if let [Some(x), Some(y)] = ratings.map(|ratings| ratings.side().elo) {
            prop_assert!((x.elo + y.elo).abs() < 1e-6 || x.elo.is_infinite() && y.elo.is_infinite() && x.elo.signum() != y.elo.signum(), "{x:?} {y:?}");
        }
    }

    #[test]
    fn two_bots_in_the_joint_fit_are_a_duel(games in some_games()) {
        let counts = count(2, &games);
        for pairing in counts.pairings() {
            let duel = pairing.duel().expect("they met");
            let ratings = rate(&counts, &PLAIN);
            let joint = ratings.difference(0, 1).expect("they met");
            prop_assert!((joint.elo - duel.elo.elo).abs() < 1e-7, "{joint:?} {duel:?}");
            for (joint, alone) in [(joint.lo, duel.elo.lo), (joint.hi, duel.elo.hi)] {
                prop_assert!(alone.is_infinite() || (joint - alone).abs() < 1e-7);
            }
            prop_assert!((ratings.los(0, 1).expect("they met") - duel.los).abs() < 1e-9);
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

    /// The sandwich is S + W for one copy, S/k + W/k² for k copies: errors shrink with the square root of the number
    /// of games but for the one extra pair, which fades.
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
