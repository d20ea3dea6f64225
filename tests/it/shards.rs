//! A tournament in shards: the same tables as in one process, whatever happens to its parts.

use std::collections::HashSet;
use std::fs;
use std::num::NonZeroU32;

use arena::event::{Shard, Tournament};
use arena::observer::RunEnding;
use arena::rng::Rng;
use arena::schedule::Job;
use rustix::process::Signal;

use crate::scheduling::in_every_format;
use crate::scripted::{Cup, ending, event};
use crate::support::{Dir, LIMIT, until, without_pace};

/// Plays a tournament in `count` shards until nothing is missing; returns how often all that was missing had to be played.
fn play_in_shards(cup: &Cup, count: u32, seed: u64, fails: &dyn Fn(&Job) -> bool) -> u32 {
    let (mut rng, shards) = (Rng::new(seed), NonZeroU32::new(count).expect("some shards"));
    for pass in 0.. {
        let merged = cup.merge();
        assert_eq!(merged.contradictions, []);
        let mut missing: Vec<u32> = merged.missing(shards).into_iter().collect();
        drop(merged);
        if missing.is_empty() {
            return pass;
        }
        assert!(pass < 200, "{count} shards of a {} come to an end; missing: {missing:?}", cup.event.format);
        while !missing.is_empty() {
            let index = missing.swap_remove(rng.below(missing.len() as u64) as usize);
            let shard = Shard::new(index, count).expect("a shard");
            // Now and then one is killed.
            let kept = (rng.below(4) == 0).then(|| 1 + rng.below(20) as usize);
            let play = |job: &Job| ending(&cup.event, job, fails(job).then_some("dead"));
            assert_eq!(cup.run_shard(shard, kept, rng.below(1 << 32), play), RunEnding::Complete);
        }
    }
    unreachable!()
}

/// Plays a tournament in one process and in shards.
fn same_tables(event: &Tournament, fails: impl Fn(&Job, u32) -> bool) {
    for count in [1, 2, 3, 7, 16] {
        let what = format!("{} of {} bots in {count} shards", event.format, event.bots.len());
        let fails = |job: &Job| fails(job, Shard::index_of(job.place / 2, NonZeroU32::new(count).expect("some")));
        let straight = Cup::new(event.clone());
        let play = |job: &Job| ending(&straight.event, job, fails(job).then_some("dead"));
        assert_eq!(straight.run(1, 0, &mut (), play).0, RunEnding::Complete, "{what}");
        let cup = Cup::new(event.clone());
        play_in_shards(&cup, count, u64::from(count), &fails);
        assert_eq!(cup.tables(&mut ()), straight.tables(&mut ()), "{what}");
    }
}

#[test]
fn every_format_gives_the_same_tables_in_shards() {
    for event in [2, 3, 5, 7].into_iter().flat_map(in_every_format) {
        same_tables(&event, |_, _| true);
    }
}

#[test]
fn the_same_holds_where_a_bot_cannot_start_in_one_shard() {
    // That shard takes it for a bot that never starts, and is told better by the games of the others.
    for event in [3, 5].into_iter().flat_map(in_every_format) {
        same_tables(&event, |_, shard| shard == 0);
    }
    same_tables(&event(&["ann", "ben", "dead", "eve"], 40), |_, shard| shard == 1);
}

#[test]
fn a_bot_that_never_starts_costs_each_shard_its_strikes_and_nothing_more() {
    let cup = Cup::new(event(&["ann", "ben", "dead", "eve"], 40));
    let (mut starts, mut games) = (0, 0);
    for index in 0..8 {
        let play = |job: &Job| {
            starts += u32::from(job.game.bots.contains(&2));
            games += 1;
            ending(&cup.event, job, Some("dead"))
        };
        cup.run_shard(Shard::new(index, 8).expect("a shard"), None, 0, play);
    }
    assert_eq!((starts, games), (8 * 3, 6 * 40 + 8 * 3));
    let merged = cup.merge();
    assert_eq!(merged.scheduler.missing().count(), 0);
    assert!(merged.scheduler.is_complete());
}

/// Deterministic bots, all of them different.
const FIELD: [&str; 4] = ["random", "greedy", "minimax depth=1", "mcts playouts=10"];
const PLAY: &str =
    "tournament --game tictactoe --rounds 6 --seed 5 --move-time 30s --oversubscribe --pin off --no-times --name cup";
const GAMES: usize = 6 * 6 * 2;

/// The tables, and every game without its times.
fn results(dir: &Dir) -> String {
    let games = dir.read("results/cup/games.csv");
    let games: Vec<&str> = games.lines().map(|line| line.rsplitn(5, ',').last().unwrap_or_default()).collect();
    let tables = ["standings", "crosstable", "head_to_head"].map(|it| dir.read(&format!("results/cup/{it}.csv")));
    format!("{}\n{}", games.join("\n"), tables.join("\n"))
}

/// The tournament as one process plays it.
fn whole(flags: &str) -> String {
    let dir = Dir::with_bots(&FIELD);
    dir.arena_ends(0, &format!("{PLAY} {flags}"));
    results(&dir)
}

#[test]
fn shards_that_are_killed_and_started_again_lose_nothing() {
    let dir = Dir::with_bots(&FIELD);
    let killed = dir.start(&format!("{PLAY} --shard 1/3 -j 1"));
    until(LIMIT, "some games are in the journal", || dir.journal_lines("cup/shards/1-of-3") > 4);
    killed.signal(Signal::KILL);
    killed.wait(LIMIT);
    dir.arena_ends(0, &format!("{PLAY} --shard 0/3"));
    // What is there can be looked at, and submitted again.
    let early = dir.arena_ends(3, "merge cup --missing");
    assert_eq!(early.stdout, "1,2\n");
    let shown = dir.arena_ends(3, "merge cup");
    assert!(shown.stderr.contains("--shard I/3 for I = 1,2, and merge again"), "{}", shown.stderr);
    for index in [2, 1] {
        dir.arena_ends(0, &format!("{PLAY} --shard {index}/3"));
    }
    assert_eq!(dir.arena_ends(0, "merge results/cup --missing").stdout, "\n");
    dir.arena_ends(0, "merge results/cup");
    assert_eq!(results(&dir), whole(""));
    dir.arena_ends(0, "verify cup");
    assert_eq!(dir.journal("cup").games.len(), GAMES, "no game twice");
    // It is a tournament like any other.
    let [standings, merged] = ["standings", "merge"].map(|it| dir.arena_ends(0, &format!("{it} cup --json")).stdout);
    assert_eq!(without_pace(&standings), without_pace(&merged));
    assert!(dir.arena_ends(0, PLAY).stderr.contains("nothing new to play"));
}

#[test]
fn a_plan_is_played_wherever_the_bots_lie() {
    let dir = Dir::with_bots(&FIELD);
    dir.script("bots/broken", "#!/bin/sh\nexit 1\n");
    let planned = dir.arena_ends(2, &format!("{PLAY} --plan"));
    assert!(planned.stderr.contains("planned in results/cup: 72 games"), "{}", planned.stderr);
    fs::rename(dir.path("bots"), dir.path("elsewhere")).expect("moved");
    let elsewhere = "tournament --game tictactoe --rounds 6 --move-time 30s --name cup --bots elsewhere --seed drawn";
    // The seed is that of the plan, and the bot that failed its check is not seated.
    for index in 0..2 {
        let played =
            dir.command(&format!("{elsewhere} --shard auto/2")).env("SLURM_ARRAY_TASK_ID", index.to_string()).output();
        let played = played.expect("played");
        assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
    }
    dir.arena_ends(0, "merge cup");
    assert_eq!(results(&dir), whole(""));
}

#[test]
fn a_swiss_is_played_round_by_round() {
    let flags = "--game tictactoe --format swiss --swiss-rounds 2 --pairs 2 --seed 5 --move-time 30s --name cup";
    let one = Dir::with_bots(&FIELD);
    one.arena_ends(0, &format!("tournament {flags}"));
    let dir = Dir::with_bots(&FIELD);
    let shard = |code: i32, rest: &str| dir.arena_ends(code, &format!("tournament {flags} --shard {rest}")).stderr;
    let refused = shard(1, "0/2");
    assert!(refused.contains("its rounds are played one by one: --round 1 plays the first one"), "{refused}");
    let refused = shard(1, "0/2 --round 2");
    assert!(refused.contains("1 round of the swiss decided; once all games of round 1 are played"), "{refused}");
    for round in 1..=2 {
        for index in 0..2 {
            shard(0, &format!("{index}/2 --round {round}"));
        }
        let merged = dir.arena_ends(if round == 1 { 3 } else { 0 }, "merge cup").stderr;
        assert_eq!(
            merged.contains("round 2 is decided: 8 games; play --shard I/2 --round 2 for I = 0,1"),
            round == 1,
            "{merged}"
        );
    }
    assert!(shard(1, "0/2 --round 3").contains("the swiss is over after 2 rounds"));
    assert_eq!(results(&dir), results(&one));
    assert_eq!(dir.read("results/cup/rounds.csv"), one.read("results/cup/rounds.csv"));
}

#[test]
fn what_does_not_belong_together_is_not_merged() {
    let dir = Dir::with_bots(&FIELD);
    let refused = |args: &str| dir.arena_ends(1, args).stderr;
    let unknown = "tournament --game tictactoe --rounds 2 --name cup --shard";
    assert!(refused(&format!("{unknown} 0/2 --seed drawn")).contains("give all of them the same --seed N"), "no seed");
    assert!(refused(&format!("{unknown} 2/2 --seed 1")).contains("there is no shard 2 of 2"), "no such shard");
    assert!(refused("merge cup").contains("no tournament named `cup`"));
    dir.arena_ends(0, &format!("{unknown} 0/2 --seed 1"));
    dir.arena_ends(0, &format!("{unknown} 1/2 --seed 2"));
    let mixed = refused("merge cup");
    assert!(mixed.contains("1 shard of results/cup/shards of another tournament: 1/2"), "{mixed}");
    assert!(refused(&format!("{unknown} 1/2 --seed 1")).contains("--seed 2 instead of --seed 1"));
    dir.arena_ends(0, &format!("{unknown} 1/2 --seed 1 --fresh"));
    dir.arena_ends(0, "merge cup");
    // From now on it is known what is played.
    assert!(refused(&format!("{unknown} 0/2 --seed 2")).contains("--seed 1 instead of --seed 2"));
    let round = refused(&format!("{unknown} 0/2 --seed 1 --round 1"));
    assert!(round.contains("a round-robin has all its games from the beginning"), "{round}");
    dir.builtin("greedy", "minimax depth=3");
    let changed = refused(&format!("{unknown} 0/2 --seed 1"));
    assert!(changed.contains("other files than those of the round-robin that is planned: greedy"), "{changed}");
}

#[test]
fn the_pairs_of_a_machine_can_be_played_again() {
    let dir = Dir::with_bots(&FIELD);
    for index in 0..2 {
        dir.arena_ends(0, &format!("{PLAY} --shard {index}/2"));
    }
    // One game of every third pair was played on a machine that is no good. A pair is known by its bots and the seed of its round:
    // where its games are in the journal depends on how long others took.
    let mut pairs = HashSet::new();
    dir.edit_games("cup/shards/0-of-2", |_, game| {
        let mut names = game.bots.clone().map(|bot| bot.name);
        names.sort();
        if pairs.insert((game.seed, names)) && pairs.len() % 3 == 1 {
            "no-good".clone_into(&mut game.host);
        }
    });
    assert_eq!(pairs.len(), GAMES / 4);
    dir.arena_ends(0, "merge cup");
    let shown = dir.arena_ends(0, "merge cup").stderr;
    assert!(shown.contains("machine  class") && shown.contains("\nno-good "), "{shown}");
    let lines = dir.journal_lines("cup");
    let refused = dir.arena_ends(1, "merge cup --drop-machine elsewhere").stderr;
    assert!(
        refused.contains("no game was played on `elsewhere`; the machines are: ") && refused.contains("no-good"),
        "{refused}"
    );
    let dropped = dir.arena_ends(3, "merge cup --drop-machine no-good --missing");
    assert_eq!(dropped.stdout, "0\n");
    let left = dir.journal("cup").games;
    assert!(left.iter().all(|game| game.host != "no-good"));
    assert_eq!(left.len(), GAMES - 2 * GAMES / 12, "whole pairs");
    assert_eq!(fs::read_to_string(dir.path("results/cup/games.jsonl.1")).expect("the old one").lines().count(), lines);
    dir.arena_ends(0, &format!("{PLAY} --shard 0/2"));
    dir.arena_ends(0, "merge cup");
    assert_eq!(results(&dir), whole(""));
}
