//! Moves taken back: the positions from which a position is reached.
//!
//! They depend on the position alone, not on the moves that were played. Discs of one side on top of each other may never have been
//! played in turns, and the book has garbage for such positions: so what is returned can be reached from the empty board.

use std::collections::HashSet;

use super::board::{Discs, Geometry};

/// The positions from which one move leads to this one. Neither side has a line in it.
pub(super) fn before<G: Geometry>(geometry: G, discs: Discs) -> Vec<Discs> {
    let mut dead_ends = HashSet::new();
    retractions(geometry, discs).filter(|before| is_reachable(geometry, *before, &mut dead_ends)).collect()
}

/// The position without a disc that the other side may have played last.
fn retractions<G: Geometry>(geometry: G, Discs { me, opp }: Discs) -> impl Iterator<Item = Discs> {
    let all = me | opp;
    // The lowest empty cell of a column, or its sentinel, is above the last disc. Of an empty column, it is above another one's sentinel.
    let mut last = (all + geometry.bottom()) >> 1 & opp;
    std::iter::from_fn(move || {
        let disc = last & last.wrapping_neg();
        last ^= disc;
        (disc != 0).then_some(Discs { me: opp ^ disc, opp: me })
    })
}

fn is_reachable<G: Geometry>(geometry: G, discs: Discs, dead_ends: &mut HashSet<u64>) -> bool {
    if discs.me | discs.opp == 0 {
        return true;
    }
    let key = geometry.key(discs.me, discs.opp);
    if dead_ends.contains(&key) {
        return false;
    }
    let is_reachable = retractions(geometry, discs).any(|before| is_reachable(geometry, before, dead_ends));
    if !is_reachable {
        dead_ends.insert(key);
    }
    is_reachable
}
