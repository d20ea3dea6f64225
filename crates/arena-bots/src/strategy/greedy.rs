//! `greedy`: looks one move ahead. Takes a win, prevents a loss, or otherwise takes the move with the best evaluation.

use arena_core::rng::Rng;
use arena_core::rules::Move;

use super::board::{Action, SearchBoard, is_grid};
use super::marbles_solver::HeapView;
use super::playable::Playable;
use super::{Choice, Engine, Query, SearchDeadline, Strategy};

pub(super) const STRATEGY: Strategy = Strategy {
    name: "greedy",
    summary: "takes a win, prevents a loss, or plays the best-looking move (connect4, mnk, marbles)",
    version: 1,
    options: &[],
    plays: |variant| is_grid(variant) || variant.rules.name == "marbles",
    build_unknown: None,
    build: |variant, _, seed| {
        if is_grid(variant) {
            Box::new(GreedyOnGrid { empty: SearchBoard::new(variant), rng: Rng::new(seed) })
        } else {
            Box::new(GreedyOnHeap)
        }
    },
};

/// On a board: plays the move that raises the evaluation most.
struct GreedyOnGrid {
    empty: SearchBoard,
    rng: Rng,
}

impl Engine for GreedyOnGrid {
    fn choose(&mut self, query: &Query<'_>, _deadline: &SearchDeadline) -> serde_json::Result<Choice> {
        let board = self.empty.after(&query.moves()?);
        let mut actions = Vec::new();
        board.pressing(&mut actions);
        // A first stone in a segment gains nothing yet, so ties are broken by the segments still open.
        let looks = |action: &Action| (board.gain(*action), board.open_segments(*action));
        let best = actions.iter().map(looks).max();
        let ties: Vec<Action> = actions.into_iter().filter(|action| Some(looks(action)) == best).collect();
        if ties.is_empty() {
            return Ok(Choice::plain(query.sample_move.clone()));
        }
        Ok(Choice::plain(board.move_of(&ties[self.rng.below(ties.len() as u64) as usize])))
    }
}

/// With a heap: takes all of it, or as much as possible without letting the opponent take the rest.
struct GreedyOnHeap;

impl Engine for GreedyOnHeap {
    fn choose(&mut self, query: &Query<'_>, _deadline: &SearchDeadline) -> serde_json::Result<Choice> {
        let HeapView { heap, min_take, max_take } = serde_json::from_str(query.view.get())?;
        // After a take of t the opponent may take up to 2t of the remaining heap − t: all of them, unless 3t < heap.
        let take = if max_take == heap { heap } else { max_take.min((heap - 1) / 3).max(min_take) };
        Ok(Choice::plain(Move::Int(take)))
    }
}

#[cfg(test)]
mod tests {
    use crate::strategy::matches::TestPosition;

    #[track_caller]
    fn check(game: &str, moves: &str, expected: &[&str]) {
        for seed in 0..8 {
            let played = TestPosition::after(game, moves).choice("greedy", &[], seed).played.to_string();
            assert!(expected.contains(&played.as_str()), "{played}");
        }
    }

    #[test]
    fn a_win_is_taken_before_a_loss_is_prevented() {
        check("connect4", "0 1 0 1 0 1", &["0"]);
        check("mnk", "[0,0] [1,0] [0,1] [1,1]", &["[0,2]"]);
    }

    #[test]
    fn a_loss_is_prevented() {
        check("connect4", "0 1 0 1 0", &["0"]);
        check("connect4", "2 0 3 0 4", &["1", "5"]);
        check("mnk", "[0,0] [2,2] [0,1]", &["[0,2]"]);
    }

    #[test]
    fn otherwise_the_centre_is_best() {
        check("connect4", "", &["3"]);
        check("mnk", "", &["[1,1]"]);
    }

    #[test]
    fn the_heap_is_taken_or_kept_from_the_opponent() {
        check("marbles:heap=100", "9", &["18"]);
        check("marbles:heap=31", "10", &["11"]);
        check("marbles:heap=28", "9", &["10"]);
        check("marbles:heap=27", "9", &["18"]);
        check("marbles:heap=40,rule=fibonacci", "10", &["9"]);
    }
}
