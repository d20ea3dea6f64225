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

use super::counts::{Cluster, Counts};
use super::dense::{Matrix, dot};
use super::field::{Field, Fitted};
use super::graph::Graph;
use super::ratings::{ELO_PER_NAT, Ratings};

/// The largest change of log-odds in one step, in nats: beyond it the quadratic picture is worthless.
const CHANGE_MAX: f64 = 3.0;

/// A step of less than this many nats is the last: it misses about its square.
const CHANGE_LAST: f64 = 1e-8;

/// Below this many nats Newton's method needs no supervision.
const CHANGE_SAFE: f64 = 0.1;

/// Far more than any field needs; a limit for data that have no maximum.
const STEPS_MAX: usize = 100;

/// Where θ and ν run off together, chances other than those of what happened fall no faster than `ν^-2`. By this ln ν
/// they are not yet lost in rounding, so that no fit comes to rest on the way.
const LOG_NU_MAX: f64 = 15.0;

/// Expected and obtained may differ by this part of the games: far more than rounding, far less than a game.
const RESIDUAL_MAX: f64 = 1e-9;

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
/// `fit_side` as in [`super::RatingOptions`]. The mean of each group is 0, until [`Davidson::on_zero_of`]. Without
/// draws ν is 0 and strengths are those of the main fit; with nothing but draws ν is infinite, all are equal, and so
/// are the seats. No prior draws: with them the model would not be Davidson's.
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
    held.model.side_draws = if fit_side { 1.0 } else { 0.0 };
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

/// What the model says of one game.
struct Odds {
    /// Of a win, a draw and a loss.
    chances: [f64; 3],
    /// The logarithm of `exp(d/2) + ν + exp(-d/2)`.
    log_sum: f64,
}

impl Odds {
    /// For any numbers of which none is NaN and `difference` is finite.
    fn new(difference: f64, log_nu: f64) -> Self {
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

/// Games of two bots with one of them first, as seen from `a`.
#[derive(Default)]
struct Games {
    wins: f64,
    draws: f64,
    losses: f64,
}

impl Games {
    fn log_likelihood(&self, difference: f64, log_nu: f64) -> f64 {
        let Self { wins, draws, losses } = self;
        let drawn = if *draws > 0.0 { draws * log_nu } else { 0.0 };
        (wins - losses) * difference / 2.0 + drawn - (wins + draws + losses) * Odds::new(difference, log_nu).log_sum
    }

    /// The derivatives by d and ln ν: points and draws above expectation.
    fn slope(&self, [win, draw, loss]: [f64; 3]) -> [f64; 2] {
        let Self { wins, draws, losses } = self;
        // Without cancellation, however large d is.
        let points = wins * (loss + draw / 2.0) + draws * (loss - win) / 2.0 - losses * (win + draw / 2.0);
        [points, draws * (win + loss) - (wins + losses) * draw]
    }

    /// Minus the second derivatives: the variance of the score, its covariance with a draw, the variance of that.
    fn curvature(&self, [win, draw, loss]: [f64; 3]) -> [f64; 3] {
        let games = self.wins + self.draws + self.losses;
        [win * loss + draw * (win + loss) / 4.0, draw * (loss - win) / 2.0, draw * (win + loss)].map(|x| x * games)
    }
}

/// All games of two bots.
struct Met {
    a: usize,
    b: usize,
    /// With the advantage of `a` in units of γ: as first, as second, and virtual games that cannot be draws.
    games: [(f64, Games); 3],
}

/// The likelihood of all games; the unknowns are the strengths, then γ, then ln ν.
struct Likelihood {
    met: Vec<Met>,
    bots: usize,
    games: f64,
    side: bool,
    /// A virtual decisive game between equals, half won by the first.
    of_equals: Games,
    held: Vec<bool>,
}

/// The derivatives at one point.
struct Slopes {
    gradient: Vec<f64>,
    /// Minus the second derivatives, the lower triangle.
    curvature: Matrix,
}

impl Likelihood {
    /// With the virtual games of a main fit.
    fn new(counts: &Counts, Fitted { model, .. }: &Fitted<'_>) -> Self {
        let decisive = |games: f64| Games { wins: games / 2.0, draws: 0.0, losses: games / 2.0 };
        let met = counts.pairings().enumerate().map(|(index, met)| {
            let Cluster { as_first, as_second } = met.games();
            let [first, second] = [as_first, as_second].map(|tally| Games {
                wins: tally.wins as f64,
                draws: tally.draws as f64,
                losses: tally.losses as f64,
            });
            Met { a: met.a, b: met.b, games: [(1.0, first), (-1.0, second), (0.0, decisive(model.draws(index)))] }
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

    /// The largest ln ν that is taken for a maximum. There is no limit if a bot both won and lost under the same
    /// conditions: then θ and ν cannot run off together.
    fn log_nu_max(&self) -> f64 {
        let both_ways = |met: &Met| {
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

    /// The difference d, and ln ν, for games of a kind.
    fn conditions(&self, at: &[f64], met: &Met, kind: usize) -> (f64, f64) {
        let log_nu = if kind == 2 { f64::NEG_INFINITY } else { at[self.bots + 1] };
        (at[met.a] - at[met.b] + met.games[kind].0 * at[self.bots], log_nu)
    }

    /// The logarithm of the likelihood.
    fn value(&self, at: &[f64]) -> f64 {
        let of_met = |met: &Met| {
            let of_kind = |kind: usize| {
                let (difference, log_nu) = self.conditions(at, met, kind);
                met.games[kind].1.log_likelihood(difference, log_nu)
            };
            (0..3).map(of_kind).sum::<f64>()
        };
        self.of_equals.log_likelihood(at[self.bots], f64::NEG_INFINITY) + self.met.iter().map(of_met).sum::<f64>()
    }

    /// Its derivatives.
    fn slopes(&self, at: &[f64]) -> Slopes {
        let (gamma, log_nu) = (self.bots, self.bots + 1);
        let mut gradient = vec![0.0; at.len()];
        let mut curvature = Matrix::zero(at.len());
        let mut add = |row: usize, column: usize, value: f64| {
            if !self.held[row] && !self.held[column] {
                curvature.add(row, column, value);
            }
        };
        for met in &self.met {
            // By d, by γ, by ln ν; then the six second derivatives of these three.
            let mut slope = [0.0; 3];
            let mut second = [0.0; 6];
            for (kind, (sign, games)) in met.games.iter().enumerate() {
                let (difference, log_nu) = self.conditions(at, met, kind);
                let chances = Odds::new(difference, log_nu).chances;
                let [points, draws] = games.slope(chances);
                let [variance, covariance, of_draws] = games.curvature(chances);
                let terms = [points, sign * points, draws];
                slope.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
                let terms =
                    [variance, sign * variance, sign * sign * variance, covariance, sign * covariance, of_draws];
                second.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
            }
            let [by_d, by_gamma, by_nu] = slope;
            gradient[met.a] += by_d;
            gradient[met.b] -= by_d;
            gradient[gamma] += by_gamma;
            gradient[log_nu] += by_nu;
            let [d_d, d_gamma, gamma_gamma, d_nu, gamma_nu, nu_nu] = second;
            // In a pairing a comes before b: this is the lower triangle.
            add(met.a, met.a, d_d);
            add(met.b, met.b, d_d);
            add(met.b, met.a, -d_d);
            add(gamma, met.a, d_gamma);
            add(gamma, met.b, -d_gamma);
            add(gamma, gamma, gamma_gamma);
            add(log_nu, met.a, d_nu);
            add(log_nu, met.b, -d_nu);
            add(log_nu, gamma, gamma_nu);
            add(log_nu, log_nu, nu_nu);
        }
        let chances = Odds::new(at[gamma], f64::NEG_INFINITY).chances;
        gradient[gamma] += self.of_equals.slope(chances)[0];
        add(gamma, gamma, self.of_equals.curvature(chances)[0]);
        (0..at.len()).filter(|at| self.held[*at]).for_each(|at| curvature.add(at, at, 1.0));
        if !self.side {
            gradient[gamma] = 0.0;
        }
        Slopes { gradient, curvature }
    }

    /// The largest change of any log-odds between bots that met that `step` makes.
    fn largest_change(&self, step: &[f64]) -> f64 {
        let apart = self.met.iter().map(|met| (step[met.a] - step[met.b]).abs()).fold(0.0, f64::max);
        apart + step[self.bots].abs() + step[self.bots + 1].abs()
    }

    /// Climbs from `start` to the maximum, by Newton's method; `None` if there is none to be found.
    fn maximise(&self, start: Vec<f64>) -> Option<Vec<f64>> {
        let mut at = start;
        let mut here = self.slopes(&at);
        for _ in 0..STEPS_MAX {
            let mut step: Vec<f64> =
                here.gradient.iter().zip(&self.held).map(|(x, held)| if *held { 0.0 } else { *x }).collect();
            here.curvature.cholesky();
            here.curvature.solve(&mut step);
            let change = self.largest_change(&step);
            if !change.is_finite() {
                return None;
            }
            if change < CHANGE_LAST {
                at.iter_mut().zip(&step).for_each(|(at, step)| *at += step);
                here = self.slopes(&at);
                break;
            }
            let mut length = (CHANGE_MAX / change).min(1.0);
            (at, here) = loop {
                let there: Vec<f64> = at.iter().zip(&step).map(|(at, step)| at + length * step).collect();
                let next = self.slopes(&there);
                // It is concave: as long as it still rises there it has risen on the way.
                let rises = dot(&next.gradient, &step) >= 0.0;
                if rises || length * change < CHANGE_SAFE || self.value(&there) >= self.value(&at) {
                    break (there, next);
                }
                length /= 2.0;
            };
        }
        // Steps may never become so small where strengths are so far apart that rounding moves them.
        let residual = here.gradient.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        (residual <= RESIDUAL_MAX * (1.0 + self.games)).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{Game, counted, tables};
    use super::super::{Anchor, RatingOptions, Tally, rate};
    use super::*;
    use crate::record::GameResult::{Draw, FirstWins, SecondWins};

    /// Two bots, seats in turn as far as they go, with these results of the first.
    fn two(wins: usize, draws: usize, losses: usize) -> Counts {
        let as_first = [(FirstWins, wins), (Draw, draws), (SecondWins, losses)];
        let results = as_first.into_iter().flat_map(|(result, count)| std::iter::repeat_n(result, count));
        counted(2, results.map(|result| (0, 1, result, None)))
    }

    #[track_caller]
    fn assert_close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found}, expected {expected}");
    }

    /// Obtained minus expected: points of each bot, points of the first seat, draws.
    fn surplus(counts: &Counts, fit: &Davidson) -> Vec<f64> {
        let (bots, mut surplus) = (counts.bots(), vec![0.0; counts.bots() + 2]);
        for met in counts.pairings() {
            let Cluster { as_first, as_second } = met.games();
            for (tally, first, second) in [(as_first, met.a, met.b), (as_second.reversed(), met.b, met.a)] {
                let d = fit.at[first] - fit.at[second] + fit.at[bots];
                let weights = [(d / 2.0).exp(), fit.nu, (-d / 2.0).exp()];
                let games = tally.games() as f64 / weights.iter().sum::<f64>();
                let points = tally.half_points() as f64 / 2.0 - games * (weights[0] + weights[1] / 2.0);
                surplus[first] += points;
                surplus[second] -= points;
                surplus[bots] += points;
                surplus[bots + 1] += tally.draws as f64 - games * weights[1];
            }
        }
        surplus
    }

    #[test]
    fn two_bots_have_a_closed_form() {
        for (wins, draws, losses) in [(30, 60, 10), (5, 1, 2), (1, 0, 1), (1, 40, 3), (7, 0, 2)] {
            let fit = davidson(&two(wins, draws, losses), false).unwrap();
            let [w, d, l] = [wins, draws, losses].map(|count| count as f64);
            let nu = d / (w * l).sqrt();
            assert!(!fit.held);
            assert_close(fit.nu, nu, 1e-9 * (1.0 + nu));
            assert_close(fit.of(0).unwrap().elo - fit.of(1).unwrap().elo, ELO_PER_NAT * (w / l).ln(), 1e-7);
            assert_close(fit.draws_of_equals, nu / (2.0 + nu), 1e-9);
            let found = fit.predict(0, 1).unwrap();
            found.iter().zip([w, d, l]).for_each(|(p, n)| assert_close(*p, n / (w + d + l), 1e-9));
        }
        let fit = davidson(&two(30, 60, 10), false).unwrap();
        let [a, b] = [0, 1].map(|bot| *fit.of(bot).unwrap());
        assert_close(a.elo - b.elo, 190.85, 0.005);
        assert_close(a.beside_elo - b.beside_elo, 69.86, 0.005);
    }

    #[test]
    fn without_draws_it_is_the_main_fit() {
        let games = [(0, 1), (1, 2), (2, 0), (0, 1), (0, 3), (1, 0), (3, 4), (5, 6)];
        let counts = counted(7, games.map(|(first, second)| (first, second, FirstWins, None)));
        for fit_side in [false, true] {
            let fit = davidson(&counts, fit_side).unwrap();
            let ratings = rate(&counts, &RatingOptions { fit_side, ..RatingOptions::default() });
            assert_eq!(
                [fit.nu, fit.draws_of_equals, fit.scale()].map(f64::to_bits),
                [0.0, 0.0, 1.0_f64].map(f64::to_bits)
            );
            assert!(!fit.held);
            // The first seat won every game.
            assert_eq!(fit.gamma, fit_side.then_some(f64::INFINITY));
            let levelled = fit.clone().on_zero_of(&ratings);
            for bot in 0..7 {
                let strength = levelled.of(bot).unwrap();
                assert_close(strength.beside_elo, ratings.of(bot).unwrap().elo.elo, 1e-6);
                assert_eq!(strength.group, ratings.of(bot).unwrap().group);
            }
            assert_eq!((fit.predict(0, 5), fit.predict(0, 7)), (None, None));
            assert_eq!(fit.predict(0, 1).map(|[win, draw, loss]| (draw, win + loss)), Some((0.0, 1.0)));
        }
    }

    #[test]
    fn with_nothing_but_draws_all_are_equal() {
        let fit = davidson(&counted(4, [(0, 1, Draw, None), (1, 2, Draw, None), (1, 0, Draw, None)]), true).unwrap();
        assert!(fit.nu == f64::INFINITY && fit.draws_of_equals >= 1.0 && fit.gamma == Some(0.0) && !fit.held);
        assert_eq!(fit.of(2), Some(&DavidsonStrength { elo: 0.0, beside_elo: 0.0, group: 0 }));
        assert_eq!((fit.of(3), fit.predict(0, 3), fit.predict(0, 2)), (None, None, Some([0.0, 1.0, 0.0])));
        assert_eq!(davidson(&two(0, 5, 0), true).unwrap().gamma, None);
        assert_eq!(davidson(&counted(3, []), true), None);
        assert_eq!(davidson(&counted(0, []), false), None);
    }

    #[test]
    fn a_bot_that_wins_and_draws_but_never_loses_is_held() {
        // Half a virtual win and half a loss: among decisive games 3.5 to 0.5, and two draws in five as seen.
        let fit = davidson(&two(3, 2, 0), false).unwrap();
        assert!(fit.held);
        let apart = 7.0_f64.ln();
        assert_close(fit.of(0).unwrap().elo - fit.of(1).unwrap().elo, apart * ELO_PER_NAT, 1e-6);
        assert_close(fit.nu, 2.0 / 3.0 * ((apart / 2.0).exp() + (-apart / 2.0).exp()), 1e-8);
        assert_close(fit.predict(0, 1).unwrap()[1], 0.4, 1e-9);
    }

    #[test]
    fn a_ring_with_more_wins_than_draws_needs_no_virtual_games() {
        // Nobody ever loses to a bot that it beat.
        let ring = [(0, 1, FirstWins), (1, 2, FirstWins), (2, 0, FirstWins), (0, 1, Draw), (2, 3, Draw), (3, 2, Draw)];
        let counts = counted(4, ring.map(|(first, second, result)| (first, second, result, None)));
        let fit = davidson(&counts, false).unwrap();
        let surplus = surplus(&counts, &fit);
        assert!(!fit.held && [0, 1, 2, 3, 5].iter().all(|at| surplus[*at].abs() < 1e-8), "{fit:?} {surplus:?}");
    }

    #[test]
    fn far_more_games_than_anybody_plays_do_not_confuse_it() {
        let games = |counts: [u64; 3]| Tally { wins: counts[0], draws: counts[1], losses: counts[2] };
        for (tally, held) in
            [([1, 10_000_000, 1], false), ([9_000_000, 5, 1], false), ([2_000_000, 2_000_000, 0], true)]
        {
            let mut counts = two(1, 0, 0);
            counts.looks.push(super::super::Cluster { as_first: games(tally), as_second: Tally::default() });
            counts.points = counts.looks.iter().map(Into::into).collect();
            counts.entries[0].look = counts.looks.len() as u32 - 1;
            let fit = davidson(&counts, false).unwrap();
            assert_eq!(fit.held, held, "{tally:?} {fit:?}");
            let [w, d, l] = tally.map(|count| count as f64);
            assert_close(fit.predict(0, 1).unwrap()[1], d / (w + d + l), 1e-9);
        }
    }

    /// The games of a data set by other tools (`tests/data/ratings/README.md`).
    fn games(file: &str) -> Vec<Game> {
        let bot = |name: &str| name.strip_prefix("bot").unwrap().parse().unwrap();
        let game = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            let result = if cells[2] == "1-0" {
                FirstWins
            } else if cells[2] == "0-1" {
                SecondWins
            } else {
                Draw
            };
            (bot(cells[0]), bot(cells[1]), result, cells[3].parse().ok())
        };
        file.lines().skip(1).map(game).collect()
    }

    /// Expected values by `scipy.optimize.minimize` (scipy 1.17.1; BFGS on the likelihood of single games,
    /// written down from the formula at the top and nothing else): ν, γ, strengths in Elo, predict(0, last).
    #[test]
    fn agrees_with_scipy() {
        let eight = include_str!("../../tests/data/ratings/eight.csv");
        let one_sided = include_str!("../../tests/data/ratings/one_sided.csv");
        let check = |file: &str, nu: f64, gamma: Option<f64>, elo: &[f64], chances: [f64; 3]| {
            let bots = elo.len();
            let fit = davidson(&counted(bots, games(file)), gamma.is_some()).unwrap();
            assert_close(fit.nu, nu, 2e-6);
            assert_eq!(fit.gamma.is_some(), gamma.is_some());
            assert_close(fit.gamma.unwrap_or(0.0), gamma.unwrap_or(0.0), 2e-3);
            elo.iter().enumerate().for_each(|(bot, elo)| assert_close(fit.of(bot).unwrap().elo, *elo, 0.006));
            fit.predict(0, bots - 1).unwrap().iter().zip(chances).for_each(|(p, q)| assert_close(*p, q, 1e-6));
        };
        let elo = [143.59, 164.35, 70.81, 70.81, -37.34, -53.32, -184.85, -174.05];
        check(eight, 0.703_953, None, &elo, [0.693_083, 0.195_563, 0.111_353]);
        let elo = [144.28, 165.14, 71.15, 71.15, -37.53, -53.59, -185.73, -174.88];
        check(eight, 0.706_493, Some(29.516), &elo, [0.693_146, 0.195_540, 0.111_315]);
        let elo = [147.22, 101.98, -2.08, -30.25, -60.68, -156.20];
        check(one_sided, 0.637_036, None, &elo, [0.694_266, 0.184_679, 0.121_055]);
        let elo = [134.89, 94.06, -9.09, -31.38, -46.80, -141.67];
        check(one_sided, 0.650_668, Some(73.648), &elo, [0.663_504, 0.195_014, 0.141_482]);
    }

    #[test]
    fn it_stands_beside_anchored_ratings() {
        let counts = counted(8, games(include_str!("../../tests/data/ratings/eight.csv")));
        let anchor = Some(Anchor { bot: 3, elo: 1500.0 });
        let ratings = rate(&counts, &RatingOptions { anchor, ..RatingOptions::default() });
        let fit = davidson(&counts, false).unwrap().on_zero_of(&ratings);
        assert_close(fit.of(3).unwrap().elo, 1500.0, 1e-9);
        assert_close(fit.of(3).unwrap().beside_elo, 1500.0, 1e-9);
        // Davidson's own scale is a third longer; brought back to Elo it is within what the shapes differ by.
        for bot in 0..8 {
            assert_close(fit.of(bot).unwrap().beside_elo, ratings.of(bot).unwrap().elo.elo, 6.0);
        }
    }

    /// Whether θ and ν have a maximum together without γ: the condition at the top, from single games.
    fn has_maximum(counts: &Counts) -> bool {
        let bots = counts.bots();
        let classes = Graph::new(counts).strong_classes();
        // The heaviest way from one bot to another, wins counted as 1 and draws as -1.
        let mut best = vec![vec![f64::NEG_INFINITY; bots]; bots];
        for met in counts.pairings() {
            if classes[met.a] != classes[met.b] {
                return true;
            }
            let total = met.total();
            for (from, to, wins) in [(met.a, met.b, total.wins), (met.b, met.a, total.losses)] {
                if total.draws > 0 {
                    best[from][to] = -1.0;
                }
                if wins > 0 {
                    best[from][to] = 1.0;
                }
            }
        }
        for via in 0..bots {
            for from in 0..bots {
                for to in 0..bots {
                    best[from][to] = best[from][to].max(best[from][via] + best[via][to]);
                }
            }
        }
        (0..bots).any(|bot| best[bot][bot] > 0.0)
    }

    proptest! {
        #[test]
        fn it_is_always_sane((bots, games) in tables(), fit_side in any::<bool>()) {
            let counts = counted(bots, games.clone());
            let played = counts.first_seat();
            let Some(fit) = davidson(&counts, fit_side) else {
                prop_assert_eq!(played.games(), 0);
                return Ok(());
            };
            prop_assert_eq!(fit.nu == 0.0, played.draws == 0);
            prop_assert_eq!(fit.nu == f64::INFINITY, played.draws == played.games());
            prop_assert!(fit.nu >= 0.0 && (0.0..=1.0).contains(&fit.draws_of_equals), "{:?}", fit);
            prop_assert!(fit.gamma.is_none_or(|gamma| !gamma.is_nan()));
            prop_assert!(fit_side || fit.gamma.is_none());
            if !fit_side && played.draws > 0 && played.draws < played.games() {
                prop_assert_eq!(fit.held, !has_maximum(&counts), "{:?}", fit);
            }
            let ratings = rate(&counts, &RatingOptions { fit_side, ..RatingOptions::default() });
            for fit in [fit.clone(), fit.clone().on_zero_of(&ratings)] {
                for a in 0..bots {
                    prop_assert_eq!(fit.of(a).map(|own| own.group), ratings.of(a).map(|own| own.group));
                    prop_assert!(fit.of(a).is_none_or(|own| own.elo.is_finite() && own.beside_elo.is_finite()));
                    for b in 0..bots {
                        let Some(chances) = fit.predict(a, b) else { continue };
                        prop_assert!(chances.iter().all(|p| (0.0..=1.0).contains(p)), "{:?}", chances);
                        prop_assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                        let [win, draw, loss] = fit.predict(b, a).unwrap();
                        let close = chances.iter().zip([loss, draw, win]).all(|(p, q)| (p - q).abs() < 1e-12);
                        prop_assert!(close, "{:?}", chances);
                    }
                }
            }
        }

        #[test]
        fn expected_is_obtained((bots, games) in tables(), fit_side in any::<bool>()) {
            let counts = counted(bots, games);
            let graph = Graph::new(&counts);
            let connected = Field::new(&counts, &graph, 0.0).draws.is_empty();
            let fit = davidson(&counts, fit_side).filter(|fit| {
                let side_held = fit_side && fit.gamma.is_none_or(f64::is_infinite);
                connected && !fit.held && !side_held && fit.nu.is_finite()
            });
            if let Some(fit) = fit {
                let surplus = surplus(&counts, &fit);
                let fitted = |at: &usize| fit_side || *at != bots;
                prop_assert!((0..bots + 2).filter(fitted).all(|at| surplus[at].abs() < 1e-6), "{:?}", surplus);
            }
        }

        #[test]
        fn names_and_order_do_not_matter((bots, games) in tables(), fit_side in any::<bool>(), turn in 0_usize..6) {
            let fit = davidson(&counted(bots, games.clone()), fit_side);
            let backwards = davidson(&counted(bots, games.iter().rev().copied()), fit_side);
            prop_assert_eq!(&fit, &backwards);
            let renamed = |bot: usize| if bot < bots { (bots - 1 - bot + turn) % bots } else { bot };
            let games = games.into_iter().map(|(a, b, result, cluster)| (renamed(a), renamed(b), result, cluster));
            let other = davidson(&counted(bots, games), fit_side);
            prop_assert_eq!(fit.is_some(), other.is_some());
            let Some((fit, other)) = fit.zip(other) else { return Ok(()) };
            let infinite = fit.nu.is_infinite() && other.nu.is_infinite();
            prop_assert!(infinite || (fit.nu - other.nu).abs() < 1e-6 * (1.0 + fit.nu));
            prop_assert_eq!((fit.held, fit.gamma.is_some()), (other.held, other.gamma.is_some()));
            for bot in 0..bots {
                let pair = fit.of(bot).zip(other.of(renamed(bot)));
                prop_assert!(pair.is_none_or(|(x, y)| (x.elo - y.elo).abs() < 1e-4), "{:?}", pair);
            }
        }
    }
}
