//! The generalised likelihood ratio of two hypotheses about a match.
//!
//! For each hypothesis, the distribution of outcomes is fitted by maximum likelihood under the hypothesis, and the two
//! log-likelihoods are compared (Van den Bergh, "Comments on normalized Elo" and its practical companion, as used by
//! fishtest; for the logistic model Owen, "Empirical likelihood", 1988). Outcomes that never occurred count as a
//! thousandth of one, so that every logarithm exists.

use super::chances::Chance;
use super::elo::ELO_PER_NAT;

/// Limit of the hypotheses; larger values have no meaning for any score.
pub const SPRT_ELO_MAX: f64 = 2_000.0;

/// The scale on which hypotheses are given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SprtModel {
    /// Elo in units of the noise of a game: the same hypotheses take equally many games at any rate of draws.
    #[default]
    Normalized,
    /// Elo as in ratings.
    Logistic,
}

impl SprtModel {
    /// All models, the default first.
    pub const ALL: [Self; 2] = [Self::Normalized, Self::Logistic];

    /// Returns the model with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.name() == name)
    }

    /// The name on the command line and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normalized => "normalized",
            Self::Logistic => "logistic",
        }
    }
}

/// The log-likelihood ratio of `elo1` over `elo0`; 0 without data. `counts` are the numbers of each outcome, from the
/// worst to the best, with scores equally spaced from 0 to 1: 5 for pairs, 3 for games.
pub(super) fn log_likelihood_ratio(counts: &[u64], model: SprtModel, [elo0, elo1]: [f64; 2]) -> f64 {
    if counts.iter().sum::<u64>() == 0 {
        return 0.0;
    }
    let (total, sample) = ScoreSample::of(counts);
    let ratios = sample.log_ratios(model, [elo0, elo1]);
    let terms = sample.observed.iter().zip(ratios).map(|(p, ratio)| p * ratio);
    total * terms.sum::<f64>()
}

/// The mean and the variance of what a pair adds to the log-likelihood ratio of `elo1` over `elo0`, in a long match of
/// independent games without draws, each won with probability `win`. (The fitted distributions are the most likely
/// ones, so how they change with the pair does not matter to the first order.)
pub(super) fn pair_increment(win: Chance, model: SprtModel, elo: [f64; 2]) -> (f64, f64) {
    increment([win.loss * win.loss, 0.0, 2.0 * win.win * win.loss, 0.0, win.win * win.win], model, elo)
}

/// The same for pairs with these probabilities, from the worst to the best.
pub(super) fn increment(pairs: [f64; 5], model: SprtModel, elo: [f64; 2]) -> (f64, f64) {
    /// Large enough for the weight of an unseen pair to be negligible.
    const PAIRS: f64 = 1e15;
    let (_, sample) = ScoreSample::of(&pairs.map(|p| (p * PAIRS) as u64));
    let ratios = sample.log_ratios(model, elo);
    let mean_of = |values: &[f64]| sample.observed.iter().zip(values).map(|(p, value)| p * value).sum::<f64>();
    let mean = mean_of(&ratios);
    (mean, mean_of(&ratios.iter().map(|ratio| (ratio - mean).powi(2)).collect::<Vec<_>>()))
}

/// The number of an outcome; one that never occurred counts as a thousandth.
fn regular(count: u64) -> f64 {
    if count == 0 { 1e-3 } else { count as f64 }
}

/// The outcomes by score, and their observed frequencies.
struct ScoreSample {
    scores: Vec<f64>,
    observed: Vec<f64>,
}

impl ScoreSample {
    /// Takes the number of each outcome, of which there is at least one; also returns their sum.
    fn of(counts: &[u64]) -> (f64, Self) {
        let regular: Vec<f64> = counts.iter().copied().map(regular).collect();
        let total: f64 = regular.iter().sum();
        let last = (counts.len() - 1) as f64;
        let scores = (0..counts.len()).map(|k| k as f64 / last).collect();
        (total, Self { scores, observed: regular.iter().map(|count| count / total).collect() })
    }

    /// For each outcome, the logarithm of its probability under `elo1` over that under `elo0`.
    fn log_ratios(&self, model: SprtModel, [elo0, elo1]: [f64; 2]) -> Vec<f64> {
        let [p0, p1] = match model {
            SprtModel::Logistic => [elo0, elo1].map(|elo| self.with_mean(elo)),
            SprtModel::Normalized => self.with_normalized([elo0, elo1]),
        };
        p0.iter().zip(&p1).map(|(p0, p1)| (p1 / p0).ln()).collect()
    }

    /// The most likely distribution whose mean is the score of `elo` on the logistic scale.
    fn with_mean(&self, elo: f64) -> Vec<f64> {
        let mean = Chance::new(elo / ELO_PER_NAT);
        // Equal to a - mean, without loss of precision for a mean near 1.
        let centred: Vec<f64> = self.scores.iter().map(|a| a * mean.loss - (1.0 - a) * mean.win).collect();
        self.balanced(&centred).unwrap_or_else(|| self.observed.clone())
    }

    /// The most likely distributions with the normalised Elo of each of `elo`, the lower first. Normalised Elo is the
    /// mean above one half divided by the standard deviation.
    ///
    /// The observed distribution is the most likely of all, and the likelihood falls along any straight line from it.
    /// The line to the solution for the farther hypothesis crosses the nearer one at a distribution that is more likely
    /// than that solution. So the nearer hypothesis is never found to be less likely.
    fn with_normalized(&self, elo: [f64; 2]) -> [Vec<f64>; 2] {
        // Pairs of games have 5 outcomes, and the deviation of their mean is smaller than that of a game by √2.
        let games = if self.scores.len() == 5 { 2.0_f64 } else { 1.0 };
        let targets = elo.map(|elo| elo * games.sqrt() / (2.0 * ELO_PER_NAT));
        let mut solutions = targets.map(|target| {
            let found = [self.followed(target), Some(self.through_means(target))];
            let best = found.into_iter().flatten().max_by(|x, y| self.likelihood(x).total_cmp(&self.likelihood(y)));
            best.unwrap_or_else(|| self.observed.clone())
        });
        let seen = self.normalized(&self.observed);
        let near = match () {
            () if seen <= targets[0] => 0,
            () if seen >= targets[1] => 1,
            () => return solutions,
        };
        let between = self.on_the_way_to(&solutions[1 - near], targets[near]);
        if self.likelihood(&between) > self.likelihood(&solutions[near]) {
            solutions[near] = between;
        }
        solutions
    }

    /// The log-likelihood of the observations per outcome.
    fn likelihood(&self, p: &[f64]) -> f64 {
        self.observed.iter().zip(p).map(|(observed, p)| observed * p.ln()).sum()
    }

    /// The distribution with ratio `t` on the line from the observed distribution to `far`; `t` lies between their
    /// ratios.
    fn on_the_way_to(&self, far: &[f64], t: f64) -> Vec<f64> {
        let rises = self.normalized(far) > t;
        let at = |share: f64| -> Vec<f64> {
            self.observed.iter().zip(far).map(|(p, far)| (1.0 - share) * p + share * far).collect()
        };
        at(halved(100, 0.0, 1.0, |share| (self.normalized(&at(share)) < t) == rises))
    }

    /// A distribution with ratio `t`, close to the most likely one, among the most likely distributions for each mean.
    fn through_means(&self, t: f64) -> Vec<f64> {
        /// Bound of the ratio of every hypothesis for any observations.
        const ELO_MAX: f64 = 20.0 * SPRT_ELO_MAX;
        let elo = halved(100, -ELO_MAX, ELO_MAX, |elo| self.normalized(&self.with_mean(elo)) < t);
        let near = self.with_mean(elo);
        match self.with_ratio(t, &near) {
            Some(found) if self.likelihood(&found) > self.likelihood(&near) => found,
            _ => near,
        }
    }

    /// The most likely distribution with the ratio `target`, by continuation from the observed distribution.
    ///
    /// The constraint is not linear in the distribution. It is linearised at the last solution and solved again until
    /// nothing changes. That only converges locally. So the constraint moves from the observed ratio, where the
    /// solution is known, to the target in steps that are halved when they fail. Returns `None` if the steps become too
    /// small, as they do if the observations have hardly any variance.
    fn followed(&self, target: f64) -> Option<Vec<f64>> {
        const SOLVES_MAX: usize = 1_000;
        let mut solution = self.observed.clone();
        let mut at = self.normalized(&solution);
        let mut step = target - at;
        for _ in 0..SOLVES_MAX {
            let last = step.abs() >= (target - at).abs();
            let next = if last { target } else { at + step };
            match self.with_ratio(next, &solution) {
                Some(found) if last => return Some(found),
                Some(found) => {
                    (solution, at) = (found, next);
                    step *= 2.0;
                }
                None => step = (next - at) / 2.0,
            }
        }
        None
    }

    /// The ratio: mean above one half divided by the standard deviation.
    fn normalized(&self, p: &[f64]) -> f64 {
        let (mean, sd) = self.moments(p);
        (mean - 0.5) / sd
    }

    fn moments(&self, p: &[f64]) -> (f64, f64) {
        let mean: f64 = self.scores.iter().zip(p).map(|(a, p)| a * p).sum();
        let variance: f64 = self.scores.iter().zip(p).map(|(a, p)| p * (a - mean) * (a - mean)).sum();
        (mean, variance.sqrt())
    }

    /// The most likely distribution with ratio `t`, starting from `near`.
    fn with_ratio(&self, t: f64, near: &[f64]) -> Option<Vec<f64>> {
        const ROUNDS_MAX: usize = 60;
        let mut p = near.to_vec();
        for _ in 0..ROUNDS_MAX {
            let (mean, sd) = self.moments(&p);
            let linear = |a: &f64| a - 0.5 - t * sd / 2.0 * (1.0 + ((a - mean) / sd).powi(2));
            let constraint: Vec<f64> = self.scores.iter().map(linear).collect();
            let next = self.balanced(&constraint)?;
            let change = next.iter().zip(&p).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            p = next;
            if change < 1e-11 {
                break;
            }
        }
        ((self.normalized(&p) - t).abs() < 1e-6).then_some(p)
    }

    /// The most likely distribution in which `values` have mean 0: `p_k / (1 + x v_k)`, where x is the root of the
    /// decreasing function `Σ p_k v_k / (1 + x v_k)`. Returns `None` if all values have the same sign.
    fn balanced(&self, values: &[f64]) -> Option<Vec<f64>> {
        let (least, most) = values.iter().fold((0.0_f64, 0.0_f64), |(least, most), v| (least.min(*v), most.max(*v)));
        if !(least < 0.0 && most > 0.0) {
            return None;
        }
        // The end of the range nearer to x is -1 / `end`. There 1 + x v is close to 0 for v = `end` and would lose all
        // digits, so the search is for the distance of x from that end.
        let rises: f64 = self.observed.iter().zip(values).map(|(p, v)| p * v).sum();
        let end = if rises > 0.0 { least } else { most };
        let weight = |v: f64, distance: f64| (end - v) / end + end.signum() * distance * v;
        // Newton's method for the slope times the distance, which has no pole, from x = 0; by halves where that leads out.
        let (mut low, mut high) = (0.0, end.abs().recip());
        let mut distance = high;
        for _ in 0..2_000 {
            let (mut slope, mut falls) = (0.0, 0.0);
            for (p, v) in self.observed.iter().zip(values) {
                let share = v / weight(*v, distance);
                slope += p * share;
                falls += p * share * share;
            }
            slope *= end.signum();
            *(if slope > 0.0 { &mut low } else { &mut high }) = distance;
            let newton = distance - slope * distance / (slope - distance * falls);
            let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
            let change = (next - distance).abs();
            distance = next;
            if change <= 2.0 * f64::EPSILON * distance {
                break;
            }
        }
        Some(self.observed.iter().zip(values).map(|(p, v)| p / weight(*v, distance)).collect())
    }
}

/// The log-likelihood ratio of `elo1` over `elo0` for normal numbers with the moments of these pairs.
pub(super) fn normal_log_likelihood_ratio(pairs: [u64; 5], model: SprtModel, elo: [f64; 2]) -> f64 {
    let counts = pairs.map(regular);
    let total: f64 = counts.iter().sum();
    let moment = |power: i32| (0..5).map(|k| counts[k] / total * (k as f64 / 4.0).powi(power)).sum::<f64>();
    let mean = moment(1);
    let sd = (moment(2) - mean * mean).max(0.0).sqrt();
    // What is left of the variance beside the distance from each hypothesis.
    let [far0, far1] = elo.map(|elo| match model {
        SprtModel::Logistic => sd * sd + (mean - Chance::new(elo / ELO_PER_NAT).win).powi(2),
        SprtModel::Normalized => {
            1.0 + ((mean - 0.5) / sd - elo * std::f64::consts::SQRT_2 / (2.0 * ELO_PER_NAT)).powi(2)
        }
    });
    total / 2.0 * (far0 / far1).ln()
}

/// The Elo of pairs with these probabilities, on the scale of a model.
pub(super) fn elo_of(pairs: [f64; 5], model: SprtModel) -> f64 {
    let sample = ScoreSample { scores: (0..5).map(|k| f64::from(k) / 4.0).collect(), observed: pairs.to_vec() };
    let (mean, sd) = sample.moments(&pairs);
    match model {
        SprtModel::Logistic => ELO_PER_NAT * (mean / (1.0 - mean)).ln(),
        SprtModel::Normalized => (mean - 0.5) / sd * 2.0 * ELO_PER_NAT / std::f64::consts::SQRT_2,
    }
}

/// Finds by bisection where `is_below` turns from true to false between `low` and `high`. Stops at neighbouring
/// floating-point numbers or after `steps`.
pub(super) fn halved(steps: usize, mut low: f64, mut high: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..steps {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if is_below(middle) { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}
