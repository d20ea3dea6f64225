//! One pass over the lines of a position: what each side can still complete.

use super::board::{CELLS_MAX, LINES_MAX, Marks};

/// log₂ of the weight of a line without empty cells.
const UNIT: u32 = 24;

/// What [`Lines::total`] has to stay below for the side not to complete any of its lines, if it is to move.
pub(super) const SAFE: u32 = 1 << (UNIT - 1);

/// The lines that a side can still complete in time.
#[derive(Debug)]
pub(super) struct Lines {
    /// The marks that it may still add in time. Lines with more empty cells do not count.
    reach: u32,
    /// Whether there are lines that do not count for that reason.
    pub(super) left_out: bool,
    /// The empty cells of all its lines.
    pub(super) live: u32,
    /// The cells where it makes a threat.
    pub(super) builders: u32,
    /// Of each of these cells, those that complete a line afterwards.
    pub(super) completing: [u32; CELLS_MAX],
    /// The sum of the weights of the lines through each cell. A line with e empty cells has the weight 2^−e.
    pub(super) weight: [u32; CELLS_MAX],
    /// The sum of the weights of all lines.
    pub(super) total: u32,
    /// The empty cells of each line.
    empty: [u32; LINES_MAX],
    count: usize,
}

impl Lines {
    const fn new(reach: u32) -> Self {
        Self {
            reach,
            left_out: false,
            live: 0,
            builders: 0,
            completing: [0; CELLS_MAX],
            weight: [0; CELLS_MAX],
            total: 0,
            empty: [0; LINES_MAX],
            count: 0,
        }
    }

    /// The empty cells of each line.
    pub(super) fn empty(&self) -> &[u32] {
        &self.empty[..self.count]
    }

    #[inline]
    fn add(&mut self, empty: u32) {
        let missing = empty.count_ones();
        if missing > self.reach {
            self.left_out = true;
            return;
        }
        self.empty[self.count] = empty;
        self.count += 1;
        self.live |= empty;
        let weight = 1 << (UNIT - missing.min(UNIT));
        self.total += weight;
        if missing == 2 {
            self.builders |= empty;
            let (low, high) = (empty.trailing_zeros(), empty.ilog2());
            self.completing[low as usize] |= 1 << high;
            self.completing[high as usize] |= 1 << low;
        }
        for cell in cells(empty) {
            self.weight[cell] += weight;
        }
    }
}

/// The lines of the side to move and of the other one, each with the marks that it may still add in time.
#[inline]
pub(super) fn scan(lines: &[u32], marks: Marks, reach: [u32; 2]) -> [Lines; 2] {
    let [mut mine, mut theirs] = reach.map(Lines::new);
    for line in lines {
        let (me, opp) = (line & marks.me, line & marks.opp);
        if opp == 0 {
            mine.add(line & !me);
        }
        if me == 0 {
            theirs.add(line & !opp);
        }
    }
    [mine, theirs]
}

/// The cells of a set, ascending.
#[inline]
pub(super) fn cells(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        cell
    })
}
