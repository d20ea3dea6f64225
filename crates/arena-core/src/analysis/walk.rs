//! Solves the positions of a game, from the last one back.
//!
//! A move leads from each position to the next. So the value of the next one is known when a position is solved, and is its
//! first bound: mostly it is the value, and one test proves it.
//!
//! The solver forgets before each position, and not only before each game. Otherwise the games solved before would decide what
//! is found within the limit, since later ones take from memory what these have found. For 1,008 games of connect four with
//! openings of 10 plies that takes 44 s of processor time instead of 36 s.

use super::best::{self, MOVES_TESTED_MAX};
use super::line::Line;
use super::memory::{Found, Memory, Question};
use super::verdict::{Verdict, verdict};
use crate::rules::{Move, State, Variant};
use crate::solver::{Answer, Known, Limits, NoSolver, Outlook, Solver, Unsolved, Value, for_variant};

/// Number of unsolved positions in a row after which the walk ends: those before them are harder still.
pub const UNSOLVED_MAX: usize = 3;

/// What an analysis asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// Results without distances.
    pub only_result: bool,
    /// Limit of nodes for the value of a position, and for the tests of its moves.
    pub nodes: u64,
}

/// The values of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameValues {
    /// What each position of the [`Line`] is worth to the side to move; `None` if it is not solved.
    pub values: Vec<Option<Known>>,
    /// For each move whether some legal move gave the result away; `None` if that is not known.
    pub could: Vec<Option<bool>>,
    /// For each move that gave the result away, one that keeps the value; `None` for all others, and if that is not known.
    pub best: Vec<Option<Move>>,
}

impl GameValues {
    /// What the move at this place is worth to its mover; `last` if it is the move that ended the game.
    #[must_use]
    pub fn after(&self, place: usize, last: Option<Known>) -> Option<Known> {
        match self.values.get(place + 1) {
            Some(next) => next.map(Known::before),
            None => last,
        }
    }

    /// Whether all is known, including a better move for each that gave the result away; `last` as for [`after`](Self::after).
    #[must_use]
    pub fn is_complete(&self, last: Option<Known>) -> bool {
        self.values.iter().all(Option::is_some)
            && self.could.iter().all(Option::is_some)
            && (0..self.could.len()).all(|place| self.best[place].is_some() || !self.gave_away(place, last))
    }

    /// Whether the move at this place is known to have given the result away; `last` as for [`after`](Self::after).
    #[must_use]
    pub fn gave_away(&self, place: usize, last: Option<Known>) -> bool {
        let around = self.values[place].zip(self.after(place, last));
        around.is_some_and(|(before, after)| matches!(verdict(before, after), Verdict::GaveAway(_)))
    }
}

/// Analyses games of one variant.
pub struct Walker<'a> {
    variant: Variant,
    solver: Box<dyn Solver>,
    /// Hash of the variant and of what is asked for, to be continued with a position.
    hasher: blake3::Hasher,
    asked: Asked,
    memory: &'a Memory,
}

impl<'a> Walker<'a> {
    /// For games of a variant.
    ///
    /// # Errors
    ///
    /// Returns [`NoSolver`] if they cannot be solved.
    pub fn new(variant: &Variant, asked: Asked, memory: &'a Memory) -> Result<Self, NoSolver> {
        let mut hasher = blake3::Hasher::new();
        let Asked { only_result, nodes } = asked;
        hasher.update(format!("{variant} {only_result} {nodes} ").as_bytes());
        Ok(Self { variant: variant.clone(), solver: for_variant(variant)?, hasher, asked, memory })
    }

    /// Positions searched so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.solver.nodes()
    }

    /// The values of a game; `None` if `stop` said to stop. They depend on the game and on what was asked, and on nothing else.
    pub fn walk(&mut self, line: &Line, stop: &dyn Fn() -> bool) -> Option<GameValues> {
        let mut values = vec![None; line.positions.len()];
        let mut could = vec![None; line.movers.len()];
        let mut best = vec![None; line.movers.len()];
        // What the move at this ply is worth to the side that makes it.
        let mut worth = line.last_worth().map(Known::Exact);
        let mut unsolved = 0;
        for ply in (0..line.positions.len()).rev() {
            let is_moved = ply < line.movers.len();
            let found = self.found(line.positions[ply].as_ref(), worth.filter(|_| is_moved), is_moved, stop)?;
            if found.answer.is_err() {
                unsolved += 1;
                if unsolved == UNSOLVED_MAX {
                    break;
                }
            } else {
                unsolved = 0;
            }
            values[ply] = found.answer.ok();
            if is_moved {
                could[ply] = found.could;
                best[ply] = found.best;
            }
            worth = values[ply].map(Known::before);
        }
        Some(GameValues { values, could, best })
    }

    /// The value of a position alone, if it is found within the limit.
    pub(super) fn value_of(&mut self, state: &dyn State) -> Option<Known> {
        self.found(state, None, false, &|| false)?.answer.ok()
    }

    /// What is known of a position, from memory or the solver.
    fn found(
        &mut self,
        state: &dyn State,
        worth: Option<Known>,
        is_moved: bool,
        stop: &dyn Fn() -> bool,
    ) -> Option<Found> {
        let floor = worth.map(|worth| least(worth, self.asked.only_result));
        let hash = self.hasher.clone().update(&state.key()).finalize();
        let hash = hash.as_bytes().first_chunk().map_or(0, |first| u128::from_le_bytes(*first));
        let question: Question = (hash, floor, is_moved);
        if let Some(found) = self.memory.get(&question) {
            return Some(found);
        }
        // What is found within the limit must not depend on the positions before.
        self.solver.forget();
        let limits = Limits { nodes: self.asked.nodes, stop };
        let answer = self.value(state, floor, &limits);
        let (could, best) = match answer {
            Err(Unsolved::Stopped) => return None,
            Ok(known) if worth.is_some_and(|worth| worth.outlook() < known.outlook()) => {
                (Some(true), best::of(&self.variant, self.solver.as_mut(), state, known, &limits).ok()?)
            }
            Ok(known) if is_moved => (self.could(state, known.outlook(), &limits).ok()?, None),
            _ => (None, None),
        };
        let found = Found { answer, could, best };
        self.memory.keep(question, found.clone());
        Some(found)
    }

    fn value(&mut self, state: &dyn State, floor: Option<Value>, limits: &Limits<'_>) -> Answer {
        if !self.asked.only_result {
            return self.solver.value(state, floor, limits);
        }
        let least = floor.map_or(Outlook::Loss, Value::outlook);
        Ok(Known::Result(if least == Outlook::Win || self.solver.reaches(state, Value::LAST_WIN, limits)? {
            Outlook::Win
        } else if least == Outlook::Draw || self.solver.reaches(state, Value::Draw, limits)? {
            Outlook::Draw
        } else {
            Outlook::Loss
        }))
    }

    /// Whether some legal move gives the result away; `None` if that is not known, and an error only if it was stopped.
    fn could(&mut self, state: &dyn State, outlook: Outlook, limits: &Limits<'_>) -> Result<Option<bool>, Unsolved> {
        if outlook == Outlook::Loss {
            return Ok(Some(false));
        }
        // The other side has at least this after a worse move.
        let least = if outlook == Outlook::Win { Value::Draw } else { Value::LAST_WIN };
        let start = self.solver.nodes();
        let count = state.legal_count();
        let mut is_known = count <= MOVES_TESTED_MAX;
        for index in 0..count.min(MOVES_TESTED_MAX) {
            let mut next = state.boxed_clone();
            if next.apply(&state.nth_legal(index)).is_err() {
                is_known = false;
                continue;
            }
            let left = limits.nodes.saturating_sub(self.solver.nodes() - start);
            let is_worse = match next.outcome() {
                Some(outcome) => Ok(Outlook::of(outcome, state.to_move()) < outlook),
                None => self.solver.reaches(next.as_ref(), least, &Limits { nodes: left, ..*limits }),
            };
            match is_worse {
                Ok(true) => return Ok(Some(true)),
                Ok(false) => {}
                Err(Unsolved::Stopped) => return Err(Unsolved::Stopped),
                Err(Unsolved::Nodes) => is_known = false,
            }
        }
        Ok(is_known.then_some(false))
    }
}

/// The least value of a move that is worth this.
fn least(worth: Known, only_result: bool) -> Value {
    let of_result = |outlook| match outlook {
        Outlook::Win => Value::LAST_WIN,
        Outlook::Draw => Value::Draw,
        Outlook::Loss => Value::Loss(0),
    };
    match worth {
        Known::Exact(value) if !only_result => value,
        known => of_result(known.outlook()),
    }
}

impl std::fmt::Debug for Walker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Walker").field("asked", &self.asked).finish_non_exhaustive()
    }
}
