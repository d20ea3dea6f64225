//! Openings: seeded, distinct and undecided, for any game. Pure.

use std::collections::HashSet;

use crate::rng::{Rng, derive_seed};
use crate::rules::{Move, State, Variant, play};

/// Up to this many positions the openings of a game are listed and shuffled; beyond, they are drawn.
const LISTED_MAX: usize = 5_000;
/// Draws without a new position after which the openings count as used up.
const FAILED_DRAWS_MAX: u32 = 10_000;

/// `count` openings of up to `plies` random moves: no position comes twice until all were used, and more openings
/// never change the earlier ones. Shorter openings are taken where no game lasts that long.
#[must_use]
pub fn draw(variant: &Variant, plies: usize, seed: u64, count: usize) -> Vec<Vec<Move>> {
    let start = variant.start(0);
    if start.legal_count() == 0 {
        return vec![Vec::new(); count];
    }
    let mut rng = Rng::new(derive_seed(seed, "openings", &[]));
    for plies in (1..=plies).rev() {
        match list(start.as_ref(), plies) {
            Some(listed) if listed.is_empty() => {}
            Some(listed) => return shuffled_cycles(&listed, &mut rng, count),
            None => return drawn(start.as_ref(), plies, &mut rng, count),
        }
    }
    vec![Vec::new(); count]
}

/// Every undecided position after `plies` moves, each with one way to reach it; `None` if there are too many.
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
    let mut openings = Vec::with_capacity(count);
    let mut seen = HashSet::new();
    let mut failed = 0;
    while openings.len() < count {
        let mut state = start.boxed_clone();
        let mut moves = Vec::with_capacity(plies);
        while moves.len() < plies && state.outcome().is_none() {
            let played = state.nth_legal(rng.below(state.legal_count()));
            state.apply(&played);
            moves.push(played);
        }
        if state.outcome().is_none() && (failed >= FAILED_DRAWS_MAX || seen.insert(state.key())) {
            openings.push(moves);
            failed = 0;
        } else if failed < FAILED_DRAWS_MAX {
            failed += 1;
        } else {
            // Undecided positions are too rare to be found by chance.
            openings.push(Vec::new());
        }
    }
    openings
}

/// Reads openings from text: one JSON list of moves a line; empty lines and lines that begin with `#` are skipped.
///
/// # Errors
///
/// Returns the number of the line (from 1) and what is wrong with it; 0 if there is no opening at all.
pub fn parse(variant: &Variant, text: &str) -> Result<Vec<Vec<Move>>, (usize, String)> {
    let mut openings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let moves: Vec<Move> = serde_json::from_str(line).map_err(|error| {
            (index + 1, format!("{} is not a JSON list of moves: {error}", crate::text::shown(line)))
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
