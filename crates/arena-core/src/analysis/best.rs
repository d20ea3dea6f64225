//! The move that a bot should have made where it gave the result away.

use crate::rules::{Move, Seat, State, Variant};
use crate::solver::{Known, Limits, Outlook, Solver, Unsolved, Value, from_the_middle, winning_ranges};

/// Moves of a position that are tested. Only heaps of marbles have more.
pub(super) const MOVES_TESTED_MAX: u64 = 1_000;
/// Positions searched for one move as long as others are not tried.
const QUICK_NODES: u64 = 500;

/// A move that keeps the value of a position, which is `known`; `None` if none is found within the limits.
///
/// It is the first one that is proved to keep it, distance included where that is known. Moves are tried from the middle of their
/// list to its ends, as the strategy `perfect` tries them: at first with little work, which is enough for moves whose proof the
/// solver remembers from the position itself. In `marbles` it is the smallest take that wins.
///
/// # Errors
///
/// Returns an error only if it was stopped.
pub(super) fn of(
    variant: &Variant,
    solver: &mut dyn Solver,
    state: &dyn State,
    known: Known,
    limits: &Limits<'_>,
) -> Result<Option<Move>, Unsolved> {
    if let Some(ranges) = winning_ranges(variant, state) {
        return Ok(ranges.first().map(|[least, _]| Move::Int(*least)));
    }
    let count = state.legal_count();
    if count > MOVES_TESTED_MAX {
        return Ok(None);
    }
    let start = solver.nodes();
    let mut open = from_the_middle(count);
    for most in [QUICK_NODES, u64::MAX] {
        let mut undecided = Vec::new();
        for index in open {
            let played = state.nth_legal(index);
            let mut next = state.boxed_clone();
            if next.apply(&played).is_err() {
                continue;
            }
            let nodes = limits.nodes.saturating_sub(solver.nodes() - start).min(most);
            let limits = Limits { nodes, ..*limits };
            match keeps(solver, next.as_ref(), known, state.to_move(), &limits) {
                Ok(true) => return Ok(Some(played)),
                Ok(false) => {}
                Err(Unsolved::Nodes) => undecided.push(index),
                Err(Unsolved::Stopped) => return Err(Unsolved::Stopped),
            }
        }
        open = undecided;
    }
    Ok(None)
}

/// Whether a move of `mover` that leads to `next` keeps what is known.
fn keeps(
    solver: &mut dyn Solver,
    next: &dyn State,
    known: Known,
    mover: Seat,
    limits: &Limits<'_>,
) -> Result<bool, Unsolved> {
    let Some(outcome) = next.outcome() else {
        return solver.reaches(next, too_much(known), limits).map(|more| !more);
    };
    let value = Value::ended(outcome, mover);
    Ok(known.value().map_or(value.outlook() == known.outlook(), |known| value == known))
}

/// The least value that the other side has after a move only if the move does not keep what is known.
fn too_much(known: Known) -> Value {
    match known {
        Known::Exact(value) => value.after().above(),
        Known::Result(Outlook::Win) => Value::Draw,
        Known::Result(Outlook::Draw) => Value::LAST_WIN,
        // No move is worse than a loss.
        Known::Result(Outlook::Loss) => Value::Win(1),
    }
}
