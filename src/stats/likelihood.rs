//! The quasi-likelihood that ratings maximise, with its slope and curvature.
//!
//! θ are the strengths in nats, γ the advantage of the first seat, and `s_g` the points (1, 1/2, 0) of the first bot i
//! of game g against j. With `p_g = 1 / (1 + exp(-(θ_i - θ_j + γ)))`,
//!
//! ```text
//! Q(θ, γ) = Σ_g [ s_g ln p_g + (1 - s_g) ln(1 - p_g) ]
//! ```
//!
//! is concave, and has its maximum where every bot has as many points as expected (Bradley and Terry 1952; Hunter, "MM
//! algorithms for generalized Bradley–Terry models", 2004; draws as half a win as in Ordo). The estimates of strength
//! are consistent for any distribution of draws, as long as the mean score is logistic.

use super::chances::{Chance, Chances};
use super::counts::{Counts, Pairing, SeatPoints};
use super::dense::{Matrix, dot};
use super::newton::{Concave, Slopes};

/// Relative precision of a step; the next step corrects what it misses.
const STEP_PRECISION: f64 = 1e-3;

/// Relative precision of the last steps.
const LAST_STEP_PRECISION: f64 = 1e-6;

/// The data to fit: real games, and the virtual games that keep the fit finite.
pub(super) struct Model<'a> {
    pub(super) counts: &'a Counts,
    /// Virtual draws of each pairing; empty if there are none.
    pub(super) draws: Vec<f64>,
    /// Whether γ is fitted; it is 0 otherwise.
    pub(super) side: bool,
    /// Virtual draws between equal bots, which bound γ if the games do not.
    pub(super) side_draws: f64,
    /// Unknowns that the data do not determine: one bot of each group, every bot without games, and γ if it is not
    /// fitted. They are held fixed when equations are solved.
    pub(super) held: Vec<bool>,
}

/// The negative second derivatives of Q by the strengths and γ. The matrix is positive semidefinite: `Σ h x x'` with x
/// = `e_a - e_b` ± `e_γ`.
pub(super) struct Curvature<'a> {
    counts: &'a Counts,
    /// h of each pairing.
    strength: Vec<f64>,
    /// The part of h with `a` first minus the part with `a` second; empty if γ is not fitted.
    side: Vec<f64>,
    diagonal: Vec<f64>,
}

/// Sums over the games of one pairing, and over all games for γ.
#[derive(Default)]
struct Sums {
    slope: f64,
    h: f64,
    h_side: f64,
    slope_gamma: f64,
    h_gamma: f64,
}

impl Sums {
    /// Adds games with the same probabilities. `sign` is the coefficient of γ; `won` and `lost` are points of the bot.
    #[inline]
    fn add(&mut self, chance: Chance, sign: f64, won: f64, lost: f64) {
        let surplus = chance.surplus(won, lost);
        let weight = (won + lost) * chance.variance();
        self.slope += surplus;
        self.h += weight;
        self.h_side += sign * weight;
        self.slope_gamma += sign * surplus;
        self.h_gamma += sign.abs() * weight;
    }
}

/// `won ln p + lost ln(1 - p)`.
fn log_likelihood(difference: f64, won: f64, lost: f64) -> f64 {
    let tail = (-difference.abs()).exp().ln_1p();
    won * (difference.min(0.0) - tail) + lost * ((-difference).min(0.0) - tail)
}

impl Model<'_> {
    /// The number of unknowns.
    pub(super) fn unknowns(&self) -> usize {
        self.counts.bots() + 1
    }

    /// The virtual draws of the pairing with this index.
    pub(super) fn draws(&self, pairing: usize) -> f64 {
        self.draws.get(pairing).copied().unwrap_or(0.0)
    }
}

impl<'a> Concave for Model<'a> {
    type Curvature = Curvature<'a>;

    fn value(&self, at: &[f64]) -> f64 {
        let gamma = at[self.counts.bots()];
        let of_pairing = |(index, met): (usize, Pairing<'_>)| {
            let SeatPoints { won, lost } = met.points();
            let (difference, draws) = (at[met.a] - at[met.b], self.draws(index) / 2.0);
            log_likelihood(difference + gamma, won[0], lost[0])
                + log_likelihood(difference - gamma, won[1], lost[1])
                + log_likelihood(difference, draws, draws)
        };
        let held = log_likelihood(gamma, self.side_draws / 2.0, self.side_draws / 2.0);
        held + self.counts.pairings().enumerate().map(of_pairing).sum::<f64>()
    }

    fn slopes(&self, at: &[f64]) -> Slopes<Curvature<'a>> {
        let pairings = self.counts.pairings();
        let chances = Chances::new(at);
        let mut sums = Sums::default();
        let mut gradient = vec![0.0; at.len()];
        let mut diagonal = vec![0.0; at.len()];
        let mut strength = Vec::with_capacity(pairings.len());
        let mut side = Vec::with_capacity(if self.side { pairings.len() } else { 0 });
        for (index, met) in pairings.enumerate() {
            let SeatPoints { won, lost } = met.points();
            let draws = self.draws(index) / 2.0;
            (sums.slope, sums.h, sums.h_side) = (0.0, 0.0, 0.0);
            if self.side {
                let [first, second] = chances.seats(met.a, met.b);
                sums.add(first, 1.0, won[0], lost[0]);
                sums.add(second, -1.0, won[1], lost[1]);
                if draws > 0.0 {
                    sums.add(chances.level(met.a, met.b), 0.0, draws, draws);
                }
                side.push(sums.h_side);
            } else {
                sums.add(chances.level(met.a, met.b), 0.0, won[0] + won[1] + draws, lost[0] + lost[1] + draws);
            }
            gradient[met.a] += sums.slope;
            gradient[met.b] -= sums.slope;
            diagonal[met.a] += sums.h;
            diagonal[met.b] += sums.h;
            strength.push(sums.h);
        }
        sums.add(chances.first_of_equals(), 1.0, self.side_draws / 2.0, self.side_draws / 2.0);
        let unknown = self.counts.bots();
        (gradient[unknown], diagonal[unknown]) = (sums.slope_gamma, sums.h_gamma);
        Slopes { gradient, curvature: Curvature { counts: self.counts, strength, side, diagonal } }
    }

    fn step(&self, Slopes { gradient, curvature }: &mut Slopes<Curvature<'a>>, is_late: bool) -> Vec<f64> {
        curvature.solve(&self.held, gradient, if is_late { LAST_STEP_PRECISION } else { STEP_PRECISION })
    }

    /// The largest change between bots that met.
    fn largest_change(&self, step: &[f64]) -> f64 {
        let mut largest: f64 = 0.0;
        for (a, others) in self.counts.runs() {
            for b in others {
                largest = largest.max((step[a] - step[b]).abs());
            }
        }
        largest + step[self.counts.bots()].abs()
    }
}

impl Curvature<'_> {
    /// The product with a vector.
    pub(super) fn times(&self, x: &[f64]) -> Vec<f64> {
        let gamma = x.len() - 1;
        let mut product = vec![0.0; x.len()];
        let mut index = 0;
        for (a, others) in self.counts.runs() {
            let mut sum = 0.0;
            for b in others {
                let apart = x[a] - x[b];
                let mut flow = self.strength[index] * apart;
                if let Some(side) = self.side.get(index) {
                    flow += side * x[gamma];
                    product[gamma] += side * apart;
                }
                sum += flow;
                product[b] -= flow;
                index += 1;
            }
            product[a] += sum;
        }
        product[gamma] += self.diagonal[gamma] * x[gamma];
        product
    }

    /// The Cholesky decomposition, with unit rows for unknowns that are held fixed.
    pub(super) fn decomposed(&self, held: &[bool]) -> Matrix {
        let gamma = held.len() - 1;
        let mut matrix = Matrix::zero(held.len());
        let mut add = |row: usize, column: usize, value: f64| {
            if !held[row] && !held[column] {
                matrix.add(row, column, value);
            }
        };
        // In a pairing a is less than b, so this fills the lower triangle.
        for (index, met) in self.counts.pairings().enumerate() {
            add(met.b, met.a, -self.strength[index]);
            if let Some(h) = self.side.get(index) {
                add(gamma, met.a, *h);
                add(gamma, met.b, -h);
            }
        }
        for (at, value) in self.diagonal.iter().enumerate() {
            add(at, at, *value);
        }
        (0..held.len()).filter(|at| held[*at]).for_each(|at| matrix.add(at, at, 1.0));
        matrix.cholesky();
        matrix
    }

    /// Solves `H x = right` to a relative error of `precision`, by conjugate gradients with the diagonal as
    /// preconditioner (Hestenes and Stiefel 1952), or directly where that is faster or more reliable.
    pub(super) fn solve(&self, held: &[bool], right: &[f64], precision: f64) -> Vec<f64> {
        /// Number of unknowns from which a few products are much cheaper than a decomposition.
        const ITERATIVE_MIN: usize = 200;
        /// Maximum number of products. A field that needs more is sparsely connected; the decomposition is then faster.
        const PRODUCTS_MAX: usize = 100;
        let by_gradients = if held.len() < ITERATIVE_MIN {
            None
        } else {
            self.conjugate_gradients(held, right, precision, PRODUCTS_MAX)
        };
        by_gradients.unwrap_or_else(|| {
            let mut x: Vec<f64> = right.iter().zip(held).map(|(x, held)| if *held { 0.0 } else { *x }).collect();
            self.decomposed(held).solve(&mut x);
            x
        })
    }

    /// Returns `None` if `products_max` products do not reach `precision`. Only γ needs to be held fixed here: the
    /// equations of each group determine differences, and starting from zero determines the rest.
    fn conjugate_gradients(
        &self,
        held: &[bool],
        right: &[f64],
        precision: f64,
        products_max: usize,
    ) -> Option<Vec<f64>> {
        let gamma = held.len() - 1;
        let inverse = |at: usize| {
            let free = (at < gamma || !held[gamma]) && self.diagonal[at] > 0.0;
            if free { 1.0 / self.diagonal[at] } else { 0.0 }
        };
        let scale: Vec<f64> = (0..held.len()).map(inverse).collect();
        let scaled = |r: &[f64]| r.iter().zip(&scale).map(|(r, s)| r * s).collect::<Vec<f64>>();
        let mut x = vec![0.0; right.len()];
        let mut residual = right.to_vec();
        let mut z = scaled(&residual);
        let mut direction = z.clone();
        let mut norm = dot(&residual, &z);
        // Residuals that would change nothing by more than 1e-13 are rounding errors.
        let rounding = 1e-26 * self.diagonal.iter().sum::<f64>();
        let goal = (norm * precision * precision).max(rounding);
        for _ in 0..products_max {
            if norm <= goal {
                return Some(x);
            }
            let product = self.times(&direction);
            let along = dot(&direction, &product);
            if along <= 0.0 {
                return None;
            }
            let length = norm / along;
            x.iter_mut().zip(&direction).for_each(|(x, d)| *x += length * d);
            residual.iter_mut().zip(&product).for_each(|(r, p)| *r -= length * p);
            z = scaled(&residual);
            let next = dot(&residual, &z);
            let turn = next / norm;
            direction.iter_mut().zip(&z).for_each(|(d, z)| *d = z + turn * *d);
            norm = next;
        }
        None
    }
}
