//! The search for the guess after which the fewest guesses are expected.
//!
//! Most answers, where a possible code counts 0.4 answers more, and then the smallest sum of squares of what each leaves: these
//! guesses are tried first, and only a limited number of them (the width). With all of them, the search would be exact. That order is known
//! from Kooi (Yet another Mastermind strategy, 2005: most parts) and Irving (Towards an optimum Mastermind strategy, 1979: smallest
//! expected size).

use std::collections::HashMap;

use super::codes::{Codes, Packed};
use super::frames::Frames;
use crate::solver::{Limits, Unsolved};

/// The guess for a set of codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BestGuess {
    /// Sum of the number of guesses over all codes of the set, with this one.
    pub(super) total: u32,
    pub(super) guess: u32,
}

/// The best guesses by set.
pub(super) type BestGuesses = HashMap<Box<[u32]>, BestGuess>;

/// Any number of guesses is left.
pub(super) const ANY: u8 = u8::MAX;

/// What is left after a guess.
pub(super) const fn one_less(left: u8) -> u8 {
    if left == ANY { ANY } else { left.saturating_sub(1) }
}

/// What has been found, by guesses left and set: the best guess, if there is one.
#[derive(Debug, Default)]
pub(super) struct Memo(HashMap<u8, HashMap<Box<[u32]>, Option<BestGuess>>>);

impl Memo {
    pub(super) fn get(&self, codes: &[u32], left: u8) -> Option<&Option<BestGuess>> {
        self.0.get(&left)?.get(codes)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Counts work. A node is a guess compared with a code.
pub(super) struct Work<'a> {
    limits: &'a Limits<'a>,
    pub(super) nodes: u64,
    next_question: u64,
}

/// Nodes between questions whether to stop.
const QUESTION_NODES: u64 = 1 << 14;

impl<'a> Work<'a> {
    pub(super) fn new(limits: &'a Limits<'a>) -> Self {
        Self { limits, nodes: 0, next_question: 0 }
    }

    /// Charges work that is to be done now.
    pub(super) fn charge(&mut self, nodes: usize) -> Result<(), Unsolved> {
        let nodes = self.nodes.saturating_add(nodes as u64);
        if nodes > self.limits.nodes {
            return Err(Unsolved::Nodes);
        }
        self.nodes = nodes;
        if nodes >= self.next_question {
            self.next_question = nodes + QUESTION_NODES;
            if (self.limits.stop)() {
                return Err(Unsolved::Stopped);
            }
        }
        Ok(())
    }
}

pub(super) struct Search<'a, 'b> {
    pub(super) codes: &'a Codes,
    /// Best guesses that are known beforehand, for any number of guesses.
    pub(super) known: &'a BestGuesses,
    pub(super) memo: &'a mut Memo,
    pub(super) width: usize,
    pub(super) work: Work<'b>,
}

/// Sorts guesses: the best is the smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Minus ten times the answers.
    answers: i32,
    squares: u64,
    guess: u32,
}

impl Search<'_, '_> {
    /// The best guess for codes, ascending, of which none is left after `left` guesses. The guesses made before are the smallest of all
    /// renamings, and `frames` their symmetries.
    pub(super) fn best_guess(
        &mut self,
        codes: &[u32],
        left: u8,
        frames: &Frames,
    ) -> Result<Option<BestGuess>, Unsolved> {
        let packed = self.codes.packed(codes);
        if let Some(best) = obvious(self.codes, codes, &packed, &mut self.work)? {
            return Ok((left >= if codes.len() == 1 { 1 } else { 2 }).then_some(best));
        }
        if left < 2 {
            return Ok(None);
        }
        if left == ANY
            && let Some(known) = self.known.get(codes)
        {
            return Ok(Some(*known));
        }
        if let Some(found) = self.memo.get(codes, left) {
            return Ok(*found);
        }
        let found = self.best(codes, &packed, left, frames)?;
        self.memo.0.entry(left).or_default().insert(codes.into(), found);
        Ok(found)
    }

    fn best(
        &mut self,
        codes: &[u32],
        packed: &[Packed],
        left: u8,
        frames: &Frames,
    ) -> Result<Option<BestGuess>, Unsolved> {
        // No possible code separates them, so one is right at once and some code takes three, or none is right at once.
        let floor = self.floor(codes.len()).max(2 * codes.len() as u32);
        let mut best: Option<BestGuess> = None;
        for rank in self.ranked(codes, packed, frames)? {
            let most = best.map_or(u32::MAX, |best| best.total);
            if most <= floor {
                break;
            }
            self.work.charge(codes.len())?;
            let mut parts = self.codes.split(rank.guess, codes);
            parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
            let mut total = parts.iter().map(|part| self.floor(part.len())).sum::<u32>() + codes.len() as u32;
            let mut frames = frames.clone();
            frames.add(self.codes.pegs(rank.guess));
            let mut is_possible = true;
            for part in parts {
                is_possible &= total < most;
                if !is_possible {
                    break;
                }
                match self.best_guess(&part, one_less(left), &frames)? {
                    Some(best) => total += best.total - self.floor(part.len()),
                    None => is_possible = false,
                }
            }
            if is_possible && total < most {
                best = Some(BestGuess { total, guess: rank.guess });
            }
        }
        Ok(best)
    }

    /// The best guesses by rank, as many as the width.
    fn ranked(&mut self, codes: &[u32], packed: &[Packed], frames: &Frames) -> Result<Vec<Rank>, Unsolved> {
        let mut ranked: Vec<Rank> = Vec::with_capacity(self.width.min(64) + 1);
        let trivial = frames.is_trivial();
        let mut pegs = None;
        for number in 0..self.codes.count {
            let guess = if trivial {
                self.work.charge(codes.len())?;
                number
            } else {
                let Some(next) = frames.next(pegs) else { break };
                pegs = Some(next);
                self.work.charge(frames.len())?;
                if !frames.is_smallest(next) {
                    continue;
                }
                self.work.charge(codes.len())?;
                self.codes.number(next)
            };
            let rating = self.codes.rate(guess, codes, packed);
            if rating.answers == 1 {
                continue;
            }
            let possible = if codes.binary_search(&guess).is_ok() { 4 } else { 0 };
            let rank = Rank { answers: -(10 * rating.answers as i32 + possible), squares: rating.squares, guess };
            if rating.answers as usize == codes.len() {
                // Nothing is better, as no possible code separates them.
                return Ok(vec![rank]);
            }
            if ranked.len() < self.width || ranked.last().is_some_and(|last| rank < *last) {
                let at = ranked.partition_point(|other| *other < rank);
                ranked.insert(at, rank);
                ranked.truncate(self.width);
            }
        }
        Ok(ranked)
    }

    /// No guess for this number of codes has a smaller total: one code can be right at once, as many as there are other answers with the
    /// second guess, and so on.
    fn floor(&self, codes: usize) -> u32 {
        let (mut rest, mut most, mut depth, mut total) = (codes, 1, 1, 0);
        while rest > 0 {
            let here = rest.min(most);
            total += here * depth;
            rest -= here;
            most *= self.codes.answers() - 2;
            depth += 1;
        }
        total as u32
    }
}

/// The best guess for a single code, for two codes, and for codes that one of them separates: that one, and then the right one. No guess is
/// better, and no table needs it.
pub(super) fn obvious(
    codes: &Codes,
    set: &[u32],
    packed: &[Packed],
    work: &mut Work<'_>,
) -> Result<Option<BestGuess>, Unsolved> {
    // One answer is impossible.
    if set.len() >= codes.answers() {
        return Ok(None);
    }
    for guess in set {
        work.charge(set.len())?;
        if codes.separates(*guess, set, packed) {
            return Ok(Some(BestGuess { total: 2 * set.len() as u32 - 1, guess: *guess }));
        }
    }
    Ok(None)
}
