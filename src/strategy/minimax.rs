//! `minimax`: alpha-beta search with iterative deepening.
//!
//! The evaluation is the [board's](super::board). Values are from the mover's side (negamax). An earlier win is worth
//! more, so the engine wins as soon and loses as late as possible. Each depth orders the moves for the next one, and a
//! move is available whenever the search has to stop.

use super::board::{Action, SearchBoard, WIDTH, WIN, is_grid};
use super::playable::Playable;
use super::table::{Bound, TranspositionTable};
use super::{Choice, Engine, Query, SearchDeadline, Strategy};
use crate::rules::{Param, ParamKind};

pub(super) const STRATEGY: Strategy = Strategy {
    name: "minimax",
    summary: "alpha-beta search on the open lines (connect4, mnk)",
    version: 1,
    options: &[
        Param {
            name: "depth",
            help: "depth of the search in plies; 0 for no limit but the clock",
            kind: ParamKind::Int { default: 8, min: 0, max: 1_024 },
        },
        Param {
            name: "nodes",
            help: "positions searched per move, after which a lower depth counts; 0 for no limit",
            kind: ParamKind::Int { default: 30_000, min: 0, max: 1_000_000_000_000 },
        },
    ],
    plays: is_grid,
    build_unknown: None,
    build: |variant, options, _| {
        let (depth, nodes) = (options.size("depth"), options.size("nodes") as u64);
        Box::new(Minimax {
            empty: SearchBoard::new(variant),
            table: TranspositionTable::new(),
            depth: if depth == 0 { usize::MAX } else { depth },
            nodes_max: if depth == 0 || nodes == 0 { u64::MAX } else { nodes },
        })
    },
};

/// Number of empty cells up to which the search is exhaustive at any depth, so that tic-tac-toe is never lost.
const ENDGAME_CELLS: usize = 10;
/// A certain win in n plies is worth this − n.
const CERTAIN: i32 = WIN;
/// Bound of evaluations; certain wins are above it.
const UNCERTAIN_MAX: i32 = CERTAIN - 10_000;

struct Minimax {
    empty: SearchBoard,
    table: TranspositionTable,
    depth: usize,
    nodes_max: u64,
}

/// One search for a move.
struct MinimaxSearch<'a> {
    board: SearchBoard,
    table: &'a mut TranspositionTable,
    deadline: &'a SearchDeadline,
    nodes: u64,
    nodes_max: u64,
    /// Whether the search has to stop. All values are then invalid.
    stopped: bool,
    /// A list of moves for each ply, reused to avoid allocations.
    lists: Vec<Vec<Candidate>>,
    actions: Vec<Action>,
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    action: Action,
    gain: i32,
}

impl Engine for Minimax {
    fn choose(&mut self, query: &Query<'_>, deadline: &SearchDeadline) -> serde_json::Result<Choice> {
        let board = self.empty.after(&query.moves()?);
        self.table.clear();
        let depth = if board.empties() <= ENDGAME_CELLS { board.empties() } else { self.depth.min(board.empties()) };
        let mut search = MinimaxSearch::new(board, &mut self.table, deadline, self.nodes_max);
        let Some((action, value, reached)) = search.deepen(depth) else {
            return Ok(Choice::plain(query.sample_move.clone()));
        };
        let comment = match CERTAIN - value.abs() {
            plies if plies >= CERTAIN - UNCERTAIN_MAX => format!("depth {reached}, {} positions", search.nodes),
            plies if value > 0 => format!("wins in {}", plies / 2 + 1),
            plies => format!("loses in {}", plies / 2),
        };
        Ok(Choice { played: search.board.move_of(&action), eval: Some(chances(value)), comment: Some(comment) })
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

impl<'a> MinimaxSearch<'a> {
    fn new(
        board: SearchBoard,
        table: &'a mut TranspositionTable,
        deadline: &'a SearchDeadline,
        nodes_max: u64,
    ) -> Self {
        Self { board, table, deadline, nodes: 0, nodes_max, stopped: false, lists: Vec::new(), actions: Vec::new() }
    }

    /// The best move, its value and the depth reached; `None` if no move is left.
    fn deepen(&mut self, depth_max: usize) -> Option<(Action, i32, usize)> {
        let mut moves = Vec::new();
        self.order(None, &mut moves);
        let first = *moves.first()?;
        let mut best = (first.action, self.board.score() + first.gain, 0);
        if moves.len() == 1 && first.gain < WIN / 2 {
            return Some(best);
        }
        for depth in 1..=depth_max {
            let mut alpha = -CERTAIN;
            let mut found = None;
            for (index, candidate) in moves.iter().enumerate() {
                let value = self.after(*candidate, depth, 0, alpha, CERTAIN);
                if self.stopped {
                    break;
                }
                if value > alpha {
                    (alpha, found) = (value, Some(index));
                }
            }
            // An interrupted depth still counts: its first move is the best of the previous depth.
            if let Some(index) = found {
                best = (moves[index].action, alpha, depth);
                moves[..=index].rotate_right(1);
            }
            if self.stopped || alpha.abs() > UNCERTAIN_MAX {
                break;
            }
        }
        Some(best)
    }

    /// The value of a move for its mover, searched to `depth` plies including the move.
    fn after(&mut self, candidate: Candidate, depth: usize, ply: i32, alpha: i32, beta: i32) -> i32 {
        if candidate.gain >= WIN / 2 {
            return CERTAIN - ply - 1;
        }
        if self.board.empties() == 1 {
            return 0;
        }
        if depth == 1 {
            return (self.board.score() + candidate.gain).clamp(-UNCERTAIN_MAX, UNCERTAIN_MAX);
        }
        self.board.play(&candidate.action);
        let value = -self.search(depth - 1, ply + 1, -beta, -alpha);
        self.board.undo();
        value
    }

    /// The value of an undecided position for the mover: exact within `alpha..beta`, otherwise a bound.
    fn search(&mut self, depth: usize, ply: i32, mut alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        if self.nodes.is_multiple_of(256) {
            self.stopped |= self.nodes >= self.nodes_max || self.deadline.passed();
        }
        if self.stopped {
            return 0;
        }
        if depth == 1 {
            return self.frontier(ply);
        }
        let hash = self.board.hash();
        let known = self.table.get(hash);
        // Use only entries of the same depth: the value of a position must not depend on the rest of the search.
        if let Some(entry) = known.filter(|entry| usize::from(entry.depth) == depth) {
            let value = from_table(entry.value, ply);
            match entry.bound {
                Bound::Exact => return value,
                Bound::AtLeast if value >= beta => return value,
                Bound::AtMost if value <= alpha => return value,
                Bound::AtLeast | Bound::AtMost => {}
            }
        }
        if self.lists.len() <= ply as usize {
            self.lists.resize_with(ply as usize + 1, Vec::new);
        }
        let mut moves = std::mem::take(&mut self.lists[ply as usize]);
        self.order(known.map(|entry| entry.best), &mut moves);
        let (before, mut best, mut value_best) = (alpha, moves[0].action, -CERTAIN);
        for candidate in &moves {
            let value = self.after(*candidate, depth, ply, alpha, beta);
            if value > value_best {
                (value_best, best) = (value, candidate.action);
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        self.lists[ply as usize] = moves;
        if !self.stopped {
            let bound = match value_best {
                value if value >= beta => Bound::AtLeast,
                value if value <= before => Bound::AtMost,
                _ => Bound::Exact,
            };
            self.table.put(hash, depth as u16, into_table(value_best, ply), bound, best);
        }
        value_best
    }

    /// The value at depth 1, without playing the moves.
    fn frontier(&mut self, ply: i32) -> i32 {
        self.board.candidates(&mut self.actions);
        let gain = self.actions.iter().map(|action| self.board.gain(*action)).max().unwrap_or(0);
        self.after(Candidate { action: 0, gain }, 1, ply, -CERTAIN, CERTAIN)
    }

    /// Collects the moves to search in `out`: first the best known one, then by gain, then from the centre.
    fn order(&mut self, known: Option<Action>, out: &mut Vec<Candidate>) {
        self.board.candidates(&mut self.actions);
        out.clear();
        out.extend(self.actions.iter().map(|action| Candidate { action: *action, gain: self.board.gain(*action) }));
        // The sort is stable and keeps the order from the centre.
        out.sort_by_key(|candidate| std::cmp::Reverse(candidate.gain));
        if self.board.is_wide() {
            out.truncate(WIDTH);
        }
        if let Some(index) = out.iter().position(|candidate| Some(candidate.action) == known) {
            out[..=index].rotate_right(1);
        }
    }
}

/// Converts a value for the table, where a certain result counts plies from the position instead of the root.
fn into_table(value: i32, ply: i32) -> i32 {
    if value.abs() > UNCERTAIN_MAX { value + ply * value.signum() } else { value }
}

fn from_table(value: i32, ply: i32) -> i32 {
    if value.abs() > UNCERTAIN_MAX { value - ply * value.signum() } else { value }
}

#[cfg(test)]
#[path = "minimax_tests.rs"]
mod tests;
