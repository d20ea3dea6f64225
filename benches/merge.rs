//! Merging shards: `cargo bench --bench merge -- --games 10000000` writes so many games as 16 shards, merges them with `arena
//! merge`, and prints seconds and peak memory. The default is a fiftieth of that. `--keep DIR` leaves the files there.

#![expect(clippy::print_stdout, reason = "it prints a table")]
#![allow(dead_code, reason = "more is known of processes than is needed here")]

#[path = "../tests/it/procfs.rs"]
mod procfs;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arena::event::{Entry, Shard, Tournament};
use arena::journal::Journal;
use arena::record::{GameResult, Played};
use arena::referee::Verdict;
use arena::results_folder::Place;
use arena::rng::Rng;
use arena::rules::Move;
use arena::schedule::{Scheduler, record};
use arena::session::shard_dir;

const SHARDS: u32 = 16;
const BOTS: u32 = 20;
/// Moves of a game after its opening.
const PLIES: i64 = 24;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let value = |flag: &str| words.iter().position(|word| word == flag).and_then(|at| words.get(at + 1));
    // `cargo test` runs it without the flag.
    let is_test = !words.iter().any(|word| word == "--bench");
    let games =
        value("--games").map_or(if is_test { 2_000 } else { 200_000 }, |games| games.parse().expect("a number"));
    let scratch = tempfile::tempdir().expect("a folder");
    let dir = value("--keep").map_or_else(|| scratch.path().join("cup"), PathBuf::from);
    let (written, bytes) = write(&dir, games);
    println!("{games} games asked for: {written} in {SHARDS} shards, {} MB", bytes >> 20);
    for (what, flag) in [("arena merge --missing", "--missing"), ("arena merge, with all tables", "--json")] {
        let (time, memory) = merge(&dir, flag);
        println!("{what}: {:.1} s, peak memory {} MB", time.as_secs_f64(), memory >> 10);
    }
}

#[expect(clippy::disallowed_methods, reason = "it measures")]
fn now() -> Instant {
    Instant::now()
}

/// Writes the journals of all shards; returns the number of games and their size in bytes.
fn write(dir: &Path, games: u64) -> (u64, u64) {
    let pairings = u64::from(BOTS * (BOTS - 1) / 2);
    let rounds = (games / 2 / pairings).max(1) as u32;
    let names: Vec<String> = (0..BOTS).map(|bot| format!("bot-{bot:02}")).collect();
    let event = Tournament {
        rounds,
        openings: (0..rounds)
            .map(|round| vec![Move::Int(i64::from(round % 7)), Move::Int(i64::from(round / 7 % 7))])
            .collect(),
        bots: names.iter().map(|name| Entry::new(name, name, name)).collect(),
        ..Tournament::new("cup", &"connect4".parse().expect("a game"))
    };
    let shards: Vec<Shard> = (0..SHARDS).map(|index| Shard::new(index, SHARDS).expect("a shard")).collect();
    std::thread::scope(|scope| {
        for half in shards.chunks(shards.len() / 2) {
            let event = &event;
            scope.spawn(move || half.iter().for_each(|shard| write_shard(dir, *shard, event)));
        }
    });
    let size = |shard: &Shard| std::fs::metadata(shard_dir(dir, *shard).join("games.jsonl")).expect("a journal").len();
    (event.fixed_games(), shards.iter().map(size).sum())
}

fn write_shard(dir: &Path, shard: Shard, event: &Tournament) {
    let (mut journal, _) =
        Journal::open(&Place::at(shard_dir(dir, shard)).create("another").expect("a folder")).expect("a journal");
    journal.append_event(event).expect("written");
    let mut issued = Scheduler::new(Arc::new(event.clone()), &[], &[], &mut ()).expect("a schedule");
    issued.keep_to(shard, None);
    let mut rng = Rng::new(u64::from(shard.index()));
    while let Some(job) = issued.issue() {
        let result = [GameResult::FirstWins, GameResult::Draw, GameResult::SecondWins][rng.below(3) as usize];
        let mut record = record(event, &job.game, &job.opening, Verdict::new(result, "line".to_owned()));
        record.moves.extend((0..PLIES).map(|_| Move::Int(rng.below(7) as i64)));
        record.played = (0..PLIES).map(|_| Played { us: rng.below(5_000), ..Played::default() }).collect();
        "2026-11-25T04:00:00.000Z".clone_into(&mut record.started);
        record.host = format!("node-{}", shard.index());
        let brief = journal.append_game(&record).expect("written");
        issued.settle(job.place, brief, false);
    }
}

#[expect(clippy::disallowed_methods, reason = "it looks at another process")]
fn pause() {
    std::thread::sleep(Duration::from_millis(10));
}

/// Merges with the program; returns how long that took and its peak memory in KiB.
fn merge(dir: &Path, flag: &str) -> (Duration, u64) {
    let begun = now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_arena"))
        .arg("merge")
        .arg(dir)
        .arg(flag)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut peak = 0;
    // The kernel keeps the peak, so that the last look before the end is enough.
    while child.try_wait().expect("a child").is_none() {
        peak = procfs::status_kb(child.id(), "VmHWM").unwrap_or(peak);
        pause();
    }
    assert!(child.wait().expect("a child").success(), "nothing is missing");
    (begun.elapsed(), peak)
}
