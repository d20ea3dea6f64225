//! Dense symmetric matrices: just what exact errors need, fast enough for a thousand bots.
//!
//! Everything is built from one operation, dot products of one row with four others. Four sums in four lanes keep
//! the adders busy without reordering anything at run time, so the same numbers come out on every machine.

/// A square matrix, stored by rows.
#[derive(Debug, Clone)]
pub(super) struct Matrix {
    size: usize,
    values: Vec<f64>,
}

/// Rows that are multiplied at once.
const TILE: usize = 4;

/// A pivot below this part of its diagonal element is rounding: the direction is not determined.
const PIVOT_MIN: f64 = 1e-14;

impl Matrix {
    pub(super) fn zero(size: usize) -> Self {
        Self { size, values: vec![0.0; size * size] }
    }

    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.size..][..self.size]
    }

    pub(super) fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.size..][..self.size]
    }

    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.values[row * self.size + column] += value;
    }

    /// Replaces a positive semidefinite matrix by the lower triangle L of its Cholesky decomposition LL'; reads only
    /// the lower triangle. A direction that is not determined gets a column of zeros.
    pub(super) fn cholesky(&mut self) {
        let size = self.size;
        for top in (0..size).step_by(TILE) {
            let bottom = size.min(top + TILE);
            let (head, below) = self.values.split_at_mut(bottom * size);
            let tile = &mut head[top * size..];
            for row in 0..bottom - top {
                let (above, this) = tile.split_at_mut(row * size);
                let this = &mut this[..size];
                for column in top..top + row {
                    let other = &above[(column - top) * size..][..size];
                    this[column] = quotient(this[column] - dot(&this[..column], &other[..column]), other[column]);
                }
                let column = top + row;
                let pivot = this[column] - dot(&this[..column], &this[..column]);
                this[column] = if pivot > PIVOT_MIN * this[column] { pivot.sqrt() } else { 0.0 };
                this[column + 1..].fill(0.0);
            }
            for this in below.chunks_exact_mut(size) {
                solve_tile(tile, top, bottom, 0, this);
            }
        }
    }

    /// Replaces every row x by the solution y of L y = x, for the lower triangle `l`. Row r is known to be zero
    /// before the column `start(r)`.
    pub(super) fn forward(&mut self, l: &Self, start: impl Fn(usize) -> usize) {
        let size = self.size;
        for top in (0..size).step_by(TILE) {
            let bottom = size.min(top + TILE);
            let tile = &l.values[top * size..bottom * size];
            for (row, this) in self.values.chunks_exact_mut(size).enumerate() {
                let start = start(row);
                if start < bottom {
                    solve_tile(tile, top, bottom, start.min(top), this);
                }
            }
        }
    }

    /// Swaps rows and columns.
    pub(super) fn transpose(&mut self) {
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

    /// Turns the matrix by half a turn: both rows and columns in reverse.
    pub(super) fn rotate(&mut self) {
        self.values.reverse();
    }

    /// Reverses every row.
    pub(super) fn reverse_rows(&mut self) {
        self.values.chunks_exact_mut(self.size.max(1)).for_each(<[f64]>::reverse);
    }

    /// Solves LL' x = b in place, for a matrix that holds L.
    pub(super) fn solve(&self, x: &mut [f64]) {
        for row in 0..self.size {
            let l = self.row(row);
            x[row] = quotient(x[row] - dot(&l[..row], &x[..row]), l[row]);
        }
        for row in (0..self.size).rev() {
            let l = self.row(row);
            x[row] = quotient(x[row], l[row]);
            let solved = x[row];
            x[..row].iter_mut().zip(l).for_each(|(x, l)| *x -= l * solved);
        }
    }
}

/// Division in which what is not determined stays zero.
fn quotient(numerator: f64, denominator: f64) -> f64 {
    if denominator > 0.0 { numerator / denominator } else { 0.0 }
}

/// Solves the columns `top..bottom` of one row against the rows of L in `tile`, the earlier columns being solved.
fn solve_tile(tile: &[f64], top: usize, bottom: usize, start: usize, this: &mut [f64]) {
    let size = this.len();
    let mut sums = [0.0; TILE];
    if bottom - top == TILE {
        let rows: [&[f64]; TILE] = std::array::from_fn(|row| &tile[row * size + start..row * size + top]);
        sums = dots(&this[start..top], rows);
    } else {
        for (sum, row) in sums.iter_mut().zip(tile.chunks_exact(size)) {
            *sum = dot(&this[start..top], &row[start..top]);
        }
    }
    for (offset, row) in tile.chunks_exact(size).enumerate() {
        let column = top + offset;
        let within = dot(&this[top..column], &row[top..column]);
        this[column] = quotient(this[column] - sums[offset] - within, row[column]);
    }
}

/// The dot products of `x` with each of `rows`, all equally long.
fn dots(x: &[f64], rows: [&[f64]; TILE]) -> [f64; TILE] {
    const LANES: usize = 4;
    let (heads, tail) = x.as_chunks::<LANES>();
    let rows = rows.map(|row| row[..x.len()].as_chunks::<LANES>());
    let [first, second, third, fourth] = rows.map(|(heads, _)| heads);
    let mut lanes = [[0.0; LANES]; TILE];
    for ((((x, first), second), third), fourth) in heads.iter().zip(first).zip(second).zip(third).zip(fourth) {
        for lane in 0..LANES {
            lanes[0][lane] += x[lane] * first[lane];
        }
        for lane in 0..LANES {
            lanes[1][lane] += x[lane] * second[lane];
        }
        for lane in 0..LANES {
            lanes[2][lane] += x[lane] * third[lane];
        }
        for lane in 0..LANES {
            lanes[3][lane] += x[lane] * fourth[lane];
        }
    }
    let mut sums = [0.0; TILE];
    add_lanes(&lanes, &mut sums);
    for (sum, (_, row)) in sums.iter_mut().zip(rows) {
        *sum += dot(tail, row);
    }
    sums
}

/// The sum of each row. Kept apart, or the compiler turns the loop that fills the lanes round to suit this.
#[inline(never)]
fn add_lanes(lanes: &[[f64; 4]; TILE], sums: &mut [f64; TILE]) {
    for (sum, [p, q, r, s]) in sums.iter_mut().zip(lanes) {
        *sum = (p + q) + (r + s);
    }
}

/// The dot product of two rows of equal length.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// A random lower triangle, and the positive definite matrix it comes from.
    fn sample(size: usize) -> (Matrix, Matrix) {
        let mut rng = Rng::new(size as u64);
        let (mut lower, mut product) = (Matrix::zero(size), Matrix::zero(size));
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
    fn assert_close(found: &Matrix, expected: &Matrix) {
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
            let mut solved = Matrix::zero(size);
            // The identity, by rows: the rows of the transposed inverse, zero before the diagonal.
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
    fn what_is_not_determined_is_zero() {
        let mut singular = Matrix { size: 2, values: vec![1.0, -1.0, -1.0, 1.0] };
        singular.cholesky();
        assert_eq!(singular.values, [1.0, 0.0, -1.0, 0.0]);
    }

    #[test]
    fn transposing_and_turning() {
        let mut matrix = Matrix { size: 40, values: (0..1600).map(f64::from).collect() };
        matrix.transpose();
        assert_eq!((matrix.row(3)[37], matrix.row(39)[0]), (37.0 * 40.0 + 3.0, 39.0));
        matrix.rotate();
        let corner = matrix.row(0)[0];
        matrix.reverse_rows();
        assert_eq!((corner, matrix.row(0)[39]), (1599.0, 1599.0));
    }
}
