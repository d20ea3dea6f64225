use arena_core::rules::Seat;
use arena_core::solver::{Known, Value};

use super::super::matches::TestPosition;
use super::*;

#[track_caller]
fn check(game: &str, moves: &str, options: &[&str], played: &str, comment: &str) {
    let choice = TestPosition::after(game, moves).choice("perfect", options, 1);
    let said = choice.comment.unwrap_or_default();
    assert_eq!((choice.played.to_string().as_str(), said.as_str()), (played, comment), "{game} {moves}");
}

#[test]
fn the_fastest_win_and_the_slowest_loss_are_played() {
    check("connect4", "3 3 3 3 3 1 2 1 4 1", &[], "5", "wins in 1");
    check("connect4", "3 0 4 0", &["nodes=100000"], "2", "wins in 2");
    // Two threats at once; its own threat leaves the other side the fewest answers that win.
    check("connect4", "3 0 4 0 5", &["nodes=100000"], "0", "loses in 1");
    check("tictactoe", "[1,1] [0,1]", &[], "[1,2]", "wins in 3");
}

/// Whether every choice of `perfect` in games against random moves is a best one.
#[track_caller]
fn check_perfect(game: &str, games: u64) {
    let variant: Variant = game.parse().unwrap();
    let mut solver = for_variant(&variant).unwrap();
    let mut rng = Rng::new(11);
    for seed in 0..games {
        let mut state = variant.start(0).unwrap();
        let own = if seed % 2 == 0 { Seat::First } else { Seat::Second };
        while state.outcome().is_none() {
            if state.to_move() == own {
                let value = solver.value(state.as_ref(), None, &Limits::NONE).unwrap();
                let choice = TestPosition::of(state.as_ref(), game).choice("perfect", &[], seed);
                state.apply(&choice.played).unwrap();
                let after = match state.outcome() {
                    Some(outcome) => Known::Exact(if outcome.winner.is_some() { Value::Win(1) } else { Value::Draw }),
                    None => solver.value(state.as_ref(), None, &Limits::NONE).unwrap().before(),
                };
                match (value, after) {
                    (Known::Exact(value), Known::Exact(after)) => assert_eq!(value, after, "{game}"),
                    (value, after) => assert_eq!(value.outlook(), after.outlook(), "{game}"),
                }
            } else {
                let played = state.nth_legal(rng.below(state.legal_count()));
                state.apply(&played).unwrap();
            }
        }
    }
}

#[test]
fn no_move_is_worse_than_another() {
    check_perfect("connect4:rows=4,cols=5", 30);
    check_perfect("connect4:rows=5,cols=4", 30);
    check_perfect("marbles:heap=60", 30);
    check_perfect("marbles:rule=fibonacci,heap=60", 30);
}

#[test]
fn with_few_positions_it_still_plays_and_keeps_what_is_proved() {
    // Two in the middle: elsewhere than next to them, O loses to a double threat.
    let choice = TestPosition::after("connect4", "3 3 4").choice("perfect", &["nodes=40"], 1);
    assert!(["2", "5"].contains(&choice.played.to_string().as_str()), "{choice:?}");
}

#[test]
fn codes_are_found_as_the_reference_strategy_finds_them() {
    let variant: Variant = "mastermind".parse().unwrap();
    let mut rng = Rng::new(4);
    for _ in 0..25 {
        let code = variant.start(0).unwrap().nth_legal(rng.below(1_296));
        let state = variant.rules.start_with_secret(&variant.params, &code).unwrap();
        let mut table = TestPosition::of(state.as_ref(), "mastermind");
        let mut guesses = 0;
        while table.state.outcome().is_none() && guesses < 6 {
            let played = table.choice("perfect", &[], 1).played;
            table.state.apply(&played).unwrap();
            guesses += 1;
            if table.state.outcome().is_none() {
                // The other side guesses nothing that helps.
                let idle = table.state.nth_legal(if code == table.state.nth_legal(0) { 1_295 } else { 0 });
                table.state.apply(&idle).unwrap();
            }
        }
        assert!(guesses <= 5, "{code}: {guesses}");
    }
    // Far too many codes to search: codebreaker's guess.
    let large = TestPosition::after("mastermind:pegs=8,colors=12", "").choice("perfect", &[], 1);
    assert!(large.comment.is_none() && matches!(large.played, Move::List(code) if code.len() == 8));
}

#[test]
fn what_one_move_takes_does_not_hide_that_it_loses() {
    // A draw with 0, 4 and 6. Column 3, which is tried first and which minimax would play, takes most of the work.
    let choice = TestPosition::after("connect4", "4 6 6 2 2 2 2 4 4 4").choice("perfect", &["nodes=4000000"], 1);
    assert!(["0", "4", "6"].contains(&choice.played.to_string().as_str()), "{choice:?}");
}

#[test]
fn results_that_are_hard_to_prove_are_kept() {
    let variant: Variant = "connect4".parse().unwrap();
    let mut solver = for_variant(&variant).unwrap();
    // Proofs take hundreds of thousands of positions here, and some moves give the result away.
    for moves in ["0 1 4 6 4 4 4 1 1 5 5", "0 2 5 6 2 2 2 2 4 4 4 4", "0 3 0 6 3 3 3 3 5 2"] {
        let position = TestPosition::after("connect4", moves);
        let played = position.choice("perfect", &[], 1).played;
        let mut state = variant.start(0).unwrap();
        for column in moves.split(' ') {
            state.apply(&Move::Int(column.parse().unwrap())).unwrap();
        }
        let outlook = solver.outlook(state.as_ref(), &Limits::NONE).unwrap();
        state.apply(&played).unwrap();
        assert_eq!(solver.outlook(state.as_ref(), &Limits::NONE).unwrap().before(), outlook, "{moves}: {played}");
    }
}
