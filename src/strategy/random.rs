//! `random`: any legal move, each as likely as the others. The floor that every other bot should beat.

use super::{Brain, Choice, Deadline, Position, Strategy};
use crate::rng::Rng;
use crate::rules::{self, Move, Variant};

pub(super) const STRATEGY: Strategy = Strategy {
    name: "random",
    summary: "any legal move, each as likely as the others",
    version: 1,
    options: &[],
    plays: |_| true,
    build: |variant, _, seed| Box::new(Random { variant: variant.clone(), rng: Rng::new(seed) }),
};

struct Random {
    variant: Variant,
    rng: Rng,
}

impl Brain for Random {
    fn choose(&mut self, position: &Position<'_>, _deadline: &Deadline) -> serde_json::Result<Choice> {
        if let Some(listed) = position.legal_moves {
            return Ok(Choice::plain(listed[self.rng.below(listed.len() as u64) as usize].clone()));
        }
        // Too many to be listed: drawn from a position of our own where the moves give it. Where something is hidden
        // they do not, and the referee's own draw is as uniform as ours.
        if !self.variant.rules.open_information() {
            return Ok(Choice::plain(position.sample_move.clone()));
        }
        Ok(Choice::plain(self.draw(&position.moves()?).unwrap_or_else(|| position.sample_move.clone())))
    }
}

impl Random {
    fn draw(&mut self, moves: &[Move]) -> Option<Move> {
        let mut state = self.variant.start(0);
        rules::play(&mut *state, moves).ok()?;
        let count = state.legal_count();
        (count > 0).then(|| state.nth_legal(self.rng.below(count)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::rules::Seat;

    #[test]
    fn every_move_is_drawn_as_often_even_if_none_are_listed() {
        let variant: Variant = "marbles:heap=10000,first_max=2000".parse().unwrap();
        let view = RawValue::from_string(r#"{"heap":10000,"moves":[]}"#.to_owned()).unwrap();
        let sample_move = Move::Int(1);
        let position = Position { seat: Seat::First, view: &view, legal_moves: None, sample_move: &sample_move };
        let mut brain = (STRATEGY.build)(&variant, &rules::Params::defaults(&[]), 5);
        let mut quarters = [0; 4];
        for _ in 0..2_000 {
            let Move::Int(take) = brain.choose(&position, &Deadline::never()).unwrap().played else { panic!() };
            quarters[((take - 1) / 500) as usize] += 1;
        }
        assert!(quarters.iter().all(|count| (430..570).contains(count)), "{quarters:?}");
    }
}
