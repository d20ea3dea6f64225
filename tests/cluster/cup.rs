//! The tournament that is played in several ways, with the same tables.

use std::sync::OnceLock;

use crate::support::Dir;

/// Deterministic bots, all of them different; some games take a while.
const FIELD: [(&str, &str); 6] = [
    ("greedy", "greedy"),
    ("shallow", "minimax depth=1"),
    ("deep", "minimax depth=4"),
    ("deeper", "minimax depth=5"),
    ("mcts-200", "mcts playouts=200"),
    ("mcts-400", "mcts playouts=400"),
];
/// The flags of the tournament.
pub(crate) const CUP: &str =
    "--game connect4 --rounds 20 --seed 5 --move-time 30s --oversubscribe --pin off --no-times --no-check --name cup";
/// Its games.
pub(crate) const GAMES: usize = 20 * 15 * 2;

/// A folder with its bots.
pub(crate) fn field() -> Dir {
    let dir = Dir::new();
    for (name, strategy) in FIELD {
        dir.builtin(name, strategy);
    }
    dir
}

/// The tables that do not depend on times, and every game without its times.
fn tables(dir: &Dir) -> String {
    let games = dir.read("results/cup/games.csv");
    let games: Vec<&str> = games.lines().map(|line| line.rsplitn(5, ',').last().unwrap_or_default()).collect();
    assert_eq!(games.len(), 1 + GAMES);
    let tables = ["standings", "crosstable", "head_to_head"].map(|it| dir.read(&format!("results/cup/{it}.csv")));
    format!("{}\n{}", games.join("\n"), tables.join("\n"))
}

/// Asserts that the tables are those of one process.
#[track_caller]
pub(crate) fn assert_same_tables(dir: &Dir) {
    let (found, expected) = (tables(dir), expected());
    let other = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(found == expected, "the first line that differs, and what it should be: {other:?}");
}

/// The tables of one process.
fn expected() -> &'static str {
    static EXPECTED: OnceLock<String> = OnceLock::new();
    EXPECTED.get_or_init(|| {
        let dir = field();
        dir.arena_ends(0, &format!("tournament {CUP} -j 2 --quiet"));
        tables(&dir)
    })
}
