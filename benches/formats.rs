//! What formats find out, simulated: `cargo bench --bench formats`, or with `-- --quick` a tenth of the runs. `-- --seed N` gives
//! other strengths and results.
//!
//! Strengths are normal. A draw is as likely as leaves the mean score logistic: 20 % between equal bots. Every opening favours a
//! side by a normal number of 0.5 nats, so that the two games of a pair are not independent. The formats and the ratings are
//! those that ship.

#![expect(clippy::print_stdout, reason = "it prints tables")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use arena::format::{Field, Format, FormatOptions, Pair, Settled, SettledGame, simulate};
use arena::plan::tally;
use arena::record::GameResult;
use arena::rng::{Rng, derive_seed};
use arena::stats::{ELO_PER_NAT, RatingOptions, Ratings, rate};

/// Standard deviation of what an opening is worth to a side, in nats.
const OPENING_SD: f64 = 0.5;
/// Share of draws between equal bots.
const DRAWS: f64 = 0.2;
/// Mean scores over all openings are those of strengths this much smaller: 1/√(1 + π/8 σ²).
const MARGINAL: f64 = 0.954_3;

/// How much is simulated.
#[derive(Clone, Copy)]
struct Size {
    runs: u64,
    /// Larger fields are left out.
    bots_max: usize,
}

/// A field, its openings and its random results.
struct World {
    nats: Vec<f64>,
    seed: u64,
    rng: Rng,
}

impl World {
    fn new(bots: usize, sd_elo: f64, seed: u64) -> Self {
        let mut rng = Rng::new(derive_seed(seed, "world", &[]));
        let nats = (0..bots).map(|_| sd_elo / ELO_PER_NAT * rng.normal()).collect();
        Self { nats, seed, rng }
    }

    /// The strengths that ratings estimate, in Elo, with mean 0.
    fn truth(&self) -> Vec<f64> {
        let mean = self.nats.iter().sum::<f64>() / self.nats.len() as f64;
        self.nats.iter().map(|nats| MARGINAL * ELO_PER_NAT * (nats - mean)).collect()
    }

    fn play(&mut self, pair: Pair) -> Settled {
        let opening = OPENING_SD * Rng::new(derive_seed(self.seed, "opening", &[&pair.opening.to_le_bytes()])).normal();
        let [a, b] = pair.bots;
        let games = [[a, b], [b, a]].map(|[first, second]| {
            let win = 1.0 / (1.0 + (self.nats[second] - self.nats[first] - opening).exp());
            let draw = DRAWS * 4.0 * win * (1.0 - win);
            let drawn = self.rng.below(1 << 53) as f64 / (1_u64 << 53) as f64;
            let result = if drawn < win - draw / 2.0 {
                GameResult::FirstWins
            } else if drawn < win + draw / 2.0 {
                GameResult::Draw
            } else {
                GameResult::SecondWins
            };
            SettledGame { result, withdrawn: [false; 2], is_evidence: true, moves: self.rng.below(u64::MAX) }
        });
        Settled { pair, games }
    }
}

fn ratings(bots: usize, played: &[Settled], fitted_prior: bool) -> Ratings {
    rate(&tally(bots, played), &RatingOptions { fitted_prior, ..RatingOptions::default() })
}

/// Plays a ladder to its end; `seen` is called before every batch with the pairs before it.
fn ladder(world: &mut World, options: FormatOptions, mut seen: impl FnMut(&[Settled])) -> Vec<Settled> {
    let bots = world.nats.len();
    let keys = (0..bots).map(|bot| derive_seed(world.seed, "key", &[&bot.to_le_bytes()])).collect();
    let field = Field { bots, rounds: 1_000, openings: 1_000, seed: world.seed, keys, options, ..Field::default() };
    let (mut played, mut round) = (Vec::new(), 0);
    simulate(Format::named("ladder").expect("a format"), &field, |pair| {
        if pair.round != round {
            round = pair.round;
            seen(&played);
        }
        let settled = world.play(pair);
        played.push(settled);
        settled
    });
    played
}

fn pairings(bots: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..bots).flat_map(move |b| (0..b).map(move |a| [a, b]))
}

fn round_robin(world: &mut World, rounds: u32) -> Vec<Settled> {
    let bots = world.nats.len();
    let pairs =
        (0..rounds).flat_map(|opening| pairings(bots).map(move |bots| Pair { round: opening + 1, opening, bots }));
    pairs.map(|pair| world.play(pair)).collect()
}

/// A round-robin of ten rounds, then `--until separated`: half as many rounds again for neighbours that overlap.
fn until_separated(world: &mut World, rounds_max: u32) -> Vec<Settled> {
    let mut games = round_robin(world, 10);
    let mut rounds: BTreeMap<[usize; 2], u32> = pairings(world.nats.len()).map(|bots| (bots, 10)).collect();
    loop {
        let ratings = ratings(world.nats.len(), &games, false);
        let order = order(&ratings, world.nats.len());
        let open = ratings.neighbours(&order).filter(|two| !two.are_separated());
        let open: Vec<[usize; 2]> = open.map(|two| [two.upper.min(two.lower), two.upper.max(two.lower)]).collect();
        let before = games.len();
        for bots in open {
            let played = rounds[&bots];
            let wanted = (played + (played / 2).max(10)).min(rounds_max);
            games.extend((played..wanted).map(|opening| world.play(Pair { round: opening + 1, opening, bots })));
            rounds.insert(bots, wanted);
        }
        if games.len() == before {
            return games;
        }
    }
}

fn order(ratings: &Ratings, bots: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..bots).collect();
    order.sort_by(|x, y| elo(ratings, *y).total_cmp(&elo(ratings, *x)));
    order
}

fn elo(ratings: &Ratings, bot: usize) -> f64 {
    ratings.of(bot).map_or(f64::NEG_INFINITY, |rating| rating.elo.elo)
}

/// How good ratings are: sums over runs, so that means follow.
#[derive(Clone, Copy, Default)]
struct Quality {
    runs: f64,
    /// Products for the slope of truth on rating.
    products: [f64; 2],
    /// Bots and neighbours whose interval holds the truth.
    held: [f64; 2],
    /// Pairs of bots in the wrong order.
    order: f64,
    separated: f64,
    top: f64,
}

impl Quality {
    fn of(world: &World, ratings: &Ratings) -> Self {
        let (truth, bots) = (world.truth(), world.nats.len());
        let mean = (0..bots).map(|bot| elo(ratings, bot)).sum::<f64>() / bots as f64;
        let held = |bot: &usize| {
            ratings.of(*bot).is_some_and(|rating| (rating.elo.lo - mean..=rating.elo.hi - mean).contains(&truth[*bot]))
        };
        let rated = order(ratings, bots);
        let neighbours: Vec<[usize; 2]> = rated.windows(2).map(|two| [two[0], two[1]]).collect();
        let difference = |[a, b]: [usize; 2]| ratings.difference(a, b);
        let covers = |bots: &&[usize; 2]| {
            difference(**bots).is_some_and(|found| (found.lo..=found.hi).contains(&(truth[bots[0]] - truth[bots[1]])))
        };
        let apart = |bots: &&[usize; 2]| difference(**bots).is_some_and(|found| found.lo > 0.0 || found.hi < 0.0);
        let wrong = pairings(bots).filter(|[a, b]| (elo(ratings, *a) > elo(ratings, *b)) != (truth[*a] > truth[*b]));
        let mut best: Vec<usize> = (0..bots).collect();
        best.sort_by(|x, y| truth[*y].total_cmp(&truth[*x]));
        let share = |count: usize, of: usize| count as f64 / of as f64;
        Self {
            runs: 1.0,
            products: [
                (0..bots).map(|bot| truth[bot] * (elo(ratings, bot) - mean)).sum(),
                (0..bots).map(|bot| (elo(ratings, bot) - mean).powi(2)).sum(),
            ],
            held: [
                share((0..bots).filter(held).count(), bots),
                share(neighbours.iter().filter(covers).count(), bots - 1),
            ],
            order: share(wrong.count(), bots * (bots - 1) / 2),
            separated: share(neighbours.iter().filter(apart).count(), bots - 1),
            top: f64::from(u8::from(rated[..5].iter().all(|bot| best[..5].contains(bot)))),
        }
    }

    fn plus(self, other: Self) -> Self {
        let both = |x: [f64; 2], y: [f64; 2]| [x[0] + y[0], x[1] + y[1]];
        Self {
            runs: self.runs + other.runs,
            products: both(self.products, other.products),
            held: both(self.held, other.held),
            order: self.order + other.order,
            separated: self.separated + other.separated,
            top: self.top + other.top,
        }
    }

    fn slope(&self) -> f64 {
        self.products[0] / self.products[1]
    }
}

/// Means over `runs` worlds, on all processors.
fn mean<const N: usize>(runs: u64, seed: u64, one: impl Fn(u64) -> [Quality; N] + Sync) -> [Quality; N] {
    let each = each(runs, seed, one);
    each.into_iter().fold([Quality::default(); N], |sum, run| std::array::from_fn(|place| sum[place].plus(run[place])))
}

fn each<T: Send>(runs: u64, seed: u64, one: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let one = &one;
    std::thread::scope(|scope| {
        let part = |thread| {
            move || {
                (thread..runs)
                    .step_by(threads as usize)
                    .map(|run| one(derive_seed(seed, "run", &[&run.to_le_bytes()])))
                    .collect()
            }
        };
        let parts: Vec<_> = (0..threads).map(|thread| scope.spawn(part(thread))).collect();
        parts
            .into_iter()
            .flat_map(|part: std::thread::ScopedJoinHandle<'_, Vec<T>>| part.join().expect("a run"))
            .collect()
    })
}

fn pairs_per_bot(pairs: u32) -> FormatOptions {
    serde_json::from_value(serde_json::json!({ "pairs_per_bot": pairs })).expect("options")
}

fn calibration(Size { runs, bots_max }: Size, seed: u64) {
    println!(
        "\n| bots, σ = 150 Elo | pairs a bot | format | slope | bots held | neighbours held |\n|---|---|---|---|---|---|"
    );
    for (bots, rounds) in [(20, [1, 4, 8]), (40, [1, 2, 4])].into_iter().filter(|(bots, _)| *bots <= bots_max) {
        for rounds in rounds {
            let pairs = rounds * (bots as u32 - 1);
            let found = mean(runs, seed, |seed| {
                let mut world = World::new(bots, 150.0, seed);
                let games = ladder(&mut world, pairs_per_bot(pairs), |_| {});
                let ours = Quality::of(&world, &ratings(bots, &games, true));
                let plain = Quality::of(&world, &ratings(bots, &games, false));
                let games = round_robin(&mut world, rounds);
                [Quality::of(&world, &ratings(bots, &games, false)), plain, ours]
            });
            for (format, found) in ["round-robin", "ladder without prior", "ladder"].into_iter().zip(found) {
                let held = found.held.map(|held| held / found.runs);
                println!("| {bots} | {pairs} | {format} | {:.3} | {:.3} | {:.3} |", found.slope(), held[0], held[1]);
            }
        }
    }
    let [found] = mean(runs, seed, |seed| {
        let mut world = World::new(20, 150.0, seed);
        let games = until_separated(&mut world, 200);
        [Quality::of(&world, &ratings(20, &games, false))]
    });
    let held = found.held.map(|held| held / found.runs);
    println!(
        "| 20 | 190 and more | round-robin `--until separated` | {:.3} | {:.3} | {:.3} |",
        found.slope(),
        held[0],
        held[1]
    );
}

fn against_round_robin(Size { runs, bots_max }: Size, seed: u64) {
    println!("\n| bots | pairs | format | wrong order | neighbours apart | top 5 right |\n|---|---|---|---|---|---|");
    let fields = [(20, 150.0, 16, runs), (100, 200.0, 2, runs / 4), (100, 200.0, 8, runs / 8)];
    for (bots, sd, rounds, runs) in fields.into_iter().filter(|(bots, ..)| *bots <= bots_max) {
        let all = rounds as usize * bots * (bots - 1) / 2;
        let shares = [0.25, 0.4, 0.55, 0.7, 0.85, 1.0];
        let found = mean(runs.max(2), seed, |seed| {
            let mut world = World::new(bots, sd, seed);
            let mut found = [Quality::default(); 7];
            let mut next = 0;
            let truth = World::new(bots, sd, seed);
            let games = ladder(&mut world, pairs_per_bot(2 * all as u32 / bots as u32), |games| {
                while next < 5 && games.len() as f64 >= shares[next] * all as f64 {
                    found[1 + next] = Quality::of(&truth, &ratings(bots, games, true));
                    next += 1;
                }
            });
            found[6] = Quality::of(&world, &ratings(bots, &games, true));
            let games = round_robin(&mut world, rounds);
            found[0] = Quality::of(&world, &ratings(bots, &games, false));
            found
        });
        let row = |format: &str, pairs: f64, found: &Quality| {
            let [order, apart, top] = [found.order, found.separated, found.top].map(|sum| sum / found.runs);
            println!("| {bots} | {pairs:.0} | {format} | {order:.4} | {apart:.3} | {top:.2} |");
        };
        row("round-robin", all as f64, &found[0]);
        shares.iter().zip(&found[1..]).for_each(|(share, found)| row("ladder", share * all as f64, found));
    }
}

fn top(Size { runs, bots_max }: Size, seed: u64) {
    const APART: f64 = 10.0;
    println!("\n| `--until top:5` | runs | median pairs | wrong by more than {APART} Elo |\n|---|---|---|---|");
    let fields = [(20, 150.0, false, runs), (20, 150.0, true, runs), (100, 200.0, false, runs / 4)];
    for (bots, sd, only_top, runs) in fields.into_iter().filter(|(bots, ..)| *bots <= bots_max) {
        let mut found = each(runs.max(2), seed, |seed| {
            let mut world = World::new(bots, sd, seed);
            let options = serde_json::json!({ "until": format!("top:5,±{APART}"), "only_top": only_top });
            let options = serde_json::from_value(options).expect("options");
            let games = ladder(&mut world, options, |_| {});
            let (truth, order) = (world.truth(), order(&ratings(bots, &games, true), bots));
            let worst = order[..5].iter().map(|bot| truth[*bot]).fold(f64::INFINITY, f64::min);
            let best = order[5..].iter().map(|bot| truth[*bot]).fold(f64::NEG_INFINITY, f64::max);
            (games.len(), best - worst > APART)
        });
        found.sort_unstable();
        let wrong = found.iter().filter(|(_, wrong)| *wrong).count() as f64 / found.len() as f64;
        let of = if only_top { ", --only-top" } else { "" };
        println!("| {bots} bots{of} | {} | {} | {:.1} % |", found.len(), found[found.len() / 2].0, 100.0 * wrong);
    }
}

/// What a ladder knows that is stopped early.
fn stopped(Size { runs, bots_max }: Size, seed: u64) {
    println!(
        "\n| bots, σ = 150 Elo | pairs | comparable | all comparable | strongest bot first | wrong order |\n|---|---|---|---|---|---|"
    );
    for bots in [17, 40].into_iter().filter(|bots| *bots <= bots_max) {
        let points = [bots / 2, bots - 1, bots + bots / 2, 2 * bots, 4 * bots];
        let found = each(runs, seed, |seed| {
            let mut world = World::new(bots, 150.0, seed);
            let games = ladder(&mut world, pairs_per_bot(8), |_| {});
            let truth = world.truth();
            let best = (0..bots).max_by(|a, b| truth[*a].total_cmp(&truth[*b])).unwrap_or(0);
            points.map(|pairs| {
                let ratings = ratings(bots, &games[..pairs.min(games.len())], true);
                let group = |bot: usize| ratings.of(bot).map(|rating| rating.group);
                let size = |of: usize| (0..bots).filter(|bot| group(*bot) == Some(of)).count();
                let largest = (0..ratings.groups()).map(size).max().unwrap_or(0);
                // Groups come one after the other, in the order of their first bots.
                let place = |bot: &usize| (group(*bot).unwrap_or(bots), -elo(&ratings, *bot));
                let first = (0..bots).min_by(|a, b| place(a).partial_cmp(&place(b)).expect("ratings are numbers"));
                let wrong = pairings(bots).filter(|[a, b]| (place(a) < place(b)) != (truth[*a] > truth[*b])).count();
                let share = |yes: bool| f64::from(u8::from(yes));
                let all = bots * (bots - 1) / 2;
                [
                    largest as f64 / bots as f64,
                    share(largest == bots),
                    share(first == Some(best)),
                    wrong as f64 / all as f64,
                ]
            })
        });
        for (place, pairs) in points.into_iter().enumerate() {
            let mean = |of: usize| found.iter().map(|run| run[place][of]).sum::<f64>() / found.len() as f64;
            let [part, all, first, wrong] = [0, 1, 2, 3].map(mean);
            println!("| {bots} | {pairs} | {part:.2} | {all:.2} | {first:.2} | {wrong:.3} |");
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "it measures time")]
fn cost(Size { bots_max, .. }: Size) {
    println!("\n| bots | decisions | µs a pair |\n|---|---|---|");
    for (bots, batches) in [(20, 40), (100, 20), (1_000, 4)].into_iter().filter(|(bots, _)| *bots <= bots_max) {
        let mut world = World::new(bots, 200.0, 1);
        let (mut last, mut spent, mut decisions) = (Instant::now(), Duration::ZERO, 0_u32);
        let pairs = (2 * batches) as u32;
        // The time between two decisions is that of the choice, and of a simulated batch.
        let games = ladder(&mut world, pairs_per_bot(pairs), |games| {
            black_box(games.len());
            spent += last.elapsed();
            decisions += 1;
            last = Instant::now();
        });
        println!("| {bots} | {decisions} | {:.1} |", spent.as_secs_f64() * 1e6 / games.len() as f64);
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let seed = words.iter().position(|word| word == "--seed").and_then(|place| words.get(place + 1)?.parse().ok());
    let seed = seed.unwrap_or(1);
    let has = |flag: &str| words.iter().any(|word| word == flag);
    // Cargo passes `--bench`, except in tests of benches.
    let size = match (has("--bench"), has("--quick")) {
        (false, _) => Size { runs: 1, bots_max: 20 },
        (true, true) => Size { runs: 20, bots_max: 1_000 },
        (true, false) => Size { runs: 200, bots_max: 1_000 },
    };
    println!("seed {seed}, {} runs", size.runs);
    cost(size);
    stopped(size, seed);
    calibration(size, seed);
    top(size, seed);
    against_round_robin(size, seed);
}
