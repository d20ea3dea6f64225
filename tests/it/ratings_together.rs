//! Comparisons of all bots together: how often any of them is wrong. `benches/comparisons.rs` simulates more.

use arena::rng::Rng;
use arena::stats::{CountsBuilder, FAMILY_ALPHA, RatingOptions, Ratings, Sample, rate};

use crate::ratings_coverage::{davidson, drawn};
use crate::support::Dir;

const BOTS: usize = 8;
const RUNS: u32 = 200;

/// Bots `step` nats apart, best first, which react to twenty openings that all pairings share.
fn play(step: f64, rng: &mut Rng) -> Ratings {
    let mut builder = CountsBuilder::new(BOTS);
    for opening in 0..20 {
        let level: Vec<f64> = (0..BOTS).map(|bot| 0.5 * rng.normal() - step * bot as f64).collect();
        for (a, b) in (0..BOTS).flat_map(|b| (0..b).map(move |a| (a, b))) {
            for (first, second) in [(a, b), (b, a)] {
                let result = drawn(davidson(level[first] - level[second], 0.3), rng);
                let sample = Sample { pair: Some(opening), cluster: Some(opening), opening: Some(opening) };
                builder.add_sample(first, second, result, sample);
            }
        }
    }
    rate(&builder.finish(), &RatingOptions::default())
}

#[test]
fn of_equal_bots_two_are_told_apart_in_at_most_five_of_a_hundred_tournaments() {
    let mut rng = Rng::new(1);
    let (mut together, mut one_by_one) = (0, 0);
    for _ in 0..RUNS {
        let ratings = play(0.0, &mut rng);
        let is_apart = |range: Option<std::ops::RangeInclusive<usize>>| range != Some(1..=BOTS);
        together += u32::from(ratings.rank_ranges_together(&ratings.holm()).into_iter().any(is_apart));
        one_by_one += u32::from(ratings.rank_ranges().into_iter().any(is_apart));
    }
    assert!(20 * together <= RUNS, "{together} of {RUNS}");
    assert!(4 * one_by_one > RUNS, "without adjustment it is common: {one_by_one} of {RUNS}");
}

#[test]
fn the_best_bot_may_be_the_best_and_ranks_lie_in_their_ranges_in_95_of_a_hundred_tournaments() {
    let mut rng = Rng::new(2);
    let all: Vec<usize> = (0..BOTS).collect();
    let (mut held, mut placed, mut candidates) = (0, 0, 0);
    for _ in 0..RUNS {
        let ratings = play(0.15, &mut rng);
        let holm = ratings.holm();
        let p = ratings.p_best(&all, &holm).expect("all of them met");
        held += u32::from(p[0] >= FAMILY_ALPHA);
        candidates += p.iter().filter(|p| **p >= FAMILY_ALPHA).count();
        let ranges = ratings.rank_ranges_together(&holm);
        let holds = |(bot, range): (usize, &Option<std::ops::RangeInclusive<usize>>)| {
            range.as_ref().is_some_and(|range| range.contains(&(bot + 1)))
        };
        placed += u32::from(ranges.iter().enumerate().all(holds));
    }
    assert!(20 * held >= 19 * RUNS, "{held} of {RUNS}");
    assert!(20 * placed >= 19 * RUNS, "{placed} of {RUNS}");
    assert!(candidates < 7 * RUNS as usize, "and some others cannot be: {candidates} in {RUNS}");
}

/// Three bots: `a` and `b` draw with each other, and both beat `c` in three of four games.
fn games() -> String {
    let pair = |a: &str, b: &str, result: &str| format!("{a},{b},{result}\n{b},{a},{result}\n");
    let rows = (0..40).map(|pair_number| {
        let upset = if pair_number % 4 == 0 { "0-1" } else { "1-0" };
        let swapped = if pair_number % 4 == 0 { "1-0" } else { "0-1" };
        let beats = |a: &str| format!("{a},c,{upset}\nc,{a},{swapped}\n");
        pair("a", "b", "1/2-1/2") + &beats("a") + &beats("b")
    });
    format!("white,black,result\n{}", rows.collect::<String>())
}

#[test]
fn family_wise_adds_adjusted_p_values_and_says_which_bots_may_be_the_best() {
    let dir = Dir::new();
    dir.file("games.csv", games());
    let ended = dir.arena_ends(0, "standings games.csv --family-wise");
    assert!(ended.stdout.contains("The best may be any of a, b, at 95 % for all bots together."), "{ended}");
    let head = |file: &str| dir.read(&format!("games.standings/{file}")).lines().next().expect("a head").to_owned();
    assert!(head("standings.csv").contains(",p_best") && head("head_to_head.csv").contains(",p,p_holm,"));
    for how in ["--markdown", "--latex"] {
        let printed = dir.arena_ends(0, &format!("standings games.csv --family-wise {how}")).stdout;
        assert!(printed.contains("The best may be any of a, b"), "{printed}");
    }
    let without = dir.arena_ends(0, "standings games.csv").stdout;
    assert!(!without.contains("may be") && !head("head_to_head.csv").contains("p_holm"), "{without}");
}

/// Eight bots of which each beats those after it in three of four pairs; five openings, in which all pairs react alike.
fn few_openings() -> String {
    let bots = || ('a'..='h').enumerate();
    let met = bots().flat_map(|(x, a)| bots().filter(move |(y, _)| x < *y).map(move |(_, b)| (a, b)));
    let rows = met.flat_map(|(a, b)| {
        (0..40).map(move |game| {
            let opening = game % 5;
            let [one, two] = if opening == 4 { ["0-1", "1-0"] } else { ["1-0", "0-1"] };
            format!("{a},{b},{one},o{opening}\n{b},{a},{two},o{opening}\n")
        })
    });
    format!("white,black,result,opening\n{}", rows.collect::<String>())
}

#[test]
fn a_table_of_all_bots_together_says_one_thing_and_names_few_openings_as_the_cause_of_wide_ranges() {
    let dir = Dir::new();
    dir.file("games.csv", few_openings());
    let texts = ["", "--markdown", "--latex"]
        .map(|how| dir.arena_ends(0, &format!("standings games.csv --family-wise {how}")).stdout);
    for text in &texts {
        let text = text.replace(" %", "%").replace("\\%", "%");
        assert!(text.contains("comparisons hold at 95% for all bots together; margins for each bot alone"), "{text}");
        assert!(
            text.contains("Few openings are why the ranges of ranks are wide: they count as 5 independent samples."),
            "{text}"
        );
    }
    // The bots that may be the best are those whose ranges begin with the first rank.
    let table = dir.read("games.standings/standings.csv");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let heads = reader.headers().expect("heads").clone();
    let column = |name: &str| heads.iter().position(|head| head == name).expect("a column");
    let (low, p, name) = (column("rank_lo"), column("p_best"), column("name"));
    let mut best = Vec::new();
    for row in reader.records() {
        let row = row.expect("a row");
        let may_be = row[p].parse::<f64>().expect("a number") >= FAMILY_ALPHA;
        assert_eq!(may_be, &row[low] == "1", "{table}");
        best.extend(may_be.then(|| row[name].to_owned()));
    }
    assert!(best.len() > 1, "{table}");
    let named = if best.len() == 8 { "any of them".to_owned() } else { format!("any of {}", best.join(", ")) };
    assert!(texts.iter().all(|text| text.contains(&format!("The best may be {named}"))), "{best:?} {}", texts[0]);
    let alone = dir.arena_ends(0, "standings games.csv").stdout;
    assert!(!alone.contains("Few openings") && !alone.contains("together"), "{alone}");
}

#[test]
fn family_wise_is_remembered_and_taken_back() {
    let dir = Dir::with_bots(&["random", "greedy", "minimax depth=1"]);
    let play = "tournament --game tictactoe --rounds 4 --sandbox off --no-check --oversubscribe -q";
    dir.arena_ends(0, play);
    let ended = dir.arena_ends(0, "standings tictactoe --family-wise");
    assert!(ended.stdout.contains("at 95 % for all bots together."), "{ended}");
    let has = |ended: &crate::support::Ended| ended.stdout.contains("for all bots together");
    assert!(has(&dir.arena_ends(0, "standings tictactoe")));
    assert!(has(&dir.arena_ends(0, play)));
    assert!(dir.read("results/tictactoe/report.html").contains("for all bots together"));
    assert!(!has(&dir.arena_ends(0, "standings tictactoe --family-wise=off")));
    assert!(!has(&dir.arena_ends(0, play)));
}
