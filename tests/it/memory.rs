//! A tournament takes the memory of its schedule, not of its games.

use rustix::process::Signal;

use crate::procfs::status_kb;
use crate::support::{Dir, LIMIT, until};

/// Held whole, 2,000 games of tic-tac-toe take more than twice as much.
const GROWTH_MAX_KB: u64 = 2_000;

#[test]
fn games_that_were_played_are_not_held_in_memory() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let running = dir.start("tournament --game tictactoe --rounds 5000 --move-time 30s -j 2 --oversubscribe -q");
    let [early, late] = [200, 2_200].map(|lines| {
        until(LIMIT, "enough games are in the journal", || dir.journal_lines("tictactoe") >= lines);
        // Without what is in its files.
        status_kb(running.pid(), "RssAnon").expect("it still runs")
    });
    running.signal(Signal::KILL);
    running.wait(LIMIT);
    assert!(late < early + GROWTH_MAX_KB, "{early} kB after 200 games, {late} kB after 2,200");

    // The journal has all games, and every table can be made from it.
    dir.arena_ends(0, "standings");
    let rows = dir.read("results/tictactoe/games.csv").lines().count();
    assert_eq!(rows, 1 + dir.journal("tictactoe").games.len());
}
