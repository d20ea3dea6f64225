//! `codebreaker`: guesses only codes that are consistent with all feedback so far.
//!
//! If all codes can be enumerated in a few milliseconds, it picks a consistent one uniformly. Otherwise it builds a
//! random consistent code peg by peg, and backtracks as soon as the pegs contradict some feedback. That is not quite
//! uniform, but much faster than enumerating up to 12⁸ codes.

use arena_core::rng::Rng;
use arena_core::rules::{AnsweredGuess, Move, PartialCode};
use serde::Deserialize;

use super::{Choice, Engine, Query, SearchDeadline, Strategy};

pub(super) const STRATEGY: Strategy = Strategy {
    name: "codebreaker",
    summary: "guesses only codes that are consistent with all feedback so far (mastermind)",
    version: 1,
    options: &[],
    plays: |variant| variant.rules.name == "mastermind",
    build_unknown: None,
    build: |variant, _, seed| {
        let (pegs, colors) = (variant.params.size("pegs"), variant.params.size("colors"));
        Box::new(Codebreaker { pegs, colors, rng: Rng::new(seed) })
    },
};

/// Maximum number of codes to enumerate.
const LISTED_CODES_MAX: u64 = 20_000;

struct Codebreaker {
    pegs: usize,
    colors: usize,
    rng: Rng,
}

#[derive(Deserialize)]
struct CodebreakerView {
    guesses: Vec<AnsweredGuess>,
}

impl Engine for Codebreaker {
    fn choose(&mut self, query: &Query<'_>, deadline: &SearchDeadline) -> serde_json::Result<Choice> {
        let CodebreakerView { guesses } = serde_json::from_str(query.view.get())?;
        let codes = (self.colors as u64).pow(self.pegs as u32);
        if codes > LISTED_CODES_MAX {
            let code = Builder::new(self, &guesses).build(&mut self.rng, deadline);
            return Ok(code.map_or_else(|| Choice::plain(query.sample_move.clone()), |code| choice(&code, None)));
        }
        let mut chosen = None;
        let mut consistent = 0;
        for number in 0..codes {
            let code = self.code(number);
            if guesses.iter().all(|answer| answer.fits(&code)) {
                consistent += 1;
                // Keep the n-th with probability 1/n (reservoir sampling), which is uniform without a list.
                if self.rng.below(consistent) == 0 {
                    chosen = Some(code);
                }
            }
        }
        let comment = format!("{consistent} codes left");
        Ok(chosen.map_or_else(|| Choice::plain(query.sample_move.clone()), |code| choice(&code, Some(comment))))
    }
}

fn choice(code: &[u8], comment: Option<String>) -> Choice {
    Choice { played: Move::List(code.iter().map(|color| i64::from(*color)).collect()), eval: None, comment }
}

impl Codebreaker {
    /// The code whose digits in base `colors` are those of `number`.
    fn code(&self, mut number: u64) -> Vec<u8> {
        let colors = self.colors as u64;
        let digit = |_| {
            let digit = (number % colors) as u8;
            number /= colors;
            digit
        };
        (0..self.pegs).map(digit).collect()
    }
}

/// Builds a random code peg by peg.
struct Builder<'a> {
    colors: usize,
    code: PartialCode<'a>,
    tried: u64,
    /// Whether the deadline passed before a code was found.
    stopped: bool,
}

impl<'a> Builder<'a> {
    fn new(engine: &Codebreaker, answers: &'a [AnsweredGuess]) -> Self {
        Self { colors: engine.colors, code: PartialCode::new(engine.pegs, answers), tried: 0, stopped: false }
    }

    fn build(mut self, rng: &mut Rng, deadline: &SearchDeadline) -> Option<Vec<u8>> {
        self.complete(rng, deadline).then(|| self.code.code().to_vec())
    }

    /// Adds the missing pegs, if possible within the deadline.
    fn complete(&mut self, rng: &mut Rng, deadline: &SearchDeadline) -> bool {
        if self.code.is_complete() {
            return true;
        }
        self.tried += 1;
        // Sticky: otherwise callers would continue with the next colour until the clock is checked again.
        self.stopped |= self.tried.is_multiple_of(256) && deadline.passed();
        if self.stopped {
            return false;
        }
        let mut colors: Vec<u8> = (0..self.colors as u8).collect();
        rng.shuffle(&mut colors);
        for color in colors {
            self.code.push(color);
            if self.code.is_possible() && self.complete(rng, deadline) {
                return true;
            }
            self.code.pop();
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use arena_core::rules::{Seat, Variant};

    use super::*;
    use crate::strategy::matches::TestPosition;

    /// Plays until the engine breaks `code`; returns the number of guesses, all of them consistent.
    #[track_caller]
    fn guesses(game: &str, code: &[i64], seed: u64) -> usize {
        let variant: Variant = game.parse().unwrap();
        let state = variant.rules.start_with_secret(&variant.params, &Move::List(code.to_vec())).unwrap();
        let mut table = TestPosition::of(&*state, game);
        let mut engine = (STRATEGY.build)(&variant, &arena_core::rules::Params::defaults(&[]), seed);
        loop {
            let view: CodebreakerView = serde_json::from_str(table.state.view(Seat::First).get()).unwrap();
            let played = table.ask(&mut *engine).played;
            let Move::List(guess) = &played else { panic!("{played}") };
            let guess: Vec<u8> = guess.iter().map(|color| *color as u8).collect();
            assert!(view.guesses.iter().all(|answer| answer.fits(&guess)), "{guess:?} was impossible");
            table.state.apply(&played).unwrap();
            if played == Move::List(code.to_vec()) {
                return view.guesses.len() + 1;
            }
            // The other side keeps guessing a wrong code.
            let idle = Move::List(vec![i64::from(code.iter().all(|color| *color == 0)); code.len()]);
            table.state.apply(&idle).unwrap();
        }
    }

    #[test]
    fn every_code_of_four_pegs_and_six_colors_is_broken_in_time() {
        let mut total = 0;
        for number in 0..1296 {
            let code = [number / 216, number / 36 % 6, number / 6 % 6, number % 6];
            let taken = guesses("mastermind", &code, number as u64);
            assert!(taken <= 10, "{taken}");
            total += taken;
        }
        assert!(total < 1296 * 5, "{} guesses on average", f64::from(total as u32) / 1296.0);
    }

    #[test]
    fn an_impossible_feedback_ends_at_the_deadline() {
        // No code is consistent, but that shows only at the last pegs.
        let answer = |color| AnsweredGuess { guess: vec![0, 1, 2, 3, 4, 5], exact: 1, color };
        let engine = Codebreaker { pegs: 6, colors: 8, rng: Rng::new(0) };
        let answers = [answer(1), answer(2)];
        let tried = |deadline: &SearchDeadline| {
            let mut builder = Builder::new(&engine, &answers);
            assert!(!builder.complete(&mut Rng::new(0), deadline));
            builder.tried
        };
        assert!(tried(&SearchDeadline::within(std::time::Duration::from_secs(3_600))) > 1_000);
        // Every peg above the one where it stopped tries its other colours once.
        assert!(tried(&SearchDeadline::within(std::time::Duration::ZERO)) <= 256 + 6 * 8);
    }

    #[test]
    fn huge_codes_are_broken_by_building() {
        for seed in 0..10 {
            let mut rng = Rng::new(seed);
            let code: Vec<i64> = (0..8).map(|_| rng.below(12) as i64).collect();
            assert!(guesses("mastermind:pegs=8,colors=12,max_guesses=100", &code, seed) <= 20);
        }
    }
}
