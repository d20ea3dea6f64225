//! The constant parts of a game on a board: its cells, the winning segments, and their values.

use arena_core::rng::Rng;
use arena_core::rules::{segment_worth, segments};

/// Value of a full segment, more than all others together.
pub(super) use arena_core::rules::SEGMENT_WIN as WIN;

/// Distance from a stone up to which moves are considered on wide boards.
const NEAR: usize = 2;
/// Number of cells from which a board without gravity is wide.
const WIDE_CELLS: usize = 37;

/// A move on the board: a column if there is gravity, otherwise a cell, numbered by rows.
pub(super) type Action = u16;

/// The constant parts of a game on a board.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) need: usize,
    pub(super) gravity: bool,
    pub(super) segment_count: usize,
    /// The segments through cell `c` are `segments[bounds[c]..bounds[c + 1]]`.
    segments: Vec<u32>,
    bounds: Vec<u32>,
    /// Value of a segment by its number of stones, all of one side.
    pub(super) worth: Vec<i32>,
    /// All actions, from the centre outwards.
    pub(super) order: Vec<Action>,
    /// The cells near each cell on wide boards; otherwise empty.
    pub(super) around: Vec<Vec<u16>>,
    /// Random keys per cell and side, for hashing positions (Zobrist, 1970).
    pub(super) keys: Vec<[u64; 2]>,
}

impl Shape {
    /// Creates a board of `rows` × `cols` on which `need` in a row win.
    pub(super) fn new(rows: usize, cols: usize, need: usize, gravity: bool) -> Self {
        let mut through = vec![Vec::new(); rows * cols];
        let mut count = 0_u32;
        for segment in segments(rows, cols, need) {
            for cell in segment.cells() {
                through[cell].push(count);
            }
            count += 1;
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
            segment_count: count as usize,
            segments: through.concat(),
            bounds,
            worth: (0..=need).map(|stones| segment_worth(need, stones)).collect(),
            order: order(if gravity { 1 } else { rows }, cols),
            around: if wide { (0..rows * cols).map(|cell| around(rows, cols, cell)).collect() } else { Vec::new() },
            keys: (0..rows * cols).map(|_| [rng.below(u64::MAX), rng.below(u64::MAX)]).collect(),
        }
    }

    /// The segments through `cell`.
    pub(super) fn segments(&self, cell: usize) -> &[u32] {
        &self.segments[self.bounds[cell] as usize..self.bounds[cell + 1] as usize]
    }

    /// The value of a segment for the first seat.
    pub(super) fn value(&self, counts: [u8; 2]) -> i32 {
        match counts.map(usize::from) {
            [first, 0] => self.worth[first],
            [0, second] => -self.worth[second],
            _ => 0,
        }
    }
}

/// All cells of a board, those nearest to the centre first.
fn order(rows: usize, cols: usize) -> Vec<Action> {
    let mut order: Vec<usize> = (0..rows * cols).collect();
    // Twice the distance, which is an integer.
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
