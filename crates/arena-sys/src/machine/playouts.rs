//! The reference loop of a calibration: random games of four in a row on 7×6 cells.
//!
//! It resembles what bots compute: integers, shifts and branches that cannot be predicted. It fits into registers, so it
//! measures the processor and not the memory. It is written out here, and does not use the rules: speeds are comparable
//! between versions of the arena only as long as nothing about it changes.

/// Number of the loop; increase it if a step becomes other work.
pub(super) const VERSION: u32 = 1;

const COLUMNS: u64 = 7;
const ROWS: u64 = 6;
/// Bits of a column: its cells from below, and an empty one above that keeps columns apart.
const COLUMN_BITS: u64 = ROWS + 1;
/// Distances of cells in a line: up, along a row, and along both diagonals.
const DIRECTIONS: [u64; 4] = [1, COLUMN_BITS, COLUMN_BITS - 1, COLUMN_BITS + 1];

/// Games that follow from a seed.
#[derive(Debug)]
pub(super) struct Playouts {
    random: u64,
    /// Moves made in all games.
    pub(super) steps: u64,
    /// Games that the first player won.
    wins: u64,
}

impl Playouts {
    /// Games that follow from `seed`, which must not be 0.
    pub(super) const fn new(seed: u64) -> Self {
        Self { random: seed, steps: 0, wins: 0 }
    }

    /// Plays the next game.
    pub(super) fn play(&mut self) {
        let (mut mover, mut waiting) = (0_u64, 0_u64);
        for ply in 0..COLUMNS * ROWS {
            let taken = mover | waiting;
            let mut column = self.draw();
            // Adding 1 to a column of stones gives the cell above them; the one above the board means it is full.
            let cell = loop {
                let bottom = 1 << (column * COLUMN_BITS);
                let stones = taken & (bottom * ((1 << ROWS) - 1));
                if stones >> (column * COLUMN_BITS) != (1 << ROWS) - 1 {
                    break stones + bottom;
                }
                column = if column + 1 == COLUMNS { 0 } else { column + 1 };
            };
            mover |= cell;
            self.steps += 1;
            if DIRECTIONS.iter().any(|by| has_four(mover, *by)) {
                self.wins += u64::from(ply % 2 == 0);
                return;
            }
            (mover, waiting) = (waiting, mover);
        }
    }

    /// The next column (xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016).
    const fn draw(&mut self) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        let high = self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        (high * COLUMNS) >> 32
    }
}

/// Whether four stones are this far from each other.
const fn has_four(stones: u64, by: u64) -> bool {
    let two = stones & (stones >> by);
    two & (two >> (2 * by)) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change here makes speeds incomparable: increase the version.
    #[test]
    fn the_work_never_changes() {
        let mut playouts = Playouts::new(1);
        (0..10_000).for_each(|_| playouts.play());
        insta::assert_snapshot!(
            format!("version {VERSION}: {} steps, {} wins", playouts.steps, playouts.wins),
            @"version 1: 213495 steps, 5599 wins"
        );
    }

    #[test]
    fn four_in_a_row_win_in_each_direction_and_three_do_not() {
        for by in DIRECTIONS {
            let four = [0, 1, 2, 3].map(|index| 1_u64 << (3 + index * by)).iter().sum();
            assert!(has_four(four, by), "{by}");
            assert!(!has_four(four & (four - 1), by), "{by}");
        }
    }
}
