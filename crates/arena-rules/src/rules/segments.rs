//! The winning segments of a board, and the usual evaluation that sums over them.
//!
//! A segment is `need` cells in a row, a column or a diagonal. With stones of both sides it is worth 0. With stones of
//! one side it is worth [`SEGMENT_WIN`] when full, 100 when one stone short, 1 when two short, and 0 otherwise.

/// Value of a full segment.
pub const SEGMENT_WIN: i32 = 1_000_000;

/// A winning segment of a board whose cells are numbered row by row from the top left.
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    start: usize,
    /// Distance from each cell to the next.
    stride: usize,
    need: usize,
}

impl Segment {
    /// The cells, from the top down, or from left to right in a row.
    pub fn cells(self) -> impl Iterator<Item = usize> {
        (0..self.need).map(move |step| self.start + step * self.stride)
    }
}

/// All segments of `need` cells on a board of this size.
pub fn segments(rows: usize, cols: usize, need: usize) -> impl Iterator<Item = Segment> {
    (0..rows * cols).flat_map(move |start| {
        let fits_down = start / cols + need <= rows;
        let fits_right = start % cols + need <= cols;
        let fits_left = start % cols + 1 >= need;
        let strides = [
            fits_right.then_some(1),
            fits_down.then_some(cols),
            (fits_down && fits_right).then_some(cols + 1),
            (fits_down && fits_left).then_some(cols - 1),
        ];
        strides.into_iter().flatten().map(move |stride| Segment { start, stride, need })
    })
}

/// The value of a segment of `need` cells with `stones` of one side and none of the other.
#[must_use]
pub const fn segment_worth(need: usize, stones: usize) -> i32 {
    match need - stones {
        _ if stones == 0 => 0,
        0 => SEGMENT_WIN,
        1 => 100,
        2 => 1,
        _ => 0,
    }
}
