//! Tests what every move of Monte Carlo tree search keeps to, in random positions of all games, and what it proves.

use arena_core::rules::{Move, State, Variant};
use arena_core::solver::{Limits, for_variant};

use super::*;
use crate::strategy::matches::TestPosition;

/// A position of `game` after some random moves; `None` if the game is over by then.
fn random_position(game: &str, plies: u64, rng: &mut Rng) -> Option<TestPosition> {
    let mut position = TestPosition::after(game, "");
    for _ in 0..plies {
        position.state.apply(&position.state.nth_legal(rng.below(position.state.legal_count()))).unwrap();
        if position.state.outcome().is_some() {
            return None;
        }
    }
    Some(position)
}

/// The position after a move.
fn next(state: &dyn State, played: &Move) -> Box<dyn State> {
    let mut next = state.boxed_clone();
    next.apply(played).unwrap();
    next
}

fn wins_at_once(state: &dyn State) -> bool {
    let wins =
        |played: &Move| next(state, played).outcome().is_some_and(|outcome| outcome.winner == Some(state.to_move()));
    state.legal_moves().iter().any(wins)
}

#[test]
fn the_logarithm_is_close() {
    assert!((1..100_000).all(|n| (ln(n) - f64::from(n).ln()).abs() < 0.06));
}

#[test]
fn wins_are_taken_and_threats_met_in_every_game() {
    let games = [
        ("connect4", 30),
        ("connect4:rows=3,cols=7,connect=3", 12),
        ("connect4:rows=9,cols=9", 30),
        ("mnk", 6),
        ("mnk:rows=6,cols=6,k=4", 16),
        ("mnk:rows=7,cols=7,k=4", 16),
        ("marbles:heap=40", 4),
    ];
    let mut rng = Rng::new(3);
    let (mut wins, mut met) = (0, 0);
    for (game, plies_max) in games {
        for seed in 0..25 {
            let Some(position) = random_position(game, rng.below(plies_max), &mut rng) else { continue };
            // More playouts than moves, or a heap's winning take may not be looked at.
            let choice = position.choice("mcts", &["playouts=60"], seed);
            let (state, after) = (&*position.state, next(&*position.state, &choice.played));
            if wins_at_once(state) {
                assert_eq!(
                    after.outcome().and_then(|outcome| outcome.winner),
                    Some(state.to_move()),
                    "{game} {choice:?}"
                );
                assert!(choice.eval == Some(1.0) || state.legal_count() == 1, "{game} {choice:?}");
                wins += 1;
                continue;
            }
            let mut loses =
                state.legal_moves().iter().map(|other| wins_at_once(&*next(state, other))).collect::<Vec<_>>();
            loses.sort_unstable();
            loses.dedup();
            if let [false, true] = loses[..] {
                assert!(!wins_at_once(&*after), "{game} {choice:?}");
                met += 1;
            }
        }
    }
    assert!(wins > 20 && met > 20, "{wins} wins, {met} threats");
}

/// Compares what is proved with perfect play, in random positions; returns the number of proofs.
fn check_proofs(game: &str, plies: [u64; 2], playouts: &str) -> u32 {
    let variant: Variant = game.parse().unwrap();
    let (mut solver, mut rng, mut proofs) = (for_variant(&variant).unwrap(), Rng::new(5), 0);
    for seed in 0..40 {
        let Some(position) = random_position(game, plies[0] + rng.below(plies[1] - plies[0]), &mut rng) else {
            continue;
        };
        let choice = position.choice("mcts", &[playouts], seed);
        let comment = choice.comment.unwrap_or_default();
        let expected = match comment.split(' ').next() {
            Some("wins") => 1.0,
            Some("loses") => -1.0,
            Some("draw") => 0.0,
            _ => continue,
        };
        assert_eq!(choice.eval, Some(expected));
        let value = solver.value(&*position.state, None, &Limits::NONE).unwrap();
        let after = next(&*position.state, &choice.played);
        let kept = match after.outcome() {
            Some(outcome) => Value::ended(outcome, position.state.to_move()).outlook(),
            None => solver.value(&*after, None, &Limits::NONE).unwrap().before().outlook(),
        };
        let name = |points: f64| {
            if points > 0.0 {
                "win"
            } else if points < 0.0 {
                "loss"
            } else {
                "draw"
            }
        };
        assert_eq!(
            (value.outlook().name(), kept.name()),
            (name(expected), name(expected)),
            "{game} seed {seed}: {comment}"
        );
        if let (Some(moves), Some(said)) = (value.value().and_then(Value::moves), comment.split(' ').nth(2)) {
            assert!(said.parse::<u32>().unwrap() >= moves, "{game}: {comment}, but {moves}");
        }
        proofs += 1;
    }
    proofs
}

#[test]
fn what_is_proved_is_true_and_played() {
    assert!(check_proofs("connect4:rows=4,cols=5", [6, 14], "playouts=400") > 10);
    assert!(check_proofs("mnk:rows=3,cols=4,k=3", [2, 8], "playouts=400") > 10);
    assert!(check_proofs("marbles:heap=30", [0, 3], "playouts=2000") > 5);
}

#[test]
fn a_forced_win_is_found_in_few_playouts() {
    // Three in a row, open at both ends, needs two moves.
    let choice = TestPosition::after("connect4", "3 3 2 2").choice("mcts", &["playouts=200"], 0);
    assert_eq!((choice.eval, choice.comment.as_deref()), (Some(1.0), Some("wins in 2 at most")));
    // On a wide board the threats are found although most moves are not looked at.
    let choice =
        TestPosition::after("gomoku", "[7,7] [0,0] [7,8] [0,14] [7,9] [14,0]").choice("mcts", &["playouts=200"], 0);
    assert_eq!((choice.eval, choice.comment.as_deref()), (Some(1.0), Some("wins in 2 at most")));
}

#[test]
fn the_work_is_fixed_and_the_same_seed_gives_the_same_move_and_count() {
    for (game, moves) in [("connect4", ""), ("gomoku", "[7,7]"), ("marbles", "")] {
        let position = TestPosition::after(game, moves);
        let choice = position.choice("mcts", &["playouts=100"], 7);
        assert_eq!(choice, position.choice("mcts", &["playouts=100"], 7));
        assert!(choice.comment.is_some_and(|comment| comment.ends_with("of 100 playouts")), "{game}");
    }
    let choices = [1, 2, 3, 4].map(|seed| TestPosition::after("connect4", "").choice("mcts", &["playouts=100"], seed));
    assert!(choices.iter().any(|choice| choice.comment != choices[0].comment), "{choices:?}");
}

#[test]
fn a_game_without_a_board_is_played_through_the_rules() {
    let choice = TestPosition::after("marbles:heap=17", "2").choice("mcts", &[], 0);
    assert!(choice.eval > Some(0.9), "{choice:?}");
    TestPosition::after("marbles:heap=1000000,first_max=999999", "").choice("mcts", &["playouts=300"], 0);
}
