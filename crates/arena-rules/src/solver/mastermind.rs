//! `mastermind`: a reference strategy, which breaks the code in few guesses on average.
//!
//! The game is a race of two seats for one code, and its value is not known. The strategy is against the code alone: it takes as few
//! guesses on average as it finds, whatever the other seat does. For four pegs and six colours it is in the program, from a wide
//! search: it takes at most 5 guesses, and 5,626 for all 1,296 codes, 4.341 on average. No strategy with at most 5 takes fewer; with
//! at most 6, one fewer (Koyama and Lai, An optimal Mastermind strategy, 1993). Where a bot has guessed otherwise, and for other codes,
//! a narrow search goes on within the limits. So a bot may do better there. The number of guesses that the game allows is not looked at.
//!
//! What a seat knows is a set of codes: those that agree with all answers that it has seen. Guesses are renamed first, so that
//! renaming all pegs or all colours changes nothing.
//!
//! A guess of a bot costs what is expected after it, and 1, less what was expected before it.

mod codes;
mod frames;
mod search;
mod table;
#[cfg(test)]
mod tests;

use self::codes::Codes;
use self::frames::{Frames, Pegs};
use self::search::{ANY, BestGuess, BestGuesses, Memo, Search, Work};
pub use self::table::{TABLE_WIDTH, TABLE_WORST, make_table};
use super::{Limits, Unsolved};
use crate::rules::{AnsweredGuess, Guess, Picture, State, Variant, Viewer};

/// Larger sets of codes are never searched.
const SET_MAX: usize = 1 << 16;
/// Guesses tried for each set of codes that have a table, where it does not say one. A wider search gains little: after random
/// first guesses it takes 3.376 more, with twice the width 3.373, and a width of 1 3.383.
const WIDTH_BESIDE_TABLE: usize = 4;
/// Guesses tried for each set of other codes, which may be many.
const WIDTH: usize = 1;

/// The reference strategy for one variant of `mastermind`. Keeps what it has found, so that related questions are answered faster.
#[derive(Debug)]
pub struct Guesser {
    codes: Codes,
    /// The shipped strategy.
    known: BestGuesses,
    memo: Memo,
    nodes: u64,
    width: usize,
}

/// How many guesses a strategy takes on average.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    /// Number of codes that agree with all answers; all are equally likely.
    pub codes: u32,
    /// Sum of the guesses over these codes.
    pub total: u32,
}

impl Expected {
    /// The mean; 0 if no code agrees.
    #[must_use]
    pub fn mean(self) -> f64 {
        f64::from(self.total) / f64::from(self.codes.max(1))
    }
}

/// The guesses with the answers that the side to move has seen; `None` in other games.
#[must_use]
pub fn seen_guesses(state: &dyn State) -> Option<Vec<AnsweredGuess>> {
    let Picture::Guesses(guesses) = state.picture(Viewer::Seat(state.to_move())) else { return None };
    let shown = guesses.rows.into_iter().filter_map(|Guess { shown, .. }| shown);
    Some(shown.map(|row| AnsweredGuess { guess: row.pegs, exact: row.exact, color: row.color }).collect())
}

/// What a seat knows, with renamed pegs and colours.
struct Knowledge {
    /// The renamings from the guesses as they were made.
    renamings: Frames,
    /// The symmetries of the renamed guesses.
    symmetries: Frames,
    /// The codes that agree, ascending.
    codes: Vec<u32>,
    /// Whether a guess was right.
    is_broken: bool,
}

impl Guesser {
    /// Name of the game.
    pub const GAME: &str = "mastermind";
    /// Incremented whenever it may answer differently.
    pub const VERSION: u32 = 1;

    /// The strategy for a variant; `None` in other games.
    #[must_use]
    pub fn for_variant(variant: &Variant) -> Option<Self> {
        let size = |name| variant.params.size(name);
        (variant.rules.name == Self::GAME).then(|| Self::new(size("pegs"), size("colors")))
    }

    fn new(pegs: usize, colors: usize) -> Self {
        let codes = Codes::new(pegs, colors);
        let known = table::shipped(&codes);
        let width = if known.is_empty() { WIDTH } else { WIDTH_BESIDE_TABLE };
        Self { codes, known, memo: Memo::default(), nodes: 0, width }
    }

    /// The expected number of further guesses after these, which are 0 once one of them was right.
    ///
    /// # Errors
    ///
    /// Returns why it is not known.
    pub fn expected(&mut self, guesses: &[AnsweredGuess], limits: &Limits<'_>) -> Result<Expected, Unsolved> {
        let (knowledge, best) = self.best_guess(guesses, limits)?;
        Ok(Expected { codes: knowledge.codes.len() as u32, total: best.map_or(0, |best| best.total) })
    }

    /// The next guess of the strategy; `None` if one was right, or no code agrees.
    ///
    /// # Errors
    ///
    /// Returns why it is not known.
    pub fn best(&mut self, guesses: &[AnsweredGuess], limits: &Limits<'_>) -> Result<Option<Vec<u8>>, Unsolved> {
        let (knowledge, best) = self.best_guess(guesses, limits)?;
        let back = |best: BestGuess| knowledge.renamings.back(self.codes.pegs(best.guess))[..self.codes.pegs].to_vec();
        Ok(best.map(back))
    }

    /// The expected number of guesses of the strategy after these and one more, `guess`, whose answer is not known yet. With that one,
    /// it is what [`expected`](Self::expected) says, if the guess is [the best](Self::best). A guess that is none of this variant leaves
    /// no codes.
    ///
    /// # Errors
    ///
    /// Returns why it is not known.
    pub fn expected_after(
        &mut self,
        guesses: &[AnsweredGuess],
        guess: &[u8],
        limits: &Limits<'_>,
    ) -> Result<Expected, Unsolved> {
        let Some(guess) = self.codes.read(guess) else { return Ok(Expected { codes: 0, total: 0 }) };
        self.run(guesses, Some(guess), limits, |search, knowledge, guess| {
            let codes = knowledge.codes.len();
            let mut total = 0;
            if let Some(guess) = guess.filter(|_| !knowledge.is_broken) {
                search.work.charge(codes)?;
                for part in search.codes.split(guess, &knowledge.codes) {
                    total += search.best_guess(&part, ANY, &knowledge.symmetries)?.map_or(0, |best| best.total);
                }
            }
            Ok(Expected { codes: codes as u32, total })
        })
    }

    /// Guesses compared with codes since it was created.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Forgets what it has found, so that answers and work do not depend on earlier questions.
    pub fn forget(&mut self) {
        self.memo.clear();
    }

    fn best_guess(
        &mut self,
        guesses: &[AnsweredGuess],
        limits: &Limits<'_>,
    ) -> Result<(Knowledge, Option<BestGuess>), Unsolved> {
        self.run(guesses, None, limits, |search, knowledge, _| {
            let is_open = !knowledge.is_broken && !knowledge.codes.is_empty();
            let best = if is_open { search.best_guess(&knowledge.codes, ANY, &knowledge.symmetries)? } else { None };
            Ok((knowledge, best))
        })
    }

    /// Searches with what the guesses tell. `next` is renamed with them.
    fn run<T>(
        &mut self,
        guesses: &[AnsweredGuess],
        next: Option<Pegs>,
        limits: &Limits<'_>,
        search: impl FnOnce(&mut Search<'_, '_>, Knowledge, Option<u32>) -> Result<T, Unsolved>,
    ) -> Result<T, Unsolved> {
        self.codes.prepare();
        let Self { codes, known, memo, width, .. } = self;
        let mut run = Search { codes, known, memo, width: *width, work: Work::new(limits) };
        let found = knowledge(&mut run, guesses, next).and_then(|(knowledge, next)| search(&mut run, knowledge, next));
        self.nodes += run.work.nodes;
        found
    }
}

/// What the guesses tell, and the renamed `next`. Unreadable guesses and impossible answers agree with no code.
fn knowledge(
    search: &mut Search<'_, '_>,
    guesses: &[AnsweredGuess],
    next: Option<Pegs>,
) -> Result<(Knowledge, Option<u32>), Unsolved> {
    let codes = search.codes;
    let mut renamings = Frames::new(codes.pegs, codes.colors);
    let mut symmetries = renamings.clone();
    let mut rename = |guess: Pegs| {
        let renamed = renamings.add(guess);
        symmetries.add(renamed)
    };
    let mut renamed: Vec<AnsweredGuess> = Vec::new();
    let mut is_possible = true;
    for AnsweredGuess { guess, exact, color } in guesses {
        match codes.read(guess) {
            Some(guess) if exact.checked_add(*color).is_some_and(|common| common <= codes.pegs) => {
                let guess = rename(guess)[..codes.pegs].to_vec();
                renamed.push(AnsweredGuess { guess, exact: *exact, color: *color });
            }
            _ => is_possible = false,
        }
    }
    let next = next.map(|guess| codes.number(rename(guess)));
    let step = |found| if found > SET_MAX { Err(Unsolved::Nodes) } else { search.work.charge(1) };
    let agreeing = if is_possible { codes.agreeing(&renamed, step)? } else { Vec::new() };
    let is_broken = renamed.iter().any(|answer| answer.exact == codes.pegs);
    Ok((Knowledge { renamings, symmetries, codes: agreeing, is_broken }, next))
}
