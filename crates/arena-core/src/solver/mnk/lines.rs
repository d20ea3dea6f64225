//! The lines of a board, and its symmetries.

/// Boards have at most this many cells.
pub(super) const CELLS_MAX: usize = 25;

/// All groups of k cells in a row, column or diagonal. A longer row of marks contains one.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) cells: u32,
    pub(super) k: u32,
    pub(super) all: Vec<u32>,
    /// Where each symmetry takes each cell; the first leaves all in place.
    symmetries: Vec<[u8; CELLS_MAX]>,
}

impl Lines {
    pub(super) fn new(rows: usize, cols: usize, k: usize) -> Self {
        let mut all = Vec::new();
        for cell in 0..rows * cols {
            let (row, col) = ((cell / cols) as isize, (cell % cols) as isize);
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let place = |step: usize| (row + step as isize * down, col + step as isize * right);
                let (last_row, last_col) = place(k - 1);
                if last_row < rows as isize && (0..cols as isize).contains(&last_col) {
                    let cells = (0..k).map(place).map(|(row, col)| row as usize * cols + col as usize);
                    all.push(cells.fold(0, |line, cell| line | 1 << cell));
                }
            }
        }
        let mut symmetries = Vec::new();
        for turn in 0..if rows == cols { 8 } else { 4 } {
            let mut to = [0; CELLS_MAX];
            for (cell, to) in to.iter_mut().enumerate().take(rows * cols) {
                let (mut row, mut col) = (cell / cols, cell % cols);
                if turn & 1 != 0 {
                    row = rows - 1 - row;
                }
                if turn & 2 != 0 {
                    col = cols - 1 - col;
                }
                if turn & 4 != 0 {
                    (row, col) = (col, row);
                }
                *to = (row * cols + col) as u8;
            }
            symmetries.push(to);
        }
        Self { cells: (rows * cols) as u32, k: k as u32, all, symmetries }
    }

    /// The smallest of the images under all symmetries.
    pub(super) fn canonical(&self, me: u32, opp: u32) -> u64 {
        let image = |to: &[u8; CELLS_MAX]| {
            let moved = |mut cells: u32| {
                let mut image = 0_u64;
                while cells != 0 {
                    image |= 1 << to[cells.trailing_zeros() as usize];
                    cells &= cells - 1;
                }
                image
            };
            moved(me) << CELLS_MAX | moved(opp)
        };
        self.symmetries.iter().map(image).min().unwrap_or_default()
    }
}
