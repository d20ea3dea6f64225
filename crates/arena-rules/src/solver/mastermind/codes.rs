//! Codes as numbers, and the answers to guesses.
//!
//! A code is a number in base `colors` with the last peg as the least significant digit, so numbers are in the order of the legal
//! moves. An answer with c common pegs, e of them exact, is c(c + 1)/2 + e: the largest is the one that ends the game.

use super::frames::{COLORS_MAX, PEGS_MAX, Pegs};
use crate::rules::{AnsweredGuess, PartialCode};

/// Maximum number of answers; fits a bit set of 64.
const ANSWERS_MAX: usize = (PEGS_MAX + 1) * (PEGS_MAX + 2) / 2;
/// Up to this number of codes, all answers are kept: 1.6 MB for 4×6.
const TABLE_CODES_MAX: u32 = 1_296;

/// All codes of some pegs and colours.
#[derive(Debug, Clone)]
pub(super) struct Codes {
    pub(super) pegs: usize,
    pub(super) colors: usize,
    /// Number of codes.
    pub(super) count: u32,
    /// The answer to each guess for each code; empty if it was not asked for, or there are too many.
    table: Vec<u8>,
}

/// A code as bits, which compare fast.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packed {
    /// Four bits a peg.
    pegs: u32,
    /// Eight bits a colour, of which as many are set as there are pegs of it.
    colors: [u64; 2],
}

impl Packed {
    fn answer(self, other: Self, pegs: usize) -> u8 {
        let differ = self.pegs ^ other.pegs;
        let differ = (differ | differ >> 1 | differ >> 2 | differ >> 3) & 0x1111_1111;
        let [low, high] = [0, 1].map(|half| (self.colors[half] & other.colors[half]).count_ones());
        answer(low + high, pegs as u32 - differ.count_ones())
    }
}

/// The answer with `common` pegs in common, `exact` of them exact.
fn answer(common: u32, exact: u32) -> u8 {
    (common * (common + 1) / 2 + exact) as u8
}

/// How a guess divides some codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rating {
    /// Number of answers that it may get.
    pub(super) answers: u32,
    /// Sum of the squares of the number of codes for each.
    pub(super) squares: u64,
}

impl Codes {
    pub(super) fn new(pegs: usize, colors: usize) -> Self {
        debug_assert!(pegs <= PEGS_MAX && colors <= COLORS_MAX);
        Self { pegs, colors, count: (colors as u32).pow(pegs as u32), table: Vec::new() }
    }

    /// Makes the table of answers, unless there is one or the codes are too many.
    pub(super) fn prepare(&mut self) {
        if self.table.is_empty() && self.count <= TABLE_CODES_MAX {
            let packed: Vec<Packed> = (0..self.count).map(|code| self.pack(code)).collect();
            let pegs = self.pegs;
            let pairs = packed.iter().flat_map(|guess| packed.iter().map(move |code| guess.answer(*code, pegs)));
            self.table = pairs.collect();
        }
    }

    /// Number of answers, one of which (one peg missing but of the right colour) is impossible.
    pub(super) fn answers(&self) -> usize {
        usize::from(self.broken()) + 1
    }

    /// The answer to the code itself.
    pub(super) fn broken(&self) -> u8 {
        answer(self.pegs as u32, self.pegs as u32)
    }

    /// The pegs of a code; those that it does not have are 0.
    pub(super) fn pegs(&self, code: u32) -> Pegs {
        let (mut pegs, mut rest) = ([0; PEGS_MAX], code);
        for peg in pegs[..self.pegs].iter_mut().rev() {
            *peg = (rest % self.colors as u32) as u8;
            rest /= self.colors as u32;
        }
        pegs
    }

    pub(super) fn number(&self, pegs: Pegs) -> u32 {
        pegs[..self.pegs].iter().fold(0, |number, peg| number * self.colors as u32 + u32::from(*peg))
    }

    /// The pegs of a guess, if it has the right number of them in these colours.
    pub(super) fn read(&self, guess: &[u8]) -> Option<Pegs> {
        let mut pegs = [0; PEGS_MAX];
        pegs.get_mut(..self.pegs).filter(|pegs| pegs.len() == guess.len())?.copy_from_slice(guess);
        pegs.iter().all(|peg| usize::from(*peg) < self.colors).then_some(pegs)
    }

    fn pack(&self, code: u32) -> Packed {
        let mut packed = Packed { pegs: 0, colors: [0; 2] };
        for color in self.pegs(code)[..self.pegs].iter().copied() {
            packed.pegs = packed.pegs << 4 | u32::from(color);
            let (half, shift) = (usize::from(color / 8), color % 8 * 8);
            let run = packed.colors[half] >> shift & 0xFF;
            packed.colors[half] |= (run << 1 | 1) << shift;
        }
        packed
    }

    /// The codes as [`rate`](Self::rate) wants them.
    pub(super) fn packed(&self, codes: &[u32]) -> Vec<Packed> {
        if self.table.is_empty() { codes.iter().map(|code| self.pack(*code)).collect() } else { Vec::new() }
    }

    /// The answers to a guess for each of the codes, which are given [packed](Self::packed) too.
    fn answers_to<'a>(&'a self, guess: u32, codes: &'a [u32], packed: &'a [Packed]) -> impl Iterator<Item = u8> + 'a {
        // One of the two is empty.
        let count = self.count as usize;
        let row = self.table.get(guess as usize * count..(guess as usize + 1) * count).unwrap_or_default();
        let looked_up = codes.iter().filter_map(|code| row.get(*code as usize)).copied();
        let guess = self.pack(guess);
        looked_up.chain(packed.iter().map(move |code| guess.answer(*code, self.pegs)))
    }

    pub(super) fn rate(&self, guess: u32, codes: &[u32], packed: &[Packed]) -> Rating {
        let mut counts = [0_u32; ANSWERS_MAX];
        let mut rating = Rating { answers: 0, squares: 0 };
        self.answers_to(guess, codes, packed).for_each(|answer| {
            let count = &mut counts[usize::from(answer)];
            rating.answers += u32::from(*count == 0);
            rating.squares += 2 * u64::from(*count) + 1;
            *count += 1;
        });
        rating
    }

    /// Whether a guess gets another answer for each of the codes.
    pub(super) fn separates(&self, guess: u32, codes: &[u32], packed: &[Packed]) -> bool {
        let mut seen = 0_u64;
        self.answers_to(guess, codes, packed).all(|answer| {
            let is_new = seen >> answer & 1 == 0;
            seen |= 1 << answer;
            is_new
        })
    }

    /// The codes by the answer to a guess, without the guess itself.
    pub(super) fn split(&self, guess: u32, codes: &[u32]) -> Vec<Vec<u32>> {
        let mut parts = vec![Vec::new(); self.answers()];
        let packed = self.packed(codes);
        for (code, answer) in codes.iter().zip(self.answers_to(guess, codes, &packed)) {
            parts[usize::from(answer)].push(*code);
        }
        parts.pop();
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// The codes that agree with all answers, ascending; the error of `step`, which is asked before every peg and every code.
    /// Guesses must be [readable](Self::read), and answers possible.
    pub(super) fn agreeing<E>(
        &self,
        answers: &[AnsweredGuess],
        mut step: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Vec<u32>, E> {
        let mut codes = Vec::new();
        self.complete(&mut PartialCode::new(self.pegs, answers), &mut codes, &mut step)?;
        Ok(codes)
    }

    fn complete<E>(
        &self,
        partial: &mut PartialCode<'_>,
        codes: &mut Vec<u32>,
        step: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        step(codes.len())?;
        if !partial.is_possible() {
            return Ok(());
        }
        if partial.is_complete() {
            codes.push(partial.code().iter().fold(0, |number, peg| number * self.colors as u32 + u32::from(*peg)));
            return Ok(());
        }
        for color in 0..self.colors as u8 {
            partial.push(color);
            self.complete(partial, codes, step)?;
            partial.pop();
        }
        Ok(())
    }
}
