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
use super::dense::DenseMatrix;
use super::newton::{Concave, Slopes};

/// The data to fit: real games, and the virtual games that keep the fit finite.
pub(super) struct Model<'a> {
    pub(super) counts: &'a Counts,
    /// Virtual draws of each pairing; empty if there are none.
    pub(super) draws: Vec<f64>,
    /// Whether γ is fitted; it is 0 otherwise.
    pub(super) side: bool,
    /// Virtual draws between equal bots, which bound γ if the games do not.
    pub(super) side_draws: f64,
    /// The terms of a normal prior.
    pub(super) prior: Prior,
    /// Unknowns that the data do not determine: one bot of each group, every bot without games, and γ if it is not
    /// fitted. They are held fixed when equations are solved.
    pub(super) held: Vec<bool>,
}

/// The terms of a normal prior of the strengths, see `prior.rs`.
#[derive(Clone, Copy)]
pub(super) struct Prior {
    /// `ridge / 2 Σ θ²` is subtracted from the quasi-likelihood.
    pub(super) ridge: f64,
    /// What it adds to the variance of each strength's slope.
    pub(super) variance: f64,
    /// Factor of the variance of the games' part of the slopes, for few clusters.
    pub(super) correction: f64,
}

impl Prior {
    pub(super) const NONE: Self = Self { ridge: 0.0, variance: 0.0, correction: 1.0 };
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

    /// The strengths that are not held fixed.
    pub(super) fn strengths(&self, at: &[f64]) -> impl Iterator<Item = f64> {
        at.iter().zip(&self.held).take(self.counts.bots()).filter(|(_, held)| !**held).map(|(nats, _)| *nats)
    }

    /// The virtual draws of the pairing with this index.
    pub(super) fn draws(&self, pairing: usize) -> f64 {
        self.draws.get(pairing).copied().unwrap_or(0.0)
    }
}

impl Concave for Model<'_> {
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
        let games = held + self.counts.pairings().enumerate().map(of_pairing).sum::<f64>();
        if self.prior.ridge > 0.0 {
            games - self.prior.ridge / 2.0 * self.strengths(at).map(|nats| nats * nats).sum::<f64>()
        } else {
            games
        }
    }

    /// The curvature is positive semidefinite: `Σ h x x'` with x = `e_a - e_b` ± `e_γ`.
    fn slopes(&self, at: &[f64]) -> Slopes {
        let gamma = self.counts.bots();
        let chances = Chances::new(at);
        let mut sums = Sums::default();
        let mut gradient = vec![0.0; at.len()];
        let mut curvature = DenseMatrix::identity_where(&self.held);
        let mut add = |row, column, value| curvature.add_unless(&self.held, row, column, value);
        for (index, met) in self.counts.pairings().enumerate() {
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
            } else {
                sums.add(chances.level(met.a, met.b), 0.0, won[0] + won[1] + draws, lost[0] + lost[1] + draws);
            }
            gradient[met.a] += sums.slope;
            gradient[met.b] -= sums.slope;
            // In a pairing a is less than b, so this fills the lower triangle.
            add(met.a, met.a, sums.h);
            add(met.b, met.b, sums.h);
            add(met.b, met.a, -sums.h);
            add(gamma, met.a, sums.h_side);
            add(gamma, met.b, -sums.h_side);
        }
        sums.add(chances.first_of_equals(), 1.0, self.side_draws / 2.0, self.side_draws / 2.0);
        gradient[gamma] = sums.slope_gamma;
        add(gamma, gamma, sums.h_gamma);
        if self.prior.ridge > 0.0 {
            for (bot, (slope, nats)) in gradient.iter_mut().zip(at).enumerate().take(gamma) {
                *slope -= self.prior.ridge * nats;
                add(bot, bot, self.prior.ridge);
            }
        }
        Slopes { gradient, curvature }
    }

    fn held(&self) -> &[bool] {
        &self.held
    }

    /// The largest change between bots that met.
    fn largest_change(&self, step: &[f64]) -> f64 {
        let apart = self.counts.pairings().map(|met| (step[met.a] - step[met.b]).abs()).fold(0.0, f64::max);
        apart + step[self.counts.bots()].abs()
    }
}
