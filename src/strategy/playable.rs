//! What Monte Carlo tree search has to know of a game: one form for all rules, and a fast one for boards.

use super::board::{Action, Board};
use crate::rng::Rng;
use crate::rules::{Move, Outcome, Seat, State};

/// The most moves per position that a search looks at; of more, as many are drawn.
const MOVES_MAX: u64 = 256;

/// A position that can be played on.
pub(super) trait Playable: Clone {
    /// A move in a form that is cheap to keep.
    type Action: Clone;

    fn mover(&self) -> Seat;

    /// How the game ended, once it is over.
    fn result(&self) -> Option<Outcome>;

    /// The moves to look at; none once the game is over.
    fn actions(&self, rng: &mut Rng) -> Vec<Self::Action>;

    fn play(&mut self, action: &Self::Action);

    /// Plays random moves to the end and returns who has won.
    fn play_out(&mut self, rng: &mut Rng) -> Option<Seat>;

    /// Becomes equal to `other`, a position of the same game.
    fn restore(&mut self, other: &Self);

    fn move_of(&self, action: &Self::Action) -> Move;

    /// The position after more moves. One that is not legal is left out; a referee sends none.
    fn after(&self, moves: &[Move]) -> Self;
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
        // One from each of as many equal parts of the range.
        let part = |index: u64| index * count / MOVES_MAX;
        (0..MOVES_MAX).map(|index| self.nth_legal(part(index) + rng.below(part(index + 1) - part(index)))).collect()
    }

    fn play(&mut self, action: &Move) {
        self.apply(action);
    }

    fn play_out(&mut self, rng: &mut Rng) -> Option<Seat> {
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome.winner;
            }
            let played = self.nth_legal(rng.below(self.legal_count()));
            self.apply(&played);
        }
    }

    fn restore(&mut self, other: &Self) {
        self.clone_from(other);
    }

    fn move_of(&self, action: &Move) -> Move {
        action.clone()
    }

    fn after(&self, moves: &[Move]) -> Self {
        let mut state = self.clone();
        for played in moves {
            if state.is_legal(played) {
                state.apply(played);
            }
        }
        state
    }
}

impl Playable for Board {
    type Action = Action;

    fn mover(&self) -> Seat {
        self.mover()
    }

    fn result(&self) -> Option<Outcome> {
        match self.winner() {
            None if self.empties() > 0 => None,
            None => Some(Outcome { winner: None, reason: "board_full" }),
            winner => Some(Outcome { winner, reason: "line" }),
        }
    }

    /// Wins and forced replies leave no other choice, which lets the search look further (Teytaud and Teytaud, "On the
    /// huge benefit of decisive moves in Monte-Carlo tree search algorithms", 2010).
    fn actions(&self, _rng: &mut Rng) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.result().is_none() {
            self.pressing(&mut actions);
        }
        actions
    }

    fn play(&mut self, action: &Action) {
        self.play(*action);
    }

    fn play_out(&mut self, rng: &mut Rng) -> Option<Seat> {
        self.play_out(rng)
    }

    fn restore(&mut self, other: &Self) {
        self.restore(other);
    }

    fn move_of(&self, action: &Action) -> Move {
        self.move_of(*action)
    }

    fn after(&self, moves: &[Move]) -> Self {
        self.after(moves)
    }
}
