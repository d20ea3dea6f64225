//! Whether comparisons of all bots hold as often as they say: `cargo bench --bench comparisons`, or with `-- --quick` a tenth of
//! the runs. `-- --seed N` gives other tournaments.
//!
//! Round-robins in which all pairings play the same openings, a swapped pair each. 30 % of the games between equal bots are
//! draws (Davidson's law). An opening favours the first seat by a normal number of half a nat, and each bot by one of its own
//! (the reaction).

#![expect(clippy::print_stdout, reason = "it prints tables")]

use arena::record::GameResult;
use arena::rng::{Rng, derive_seed};
use arena::stats::{CountsBuilder, ELO_PER_NAT, FAMILY_ALPHA, RatingOptions, Ratings, Sample, rate};

const BOTS: usize = 30;
const DRAWS: f64 = 0.3;
const BIAS: f64 = 0.5;

/// A kind of tournament.
#[derive(Clone, Copy)]
struct Setting {
    /// Standard deviation of the strengths, in Elo.
    spread: f64,
    /// Standard deviation of what an opening is worth to a bot, in nats.
    reaction: f64,
    openings: u32,
}

/// What was claimed in one tournament, for each pair of bots and for all together.
#[derive(Clone, Copy, Default)]
struct Claims {
    /// Whether two bots were separated of which the upper is not the stronger.
    is_false: bool,
    /// Whether a bot has another rank than its range.
    is_misplaced: bool,
    /// Pairs of bots that were separated.
    separated: usize,
}

struct Found {
    one_by_one: Claims,
    together: Claims,
    /// Whether the best bot is among those that may be the best, and how many these are.
    holds_best: bool,
    candidates: usize,
}

impl Setting {
    fn play(&self, seed: u64) -> (Vec<f64>, Ratings) {
        let mut rng = Rng::new(seed);
        let nats: Vec<f64> = (0..BOTS).map(|_| self.spread / ELO_PER_NAT * rng.normal()).collect();
        let mut builder = CountsBuilder::new(BOTS);
        for opening in 0..self.openings {
            let bias = BIAS * rng.normal();
            let level: Vec<f64> = nats.iter().map(|nats| nats + self.reaction * rng.normal()).collect();
            for (a, b) in pairings() {
                for (first, second) in [(a, b), (b, a)] {
                    let sample = Sample { pair: Some(opening), cluster: Some(opening), opening: Some(opening) };
                    let result = drawn(level[first] - level[second] + bias, &mut rng);
                    builder.add_sample(first, second, result, sample);
                }
            }
        }
        (nats, rate(&builder.finish(), &RatingOptions::default()))
    }

    fn found(&self, seed: u64) -> Found {
        let (nats, ratings) = self.play(seed);
        let holm = ratings.holm();
        let claims = |is_significant: &dyn Fn(f64) -> bool, ranges: Vec<Option<std::ops::RangeInclusive<usize>>>| {
            let separated = pairings().filter(|(a, b)| ratings.p_value(*a, *b).is_some_and(is_significant));
            let separated: Vec<(usize, usize)> = separated.collect();
            let is_wrong = |(a, b): &(usize, usize)| {
                let difference = ratings.difference(*a, *b).map_or(0.0, |difference| difference.elo);
                difference * (nats[*a] - nats[*b]) <= 0.0
            };
            // Equal bots may have each of their ranks.
            let best = |bot: usize| 1 + nats.iter().filter(|other| **other > nats[bot]).count();
            let worst = |bot: usize| BOTS - nats.iter().filter(|other| **other < nats[bot]).count();
            let holds = |(bot, range): (usize, &Option<std::ops::RangeInclusive<usize>>)| {
                range.as_ref().is_some_and(|range| *range.start() <= best(bot) && worst(bot) <= *range.end())
            };
            Claims {
                is_false: separated.iter().any(is_wrong),
                is_misplaced: !ranges.iter().enumerate().all(holds),
                separated: separated.len(),
            }
        };
        let p_best = ratings.p_best(&(0..BOTS).collect::<Vec<_>>(), &ratings.holm()).expect("all of them met");
        let best = (0..BOTS).max_by(|x, y| nats[*x].total_cmp(&nats[*y])).expect("bots");
        Found {
            one_by_one: claims(&|p| p < 0.05, ratings.rank_ranges()),
            together: claims(&|p| holm.is_significant(p), ratings.rank_ranges_together(&holm)),
            holds_best: p_best[best] >= FAMILY_ALPHA,
            candidates: p_best.iter().filter(|p| **p >= FAMILY_ALPHA).count(),
        }
    }
}

fn pairings() -> impl Iterator<Item = (usize, usize)> {
    (0..BOTS).flat_map(|b| (0..b).map(move |a| (a, b)))
}

/// The result of a game whose first bot is stronger by this many nats, by Davidson's law.
fn drawn(difference: f64, rng: &mut Rng) -> GameResult {
    let [win, draw, loss] = [(difference / 2.0).exp(), 2.0 * DRAWS / (1.0 - DRAWS), (-difference / 2.0).exp()];
    let at = rng.below(1 << 53) as f64 / (1_u64 << 53) as f64 * (win + draw + loss);
    match at {
        at if at < win => GameResult::FirstWins,
        at if at < win + draw => GameResult::Draw,
        _ => GameResult::SecondWins,
    }
}

fn each<T: Send>(runs: u64, one: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let one = &one;
    std::thread::scope(|scope| {
        let part = |thread| move || (thread..runs).step_by(threads as usize).map(one).collect::<Vec<T>>();
        let parts: Vec<_> = (0..threads).map(|thread| scope.spawn(part(thread))).collect();
        parts.into_iter().flat_map(|part| part.join().expect("a run")).collect()
    })
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |name: &str| arguments.iter().position(|argument| argument == name);
    let seed = has("--seed").and_then(|place| arguments.get(place + 1)).map_or(1, |seed| seed.parse().expect("a seed"));
    // Cargo passes `--bench`, except in tests of benches.
    let runs = match (has("--bench"), has("--quick")) {
        (None, _) => 1,
        (_, Some(_)) => 20,
        _ => 200,
    };
    println!(
        "| σ, Elo | reaction | openings | false separation | a rank outside its range | separated | best held | may be the best |\n\
         |---|---|---|---|---|---|---|---|"
    );
    for (spread, reaction, openings) in [
        (0.0, 0.0, 10),
        (0.0, 0.0, 50),
        (0.0, 0.5, 20),
        (0.0, 1.0, 50),
        (50.0, 0.5, 20),
        (50.0, 0.5, 100),
        (150.0, 0.5, 50),
    ] {
        let setting = Setting { spread, reaction, openings };
        let all = each(runs, |run| setting.found(derive_seed(seed, "run", &[&run.to_le_bytes()])));
        let share = |count: usize| count as f64 / runs as f64;
        let both = |of: fn(&Claims) -> usize, of_pairs: usize| {
            let sum = |side: fn(&Found) -> &Claims| all.iter().map(|found| of(side(found))).sum::<usize>();
            let [one, together] = [sum(|found| &found.one_by_one), sum(|found| &found.together)];
            let [one, together] = [one, together].map(|count| share(count) / of_pairs as f64);
            format!("{together:.3} / {one:.3}")
        };
        let wrong = both(|claims| usize::from(claims.is_false), 1);
        let misplaced = both(|claims| usize::from(claims.is_misplaced), 1);
        let separated = both(|claims| claims.separated, BOTS * (BOTS - 1) / 2);
        let held = share(all.iter().filter(|found| found.holds_best).count());
        let candidates = share(all.iter().map(|found| found.candidates).sum());
        println!(
            "| {spread} | {reaction} | {openings} | {wrong} | {misplaced} | {separated} | {held:.3} | {candidates:.1} |"
        );
    }
}
