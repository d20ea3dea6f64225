//! Boards as bits of a `u64`, and lines on them.
//!
//! Column c of R rows is bits c(R + 1) … c(R + 1) + R − 1, the bottom cell first. The bit above is the *sentinel*, always 0,
//! which stops lines and sums from running into the next column.

/// The size of a board. Those of the common board are constants, so that it pays nothing for the others.
pub(super) trait Geometry: Copy + Send {
    /// Room for a child of each column.
    type Children: AsMut<[Child]>;

    /// Number of rows.
    fn rows(self) -> u32;
    /// Number of cells.
    fn cells(self) -> u32;
    /// The bottom cell of every column.
    fn bottom(self) -> u64;
    /// All cells.
    fn board(self) -> u64;
    /// The cells in rows of the top row's parity.
    fn top_rows(self) -> u64;
    /// The columns from the centre.
    fn central_first(&self) -> &[u8];
    /// Number of bits of a key.
    fn key_bits(self) -> u32;
    fn no_children() -> Self::Children;

    /// The cells that complete a line of `side`, among all of the board.
    fn completing(self, side: u64) -> u64;
    /// Whether `cells` contain a line.
    fn has_line(self, cells: u64) -> bool;

    /// The lowest empty cell of every column that has one.
    fn playable(self, all: u64) -> u64 {
        (all + self.bottom()) & self.board()
    }

    /// All cells of a column.
    fn column(self, column: u8) -> u64 {
        ((1 << self.rows()) - 1) << (u32::from(column) * (self.rows() + 1))
    }

    /// The column of a cell, as its number.
    fn column_of(self, cell: u64) -> u32 {
        cell.trailing_zeros() / (self.rows() + 1)
    }

    /// The identity of a position: whose discs are where.
    fn key(self, me: u64, opp: u64) -> u64 {
        me + (me | opp) + self.bottom()
    }

    /// The mirror image.
    fn mirrored(self, cells: u64) -> u64 {
        let width = self.rows() + 1;
        let column = (1 << width) - 1;
        let (mut left, mut mirrored) = (cells, 0);
        for _ in self.central_first() {
            // The widest column has 33 bits, so this never shifts everything out.
            mirrored = mirrored << width | left & column;
            left >>= width;
        }
        mirrored
    }
}

/// A position: the discs of the side to move, and of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Discs {
    pub(super) me: u64,
    pub(super) opp: u64,
}

impl Discs {
    /// Number of discs.
    pub(super) const fn count(self) -> u32 {
        (self.me | self.opp).count_ones()
    }
}

/// A move in a search, with the position after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Child {
    /// The discs of the side that own.
    pub(super) own: u64,
    /// The replies that do not lose at once.
    pub(super) replies: u64,
    /// The cells that would complete a line of the side that own.
    pub(super) threats: u64,
    /// How early it is searched: the highest first.
    pub(super) promise: i32,
    /// Bounds of the score of the side to move.
    pub(super) low: i32,
    pub(super) high: i32,
    /// Whether the reply is forced.
    pub(super) forced: bool,
}

impl Child {
    const NONE: Self = Self { own: 0, replies: 0, threats: 0, promise: 0, low: 0, high: 0, forced: false };
}

/// Six rows, seven columns and four in a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Classic;

impl Classic {
    const BOTTOM: u64 = bottom_of(6, 7);
    const BOARD: u64 = Self::BOTTOM * 0b11_1111;
    const TOP_ROWS: u64 = Self::BOTTOM * 0b10_1010;
}

impl Geometry for Classic {
    type Children = [Child; 7];

    #[inline]
    fn rows(self) -> u32 {
        6
    }

    #[inline]
    fn cells(self) -> u32 {
        42
    }

    #[inline]
    fn bottom(self) -> u64 {
        Self::BOTTOM
    }

    #[inline]
    fn board(self) -> u64 {
        Self::BOARD
    }

    #[inline]
    fn top_rows(self) -> u64 {
        Self::TOP_ROWS
    }

    #[inline]
    fn central_first(&self) -> &[u8] {
        &[3, 2, 4, 1, 5, 0, 6]
    }

    #[inline]
    fn key_bits(self) -> u32 {
        49
    }

    #[inline]
    fn no_children() -> Self::Children {
        [Child::NONE; 7]
    }

    #[inline]
    fn completing(self, side: u64) -> u64 {
        let mut cells = side << 1 & side << 2 & side << 3;
        for stride in [6, 7, 8] {
            let (above, below) = (side >> stride, side << stride);
            let (two_above, two_below) = (above & above >> stride, below & below << stride);
            cells |= two_above & (below | two_above >> stride) | two_below & (above | two_below << stride);
        }
        cells & Self::BOARD
    }

    #[inline]
    fn has_line(self, cells: u64) -> bool {
        [1, 6, 7, 8].iter().any(|stride| {
            let pairs = cells & cells >> stride;
            pairs & pairs >> (2 * stride) != 0
        })
    }
}

/// Any other board whose columns with their sentinels fit 64 bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    rows: u32,
    cols: u32,
    connect: u32,
    bottom: u64,
    board: u64,
    top_rows: u64,
    central_first: [u8; COLS_MAX],
}

/// Boards have at most this many columns.
const COLS_MAX: usize = 32;

impl Size {
    /// `None` if the board does not fit.
    pub(super) fn new(rows: u32, cols: u32, connect: u32) -> Option<Self> {
        if (rows + 1) * cols > u64::BITS || cols as usize > COLS_MAX {
            return None;
        }
        let bottom = bottom_of(rows, cols);
        let board = bottom * ((1 << rows) - 1);
        let top_rows = (0..rows).rev().step_by(2).fold(0, |cells, row| cells | bottom << row);
        let mut central_first = [0; COLS_MAX];
        for (place, column) in central_first.iter_mut().take(cols as usize).enumerate() {
            // 3 2 4 1 5 0 6 of seven columns, 3 4 2 5 1 6 0 7 of eight.
            let (middle, away) = ((cols as usize - 1) / 2, place.div_ceil(2));
            let first_is_left = cols % 2 == 1;
            *column = if (place % 2 == 1) == first_is_left { middle - away } else { middle + away } as u8;
        }
        Some(Self { rows, cols, connect, bottom, board, top_rows, central_first })
    }
}

impl Geometry for Size {
    type Children = [Child; COLS_MAX];

    fn rows(self) -> u32 {
        self.rows
    }

    fn cells(self) -> u32 {
        self.rows * self.cols
    }

    fn bottom(self) -> u64 {
        self.bottom
    }

    fn board(self) -> u64 {
        self.board
    }

    fn top_rows(self) -> u64 {
        self.top_rows
    }

    fn central_first(&self) -> &[u8] {
        &self.central_first[..self.cols as usize]
    }

    fn key_bits(self) -> u32 {
        (self.rows + 1) * self.cols
    }

    fn no_children() -> Self::Children {
        [Child::NONE; COLS_MAX]
    }

    fn completing(self, side: u64) -> u64 {
        // Along a line, some discs are on one side of the cell and the rest on the other.
        let mut cells = (1..self.connect).fold(u64::MAX, |run, step| run & up(side, step));
        for stride in [self.rows, self.rows + 1, self.rows + 2] {
            let mut below = u64::MAX;
            for taken in 0..self.connect {
                let above = (1..self.connect - taken).fold(u64::MAX, |run, step| run & down(side, step * stride));
                cells |= below & above;
                below &= up(side, (taken + 1) * stride);
            }
        }
        cells & self.board
    }

    fn has_line(self, cells: u64) -> bool {
        [1, self.rows, self.rows + 1, self.rows + 2].iter().any(|stride| {
            let (mut runs, mut length) = (cells, 1);
            while length < self.connect {
                let step = length.min(self.connect - length);
                runs &= down(runs, step * stride);
                length += step;
            }
            runs != 0
        })
    }
}

/// Shifts that may exceed the width: lines longer than the board.
fn up(cells: u64, by: u32) -> u64 {
    cells.checked_shl(by).unwrap_or(0)
}

fn down(cells: u64, by: u32) -> u64 {
    cells.checked_shr(by).unwrap_or(0)
}

const fn bottom_of(rows: u32, cols: u32) -> u64 {
    let (mut bottom, mut column) = (0, 0);
    while column < cols {
        bottom |= 1 << (column * (rows + 1));
        column += 1;
    }
    bottom
}
