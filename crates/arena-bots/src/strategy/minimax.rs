//! `minimax`: alpha-beta search with iterative deepening.
//!
//! Values are from the mover's side (negamax). An earlier win is worth more, so the engine wins as soon and loses as late as possible.
//! Each depth orders the moves for the next one, and a move is available whenever the search has to stop.
//!
//! Boards with gravity whose columns fit 64 bits are searched [as bits](drops), all others [by their lines](lines).

mod drops;
mod lines;
#[cfg(test)]
mod tests;

use arena_core::rules::{Param, ParamKind};

use super::bits::BitBoard;
use super::board::{Action, SearchBoard, WIN, is_grid};
use super::playable::Playable;
use super::table::TranspositionTable;
use super::{Choice, Engine, Query, SearchDeadline, Strategy};
use drops::Drops;
use lines::Lines;

pub(super) const STRATEGY: Strategy = Strategy {
    name: "minimax",
    summary: "alpha-beta search on the open lines (connect4, mnk)",
    version: 2,
    options: &[
        Param {
            name: "depth",
            help: "depth of the search in plies; 0 for no limit but the clock",
            kind: ParamKind::Int { default: 64, min: 0, max: 1_024 },
        },
        Param {
            name: "nodes",
            help: "positions searched per move, after which a lower depth counts; 0 for no limit",
            kind: ParamKind::Int { default: 40_000, min: 0, max: 1_000_000_000_000 },
        },
    ],
    plays: is_grid,
    build_unknown: None,
    build: |variant, options, _| {
        let (depth, nodes) = (options.size("depth"), options.size("nodes") as u64);
        let nodes_max = if depth == 0 || nodes == 0 { u64::MAX } else { nodes };
        let limits = (if depth == 0 { usize::MAX } else { depth }, nodes_max);
        let table = TranspositionTable::new(nodes_max.clamp(ENTRIES_MIN, ENTRIES_MAX) as usize);
        let bits = (variant.rules.name == "connect4").then(|| BitBoard::new(variant)).flatten();
        match bits {
            Some(empty) => Box::new(Minimax { empty, table, limits }),
            None => Box::new(Minimax { empty: SearchBoard::new(variant), table, limits }),
        }
    },
};

/// Number of empty cells up to which the search is exhaustive at any depth, so that tic-tac-toe is never lost.
const ENDGAME_CELLS: usize = 10;
/// A certain win in n plies is worth this − n.
const CERTAIN: i32 = WIN;
/// Bound of evaluations; certain wins are above it.
const UNCERTAIN_MAX: i32 = CERTAIN - 10_000;
/// Number of entries of the table, by the nodes of a search.
const ENTRIES_MIN: u64 = 1 << 16;
const ENTRIES_MAX: u64 = 1 << 20;

struct Minimax<P> {
    empty: P,
    table: TranspositionTable,
    /// Depth and nodes.
    limits: (usize, u64),
}

/// The work of a search.
struct Work<'a> {
    nodes: u64,
    nodes_max: u64,
    deadline: &'a SearchDeadline,
    /// Whether the search has to stop. All values are then invalid.
    stopped: bool,
}

/// Searches of one position.
trait Search {
    type Candidate: Copy;

    /// All moves to search, the most promising first.
    fn moves(&mut self) -> Vec<Self::Candidate>;

    /// The value of a move without a search.
    fn glance(&self, candidate: Self::Candidate) -> i32;

    /// The value of a move, searched to `depth` plies including the move: exact within `alpha..beta`, otherwise a bound.
    fn value(&mut self, candidate: Self::Candidate, depth: usize, alpha: i32, beta: i32) -> i32;

    fn action(&self, candidate: Self::Candidate) -> Action;

    fn work(&self) -> &Work<'_>;
}

/// A board that can be searched.
trait Searchable: Playable {
    fn empties(&self) -> usize;

    /// A search of this position.
    fn search<'a>(&'a self, table: &'a mut TranspositionTable, work: Work<'a>) -> impl Search + 'a;

    /// A move of a search as one of the board.
    fn own(action: Action) -> Self::Action;
}

impl Searchable for SearchBoard {
    fn empties(&self) -> usize {
        self.empties()
    }

    fn search<'a>(&'a self, table: &'a mut TranspositionTable, work: Work<'a>) -> impl Search + 'a {
        Lines::new(self.clone(), table, work)
    }

    fn own(action: Action) -> Action {
        action
    }
}

impl Searchable for BitBoard {
    fn empties(&self) -> usize {
        self.empties()
    }

    fn search<'a>(&'a self, table: &'a mut TranspositionTable, work: Work<'a>) -> impl Search + 'a {
        Drops::new(self, table, work)
    }

    fn own(action: Action) -> u8 {
        action as u8
    }
}

impl<P: Searchable> Engine for Minimax<P> {
    fn choose(&mut self, query: &Query<'_>, deadline: &SearchDeadline) -> serde_json::Result<Choice> {
        let board = self.empty.after(&query.moves()?);
        let (depth_max, nodes_max) = self.limits;
        // With fixed work an answer does not depend on earlier ones.
        if depth_max < usize::MAX {
            self.table.clear();
        }
        let empties = board.empties();
        let depth_max = if empties <= ENDGAME_CELLS { empties } else { depth_max.min(empties) };
        let work = Work::new(nodes_max, deadline);
        let mut search = board.search(&mut self.table, work);
        let Some((action, value, depth)) = deepen(&mut search, depth_max) else {
            return Ok(Choice::plain(query.sample_move.clone()));
        };
        let nodes = search.work().nodes;
        let comment = match CERTAIN - value.abs() {
            plies if plies >= CERTAIN - UNCERTAIN_MAX => format!("depth {depth}, {nodes} positions"),
            plies if value > 0 => format!("wins in {}", plies / 2 + 1),
            plies => format!("loses in {}", plies / 2),
        };
        Ok(Choice { played: board.move_of(&P::own(action)), eval: Some(chances(value)), comment: Some(comment) })
    }
}

/// Converts a value to the range −1 to 1: certain results at the ends, evaluations in between.
fn chances(value: i32) -> f64 {
    if value.abs() > UNCERTAIN_MAX {
        return f64::from(value.signum());
    }
    let bent = f64::from(value) / (f64::from(value.abs()) + 300.0);
    (bent * 1_000.0).round() / 1_000.0
}

/// The best move, its value and the depth reached; `None` if no move is left.
fn deepen<S: Search>(search: &mut S, depth_max: usize) -> Option<(Action, i32, usize)> {
    let mut moves = search.moves();
    let first = *moves.first()?;
    let mut best = (search.action(first), search.glance(first), 0);
    if moves.len() == 1 && best.1 <= UNCERTAIN_MAX {
        return Some(best);
    }
    for depth in 1..=depth_max {
        let mut alpha = -CERTAIN;
        let mut found = None;
        for (index, candidate) in moves.iter().enumerate() {
            // A move that is not the first only has to show that it is no better.
            let beta = if index == 0 { CERTAIN } else { alpha + 1 };
            let mut value = search.value(*candidate, depth, alpha, beta);
            if value >= beta && beta < CERTAIN {
                value = search.value(*candidate, depth, alpha, CERTAIN);
            }
            if search.work().stopped {
                break;
            }
            if value > alpha {
                (alpha, found) = (value, Some(index));
            }
        }
        // An interrupted depth still counts: its first move is the best of the previous depth.
        if let Some(index) = found {
            best = (search.action(moves[index]), alpha, depth);
            moves[..=index].rotate_right(1);
        }
        // Where forced replies are free, a faster win than the first that is found may need more depth.
        if search.work().stopped || CERTAIN - alpha.abs() <= depth as i32 {
            break;
        }
    }
    Some(best)
}

impl<'a> Work<'a> {
    const fn new(nodes_max: u64, deadline: &'a SearchDeadline) -> Self {
        Self { nodes: 0, nodes_max, deadline, stopped: false }
    }

    /// Counts a node. Returns whether the search has to stop.
    fn step(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes.is_multiple_of(256) {
            self.stopped |= self.nodes >= self.nodes_max || self.deadline.passed();
        }
        self.stopped
    }
}

/// Converts a value for the table, where a certain result counts plies from the position instead of the root.
fn into_table(value: i32, ply: i32) -> i32 {
    if value.abs() > UNCERTAIN_MAX { value + ply * value.signum() } else { value }
}

fn from_table(value: i32, ply: i32) -> i32 {
    if value.abs() > UNCERTAIN_MAX { value - ply * value.signum() } else { value }
}
