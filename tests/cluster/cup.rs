//! The tournament that is played in several ways, with the same tables.

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::support::Dir;

/// Deterministic bots, all of them different; some games take a while.
const FIELD: [(&str, &str); 6] = [
    ("greedy", "greedy"),
    ("shallow", "minimax depth=1"),
    ("deep", "minimax depth=4"),
    ("deeper", "minimax depth=7"),
    ("mcts-200", "mcts playouts=200"),
    ("mcts-2000", "mcts playouts=2000"),
];
/// The flags of every tournament here.
const ANY: &str = "--game connect4 --seed 5 --move-time 30s --oversubscribe --pin off --no-times --no-check --name cup";
/// Games of the cup.
pub(crate) const GAMES: usize = 20 * 15 * 2;

/// The flags of the cup.
pub(crate) fn cup() -> String {
    format!("{ANY} --rounds 20")
}

/// The flags of a tournament whose pairings follow from results.
pub(crate) fn swiss() -> String {
    format!("{ANY} --format swiss --swiss-rounds 3 --pairs 5")
}

/// A match that ends when it is decided.
pub(crate) fn decided() -> String {
    format!("match deep shallow --sprt=elo1=60 {ANY}")
}

/// A folder with the bots.
pub(crate) fn field() -> Dir {
    let dir = Dir::new();
    for (name, strategy) in FIELD {
        dir.builtin(name, strategy);
    }
    dir
}

/// The tables that do not depend on times, and every game without its times. A game that was tried again, because the machine
/// gave a bot no processor, has another id.
fn tables(dir: &Dir) -> String {
    let tables = ["games", "standings", "crosstable", "head_to_head"].map(|name| {
        let path = dir.path(format!("results/cup/{name}.csv"));
        let mut reader = csv::Reader::from_path(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let head = reader.headers().expect("a header").clone();
        let is_kept = |column: &usize| !head[*column].ends_with("_ms") && &head[*column] != "id";
        let kept: Vec<usize> = (0..head.len()).filter(is_kept).collect();
        let rows = [Ok(head)].into_iter().chain(reader.into_records()).map(|row| {
            let row = row.expect("a row");
            kept.iter().map(|column| &row[*column]).collect::<Vec<_>>().join(",")
        });
        rows.collect::<Vec<_>>().join("\n")
    });
    tables.join("\n")
}

/// Asserts that the tables of the cup are those of one process, and that every game was played once.
#[track_caller]
pub(crate) fn assert_same_tables(dir: &Dir) {
    static EXPECTED: OnceLock<String> = OnceLock::new();
    compare(dir, EXPECTED.get_or_init(|| in_one_process(&format!("tournament {}", cup()))));
    let games = dir.journal("cup").games;
    assert!(games.len() >= GAMES, "{} games", games.len());
}

/// As [`assert_same_tables`], of another command.
#[track_caller]
pub(crate) fn assert_same_tables_of(dir: &Dir, command: &str) {
    compare(dir, &in_one_process(command));
}

#[track_caller]
fn compare(dir: &Dir, expected: &str) {
    let found = tables(dir);
    let other = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(found == expected, "the first line that differs, and what it should be: {other:?}");
    let games = dir.journal("cup").games;
    let ids: HashSet<&str> = games.iter().map(|game| game.id.as_str()).collect();
    assert_eq!(ids.len(), games.len(), "a game is in the journal twice");
}

/// The tables of one process.
fn in_one_process(command: &str) -> String {
    let dir = field();
    dir.arena_ends(0, &format!("{command} -j 2 --quiet"));
    tables(&dir)
}
