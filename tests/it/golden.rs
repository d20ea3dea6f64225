//! Journals of before version 2 of the schedule are read as they were: the files in `tests/data/journals` are theirs, and its
//! README says where they come from.

use std::fs;

use crate::support::Dir;

pub(crate) const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/journals");
const JOURNALS: [&str; 5] = ["round-robin", "withdrawn", "until", "sprt", "void"];
const TABLES: [&str; 5] = ["standings.csv", "crosstable.csv", "head_to_head.csv", "games.csv", "bots.csv"];

/// Copies the journal `journal` to the tournament `name`.
pub(crate) fn copy(dir: &Dir, journal: &str, name: &str) {
    let text = fs::read(format!("{DATA}/{journal}/games.jsonl")).expect("a journal");
    dir.file(&format!("results/{name}/games.jsonl"), text);
}

#[track_caller]
fn assert_same(dir: &Dir, name: &str, tables: &[&str]) {
    for table in tables {
        let expected = fs::read_to_string(format!("{DATA}/{name}/{table}")).expect("a table");
        assert_eq!(dir.read(&format!("results/{name}/{table}")), expected, "{name}/{table}");
    }
}

#[test]
fn old_journals_give_the_tables_that_they_gave() {
    let dir = Dir::new();
    for name in JOURNALS {
        copy(&dir, name, name);
        dir.arena_ends(0, &format!("standings {name}"));
        assert_same(&dir, name, &TABLES);
        let ended = dir.arena_ends(0, &format!("verify {name}"));
        assert!(ended.stdout.contains(" games follow the rules; "), "{ended}");
    }
}

#[test]
fn old_tournaments_go_on() {
    const FLAGS: &str = "--game tictactoe --move-time 30s --sandbox off --no-check --oversubscribe --quiet";
    let dir = Dir::with_bots(&["random", "greedy", "minimax depth=1"]);
    for (name, args) in [
        ("round-robin", "tournament --rounds 2"),
        ("until", "tournament --rounds 2"),
        ("until", "tournament --rounds 2 --until separated --max-rounds 6"),
        ("sprt", "match greedy random --rounds 60 --sprt elo0=0,elo1=300"),
    ] {
        copy(&dir, name, name);
        let games = dir.journal(name).games.len();
        dir.arena_ends(0, &format!("{args} {FLAGS} --name {name}"));
        assert_eq!(dir.journal(name).games.len(), games, "{name}: nothing is played again");
        // The order of `games.csv` is the new one.
        assert_same(&dir, name, &TABLES[..3]);
        dir.arena_ends(0, &format!("verify {name}"));
    }
}
