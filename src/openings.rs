//! Openings: seeded, distinct and undecided, for any game. Pure.

use std::collections::HashSet;

use crate::rng::{Rng, derive_seed};
use crate::rules::{Move, State, Variant, play};
use crate::text::{json_mistake, shown};

/// Up to this many positions the openings of a game are listed and shuffled; beyond, they are drawn.
const LISTED_MAX: usize = 5_000;
/// Draws without a new position after which the openings count as used up.
pub const FAILED_DRAWS_MAX: u32 = 10_000;

/// How many moves longer the openings of a game may be than suits it, where it has too few of those.
const LONGER_MAX: usize = 2;

/// `count` openings of up to `plies` random moves: no position comes twice until all were used, and more openings
/// never change the earlier ones. Shorter openings are taken where no game lasts that long.
#[must_use]
pub fn draw(variant: &Variant, plies: usize, seed: u64, count: usize) -> Vec<Vec<Move>> {
    let mut rng = stream(seed);
    let openings = distinct(variant.start(0).as_ref(), plies, &mut rng, count, &|_| true);
    in_cycles(openings, &mut rng, count)
}

/// `count` openings of as many moves as suit the game, as [`draw`] gives them. When all of these were used, and before
/// any comes again, there follow some with a move more, then with two more, but only where no move ends the game at once.
#[must_use]
pub fn suitable(variant: &Variant, seed: u64, count: usize) -> Vec<Vec<Move>> {
    let plies = variant.rules.opening_plies(&variant.params);
    let start = variant.start(0);
    let mut rng = stream(seed);
    let mut openings = distinct(start.as_ref(), plies, &mut rng, count, &|_| true);
    // Where none suit, longer ones do not.
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

/// Whether some move ends the game; not looked for among very many.
fn may_end_at_once(state: &dyn State) -> bool {
    let ends = |played: &Move| after(state, std::slice::from_ref(played)).outcome().is_some();
    state.legal_count() <= LISTED_MAX as u64 && state.legal_moves().iter().any(ends)
}

/// Whether it is certain that no game is undecided after `plies` moves: all positions were looked at, which is done
/// where they are few.
#[must_use]
pub fn none_is_undecided_after(variant: &Variant, plies: usize) -> bool {
    list(variant.start(0).as_ref(), plies).is_some_and(|listed| listed.iter().all(|(moves, _)| moves.len() < plies))
}

/// An undecided position, after one way to reach it.
type Reached = (Vec<Move>, Box<dyn State>);

/// Every undecided position after `plies` moves, or as many as a game can last, each with one way to reach it; `None`
/// if there are too many. Never empty.
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

/// Up to `count` openings of `plies` moves to different positions that suit, in random order: fewer if there are no
/// more. Shorter ones where no game lasts that long.
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

/// Makes `count` openings of these by using them again, in another order each time.
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
        // So long a game is too rare to be met by chance; the longest that was met was met at least once.
        return drawn(start, longest, rng, count, suits);
    }
    openings
}

/// Up to `plies` random moves that leave the game undecided; if there are so many, with the position they lead to.
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
