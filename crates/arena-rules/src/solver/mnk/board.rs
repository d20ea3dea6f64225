//! Boards of at most 25 cells: their lines and their symmetries.
//!
//! Cell (row, column) is bit row × cols + column of a `u32`, as cells are numbered in pictures. A position as one word has the
//! marks of the side to move in its lower half and those of the other side in the upper one, so that one shift moves both.

/// Cells of the largest board. The keys of positions have twice as many bits.
pub(super) const CELLS_MAX: usize = 25;

/// More lines than any board has: at most four begin at each cell.
pub(super) const LINES_MAX: usize = 4 * CELLS_MAX;

/// The marks of the side to move, and of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) me: u32,
    pub(super) opp: u32,
}

impl Marks {
    /// Number of marks.
    pub(super) const fn count(self) -> u32 {
        (self.me | self.opp).count_ones()
    }

    const fn word(self) -> u64 {
        self.me as u64 | (self.opp as u64) << 32
    }
}

/// The shape of a board.
#[derive(Debug, Clone)]
pub(super) struct Board {
    rows: u32,
    cols: u32,
    /// All lines of exactly that length; a longer one contains some of them.
    pub(super) lines: Vec<u32>,
    /// The diagonals of a square board that run down to the right, and by how much a transposition shifts each to higher bits.
    diagonals: Vec<(u64, i32)>,
}

impl Board {
    /// `None` if it has too many cells.
    pub(super) fn new(rows: usize, cols: usize, k: usize) -> Option<Self> {
        if rows * cols > CELLS_MAX {
            return None;
        }
        let size = [rows, cols, k].map(|size| size as i32);
        let [rows, cols] = [rows, cols].map(|size| size as u32);
        let diagonals = if rows == cols { diagonals(rows) } else { Vec::new() };
        Some(Self { rows, cols, lines: lines(size), diagonals })
    }

    /// Number of cells.
    pub(super) const fn cells(&self) -> u32 {
        self.rows * self.cols
    }

    /// A key of the position, of two bits a cell.
    pub(super) const fn key(&self, marks: Marks) -> u64 {
        self.pack(marks.word())
    }

    /// A key that all images of the position have: 8 on square boards, 4 on others.
    pub(super) fn canonical_key(&self, marks: Marks) -> u64 {
        let mut least = self.least_flip(marks);
        if !self.diagonals.is_empty() {
            let transposed = self.transposed(marks.word());
            let marks = Marks { me: transposed as u32, opp: (transposed >> 32) as u32 };
            least = least.min(self.least_flip(marks));
        }
        self.pack(least)
    }

    /// The least word of a position and its images by flips and a half turn.
    fn least_flip(&self, marks: Marks) -> u64 {
        let [me, opp] = [marks.me, marks.opp].map(|cells| cells.reverse_bits() >> (u32::BITS - self.cells()));
        let (word, turned) = (marks.word(), Marks { me, opp }.word());
        word.min(turned).min(self.flipped(word)).min(self.flipped(turned))
    }

    /// The image with the rows in reverse order.
    fn flipped(&self, word: u64) -> u64 {
        let row = u64::from(u32::MAX >> (u32::BITS - self.cols));
        let row = row | row << 32;
        (0..self.rows).fold(0, |image, index| {
            image | (word >> (index * self.cols) & row) << ((self.rows - 1 - index) * self.cols)
        })
    }

    /// The image with rows and columns exchanged.
    fn transposed(&self, word: u64) -> u64 {
        self.diagonals.iter().fold(0, |image, (cells, shift)| {
            let cells = word & cells;
            image | if *shift >= 0 { cells << shift } else { cells >> -shift }
        })
    }

    const fn pack(&self, word: u64) -> u64 {
        word & u32::MAX as u64 | word >> 32 << self.cells()
    }
}

fn lines([rows, cols, k]: [i32; 3]) -> Vec<u32> {
    let on_board = |(row, col): (i32, i32)| (0..rows).contains(&row) && (0..cols).contains(&col);
    let mut lines = Vec::new();
    for start in 0..rows * cols {
        for step in [(0, 1), (1, 0), (1, 1), (1, -1)] {
            let at = |index: i32| (start / cols + index * step.0, start % cols + index * step.1);
            if on_board(at(k - 1)) {
                lines.push((0..k).map(at).fold(0, |line, (row, col)| line | 1 << (row * cols + col)));
            }
        }
    }
    lines
}

fn diagonals(size: u32) -> Vec<(u64, i32)> {
    let size = size as i32;
    let diagonals = (1 - size..size).map(|right| {
        let cells = (0..size).filter(|row| (0..size).contains(&(row + right)));
        let cells = cells.fold(0u64, |cells, row| cells | 1 << (row * size + row + right));
        (cells | cells << 32, right * (size - 1))
    });
    diagonals.collect()
}
