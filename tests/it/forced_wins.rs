//! Wins that are forced within a few plies: the same as by trying everything.

use arena::rules::{Seat, State};
use proptest::prelude::*;

use crate::playing::variant;

/// The side that can force a win within `plies` plies, by trying all moves.
fn tried(state: &dyn State, plies: usize) -> Option<Seat> {
    if let Some(outcome) = state.outcome() {
        return outcome.winner;
    }
    if plies == 0 {
        return None;
    }
    let mover = state.to_move();
    let mut loses = true;
    for played in state.legal_moves() {
        let mut next = state.boxed_clone();
        next.apply(&played).expect("a legal move");
        match tried(next.as_ref(), plies - 1) {
            Some(winner) if winner == mover => return Some(mover),
            Some(_) => {}
            None => loses = false,
        }
    }
    loses.then(|| mover.other())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn they_are_those_that_trying_everything_finds(
        (game, plies_max) in prop::sample::select(&[
            ("tictactoe", 8), ("mnk:rows=3,cols=4,k=3", 6), ("mnk:rows=4,cols=4,k=4", 6), ("mnk:rows=5,cols=5,k=4", 4),
            ("mnk:rows=4,cols=5,k=3", 4), ("mnk:rows=1,cols=9,k=3", 8), ("mnk:rows=2,cols=6,k=2", 4),
            ("connect4:rows=4,cols=4,connect=3", 8), ("connect4:rows=5,cols=4", 8), ("connect4", 6),
            ("connect4:rows=3,cols=5,connect=3", 8), ("connect4:rows=2,cols=7,connect=4", 8),
        ][..]),
        picks in prop::collection::vec(any::<u64>(), 0..24),
        plies in 0_usize..=8,
    ) {
        let mut state = variant(game).start(0).unwrap();
        for pick in picks {
            let mut next = state.boxed_clone();
            next.apply(&state.nth_legal(pick % state.legal_count())).unwrap();
            if next.outcome().is_some() {
                break;
            }
            state = next;
        }
        // Trying everything takes a while on an empty board.
        let plies = plies.min(if state.legal_count() < 10 { 8 } else { plies_max });
        prop_assert_eq!(state.winner_within(plies), tried(state.as_ref(), plies), "{} within {}", game, plies);
    }
}

#[test]
fn an_opening_that_loses_in_eight_plies_is_seen_and_a_longer_loss_is_not() {
    let after = |game: &str, moves: &[i64]| {
        let mut state = variant(game).start(0).unwrap();
        for column in moves {
            state.apply(&arena::rules::Move::Int(*column)).unwrap();
        }
        state
    };
    // X takes 2: open on both sides with 1 and 3 or 3 and 4.
    assert_eq!(after("connect4", &[3, 1, 4, 1]).winner_within(7), Some(Seat::First));
    assert_eq!(after("connect4", &[3, 1, 4, 1]).winner_within(2), None);
    assert_eq!(after("connect4", &[3, 3]).winner_within(8), None);
}
