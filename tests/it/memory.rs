//! A tournament takes the memory of its schedule, not of its games.

use std::fs;

use rustix::process::Signal;

use crate::support::{Dir, LIMIT, until};

/// Held whole, 2,000 games of tic-tac-toe take more than twice as much.
const GROWTH_MAX_KB: u64 = 2_000;

/// Memory of a process that is no file's, in kB.
fn own_memory(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("it is still there");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("a line");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn games_that_were_played_are_not_held_in_memory() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let running = dir.start("tournament --game tictactoe --rounds 5000 --move-time 30s -j 2 --oversubscribe -q");
    let [early, late] = [200, 2_200].map(|lines| {
        until(LIMIT, "enough games are in the journal", || dir.journal_lines("tictactoe") >= lines);
        own_memory(running.pid())
    });
    running.signal(Signal::KILL);
    running.wait(LIMIT);
    assert!(late < early + GROWTH_MAX_KB, "{early} kB after 200 games, {late} kB after 2,200");

    // What was played is in the journal, and every table can be had from it.
    dir.arena_ends(3, "standings");
    let rows = dir.read("results/tictactoe/games.csv").lines().count();
    assert_eq!(rows, 1 + dir.journal("tictactoe").games.len());
}
