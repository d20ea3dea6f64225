//! `marbles` solved: the winning takes of any position in closed form. Large heaps cost no more than small ones.
//!
//! Let (p, t) be the position with p marbles left after a take of t. The mover wins at once if p ≤ 2t, by taking all.
//!
//! **Doubling** (take t+1 to 2t). The lost positions for a given t are bands of p, numbered k = 1, 2, …:
//!
//! > (p, t) is lost exactly if aₖ(t) ≤ p ≤ bₖ(t) for some k ≥ 1, where with c = 3·2ᵏ
//! > aₖ(t) = (c − 4)·t + c − 3k − 2 and bₖ(t) = (c − 3)·t + 2c − 3k − 6.
//!
//! *Proof*, by induction on p. These are the solutions of a₁(t) = 2t + 1, bₖ(t) = t + aₖ(t + 1),
//! aₖ₊₁(t) = 2t + bₖ(2t) + 1, as substitution shows. Up to p = 2t every position is won, by taking all. For p > 2t a
//! take t′ in t+1..2t is legal, and wins exactly if (p − t′, t′) lies in a band: t′ + aₖ(t′) ≤ p ≤ t′ + bₖ(t′). For
//! fixed k these intervals overlap from one t′ to the next: that of t′ + 1 begins at t′ + 1 + aₖ(t′ + 1) = bₖ(t′) + 1,
//! which is not after the end t′ + bₖ(t′) of that of t′. So their union is t + 1 + aₖ(t + 1) = bₖ(t) + 1 to 2t + bₖ(2t)
//! = aₖ₊₁(t) − 1, exactly the gap between two bands. The remaining positions, the bands, are lost. ∎
//!
//! **Fibonacci** (take 1 to 2t). The position (p, t) is lost exactly if the smallest part of p's Zeckendorf
//! representation (p as a sum of non-consecutive Fibonacci numbers) exceeds 2t (Whinihan, "Fibonacci nim", Fibonacci
//! Quarterly 1, 1963). So a take t of less than p wins exactly if the smallest part of p − t exceeds 2t. The parts of t
//! are then at least two Fibonacci numbers below it, and p's representation is those of p − t and t together. A winning
//! take is therefore the sum of the j smallest parts of p for some j, with the next part above twice the sum.

/// The winning takes of the side that may take `min` to `max` of `heap` marbles, as ascending ranges `[from, to]` that
/// neither overlap nor touch. Empty if the position is lost, and once the heap is empty.
#[must_use]
pub fn winning_takes(doubling: bool, heap: i64, min: i64, max: i64) -> Vec<[i64; 2]> {
    if heap == 0 {
        return Vec::new();
    }
    let mut ranges = if doubling { into_bands(heap, min, max) } else { zeckendorf_tails(heap, max) };
    if max == heap {
        ranges.push([heap, heap]);
    }
    merged(ranges)
}

/// The takes under the doubling rule that leave the other side in a band.
fn into_bands(heap: i64, min: i64, max: i64) -> Vec<[i64; 2]> {
    let mut ranges = Vec::new();
    for k in 1..=20 {
        // A take t leaves (heap − t, t), which lies in band k if aₖ(t) ≤ heap − t ≤ bₖ(t); both sides are linear in t.
        let c = 3 << k;
        let (a0, b0) = (c - 3 * k - 2, 2 * c - 3 * k - 6);
        if a0 > heap {
            break;
        }
        let from = min.max((heap - b0 + c - 3).div_euclid(c - 2));
        let to = max.min((heap - a0).div_euclid(c - 3));
        if from <= to {
            ranges.push([from, to]);
        }
    }
    ranges
}

/// The takes under the fibonacci rule that leave the other side a smallest part that it may not take.
fn zeckendorf_tails(heap: i64, max: i64) -> Vec<[i64; 2]> {
    // The greedy representation is Zeckendorf's: the rest after the largest Fibonacci number is less than the one
    // before it.
    let mut parts = Vec::new();
    let mut rest = heap;
    while rest > 0 {
        let (mut part, mut next) = (1, 2);
        while next <= rest {
            (part, next) = (next, part + next);
        }
        parts.push(part);
        rest -= part;
    }
    let mut ranges = Vec::new();
    let mut take = 0;
    while let Some(part) = parts.pop() {
        take += part;
        if take > max {
            break;
        }
        if parts.last().is_some_and(|next| *next > 2 * take) {
            ranges.push([take, take]);
        }
    }
    ranges
}

fn merged(mut ranges: Vec<[i64; 2]>) -> Vec<[i64; 2]> {
    ranges.sort_unstable();
    let mut merged: Vec<[i64; 2]> = Vec::new();
    for [from, to] in ranges {
        match merged.last_mut() {
            Some([_, end]) if from <= *end + 1 => *end = to.max(*end),
            _ => merged.push([from, to]),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::rules::{Move, State, Variant};

    /// Whether the mover wins, by exhaustive search with memoisation.
    fn wins(state: &dyn State, memo: &mut HashMap<Vec<u8>, bool>) -> bool {
        if state.outcome().is_some() {
            return false;
        }
        // Omit the seat: it does not matter here who is to move.
        let mut key = state.key();
        key.pop();
        if let Some(known) = memo.get(&key) {
            return *known;
        }
        let won = state.legal_moves().iter().any(|take| wins_by(state, take, memo));
        memo.insert(key, won);
        won
    }

    fn wins_by(state: &dyn State, take: &Move, memo: &mut HashMap<Vec<u8>, bool>) -> bool {
        let mut next = state.boxed_clone();
        next.apply(take).unwrap();
        !wins(&*next, memo)
    }

    #[test]
    fn the_formulas_agree_with_exhaustive_search() {
        for rule in ["doubling", "fibonacci"] {
            let mut memo = HashMap::new();
            for (heap, first_max) in (1..=300).flat_map(|heap| [1, 3, 10, 300].map(|first_max| (heap, first_max))) {
                let text = format!("marbles:rule={rule},heap={heap},first_max={first_max}");
                let start = text.parse::<Variant>().unwrap().start(0).unwrap();
                // Every position after at most one take; deeper ones also occur with smaller heaps.
                let mut states = vec![start.boxed_clone()];
                states.extend(start.legal_moves().iter().map(|take| {
                    let mut state = start.boxed_clone();
                    state.apply(take).unwrap();
                    state
                }));
                for state in states.iter().filter(|state| state.outcome().is_none()) {
                    let view: serde_json::Value = serde_json::from_str(state.view(state.to_move()).get()).unwrap();
                    let [heap, min, max] = ["heap", "min_take", "max_take"].map(|name| view[name].as_i64().unwrap());
                    let found = winning_takes(rule == "doubling", heap, min, max);
                    let found: Vec<Move> = found.iter().flat_map(|[from, to]| (*from..=*to).map(Move::Int)).collect();
                    let mut expected = state.legal_moves();
                    expected.retain(|take| wins_by(&**state, take, &mut memo));
                    assert_eq!(found, expected, "{text} {view}");
                }
            }
        }
    }

    #[test]
    fn the_bands_satisfy_their_recurrence() {
        let band = |k: i64, t: i64| {
            let c = 3 << k;
            ((c - 4) * t + c - 3 * k - 2, (c - 3) * t + 2 * c - 3 * k - 6)
        };
        for (k, t) in (1..=18).flat_map(|k| (1..=1_000).map(move |t| (k, t))) {
            assert_eq!(band(1, t).0, 2 * t + 1);
            assert_eq!(band(k, t).1, t + band(k, t + 1).0);
            assert_eq!(band(k + 1, t).0, 2 * t + band(k, 2 * t).1 + 1);
        }
    }

    #[test]
    fn ranges_that_touch_are_one() {
        assert_eq!(merged(vec![[7, 9], [1, 2], [3, 5], [4, 4]]), [[1, 5], [7, 9]]);
    }
}
