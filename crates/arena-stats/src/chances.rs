//! The probabilities of results under the fitted strengths, and the points above expectation.

use super::counts::{Pairing, SeatPoints};

/// The probabilities of a win and of a loss; a draw counts as half of each.
#[derive(Clone, Copy)]
pub(super) struct Chance {
    pub(super) win: f64,
    pub(super) loss: f64,
}

impl Chance {
    /// Computes `1 / (1 + exp(-difference))` for a difference of strength in nats. Both probabilities have full
    /// precision, however small they are.
    pub(super) fn new(difference: f64) -> Self {
        let odds = (-difference.abs()).exp();
        let (more, less) = (1.0 / (1.0 + odds), odds / (1.0 + odds));
        if difference >= 0.0 { Self { win: more, loss: less } } else { Self { win: less, loss: more } }
    }

    /// Computes the probabilities from strengths given as powers of e.
    fn of_powers(own: f64, other: f64) -> Self {
        let share = 1.0 / (own + other);
        Self { win: own * share, loss: other * share }
    }

    /// The variance of a decisive game.
    pub(super) fn variance(&self) -> f64 {
        self.win * self.loss
    }

    /// Points above expectation.
    pub(super) fn surplus(&self, won: f64, lost: f64) -> f64 {
        // Equal to won - (won + lost) * win, without cancellation.
        won * self.loss - lost * self.win
    }
}

/// The probabilities between any two bots.
pub(super) struct Chances<'a> {
    /// The strengths, then γ.
    at: &'a [f64],
    gamma: f64,
    /// The exponentials of the strengths, which save computing one for each pairing; empty if they might overflow.
    powers: Vec<f64>,
    side: f64,
}

impl<'a> Chances<'a> {
    /// Takes strengths in nats, followed by γ.
    pub(super) fn new(at: &'a [f64]) -> Self {
        const POWER_MAX: f64 = 200.0;
        let gamma = at.last().copied().unwrap_or(0.0);
        let in_range = at.iter().all(|nats| nats.abs() < POWER_MAX);
        let powers = if in_range { at.iter().map(|nats| nats.exp()).collect() } else { Vec::new() };
        Self { at, gamma, powers, side: gamma.exp() }
    }

    /// The probabilities of `a` against `b` without the advantage of moving first.
    #[inline]
    pub(super) fn level(&self, a: usize, b: usize) -> Chance {
        match self.powers[..] {
            [] => Chance::new(self.at[a] - self.at[b]),
            _ => Chance::of_powers(self.powers[a], self.powers[b]),
        }
    }

    /// The probabilities of `a` against `b` when `a` moves first, and when `b` does.
    #[inline]
    pub(super) fn seats(&self, a: usize, b: usize) -> [Chance; 2] {
        if self.gamma == 0.0 {
            return [self.level(a, b); 2];
        }
        match self.powers[..] {
            [] => [self.gamma, -self.gamma].map(|gamma| Chance::new(self.at[a] - self.at[b] + gamma)),
            _ => [
                Chance::of_powers(self.powers[a] * self.side, self.powers[b]),
                Chance::of_powers(self.powers[a], self.powers[b] * self.side),
            ],
        }
    }

    /// The points of `a` above expectation, summed over the clusters of a pairing.
    pub(super) fn surplus(&self, met: &Pairing<'_>) -> ClusterSums {
        let mut sums = ClusterSums::default();
        let seats = self.seats(met.a, met.b);
        for (points, count) in met.cluster_points() {
            for (p, games) in seats.iter().zip(points.games()) {
                sums.games += count * games;
                sums.expected[0] += count * games * p.win;
                sums.expected[1] += count * games * p.loss;
                sums.variance += count * games * p.variance();
            }
            let [x, y] = points.surplus(&seats);
            sums.clusters += count;
            sums.points += count * (x + y);
            sums.squares += count * (x + y) * (x + y);
            sums.side += count * (x - y) * (x - y);
            sums.between += count * (x + y) * (x - y);
        }
        sums
    }

    /// The probabilities of the first seat between two bots of equal strength.
    pub(super) fn first_of_equals(&self) -> Chance {
        Chance::new(self.gamma)
    }
}

impl SeatPoints {
    /// Games by the seat of `a`.
    pub(super) fn games(&self) -> [f64; 2] {
        [0, 1].map(|seat| self.won[seat] + self.lost[seat])
    }

    /// Points of `a` above expectation, by its seat.
    pub(super) fn surplus(&self, chances: &[Chance; 2]) -> [f64; 2] {
        [0, 1].map(|seat| chances[seat].surplus(self.won[seat], self.lost[seat]))
    }
}

/// Sums over the clusters of a pairing: x and y are the points of `a` above expectation as first and as second.
#[derive(Default)]
pub(super) struct ClusterSums {
    pub(super) clusters: f64,
    pub(super) games: f64,
    /// Points expected of `a` and of `b`.
    pub(super) expected: [f64; 2],
    /// Σ p(1-p) over games.
    pub(super) variance: f64,
    /// Σ (x + y).
    pub(super) points: f64,
    /// Σ (x + y)².
    pub(super) squares: f64,
    /// Σ (x - y)².
    pub(super) side: f64,
    /// Σ (x + y)(x - y).
    pub(super) between: f64,
}

impl ClusterSums {
    /// The squares of the points of clusters around their mean.
    pub(super) fn spread(&self) -> f64 {
        (self.squares - self.points * self.points / self.clusters).max(0.0)
    }
}
