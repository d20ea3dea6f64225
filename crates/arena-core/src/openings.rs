//! Openings: the moves from which games start. Pure functions of a variant and a seed, for any game.
//!
//! Random openings are distinct, and leave the game undecided.
//!
//! # Examples
//!
//! ```
//! use arena_core::openings;
//! use arena_core::rules::Variant;
//!
//! let variant: Variant = "connect4".parse()?;
//! let openings = openings::suitable(&variant, 1, 10);
//! assert_eq!(openings.len(), 10);
//! assert_eq!(openings, openings::suitable(&variant, 1, 10), "the seed determines them");
//!
//! let book = openings::parse(&variant, "# the centre first\n[3]\n[3,3]\n")?;
//! assert_eq!(book[1].len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::HashSet;

use thiserror::Error;

use crate::rng::{Rng, derive_seed};
use crate::rules::{Move, MoveError, State, Variant, play};
use crate::text::{json_mistake, shown};

/// Maximum number of positions to enumerate and shuffle; openings of larger games are sampled.
const LISTED_MAX: usize = 5_000;
/// Consecutive samples without a new position after which the openings count as exhausted.
pub const FAILED_DRAWS_MAX: u32 = 10_000;

/// Maximum number of extra moves of an opening where a game has too few openings of the suitable length.
const LONGER_MAX: usize = 2;

/// Draws `count` openings of up to `plies` random moves. No position repeats until all have been used, and a larger
/// `count` does not change the earlier openings. Openings are shorter if no game lasts that long.
#[must_use]
pub fn draw(variant: &Variant, plies: usize, seed: u64, count: usize) -> Vec<Vec<Move>> {
    let mut rng = stream(seed);
    let openings = distinct(variant.start(0).as_ref(), plies, &mut rng, count, &|_| true);
    in_cycles(openings, &mut rng, count)
}

/// Draws `count` openings of the length that suits the game, like [`draw`]. Once these are used up, openings with one
/// more move follow, then with two more, but only positions in which no move ends the game. After that they repeat.
#[must_use]
pub fn suitable(variant: &Variant, seed: u64, count: usize) -> Vec<Vec<Move>> {
    let plies = (variant.rules.opening_plies)(&variant.params);
    let start = variant.start(0);
    let mut rng = stream(seed);
    let mut openings = distinct(start.as_ref(), plies, &mut rng, count, &|_| true);
    // If the game is not suited to openings, do not try longer ones.
    let longest = if plies == 0 { 0 } else { plies + LONGER_MAX };
    for plies in plies + 1..=longest {
        if openings.len() == count {
            break;
        }
        let used: HashSet<Vec<u8>> = openings.iter().map(|moves| after(start.as_ref(), moves).key()).collect();
        let suits = |state: &dyn State| !used.contains(&state.key()) && !may_end_at_once(state);
        let more = distinct(start.as_ref(), plies, &mut rng, count - openings.len(), &suits);
        openings.extend(more.into_iter().filter(|moves| moves.len() == plies));
    }
    in_cycles(openings, &mut rng, count)
}

fn stream(seed: u64) -> Rng {
    Rng::new(derive_seed(seed, "openings", &[]))
}

fn after(start: &dyn State, moves: &[Move]) -> Box<dyn State> {
    let mut state = start.boxed_clone();
    for played in moves {
        state.apply(played);
    }
    state
}

/// Whether some move ends the game; not checked if there are very many moves.
fn may_end_at_once(state: &dyn State) -> bool {
    let ends = |played: &Move| after(state, std::slice::from_ref(played)).outcome().is_some();
    state.legal_count() <= LISTED_MAX as u64 && state.legal_moves().iter().any(ends)
}

/// Whether every game is certainly over after `plies` moves. Returns false for games with too many positions to
/// enumerate.
#[must_use]
pub fn none_is_undecided_after(variant: &Variant, plies: usize) -> bool {
    list(variant.start(0).as_ref(), plies).is_some_and(|listed| listed.iter().all(|(moves, _)| moves.len() < plies))
}

/// An undecided position, preceded by one way to reach it.
type Reached = (Vec<Move>, Box<dyn State>);

/// Enumerates the undecided positions after `plies` moves, or after fewer if no game lasts that long, each with one way
/// to reach it. Never empty; `None` if there are too many.
fn list(start: &dyn State, plies: usize) -> Option<Vec<Reached>> {
    let mut level = vec![(Vec::new(), start.boxed_clone())];
    for _ in 0..plies {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for (moves, state) in &level {
            if state.legal_count() > LISTED_MAX as u64 {
                return None;
            }
            for played in state.legal_moves() {
                let mut child = state.boxed_clone();
                child.apply(&played);
                if child.outcome().is_none() && seen.insert(child.key()) {
                    let mut moves: Vec<Move> = moves.clone();
                    moves.push(played);
                    next.push((moves, child));
                }
            }
            if next.len() > LISTED_MAX {
                return None;
            }
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    Some(level)
}

/// Returns up to `count` openings of `plies` moves that lead to different suitable positions, in random order. There
/// may be fewer, and they are shorter if no game lasts that long.
fn distinct(
    start: &dyn State,
    plies: usize,
    rng: &mut Rng,
    count: usize,
    suits: &dyn Fn(&dyn State) -> bool,
) -> Vec<Vec<Move>> {
    let Some(mut listed) = list(start, plies) else { return drawn(start, plies, rng, count, suits) };
    listed.retain(|(_, state)| suits(state.as_ref()));
    rng.shuffle(&mut listed);
    listed.truncate(count);
    listed.into_iter().map(|(moves, _)| moves).collect()
}

/// Extends `openings` to `count` by repeating them, each time in a different order.
fn in_cycles(mut openings: Vec<Vec<Move>>, rng: &mut Rng, count: usize) -> Vec<Vec<Move>> {
    let different = openings.len();
    while openings.len() < count {
        let mut cycle = openings[..different].to_vec();
        rng.shuffle(&mut cycle);
        cycle.truncate(count - openings.len());
        openings.append(&mut cycle);
    }
    openings
}

fn drawn(
    start: &dyn State,
    plies: usize,
    rng: &mut Rng,
    count: usize,
    suits: &dyn Fn(&dyn State) -> bool,
) -> Vec<Vec<Move>> {
    let mut openings = Vec::new();
    let mut seen = HashSet::new();
    let mut failed = 0;
    let mut longest = 0;
    while openings.len() < count && failed < FAILED_DRAWS_MAX {
        let (moves, state) = random_walk(start, plies, rng);
        longest = longest.max(moves.len());
        if moves.len() == plies && suits(state.as_ref()) && seen.insert(state.key()) {
            openings.push(moves);
            failed = 0;
        } else {
            failed += 1;
        }
    }
    if openings.is_empty() && longest < plies && count > 0 {
        // Games of `plies` moves are too rare to be sampled; use the longest length that was reached.
        return drawn(start, longest, rng, count, suits);
    }
    openings
}

/// Plays up to `plies` random moves that leave the game undecided. If it gets that far, the position is the one after
/// them.
fn random_walk(start: &dyn State, plies: usize, rng: &mut Rng) -> Reached {
    let mut state = start.boxed_clone();
    let mut moves = Vec::new();
    while moves.len() < plies {
        let played = state.nth_legal(rng.below(state.legal_count()));
        state.apply(&played);
        if state.outcome().is_some() {
            break;
        }
        moves.push(played);
    }
    (moves, state)
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
    /// Nothing is left to play.
    #[error("the game is over after it ({reason}); use fewer moves")]
    GameOver {
        /// Why the game is over.
        reason: &'static str,
    },
}

/// Parses openings, one JSON list of moves per line. Skips empty lines and lines that begin with `#`.
///
/// # Errors
///
/// Returns [`OpeningsError`] for the first line that is not an opening, or if there is none.
pub fn parse(variant: &Variant, text: &str) -> Result<Vec<Vec<Move>>, OpeningsError> {
    let mut openings = Vec::new();
    for (index, line) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let moves = parse_line(variant, line).map_err(|why| OpeningsError::Line { line: index + 1, why })?;
        openings.push(moves);
    }
    if openings.is_empty() { Err(OpeningsError::Empty) } else { Ok(openings) }
}

fn parse_line(variant: &Variant, line: &str) -> Result<Vec<Move>, OpeningError> {
    let moves: Vec<Move> = serde_json::from_str(line)
        .map_err(|error| OpeningError::NotMoves { line: shown(line), mistake: json_mistake(&error) })?;
    let mut state = variant.start(0);
    play(state.as_mut(), &moves).map_err(|(ply, why)| OpeningError::Illegal { number: ply + 1, why })?;
    match state.outcome() {
        Some(outcome) => Err(OpeningError::GameOver { reason: outcome.reason }),
        None => Ok(moves),
    }
}
