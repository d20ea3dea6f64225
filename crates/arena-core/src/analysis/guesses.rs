//! The guesses of a game of `mastermind`, against a reference strategy.
//!
//! The game has no value to know, so no guess gives a result away. What a guess costs is the number of guesses that it takes more, on
//! average over the codes that its mover could not exclude by then. The reference is not proved to be the best: a guess that it
//! would not have made may be better, and then costs less than nothing.

use super::line::Line;
use super::memory::Memory;
use super::verdict::GuessCost;
use super::walk::{Asked, UNSOLVED_MAX};
use crate::rules::{AnsweredGuess, Move, State, Variant};
use crate::solver::{Guesser, Limits, Unsolved, seen_guesses};

/// Analyses games of one variant of `mastermind`.
#[derive(Debug)]
pub struct GuessWalker<'a> {
    guesser: Guesser,
    /// Hash of the variant and of what is asked for, to be continued with a question.
    hasher: blake3::Hasher,
    nodes: u64,
    memory: &'a Memory,
}

impl<'a> GuessWalker<'a> {
    /// For games of a variant; `None` in other games.
    #[must_use]
    pub fn new(variant: &Variant, asked: Asked, memory: &'a Memory) -> Option<Self> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{variant} guesses {} ", asked.nodes).as_bytes());
        Some(Self { guesser: Guesser::for_variant(variant)?, hasher, nodes: asked.nodes, memory })
    }

    /// Guesses compared with codes so far.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.guesser.nodes()
    }

    /// What each guess costs, where that is known; `None` if `stop` said to stop. It depends on the game and on what was asked, and on
    /// nothing else.
    ///
    /// Goes from the last guess back, as earlier ones are harder: there are more codes. It ends after some unsolved ones in a row.
    pub fn walk(&mut self, line: &Line, stop: &dyn Fn() -> bool) -> Option<Vec<Option<GuessCost>>> {
        let mut costs = vec![None; line.moves.len()];
        let mut unsolved = 0;
        for (place, played) in line.moves.iter().enumerate().rev() {
            match self.cost(line.positions[place].as_ref(), played, stop) {
                Ok(cost) => {
                    costs[place] = Some(cost);
                    unsolved = 0;
                }
                Err(Unsolved::Nodes) => unsolved += 1,
                Err(Unsolved::Stopped) => return None,
            }
            if unsolved == UNSOLVED_MAX {
                break;
            }
        }
        Some(costs)
    }

    /// What a guess costs.
    fn cost(&mut self, state: &dyn State, played: &Move, stop: &dyn Fn() -> bool) -> Result<GuessCost, Unsolved> {
        // The rules of this game have both.
        let (Some(seen), Some(guess)) = (seen_guesses(state), guess_of(played)) else { return Err(Unsolved::Nodes) };
        let question = self.question(&seen, &guess);
        if let Some(known) = self.memory.guess(question) {
            return known;
        }
        // What is found within the limit must not depend on the questions before.
        self.guesser.forget();
        let cost = self.ask(&seen, &guess, stop);
        if cost != Err(Unsolved::Stopped) {
            self.memory.keep_guess(question, cost);
        }
        cost
    }

    /// A hash of what the mover knows, and of its guess.
    fn question(&self, seen: &[AnsweredGuess], guess: &[u8]) -> u128 {
        let mut hasher = self.hasher.clone();
        for AnsweredGuess { guess, exact, color } in seen {
            hasher.update(guess).update(&[*exact as u8, *color as u8]);
        }
        let hash = hasher.update(guess).finalize();
        hash.as_bytes().first_chunk().map_or(0, |first| u128::from_le_bytes(*first))
    }

    fn ask(&mut self, seen: &[AnsweredGuess], guess: &[u8], stop: &dyn Fn() -> bool) -> Result<GuessCost, Unsolved> {
        let end = self.guesser.nodes().saturating_add(self.nodes);
        let reference = self.guesser.expected(seen, &Limits { nodes: self.nodes, stop })?;
        let left = end.saturating_sub(self.guesser.nodes());
        let after = self.guesser.expected_after(seen, guess, &Limits { nodes: left, stop })?;
        let played = after.total.saturating_add(after.codes);
        Ok(GuessCost { codes: reference.codes, reference: reference.total, played })
    }
}

/// The pegs of a guess.
fn guess_of(played: &Move) -> Option<Vec<u8>> {
    let Move::List(pegs) = played else { return None };
    pegs.iter().map(|peg| u8::try_from(*peg).ok()).collect()
}
