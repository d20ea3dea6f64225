//! What the tests of solvers share.

use std::collections::HashMap;

use super::{Known, Limits, Solver, Value};
use crate::rng::Rng;
use crate::rules::{Move, State, Variant};

/// The value by trying everything, with the rules themselves.
pub(super) fn brute_force(state: &dyn State, memo: &mut HashMap<Vec<u8>, Value>) -> Value {
    if let Some(outcome) = state.outcome() {
        return if outcome.winner.is_some() { Value::Loss(0) } else { Value::Draw };
    }
    let key = state.key();
    if let Some(value) = memo.get(&key) {
        return *value;
    }
    let after = |played: Move, memo: &mut HashMap<Vec<u8>, Value>| {
        let mut next = state.boxed_clone();
        next.apply(&played).unwrap();
        brute_force(next.as_ref(), memo).before()
    };
    let best = state.legal_moves().into_iter().map(|played| after(played, memo)).max().unwrap();
    memo.insert(key, best);
    best
}

/// A position after random moves that leave `empty` cells and end no game, if it gets that far.
pub(super) fn random(variant: &Variant, empty: usize, rng: &mut Rng) -> Option<Box<dyn State>> {
    let mut state = variant.start(0).unwrap();
    for _ in empty..(variant.rules.plies_max)(&variant.params) {
        let mut moves = state.legal_moves();
        rng.shuffle(&mut moves);
        state = moves.iter().find_map(|played| {
            let mut next = state.boxed_clone();
            next.apply(played).unwrap();
            next.outcome().is_none().then_some(next)
        })?;
    }
    Some(state)
}

/// Holds every answer of a solver about a position against its value.
#[track_caller]
pub(super) fn check(solver: &mut dyn Solver, state: &dyn State, expected: Value, rng: &mut Rng) {
    let context = state.view(state.to_move());
    assert_eq!(solver.value(state, None, &Limits::NONE), Ok(Known::Exact(expected)), "{context}");
    assert_eq!(solver.outlook(state, &Limits::NONE), Ok(expected.outlook()), "{context}");
    for least in [expected, Value::Draw, Value::Win(3), Value::Loss(4), Value::Win(u32::MAX), Value::Loss(1)] {
        let reaches = solver.reaches(state, least, &Limits::NONE);
        assert_eq!(reaches, Ok(expected >= least), "{context} {least:?}");
    }
    // A floor is asked first, and the answer is the same.
    let floor = if rng.below(2) == 0 { Value::Loss(1) } else { expected };
    assert_eq!(solver.value(state, Some(floor), &Limits::NONE), Ok(Known::Exact(expected)), "{context}");
}
