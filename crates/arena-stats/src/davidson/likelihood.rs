//! The likelihood of results under Davidson's model, and its maximum.

use crate::counts::{BySeat, Counts};
use crate::dense::DenseMatrix;
use crate::field::Fitted;
use crate::newton::{self, Concave, Slopes};

/// Limit of ln ν. If θ and ν diverge together, the probabilities of other results than the observed ones fall no faster
/// than `ν^-2`. Up to this limit they exceed rounding errors, so the fit does not stop on the way.
const LOG_NU_MAX: f64 = 15.0;

/// Largest difference of expected and observed, relative to the number of games: far more than rounding, far less than
/// a game.
const RESIDUAL_MAX: f64 = 1e-9;

/// The probabilities of a game's results under the model.
pub(super) struct Odds {
    /// Of a win, a draw and a loss.
    pub(super) chances: [f64; 3],
    /// The logarithm of `exp(d/2) + ν + exp(-d/2)`.
    pub(super) log_sum: f64,
}

impl Odds {
    /// Takes any numbers except NaN; `difference` must be finite.
    pub(super) fn new(difference: f64, log_nu: f64) -> Self {
        if log_nu == f64::INFINITY {
            return Self { chances: [0.0, 1.0, 0.0], log_sum: log_nu };
        }
        let logs = [difference / 2.0, log_nu, -difference / 2.0];
        let top = logs.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let weights = logs.map(|log| (log - top).exp());
        let sum: f64 = weights.iter().sum();
        Self { chances: weights.map(|weight| weight / sum), log_sum: top + sum.ln() }
    }
}

/// Games of two bots in the same seats, as seen from `a`.
#[derive(Default)]
struct SeatGames {
    wins: f64,
    draws: f64,
    losses: f64,
}

impl SeatGames {
    fn log_likelihood(&self, difference: f64, log_nu: f64) -> f64 {
        let Self { wins, draws, losses } = self;
        let drawn = if *draws > 0.0 { draws * log_nu } else { 0.0 };
        (wins - losses) * difference / 2.0 + drawn - (wins + draws + losses) * Odds::new(difference, log_nu).log_sum
    }

    /// The derivatives by d and ln ν: points and draws above expectation.
    fn slope(&self, [win, draw, loss]: [f64; 3]) -> [f64; 2] {
        let Self { wins, draws, losses } = self;
        // Without cancellation for large d.
        let points = wins * (loss + draw / 2.0) + draws * (loss - win) / 2.0 - losses * (win + draw / 2.0);
        [points, draws * (win + loss) - (wins + losses) * draw]
    }

    /// The negative second derivatives: the variance of the score, its covariance with a draw, and the variance of a
    /// draw.
    fn curvature(&self, [win, draw, loss]: [f64; 3]) -> [f64; 3] {
        let games = self.wins + self.draws + self.losses;
        [win * loss + draw * (win + loss) / 4.0, draw * (loss - win) / 2.0, draw * (win + loss)].map(|x| x * games)
    }
}

/// All games of two bots.
struct PairGames {
    a: usize,
    b: usize,
    /// Games by the coefficient of γ: with `a` first, with `a` second, and virtual games, which cannot be draws.
    games: [(f64, SeatGames); 3],
}

/// The likelihood of all games. The unknowns are the strengths, then γ, then ln ν.
pub(super) struct Likelihood {
    met: Vec<PairGames>,
    bots: usize,
    games: f64,
    side: bool,
    /// A virtual decisive game between equal bots, half won by the first.
    of_equals: SeatGames,
    held: Vec<bool>,
}

impl Likelihood {
    /// Includes the virtual games of a main fit.
    pub(super) fn new(counts: &Counts, Fitted { model, .. }: &Fitted<'_>) -> Self {
        let decisive = |games: f64| SeatGames { wins: games / 2.0, draws: 0.0, losses: games / 2.0 };
        let met = counts.pairings().enumerate().map(|(index, met)| {
            let BySeat { as_first, as_second } = met.games();
            let [first, second] = [as_first, as_second].map(|tally| SeatGames {
                wins: tally.wins as f64,
                draws: tally.draws as f64,
                losses: tally.losses as f64,
            });
            PairGames { a: met.a, b: met.b, games: [(1.0, first), (-1.0, second), (0.0, decisive(model.draws(index)))] }
        });
        let mut held = model.held.clone();
        held.push(false);
        Self {
            met: met.collect(),
            bots: counts.bots(),
            games: counts.first_seat().games() as f64,
            side: model.side,
            of_equals: decisive(model.side_draws),
            held,
        }
    }

    /// The largest ln ν that is accepted as a maximum. There is no limit if some bot both won and lost under the same
    /// conditions: then θ and ν cannot diverge together.
    pub(super) fn log_nu_max(&self) -> f64 {
        let both_ways = |met: &PairGames| {
            let [(_, first), (_, second), _] = &met.games;
            let both = |wins: f64, losses: f64| wins > 0.0 && losses > 0.0;
            if self.side {
                both(first.wins, first.losses) || both(second.wins, second.losses)
            } else {
                both(first.wins + second.wins, first.losses + second.losses)
            }
        };
        if self.met.iter().any(both_ways) { f64::INFINITY } else { LOG_NU_MAX }
    }

    /// The difference d and ln ν of games by the index of their kind.
    fn conditions(&self, at: &[f64], met: &PairGames, kind: usize) -> (f64, f64) {
        let log_nu = if kind == 2 { f64::NEG_INFINITY } else { at[self.bots + 1] };
        (at[met.a] - at[met.b] + met.games[kind].0 * at[self.bots], log_nu)
    }

    /// Finds the maximum, starting from `start`; `None` if there is none.
    pub(super) fn maximise(&self, start: Vec<f64>) -> Option<Vec<f64>> {
        // If strengths are so far apart that rounding changes them, the steps may never become small.
        let at = newton::maximise(self, start).at;
        let residual_max = RESIDUAL_MAX * (1.0 + self.games);
        // NaN fails this comparison.
        self.slopes(&at).gradient.iter().all(|x| x.abs() <= residual_max).then_some(at)
    }
}

impl Concave for Likelihood {
    /// The logarithm of the likelihood.
    fn value(&self, at: &[f64]) -> f64 {
        let of_met = |met: &PairGames| {
            let of_kind = |kind: usize| {
                let (difference, log_nu) = self.conditions(at, met, kind);
                met.games[kind].1.log_likelihood(difference, log_nu)
            };
            (0..3).map(of_kind).sum::<f64>()
        };
        self.of_equals.log_likelihood(at[self.bots], f64::NEG_INFINITY) + self.met.iter().map(of_met).sum::<f64>()
    }

    fn slopes(&self, at: &[f64]) -> Slopes {
        let (gamma, log_nu) = (self.bots, self.bots + 1);
        let mut gradient = vec![0.0; at.len()];
        let mut curvature = DenseMatrix::identity_where(&self.held);
        let mut add = |row, column, value| curvature.add_unless(&self.held, row, column, value);
        for met in &self.met {
            for (kind, (sign, games)) in met.games.iter().enumerate() {
                let (difference, nu) = self.conditions(at, met, kind);
                let chances = Odds::new(difference, nu).chances;
                let [points, draws] = games.slope(chances);
                let [variance, covariance, of_draws] = games.curvature(chances);
                // The derivatives of d. Its unknowns are in ascending order, so this fills the lower triangle.
                let by_unknown = [(met.a, 1.0), (met.b, -1.0), (gamma, *sign)];
                for (place, (row, x)) in by_unknown.into_iter().enumerate() {
                    gradient[row] += x * points;
                    by_unknown[..=place].iter().for_each(|(column, y)| add(row, *column, x * y * variance));
                    add(log_nu, row, x * covariance);
                }
                gradient[log_nu] += draws;
                add(log_nu, log_nu, of_draws);
            }
        }
        let chances = Odds::new(at[gamma], f64::NEG_INFINITY).chances;
        gradient[gamma] += self.of_equals.slope(chances)[0];
        add(gamma, gamma, self.of_equals.curvature(chances)[0]);
        if !self.side {
            gradient[gamma] = 0.0;
        }
        Slopes { gradient, curvature }
    }

    fn held(&self) -> &[bool] {
        &self.held
    }

    /// The largest change between bots that met.
    fn largest_change(&self, step: &[f64]) -> f64 {
        let apart = self.met.iter().map(|met| (step[met.a] - step[met.b]).abs()).fold(0.0, f64::max);
        apart + step[self.bots].abs() + step[self.bots + 1].abs()
    }
}
