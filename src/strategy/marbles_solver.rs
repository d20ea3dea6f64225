//! `marbles-solver`: plays marbles perfectly, for any heap.
//!
//! Both rules are solved in closed form, so there are no tables, and large heaps cost no more than small ones. Let (p,
//! t) be the position with p marbles left after a take of t. The mover wins at once if p ≤ 2t, by taking all.
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
//! **Fibonacci** (take 1 to 2t). The mover wins exactly if it may take the smallest part of p's Zeckendorf
//! representation (p as a sum of non-consecutive Fibonacci numbers), which is then a winning take (Whinihan, "Fibonacci
//! nim", Fibonacci Quarterly 1, 1963).

use serde::Deserialize;

use super::{Choice, Engine, Query, SearchDeadline, Strategy};
use crate::rules::Move;

pub(super) const STRATEGY: Strategy = Strategy {
    name: "marbles-solver",
    summary: "plays marbles perfectly",
    version: 1,
    options: &[],
    plays: |variant| variant.rules.name == "marbles",
    build: |variant, _, _| Box::new(Solver { doubling: variant.params.word("rule") == "doubling" }),
};

struct Solver {
    doubling: bool,
}

/// The view of a game of marbles.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct View {
    pub(super) heap: i64,
    pub(super) min_take: i64,
    pub(super) max_take: i64,
}

impl Engine for Solver {
    fn choose(&mut self, query: &Query<'_>, _deadline: &SearchDeadline) -> serde_json::Result<Choice> {
        let view: View = serde_json::from_str(query.view.get())?;
        let winning = if self.doubling { doubling(view) } else { fibonacci(view) };
        Ok(Choice {
            played: Move::Int(winning.unwrap_or(view.min_take)),
            eval: Some(if winning.is_some() { 1.0 } else { -1.0 }),
            comment: None,
        })
    }
}

/// A winning take under the doubling rule: all, or the smallest.
fn doubling(View { heap, min_take, max_take }: View) -> Option<i64> {
    if max_take == heap {
        return Some(heap);
    }
    let mut smallest = None;
    for k in 1..=20 {
        // A take t leaves (heap − t, t), which lies in band k if aₖ(t) ≤ heap − t ≤ bₖ(t); both sides are linear in t.
        let c = 3 << k;
        let (a0, b0) = (c - 3 * k - 2, 2 * c - 3 * k - 6);
        if a0 > heap {
            break;
        }
        let from = min_take.max((heap - b0 + c - 3).div_euclid(c - 2));
        let to = max_take.min((heap - a0).div_euclid(c - 3));
        if from <= to {
            smallest = Some(smallest.map_or(from, |take: i64| take.min(from)));
        }
    }
    smallest
}

/// The winning take under the fibonacci rule, if it is legal.
fn fibonacci(View { heap, max_take, .. }: View) -> Option<i64> {
    if max_take == heap {
        return Some(heap);
    }
    // The greedy representation is Zeckendorf's: the rest after the largest Fibonacci number is less than the one
    // before it.
    let mut rest = heap;
    loop {
        let (mut part, mut next) = (1, 2);
        while next <= rest {
            (part, next) = (next, part + next);
        }
        if part == rest {
            return (part <= max_take).then_some(part);
        }
        rest -= part;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::rules::{State, Variant};

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
        let won = state.legal_moves().iter().any(|take| {
            let mut next = state.boxed_clone();
            next.apply(take);
            !wins(&*next, memo)
        });
        memo.insert(key, won);
        won
    }

    #[test]
    fn the_formulas_agree_with_exhaustive_search() {
        for rule in ["doubling", "fibonacci"] {
            let mut memo = HashMap::new();
            for (heap, first_max) in (1..=300).flat_map(|heap| [1, 3, 10, 300].map(|first_max| (heap, first_max))) {
                let text = format!("marbles:rule={rule},heap={heap},first_max={first_max}");
                let start = text.parse::<Variant>().unwrap().start(0);
                // Every position after at most one take; deeper ones also occur with smaller heaps.
                let mut states = vec![start.boxed_clone()];
                states.extend(start.legal_moves().iter().map(|take| {
                    let mut state = start.boxed_clone();
                    state.apply(take);
                    state
                }));
                for state in states.iter().filter(|state| state.outcome().is_none()) {
                    let view: View = serde_json::from_str(state.view(state.to_move()).get()).unwrap();
                    let take = if rule == "doubling" { doubling(view) } else { fibonacci(view) };
                    assert_eq!(take.is_some(), wins(&**state, &mut memo), "{text} {view:?}");
                    if let Some(take) = take {
                        let mut next = state.boxed_clone();
                        assert!(next.is_legal(&Move::Int(take)), "{text} {view:?} {take}");
                        next.apply(&Move::Int(take));
                        assert!(!wins(&*next, &mut memo), "{text} {view:?} {take}");
                    }
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
}
