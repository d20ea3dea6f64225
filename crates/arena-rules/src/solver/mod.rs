//! Perfect play: the value of positions, exactly or not at all.
//!
//! One file a game, and one entry in [`SOLVERS`]. Solvers read a position from its [picture](crate::rules::Picture), so rules do
//! not know them. Work is limited in nodes, so that answers do not depend on the machine. In `mastermind`, a race for a hidden code, there is
//! no value to know: a [`Guesser`] says how many guesses a reference strategy takes.
//!
//! # Examples
//!
//! ```
//! use arena_rules::rules::{Move, Variant, play};
//! use arena_rules::solver::{Known, Limits, Value, for_variant};
//!
//! let variant: Variant = "connect4".parse()?;
//! let mut solver = for_variant(&variant)?;
//! let mut state = variant.start(0)?;
//! play(state.as_mut(), &[3, 3, 3, 3, 3, 2, 3, 2, 2, 2, 2, 5].map(Move::Int)).map_err(|(_, error)| error)?;
//! let known = solver.value(state.as_ref(), None, &Limits::nodes(1_000_000))?;
//! // O wins with disc 38.
//! assert_eq!(known, Known::Exact(Value::Loss(26)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod connect4;
mod marbles;
mod mastermind;
mod mnk;
mod table;
#[cfg(test)]
mod testing;
mod value;
mod window;

use std::fmt;

use thiserror::Error;

use crate::rules::{Move, State, Variant};
pub use connect4::check_book::BookCheck;
pub use connect4::make_book::{BookPlan, BookTable, BookWorker, PLIES};
pub use connect4::without_book;
pub use marbles::winning_ranges;
pub use mastermind::{Expected, Guesser, TABLE_WIDTH, TABLE_WORST, make_table, seen_guesses};
pub use value::{Outlook, Value};

/// All solvers.
pub static SOLVERS: &[SolverKind] = &[connect4::KIND, mnk::KIND, marbles::KIND];

/// The solver of one game.
#[derive(Debug)]
pub struct SolverKind {
    /// Name of the game.
    pub game: &'static str,
    /// Incremented whenever it may answer differently: what it solves within the same number of nodes, for example.
    pub version: u32,
    /// Which of its variants can be solved, for messages; empty for all.
    pub reach: &'static str,
    /// Whether positions of it are published as digits of columns, from 1.
    pub digits: bool,
    /// Creates a solver for a variant of this game; `None` if it is too large.
    pub build: fn(&Variant) -> Option<Box<dyn Solver>>,
}

/// Knows the value of positions of one variant. Keeps what it has found, so that related positions are solved faster.
pub trait Solver: Send {
    /// The value of a position of an unfinished game. `floor` is a value that the side to move is known to have at least: a good one
    /// makes it faster, a wrong one the answer wrong.
    ///
    /// # Errors
    ///
    /// Returns why it is not known.
    fn value(&mut self, state: &dyn State, floor: Option<Value>, limits: &Limits<'_>) -> Answer;

    /// Whether the value is at least `least`; cheaper than the value. Solvers that do not know distances compare results.
    ///
    /// # Errors
    ///
    /// Returns why it is not known.
    fn reaches(&mut self, state: &dyn State, least: Value, limits: &Limits<'_>) -> Result<bool, Unsolved>;

    /// The result alone; cheaper than the value.
    ///
    /// # Errors
    ///
    /// Returns why it is not known.
    fn outlook(&mut self, state: &dyn State, limits: &Limits<'_>) -> Result<Outlook, Unsolved> {
        if self.reaches(state, Value::LAST_WIN, limits)? {
            return Ok(Outlook::Win);
        }
        Ok(if self.reaches(state, Value::Draw, limits)? { Outlook::Draw } else { Outlook::Loss })
    }

    /// A value that the side to move is known to have at least, found without a search; `None` if none is. It depends on the position alone.
    fn floor(&self, state: &dyn State) -> Option<Value> {
        let _ = state;
        None
    }

    /// Positions searched since the solver was created.
    fn nodes(&self) -> u64;

    /// Forgets what it has found, so that answers and work do not depend on earlier questions.
    fn forget(&mut self);
}

/// What a solver knows of a position.
pub type Answer = Result<Known, Unsolved>;

/// What is known of a position, for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Its value.
    Exact(Value),
    /// The result; distances are not known in this game, or were not asked for.
    Result(Outlook),
}

impl Known {
    /// The result.
    #[must_use]
    pub const fn outlook(self) -> Outlook {
        match self {
            Self::Exact(value) => value.outlook(),
            Self::Result(outlook) => outlook,
        }
    }

    /// The value, if it is known.
    #[must_use]
    pub const fn value(self) -> Option<Value> {
        match self {
            Self::Exact(value) => Some(value),
            Self::Result(_) => None,
        }
    }

    /// What a move that leads here has, for the side that made it.
    #[must_use]
    pub const fn before(self) -> Self {
        match self {
            Self::Exact(value) => Self::Exact(value.before()),
            Self::Result(outlook) => Self::Result(outlook.before()),
        }
    }
}

/// Why the value of a position is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum Unsolved {
    /// The limit of nodes was reached.
    #[error("the limit of positions was reached")]
    Nodes,
    /// The caller stopped it.
    #[error("it was stopped")]
    Stopped,
}

impl Unsolved {
    /// As an identifier in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Stopped => "stopped",
        }
    }
}

/// How often a search asks whether to stop, in nodes.
const ASK_EVERY: u64 = 4_096;

/// How much work an answer may take.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Positions that may be searched.
    pub nodes: u64,
    /// Asked every few thousand positions whether to stop.
    pub stop: &'a dyn Fn() -> bool,
}

impl Limits<'_> {
    /// No limits.
    pub const NONE: Self = Self::nodes(u64::MAX);

    /// Why a search has to stop at this number of nodes, if it has to.
    #[inline]
    fn reached(&self, nodes: u64) -> Option<Unsolved> {
        if nodes.is_multiple_of(ASK_EVERY) && (self.stop)() {
            Some(Unsolved::Stopped)
        } else {
            (nodes > self.nodes).then_some(Unsolved::Nodes)
        }
    }

    /// At most `nodes` positions.
    #[must_use]
    pub const fn nodes(nodes: u64) -> Self {
        Self { nodes, stop: &|| false }
    }
}

impl fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

/// A variant that no solver can solve.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no solver for {variant}; there are some for {}", known())]
pub struct NoSolver {
    /// The variant.
    pub variant: String,
}

fn known() -> String {
    let known = SOLVERS.iter().map(|kind| match kind.reach {
        "" => kind.game.to_owned(),
        reach => format!("{} ({reach})", kind.game),
    });
    known.collect::<Vec<String>>().join(", ")
}

/// The solver for a variant, and its kind.
///
/// # Errors
///
/// Returns [`NoSolver`] if there is none, or if the variant is too large for it.
pub fn for_variant(variant: &Variant) -> Result<Box<dyn Solver>, NoSolver> {
    kind_of(variant).and_then(|kind| (kind.build)(variant)).ok_or_else(|| NoSolver { variant: variant.to_string() })
}

/// The kind of solver for the game of a variant.
#[must_use]
pub fn kind_of(variant: &Variant) -> Option<&'static SolverKind> {
    SOLVERS.iter().find(|kind| kind.game == variant.rules.name)
}

/// A position with all its moves.
#[derive(Debug, Clone)]
pub struct Solved {
    /// What the position is worth to the side to move.
    pub answer: Answer,
    /// What each legal move is worth to it, in the order of the legal moves.
    pub moves: Vec<(Move, Answer)>,
    /// Positions searched.
    pub nodes: u64,
}

impl Solved {
    /// The moves that are as good as the position: all of them are known, and no others are best.
    #[must_use]
    pub fn best(&self) -> Vec<Move> {
        let Ok(best) = self.answer else { return Vec::new() };
        let is_best = |known: &Known| match (known.value(), best.value()) {
            (Some(value), Some(best)) => value == best,
            _ => known.outlook() == best.outlook(),
        };
        let best = self.moves.iter().filter(|(_, answer)| answer.as_ref().is_ok_and(is_best));
        best.map(|(played, _)| played.clone()).collect()
    }
}

/// Solves a position of an unfinished game and each of its moves, which share the limits. With `only_result`, distances are not
/// looked for.
pub fn solve(solver: &mut dyn Solver, state: &dyn State, only_result: bool, limits: &Limits<'_>) -> Solved {
    let start = solver.nodes();
    let left = |solver: &dyn Solver| Limits { nodes: limits.nodes.saturating_sub(solver.nodes() - start), ..*limits };
    let ask = |solver: &mut dyn Solver, state: &dyn State, floor| {
        let limits = left(solver);
        if only_result {
            solver.outlook(state, &limits).map(Known::Result)
        } else {
            solver.value(state, floor, &limits)
        }
    };
    let answer = ask(solver, state, None);
    // No move is better than the best, so the other side has at least this after each.
    let floor = answer.ok().and_then(Known::value).map(Value::after);
    let moves = state.legal_moves().into_iter().map(|played| {
        let mut next = state.boxed_clone();
        if next.apply(&played).is_err() {
            // Only rules outside of this process refuse, and these have no solvers.
            return (played, Err(Unsolved::Stopped));
        }
        let answer = match next.outcome() {
            Some(outcome) => {
                let value = Value::ended(outcome, state.to_move());
                Ok(if only_result { Known::Result(value.outlook()) } else { Known::Exact(value) })
            }
            None => ask(solver, next.as_ref(), floor).map(Known::before),
        };
        (played, answer)
    });
    let moves = moves.collect();
    Solved { answer, moves, nodes: solver.nodes() - start }
}

/// The numbers below `count`, those nearest to the middle first: an order in which to try moves of which nothing is known.
#[must_use]
pub fn from_the_middle(count: u64) -> Vec<u64> {
    let middle = count.saturating_sub(1) / 2;
    let mut order: Vec<u64> = (0..count).collect();
    order.sort_by_key(|index| index.abs_diff(middle));
    order
}
