//! Davidson's model of draws: the probabilities of a win, a draw and a loss instead of a mean score.
//!
//! With θ the strengths in nats, γ the advantage of the first seat, and ν the weight of draws,
//!
//! ```text
//! P(win) : P(draw) : P(loss) = exp(d/2) : ν : exp(-d/2)      d = θ_i - θ_j + γ
//! ```
//!
//! (Davidson, "On extending the Bradley–Terry model to accommodate ties in paired comparison experiments", 1970;
//! Davidson and Beaver, "On extending the Bradley–Terry model to incorporate within-pair order effects", 1977; also in
//! the manual of Ordo.) It is an exponential family: the likelihood is concave in (θ, γ, ln ν). At the maximum, the
//! points of every bot, the points of the first seat and the number of draws equal their expectations.
//!
//! Its scale is longer than that of Elo. The mean score rises by `1 / (2 (2 + ν))` per nat between equals, and the
//! logistic curve by 1/4. So strengths times `2 / (2 + ν)` are comparable with ratings.
//!
//! # Existence of a maximum
//!
//! Given that a game is decisive, `P(win) = 1 / (1 + exp(-d))` for any ν, which is the model of the main fit. So the
//! virtual games of the main fit, half won and half lost, are used here as decisive games. They keep bots that won or
//! lost everything finite, as in the main fit, and do not affect draws.
//!
//! That is not sufficient. If one of two bots won and drew but never lost, scores are finite, but `exp(d) = wins /
//! losses` is not. In general, θ and ν diverge together unless some ring of bots, each scoring against the next, has
//! more wins than draws. (Davidson's own condition, that wins alone connect all bots, is stronger than necessary.
//! Fitting γ adds further ways to diverge.) In such a case every bot gets one virtual game, spread over its pairings,
//! and γ another one if it is fitted; [`Davidson::held`] is then set.

mod likelihood;

use likelihood::{Likelihood, Odds};

use super::counts::Counts;
use super::elo::ELO_PER_NAT;
use super::field::{Connectivity, Fitted};
use super::graph::Graph;
use super::ratings::Ratings;

/// A fit of Davidson's model. It has no errors of its own; the ratings have them.
#[derive(Debug, Clone, PartialEq)]
pub struct Davidson {
    /// The weight of draws, the same for all groups: 0 without draws, infinite if all games are draws.
    pub nu: f64,
    /// The probability of a draw between equal bots without side advantage, `ν / (2 + ν)`.
    pub equal_draw_rate: f64,
    /// The advantage of the first seat in Elo on Davidson's scale; infinite if no finite value explains the games.
    /// `None` if it was not fitted, or if the games cannot separate it from strength.
    pub gamma: Option<f64>,
    /// Whether every bot got a virtual game because θ and ν have no finite maximum. The virtual games of bots that won
    /// or lost everything do not count.
    pub held: bool,
    by_bot: Vec<Option<DavidsonStrength>>,
    /// The fitted strengths, γ and ln ν, in nats.
    at: Vec<f64>,
}

/// The strength of a bot with games.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DavidsonStrength {
    /// Elo on Davidson's own scale.
    pub elo: f64,
    /// The same times `2 / (2 + ν)`, which is comparable with ordinary Elo.
    pub scaled_elo: f64,
    /// Number of its group, as in [`super::Rating`]. Bots of different groups cannot be compared.
    pub group: usize,
}

/// Fits Davidson's model to all games by maximum likelihood. Returns `None` without games, or if Newton's method does
/// not converge, which takes bots in long chains that won a thousand games each against the next, and an advantage of
/// thousands of Elo.
///
/// `fit_side` is as in [`super::RatingOptions`], and also ignored if the games cannot separate the advantage from
/// strength. The mean of each group is 0, unless changed by [`Davidson::aligned_with`]. Without draws ν is 0 and
/// strengths equal those of the main fit. If all games are draws, ν is infinite, and all bots and seats are equal.
/// There are no prior draws, which would not fit Davidson's model.
#[must_use]
pub fn davidson(counts: &Counts, fit_side: bool) -> Option<Davidson> {
    let graph = Graph::new(counts);
    let field = Connectivity::new(counts, &graph, 0.0);
    let games = counts.first_seat();
    let zeros = || vec![0.0; counts.bots() + 1];
    let decisive = games.wins + games.losses;
    if games.games() == 0 {
        return None;
    }
    if decisive == 0 {
        let mut at = zeros();
        at.push(f64::INFINITY);
        return Davidson::new(at, &field, (fit_side && field.sides_are_identifiable).then_some(0.0), false);
    }
    let Fitted { model, fit } = field.fit(counts, fit_side, zeros());
    let boundless = fit_side && model.side_draws > 0.0;
    let gamma = |at: &[f64]| {
        let gamma = at[counts.bots()];
        let known = if boundless { f64::INFINITY.copysign(gamma) } else { gamma * ELO_PER_NAT };
        (fit_side && field.sides_are_identifiable).then_some(known)
    };
    let mut start = fit.at.clone();
    if games.draws == 0 {
        start.push(f64::NEG_INFINITY);
        let known = gamma(&start);
        return fit.converged.then(|| Davidson::new(start, &field, known, false)).flatten();
    }
    start.push((2.0 * games.draws as f64 / decisive as f64).ln());
    let likelihood = Likelihood::new(counts, &Fitted { model, fit });
    let found = likelihood.maximise(start.clone()).filter(|at| at[counts.bots() + 1] <= likelihood.log_nu_max());
    if let Some(at) = found {
        let known = gamma(&at);
        return Davidson::new(at, &field, known, false);
    }
    let mut held = Connectivity::new(counts, &graph, 1.0).fit(counts, fit_side, zeros());
    held.model.side_draws = if held.model.side { 1.0 } else { 0.0 };
    let at = Likelihood::new(counts, &held).maximise(start)?;
    let known = gamma(&at);
    Davidson::new(at, &field, known, true)
}

impl Davidson {
    /// Returns `None` if the fit left the range of floating-point numbers.
    fn new(at: Vec<f64>, field: &Connectivity, gamma: Option<f64>, held: bool) -> Option<Self> {
        let (log_nu, others) = at.split_last()?;
        let nu = log_nu.exp();
        let in_range = nu.is_finite() || *log_nu == f64::INFINITY;
        if !in_range || others.iter().any(|nats| !nats.is_finite()) {
            return None;
        }
        let equal_draw_rate = if nu.is_infinite() { 1.0 } else { nu / (2.0 + nu) };
        let unknown = |group: Option<usize>| group.map(|group| DavidsonStrength { elo: 0.0, scaled_elo: 0.0, group });
        let by_bot = field.groups.iter().map(|group| unknown(*group)).collect();
        let mut davidson = Self { nu, equal_draw_rate, gamma, held, by_bot, at };
        davidson.level(|_| Some(0.0));
        Some(davidson)
    }

    /// The strength of a bot; `None` if it has no games.
    #[must_use]
    pub fn of(&self, bot: usize) -> Option<&DavidsonStrength> {
        self.by_bot.get(bot)?.as_ref()
    }

    /// The factor from Davidson's scale to ordinary Elo: `2 / (2 + ν)`.
    #[must_use]
    pub fn scale(&self) -> f64 {
        2.0 / (2.0 + self.nu)
    }

    /// The probabilities that `a` wins, draws and loses against `b`, averaged over both seats; `None` if the two are
    /// not comparable.
    #[must_use]
    pub fn predict(&self, a: usize, b: usize) -> Option<[f64; 3]> {
        let comparable = self.of(a)?.group == self.of(b)?.group;
        let (bots, apart) = (self.by_bot.len(), self.at[a] - self.at[b]);
        let [first, second] =
            [1.0, -1.0].map(|sign| Odds::new(apart + sign * self.at[bots], self.at[bots + 1]).chances);
        comparable.then(|| std::array::from_fn(|at| f64::midpoint(first[at], second[at])))
    }

    /// Moves the zero of each group to that of `ratings`, so that the two can be compared: equal at the anchor, or
    /// otherwise in the mean of the bots whose rating is bounded.
    #[must_use]
    pub fn aligned_with(mut self, ratings: &Ratings) -> Self {
        let of = |bot: usize| ratings.of(bot).map(|rating| rating.elo);
        let closed = |bot: usize| of(bot).filter(|elo| elo.lo.is_finite() && elo.hi.is_finite());
        let anchor = ratings.options.anchor.filter(|anchor| anchor.elo.is_finite()).map(|anchor| anchor.bot);
        self.level(|bot| of(bot).map(|elo| elo.elo));
        self.level(|bot| closed(bot).map(|elo| elo.elo));
        self.level(|bot| of(bot).filter(|_| anchor == Some(bot)).map(|elo| elo.elo));
        self
    }

    /// Shifts each group so that its bots with a known value have the mean of these values; groups without any are
    /// unchanged.
    fn level(&mut self, known: impl Fn(usize) -> Option<f64>) {
        let mut sums: Vec<(f64, f64, f64)> = Vec::new();
        for (bot, strength) in self.by_bot.iter().enumerate() {
            if let Some((strength, value)) = strength.zip(known(bot)) {
                sums.resize(sums.len().max(strength.group + 1), (0.0, 0.0, 0.0));
                let (count, nats, values) = &mut sums[strength.group];
                *count += 1.0;
                *nats += self.at[bot];
                *values += value;
            }
        }
        let scale = self.scale();
        for (strength, nats) in self.by_bot.iter_mut().zip(&self.at) {
            let Some(strength) = strength else { continue };
            if let Some((count, level, value)) = sums.get(strength.group).filter(|(count, ..)| *count > 0.0) {
                let elo = (nats - level / count) * ELO_PER_NAT;
                (strength.elo, strength.scaled_elo) = (value / count + elo, value / count + elo * scale);
            }
        }
    }
}

#[cfg(test)]
mod tests;
