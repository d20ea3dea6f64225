//! Bots that lose their first games by timeout or crash, as real processes: after ten they are withdrawn.

use arena::record::Status;
use serde_json::{Value, json};

use crate::support::{ASKED, Dir};

const PLAY: &str = "tournament --game tictactoe --rounds 3 --move-time 30s --oversubscribe --sandbox off --no-check";
const TABLES: [&str; 3] = ["standings.csv", "crosstable.csv", "head_to_head.csv"];

/// Two bots that play, and one that crashes in the first games in which it is asked for a move, this many times.
fn field(crashes: usize) -> Dir {
    let dir = Dir::with_bots(&["random", "greedy", "minimax depth=2 nodes=100000"]);
    crasher(&dir, crashes);
    dir
}

fn crasher(dir: &Dir, crashes: usize) {
    // In a file of its own: the path would be in the fingerprint, and games would differ from place to place.
    dir.file("arena", crate::support::arena());
    let plays = format!("[ $(wc -l <../games) -le {crashes} ] || exec $(cat ../arena) bot random");
    dir.script("bots/crawler", &format!("echo x >>../games\n{plays}\n{ASKED}\necho 'no such column' >&2; exit 3"));
}

/// What the games of `crawler` in the journal came to: how many it lost by a crash, and all.
fn crashed(dir: &Dir, name: &str) -> [usize; 2] {
    let games = dir.journal(name).games;
    let seat = |bots: &[arena::record::BotId; 2]| bots.iter().position(|bot| bot.name == "crawler");
    let statuses: Vec<Status> = games.iter().filter_map(|game| Some(game.statuses[seat(&game.bots)?])).collect();
    [statuses.iter().filter(|status| **status == Status::Crashed).count(), statuses.len()]
}

fn definition(dir: &Dir, name: &str) -> Value {
    serde_json::from_str(&dir.read(&format!("results/{name}/tournament.json"))).expect("JSON")
}

fn tables(dir: &Dir) -> [String; 3] {
    TABLES.map(|table| dir.read(&format!("results/tictactoe/{table}")))
}

#[test]
fn a_bot_that_crashes_in_its_first_ten_games_is_withdrawn() {
    let dir = field(1_000);
    let ended = dir.process_ends(2, &format!("{PLAY} -j 1"));
    insta::assert_snapshot!(ended, @"
    exit 2
    --- stdout
    Wins-draws-losses of the row against the column:
    #  Name         1      2      3      4
    1  greedy       *  0-6-0  5-1-0  6-0-0
    2  minimax  0-6-0      *  5-1-0  6-0-0
    3  random   0-1-5  0-1-5      *  6-0-0
    4  crawler  0-0-6  0-0-6  0-0-6      *

    tictactoe round-robin · 4 bots · 36 games · [when]
    crawler: 10 crashed; game 358ca6a7: no such column; it exited with status 3 while a move was owed
    Cause: arena explain crashed
    Game: arena replay 358ca6a7 --name results/tictactoe
    To reproduce: (cd bots && ./crawler) < results/tictactoe/bots/crawler.faults/[hash].jsonl
    Log: results/tictactoe/bots/crawler.log
    WITHDRAWN: crawler was withdrawn after it lost its first 10 games by timeout or crash (10 crashed); the last: no such column; it exited with status 3 while a move was owed. Not played, and not rated: 8 games. Fix it and run again to replay its games; if the machine or its limits caused this, start over with --fresh; --strikes games=off disables this rule
    greedy (+130.9 ± 111.9), minimax (+129.0 ± 112.4) share the first place.
    Next: random (-259.9 ± 173.2).
    The games do not show whether greedy is stronger than minimax (+1.9 ± 142.6 Elo, LOS 51.0%); no practical number of games would settle it.
    A rating with > or < is unbounded: the bot never lost, or never took, a point against that side of the table.
    3 more remarks are in results/tictactoe/report.html.
    Worth seeing: b40363a2 (greedy against minimax, the longest: 9 plies).

    report: results/tictactoe/report.html  tables: *.csv  journal: games.jsonl

    Rank  Name         Elo   ±95%  Games   W-D-L  Points  Score    LOS  First  Second  Faults
     1–2  greedy    +130.9  111.9     18  11-7-0    14.5  80.6%  51.0%  83.3%   77.8%       0
     1–2  minimax   +129.0  112.4     18  11-7-0    14.5  80.6%  99.8%  83.3%   77.8%       0
     3–4  random    -259.9  173.2     18  6-2-10     7.0  38.9%  95.0%  44.4%   33.3%       0
     3–4  crawler  <-127.0            18  0-0-18     0.0   0.0%          0.0%    0.0%      18
    --- stderr
    tictactoe: 4 bots, 3 rounds, 36 games, 30000 ms a move, seed 1
    playing 1 at a time
    estimate for 36 games: 2 hours at most
    crawler is withdrawn after it lost its first 10 games by timeout or crash (10 crashed); the last: no such column; it exited with status 3 while a move was owed; its further games are not played
    ");
    assert_eq!(crashed(&dir, "tictactoe"), [10, 10]);
    assert_eq!(definition(&dir, "tictactoe")["strikes"], json!({ "starts": 3, "games": 10 }));
    dir.arena_ends(0, "verify");

    // Several at a time end in the same tables.
    let several = field(1_000);
    several.process_ends(2, &format!("{PLAY} -j 4"));
    assert_eq!(tables(&several), tables(&dir));
    let [crashes, _] = crashed(&several, "tictactoe");
    assert!((10..=13).contains(&crashes), "{crashes}: others may be on their way");

    // To run again changes nothing; to let it play on is another way to count the same games.
    let before = tables(&dir);
    let again = dir.process_ends(2, &format!("{PLAY} -j 1"));
    assert_eq!((again.stdout, tables(&dir), crashed(&dir, "tictactoe")), (ended.stdout, before.clone(), [10, 10]));
    dir.process_ends(0, &format!("{PLAY} -j 1 --strikes games=off"));
    assert_eq!(crashed(&dir, "tictactoe"), [18, 18]);
    assert_ne!(tables(&dir), before);
    let on = dir.process_ends(0, &format!("{PLAY} -j 1"));
    assert!(on.stderr.contains("nothing new to play") && !on.stdout.contains("WITHDRAWN"), "{on}");
    dir.process_ends(2, &format!("{PLAY} -j 1 --strikes starts=3,games=10"));
    assert_eq!((tables(&dir), crashed(&dir, "tictactoe")), (before, [18, 18]));
    assert_eq!(dir.arena_ends(0, "standings").stdout.matches("WITHDRAWN: crawler was ").count(), 1);

    // A bot that was mended is another bot.
    crasher(&dir, 0);
    dir.process_ends(0, &format!("{PLAY} -j 1"));
    assert_eq!(crashed(&dir, "tictactoe"), [18, 36]);
    dir.arena_ends(0, "verify");
}

#[test]
fn a_bot_whose_tenth_game_ends_otherwise_plays_on() {
    let dir = field(9);
    let ended = dir.process_ends(0, &format!("{PLAY} -j 1"));
    assert_eq!(crashed(&dir, "tictactoe"), [9, 18]);
    assert!(!ended.stdout.contains("WITHDRAWN") && ended.stdout.contains("crawler: 9 crashed"), "{ended}");
    // The row begins with its very first game, so that nothing it loses later is one.
    dir.process_ends(2, &format!("{PLAY} -j 1 --strikes games=9"));
    assert_eq!(dir.arena_ends(0, "verify").stderr, "");
}

#[test]
fn without_strikes_everybody_plays_everything() {
    let dir = field(1_000);
    dir.script("bots/dead", "echo x >>../starts; exit 7");
    let ended = dir.process_ends(0, &format!("{PLAY} -j 2 --strikes off"));
    assert!(!ended.stdout.contains("WITHDRAWN"), "{ended}");
    assert_eq!((crashed(&dir, "tictactoe"), dir.read("starts").lines().count()), ([18, 24], 24));
    assert_eq!(definition(&dir, "tictactoe")["strikes"], json!({ "starts": null, "games": null }));
}

#[test]
fn one_failed_start_is_enough_if_asked_for() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/dead", "echo x >>../starts; exit 7");
    let ended = dir.process_ends(2, &format!("{PLAY} -j 1 --strikes starts=1"));
    let why = "WITHDRAWN: dead was withdrawn after 1 failed start: it exited with status 7 before it said hello.";
    assert!(ended.stdout.contains(why), "{ended}");
    assert_eq!(dir.read("starts").lines().count(), 1);
}

#[test]
fn a_match_with_a_bot_that_hangs_and_crashes_ends_without_a_verdict() {
    let dir = Dir::with_bots(&["random"]);
    let moody = "echo x >>../games; n=$(wc -l <../games)\n";
    dir.script("bots/moody", &format!("{moody}{ASKED}\n[ $n -gt 7 ] || exec sleep 1000\nexit 3"));
    let play = "match moody random --game tictactoe --move-time 300ms --sandbox off --no-check -j 1";
    let ended = dir.process_ends(2, &format!("{play} --sprt elo0=0,elo1=5"));
    assert!(ended.stdout.contains("No verdict: moody withdrawn."), "{ended}");
    let why = "moody is withdrawn after it lost its first 10 games by timeout or crash (7 timeout, 3 crashed); the last: it \
               exited with status 3 while a move was owed; its further games are not played\n";
    assert!(ended.stderr.contains(why), "{ended}");
    assert_eq!(dir.journal("tictactoe-moody-vs-random").games.len(), 10);
}

#[test]
fn a_mistake_in_strikes_is_named() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let ended = dir.process_ends(1, &format!("{PLAY} --strikes games=ten"));
    let why = "invalid value 'games=ten' for '--strikes <KEY=N,…>': games: `ten` is neither a whole number from 1 to \
               4294967295 nor `off`";
    assert!(ended.stderr.contains(why), "{ended}");
}
