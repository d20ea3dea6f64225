//! The interface of Monte Carlo tree search to games. All rules have it; a [board](super::board) is faster.

use arena_core::rng::Rng;
use arena_core::rules::{Move, Seat, State};
use arena_core::solver::{Outlook, Value};

/// What a win is worth as the result of a playout; a loss is worth as much less than nothing.
pub(super) const POINTS: i32 = 1_000;

/// Maximum number of moves searched per position; larger sets are sampled.
const MOVES_MAX: u64 = 256;

/// Why no move fails: strategies search built-in games only.
const BUILT_IN: &str = "built-in rules play every legal move";

/// A position in which moves can be played.
pub(super) trait Playable: Send + Clone {
    /// A compact form of a move.
    type Action: Clone;

    fn mover(&self) -> Seat;

    /// The value for the side to move, if it is known without a search: at least that of a finished game. Games are not played on
    /// from there.
    fn settled(&self) -> Option<Value>;

    /// Adds the moves to search to `out`, which is empty. Returns whether none that is left out can be better than all of them.
    fn actions(&self, rng: &mut Rng, out: &mut Vec<Self::Action>) -> bool;

    fn play(&mut self, action: &Self::Action);

    /// What the position, which is not settled, is worth to the first seat, from −[`POINTS`] to [`POINTS`]: the result of a random
    /// game from here, or an evaluation. The position is then any.
    fn playout(&mut self, rng: &mut Rng) -> i32;

    /// Copies `other`, a position of the same game.
    fn restore(&mut self, other: &Self);

    fn move_of(&self, action: &Self::Action) -> Move;

    /// The compact form of a legal move.
    fn action_of(&self, played: &Move) -> Option<Self::Action>;

    /// Returns the position after further moves. Ignores illegal moves, which a referee does not send.
    fn after(&self, moves: &[Move]) -> Self {
        let mut position = self.clone();
        for played in moves {
            if let Some(action) = position.action_of(played) {
                position.play(&action);
            }
        }
        position
    }
}

impl Playable for Box<dyn State> {
    type Action = Move;

    fn mover(&self) -> Seat {
        self.to_move()
    }

    fn settled(&self) -> Option<Value> {
        let outcome = self.outcome()?;
        Some(match Outlook::of(outcome, self.to_move()) {
            Outlook::Win => Value::Win(0),
            Outlook::Draw => Value::Draw,
            Outlook::Loss => Value::Loss(0),
        })
    }

    fn actions(&self, rng: &mut Rng, out: &mut Vec<Move>) -> bool {
        let count = self.legal_count();
        if count <= MOVES_MAX {
            out.extend(self.legal_moves());
            return true;
        }
        // Stratified sampling: one from each of equally large ranges.
        let part = |index: u64| index * count / MOVES_MAX;
        out.extend((0..MOVES_MAX).map(|index| self.nth_legal(part(index) + rng.below(part(index + 1) - part(index)))));
        false
    }

    fn play(&mut self, action: &Move) {
        self.apply(action).expect(BUILT_IN);
    }

    fn playout(&mut self, rng: &mut Rng) -> i32 {
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome.winner.map_or(0, |winner| if winner == Seat::First { POINTS } else { -POINTS });
            }
            let played = self.nth_legal(rng.below(self.legal_count()));
            self.apply(&played).expect(BUILT_IN);
        }
    }

    fn restore(&mut self, other: &Self) {
        self.clone_from(other);
    }

    fn move_of(&self, action: &Move) -> Move {
        action.clone()
    }

    fn action_of(&self, played: &Move) -> Option<Move> {
        self.is_legal(played).then(|| played.clone())
    }
}
