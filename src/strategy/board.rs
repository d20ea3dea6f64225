//! A board for searching: connect4 and mnk with every winning segment known in advance.
//!
//! The rules judge a game from its last move; a search asks the same question millions of times, and also how promising
//! a position is. So for each cell the segments through it are listed once ([`Shape`]), and a [`Board`] counts in each
//! segment the stones of both sides. A move touches only the counts of its own segments, and all else follows: a
//! segment full of one side is a win, and the evaluation is a sum over segments that is kept up to date.
//!
//! The evaluation is that of the third article in SEEDS.md, for any length of line: a segment with stones of both sides
//! is worth 0, a full one [`WIN`], one stone short 100, two short 1, less 0; the opponent's count negative.

use std::sync::Arc;

use crate::rng::Rng;
use crate::rules::{Move, Params, Seat, Variant};

/// What a full segment is worth: more than all others together.
pub(super) const WIN: i32 = 1_000_000;

/// How far from a stone moves are thought about on wide boards.
const NEAR: usize = 2;
/// From this many cells on, a board without gravity is wide.
const WIDE_CELLS: usize = 37;

/// A move on the board: a column where discs fall, else a cell, both counted from 0 along rows.
pub(super) type Action = u16;

/// What never changes during a game.
#[derive(Debug)]
struct Shape {
    rows: usize,
    cols: usize,
    need: usize,
    gravity: bool,
    /// The segments through cell `c` are `segments[bounds[c]..bounds[c + 1]]`.
    segments: Vec<u32>,
    bounds: Vec<u32>,
    /// Worth of a segment by its number of stones, all of one side.
    worth: Vec<i32>,
    /// Every action, from the centre outwards.
    order: Vec<Action>,
    /// On wide boards the cells around each cell, else nothing.
    around: Vec<Vec<u16>>,
    /// Random numbers per cell and side, of which a position's hash is made (Zobrist, 1970).
    keys: Vec<[u64; 2]>,
}

/// A position.
#[derive(Debug, Clone)]
pub(super) struct Board {
    shape: Arc<Shape>,
    cells: Vec<Option<Seat>>,
    /// Discs in each column, where they fall.
    heights: Vec<u8>,
    /// Stones of each side in each segment.
    counts: Vec<[u8; 2]>,
    /// On wide boards the stones around each cell.
    stones_near: Vec<u8>,
    /// Cells in the order they were played.
    played: Vec<u16>,
    /// The evaluation, from the first seat's side.
    score: i32,
    hash: u64,
    winner: Option<Seat>,
}

/// Whether a variant is played on such a board.
pub(super) fn is_grid(variant: &Variant) -> bool {
    matches!(variant.rules.name(), "connect4" | "mnk")
}

impl Board {
    /// The empty board of a variant for which [`is_grid`] holds.
    pub(super) fn new(variant: &Variant) -> Self {
        let gravity = variant.rules.name() == "connect4";
        let size = |name| Params::size(&variant.params, name);
        let shape = Shape::new(size("rows"), size("cols"), size(if gravity { "connect" } else { "k" }), gravity);
        Self {
            cells: vec![None; shape.rows * shape.cols],
            heights: vec![0; if gravity { shape.cols } else { 0 }],
            counts: vec![[0; 2]; shape.segments.iter().max().map_or(0, |last| *last as usize + 1)],
            stones_near: vec![0; shape.around.len()],
            played: Vec::new(),
            score: 0,
            hash: 0,
            winner: None,
            shape: Arc::new(shape),
        }
    }

    /// The position after more moves. One that is not legal is left out; a referee sends none.
    pub(super) fn after(&self, moves: &[Move]) -> Self {
        let mut board = self.clone();
        for played in moves {
            if let Some(action) = board.action_of(played).filter(|action| board.is_legal(*action)) {
                board.play(action);
            }
        }
        board
    }

    /// Becomes equal to `other`, a position of the same game, without allocating.
    pub(super) fn restore(&mut self, other: &Self) {
        self.cells.clone_from(&other.cells);
        self.heights.clone_from(&other.heights);
        self.counts.clone_from(&other.counts);
        self.stones_near.clone_from(&other.stones_near);
        self.played.clone_from(&other.played);
        (self.score, self.hash, self.winner) = (other.score, other.hash, other.winner);
    }

    pub(super) fn mover(&self) -> Seat {
        Seat::after(self.played.len())
    }

    pub(super) fn winner(&self) -> Option<Seat> {
        self.winner
    }

    /// How many cells are still empty.
    pub(super) fn empties(&self) -> usize {
        self.cells.len() - self.played.len()
    }

    /// The evaluation from the mover's side.
    pub(super) fn score(&self) -> i32 {
        match self.mover() {
            Seat::First => self.score,
            Seat::Second => -self.score,
        }
    }

    /// Identity of the position for tables: equal positions have equal hashes.
    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    /// Whether only some of the legal moves are [candidates](Self::candidates).
    pub(super) fn is_wide(&self) -> bool {
        !self.shape.around.is_empty()
    }

    pub(super) fn action_of(&self, played: &Move) -> Option<Action> {
        match played {
            Move::Int(column) => u16::try_from(*column).ok(),
            Move::List(cell) => match cell[..] {
                [row, col] => u16::try_from(row * self.shape.cols as i64 + col).ok(),
                _ => None,
            },
        }
    }

    pub(super) fn move_of(&self, action: Action) -> Move {
        let (action, cols) = (i64::from(action), self.shape.cols as i64);
        if self.shape.gravity { Move::Int(action) } else { Move::List(vec![action / cols, action % cols]) }
    }

    pub(super) fn is_legal(&self, action: Action) -> bool {
        if self.shape.gravity {
            self.heights.get(usize::from(action)).is_some_and(|height| usize::from(*height) < self.shape.rows)
        } else {
            self.cells.get(usize::from(action)).is_some_and(Option::is_none)
        }
    }

    /// Puts the legal moves into `out`, from the centre outwards. Looks past the end of the game.
    pub(super) fn legal(&self, out: &mut Vec<Action>) {
        out.clear();
        out.extend(self.shape.order.iter().filter(|action| self.is_legal(**action)));
    }

    /// Puts the moves worth thinking about into `out`: all legal ones, but on wide boards only those near a stone (far
    /// ones start something new, which only loses time).
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

    /// Puts the candidates that are not at once refuted into `out`: a move that wins, else those that keep the opponent
    /// from winning next, else all.
    pub(super) fn pressing(&self, out: &mut Vec<Action>) {
        self.candidates(out);
        let mover = self.mover();
        if let Some(win) = out.iter().copied().find(|action| self.wins(*action, mover)) {
            out.clear();
            out.push(win);
        } else if out.iter().any(|action| self.wins(*action, mover.other())) {
            out.retain(|action| self.wins(*action, mover.other()));
        }
    }

    /// Whether `seat` would win by the legal `action`.
    pub(super) fn wins(&self, action: Action, seat: Seat) -> bool {
        let last = self.shape.need as u8 - 1;
        self.segments(self.cell(action)).iter().any(|segment| self.counts[*segment as usize][seat.index()] == last)
    }

    /// By how much the legal `action` raises the mover's [score](Self::score).
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

    /// How many segments through the legal `action` the mover could still fill.
    pub(super) fn open_segments(&self, action: Action) -> usize {
        let theirs = self.mover().other().index();
        self.segments(self.cell(action)).iter().filter(|segment| self.counts[**segment as usize][theirs] == 0).count()
    }

    /// Plays a legal move. Does not mind a game that is already won.
    pub(super) fn play(&mut self, action: Action) {
        let (cell, mover) = (self.cell(action), self.mover());
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

    /// Takes the last move back.
    ///
    /// # Panics
    ///
    /// If there is none.
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

    /// Plays random moves to the end and returns who has won.
    pub(super) fn play_out(&mut self, rng: &mut Rng) -> Option<Seat> {
        if self.shape.gravity {
            while self.winner.is_none() && self.empties() > 0 {
                let column = rng.below(self.shape.cols as u64) as Action;
                if self.is_legal(column) {
                    self.play(column);
                }
            }
        } else {
            // A random order of the empty cells is a random game.
            let mut empty: Vec<Action> = (0..self.cells.len() as Action).filter(|cell| self.is_legal(*cell)).collect();
            while self.winner.is_none() && !empty.is_empty() {
                let cell = empty.swap_remove(rng.below(empty.len() as u64) as usize);
                self.play(cell);
            }
        }
        self.winner
    }

    fn cell(&self, action: Action) -> usize {
        let action = usize::from(action);
        if self.shape.gravity {
            // Row 0 is on top.
            (self.shape.rows - 1 - usize::from(self.heights[action])) * self.shape.cols + action
        } else {
            action
        }
    }

    fn segments(&self, cell: usize) -> &[u32] {
        self.shape.segments(cell)
    }
}

impl Shape {
    fn new(rows: usize, cols: usize, need: usize, gravity: bool) -> Self {
        let mut through = vec![Vec::new(); rows * cols];
        let mut count = 0;
        for start in 0..rows * cols {
            let (row, col) = ((start / cols) as isize, (start % cols) as isize);
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let (last_row, last_col) = (row + down * (need as isize - 1), col + right * (need as isize - 1));
                if last_row >= rows as isize || !(0..cols as isize).contains(&last_col) {
                    continue;
                }
                for step in 0..need as isize {
                    through[((row + down * step) * cols as isize + col + right * step) as usize].push(count);
                }
                count += 1;
            }
        }
        let mut bounds = vec![0];
        bounds.extend(through.iter().scan(0, |end, segments| {
            *end += segments.len() as u32;
            Some(*end)
        }));
        let mut rng = Rng::new(0);
        let wide = !gravity && rows * cols >= WIDE_CELLS;
        Self {
            rows,
            cols,
            need,
            gravity,
            segments: through.concat(),
            bounds,
            worth: (0..=need).map(|stones| worth(need, stones)).collect(),
            order: order(if gravity { 1 } else { rows }, cols),
            around: if wide { (0..rows * cols).map(|cell| around(rows, cols, cell)).collect() } else { Vec::new() },
            keys: (0..rows * cols).map(|_| [rng.below(u64::MAX), rng.below(u64::MAX)]).collect(),
        }
    }

    fn segments(&self, cell: usize) -> &[u32] {
        &self.segments[self.bounds[cell] as usize..self.bounds[cell + 1] as usize]
    }

    /// What a segment is worth to the first seat.
    fn value(&self, counts: [u8; 2]) -> i32 {
        match counts.map(usize::from) {
            [first, 0] => self.worth[first],
            [0, second] => -self.worth[second],
            _ => 0,
        }
    }
}

fn worth(need: usize, stones: usize) -> i32 {
    match need - stones {
        _ if stones == 0 => 0,
        0 => WIN,
        1 => 100,
        2 => 1,
        _ => 0,
    }
}

/// All cells of a board, nearest to its centre first.
fn order(rows: usize, cols: usize) -> Vec<Action> {
    let mut order: Vec<usize> = (0..rows * cols).collect();
    // Twice the distance, to stay within integers.
    order.sort_by_key(|cell| {
        let (down, right) = ((2 * (cell / cols) + 1).abs_diff(rows), (2 * (cell % cols) + 1).abs_diff(cols));
        down * down + right * right
    });
    order.into_iter().map(|cell| cell as Action).collect()
}

fn around(rows: usize, cols: usize, cell: usize) -> Vec<u16> {
    let (row, col) = (cell / cols, cell % cols);
    (0..rows * cols)
        .filter(|other| *other != cell && (other / cols).abs_diff(row) <= NEAR && (other % cols).abs_diff(col) <= NEAR)
        .map(|other| other as u16)
        .collect()
}

#[cfg(test)]
#[path = "board_tests.rs"]
mod tests;
