//! The codes of `mastermind` that agree with the feedback on some guesses.
//!
//! A code is built peg by peg and dropped as soon as its pegs contradict some feedback. The number of ways to complete it
//! depends only on what the feedback compares: the exact matches so far, and the pegs of each colour up to the largest
//! number in any guess. So partial codes that agree in these are counted once. For 12⁸ codes and any guesses, there are
//! fewer than a million.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// Maximum number of colours.
pub(super) const COLORS_MAX: usize = 12;

/// A guess and its feedback.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredGuess {
    /// The colours guessed.
    pub guess: Vec<u8>,
    /// Pegs of the right colour in the right place.
    pub exact: usize,
    /// Further pegs of the right colour.
    pub color: usize,
}

impl AnsweredGuess {
    /// Whether the guess would have got this feedback if `code` were the hidden code.
    #[must_use]
    pub fn fits(&self, code: &[u8]) -> bool {
        feedback(code, &self.guess) == (self.exact, self.color)
    }
}

/// Number of pegs of the right colour in the right place, and of further pegs of the right colour.
pub(super) fn feedback(code: &[u8], guess: &[u8]) -> (usize, usize) {
    let exact = code.iter().zip(guess).filter(|(hidden, guessed)| hidden == guessed).count();
    let shared: u8 = peg_counts(code).iter().zip(peg_counts(guess)).map(|(hidden, guessed)| guessed.min(*hidden)).sum();
    (exact, usize::from(shared) - exact)
}

/// Number of pegs of each colour.
fn peg_counts(pegs: &[u8]) -> [u8; COLORS_MAX] {
    let mut counts = [0; COLORS_MAX];
    for peg in pegs {
        counts[usize::from(*peg)] += 1;
    }
    counts
}

/// The first pegs of a code, compared with the feedback on guesses.
#[derive(Debug, Clone)]
pub struct PartialCode<'a> {
    pegs: usize,
    answers: &'a [AnsweredGuess],
    /// Number of pegs of each colour in every guess.
    guessed: Vec<[u8; COLORS_MAX]>,
    /// Exact matches of the pegs so far, per guess.
    exact: Vec<u8>,
    /// Pegs so far whose colour is also in the guess, per guess, counted as in the rules.
    common: Vec<u8>,
    code: Vec<u8>,
    hidden: [u8; COLORS_MAX],
}

impl<'a> PartialCode<'a> {
    /// Creates a code of `pegs` without its pegs; each guess has as many.
    #[must_use]
    pub fn new(pegs: usize, answers: &'a [AnsweredGuess]) -> Self {
        Self {
            pegs,
            answers,
            guessed: answers.iter().map(|answer| peg_counts(&answer.guess)).collect(),
            exact: vec![0; answers.len()],
            common: vec![0; answers.len()],
            code: Vec::new(),
            hidden: [0; COLORS_MAX],
        }
    }

    /// The pegs so far.
    #[must_use]
    pub fn code(&self) -> &[u8] {
        &self.code
    }

    /// Whether no peg is missing.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.code.len() == self.pegs
    }

    /// Whether the missing pegs may still satisfy all feedback. Certain once none is missing.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        let missing = self.pegs - self.code.len();
        self.answers.iter().zip(self.exact.iter().zip(&self.common)).all(|(answer, (exact, common))| {
            let (exact, common) = (usize::from(*exact), usize::from(*common));
            let wanted = answer.exact + answer.color;
            (exact..=exact + missing).contains(&answer.exact) && (common..=common + missing).contains(&wanted)
        })
    }

    /// Adds a peg; one must be missing.
    pub fn push(&mut self, color: u8) {
        let (at, color_at) = (self.code.len(), usize::from(color));
        for (index, answer) in self.answers.iter().enumerate() {
            self.exact[index] += u8::from(answer.guess[at] == color);
            self.common[index] += u8::from(self.hidden[color_at] < self.guessed[index][color_at]);
        }
        self.hidden[color_at] += 1;
        self.code.push(color);
    }

    /// Removes the last peg, if there is one.
    pub fn pop(&mut self) {
        let Some(color) = self.code.pop() else { return };
        let (at, color_at) = (self.code.len(), usize::from(color));
        self.hidden[color_at] -= 1;
        for (index, answer) in self.answers.iter().enumerate() {
            self.exact[index] -= u8::from(answer.guess[at] == color);
            self.common[index] -= u8::from(self.hidden[color_at] < self.guessed[index][color_at]);
        }
    }
}

/// Counts and lists the codes that agree with all feedback.
pub(super) struct PossibleCodes<'a> {
    colors: u8,
    partial: PartialCode<'a>,
    /// The largest number of pegs of each colour in any guess.
    most: [u8; COLORS_MAX],
    /// Number of ways to complete a partial code.
    known: HashMap<CodeKey, u64>,
}

/// What the number of ways to complete a partial code depends on: its length and pegs of each colour, four bits each,
/// and its exact matches.
type CodeKey = (u64, Box<[u8]>);

impl<'a> PossibleCodes<'a> {
    /// `answers` are the guesses on codes of `pegs` pegs in `colors` colours, each guess at most once.
    pub(super) fn new(pegs: usize, colors: usize, answers: &'a [AnsweredGuess]) -> Self {
        let partial = PartialCode::new(pegs, answers);
        let most = std::array::from_fn(|color| partial.guessed.iter().map(|counts| counts[color]).max().unwrap_or(0));
        Self { colors: colors as u8, partial, most, known: HashMap::new() }
    }

    /// Number of codes that agree.
    pub(super) fn count(&mut self) -> u64 {
        if !self.partial.is_possible() {
            return 0;
        }
        if self.partial.is_complete() {
            return 1;
        }
        let key = self.key();
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        // The colours in no guess are all alike.
        let mut unguessed = None;
        let mut count = 0;
        for color in 0..self.colors {
            let is_guessed = self.most[usize::from(color)] > 0;
            count += match unguessed {
                Some(ways) if !is_guessed => ways,
                _ => {
                    let ways = self.count_with(color);
                    unguessed = unguessed.or((!is_guessed).then_some(ways));
                    ways
                }
            };
        }
        self.known.insert(key, count);
        count
    }

    fn count_with(&mut self, color: u8) -> u64 {
        self.partial.push(color);
        let ways = self.count();
        self.partial.pop();
        ways
    }

    /// The codes that agree, ascending.
    pub(super) fn list(&mut self) -> Vec<Vec<u8>> {
        let mut codes = Vec::new();
        self.list_into(&mut codes);
        codes
    }

    fn list_into(&mut self, codes: &mut Vec<Vec<u8>>) {
        if self.count() == 0 {
            return;
        }
        if self.partial.is_complete() {
            codes.push(self.partial.code.clone());
            return;
        }
        for color in 0..self.colors {
            self.partial.push(color);
            self.list_into(codes);
            self.partial.pop();
        }
    }

    fn key(&self) -> CodeKey {
        let counts = self.partial.hidden.iter().zip(self.most).map(|(hidden, most)| u64::from(*hidden.min(&most)));
        let packed = counts.fold(self.partial.code.len() as u64, |packed, count| packed << 4 | count);
        (packed, self.partial.exact.as_slice().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Random guesses and their feedback for a random code.
    fn answers(pegs: usize, colors: usize, guesses: usize, rng: &mut Rng) -> Vec<AnsweredGuess> {
        // Few colours make for duplicates.
        let within = 1 + rng.below(colors as u64);
        let mut some = |within| (0..pegs).map(|_| rng.below(within) as u8).collect::<Vec<_>>();
        let code = some(colors as u64);
        let mut answers: Vec<AnsweredGuess> = Vec::new();
        for _ in 0..guesses {
            let guess = some(within);
            if answers.iter().all(|answer| answer.guess != guess) {
                let (exact, color) = feedback(&code, &guess);
                answers.push(AnsweredGuess { guess, exact, color });
            }
        }
        answers
    }

    #[test]
    fn the_possible_codes_are_those_that_a_filter_leaves() {
        let mut rng = Rng::new(1);
        for (pegs, colors) in [(1, 2), (2, 12), (3, 3), (3, 7), (4, 6), (5, 4), (6, 2)] {
            for guesses in [0, 0, 1, 1, 2, 2, 3, 5, 9] {
                let answers = answers(pegs, colors, guesses, &mut rng);
                let codes = (0..colors.pow(pegs as u32)).map(|number| {
                    let digit = |place| (number / colors.pow((pegs - 1 - place) as u32) % colors) as u8;
                    (0..pegs).map(digit).collect::<Vec<u8>>()
                });
                let expected: Vec<_> = codes.filter(|code| answers.iter().all(|answer| answer.fits(code))).collect();
                let mut possible = PossibleCodes::new(pegs, colors, &answers);
                assert_eq!(possible.count(), expected.len() as u64, "{answers:?}");
                assert_eq!(possible.list(), expected, "{answers:?}");
            }
        }
    }

    #[test]
    fn all_codes_are_counted_without_looking_at_each() {
        assert_eq!(PossibleCodes::new(8, 12, &[]).count(), 429_981_696);
    }

    #[test]
    fn the_largest_codes_are_counted_with_little_memory() {
        let mut rng = Rng::new(2);
        for guesses in (0..12).chain([20, 50, 100]).flat_map(|guesses| [guesses; 20]) {
            let answers = answers(8, 12, guesses, &mut rng);
            let mut possible = PossibleCodes::new(8, 12, &answers);
            assert!(possible.count() > 0);
            assert!(possible.known.len() < 200_000, "{} for {answers:?}", possible.known.len());
        }
    }
}
