//! Whether plans hold: `cargo bench --bench plan`, or with `-- --quick` a tenth of the runs, with `-- --tests` of tests only. `-- --seed N` gives other results.
//!
//! Tournaments are planned from finished tournaments of the same kind, by another law of draws (Davidson's) than that of
//! plans, with openings that favour seats and bots. Tests are planned from the probabilities of their pairs.

#![expect(clippy::print_stdout, reason = "it prints tables")]

use std::fmt::{self, Display, Formatter};
use std::thread::ScopedJoinHandle;

use arena::format::{Format, Pair};
use arena::plan::{World, forecast, margin, play, size_flag};
use arena::record::GameResult;
use arena::rng::{Rng, derive_seed};
use arena::stats::{ELO_PER_NAT, MatchCounts, Observed, Sprt, SprtModel, SprtVerdict};

/// A kind of tournament: standard deviations of strengths in Elo, of the bias and of reactions in nats; draws between equals.
#[derive(Clone, Copy)]
struct Kind {
    bots: usize,
    spread: f64,
    bias: f64,
    reaction: f64,
    draws: f64,
}

impl Kind {
    /// The results of pairs in a tournament of this seed. Strengths are the same for every seed.
    fn law(self, seed: u64) -> impl FnMut(&Pair) -> [GameResult; 2] {
        let mut strengths = Rng::new(derive_seed(7, "strengths", &[]));
        let mut nats: Vec<f64> = (0..self.bots).map(|_| self.spread / ELO_PER_NAT * strengths.normal()).collect();
        nats.sort_by(|x, y| y.total_cmp(x));
        let mut rng = Rng::new(seed);
        move |pair| {
            let added = |who: u64| {
                Rng::new(derive_seed(seed, "opening", &[&pair.opening.to_le_bytes(), &who.to_le_bytes()])).normal()
            };
            let [a, b] = pair.bots.map(|bot| nats[bot] + self.reaction * added(bot as u64));
            let bias = self.bias * added(u64::MAX);
            [a - b + bias, b - a + bias].map(|nats| {
                let odds = [(nats / 2.0).exp(), 2.0 * self.draws / (1.0 - self.draws), (-nats / 2.0).exp()];
                match uniform(&mut rng) * odds.iter().sum::<f64>() {
                    at if at < odds[0] => GameResult::FirstWins,
                    at if at < odds[0] + odds[1] => GameResult::Draw,
                    _ => GameResult::SecondWins,
                }
            })
        }
    }
}

fn uniform(rng: &mut Rng) -> f64 {
    rng.below(1 << 53) as f64 / (1_u64 << 53) as f64
}

/// A mean and its standard error.
struct Mean {
    mean: f64,
    error: f64,
}

impl Mean {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self { mean, error: (squares / (count - 1.0) / count).sqrt() }
    }
}

/// With the standard error in percent.
impl Display for Mean {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(0);
        write!(f, "{:.digits$} ({:.1} %)", self.mean, 100.0 * self.error / self.mean)
    }
}

fn seeds(runs: u64, seed: u64) -> Vec<u64> {
    (0..runs).map(|run| derive_seed(seed, "run", &[&run.to_le_bytes()])).collect()
}

/// The results for these, in their order, on all processors.
fn each<I: Sync, T: Send>(of: &[I], one: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, Into::into);
    let one = &one;
    std::thread::scope(|scope| {
        let parts = of.chunks(of.len().div_ceil(threads)).map(|part| scope.spawn(|| part.iter().map(one).collect()));
        let parts: Vec<ScopedJoinHandle<'_, Vec<T>>> = parts.collect();
        parts.into_iter().flat_map(|part| part.join().expect("a run")).collect()
    })
}

/// By how much a plan is off, in percent.
fn off(planned: f64, found: f64) -> f64 {
    // Without a minus sign of what is rounded to 0.
    (100.0 * (planned / found - 1.0)).round() + 0.0
}

fn tournaments(runs: u64, seed: u64) {
    println!(
        "| bots, σ | bias | reaction | draws | format | games | planned | margin | off by | each plan |\n|---|---|---|---|---|---|---|---|---|---|"
    );
    for kind in [
        Kind { bots: 10, spread: 150.0, bias: 0.0, reaction: 0.0, draws: 0.2 },
        Kind { bots: 10, spread: 100.0, bias: 1.5, reaction: 0.3, draws: 0.5 },
        Kind { bots: 20, spread: 250.0, bias: 0.5, reaction: 0.5, draws: 0.1 },
    ] {
        let Kind { bots, spread, bias, reaction, draws } = kind;
        // A plan has the errors of the tournament that it is made from, so there are several.
        let worlds = each(&seeds(runs.div_ceil(20).max(2), derive_seed(seed, "first", &[])), |seed| {
            let (counts, ratings) = play(Format::usual(), bots, 40, *seed, kind.law(*seed));
            World::like(&Observed::of(&counts, &ratings).expect("games"), bots)
        });
        for (name, sizes) in
            [("round-robin", [8, 50]), ("gauntlet", [20, 100]), ("ladder", [40, 200]), ("swiss", [10, 50])]
        {
            let format = Format::named(name).expect("a format");
            for size in sizes {
                let plans = each(&worlds, |world| forecast(world, format, size));
                let found = each(&seeds(runs, seed), |seed| {
                    let (counts, ratings) = play(format, bots, size, *seed, kind.law(*seed));
                    [margin(format, bots, &ratings).unwrap_or(f64::NAN), counts.first_seat().games() as f64]
                });
                let [found, played] = [0, 1].map(|of| Mean::of(found.iter().map(|run| run[of])));
                let planned = Mean::of(plans.iter().map(|plan| plan.margin.unwrap_or(f64::NAN)));
                let games = Mean::of(plans.iter().map(|plan| plan.games));
                let mut offs: Vec<f64> =
                    plans.iter().map(|plan| off(plan.margin.unwrap_or(f64::NAN), found.mean)).collect();
                offs.sort_by(f64::total_cmp);
                println!(
                    "| {bots}, {spread} | {bias} | {reaction} | {draws} | {name} `--{} {size}` | {:.0} / {:.0} | ±{planned:.1} | ±{found:.1} | {:+} % | {:+} to {:+} % |",
                    size_flag(format),
                    games.mean,
                    played.mean,
                    off(planned.mean, found.mean),
                    offs[0],
                    offs[offs.len() - 1]
                );
            }
        }
    }
}

/// The games of a test, and whether elo1 was accepted.
fn tested(sprt: &Sprt, pairs: [f64; 5], seed: u64) -> [f64; 2] {
    let ([elo0, elo1], [lower, upper]) = (sprt.hypotheses(), sprt.bounds());
    // The exact normalized ratio takes long. It changes by less than this with a pair, so it need not be computed far from the
    // bounds; the logistic one is always.
    let step = if sprt.model() == SprtModel::Normalized { 3.0 * (elo1 - elo0) / ELO_PER_NAT } else { f64::INFINITY };
    let mut rng = Rng::new(seed);
    let (mut counts, mut games, mut left) = ([0_u64; 5], 0.0, 0);
    loop {
        let mut at = uniform(&mut rng);
        let kind = pairs.iter().position(|p| {
            at -= p;
            at < 0.0
        });
        counts[kind.unwrap_or(4)] += 1;
        games += 2.0;
        if left > 0 {
            left -= 1;
            continue;
        }
        let counts = MatchCounts::Pairs(counts);
        match sprt.verdict(&counts) {
            SprtVerdict::Undecided => {}
            verdict => return [games, f64::from(u8::from(verdict == SprtVerdict::H1))],
        }
        let llr = sprt.llr(&counts);
        left = ((llr - lower).min(upper - llr) / step) as u32;
    }
}

fn tests(runs: u64, seed: u64) {
    println!(
        "\n| test | draws | true Elo | planned | games | off by | elo1 accepted, planned | found |\n|---|---|---|---|---|---|---|---|"
    );
    for (model, [elo0, elo1]) in [
        (SprtModel::Normalized, [0.0, 20.0]),
        (SprtModel::Normalized, [0.0, 50.0]),
        (SprtModel::Logistic, [0.0, 50.0]),
        (SprtModel::Logistic, [0.0, 100.0]),
    ] {
        let sprt = Sprt::new(model, [elo0, elo1], 0.05, 0.05).expect("a test");
        for draws in [0.0, 0.4] {
            let world = World::normal(2, 0.0, draws);
            for place in [0.0, 0.5, 1.0, 1.5] {
                let truth = elo0 + place * (elo1 - elo0);
                let pairs = world.pair(truth);
                let planned = sprt.course(pairs);
                let row = format!("{} {elo0} to {elo1} | {draws} | {truth}", model.name());
                let found = each(&seeds(runs, derive_seed(seed, "test", &[row.as_bytes()])), |seed| {
                    tested(&sprt, pairs, *seed)
                });
                let [games, accepted] = [0, 1].map(|of| Mean::of(found.iter().map(|run| run[of])));
                println!(
                    "| {row} | {:.0} | {games:.0} | {:+} % | {:.3} | {:.3} |",
                    planned.games,
                    off(planned.games, games.mean),
                    planned.accepts_elo1,
                    accepted.mean
                );
            }
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let seed = words.iter().position(|word| word == "--seed").and_then(|place| words.get(place + 1)?.parse().ok());
    let seed = seed.unwrap_or(1);
    let has = |flag: &str| words.iter().any(|word| word == flag);
    // Cargo passes `--bench`, except in tests of benches.
    let runs: u64 = match (has("--bench"), has("--quick")) {
        (false, _) => 2,
        (true, true) => 200,
        (true, false) => 2_000,
    };
    if !has("--tests") {
        tournaments(runs.div_ceil(5), seed);
    }
    tests(runs, seed);
}
