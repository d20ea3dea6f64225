//! Openings: seeded, distinct and undecided, for any game. Pure.

use std::collections::HashSet;

use crate::rng::{Rng, derive_seed};
use crate::rules::{Move, State, Variant, play};
use crate::text::{json_mistake, shown};

/// Up to this many positions the openings of a game are listed and shuffled; beyond, they are drawn.
const LISTED_MAX: usize = 5_000;
/// Draws without a new position after which the openings count as used up.
pub const FAILED_DRAWS_MAX: u32 = 10_000;

/// `count` openings of up to `plies` random moves: no position comes twice until all were used, and more openings
/// never change the earlier ones. Shorter openings are taken where no game lasts that long.
#[must_use]
pub fn draw(variant: &Variant, plies: usize, seed: u64, count: usize) -> Vec<Vec<Move>> {
    let start = variant.start(0);
    let mut rng = Rng::new(derive_seed(seed, "openings", &[]));
    match list(start.as_ref(), plies) {
        Some(listed) => shuffled_cycles(&listed, &mut rng, count),
        None => drawn(start.as_ref(), plies, &mut rng, count),
    }
}

/// Whether it is certain that no game is undecided after `plies` moves: all positions were looked at, which is done
/// where they are few.
#[must_use]
pub fn none_is_undecided_after(variant: &Variant, plies: usize) -> bool {
    list(variant.start(0).as_ref(), plies).is_some_and(|listed| listed.iter().all(|moves| moves.len() < plies))
}

/// Every undecided position after `plies` moves, or as many as a game can last, each with one way to reach it; `None`
/// if there are too many. Never empty.
fn list(start: &dyn State, plies: usize) -> Option<Vec<Vec<Move>>> {
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
    Some(level.into_iter().map(|(moves, _)| moves).collect())
}

fn shuffled_cycles(listed: &[Vec<Move>], rng: &mut Rng, count: usize) -> Vec<Vec<Move>> {
    let mut openings = Vec::with_capacity(count);
    while openings.len() < count {
        let mut cycle = listed.to_vec();
        rng.shuffle(&mut cycle);
        cycle.truncate(count - openings.len());
        openings.append(&mut cycle);
    }
    openings
}

fn drawn(start: &dyn State, plies: usize, rng: &mut Rng, count: usize) -> Vec<Vec<Move>> {
    let mut openings = Vec::new();
    let mut seen = HashSet::new();
    let mut failed = 0;
    let mut longest = 0;
    while openings.len() < count {
        let (moves, key) = random_walk(start, plies, rng);
        longest = longest.max(moves.len());
        if moves.len() == plies && seen.insert(key) {
            openings.push(moves);
            failed = 0;
            continue;
        }
        failed += 1;
        if failed < FAILED_DRAWS_MAX {
            continue;
        }
        if openings.is_empty() {
            // So long a game is too rare to be met by chance; the longest that was met was met at least once.
            return drawn(start, longest, rng, count);
        }
        let more = shuffled_cycles(&openings, rng, count - openings.len());
        openings.extend(more);
    }
    openings
}

/// Up to `plies` random moves that leave the game undecided, and the position they lead to.
fn random_walk(start: &dyn State, plies: usize, rng: &mut Rng) -> (Vec<Move>, Vec<u8>) {
    let mut state = start.boxed_clone();
    let mut key = state.key();
    let mut moves = Vec::new();
    while moves.len() < plies {
        let played = state.nth_legal(rng.below(state.legal_count()));
        state.apply(&played);
        if state.outcome().is_some() {
            break;
        }
        moves.push(played);
        key = state.key();
    }
    (moves, key)
}

/// Reads openings from text: one JSON list of moves a line; empty lines and lines that begin with `#` are skipped.
///
/// # Errors
///
/// Returns the number of the line (from 1) and what is wrong with it; 0 if there is no opening at all.
pub fn parse(variant: &Variant, text: &str) -> Result<Vec<Vec<Move>>, (usize, String)> {
    let mut openings = Vec::new();
    for (index, line) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let moves: Vec<Move> = serde_json::from_str(line).map_err(|error| {
            let mistake = json_mistake(&error);
            (index + 1, format!("`{}` is not a list of moves such as [3,3]: {mistake}", shown(line)))
        })?;
        let mut state = variant.start(0);
        play(state.as_mut(), &moves).map_err(|(ply, why)| (index + 1, format!("move {}: {why}", ply + 1)))?;
        if let Some(outcome) = state.outcome() {
            return Err((
                index + 1,
                format!("the game is over after it ({}); nothing is left to play", outcome.reason),
            ));
        }
        openings.push(moves);
    }
    if openings.is_empty() {
        return Err((0, "it holds no opening; write one JSON list of moves a line, such as [3,3]".to_owned()));
    }
    Ok(openings)
}
