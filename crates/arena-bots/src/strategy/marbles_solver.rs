//! `marbles-solver`: plays marbles perfectly, for any heap. The rules know the winning takes in closed form.

use arena_core::rules::{Move, winning_takes};
use serde::Deserialize;

use super::{Choice, Engine, Query, SearchDeadline, Strategy};

pub(super) const STRATEGY: Strategy = Strategy {
    name: "marbles-solver",
    summary: "plays marbles perfectly",
    version: 1,
    options: &[],
    plays: |variant| variant.rules.name == "marbles",
    build_unknown: None,
    build: |variant, _, _| Box::new(Solver { doubling: variant.params.word("rule") == "doubling" }),
};

struct Solver {
    doubling: bool,
}

/// The view of a game of marbles.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct HeapView {
    pub(super) heap: i64,
    pub(super) min_take: i64,
    pub(super) max_take: i64,
}

impl Engine for Solver {
    fn choose(&mut self, query: &Query<'_>, _deadline: &SearchDeadline) -> serde_json::Result<Choice> {
        let view: HeapView = serde_json::from_str(query.view.get())?;
        let winning = self.winning(view);
        Ok(Choice {
            played: Move::Int(winning.unwrap_or(view.min_take)),
            eval: Some(if winning.is_some() { 1.0 } else { -1.0 }),
            comment: None,
        })
    }
}

impl Solver {
    /// A winning take: all, or the smallest.
    fn winning(&self, HeapView { heap, min_take, max_take }: HeapView) -> Option<i64> {
        let takes = winning_takes(self.doubling, heap, min_take, max_take);
        if max_take == heap { Some(heap) } else { takes.first().map(|[from, _]| *from) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solver_plays_the_whole_heap_or_the_smallest_winning_take() {
        let played = |rule: &str, (heap, min_take, max_take)| {
            let solver = Solver { doubling: rule == "doubling" };
            solver.winning(HeapView { heap, min_take, max_take })
        };
        assert_eq!(played("doubling", (7, 4, 7)), Some(7));
        assert_eq!(played("fibonacci", (20, 1, 8)), Some(2));
        assert_eq!(played("fibonacci", (21, 1, 20)), None);
        // 5 and 6 win.
        assert_eq!(played("doubling", (20, 4, 6)), Some(5));
    }
}
