//! Dense symmetric matrices: the operations needed for exact errors, fast enough for a thousand bots.
//!
//! Everything is built from one operation, dot products of one row with four others. Four sums in four lanes keep the
//! adders busy without reordering at run time, so all machines compute the same numbers.

/// A square matrix, stored by rows and padded with zeros to a multiple of the tile size.
#[derive(Debug, Clone)]
pub struct DenseMatrix {
    size: usize,
    values: Vec<f64>,
}

/// Number of rows that are multiplied at a time.
const TILE: usize = 4;

/// Smallest pivot relative to its diagonal element. Below it the pivot is rounding error: the direction is
/// undetermined.
const PIVOT_MIN: f64 = 1e-14;

impl DenseMatrix {
    /// Creates a zero matrix of at least `size` rows and columns.
    #[must_use]
    pub fn zero(size: usize) -> Self {
        let size = size.next_multiple_of(TILE);
        Self { size, values: vec![0.0; size * size] }
    }

    /// The number of rows, including padding.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// The entries of a row.
    #[must_use]
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.size..][..self.size]
    }

    /// The entries of a row, to be changed.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.size..][..self.size]
    }

    /// Creates a matrix of zeros, with ones on the diagonal for unknowns that are held fixed.
    #[must_use]
    pub fn identity_where(held: &[bool]) -> Self {
        let mut matrix = Self::zero(held.len());
        for at in (0..held.len()).filter(|at| held[*at]) {
            matrix.add(at, at, 1.0);
        }
        matrix
    }

    /// Adds to an element.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        self.values[row * self.size + column] += value;
    }

    /// Adds to an element, unless its row or column is held fixed.
    pub fn add_unless(&mut self, held: &[bool], row: usize, column: usize, value: f64) {
        if !held[row] && !held[column] {
            self.add(row, column, value);
        }
    }

    /// Replaces a positive semidefinite matrix by the lower triangle L of its Cholesky decomposition LL'. Reads only
    /// the lower triangle. An undetermined direction gets a column of zeros.
    pub fn cholesky(&mut self) {
        let size = self.size;
        for top in (0..size).step_by(TILE) {
            let (head, below) = self.values.split_at_mut((top + TILE) * size);
            let tile = &mut head[top * size..];
            for row in 0..TILE {
                let (above, this) = tile.split_at_mut(row * size);
                for (column, other) in (top..).zip(above.chunks_exact(size)) {
                    let rest = this[column] - dot(&this[..column], &other[..column]);
                    this[column] = rest * inverse(other[column]);
                }
                let column = top + row;
                let pivot = this[column] - dot(&this[..column], &this[..column]);
                this[column] = if pivot > PIVOT_MIN * this[column] { pivot.sqrt() } else { 0.0 };
                this[column + 1..size].fill(0.0);
            }
            let tile = Tile::new(tile, top, size);
            below.chunks_exact_mut(size).for_each(|row| tile.solve(row, 0));
        }
    }

    /// Replaces every row x by the solution y of L y = x, for the lower triangle `l` of the same size. Row r must be
    /// zero before column `start(r)`.
    pub fn forward(&mut self, l: &Self, start: impl Fn(usize) -> usize) {
        let size = self.size;
        for top in (0..size).step_by(TILE) {
            let tile = Tile::new(&l.values[top * size..], top, size);
            for (row, this) in self.values.chunks_exact_mut(size).enumerate() {
                let start = start(row) / TILE * TILE;
                if start <= top {
                    tile.solve(this, start);
                }
            }
        }
    }

    /// Swaps rows and columns.
    pub fn transpose(&mut self) {
        // In blocks, so that both ends of a swap stay in the cache.
        const BLOCK: usize = 32;
        let size = self.size;
        for top in (0..size).step_by(BLOCK) {
            for left in (0..=top).step_by(BLOCK) {
                for row in top..size.min(top + BLOCK) {
                    for column in left..row.min(left + BLOCK) {
                        self.values.swap(row * size + column, column * size + row);
                    }
                }
            }
        }
    }

    /// Rotates the matrix by 180 degrees: reverses both rows and columns.
    pub fn rotate(&mut self) {
        self.values.reverse();
    }

    /// Reverses every row.
    pub fn reverse_rows(&mut self) {
        self.values.chunks_exact_mut(self.size.max(1)).for_each(<[f64]>::reverse);
    }

    /// Solves LL' x = b in place, for a matrix that holds L.
    pub fn solve(&self, x: &mut [f64]) {
        for row in 0..x.len() {
            let l = self.row(row);
            x[row] = (x[row] - dot(&l[..row], &x[..row])) * inverse(l[row]);
        }
        for row in (0..x.len()).rev() {
            let l = self.row(row);
            x[row] *= inverse(l[row]);
            let solved = x[row];
            x[..row].iter_mut().zip(l).for_each(|(x, l)| *x -= l * solved);
        }
    }
}

/// The reciprocal of a diagonal element; 0 for an undetermined direction, which keeps it 0.
fn inverse(value: f64) -> f64 {
    if value > 0.0 { 1.0 / value } else { 0.0 }
}

/// Several rows of a lower triangle L, prepared for solving.
struct Tile<'a> {
    /// Index of the first row.
    top: usize,
    /// The rows up to the diagonal block.
    rows: [&'a [f64]; TILE],
    /// The diagonal block.
    corner: [[f64; TILE]; TILE],
    /// The reciprocals of its diagonal.
    inverse: [f64; TILE],
}

impl<'a> Tile<'a> {
    /// Takes values from row `top` onwards.
    fn new(values: &'a [f64], top: usize, size: usize) -> Self {
        let at = |row: usize, column: usize| values[row * size + top + column];
        Self {
            top,
            rows: std::array::from_fn(|row| &values[row * size..][..top]),
            corner: std::array::from_fn(|row| std::array::from_fn(|column| at(row, column))),
            inverse: std::array::from_fn(|row| inverse(at(row, row))),
        }
    }

    /// Solves the columns of the diagonal block for one row. Earlier columns are already solved, and those before
    /// `start` are zero.
    fn solve(&self, row: &mut [f64], start: usize) {
        let (solved, rest) = row.split_at_mut(self.top);
        let Some(x) = rest.first_chunk_mut::<TILE>() else { return };
        let sums = dots(&solved[start..], self.rows.map(|row| &row[start..]));
        for row in 0..TILE {
            let mut value = x[row] - sums[row];
            for (x, l) in x[..row].iter().zip(&self.corner[row]) {
                value -= x * l;
            }
            x[row] = value * self.inverse[row];
        }
    }
}

/// The dot products of `x` with each of `rows`, all of the same length, a multiple of four.
fn dots(x: &[f64], rows: [&[f64]; TILE]) -> [f64; TILE] {
    let x = x.as_chunks::<4>().0;
    let [first, second, third, fourth] = rows.map(|row| row.as_chunks::<4>().0);
    let mut lanes = [[0.0; 4]; TILE];
    for ((((x, first), second), third), fourth) in x.iter().zip(first).zip(second).zip(third).zip(fourth) {
        for lane in 0..4 {
            lanes[0][lane] += x[lane] * first[lane];
        }
        for lane in 0..4 {
            lanes[1][lane] += x[lane] * second[lane];
        }
        for lane in 0..4 {
            lanes[2][lane] += x[lane] * third[lane];
        }
        for lane in 0..4 {
            lanes[3][lane] += x[lane] * fourth[lane];
        }
    }
    let mut sums = [0.0; TILE];
    add_lanes(&lanes, &mut sums);
    sums
}

/// The sum of each row. Not inlined, because the compiler would then rearrange the loop that fills the lanes.
#[inline(never)]
fn add_lanes(lanes: &[[f64; 4]; TILE], sums: &mut [f64; TILE]) {
    for (sum, [p, q, r, s]) in sums.iter_mut().zip(lanes) {
        *sum = (p + q) + (r + s);
    }
}

/// The dot product of two rows of equal length.
#[must_use]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_rules::rng::Rng;

    /// A random lower triangle, and its product with its transpose.
    fn sample(size: usize) -> (DenseMatrix, DenseMatrix) {
        let mut rng = Rng::new(size as u64);
        let (mut lower, mut product) = (DenseMatrix::zero(size), DenseMatrix::zero(size));
        for row in 0..size {
            (0..row).for_each(|column| lower.add(row, column, rng.below(100) as f64 / 100.0 - 0.5));
            lower.add(row, row, 1.0 + rng.below(100) as f64 / 100.0);
        }
        for row in 0..size {
            (0..size).for_each(|column| product.add(row, column, dot(lower.row(row), lower.row(column))));
        }
        (lower, product)
    }

    #[track_caller]
    fn assert_close(found: &DenseMatrix, expected: &DenseMatrix) {
        let close = found.values.iter().zip(&expected.values).all(|(x, y)| (x - y).abs() < 1e-9);
        assert!(close, "{found:?}\n{expected:?}");
    }

    #[test]
    fn cholesky_finds_the_triangle() {
        for size in [0, 1, 2, 3, 4, 5, 7, 8, 9, 21] {
            let (lower, mut found) = sample(size);
            let product = found.clone();
            found.cholesky();
            assert_close(&found, &lower);
            let mut x: Vec<f64> = (0..size).map(|at| at as f64).collect();
            found.solve(&mut x);
            (0..size).for_each(|row| assert!((dot(product.row(row), &x) - row as f64).abs() < 1e-8));
        }
    }

    #[test]
    fn forward_undoes_a_product_with_the_triangle() {
        for size in [1, 4, 6, 13] {
            let (lower, _) = sample(size);
            let mut solved = DenseMatrix::zero(size);
            // Solving for the identity gives the rows of the transposed inverse, zero before the diagonal.
            (0..size).for_each(|row| solved.add(row, row, 1.0));
            let mut whole = solved.clone();
            solved.forward(&lower, |row| row);
            whole.forward(&lower, |_| 0);
            assert_close(&solved, &whole);
            for row in 0..size {
                for column in 0..size {
                    let expected = f64::from(u8::from(row == column));
                    assert!((dot(lower.row(row), solved.row(column)) - expected).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn undetermined_directions_are_zero() {
        let mut singular = DenseMatrix::zero(2);
        for (row, column, value) in [(0, 0, 1.0), (1, 0, -1.0), (1, 1, 1.0)] {
            singular.add(row, column, value);
        }
        singular.cholesky();
        assert_eq!((singular.row(0), singular.row(1)), (&[1.0, 0.0, 0.0, 0.0][..], &[-1.0, 0.0, 0.0, 0.0][..]));
    }

    #[test]
    fn transpose_and_rotate() {
        let mut matrix = DenseMatrix { size: 40, values: (0..1600).map(f64::from).collect() };
        matrix.transpose();
        assert_eq!((matrix.row(3)[37], matrix.row(39)[0]), (37.0 * 40.0 + 3.0, 39.0));
        matrix.rotate();
        let corner = matrix.row(0)[0];
        matrix.reverse_rows();
        assert_eq!((corner, matrix.row(0)[39]), (1599.0, 1599.0));
    }
}
