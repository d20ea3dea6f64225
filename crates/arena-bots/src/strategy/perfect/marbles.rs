//! Takes of marbles, where all winning ones are known.

use arena_core::rules::{Move, State, Variant};
use arena_core::solver::winning_ranges;

use super::super::Choice;

/// Takes looked at in a lost game of marbles.
const TAKES_MAX: u64 = 4_096;

/// A take of marbles: the smallest winning one. In a lost game the one that leaves the other side the smallest share of winning takes.
pub(super) fn take(variant: &Variant, state: &dyn State, winning: &[[i64; 2]]) -> Choice {
    if let Some([from, _]) = winning.first() {
        return Choice { played: Move::Int(*from), eval: Some(1.0), comment: Some("win".to_owned()) };
    }
    let share = |index: &u64| {
        let mut after = state.boxed_clone();
        let ranges = after.apply(&state.nth_legal(*index)).ok().and_then(|()| winning_ranges(variant, after.as_ref()));
        let count: i64 = ranges.unwrap_or_default().iter().map(|[from, to]| to - from + 1).sum();
        // In billionths, so that it is ordered.
        (count as u128 * 1_000_000_000) / u128::from(after.legal_count().max(1))
    };
    let best = (0..state.legal_count().min(TAKES_MAX)).min_by_key(share).unwrap_or(0);
    Choice { played: state.nth_legal(best), eval: Some(-1.0), comment: Some("loss".to_owned()) }
}
