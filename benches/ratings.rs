//! Cost of ratings: `cargo bench -p arena-benches --bench ratings`.

use std::hint::black_box;

use arena::import;
use arena::record::GameResult;
use arena::rng::Rng;
use arena::stats::{CountsBuilder, RatingOptions, Ratings, Sample, rate, transitivity};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

/// One game: bots by seat, result, pair.
type Game = (usize, usize, GameResult, u32);

/// A field with strengths spread over 600 Elo: every pairing plays about equally often, in swapped pairs.
fn field(bots: usize, games: usize) -> Vec<Game> {
    let mut rng = Rng::new(1);
    let strength = |bot: usize| 600.0 * bot as f64 / bots as f64;
    let pairings: Vec<_> = (0..bots).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let mut field = Vec::with_capacity(games);
    for (pair, (a, b)) in (0..games as u32 / 2).zip(pairings.into_iter().cycle()) {
        let score = 1.0 / (1.0 + 10_f64.powf((strength(b) - strength(a)) / 400.0));
        for (first, second) in [(a, b), (b, a)] {
            let won = (rng.below(1_000_000) as f64) < 1e6 * score;
            let result = match (rng.below(4), won == (first == a)) {
                (0, _) => GameResult::Draw,
                (_, true) => GameResult::FirstWins,
                (_, false) => GameResult::SecondWins,
            };
            field.push((first, second, result, pair));
        }
    }
    field
}

fn builder(bots: usize, field: &[Game]) -> CountsBuilder {
    let mut builder = CountsBuilder::new(bots);
    for &(first, second, result, pair) in field {
        builder.add(first, second, result, Some(pair));
    }
    builder
}

/// The same games in openings shared by all pairings; four in all if pairings played fewer.
fn in_shared_openings(bots: usize, field: &[Game]) -> CountsBuilder {
    let pairings = (bots * (bots - 1) / 2) as u32;
    let openings = (field.len() as u32 / 2).div_ceil(pairings).max(4);
    let mut builder = CountsBuilder::new(bots);
    for &(first, second, result, pair) in field {
        let opening = Some((pair / pairings + pair % pairings) % openings);
        builder.add_sample(first, second, result, Sample { cluster: Some(pair), pair: Some(pair), opening });
    }
    builder
}

/// The field as a CSV file from another tool.
fn csv(field: &[Game]) -> String {
    let row = |(first, second, result, pair): &Game| format!("bot{first:04},bot{second:04},{result},{pair}\n");
    std::iter::once("white,black,result,pair\n".to_owned()).chain(field.iter().map(row)).collect()
}

/// From the bytes of a file to ratings with errors.
fn read_and_rate(text: &str) -> Ratings {
    let inputs = [("bench".to_owned(), text.as_bytes())];
    let (table, _) = import::read_all(inputs, &import::ImportOptions::default()).expect("the table is sound");
    let mut counts = CountsBuilder::new(table.names.len());
    for game in &table.games {
        counts.add(game.first as usize, game.second as usize, game.result, Some(game.cluster));
    }
    drop(table);
    rate(&counts.finish(), &RatingOptions::default())
}

fn benches(c: &mut Criterion) {
    for (name, bots, games) in
        [("1000 bots x 1000000 games", 1_000, 1_000_000), ("40 bots x 320000 games", 40, 320_000)]
    {
        let mut group = c.benchmark_group(name);
        group.sample_size(10);
        let field = field(bots, games);
        let text = csv(&field);
        group.bench_function("read CSV, add up, fit with errors", |b| b.iter(|| black_box(read_and_rate(&text))));
        let games = builder(bots, &field);
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
        let in_openings = in_shared_openings(bots, &field).finish();
        group.bench_function("fit with errors by opening", |b| b.iter(|| black_box(rate(&in_openings, &options))));
        group.bench_function("transitivity", |b| b.iter(|| black_box(transitivity(&counts, &ratings))));
        group.finish();
    }
    // Equal bots are the hardest case for rank ranges: no two are clearly apart.
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
