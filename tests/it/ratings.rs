//! Ratings held against other tools, and worked examples.
//!
//! Data sets and expected values are in `tests/data/ratings/`, made by hand with `choix`, `scipy` and `numpy`; its README
//! has the versions. Ordo was not obtainable.

use std::path::Path;

use arena::record::GameResult::{self, Draw, FirstWins, SecondWins};
use arena::rng::Rng;
use arena::stats::{
    Anchor, Counts, CountsBuilder, Estimate, NashError, RatingOptions, Ratings, nash_average, rate, transitivity,
};

pub(crate) type Game = (usize, usize, GameResult, Option<u32>);

pub(crate) fn count(bots: usize, games: &[Game]) -> Counts {
    let mut builder = CountsBuilder::new(bots);
    for &(first, second, result, pair) in games {
        builder.add(first, second, result, pair);
    }
    builder.finish()
}

pub(crate) const WITH_SIDE: RatingOptions = RatingOptions { fit_side: true, ..PLAIN };

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
        let (without_side, with_side) = (elo(&plain, bot(&row[0])), elo(&sided, bot(&row[0])));
        close(without_side.elo, &row[1], 0.05);
        close(without_side.elo, &row[2], 0.05);
        close(without_side.hi - without_side.elo, &row[3], 0.05);
        close(with_side.elo, &row[4], 0.1);
        close(with_side.elo - with_side.lo, &row[5], 0.1);
        for ratings in [&plain, &sided] {
            let side = ratings.side.elo.expect("both seats were played");
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

pub(crate) const PLAIN: RatingOptions =
    RatingOptions { fit_side: false, anchor: None, prior_draws: 0.0, fitted_prior: false };

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
        assert!((0..bots).all(|bot| ratings.of(bot).is_none()) && ratings.side.elo.is_none());
        assert_eq!((ratings.groups(), ratings.los(0, 1)), (0, None));
        assert!(ratings.rank_ranges().iter().all(Option::is_none));
        assert_eq!(ratings.neighbours(&[0, 1, 2]).count(), 0);
        assert_eq!(transitivity(&counts, &ratings).test, None);
    }
}

#[test]
fn the_side_advantage_is_infinite_when_the_first_seat_always_won() {
    let side = rate(&count(2, &pairs(5, [FirstWins, FirstWins])), &WITH_SIDE).side.elo.expect("told apart");
    assert!(side.elo == f64::INFINITY && side.hi == f64::INFINITY && side.lo.is_finite(), "{side:?}");
    let side = rate(&count(2, &pairs(5, [SecondWins, SecondWins])), &PLAIN).side.elo.expect("told apart");
    assert!(side.elo == f64::NEG_INFINITY && side.lo == f64::NEG_INFINITY && side.hi.is_finite(), "{side:?}");
    assert_eq!(rate(&count(2, &[(0, 1, FirstWins, None)]), &WITH_SIDE).side.elo, None);
}

/// Somebody who always moved first may be stronger, or have the better seat. However many games there are, they cannot
/// tell; and a fit of both would give errors that no number of games makes smaller.
#[test]
fn what_cannot_be_told_from_strength_is_not_fitted() {
    for games in [1, 30, 3_000] {
        // Two of three games are won by the first seat, in a chain in which no opponent is met from both seats.
        let one_sided: Vec<Game> = (0..games)
            .flat_map(|game| [(0, 1), (2, 1), (2, 3)].map(|(first, second)| (first, second, game)))
            .map(|(first, second, game)| (first, second, if game % 3 == 2 { SecondWins } else { FirstWins }, None))
            .collect();
        let counts = count(4, &one_sided);
        let (plain, sided) = (rate(&counts, &PLAIN), rate(&counts, &WITH_SIDE));
        assert!(!sided.options.fit_side && sided.side.elo.is_none());
        for other in 1..4 {
            assert_eq!(sided.difference(0, other), plain.difference(0, other), "{games}");
        }
        assert_eq!(transitivity(&counts, &sided).test, transitivity(&counts, &plain).test);
        // One more game from the other seat, in a ring or swapped, and it is.
        for more in [(1, 0), (0, 3), (1, 3)] {
            let more: Vec<Game> = [&one_sided[..], &[(more.0, more.1, Draw, None)]].concat();
            let sided = rate(&count(4, &more), &WITH_SIDE);
            assert_eq!(sided.options.fit_side, (more.last().map(|game| (game.0, game.1))) != Some((0, 3)), "{more:?}");
        }
    }
    // The likelihood of superiority after one win is that of the specification.
    let one = rate(&count(2, &[(0, 1, FirstWins, None)]), &WITH_SIDE);
    assert!((one.los(0, 1).expect("they met") - 0.77).abs() < 0.005);
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
    let neighbours: Vec<_> = ratings.neighbours(&[0, 1, 2]).collect();
    assert_eq!(neighbours.iter().map(|two| (two.upper, two.lower)).collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    assert_eq!(neighbours.iter().map(|two| two.more_rounds(40.0) == Some(0)).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn more_rounds_shrink_errors_with_their_square_root() {
    let mut games = pairs(8, [FirstWins, Draw]);
    games.extend(pairs(8, [SecondWins, FirstWins]).into_iter().map(|(a, b, r, pair)| (a, b, r, pair.map(|p| p + 100))));
    let neighbours = rate(&count(2, &games), &PLAIN).neighbours(&[0, 1]).next().expect("they met");
    let more = neighbours.more_rounds(16.0).expect("they differ");
    let needed = 1.959_964 * neighbours.sd * (16.0 / (16.0 + more as f64)).sqrt();
    assert!(!neighbours.are_separated() && more > 0 && neighbours.elo.abs() >= needed, "{neighbours:?} {more}");
    assert_eq!(
        rate(&count(2, &pairs(4, [Draw, Draw])), &PLAIN).neighbours(&[0, 1]).next().and_then(|n| n.more_rounds(4.0)),
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
    assert!(test.p < 1e-3 && test.pairings == 3, "{test:?}");
    assert!(found.p.iter().all(|p| *p < 0.01), "{found:?}");
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
    assert_eq!(nash_average(&count(5, &games), 1), Err(NashError::NotAllMet));
    assert_eq!(nash_average(&count(0, &[]), 1), Err(NashError::NotAllMet));
    assert!(nash_average(&count(1, &[]), 1).is_ok_and(|shares| (shares[0].weight - 1.0).abs() < 1e-9));
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
    assert_eq!(nash_average(&field(51), 1), Err(NashError::TooMany(51)));
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
