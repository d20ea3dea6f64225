//! Journals are read as they were written: `tests/data/journals` has some with their tables, and its README says where they come
//! from.

use std::fs;

use crate::support::Dir;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/journals");
const JOURNALS: [&str; 8] = ["round-robin", "withdrawn", "until", "sprt", "void", "swiss", "knockout", "ladder"];
const TABLES: [&str; 6] =
    ["standings.csv", "crosstable.csv", "head_to_head.csv", "rounds.csv", "games.csv", "bots.csv"];

/// Copies a journal to the tournament of its name.
fn copy(dir: &Dir, journal: &str) {
    let text = fs::read(format!("{DATA}/{journal}/games.jsonl")).expect("a journal");
    dir.file(&format!("results/{journal}/games.jsonl"), text);
}

#[track_caller]
fn assert_same(dir: &Dir, name: &str, tables: &[&str]) {
    for table in tables {
        let expected = fs::read_to_string(format!("{DATA}/{name}/{table}")).ok();
        let found = fs::read_to_string(dir.path(format!("results/{name}/{table}"))).ok();
        assert_eq!(found, expected, "{name}/{table}");
    }
}

#[test]
fn journals_give_the_tables_that_they_gave() {
    let dir = Dir::new();
    for name in JOURNALS {
        copy(&dir, name);
        dir.arena_ends(0, &format!("standings {name}"));
        assert_same(&dir, name, &TABLES);
        let ended = dir.arena_ends(0, &format!("verify {name}"));
        assert!(ended.stdout.contains(" games follow the rules; "), "{ended}");
    }
}

#[test]
fn tournaments_go_on_from_their_journals() {
    const FLAGS: &str = "--game tictactoe --move-time 30s --sandbox off --no-check --oversubscribe --quiet";
    let dir = Dir::with_bots(&["random", "greedy", "minimax depth=1 nodes=100000"]);
    for (name, args) in [
        ("round-robin", "tournament --rounds 2"),
        ("until", "tournament --rounds 2 --until separated --max-rounds 6"),
        ("sprt", "match greedy random --rounds 60 --sprt elo0=0,elo1=300"),
        ("swiss", "tournament --format swiss --swiss-rounds 2"),
        ("knockout", "tournament --format knockout"),
        ("ladder", "tournament --format ladder --pairs-per-bot 3"),
    ] {
        copy(&dir, name);
        let games = dir.journal(name).games.len();
        dir.arena_ends(0, &format!("{args} {FLAGS} --name {name}"));
        assert_eq!(dir.journal(name).games.len(), games, "{name}: nothing is played again");
        assert_same(&dir, name, &TABLES[..5]);
    }
}
