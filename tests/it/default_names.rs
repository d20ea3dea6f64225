//! The folder of a tournament that is given no name.

use crate::support::Dir;

#[test]
fn a_variant_does_not_replace_the_tables_of_another() {
    let dir = Dir::with_bots(&["random", "greedy"]);
    dir.arena_ends(0, "tournament --rounds 1 --quiet");
    let standings = dir.read("results/connect4/standings.csv");
    dir.arena_ends(0, "tournament --rounds 1 --quiet --game connect4:rows=5,cols=5");
    dir.arena_ends(0, "match random greedy --rounds 1 --quiet --game connect4:cols=8");
    assert_eq!(dir.read("results/connect4/standings.csv"), standings);
    for name in ["connect4", "connect4-rows=5-cols=5", "connect4-cols=8-random-vs-greedy"] {
        assert_eq!(dir.journal(name).games.len(), 2, "{name}");
        assert!(dir.arena_ends(0, &format!("standings {name}")).stdout.contains("greedy"), "{name}");
    }
}
