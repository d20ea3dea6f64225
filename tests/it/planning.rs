//! `arena plan`: whether tournaments and tests take and tell what it says. `benches/plan.rs` simulates more.

use arena::format::Format;
use arena::plan::{World, forecast, play, reaching};
use arena::rng::Rng;
use arena::stats::{Counts, MatchCounts, Observed, Ratings, Sprt, SprtModel, SprtVerdict};

use crate::ratings_coverage::{davidson, drawn, uniform};
use crate::support::{Dir, Ended};

const BOTS: usize = 8;

/// A round-robin by another law than that of plans (Davidson's), with openings that favour seats and bots.
fn round_robin(rounds: u32, rng: &mut Rng) -> (Counts, Ratings) {
    let (mut opening, mut bias, mut level) = (None, 0.0, Vec::new());
    play(Format::usual(), BOTS, rounds, 1, |pair| {
        if opening != Some(pair.opening) {
            opening = Some(pair.opening);
            bias = 0.8 * rng.normal();
            level = (0..BOTS).map(|bot| 0.3 * rng.normal() - 0.3 * bot as f64).collect();
        }
        let [a, b] = pair.bots.map(|bot| level[bot]);
        [a - b + bias, b - a + bias].map(|nats| drawn(davidson(nats, 0.25), rng))
    })
}

/// The mean over tournaments of their median margin.
fn margin(rounds: u32, rng: &mut Rng) -> f64 {
    const RUNS: u32 = 20;
    let median = |ratings: Ratings| arena::plan::margin(Format::usual(), BOTS, &ratings).expect("a margin");
    (0..RUNS).map(|_| median(round_robin(rounds, rng).1)).sum::<f64>() / f64::from(RUNS)
}

#[track_caller]
fn assert_close(planned: f64, found: f64) {
    assert!((planned / found - 1.0).abs() < 0.1, "planned {planned}, found {found}");
}

#[test]
fn a_round_robin_tells_what_was_planned_from_another() {
    let mut rng = Rng::new(1);
    let (counts, ratings) = round_robin(60, &mut rng);
    let world = World::like(&Observed::of(&counts, &ratings).expect("games"), BOTS);
    for rounds in [10, 100] {
        let planned = forecast(&world, Format::usual(), rounds);
        assert!((planned.games - f64::from(rounds) * 56.0).abs() < 1e-6, "{planned:?}");
        assert_close(planned.margin.expect("a margin"), margin(rounds, &mut rng));
    }
    let planned = reaching(&world, Format::usual(), 30.0).expect("it can be reached");
    assert_close(30.0, margin(planned.size, &mut rng));
}

#[test]
fn longer_tournaments_are_planned_for_smaller_margins() {
    let world = World::normal(4, 150.0, 0.2);
    for name in ["round-robin", "gauntlet", "ladder", "swiss"] {
        let format = Format::named(name).expect("a format");
        let [wide, narrow] = [120.0, 60.0].map(|margin| reaching(&world, format, margin).expect("it can be reached"));
        assert!(narrow.size > 2 * wide.size && narrow.games > 2.0 * wide.games, "{name}: {wide:?} {narrow:?}");
        assert!(narrow.margin.is_some_and(|margin| (54.0..=60.0).contains(&margin)), "{name}: {narrow:?}");
    }
    assert!(reaching(&world, Format::named("knockout").expect("a format"), 40.0).is_err());
}

/// The mean number of games of simulated tests, and how often elo1 was accepted.
fn tested(sprt: &Sprt, pairs: [f64; 5], runs: u32, rng: &mut Rng) -> [f64; 2] {
    let (mut games, mut accepted) = (0_u32, 0_u32);
    for _ in 0..runs {
        let mut counts = [0_u64; 5];
        loop {
            let mut at = uniform(rng);
            let kind = pairs.iter().position(|p| {
                at -= p;
                at < 0.0
            });
            counts[kind.unwrap_or(4)] += 1;
            games += 2;
            match sprt.verdict(&MatchCounts::Pairs(counts)) {
                SprtVerdict::Undecided => {}
                verdict => break accepted += u32::from(verdict == SprtVerdict::H1),
            }
        }
    }
    [games, accepted].map(|count| f64::from(count) / f64::from(runs))
}

#[test]
fn a_test_takes_as_many_games_as_planned() {
    let mut rng = Rng::new(1);
    let world = World::normal(2, 0.0, 0.3);
    for (model, truth) in [(SprtModel::Logistic, 50.0), (SprtModel::Normalized, 0.0)] {
        let sprt = Sprt::new(model, [0.0, 100.0], 0.05, 0.05).expect("a test");
        let pairs = world.pair(truth);
        let planned = sprt.course(pairs);
        let [games, accepted] = tested(&sprt, pairs, 200, &mut rng);
        assert_close(planned.games, games);
        assert!((planned.accepts_elo1 - accepted).abs() < 0.07, "{planned:?} {accepted}");
    }
}

#[test]
fn plans_name_what_they_assume_and_what_they_took_from_results() {
    let dir = Dir::with_bots(&["random", "greedy", "minimax depth=1"]);
    let ended = dir.arena_ends(0, "plan --bots 3 --margin 60 --minutes 1 -j 1");
    for part in ["3 bots, spread by 150 Elo (assumed; --spread)", "To reach ±60 Elo:", "In 1m, 60 games:", "knockout"]
    {
        assert!(ended.stdout.contains(part), "{part}: {ended}");
    }
    let processors = std::thread::available_parallelism().expect("a number of processors");
    let ended = dir.arena_ends(0, "plan --bots 3 --margin 60");
    let text = format!("{processors} at a time (one for each processor, as in a tournament; -j).");
    assert!(ended.stdout.contains(&text), "{ended}");
    dir.arena_ends(0, "tournament --game tictactoe --rounds 6 --sandbox off --no-check --oversubscribe -q -j 2");
    let ended = dir.arena_ends(0, "plan --from tictactoe --minutes 1 --json");
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!((&json["bots"], &json["concurrency"]), (&3.into(), &2.into()), "{ended}");
    assert!(json["premises"][0].as_str().is_some_and(|text| text.contains("(as in tictactoe)")), "{ended}");
    let rows = json["in_time"].as_array().expect("rows");
    assert!(rows.iter().any(|row| row["format"] == "ladder" && row["games"].as_u64() > Some(10)), "{ended}");
    let ended = dir.arena_ends(0, "plan --sprt elo0=0,elo1=40 --draws 0.5");
    assert!(ended.stdout.contains("50.0 % of games between equals are drawn."), "{ended}");
    assert!(ended.stdout.contains("True nElo") && ended.stdout.contains("H1 accepted"), "{ended}");
}

/// The rows of the tables of a plan.
fn rows(ended: &Ended) -> usize {
    ended.stdout.lines().filter(|line| line.contains("  --") && !line.ends_with('.')).count()
}

#[test]
fn where_nothing_can_be_planned_the_plan_says_why_and_what_can() {
    let dir = Dir::new();
    for (args, flags) in [
        ("--bots 2 --margin 0.1", &["--margin"][..]),
        ("--bots 3 --margin 20 --spread 2000", &["--margin"]),
        ("--bots 2 --margin 20 --spread 3000", &["--spread"]),
        ("--bots 2 --margin 0.3 --spread 4000", &["--spread", "--margin"]),
    ] {
        let ended = dir.arena_ends(0, &format!("plan {args}"));
        let why = "no tournament of at most 1,000,000 rounds or openings and 10,000,000 games does.";
        assert!(rows(&ended) == 0 && ended.stdout.contains(why) && !ended.stdout.contains("Format"), "{ended}");
        // What it names instead can be planned.
        let mut words: Vec<String> = args.split(' ').map(str::to_owned).collect();
        for flag in flags {
            let (_, rest) = ended.stdout.rsplit_once(&format!("{flag} ")).expect("the flag");
            let value: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            let at = words.iter().position(|word| word == flag).expect("it was asked for") + 1;
            words[at] = value.trim_end_matches('.').to_owned();
        }
        let ended = dir.arena_ends(0, &format!("plan {}", words.join(" ")));
        assert!(rows(&ended) > 0, "{args}: {ended}");
    }
}

#[test]
fn times_that_are_too_short_name_the_shortest_that_is_not() {
    let dir = Dir::new();
    for args in ["--bots 2 --minutes 0.0005", "--bots 4 --minutes 0.000000001 --game-seconds 0.0006 -j 3"] {
        let ended = dir.arena_ends(0, &format!("plan {args}"));
        assert!(ended.stdout.contains("no tournament is that short. These are the shortest:"), "{ended}");
        assert!(!ended.stdout.contains("  0s") && rows(&ended) > 0, "{ended}");
        let (_, minutes) = ended.stdout.split_once("fits with --minutes ").expect("a time");
        let minutes = minutes.split_once(".\n").expect("the end of a sentence").0;
        let more = args.replace("0.0005", minutes).replace("0.000000001", minutes);
        let ended = dir.arena_ends(0, &format!("plan {more}"));
        assert!(!ended.stdout.contains("that short"), "{ended}");
    }
    let ended = dir.arena_ends(0, "plan --bots 2 --minutes 1 --game-seconds 0.0006 -j 1");
    assert!(
        ended.stdout.contains("A game takes 0.0006 s, 1 at a time.") && ended.stdout.contains("100,000 games"),
        "{ended}"
    );
}

#[test]
fn margins_that_are_unbounded_in_a_time_are_explained() {
    let dir = Dir::new();
    for args in ["--bots 2 --minutes 60", "--bots 4 --minutes 0.1"] {
        let ended = dir.arena_ends(0, &format!("plan {args} --spread 3000 -j 2"));
        let why = "A margin of - is unbounded: bots that are spread by 3000 Elo mostly win or lose all of these games";
        assert!(rows(&ended) > 0 && ended.stdout.contains(why), "{ended}");
        // With the spread that it names, the first of these margins is bounded.
        let (_, spread) = ended.stdout.rsplit_once("--spread ").expect("a spread");
        let spread: String = spread.chars().take_while(char::is_ascii_digit).collect();
        let ended = dir.arena_ends(0, &format!("plan {args} --spread {spread} -j 2"));
        let first = ended.stdout.lines().find(|line| line.contains("  --")).expect("a row");
        assert!(!first.ends_with('-'), "{ended}");
    }
}

#[test]
fn no_row_has_more_games_than_a_tournament_whatever_the_time() {
    let dir = Dir::new();
    for args in ["--minutes 20000 --game-seconds 0.1 -j 2", "--minutes 1e9 --game-seconds 1e-9 -j 10000"] {
        let ended = dir.arena_ends(0, &format!("plan --bots 5 {args}"));
        assert!(ended.stdout.contains(", more than the 10,000,000 games of a tournament:"), "{ended}");
        let cut = "As long as they can be planned: round-robin, gauntlet, ladder, knockout, swiss.";
        assert!(ended.stdout.contains(cut), "{ended}");
        let json = dir.arena_ends(0, &format!("plan --bots 5 {args} --json")).stdout;
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        for row in json["in_time"].as_array().expect("rows") {
            assert!(row["games"].as_u64().is_some_and(|games| games <= 10_000_000), "{row}");
        }
    }
    // Neither a time nor a number of minutes is beyond what can be written or given.
    let ended = dir.arena_ends(0, "plan --bots 40 --minutes 1e-9 --game-seconds 1e9 -j 1");
    assert!(ended.stdout.contains(" years; plan for shorter games.") && !ended.stdout.contains("--minutes"), "{ended}");
}

#[test]
fn true_differences_are_labelled_apart() {
    let dir = Dir::new();
    for width in ["0.001", "0.04", "0.5", "5", "20", "400"] {
        let ended = dir.arena_ends(0, &format!("plan --sprt elo0=0,elo1={width}"));
        let labels: Vec<f64> =
            ended.stdout.lines().filter_map(|line| line.trim().split(' ').next()?.parse().ok()).collect();
        let labels = &labels[labels.len() - 7..];
        let width: f64 = width.parse().expect("a number");
        for (label, place) in labels.iter().zip([-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5]) {
            assert!((label - place * width).abs() <= width / 20.0, "{place} of {width}: {ended}");
        }
        let ended = dir.arena_ends(0, &format!("plan --sprt elo0=0,elo1={width} --json"));
        let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
        let rows = json["sprt"]["by_difference"].as_array().expect("rows");
        let labels: Vec<f64> = rows.iter().map(|row| row["elo"].as_f64().expect("a number")).collect();
        assert!(labels.is_sorted_by(|a, b| a < b), "{labels:?}");
    }
}

#[test]
fn a_plan_for_nothing_is_refused() {
    let dir = Dir::new();
    for (args, error) in [
        ("plan --bots 5", "nothing to plan for: give --margin, --minutes or both, or --sprt for a test of two bots"),
        ("plan --margin 20", "how many bots? Give --bots N, or --from TOURNAMENT"),
        ("plan --sprt elo0=5,elo1=0", "--sprt: elo0 (5) must be less than elo1 (0)"),
        ("plan --sprt elo0=0,elo1=0.0001", "--sprt: elo0 and elo1 are less than 0.001 Elo apart"),
        ("plan --sprt elo1=9 --minutes 3", "--sprt is for two bots of any difference, and ends when it has decided"),
        ("plan --sprt elo1=9 --spread 5", "--sprt is for two bots of any difference, and ends when it has decided"),
    ] {
        let ended = dir.arena_ends(1, args);
        assert!(ended.stderr.starts_with(&format!("error: {error}")), "{ended}");
    }
}
