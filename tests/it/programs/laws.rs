//! Rules of a program keep the laws of all rules, and bots read of them what the schema says.

use super::{alone, loaded};
use crate::rules_laws::OF_PROGRAMS;
use crate::support::in_repository;
use crate::transcripts;

/// Examples that alternate and that do not, with words and lists as moves, with chance, hidden and simultaneous moves.
const GAMES: [&str; 6] = ["sticks", "dots_and_boxes", "othello", "ultimate", "kuhn", "goofspiel"];

#[test]
fn examples_keep_the_laws_of_all_rules() {
    alone("laws::examples_keep_the_laws_of_all_rules", || {
        let scratch = tempfile::tempdir().expect("a folder");
        for game in GAMES {
            let path = in_repository(&format!("examples/games/{game}.toml"));
            let params =
                (game == "dots_and_boxes").then_some("rows=2,cols=2").or((game == "othello").then_some("size=4"));
            let name = loaded(&path, params, scratch.path()).to_string();
            // The schema of the bots' protocol has the moves of built-in games, which are numbers.
            if !["othello", "ultimate", "kuhn"].contains(&game) {
                transcripts::check(&name);
            }
            for law in OF_PROGRAMS {
                for seed in 0..2 {
                    law(&name, seed);
                }
            }
        }
        arena::program::leave();
    });
}
