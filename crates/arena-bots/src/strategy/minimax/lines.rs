//! Search of any board by its lines. The evaluation is the [board's](super::super::board).

use super::super::board::{Action, SearchBoard, WIDTH, WIN};
use super::super::playable::Playable;
use super::super::table::{Bound, TranspositionTable};
use super::{CERTAIN, Search, UNCERTAIN_MAX, Work, from_table, into_table};

/// What a position of a wide board counts.
const WIDE_POSITION: u64 = 3;

/// One search for a move.
pub(super) struct Lines<'a> {
    board: SearchBoard,
    table: &'a mut TranspositionTable,
    work: Work<'a>,
    /// A list of moves for each ply, reused to avoid allocations.
    lists: Vec<Vec<Candidate>>,
    actions: Vec<Action>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    action: Action,
    gain: i32,
}

impl Search for Lines<'_> {
    type Candidate = Candidate;

    fn moves(&mut self) -> Vec<Candidate> {
        let mut moves = Vec::new();
        self.order(None, &mut moves);
        moves
    }

    fn glance(&self, candidate: Candidate) -> i32 {
        self.board.score() + candidate.gain
    }

    fn value(&mut self, candidate: Candidate, depth: usize, alpha: i32, beta: i32) -> i32 {
        self.after(candidate, depth, 0, alpha, beta)
    }

    fn action(&self, candidate: Candidate) -> Action {
        candidate.action
    }

    fn work(&self) -> &Work<'_> {
        &self.work
    }
}

impl<'a> Lines<'a> {
    pub(super) fn new(board: SearchBoard, table: &'a mut TranspositionTable, mut work: Work<'a>) -> Self {
        // A position with many moves takes longer.
        if board.is_wide() {
            work.nodes_max = work.nodes_max.div_ceil(WIDE_POSITION);
        }
        Self { board, table, work, lists: Vec::new(), actions: Vec::new() }
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
        if self.work.step() {
            return 0;
        }
        if depth == 1 {
            return self.frontier(ply);
        }
        let hash = self.board.hash();
        let known = self.table.get(hash);
        if let Some(entry) = known {
            let value = from_table(entry.value, ply);
            if entry.settles(value, depth, alpha, beta, UNCERTAIN_MAX) {
                return value;
            }
        }
        if self.lists.len() <= ply as usize {
            self.lists.resize_with(ply as usize + 1, Vec::new);
        }
        let mut moves = std::mem::take(&mut self.lists[ply as usize]);
        self.order(known.map(|entry| entry.best), &mut moves);
        let (before, mut best, mut value_best) = (alpha, moves[0].action, -CERTAIN);
        for candidate in &moves {
            // A move that is not the first only has to show that it is no better.
            let narrow = if value_best == -CERTAIN { beta } else { alpha + 1 };
            let mut value = self.after(*candidate, depth, ply, alpha, narrow);
            if value >= narrow && value < beta {
                value = self.after(*candidate, depth, ply, alpha, beta);
            }
            if value > value_best {
                (value_best, best) = (value, candidate.action);
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        self.lists[ply as usize] = moves;
        if !self.work.stopped {
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
