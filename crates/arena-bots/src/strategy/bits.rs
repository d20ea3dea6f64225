//! Small boards of connect4 and mnk as two words of bits: what Monte Carlo tree search plays its games on, and `minimax` searches
//! connect4.
//!
//! A random move costs as little here as a few look-ups elsewhere, and threats are found by shifting, so that playouts can be played
//! with some sense. The cell in row `r` from the bottom of column `c` is bit `c × (rows + 1) + r`:
//!
//! ```text
//!  6 13 20 27 34 41 48   sentinels, never set: they end the lines that leave a column
//!  5 12 19 26 33 40 47
//!  …                     connect4, 6 × 7
//!  0  7 14 21 28 35 42
//! ```

use std::sync::Arc;

use arena_core::rng::Rng;
use arena_core::rules::{Move, Params, Seat, Variant};
use arena_core::solver::Value;

use super::playable::{POINTS, Playable};

/// The constant parts of a game.
#[derive(Debug)]
pub(super) struct Layout {
    /// Bits from one column to the next.
    pub(super) stride: usize,
    pub(super) need: usize,
    gravity: bool,
    pub(super) board: u64,
    /// The lowest cells.
    pub(super) bottom: u64,
    /// Cells, or columns if there is gravity, from the centre outwards.
    pub(super) order: Vec<u64>,
}

/// A position.
#[derive(Debug, Clone)]
pub(super) struct BitBoard {
    pub(super) layout: Arc<Layout>,
    /// Stones of the side to move, and of the other one.
    pub(super) stones: [u64; 2],
}

impl BitBoard {
    /// The empty board of a variant of connect4 or mnk; `None` if it is too large.
    pub(super) fn new(variant: &Variant) -> Option<Self> {
        let gravity = variant.rules.name == "connect4";
        let size = |name| Params::size(&variant.params, name);
        let (rows, cols, need) = (size("rows"), size("cols"), size(if gravity { "connect" } else { "k" }));
        let stride = rows + 1;
        if stride * cols > u64::BITS as usize {
            return None;
        }
        let column = |col: usize| ((1_u64 << rows) - 1) << (col * stride);
        let mut order: Vec<(usize, u64)> = Vec::new();
        for col in 0..cols {
            // Twice the distance from the centre, which is an integer.
            let across = (2 * col + 1).abs_diff(cols).pow(2);
            if gravity {
                order.push((across, column(col)));
            } else {
                let up = |row: usize| (2 * row + 1).abs_diff(rows).pow(2);
                order.extend((0..rows).map(|row| (across + up(row), 1 << (col * stride + row))));
            }
        }
        order.sort_by_key(|(distance, _)| *distance);
        let layout = Layout {
            stride,
            need,
            gravity,
            board: (0..cols).map(column).sum(),
            bottom: (0..cols).map(|col| 1 << (col * stride)).sum(),
            order: order.into_iter().map(|(_, cells)| cells).collect(),
        };
        Some(Self { layout: Arc::new(layout), stones: [0; 2] })
    }

    /// Number of empty cells.
    pub(super) fn empties(&self) -> usize {
        (self.layout.board & !self.all()).count_ones() as usize
    }

    fn all(&self) -> u64 {
        self.stones[0] | self.stones[1]
    }

    /// Plays on a cell, given as its bit.
    fn put(&mut self, cell: u64) {
        self.stones = [self.stones[1], self.stones[0] | cell];
    }
}

impl Layout {
    /// The cells that can be played on.
    pub(super) fn free(&self, all: u64) -> u64 {
        if self.gravity { (all + self.bottom) & self.board } else { self.board & !all }
    }

    /// Whether `cells` contain a line.
    #[inline]
    pub(super) fn has_line(&self, cells: u64) -> bool {
        [1, self.stride - 1, self.stride, self.stride + 1].iter().any(|step| {
            let (mut runs, mut length) = (cells, 1);
            while length < self.need {
                let more = length.min(self.need - length);
                runs &= runs.checked_shr((more * step) as u32).unwrap_or(0);
                length += more;
            }
            runs != 0
        })
    }

    /// The cells that complete a line with `stones`, empty or not.
    pub(super) fn threats(&self, stones: u64) -> u64 {
        match self.need {
            3 => self.threats_of::<3>(stones, 3),
            4 => self.threats_of_four(stones),
            5 => self.threats_of::<5>(stones, 5),
            need => self.threats_of::<64>(stones, need),
        }
    }

    /// [`threats`](Self::threats) of lines of four, where some stones are on one side of the cell and the rest on the other.
    #[inline]
    fn threats_of_four(&self, stones: u64) -> u64 {
        let mut found = 0;
        for step in [1, self.stride - 1, self.stride, self.stride + 1] {
            let (above, below) = (stones >> step, stones << step);
            let (two_above, two_below) = (above & above >> step, below & below << step);
            found |= two_above & (below | two_above >> step) | two_below & (above | two_below << step);
        }
        found & self.board
    }

    /// [`threats`](Self::threats), with an upper bound of `need` for the compiler.
    #[inline]
    fn threats_of<const MAX: usize>(&self, stones: u64, need: usize) -> u64 {
        let mut found = 0;
        for step in [1, self.stride - 1, self.stride, self.stride + 1] {
            // By count: the cells that this many stones follow directly.
            let mut after = [u64::MAX; MAX];
            for count in 1..need {
                after[count] = (after[count - 1] & stones) >> step;
            }
            let mut before = u64::MAX;
            for count in (0..need).rev() {
                found |= before & after[count];
                before = (before & stones) << step;
            }
        }
        found & self.board
    }

    /// The moves of `free` to consider: a win; otherwise what prevents the other side from winning next; otherwise all that do not let
    /// it win on top of them, if there are such.
    fn sensible(&self, free: u64, own: u64, others: u64) -> u64 {
        let safe = if self.gravity { free & !(others >> 1) } else { free };
        match (free & own, free & others) {
            (0, 0) if safe == 0 => free,
            (0, 0) => safe,
            (0, blocks) => blocks,
            (wins, _) => wins & wins.wrapping_neg(),
        }
    }
}

impl Playable for BitBoard {
    type Action = u8;

    fn mover(&self) -> Seat {
        Seat::BOTH[self.all().count_ones() as usize % 2]
    }

    fn settled(&self) -> Option<Value> {
        let layout = &*self.layout;
        let free = layout.free(self.all());
        match (free & layout.threats(self.stones[0]), free & layout.threats(self.stones[1])) {
            _ if free == 0 => Some(Value::Draw),
            (0, blocks) if blocks.count_ones() > 1 => Some(Value::Loss(2)),
            (0, _) => None,
            _ => Some(Value::Win(1)),
        }
    }

    /// Moves that lose at once are left out while there are others: they cannot be better.
    fn actions(&self, _rng: &mut Rng, out: &mut Vec<u8>) -> bool {
        let layout = &*self.layout;
        let moves =
            layout.sensible(layout.free(self.all()), layout.threats(self.stones[0]), layout.threats(self.stones[1]));
        out.extend(
            layout
                .order
                .iter()
                .map(|cells| cells & moves)
                .filter(|cell| *cell != 0)
                .map(|cell| cell.trailing_zeros() as u8),
        );
        true
    }

    fn play(&mut self, action: &u8) {
        self.put(1 << action);
    }

    /// Both sides take a win, prevent one and do not walk into one (Teytaud and Teytaud, "On the huge benefit of decisive moves in
    /// Monte-Carlo tree search algorithms", 2010), and otherwise play at random.
    fn playout(&mut self, rng: &mut Rng) -> i32 {
        let layout = Arc::clone(&self.layout);
        let [mut own, mut others] = self.stones.map(|stones| layout.threats(stones));
        let mut sign = if self.mover() == Seat::First { POINTS } else { -POINTS };
        loop {
            let free = layout.free(self.all());
            if free == 0 {
                return 0;
            }
            if free & own != 0 {
                return sign;
            }
            if (free & others).count_ones() > 1 {
                return -sign;
            }
            let moves = layout.sensible(free, own, others);
            let mut cell = moves;
            for _ in 0..rng.below(u64::from(moves.count_ones())) {
                cell &= cell - 1;
            }
            self.put(cell & cell.wrapping_neg());
            (own, others) = (others, layout.threats(self.stones[1]));
            sign = -sign;
        }
    }

    fn restore(&mut self, other: &Self) {
        self.stones = other.stones;
    }

    fn move_of(&self, action: &u8) -> Move {
        let (col, row) = (usize::from(*action) / self.layout.stride, usize::from(*action) % self.layout.stride);
        if self.layout.gravity { Move::Int(col as i64) } else { Move::List(vec![row as i64, col as i64]) }
    }

    fn action_of(&self, played: &Move) -> Option<u8> {
        let free = self.layout.free(self.all());
        let cells = (0..u64::BITS as u8).filter(|cell| free >> cell & 1 == 1);
        cells.into_iter().find(|cell| self.move_of(cell) == *played)
    }
}

#[cfg(test)]
#[path = "bits_tests.rs"]
mod tests;
