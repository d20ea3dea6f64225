//! The quasi-likelihood that ratings maximise, with its slope and curvature.
//!
//! With θ the strengths in nats, γ the advantage of the first seat and `s_g` the points (1, 1/2, 0) that the first bot i
//! of game g took from j, `p_g = 1 / (1 + exp(-(θ_i - θ_j + γ)))` and
//!
//! ```text
//! Q(θ, γ) = Σ_g [ s_g ln p_g + (1 - s_g) ln(1 - p_g) ]
//! ```
//!
//! is concave, and largest where every bot has as many points as expected (Bradley and Terry 1952; Hunter, "MM
//! algorithms for generalized Bradley–Terry models", 2004; draws as half a win as in Ordo). It estimates strength
//! consistently whatever the law of draws, as long as the mean score is logistic.

use super::counts::{Counts, SeatPoints};
use super::dense::{Matrix, dot};

/// What is fitted: real games, and the virtual ones that keep everything finite.
pub(super) struct Model<'a> {
    pub(super) counts: &'a Counts,
    /// Virtual draws of each pairing; empty if there are none at all.
    pub(super) draws: Vec<f64>,
    /// Whether γ is fitted; it is 0 otherwise.
    pub(super) side: bool,
    /// Virtual drawn games between equals, which hold γ where the games do not.
    pub(super) side_draws: f64,
    /// Unknowns that are not determined by themselves: one bot of each group, every bot without games, and γ if it
    /// is not fitted. They are held when equations are solved.
    pub(super) held: Vec<bool>,
}

/// Q and its derivatives at one point; the unknowns are the strengths, then γ.
pub(super) struct Slopes<'a> {
    pub(super) value: Option<f64>,
    pub(super) gradient: Vec<f64>,
    pub(super) curvature: Curvature<'a>,
}

/// Minus the second derivatives of Q, which are positive semidefinite: `Σ h x x'` with x = `e_a - e_b` ± `e_γ`.
pub(super) struct Curvature<'a> {
    counts: &'a Counts,
    /// h of each pairing.
    strength: Vec<f64>,
    /// The part of h played with `a` first minus that with `a` second; empty if γ is not fitted.
    side: Vec<f64>,
    diagonal: Vec<f64>,
}

/// The probabilities of a win and of a loss for a difference in nats.
#[derive(Clone, Copy)]
pub(super) struct Logistic {
    pub(super) win: f64,
    pub(super) loss: f64,
}

impl Logistic {
    /// Both to full precision, however small.
    #[inline]
    pub(super) fn new(difference: f64) -> Self {
        let odds = (-difference.abs()).exp();
        let (more, less) = (1.0 / (1.0 + odds), odds / (1.0 + odds));
        if difference >= 0.0 { Self { win: more, loss: less } } else { Self { win: less, loss: more } }
    }

    /// The variance of a decisive game.
    pub(super) fn variance(&self) -> f64 {
        self.win * self.loss
    }
}

/// Sums over games: of one pairing, and below them those for γ and Q over all.
#[derive(Default)]
struct Sums {
    with_value: bool,
    gamma: f64,
    slope: f64,
    h: f64,
    h_side: f64,
    slope_gamma: f64,
    h_gamma: f64,
    value: f64,
}

impl Sums {
    /// Adds games with the same chances: a bot ahead by `difference` and helped by `sign` times γ won and lost so
    /// many points.
    #[inline]
    fn add(&mut self, difference: f64, sign: f64, won: f64, lost: f64) {
        let difference = difference + sign * self.gamma;
        let p = Logistic::new(difference);
        // The same as won - (won + lost) p, without cancellation.
        let residual = won * p.loss - lost * p.win;
        let weight = (won + lost) * p.variance();
        self.slope += residual;
        self.h += weight;
        self.h_side += sign * weight;
        self.slope_gamma += sign * residual;
        self.h_gamma += sign.abs() * weight;
        if self.with_value {
            self.value += log_likelihood(difference, won, lost);
        }
    }
}

/// `won ln p + lost ln(1 - p)`.
fn log_likelihood(difference: f64, won: f64, lost: f64) -> f64 {
    let tail = (-difference.abs()).exp().ln_1p();
    won * (difference.min(0.0) - tail) + lost * ((-difference).min(0.0) - tail)
}

impl<'a> Model<'a> {
    /// The number of unknowns.
    pub(super) fn unknowns(&self) -> usize {
        self.counts.bots() + 1
    }

    /// The virtual draws of the pairing with this index.
    pub(super) fn draws(&self, pairing: usize) -> f64 {
        self.draws.get(pairing).copied().unwrap_or(0.0)
    }

    /// Q, only if it is asked for since logarithms are slow, and its derivatives.
    pub(super) fn slopes(&self, at: &[f64], with_value: bool) -> Slopes<'a> {
        let (strengths, gamma) = (&at[..self.counts.bots()], at[self.counts.bots()]);
        let pairings = self.counts.pairings();
        let mut sums = Sums { with_value, gamma, ..Sums::default() };
        let mut gradient = vec![0.0; at.len()];
        let mut diagonal = vec![0.0; at.len()];
        let mut strength = Vec::with_capacity(pairings.len());
        let mut side = Vec::with_capacity(if self.side { pairings.len() } else { 0 });
        for (index, met) in pairings.enumerate() {
            let SeatPoints { won, lost } = met.points();
            let difference = strengths[met.a] - strengths[met.b];
            let virtual_points = self.draws(index) / 2.0;
            (sums.slope, sums.h, sums.h_side) = (0.0, 0.0, 0.0);
            if self.side {
                sums.add(difference, 1.0, won[0], lost[0]);
                sums.add(difference, -1.0, won[1], lost[1]);
                if virtual_points > 0.0 {
                    sums.add(difference, 0.0, virtual_points, virtual_points);
                }
                side.push(sums.h_side);
            } else {
                sums.add(difference, 0.0, won[0] + won[1] + virtual_points, lost[0] + lost[1] + virtual_points);
            }
            gradient[met.a] += sums.slope;
            gradient[met.b] -= sums.slope;
            diagonal[met.a] += sums.h;
            diagonal[met.b] += sums.h;
            strength.push(sums.h);
        }
        if self.side && self.side_draws > 0.0 {
            sums.add(0.0, 1.0, self.side_draws / 2.0, self.side_draws / 2.0);
        }
        let unknown = self.counts.bots();
        (gradient[unknown], diagonal[unknown]) = (sums.slope_gamma, sums.h_gamma);
        let curvature = Curvature { counts: self.counts, strength, side, diagonal };
        Slopes { value: with_value.then_some(sums.value), gradient, curvature }
    }

    /// The largest change of any log-odds between bots that met that `step` makes.
    pub(super) fn largest_change(&self, step: &[f64]) -> f64 {
        let gamma = step[self.counts.bots()].abs();
        let changes = self.counts.runs().flat_map(|(a, others)| others.map(move |b| (step[a] - step[b]).abs()));
        changes.fold(0.0, f64::max) + gamma
    }
}

impl Curvature<'_> {
    /// The product with a vector.
    pub(super) fn times(&self, x: &[f64]) -> Vec<f64> {
        let gamma = x.len() - 1;
        let mut product = vec![0.0; x.len()];
        let mut strength = self.strength.iter();
        for (a, others) in self.counts.runs() {
            let mut sum = 0.0;
            for (b, h) in others.zip(strength.by_ref()) {
                let flow = h * (x[a] - x[b]);
                sum += flow;
                product[b] -= flow;
            }
            product[a] += sum;
        }
        let mut side = self.side.iter();
        for (a, others) in self.counts.runs().filter(|_| !self.side.is_empty()) {
            for (b, h) in others.zip(side.by_ref()) {
                product[a] += h * x[gamma];
                product[b] -= h * x[gamma];
                product[gamma] += h * (x[a] - x[b]);
            }
        }
        product[gamma] += self.diagonal[gamma] * x[gamma];
        product
    }

    /// The Cholesky decomposition, with unit rows for what is held.
    pub(super) fn decomposed(&self, held: &[bool]) -> Matrix {
        let gamma = held.len() - 1;
        let mut matrix = Matrix::zero(held.len());
        let mut add = |row: usize, column: usize, value: f64| {
            if !held[row] && !held[column] {
                matrix.add(row, column, value);
            }
        };
        // In a pairing a comes before b: this is the lower triangle.
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
    /// preconditioner (Hestenes and Stiefel 1952), or directly when that is faster or surer.
    pub(super) fn solve(&self, held: &[bool], right: &[f64], precision: f64) -> Vec<f64> {
        /// From here on a few products are much cheaper than a decomposition.
        const ITERATIVE_MIN: usize = 200;
        /// A field that needs more is so thinly linked that the decomposition is the better way.
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

    /// `None` if `products_max` products do not reach `precision`. What is held apart from γ needs no care: every
    /// group's equations determine differences, and its start, the zero vector, the rest.
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
        let goal = norm * precision * precision;
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
