//! A board for searching connect4 and mnk, with all winning segments precomputed.
//!
//! The rules judge a game from its last move. A search needs the result millions of times, and an evaluation as well.
//! So [`Shape`] lists the segments through each cell once, and a [`Board`] counts the stones of both sides in each
//! segment. A move only changes the counts of its own segments. A segment full of one side's stones is a win, and the
//! evaluation is a sum over segments that is updated incrementally.
//!
//! The evaluation is the usual textbook one for four in a row, for any length of line. A segment with stones of both
//! sides is worth 0, a full one [`WIN`], one stone short 100, two short 1, and fewer stones 0; the opponent's segments
//! count negative.

use std::sync::Arc;

use arena_core::rng::Rng;
use arena_core::rules::{Move, Params, Seat, Variant};
use arena_core::solver::Value;

use super::playable::{POINTS, Playable};
use super::shape::Shape;
pub(super) use super::shape::{Action, WIN};

/// A position on the board.
#[derive(Debug, Clone)]
pub(super) struct SearchBoard {
    shape: Arc<Shape>,
    cells: Vec<Option<Seat>>,
    /// Number of discs in each column, if the variant has gravity.
    heights: Vec<u8>,
    /// Number of stones of each side in each segment.
    counts: Vec<[u8; 2]>,
    /// Number of stones near each cell, on wide boards.
    stones_near: Vec<u8>,
    /// Cells in the order they were played.
    played: Vec<u16>,
    /// The evaluation, from the first seat's side.
    score: i32,
    hash: u64,
    pub(super) winner: Option<Seat>,
    /// A list of moves, reused to avoid allocations.
    scratch: Vec<Action>,
}

/// Maximum number of moves per position that are searched on wide boards: those with the largest gain.
pub(super) const WIDTH: usize = 16;

/// An evaluation between the results of certain losses and wins.
fn chances(score: i32) -> i32 {
    POINTS * score / (score.abs() + 300)
}

/// Whether a variant is played on such a board.
pub(super) fn is_grid(variant: &Variant) -> bool {
    matches!(variant.rules.name, "connect4" | "mnk")
}

impl SearchBoard {
    /// Creates the empty board of a variant for which [`is_grid`] holds.
    pub(super) fn new(variant: &Variant) -> Self {
        let gravity = variant.rules.name == "connect4";
        let size = |name| Params::size(&variant.params, name);
        let shape = Shape::new(size("rows"), size("cols"), size(if gravity { "connect" } else { "k" }), gravity);
        Self {
            cells: vec![None; shape.rows * shape.cols],
            heights: vec![0; if gravity { shape.cols } else { 0 }],
            counts: vec![[0; 2]; shape.segment_count],
            stones_near: vec![0; shape.around.len()],
            played: Vec::new(),
            score: 0,
            hash: 0,
            winner: None,
            scratch: Vec::new(),
            shape: Arc::new(shape),
        }
    }

    /// Number of empty cells.
    pub(super) fn empties(&self) -> usize {
        self.cells.len() - self.played.len()
    }

    /// The evaluation from the side of the player to move.
    pub(super) fn score(&self) -> i32 {
        match self.mover() {
            Seat::First => self.score,
            Seat::Second => -self.score,
        }
    }

    /// Hash of the position for tables; equal positions have equal hashes.
    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    /// Whether only some of the legal moves are [candidates](Self::candidates).
    pub(super) fn is_wide(&self) -> bool {
        !self.shape.around.is_empty()
    }

    pub(super) fn is_legal(&self, action: Action) -> bool {
        if self.shape.gravity {
            self.heights.get(usize::from(action)).is_some_and(|height| usize::from(*height) < self.shape.rows)
        } else {
            self.cells.get(usize::from(action)).is_some_and(Option::is_none)
        }
    }

    /// Collects the legal moves in `out`, from the centre outwards. Does not check whether the game is over.
    pub(super) fn legal(&self, out: &mut Vec<Action>) {
        out.clear();
        out.extend(self.shape.order.iter().filter(|action| self.is_legal(**action)));
    }

    /// Collects the moves to consider in `out`: all legal moves, but on wide boards only those near a stone.
    pub(super) fn candidates(&self, out: &mut Vec<Action>) {
        if !self.is_wide() {
            self.legal(out);
            return;
        }
        out.clear();
        let near = |action: &&Action| self.is_legal(**action) && self.stones_near[usize::from(**action)] > 0;
        out.extend(self.shape.order.iter().filter(near));
        if out.is_empty() {
            out.extend(self.shape.order.iter().find(|action| self.is_legal(**action)));
        }
    }

    /// Collects in `out` a winning move; without one, the moves that prevent the opponent from winning next; without
    /// those, all candidates. Returns whether there is such a win or threat.
    pub(super) fn pressing(&self, out: &mut Vec<Action>) -> bool {
        self.candidates(out);
        let mover = self.mover();
        if let Some(win) = out.iter().copied().find(|action| self.wins(*action, mover)) {
            out.clear();
            out.push(win);
        } else if out.iter().any(|action| self.wins(*action, mover.other())) {
            out.retain(|action| self.wins(*action, mover.other()));
        } else {
            return false;
        }
        true
    }

    /// Whether `seat` wins with the legal `action`.
    pub(super) fn wins(&self, action: Action, seat: Seat) -> bool {
        let last = self.shape.need as u8 - 1;
        self.segments(self.cell(action)).iter().any(|segment| self.counts[*segment as usize][seat.index()] == last)
    }

    /// The increase of the mover's [score](Self::score) by the legal `action`.
    pub(super) fn gain(&self, action: Action) -> i32 {
        let (mover, worth) = (self.mover().index(), &self.shape.worth);
        let gained = |segment: &u32| {
            let counts = self.counts[*segment as usize];
            match (usize::from(counts[mover]), usize::from(counts[1 - mover])) {
                (mine, 0) => worth[mine + 1] - worth[mine],
                (0, theirs) => worth[theirs],
                _ => 0,
            }
        };
        self.segments(self.cell(action)).iter().map(gained).sum()
    }

    /// Number of segments through the legal `action` that the mover can still fill.
    pub(super) fn open_segments(&self, action: Action) -> usize {
        let theirs = self.mover().other().index();
        self.segments(self.cell(action)).iter().filter(|segment| self.counts[**segment as usize][theirs] == 0).count()
    }

    /// Undoes the last move.
    ///
    /// # Panics
    ///
    /// Panics if there is none.
    pub(super) fn undo(&mut self) {
        let cell = usize::from(self.played.pop().expect("a move was played"));
        let mover = self.mover();
        let shape: &Shape = &self.shape;
        for segment in shape.segments(cell) {
            let counts = &mut self.counts[*segment as usize];
            self.score -= shape.value(*counts);
            counts[mover.index()] -= 1;
            self.score += shape.value(*counts);
        }
        self.cells[cell] = None;
        self.hash ^= shape.keys[cell][mover.index()];
        if shape.gravity {
            self.heights[cell % shape.cols] -= 1;
        }
        if let Some(around) = shape.around.get(cell) {
            for near in around {
                self.stones_near[usize::from(*near)] -= 1;
            }
        }
        self.winner = None;
    }

    fn cell(&self, action: Action) -> usize {
        let action = usize::from(action);
        if self.shape.gravity {
            // Row 0 is at the top.
            (self.shape.rows - 1 - usize::from(self.heights[action])) * self.shape.cols + action
        } else {
            action
        }
    }

    fn segments(&self, cell: usize) -> &[u32] {
        self.shape.segments(cell)
    }
}

impl Playable for SearchBoard {
    type Action = Action;

    fn mover(&self) -> Seat {
        Seat::BOTH[self.played.len() % 2]
    }

    fn settled(&self) -> Option<Value> {
        if self.winner.is_some() || self.empties() == 0 {
            return Some(self.winner.map_or(Value::Draw, |_| Value::Loss(0)));
        }
        let (mover, mut blocks) = (self.mover(), 0);
        for action in self.shape.order.iter().filter(|action| self.is_legal(**action)) {
            if self.wins(*action, mover) {
                return Some(Value::Win(1));
            }
            blocks += u32::from(self.wins(*action, mover.other()));
        }
        (blocks > 1).then_some(Value::Loss(2))
    }

    /// On wide boards only those of most gain.
    fn actions(&self, _rng: &mut Rng, out: &mut Vec<Action>) -> bool {
        let pressing = self.pressing(out);
        if !pressing && self.is_wide() && out.len() > WIDTH {
            // The sort is stable and keeps the order from the centre.
            out.sort_by_key(|action| std::cmp::Reverse(self.gain(*action)));
            out.truncate(WIDTH);
        }
        pressing || !self.is_wide()
    }

    /// Plays the move even if the game is already won.
    fn play(&mut self, action: &Action) {
        let (cell, mover) = (self.cell(*action), self.mover());
        let shape: &Shape = &self.shape;
        for segment in shape.segments(cell) {
            let counts = &mut self.counts[*segment as usize];
            self.score -= shape.value(*counts);
            counts[mover.index()] += 1;
            self.score += shape.value(*counts);
            if usize::from(counts[mover.index()]) == shape.need {
                self.winner = Some(mover);
            }
        }
        self.cells[cell] = Some(mover);
        self.hash ^= shape.keys[cell][mover.index()];
        if shape.gravity {
            self.heights[cell % shape.cols] += 1;
        }
        if let Some(around) = shape.around.get(cell) {
            for near in around {
                self.stones_near[usize::from(*near)] += 1;
            }
        }
        self.played.push(cell as u16);
    }

    /// The evaluation, with the best move made: a random game says little on a board as large as these.
    fn playout(&mut self, _rng: &mut Rng) -> i32 {
        let mut actions = std::mem::take(&mut self.scratch);
        self.candidates(&mut actions);
        let gain = actions.iter().map(|action| self.gain(*action)).max().unwrap_or(0);
        self.scratch = actions;
        let value = chances(self.score() + gain);
        if self.mover() == Seat::First { value } else { -value }
    }

    fn restore(&mut self, other: &Self) {
        self.cells.clone_from(&other.cells);
        self.heights.clone_from(&other.heights);
        self.counts.clone_from(&other.counts);
        self.stones_near.clone_from(&other.stones_near);
        self.played.clone_from(&other.played);
        (self.score, self.hash, self.winner) = (other.score, other.hash, other.winner);
    }

    fn move_of(&self, action: &Action) -> Move {
        let (action, cols) = (i64::from(*action), self.shape.cols as i64);
        if self.shape.gravity { Move::Int(action) } else { Move::List(vec![action / cols, action % cols]) }
    }

    fn action_of(&self, played: &Move) -> Option<Action> {
        let action = match played {
            Move::Int(column) => u16::try_from(*column).ok()?,
            Move::List(cell) => match cell[..] {
                [row, col] => u16::try_from(row * self.shape.cols as i64 + col).ok()?,
                _ => return None,
            },
            Move::Text(_) | Move::Parts(_) => return None,
        };
        self.is_legal(action).then_some(action)
    }
}

#[cfg(test)]
#[path = "board_tests.rs"]
mod tests;
