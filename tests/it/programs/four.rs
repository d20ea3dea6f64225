//! Connect four as a program in C is the built-in connect four.

use std::path::PathBuf;
use std::process::Command;

use arena::rules::{Move, Seat, State, Variant};

use super::{alone, loaded};
use crate::support::in_repository;

/// Small boards, on which games are short and some end in a draw.
const BOARDS: [(&str, usize); 4] =
    [("", 100), ("rows=4,cols=4", 300), ("rows=3,cols=4,connect=3", 500), ("rows=5,cols=3,connect=5", 100)];

/// The example, compiled: its manifest.
fn compiled(dir: &tempfile::TempDir) -> PathBuf {
    let examples = in_repository("examples/games");
    let manifest = dir.path().join("four.toml");
    std::fs::copy(examples.join("four.toml"), &manifest).expect("a manifest");
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"]).arg(dir.path().join("four"));
    let output = compiler.arg(examples.join("four.c")).output().expect("cc is there, as for Rust");
    assert!(output.status.success(), "{output:?}");
    manifest
}

fn legal(state: &dyn State) -> Vec<Move> {
    (0..state.legal_count()).map(|index| state.nth_legal(index)).collect()
}

/// A number below `below`, which is far from random and good enough.
fn pick(random: &mut u64, below: usize) -> usize {
    *random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
    (*random >> 33) as usize % below
}

#[test]
fn connect_four_in_c_is_the_built_in_one() {
    alone("four::connect_four_in_c_is_the_built_in_one", || {
        let dir = tempfile::tempdir().expect("a folder");
        let manifest = compiled(&dir);
        let mut random = 36;
        let mut ends = std::collections::BTreeMap::new();
        for (params, games) in BOARDS {
            let program = loaded(&manifest, Some(params).filter(|params| !params.is_empty()), dir.path());
            let name = if params.is_empty() { "connect4".to_owned() } else { format!("connect4:{params}") };
            let known: Variant = name.parse().expect("a game");
            for seed in 0..games {
                let [mut one, mut other] = [&program, &known].map(|game| game.start(seed as u64).expect("a start"));
                let end = loop {
                    let outcomes = [&one, &other].map(|state| state.outcome().map(|end| (end.winner, end.reason)));
                    assert_eq!(outcomes[0], outcomes[1]);
                    if let [Some(end), _] = outcomes {
                        break end;
                    }
                    assert_eq!(one.to_move(), other.to_move());
                    let moves = legal(one.as_ref());
                    assert_eq!(moves, legal(other.as_ref()));
                    let chosen = &moves[pick(&mut random, moves.len())];
                    one.apply(chosen).expect("legal");
                    other.apply(chosen).expect("legal");
                };
                *ends.entry((end.0.map(Seat::index), end.1)).or_insert(0) += 1;
            }
        }
        assert_eq!(ends.values().sum::<i32>(), 1_000);
        assert!(ends.len() == 3 && ends.values().all(|games| *games > 10), "{ends:?}");
    });
}
