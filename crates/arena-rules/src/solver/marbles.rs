//! `marbles`: exact for every heap, without a search. Distances are not known.

use super::{Answer, Known, Limits, Outlook, Solver, SolverKind, Unsolved, Value};
use crate::rules::{Picture, State, Variant, Viewer, winning_takes};

pub(super) const KIND: SolverKind = SolverKind {
    game: "marbles",
    version: 1,
    reach: "",
    digits: false,
    build: |variant| Some(Box::new(Marbles { doubling: is_doubling(variant), nodes: 0 })),
};

struct Marbles {
    doubling: bool,
    nodes: u64,
}

/// The winning takes of a position of `marbles`, as ascending ranges; `None` in other games.
#[must_use]
pub fn winning_ranges(variant: &Variant, state: &dyn State) -> Option<Vec<[i64; 2]>> {
    if variant.rules.name != KIND.game {
        return None;
    }
    let Picture::Heap(heap) = state.picture(Viewer::All) else { return None };
    let [min, max] = heap.take;
    Some(winning_takes(is_doubling(variant), heap.left, min, max))
}

fn is_doubling(variant: &Variant) -> bool {
    variant.params.word("rule") == "doubling"
}

impl Marbles {
    fn result(&mut self, state: &dyn State) -> Outlook {
        self.nodes += 1;
        let Picture::Heap(heap) = state.picture(Viewer::All) else { unreachable!("marbles are a heap") };
        let [min, max] = heap.take;
        if winning_takes(self.doubling, heap.left, min, max).is_empty() { Outlook::Loss } else { Outlook::Win }
    }
}

impl Solver for Marbles {
    fn value(&mut self, state: &dyn State, _: Option<Value>, _: &Limits<'_>) -> Answer {
        Ok(Known::Result(self.result(state)))
    }

    fn reaches(&mut self, state: &dyn State, least: Value, _: &Limits<'_>) -> Result<bool, Unsolved> {
        Ok(self.result(state) >= least.outlook())
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn forget(&mut self) {}
}
