//! The shipped bots, through the real binary and their own manifests: who beats whom, and what a perfect one never does.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use arena::record::Record;
use arena::rules::{Move, Seat, State};

use crate::playing::variant;
use crate::support::Dir;

fn shipped(names: &[&str]) -> Dir {
    let dir = Dir::new();
    for name in names {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("bots/{name}.toml"));
        fs::copy(manifest, dir.path(format!("bots/{name}.toml"))).expect("a shipped bot");
    }
    dir
}

/// Points of `a` against `b` per game.
fn score(games: &[Record], a: &str, b: &str) -> f64 {
    let mut points = Vec::new();
    for game in games {
        let names = game.bots.each_ref().map(|bot| bot.name.as_str());
        if names == [a, b] || names == [b, a] {
            let winner = game.result.winner().map(|seat| names[seat.index()]);
            points.push(winner.map_or(0.5, |winner| f64::from(u8::from(winner == a))));
        }
    }
    points.iter().sum::<f64>() / points.len() as f64
}

#[test]
fn in_connect4_greedy_beats_random_and_both_searchers_beat_greedy() {
    let dir = shipped(&["random", "greedy", "minimax", "mcts"]);
    dir.arena_ends(0, "tournament --seed 1 --rounds 5 --move-time 30s");
    let games = dir.journal("connect4").games;
    for (better, worse) in [("greedy", "random"), ("minimax", "greedy"), ("mcts", "greedy")] {
        let score = score(&games, better, worse);
        assert!(score > 0.75, "{better} against {worse}: {score}");
    }
}

#[test]
fn minimax_never_loses_tictactoe() {
    let dir = shipped(&["random", "greedy", "minimax"]);
    dir.arena_ends(0, "tournament --game tictactoe --opening-plies 0 --rounds 20 --move-time 30s");
    for game in dir.journal("tictactoe").games {
        let names = game.bots.each_ref().map(|bot| bot.name.as_str());
        let winner = game.result.winner().map(|seat| names[seat.index()]);
        assert!(!names.contains(&"minimax") || winner.is_none_or(|winner| winner == "minimax"), "{}", game.id);
    }
}

/// Whether the seat on move can force a win, by trying everything: knows of the rules only what is public of any game.
fn is_won(state: &dyn State, known: &mut HashMap<Vec<u8>, bool>) -> bool {
    if let Some(&won) = known.get(&state.key()) {
        return won;
    }
    let mover = state.to_move();
    let won = state.legal_moves().iter().any(|choice| {
        let mut next = state.boxed_clone();
        next.apply(choice).expect("built-in rules");
        match next.outcome() {
            Some(outcome) => outcome.winner == Some(mover),
            None => !is_won(next.as_ref(), known),
        }
    });
    known.insert(state.key(), won);
    won
}

#[test]
fn the_marbles_solver_never_loses_a_won_heap() {
    for game in ["marbles:heap=60", "marbles:heap=60,rule=fibonacci"] {
        let dir = shipped(&["random", "greedy", "marbles-solver"]);
        dir.arena_ends(0, &format!("tournament --name marbles --game {game} --rounds 30 --move-time 30s"));
        let mut known = HashMap::new();
        let mut won_positions = 0;
        for record in dir.journal("marbles").games {
            let Some(solver) = Seat::BOTH.into_iter().find(|seat| record.bots[seat.index()].name == "marbles-solver")
            else {
                continue;
            };
            let mut state = variant(game).start(record.seed).unwrap();
            for (ply, choice) in record.moves.iter().enumerate() {
                let choice: &Move = choice;
                if ply >= record.opening.len() && state.to_move() == solver && is_won(state.as_ref(), &mut known) {
                    won_positions += 1;
                    assert_eq!(record.result.winner(), Some(solver), "{game}: game {} from ply {ply}", record.id);
                }
                state.apply(choice).unwrap();
            }
        }
        assert!(won_positions > 100, "{game}: only {won_positions} tried");
    }
}
