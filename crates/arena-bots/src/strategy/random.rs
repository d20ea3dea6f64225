//! `random`: plays a uniformly random legal move. The baseline that every other bot should beat.

use arena_core::rng::Rng;
use arena_core::rules::{self, Move, State, Variant};

use super::{Choice, Engine, Query, SearchDeadline, Strategy};

pub(super) const STRATEGY: Strategy = Strategy {
    name: "random",
    summary: "a uniformly random legal move",
    version: 1,
    options: &[],
    plays: |_| true,
    build_unknown: Some(|seed| Box::new(Random { variant: None, rng: Rng::new(seed) })),
    build: |variant, _, seed| Box::new(Random { variant: Some(variant.clone()), rng: Rng::new(seed) }),
};

struct Random {
    /// The game, if this process knows its rules.
    variant: Option<Variant>,
    rng: Rng,
}

impl Engine for Random {
    fn choose(&mut self, query: &Query<'_>, _deadline: &SearchDeadline) -> serde_json::Result<Choice> {
        if let Some(listed) = query.legal_moves {
            return Ok(Choice::plain(listed[self.rng.below(listed.len() as u64) as usize].clone()));
        }
        // There are too many legal moves to list. Draw one from a reconstructed position if the moves determine it. With
        // hidden information they do not, but the referee's sample is just as uniform.
        let start = self.variant.as_ref().filter(|variant| variant.rules.open_information);
        let Some(start) = start.and_then(|variant| variant.start(0).ok()) else {
            return Ok(Choice::plain(query.sample_move.clone()));
        };
        Ok(Choice::plain(self.draw(start, &query.moves()?).unwrap_or_else(|| query.sample_move.clone())))
    }
}

impl Random {
    fn draw(&mut self, mut state: Box<dyn State>, moves: &[Move]) -> Option<Move> {
        rules::play(&mut *state, moves).ok()?;
        let count = state.legal_count();
        (count > 0).then(|| state.nth_legal(self.rng.below(count)))
    }
}

#[cfg(test)]
mod tests {
    use arena_core::rules::Seat;
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn all_moves_are_equally_likely_even_if_none_are_listed() {
        let variant: Variant = "marbles:heap=10000,first_max=2000".parse().unwrap();
        let view = RawValue::from_string(r#"{"heap":10000,"moves":[]}"#.to_owned()).unwrap();
        let sample_move = Move::Int(1);
        let query = Query { seat: Seat::First, view: &view, legal_moves: None, sample_move: &sample_move };
        let mut engine = (STRATEGY.build)(&variant, &rules::Params::defaults(&[]), 5);
        let mut quarters = [0; 4];
        for _ in 0..2_000 {
            let Move::Int(take) =
                engine.choose(&query, &SearchDeadline::within(std::time::Duration::from_secs(3_600))).unwrap().played
            else {
                panic!()
            };
            quarters[((take - 1) / 500) as usize] += 1;
        }
        assert!(quarters.iter().all(|count| (430..570).contains(count)), "{quarters:?}");
    }
}
