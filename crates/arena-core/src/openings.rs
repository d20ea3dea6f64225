//! Openings: the moves from which games start. Pure functions of a variant and a seed, for any game.
//!
//! Random openings are distinct, and leave the game undecided. As long as there are others, none is lost for a side within
//! [`LOST_PLIES`] plies.
//!
//! # Examples
//!
//! ```
//! use arena_core::openings::{self, Lost};
//! use arena_core::rules::Variant;
//!
//! let variant: Variant = "connect4".parse()?;
//! let drawn = openings::suitable(&variant, 1, 10, Lost::Last)?;
//! assert_eq!((drawn.openings.len(), drawn.lost_from), (10, None));
//! assert_eq!(drawn, openings::suitable(&variant, 1, 10, Lost::Last)?, "the seed determines them");
//!
//! let book = openings::parse(&variant, "# the centre first\n[3]\n[3,3]\n")?;
//! assert_eq!(book[1].len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod book;

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::RangeInclusive;

use thiserror::Error;

use crate::rng::{Rng, derive_seed};
use crate::rules::{Move, MoveError, RulesFault, State, Variant};
pub use book::{Book, BookReader, ReadBook};

/// Maximum number of positions to enumerate and shuffle; openings of larger games are sampled.
const LISTED_MAX: usize = 5_000;
/// Consecutive samples without a new position after which the openings count as exhausted.
pub const FAILED_DRAWS_MAX: u32 = 10_000;

/// As [`FAILED_DRAWS_MAX`], where every move costs a message.
const FAILED_EXTERNAL_MAX: u32 = 200;

/// Consecutive new samples that are lost after which all are taken to be. Each costs a search.
const LOST_DRAWS_MAX: u32 = 200;

/// An opening after which a side can force a win within this number of plies is lost.
pub const LOST_PLIES: usize = 8;

/// Maximum number of extra moves of an opening where a game has too few openings of the suitable length.
const LONGER_MAX: usize = 2;

/// What becomes of lost openings: those after which a side can force a win within [`LOST_PLIES`] plies, as far as the rules
/// [know](State::winner_within).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// They are drawn like others.
    Among,
    /// They are drawn once all others have been.
    Last,
}

impl Lost {
    /// As tournaments of this [version of the schedule](crate::event::SCHEDULE_VERSION) have it.
    #[must_use]
    pub const fn in_schedule(version: u32) -> Self {
        if version < 3 { Self::Among } else { Self::Last }
    }
}

/// Openings that were drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// Their moves.
    pub openings: Vec<Vec<Move>>,
    /// Number of openings after which [lost](Lost::Last) ones follow, since there were no others.
    pub lost_from: Option<usize>,
}

/// Draws `count` openings of up to `plies` random moves. No position repeats until all have been used, and a larger
/// `count` does not change the earlier openings. Openings are shorter if no game lasts that long.
///
/// # Errors
///
/// Returns how the rules failed.
pub fn draw(variant: &Variant, plies: usize, seed: u64, count: usize, lost: Lost) -> Result<Drawn, Box<RulesFault>> {
    Draw::new(variant)?.draw(&(plies..=plies), seed, count, lost)
}

/// Draws `count` openings of the length that suits the game, like [`draw`]. Once these are used up, openings with one
/// more move follow, then with two more, but only positions in which no move ends the game. After that they repeat.
///
/// # Errors
///
/// Returns how the rules failed.
pub fn suitable(variant: &Variant, seed: u64, count: usize, lost: Lost) -> Result<Drawn, Box<RulesFault>> {
    let plies = (variant.rules.opening_plies)(&variant.params);
    // If the game is not suited to openings, do not try longer ones.
    let longest = if plies == 0 { 0 } else { plies + LONGER_MAX };
    Draw::new(variant)?.draw(&(plies..=longest), seed, count, lost)
}

fn after(start: &dyn State, moves: &[Move]) -> Result<Box<dyn State>, Box<RulesFault>> {
    let mut state = start.boxed_clone();
    for played in moves {
        state.apply(played)?;
    }
    Ok(state)
}

/// Whether every game is certainly over after `plies` moves. Returns false for games with too many positions to
/// enumerate.
///
/// # Errors
///
/// Returns how the rules failed.
pub fn none_is_undecided_after(variant: &Variant, plies: usize) -> Result<bool, Box<RulesFault>> {
    let listed = Draw::new(variant)?.list(plies)?;
    Ok(listed.is_some_and(|listed| listed.iter().all(|(moves, _)| moves.len() < plies)))
}

/// An undecided position, preceded by one way to reach it.
type Reached = (Vec<Move>, Box<dyn State>);

/// Which positions an opening may lead to.
type Suits<'a> = dyn Fn(&dyn State) -> Result<bool, Box<RulesFault>> + 'a;

/// Leaves out lost openings, or lets them pass.
struct Sieve {
    is_open: bool,
    has_left_out: Cell<bool>,
}

impl Sieve {
    /// Whether the position passes. Looking for a forced win is the slow part of drawing.
    fn passes(&self, state: &dyn State) -> bool {
        let passes = self.is_open || state.winner_within(LOST_PLIES).is_none();
        self.has_left_out.set(self.has_left_out.get() || !passes);
        passes
    }
}

/// Finds openings of a game.
struct Draw {
    start: Box<dyn State>,
    /// Whether all moves of a position may be tried. Rules outside of this process would need a message for each.
    may_try_all: bool,
}

impl Draw {
    fn new(variant: &Variant) -> Result<Self, Box<RulesFault>> {
        Ok(Self { start: variant.start(0)?, may_try_all: !variant.rules.is_external() })
    }

    /// Draws openings of these lengths, the shortest first, then again with lost ones if these come last.
    fn draw(
        &self,
        lengths: &RangeInclusive<usize>,
        seed: u64,
        count: usize,
        lost: Lost,
    ) -> Result<Drawn, Box<RulesFault>> {
        let mut rng = Rng::new(derive_seed(seed, "openings", &[]));
        let mut drawn = Drawn { openings: Vec::new(), lost_from: None };
        // The start itself is not drawn.
        let is_open = lost == Lost::Among || *lengths.end() == 0;
        let mut sieve = Sieve { is_open, has_left_out: Cell::new(false) };
        self.add(lengths, &mut rng, count, &mut drawn.openings, &sieve)?;
        if drawn.openings.len() < count && sieve.has_left_out.get() {
            drawn.lost_from = Some(drawn.openings.len());
            sieve.is_open = true;
            self.add(lengths, &mut rng, count, &mut drawn.openings, &sieve)?;
        }
        in_cycles(&mut drawn.openings, &mut rng, count);
        Ok(drawn)
    }

    /// Adds openings of these lengths that lead to new positions, up to `count` in all.
    fn add(
        &self,
        lengths: &RangeInclusive<usize>,
        rng: &mut Rng,
        count: usize,
        openings: &mut Vec<Vec<Move>>,
        sieve: &Sieve,
    ) -> Result<(), Box<RulesFault>> {
        let shortest = *lengths.start();
        for plies in lengths.clone() {
            if openings.len() == count {
                break;
            }
            let key = |moves: &Vec<Move>| Ok(after(self.start.as_ref(), moves)?.key());
            let used = openings.iter().map(key).collect::<Result<HashSet<Vec<u8>>, Box<RulesFault>>>()?;
            let suits = |state: &dyn State| {
                Ok(!used.contains(&state.key()) && (plies == shortest || !self.may_end_at_once(state)?))
            };
            let more = self.distinct(plies, rng, count - openings.len(), &suits, sieve)?;
            // If no game lasts that long, those of the shortest length are shorter still.
            openings.extend(more.into_iter().filter(|moves| plies == shortest || moves.len() == plies));
        }
        Ok(())
    }

    /// Whether some move ends the game; not checked if there are very many moves.
    fn may_end_at_once(&self, state: &dyn State) -> Result<bool, Box<RulesFault>> {
        if !self.may_try_all || state.legal_count() > LISTED_MAX as u64 {
            return Ok(false);
        }
        for played in state.legal_moves() {
            if after(state, &[played])?.outcome().is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Enumerates the undecided positions after `plies` moves, or after fewer if no game lasts that long, each with one way
    /// to reach it. Never empty; `None` if there are too many.
    fn list(&self, plies: usize) -> Result<Option<Vec<Reached>>, Box<RulesFault>> {
        if !self.may_try_all {
            return Ok(None);
        }
        let mut level = vec![(Vec::new(), self.start.boxed_clone())];
        for _ in 0..plies {
            let mut seen = HashSet::new();
            let mut next = Vec::new();
            for (moves, state) in &level {
                if state.legal_count() > LISTED_MAX as u64 {
                    return Ok(None);
                }
                for played in state.legal_moves() {
                    let mut child = state.boxed_clone();
                    child.apply(&played)?;
                    if child.outcome().is_none() && seen.insert(child.key()) {
                        let mut moves: Vec<Move> = moves.clone();
                        moves.push(played);
                        next.push((moves, child));
                    }
                }
                if next.len() > LISTED_MAX {
                    return Ok(None);
                }
            }
            if next.is_empty() {
                break;
            }
            level = next;
        }
        Ok(Some(level))
    }

    /// Returns up to `count` openings of `plies` moves that lead to different suitable positions, in random order. There
    /// may be fewer, and they are shorter if no game lasts that long.
    fn distinct(
        &self,
        plies: usize,
        rng: &mut Rng,
        count: usize,
        suits: &Suits<'_>,
        sieve: &Sieve,
    ) -> Result<Vec<Vec<Move>>, Box<RulesFault>> {
        let Some(listed) = self.list(plies)? else { return self.drawn(plies, rng, count, suits, sieve) };
        let mut suitable = Vec::new();
        for (moves, state) in listed {
            if suits(state.as_ref())? {
                suitable.push((moves, state));
            }
        }
        rng.shuffle(&mut suitable);
        let kept = suitable.into_iter().filter(|(_, state)| sieve.passes(state.as_ref()));
        Ok(kept.take(count).map(|(moves, _)| moves).collect())
    }

    fn drawn(
        &self,
        plies: usize,
        rng: &mut Rng,
        count: usize,
        suits: &Suits<'_>,
        sieve: &Sieve,
    ) -> Result<Vec<Vec<Move>>, Box<RulesFault>> {
        let failed_max = if self.may_try_all { FAILED_DRAWS_MAX } else { FAILED_EXTERNAL_MAX };
        let mut openings = Vec::new();
        let mut seen = HashSet::new();
        let (mut failed, mut lost) = (0, 0);
        let mut longest = 0;
        while openings.len() < count && failed < failed_max && lost < LOST_DRAWS_MAX {
            let (moves, state) = self.random_walk(plies, rng)?;
            longest = longest.max(moves.len());
            if moves.len() < plies || !suits(state.as_ref())? || !seen.insert(state.key()) {
                failed += 1;
            } else if sieve.passes(state.as_ref()) {
                openings.push(moves);
                (failed, lost) = (0, 0);
            } else {
                lost += 1;
            }
        }
        if openings.is_empty() && longest < plies && count > 0 {
            // Games of `plies` moves are too rare to be sampled; use the longest length that was reached.
            return self.drawn(longest, rng, count, suits, sieve);
        }
        Ok(openings)
    }

    /// Plays up to `plies` random moves that leave the game undecided. If it gets that far, the position is the one after
    /// them.
    fn random_walk(&self, plies: usize, rng: &mut Rng) -> Result<Reached, Box<RulesFault>> {
        let mut state = self.start.boxed_clone();
        let mut moves = Vec::new();
        while moves.len() < plies {
            let played = state.nth_legal(rng.below(state.legal_count()));
            state.apply(&played)?;
            if state.outcome().is_some() {
                break;
            }
            moves.push(played);
        }
        Ok((moves, state))
    }
}

/// Extends `openings` to `count` by repeating them, each time in a different order.
fn in_cycles(openings: &mut Vec<Vec<Move>>, rng: &mut Rng, count: usize) {
    let different = openings.len();
    while openings.len() < count {
        let mut cycle = openings[..different].to_vec();
        rng.shuffle(&mut cycle);
        cycle.truncate(count - openings.len());
        openings.append(&mut cycle);
    }
}

/// A list of openings that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OpeningsError {
    /// There is no opening.
    #[error("it contains no openings; write one JSON list of moves a line, such as [3,3]")]
    Empty,
    /// A line is not an opening.
    #[error("line {line}: {why}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        why: OpeningError,
    },
}

/// A line that is not an opening.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OpeningError {
    /// It is not a list of moves.
    #[error("`{line}` is not a list of moves such as [3,3]: {mistake}")]
    NotMoves {
        /// The line, escaped and cut.
        line: String,
        /// What is wrong with its JSON.
        mistake: String,
    },
    /// A move is not legal.
    #[error("move {number}: {why}")]
    Illegal {
        /// Number of the move, from 1.
        number: usize,
        /// What is wrong with it.
        why: MoveError,
    },
    /// The rules failed.
    #[error(transparent)]
    Rules(Box<RulesFault>),
    /// Nothing is left to play.
    #[error("the game is over after it ({reason}); use fewer moves")]
    GameOver {
        /// Why the game is over, in words.
        reason: String,
    },
}

/// Parses openings, one JSON list of moves per line. Skips empty lines and lines that begin with `#`.
///
/// # Errors
///
/// Returns [`OpeningsError`] for the first line that is not an opening, or if there is none.
pub fn parse(variant: &Variant, text: &str) -> Result<Vec<Vec<Move>>, OpeningsError> {
    let mut reader = BookReader::new(variant, usize::MAX);
    text.lines().try_for_each(|line| reader.add(line))?;
    Ok(reader.finish()?.openings)
}
