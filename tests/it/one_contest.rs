//! A results folder belongs to one contest: a command goes on with it and loses no game from the tables, or is refused and changes
//! nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::support::{Dir, Ended};

/// Nothing in it says what is played.
const PLAY: &str = "tournament --name cup --seed drawn --no-check --oversubscribe -q";
/// What begins a contest of tic-tac-toe.
const FIRST: [&str; 6] = [
    "",
    "--opening-plies 2 --move-time 30s",
    "--max-plies 6",
    "--time 60s+1s --margin 20ms",
    "--format ladder --pairs-per-bot 4",
    "--format knockout --pairs 1",
];
/// What is asked for after that.
const SECOND: [&str; 17] = [
    "",
    "--game tictactoe",
    "--game mnk:rows=4",
    "--game connect4",
    "--move-time 20s",
    "--time 60s+1s",
    "--margin 20ms",
    "--clock cpu",
    "--seed 99",
    "--opening-plies 0",
    "--opening-plies 2",
    "--max-plies 6",
    "--format gauntlet --challenger greedy",
    "--strikes off",
    "--anchor greedy",
    "--rounds 3",
    "--format ladder --pairs-per-bot 6",
];

/// The bytes of all files of a folder, but for the lock, which has the number of the last process.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let files = entries.filter(|entry| entry.path().is_file() && entry.file_name() != ".lock");
    files
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).expect("a file")))
        .collect()
}

/// The games of the tables.
fn games(dir: &Dir) -> BTreeSet<String> {
    let games = dir.read("results/cup/games.csv");
    games.lines().skip(1).map(|row| row.split(',').next().unwrap_or_default().to_owned()).collect()
}

fn seed(dir: &Dir) -> u64 {
    dir.journal("cup").event.expect("a definition").seed
}

/// Asks for more in the folder, and holds the law. Returns whether that was refused.
fn goes_on_or_is_refused(dir: &Dir, flags: &str) -> bool {
    let (bytes, before, seeded) = (files(&dir.path("results/cup")), games(dir), seed(dir));
    let ended = dir.arena(&format!("{PLAY} {flags}"));
    if ended.status == Some(1) {
        assert!(files(&dir.path("results/cup")) == bytes, "{flags}: a file has changed: {ended}");
        assert!(ended.stderr.starts_with("error: ") && ended.stdout.is_empty(), "{ended}");
        return true;
    }
    assert_eq!((ended.status, seed(dir)), (Some(0), seeded), "{flags}: {ended}");
    let lost: Vec<_> = before.difference(&games(dir)).cloned().collect();
    assert!(lost.is_empty(), "{flags}: {lost:?} left the tables: {ended}");
    false
}

/// Whether these rounds are fewer than a ladder has, whose pairs they take away.
fn is_shorter(first: &str, flags: &str) -> bool {
    first.contains("ladder") && flags.contains("--rounds")
}

#[test]
fn a_contest_goes_on_whole_or_is_refused() {
    for first in FIRST {
        let dir = Dir::with_bots(&["random", "greedy"]);
        let rounds = if first.contains("--format") { "" } else { "--rounds 2" };
        dir.arena_ends(0, &format!("{PLAY} --game tictactoe {rounds} {first}"));
        let refused = SECOND.into_iter().filter(|flags| !is_shorter(first, flags));
        let refused: Vec<&str> = refused.filter(|flags| goes_on_or_is_refused(&dir, flags)).collect();
        assert!(!refused.contains(&"") && !refused.contains(&"--game tictactoe"), "{first}: {refused:?}");
        assert!(
            ["--game connect4", "--seed 99", "--move-time 20s"].iter().all(|flags| refused.contains(flags)),
            "{first}"
        );
        dir.arena_ends(0, "verify cup");
    }
}

#[test]
fn a_refusal_says_what_differs_and_both_cures() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.arena_ends(0, &format!("{PLAY} --game tictactoe --rounds 1 --move-time 30s"));
    let said = |ended: Ended| ended.stderr;
    insta::assert_snapshot!(said(dir.arena_ends(1, &format!("{PLAY} --game connect4 --move-time 2s --max-plies 9"))), @"error: results/cup has another contest: --game tictactoe instead of --game connect4, --move-time 30s instead of --move-time 2s, no --max-plies instead of --max-plies 9; give what it has or leave these flags out to go on with it, --name NAME for another contest, or --fresh to start over");
    insta::assert_snapshot!(said(dir.arena_ends(0, &PLAY.replace(" -q", ""))).lines().next().unwrap_or_default(), @"taken from results/cup: --game tictactoe --move-time 30s");
    dir.arena_ends(0, &format!("{PLAY} --game connect4 --rounds 1 --fresh"));
    assert!(dir.path("results/cup/games.jsonl.1").exists());
    // A match and a series are contests too.
    let play = "match random greedy --game tictactoe --move-time 30s --rounds 1 --no-check -q";
    dir.arena_ends(0, play);
    assert!(
        said(dir.arena_ends(1, &format!("{play} --margin 20ms"))).contains("--margin 10ms instead of --margin 20ms")
    );
    let play = "series --game tictactoe --game mnk --move-time 30s --rounds 1 --no-check -q";
    dir.arena_ends(0, play);
    assert!(
        said(dir.arena_ends(1, &format!("{play} --max-plies 7"))).contains("no --max-plies instead of --max-plies 7")
    );
    let less = dir.arena_ends(1, &play.replace("--game mnk ", "--game connect4 ")).stderr;
    assert!(less.contains("results/series is a series with mnk, which is not asked for; add it to go on"), "{less}");
}

#[test]
fn a_journal_with_several_contests_goes_on_with_the_one_that_is_asked_for() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    let play = |game: &str, name: &str| {
        dir.arena_ends(
            0,
            &format!("{} --rounds 1 --game {game}", PLAY.replace("--name cup", &format!("--name {name}"))),
        );
        dir.journal(name).event.expect("a definition").seed
    };
    let seeds = [play("tictactoe", "cup"), play("connect4", "other")];
    // As earlier versions wrote it.
    let both = dir.read("results/cup/games.jsonl") + &dir.read("results/other/games.jsonl");
    dir.file("results/cup/games.jsonl", both);
    for (flags, expected) in [("", 1), ("--game tictactoe", 0), ("", 0), ("--game connect4", 1), ("", 1)] {
        dir.arena_ends(0, &format!("{PLAY} {flags}"));
        assert_eq!((seed(&dir), games(&dir).len()), (seeds[expected], 2), "{flags}");
    }
    assert_eq!(dir.journal("cup").games.len(), 4, "nothing was played again");
}
