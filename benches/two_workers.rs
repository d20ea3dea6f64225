//! Two workers with one slot each against one process that plays two games at a time: `cargo bench --features nats --bench
//! two_workers`. It needs `nats-server`, or `$NATS_SERVER`.
//!
//! Games take about 5 ms of a processor. Runs alternate, since machines are shared; each is timed from its start to its tables.
//! `-- --rounds N` sets the rounds of two games, `-- --pairs N` how often both are timed.

#![expect(clippy::print_stdout, reason = "it prints a table")]
#![allow(dead_code, reason = "the support of the tests has more than is needed here")]

#[path = "../tests/cluster/machine.rs"]
mod machine;
#[path = "../tests/it/procfs.rs"]
mod procfs;
#[path = "../tests/cluster/server.rs"]
mod server;
#[path = "../tests/it/support.rs"]
mod support;

use std::time::{Duration, Instant};

use machine::start_on;
use server::Server;
use support::Dir;

/// No run takes longer.
const LIMIT: Duration = Duration::from_secs(600);

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let value = |flag: &str| {
        let place = words.iter().position(|word| word == flag)?;
        words.get(place + 1)?.parse::<usize>().ok()
    };
    // Cargo passes `--bench`, except in tests of benches.
    let is_bench = words.iter().any(|word| word == "--bench");
    let rounds = value("--rounds").unwrap_or(if is_bench { 2_000 } else { 20 });
    let pairs = value("--pairs").unwrap_or(if is_bench { 5 } else { 1 });
    let dir = Dir::new();
    for name in ["one", "two"] {
        dir.builtin(name, "mcts playouts=210");
    }
    let Some(server) = Server::start(&dir.path("")) else { return };
    let url = server.url();
    let _workers = ["w1", "w2"].map(|name| start_on(&dir, name, &format!("worker --nats {url} --slots 1")));
    let games = (2 * rounds) as f64;
    println!("{games} games  process: s  games/s  workers: s  games/s  ratio");
    let mut ratios: Vec<f64> = (0..pairs)
        .map(|pair| {
            let flags = format!("--game connect4 --rounds {rounds} --seed {} --move-time 10s --quiet", pair + 1);
            let process = seconds(&dir, &format!("tournament {flags} --name process-{pair} -j 2"));
            let workers = seconds(&dir, &format!("coordinate {flags} --name workers-{pair} --nats {url}"));
            let ratio = process / workers;
            println!("{process:18.2}  {:7.0}  {workers:10.2}  {:7.0}  {ratio:5.2}", games / process, games / workers);
            ratio
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    println!("median ratio of games/s: {:.2}", ratios[ratios.len() / 2]);
}

/// The time of a run that plays everything.
fn seconds(dir: &Dir, args: &str) -> f64 {
    let begun = now();
    let ended = start_on(dir, "home", args).wait(LIMIT);
    assert_eq!(ended.status, Some(0), "{ended}");
    begun.elapsed().as_secs_f64()
}

#[expect(clippy::disallowed_methods, reason = "it measures")]
fn now() -> Instant {
    Instant::now()
}
