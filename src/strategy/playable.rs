//! The interface of Monte Carlo tree search to games. All rules have it; a [board](super::board) is faster.

use crate::rng::Rng;
use crate::rules::{Move, Outcome, Seat, State};

/// Maximum number of moves searched per position; larger sets are sampled.
const MOVES_MAX: u64 = 256;

/// Why no move fails: strategies search built-in games only.
const BUILT_IN: &str = "built-in rules play every legal move";

/// A position in which moves can be played.
pub(super) trait Playable: Send + Clone {
    /// A compact form of a move.
    type Action: Clone;

    fn mover(&self) -> Seat;

    /// The outcome, once the game is over.
    fn result(&self) -> Option<Outcome>;

    /// The moves to search; none once the game is over.
    fn actions(&self, rng: &mut Rng) -> Vec<Self::Action>;

    fn play(&mut self, action: &Self::Action);

    /// Plays random moves to the end and returns the winner.
    fn play_out(&mut self, rng: &mut Rng) -> Option<Seat>;

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

    fn result(&self) -> Option<Outcome> {
        self.outcome()
    }

    fn actions(&self, rng: &mut Rng) -> Vec<Move> {
        let count = self.legal_count();
        if count <= MOVES_MAX {
            return self.legal_moves();
        }
        // Stratified sampling: one from each of equally large ranges.
        let part = |index: u64| index * count / MOVES_MAX;
        (0..MOVES_MAX).map(|index| self.nth_legal(part(index) + rng.below(part(index + 1) - part(index)))).collect()
    }

    fn play(&mut self, action: &Move) {
        self.apply(action).expect(BUILT_IN);
    }

    fn play_out(&mut self, rng: &mut Rng) -> Option<Seat> {
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome.winner;
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
