//! What ratings cost: `cargo bench --bench ratings`.

use std::hint::black_box;

use arena::record::GameResult;
use arena::rng::Rng;
use arena::stats::{CountsBuilder, RatingOptions, rate, transitivity};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

/// A field whose strengths spread over 600 Elo: every pairing plays about `games` games in all, in swapped pairs.
fn builder(bots: usize, games: usize) -> CountsBuilder {
    let mut rng = Rng::new(1);
    let mut builder = CountsBuilder::new(bots);
    let strength = |bot: usize| 600.0 * bot as f64 / bots as f64;
    let mut pair = 0;
    while (pair as usize) < games / 2 {
        for a in 0..bots {
            for b in 0..a {
                if pair as usize >= games / 2 {
                    break;
                }
                let score = 1.0 / (1.0 + 10_f64.powf((strength(b) - strength(a)) / 400.0));
                for (first, second) in [(a, b), (b, a)] {
                    let won = (rng.below(1_000_000) as f64) < 1e6 * score;
                    let result = match (rng.below(4), won == (first == a)) {
                        (0, _) => GameResult::Draw,
                        (_, true) => GameResult::FirstWins,
                        (_, false) => GameResult::SecondWins,
                    };
                    builder.add(first, second, result, Some(pair));
                }
                pair += 1;
            }
        }
    }
    builder
}

fn benches(c: &mut Criterion) {
    for (name, bots, games) in
        [("1000 bots x 1000000 games", 1_000, 1_000_000), ("40 bots x 320000 games", 40, 320_000)]
    {
        let mut group = c.benchmark_group(name);
        group.sample_size(10);
        let games = builder(bots, games);
        group.bench_function("add up", |b| {
            b.iter_batched(|| games.clone(), |games| black_box(games.finish()), BatchSize::PerIteration);
        });
        let counts = games.finish();
        let options = RatingOptions::default();
        group.bench_function("fit with errors", |b| b.iter(|| black_box(rate(&counts, &options))));
        let with_side = RatingOptions { fit_side: true, ..options };
        group.bench_function("fit with errors and side", |b| b.iter(|| black_box(rate(&counts, &with_side))));
        let ratings = rate(&counts, &options);
        group.bench_function("rank ranges", |b| b.iter(|| black_box(ratings.rank_ranges())));
        group.bench_function("transitivity", |b| b.iter(|| black_box(transitivity(&counts, &ratings))));
        group.finish();
    }
    // A field of equals is the hardest for rank ranges: no two bots are clearly apart.
    let mut equals = CountsBuilder::new(1_000);
    let mut rng = Rng::new(2);
    for a in 0..1_000 {
        for b in 0..a {
            let result = if rng.below(2) == 0 { GameResult::FirstWins } else { GameResult::SecondWins };
            equals.add(a, b, result, None);
        }
    }
    let equals = rate(&equals.finish(), &RatingOptions::default());
    c.bench_function("rank ranges of 1000 equals", |b| b.iter(|| black_box(equals.rank_ranges())));
}

criterion_group!(ratings, benches);
criterion_main!(ratings);
