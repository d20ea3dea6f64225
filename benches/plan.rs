//! Whether plans hold: `cargo bench --bench plan`, or with `-- --quick` a tenth of the runs, with `-- --tests` of tests only. `-- --seed N` gives other results.
//!
//! Tournaments are planned from one finished tournament of the same kind, by another law of draws (Davidson's) than that of
//! plans, with openings that favour seats and bots. Tests are planned from the probabilities of their pairs.

#![expect(clippy::print_stdout, reason = "it prints tables")]

use arena::format::{Due, Field, Format, FormatOptions, Pair, Plan, Settled, SettledGame};
use arena::plan::{World, forecast, size_flag};
use arena::record::GameResult;
use arena::rng::{Rng, derive_seed};
use arena::stats::{
    Counts, CountsBuilder, ELO_PER_NAT, MatchCounts, Observed, RatingOptions, Ratings, Sample, Sprt, SprtModel,
    SprtVerdict, rate,
};

/// A kind of tournament: standard deviations of strengths in Elo, of the bias and of reactions in nats; draws between equals.
#[derive(Clone, Copy)]
struct Kind {
    bots: usize,
    spread: f64,
    bias: f64,
    reaction: f64,
    draws: f64,
}

struct Hall {
    kind: Kind,
    nats: Vec<f64>,
    seed: u64,
    rng: Rng,
    games: CountsBuilder,
    pairs: usize,
}

impl Hall {
    /// Strengths are those of `kind`, whatever the seed.
    fn new(kind: Kind, seed: u64) -> Self {
        let mut strengths = Rng::new(derive_seed(7, "strengths", &[]));
        let mut nats: Vec<f64> = (0..kind.bots).map(|_| kind.spread / ELO_PER_NAT * strengths.normal()).collect();
        nats.sort_by(|x, y| y.total_cmp(x));
        Self { kind, nats, seed, rng: Rng::new(seed), games: CountsBuilder::new(kind.bots), pairs: 0 }
    }

    fn added(&self, opening: u32, who: u64) -> f64 {
        Rng::new(derive_seed(self.seed, "opening", &[&opening.to_le_bytes(), &who.to_le_bytes()])).normal()
    }

    fn play(&mut self, pair: &Pair) -> Settled {
        let level = |bot: usize| self.nats[bot] + self.kind.reaction * self.added(pair.opening, bot as u64);
        let bias = self.kind.bias * self.added(pair.opening, u64::MAX);
        let [a, b] = pair.bots;
        let difference = level(a) - level(b);
        let games = [difference + bias, bias - difference].map(|nats| {
            let odds = [(nats / 2.0).exp(), 2.0 * self.kind.draws / (1.0 - self.kind.draws), (-nats / 2.0).exp()];
            let at = uniform(&mut self.rng) * odds.iter().sum::<f64>();
            let result = match at {
                at if at < odds[0] => GameResult::FirstWins,
                at if at < odds[0] + odds[1] => GameResult::Draw,
                _ => GameResult::SecondWins,
            };
            SettledGame { result, withdrawn: [false; 2], is_evidence: true, moves: self.rng.below(u64::MAX) }
        });
        let number = Some(self.pairs as u32);
        let sample = Sample { pair: number, cluster: number, opening: Some(pair.opening) };
        self.games.add_sample(a, b, games[0].result, sample);
        self.games.add_sample(b, a, games[1].result, sample);
        self.pairs += 1;
        Settled { pair: *pair, games }
    }
}

fn uniform(rng: &mut Rng) -> f64 {
    rng.below(1 << 53) as f64 / (1_u64 << 53) as f64
}

/// Plays a tournament of this format and size.
fn play(kind: Kind, format: &Format, size: u32, seed: u64) -> (Counts, Ratings) {
    let mut hall = Hall::new(kind, seed);
    let is_ladder = format.name == "ladder";
    let options = if is_ladder { serde_json::json!({ "pairs_per_bot": size }) } else { serde_json::json!({}) };
    let options: FormatOptions = serde_json::from_value(options).expect("options");
    let rounds = if is_ladder { 1_000 } else { size };
    let field = Field {
        bots: kind.bots,
        rounds,
        openings: format.openings(rounds, &options) as usize,
        seed,
        keys: (0..kind.bots).map(|bot| derive_seed(seed, "key", &[&bot.to_le_bytes()])).collect(),
        challengers: if format.has_challengers { vec![kind.bots / 2] } else { Vec::new() },
        options,
        ..Field::default()
    };
    match format.plan {
        Plan::Fixed { pairings, pairing, .. } => {
            for opening in 0..rounds {
                for number in 0..pairings(&field) {
                    hall.play(&Pair { round: opening + 1, opening, bots: pairing(&field, number) });
                }
            }
        }
        Plan::Stepwise { start, .. } => {
            let (mut state, mut due): (_, Vec<Pair>) = (start(&field), Vec::new());
            loop {
                for pair in &due[hall.pairs..state.waits_for()] {
                    state.settle(&hall.play(pair));
                }
                match state.due() {
                    Due::Pairs(pairs) => {
                        state.add(&pairs);
                        due.extend(pairs);
                    }
                    Due::Over(_) => break,
                }
            }
            for pair in &due[hall.pairs..] {
                hall.play(pair);
            }
        }
    }
    let counts = hall.games.finish();
    let ratings = rate(&counts, &RatingOptions { fitted_prior: is_ladder, ..RatingOptions::default() });
    (counts, ratings)
}

/// The median margin, or of a gauntlet that of the challenger.
fn margin(format: &Format, bots: usize, ratings: &Ratings) -> f64 {
    let of = |bot: usize| ratings.of(bot).map_or(f64::INFINITY, |rating| rating.elo.half_width());
    if format.has_challengers {
        return of(bots / 2);
    }
    let mut all: Vec<f64> = (0..bots).map(of).collect();
    all.sort_by(f64::total_cmp);
    all[bots / 2]
}

fn tournaments(runs: u64, seed: u64) {
    println!(
        "| bots, σ | bias | reaction | draws | format | games | planned | margin | off by |\n|---|---|---|---|---|---|---|---|---|"
    );
    for kind in [
        Kind { bots: 10, spread: 150.0, bias: 0.0, reaction: 0.0, draws: 0.2 },
        Kind { bots: 10, spread: 100.0, bias: 1.5, reaction: 0.3, draws: 0.5 },
        Kind { bots: 20, spread: 250.0, bias: 0.5, reaction: 0.5, draws: 0.1 },
    ] {
        let (counts, ratings) = play(kind, Format::usual(), 40, derive_seed(seed, "first", &[]));
        let world = World::like(&Observed::of(&counts, &ratings).expect("games"), kind.bots);
        for (name, sizes) in
            [("round-robin", [8, 50]), ("gauntlet", [20, 100]), ("ladder", [40, 200]), ("swiss", [10, 50])]
        {
            let format = Format::named(name).expect("a format");
            for size in sizes {
                let planned = forecast(&world, format, size);
                let found = (0..runs).map(|run| {
                    let (counts, ratings) = play(kind, format, size, derive_seed(seed, "run", &[&run.to_le_bytes()]));
                    [margin(format, kind.bots, &ratings), counts.first_seat().games() as f64]
                });
                let [margin, games] =
                    found.fold([0.0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]).map(|sum| sum / runs as f64);
                let expected = planned.margin.unwrap_or(f64::NAN);
                println!(
                    "| {}, {} | {} | {} | {} | {name} `--{} {size}` | {:.0} / {games:.0} | ±{expected:.1} | ±{margin:.1} | {:+.0} % |",
                    kind.bots,
                    kind.spread,
                    kind.bias,
                    kind.reaction,
                    kind.draws,
                    size_flag(format),
                    planned.games,
                    100.0 * (expected / margin - 1.0)
                );
            }
        }
    }
}

/// The mean number of games of tests, and how often elo1 was accepted.
fn tested(sprt: &Sprt, pairs: [f64; 5], runs: u64, rng: &mut Rng) -> [f64; 2] {
    let [elo0, elo1] = sprt.hypotheses();
    let step = (elo1 - elo0) / ELO_PER_NAT * 4.0;
    let (mut games, mut accepted) = (0.0, 0.0);
    for _ in 0..runs {
        let (mut counts, mut left) = ([0_u64; 5], 0);
        loop {
            let mut at = uniform(rng);
            let kind = pairs.iter().position(|p| {
                at -= p;
                at < 0.0
            });
            counts[kind.unwrap_or(4)] += 1;
            games += 2.0;
            // A few pairs cannot decide far from the bounds.
            if left > 0 {
                left -= 1;
                continue;
            }
            let llr = sprt.llr(&MatchCounts::Pairs(counts));
            let [lower, upper] = sprt.bounds();
            left = ((llr - lower).min(upper - llr) / step).max(0.0) as u32 / 2;
            match sprt.verdict(&MatchCounts::Pairs(counts)) {
                SprtVerdict::Undecided => {}
                verdict => {
                    accepted += f64::from(u8::from(verdict == SprtVerdict::H1));
                    break;
                }
            }
        }
    }
    [games, accepted].map(|sum| sum / runs as f64)
}

fn tests(runs: u64, seed: u64) {
    println!(
        "\n| test | draws | true Elo | planned | games | off by | elo1 accepted, planned | found |\n|---|---|---|---|---|---|---|---|"
    );
    let mut rng = Rng::new(derive_seed(seed, "tests", &[]));
    for (model, [elo0, elo1], runs) in [
        (SprtModel::Normalized, [0.0, 20.0], 2 * runs / 5),
        (SprtModel::Normalized, [0.0, 50.0], runs),
        (SprtModel::Logistic, [0.0, 50.0], runs),
        (SprtModel::Logistic, [0.0, 100.0], 3 * runs / 2),
    ] {
        let sprt = Sprt::new(model, [elo0, elo1], 0.05, 0.05).expect("a test");
        for draws in [0.0, 0.4] {
            let world = World::normal(2, 0.0, draws);
            for place in [0.0, 0.5, 1.0, 1.5] {
                let truth = elo0 + place * (elo1 - elo0);
                let pairs = world.pair(truth);
                let planned = sprt.course(pairs);
                let [games, accepted] = tested(&sprt, pairs, runs, &mut rng);
                println!(
                    "| {} {elo0} to {elo1} | {draws} | {truth} | {:.0} | {games:.0} | {:+.0} % | {:.3} | {accepted:.3} |",
                    model.name(),
                    planned.games,
                    100.0 * (planned.games / games - 1.0),
                    planned.accepts_elo1
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
        (true, true) => 20,
        (true, false) => 200,
    };
    if !has("--tests") {
        tournaments(runs.div_ceil(4), seed);
    }
    tests(runs, seed);
}
