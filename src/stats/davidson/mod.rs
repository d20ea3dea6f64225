//! Davidson's model of draws: chances of a win, a draw and a loss instead of a mean score.
//!
//! With θ the strengths in nats, γ the advantage of the first seat, and ν the weight of draws,
//!
//! ```text
//! P(win) : P(draw) : P(loss) = exp(d/2) : ν : exp(-d/2)      d = θ_i - θ_j + γ
//! ```
//!
//! (Davidson, "On extending the Bradley–Terry model to accommodate ties in paired comparison experiments", 1970;
//! Davidson and Beaver, "On extending the Bradley–Terry model to incorporate within-pair order effects", 1977; also in
//! the manual of Ordo.) It is an exponential family: the likelihood is concave in (θ, γ, ln ν), and largest where every
//! bot has as many points as expected, the first seat as well, and the games as many draws.
//!
//! Its scale is longer than that of Elo. The mean score rises by `1 / (2 (2 + ν))` per nat between equals, where the
//! logistic curve rises by 1/4, so strengths times `2 / (2 + ν)` are what to hold against ratings.
//!
//! # Where there is no maximum
//!
//! Given that a game is decisive, `P(win) = 1 / (1 + exp(-d))` whatever ν is: the model of the main fit. So the virtual
//! games of the main fit, half won and half lost, enter here as decisive games. They keep bots that won or lost
//! everything finite, in the same way as there, and say nothing about draws.
//!
//! They do not suffice. Between two bots of which one won and drew but never lost, scores are finite, but
//! `exp(d) = wins / losses` is not; in general, θ and ν run off together unless some ring of bots, each scoring against
//! the next, has more wins than draws (Davidson's own condition, that wins alone link all bots, is stronger than it
//! need be; γ opens more ways). In such a case every bot gets one virtual game, spread over its pairings, and γ another
//! one if it is fitted; [`Davidson::held`] says so.

mod likelihood;

use likelihood::{Likelihood, Odds};

use super::counts::Counts;
use super::elo::ELO_PER_NAT;
use super::field::{Field, Fitted};
use super::graph::Graph;
use super::ratings::Ratings;

/// A fit of Davidson's model. It has no errors: they are those of the ratings beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Davidson {
    /// The weight of draws, the same for all groups: 0 if there were none, infinite if there was nothing else.
    pub nu: f64,
    /// The probability of a draw between equals of whom neither moves first, `ν / (2 + ν)`.
    pub draws_of_equals: f64,
    /// The advantage of the first seat in Elo on Davidson's scale; infinite if no finite one explains the games. `None`
    /// if it was not fitted, or if the games cannot tell it from strength.
    pub gamma: Option<f64>,
    /// Whether every bot had to be given a virtual game, because θ and ν have no finite maximum together. Bots that
    /// won or lost everything have theirs, as in the ratings, without this being set.
    pub held: bool,
    by_bot: Vec<Option<DavidsonStrength>>,
    /// In nats, as fitted: the strengths, γ, ln ν.
    at: Vec<f64>,
}

/// The strength of a bot that played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DavidsonStrength {
    /// In Elo on Davidson's own scale.
    pub elo: f64,
    /// The same times `2 / (2 + ν)`: to be shown beside ordinary Elo.
    pub beside_elo: f64,
    /// Bots of different groups are not to be compared; the same numbers as in [`super::Rating`].
    pub group: usize,
}

/// Fits Davidson's model to all games by maximum likelihood; `None` without games, or if Newton's method does not get
/// there, which takes bots in long chains of sweeps by a thousand games each and an advantage of thousands of Elo.
///
/// `fit_side` as in [`super::RatingOptions`]: it is left out too if the games cannot tell it from strength. The mean of
/// each group is 0, until [`Davidson::on_zero_of`]. Without draws ν is 0 and strengths are those of the main fit; with
/// nothing but draws ν is infinite, all are equal, and so are the seats. No prior draws: with them the model would not
/// be Davidson's.
#[must_use]
pub fn davidson(counts: &Counts, fit_side: bool) -> Option<Davidson> {
    let graph = Graph::new(counts);
    let field = Field::new(counts, &graph, 0.0);
    let games = counts.first_seat();
    let zeros = || vec![0.0; counts.bots() + 1];
    let decisive = games.wins + games.losses;
    if games.games() == 0 {
        return None;
    }
    if decisive == 0 {
        let mut at = zeros();
        at.push(f64::INFINITY);
        return Davidson::new(at, &field, (fit_side && field.tells_sides_apart).then_some(0.0), false);
    }
    let Fitted { model, fit } = field.fit(counts, fit_side, zeros());
    let boundless = fit_side && model.side_draws > 0.0;
    let gamma = |at: &[f64]| {
        let gamma = at[counts.bots()];
        let known = if boundless { f64::INFINITY.copysign(gamma) } else { gamma * ELO_PER_NAT };
        (fit_side && field.tells_sides_apart).then_some(known)
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
    let mut held = Field::new(counts, &graph, 1.0).fit(counts, fit_side, zeros());
    held.model.side_draws = if held.model.side { 1.0 } else { 0.0 };
    let at = Likelihood::new(counts, &held).maximise(start)?;
    let known = gamma(&at);
    Davidson::new(at, &field, known, true)
}

impl Davidson {
    /// `None` if the fit left the range of numbers.
    fn new(at: Vec<f64>, field: &Field, gamma: Option<f64>, held: bool) -> Option<Self> {
        let (log_nu, others) = at.split_last()?;
        let nu = log_nu.exp();
        let in_range = nu.is_finite() || *log_nu == f64::INFINITY;
        if !in_range || others.iter().any(|nats| !nats.is_finite()) {
            return None;
        }
        let draws_of_equals = if nu.is_infinite() { 1.0 } else { nu / (2.0 + nu) };
        let unknown = |group: Option<usize>| group.map(|group| DavidsonStrength { elo: 0.0, beside_elo: 0.0, group });
        let by_bot = field.groups.iter().map(|group| unknown(*group)).collect();
        let mut davidson = Self { nu, draws_of_equals, gamma, held, by_bot, at };
        davidson.level(|_| Some(0.0));
        Some(davidson)
    }

    /// The strength of a bot; `None` if it played no game.
    #[must_use]
    pub fn of(&self, bot: usize) -> Option<&DavidsonStrength> {
        self.by_bot.get(bot)?.as_ref()
    }

    /// What to multiply strengths on Davidson's scale by to hold them against ordinary Elo: `2 / (2 + ν)`.
    #[must_use]
    pub fn scale(&self) -> f64 {
        2.0 / (2.0 + self.nu)
    }

    /// The probabilities that `a` wins, draws and loses against `b`, the mean of both seats; `None` if the two are not
    /// comparable.
    #[must_use]
    pub fn predict(&self, a: usize, b: usize) -> Option<[f64; 3]> {
        let comparable = self.of(a)?.group == self.of(b)?.group;
        let (bots, apart) = (self.by_bot.len(), self.at[a] - self.at[b]);
        let [first, second] =
            [1.0, -1.0].map(|sign| Odds::new(apart + sign * self.at[bots], self.at[bots + 1]).chances);
        comparable.then(|| std::array::from_fn(|at| f64::midpoint(first[at], second[at])))
    }

    /// The same with the zero of each group where `ratings` have theirs, for two columns side by side: equal at the
    /// anchor, or else in the mean of the bots whose rating has no open end.
    #[must_use]
    pub fn on_zero_of(mut self, ratings: &Ratings) -> Self {
        let of = |bot: usize| ratings.of(bot).map(|rating| rating.elo);
        let closed = |bot: usize| of(bot).filter(|elo| elo.lo.is_finite() && elo.hi.is_finite());
        let anchor = ratings.options.anchor.filter(|anchor| anchor.elo.is_finite()).map(|anchor| anchor.bot);
        self.level(|bot| of(bot).map(|elo| elo.elo));
        self.level(|bot| closed(bot).map(|elo| elo.elo));
        self.level(|bot| of(bot).filter(|_| anchor == Some(bot)).map(|elo| elo.elo));
        self
    }

    /// Gives the bots of each group for which a value is known the mean of these values; groups without any stay.
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
                (strength.elo, strength.beside_elo) = (value / count + elo, value / count + elo * scale);
            }
        }
    }
}

#[cfg(test)]
mod tests;
