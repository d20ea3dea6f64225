//! Ratings: strengths on the Elo scale, with their errors.

use super::chances::Chance;
use super::counts::Counts;
use super::elo::{ELO_PER_NAT, Estimate};
use super::field::Connectivity;
use super::graph::Graph;
use super::normal::{Z95, normal_cdf};
use super::openings::{Openings, Student};
use super::prior;
use super::sandwich::Errors;
use super::side::{SideAdvantage, side_advantage};

/// A bot with a fixed rating.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Anchor {
    /// Its index.
    pub bot: usize,
    /// Its rating.
    pub elo: f64,
}

/// How to rate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RatingOptions {
    /// Whether to fit the advantage of moving first. Set this only if the schedule does not balance the seats; with
    /// swapped pairs it would only stretch the scale. Ignored if the games cannot separate the advantage from strength.
    pub fit_side: bool,
    /// The bot that defines the zero of its group. Without it, the mean of the group's main class is 0.
    pub anchor: Option<Anchor>,
    /// Virtual draws of each bot, spread over its pairings in proportion to their games; 0 for none. A positive number
    /// shrinks the ratings and keeps every interval finite.
    pub prior_draws: f64,
    /// Whether strengths have a normal prior whose width is estimated from the games (see `prior.rs`). It undoes the
    /// stretched scale of schedules that depend on results, and bounds every interval; `prior_draws` is then ignored.
    pub fitted_prior: bool,
}

/// The rating of a bot with games.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// The rating relative to the zero of the group.
    pub elo: Estimate,
    /// The maximum-likelihood rating relative to the same zero, if the rating itself is shrunk by
    /// [`RatingOptions::fitted_prior`].
    pub ml: Option<f64>,
    /// Number of its group. Bots of different groups are not connected by games and cannot be compared.
    pub group: usize,
}

/// The ratings of all bots and their differences.
#[derive(Debug, Clone)]
pub struct Ratings {
    by_bot: Vec<Option<Rating>>,
    /// By cluster and, where openings are shared and enough, by opening. The larger standard deviation counts.
    pub(super) errors: Vec<Errors>,
    /// The distribution for the errors by opening, if there are any.
    pub(super) student: Option<Student>,
    /// Whether all margins hold for the played openings only: they are known, and too few to generalise.
    pub of_these_openings: bool,
    /// The advantage of moving first, whether or not the ratings account for it.
    pub side: SideAdvantage,
    /// The width of the fitted prior, one standard deviation in Elo. `None` without one, or without games.
    pub prior_width: Option<f64>,
    /// The strong class of each bot.
    pub(super) classes: Vec<usize>,
    /// The strengths of maximum likelihood, if `at` has those of a fitted prior.
    ml: Option<Vec<f64>>,
    /// The strengths as fitted, in nats, then γ.
    pub(super) at: Vec<f64>,
    /// The options in effect; `fit_side` is false if the games cannot separate the advantage of moving first from
    /// strength.
    pub options: RatingOptions,
}

/// Rates every bot with games, in one fit to all games.
///
/// Strengths maximise the quasi-likelihood of the scores (see `likelihood.rs`); errors are the cluster sandwich
/// (`sandwich.rs`, `openings.rs`). A bot that won or lost everything is rated with virtual draws, and its interval has
/// an infinite end, unless the strengths have a prior (`prior.rs`).
#[must_use]
pub fn rate(counts: &Counts, options: &RatingOptions) -> Ratings {
    let graph = Graph::new(counts);
    let field = Connectivity::new(counts, &graph, if options.fitted_prior { 0.0 } else { options.prior_draws });
    let fitted = field.fit(counts, options.fit_side, vec![0.0; counts.bots() + 1]);
    let openings = Openings::of(counts);
    let side = if fitted.model.side || !field.sides_are_identifiable {
        side_advantage(counts, &field, &fitted, openings)
    } else {
        side_advantage(counts, &field, &field.fit(counts, true, fitted.fit.at.clone()), openings)
    };
    let options = RatingOptions { fit_side: fitted.model.side, ..*options };
    let strong_classes = field.classes.clone();
    let shrunk = options.fitted_prior.then(|| {
        let bounded = field.bounded();
        (prior::fit(counts, &bounded, &fitted), bounded)
    });
    let (field, fitted, prior_width, ml) = match shrunk {
        Some(((shrunk, width), bounded)) => (bounded, shrunk, width, Some(fitted.fit.at)),
        None => (field, fitted, None, None),
    };
    let mut errors = vec![Errors::by_cluster(&field, &fitted)];
    errors.extend(Errors::by_opening(&fitted, openings));
    let student = openings.filter(|_| errors.len() > 1).map(|openings| openings.student());
    let of_these_openings = openings.is_some_and(|openings| openings.are_too_few());
    let at = fitted.fit.at;
    let games = games_within(counts, &field.classes);
    let mut by_bot = vec![None; counts.bots()];
    for (group, members) in members(&field.groups).into_iter().enumerate() {
        let anchor = options.anchor.filter(|anchor| anchor.elo.is_finite() && members.contains(&anchor.bot));
        let zero = anchor.map(|anchor| vec![anchor.bot]).or_else(|| main_class(&games, &field, &members, &at));
        let open = open_ends(&graph, &field.classes, &members, zero.as_deref());
        let zero = zero.unwrap_or_else(|| members.clone());
        for errors in &mut errors {
            errors.shift(&members, &zero);
        }
        let anchored = anchor.map_or(0.0, |anchor| anchor.elo);
        let relative = |at: &[f64]| {
            let level = zero.iter().map(|bot| at[*bot]).sum::<f64>() / zero.len() as f64;
            let elo = |bot: &usize| (at[*bot] - level) * ELO_PER_NAT + anchored;
            members.iter().map(elo).collect::<Vec<f64>>()
        };
        let likeliest = ml.as_ref().map(|ml| relative(ml));
        for (place, (elo, open)) in relative(&at).into_iter().zip(open).enumerate() {
            let bot = members[place];
            let margin = Z95 * ELO_PER_NAT * sd(&errors, bot);
            let elo = Estimate::new(elo, margin).unbounded(open);
            by_bot[bot] = Some(Rating { elo, ml: likeliest.as_ref().map(|ml| ml[place]), group });
        }
    }
    Ratings { by_bot, errors, student, of_these_openings, side, prior_width, classes: strong_classes, ml, at, options }
}

impl Ratings {
    /// The rating of a bot; `None` if it has no games.
    #[must_use]
    pub fn of(&self, bot: usize) -> Option<&Rating> {
        self.by_bot.get(bot)?.as_ref()
    }

    /// The difference a − b with its 95 % interval, from the joint errors; `None` if the two are not comparable.
    #[must_use]
    pub fn difference(&self, a: usize, b: usize) -> Option<Estimate> {
        let (elo, sd) = self.difference_and_sd(a, b)?;
        Some(Estimate::new(elo, Z95 * sd))
    }

    /// The probability that `a` is stronger than `b`; `None` if the two are not comparable.
    #[must_use]
    pub fn los(&self, a: usize, b: usize) -> Option<f64> {
        let (elo, sd) = self.difference_and_sd(a, b)?;
        Some(likelihood_of_superiority(elo, sd))
    }

    /// The covariance of two ratings in Elo², by cluster and, where openings are shared and enough, by opening; `None` if
    /// the two are not comparable. The latter is enlarged so that a normal deviate gives Student's margins: the 95 % margin
    /// of any contrast is 1.96 times the larger of its two standard deviations.
    #[must_use]
    pub fn covariance(&self, a: usize, b: usize) -> Option<[Option<f64>; 2]> {
        let of = |errors: &Errors| ELO_PER_NAT * ELO_PER_NAT * super::dense::dot(errors.of(a), errors.of(b));
        self.comparable(a, b).then(|| [0, 1].map(|unit| self.errors.get(unit).map(of)))
    }

    /// The score per game that the fit predicts for `a` against `b` with balanced seats; `None` if the two are not
    /// comparable.
    #[must_use]
    pub fn expected(&self, a: usize, b: usize) -> Option<f64> {
        self.comparable(a, b).then(|| Chance::new(self.at[a] - self.at[b]).win)
    }

    /// The strengths that explain the games best, in nats, then γ.
    pub(super) fn likeliest(&self) -> &[f64] {
        self.ml.as_deref().unwrap_or(&self.at)
    }

    /// The number of groups.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.by_bot.iter().flatten().map(|rating| rating.group + 1).max().unwrap_or(0)
    }

    pub(super) fn comparable(&self, a: usize, b: usize) -> bool {
        self.of(a).zip(self.of(b)).is_some_and(|(a, b)| a.group == b.group)
    }

    /// The difference in Elo and its standard deviation.
    pub(super) fn difference_and_sd(&self, a: usize, b: usize) -> Option<(f64, f64)> {
        let (by_cluster, by_opening) = self.sds_of_difference(a, b)?;
        let sd = by_cluster.max(by_opening.unwrap_or(0.0));
        Some(((self.at[a] - self.at[b]) * ELO_PER_NAT, ELO_PER_NAT * sd))
    }

    /// The standard deviations of the difference in nats, by cluster and, where there are errors by opening, by these.
    pub(super) fn sds_of_difference(&self, a: usize, b: usize) -> Option<(f64, Option<f64>)> {
        let apart =
            |errors: &Errors| errors.of(a).iter().zip(errors.of(b)).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt();
        self.comparable(a, b).then(|| (apart(&self.errors[0]), self.errors.get(1).map(apart)))
    }
}

/// Φ(difference / sd); 0, 1/2 or 1 if there is no error.
pub(super) fn likelihood_of_superiority(difference: f64, sd: f64) -> f64 {
    if sd > 0.0 {
        normal_cdf(difference / sd)
    } else if difference == 0.0 {
        0.5
    } else {
        f64::from(u8::from(difference > 0.0))
    }
}

/// The standard deviation of a bot's strength, in nats: the length of its error vector.
pub(super) fn sd(errors: &[Errors], bot: usize) -> f64 {
    let variance = |errors: &Errors| super::dense::dot(errors.of(bot), errors.of(bot));
    errors.iter().map(variance).fold(0.0, f64::max).sqrt()
}

/// The bots of each group.
fn members(groups: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); groups.iter().flatten().map(|group| group + 1).max().unwrap_or(0)];
    for (bot, group) in groups.iter().enumerate() {
        if let Some(group) = group {
            members[*group].push(bot);
        }
    }
    members
}

/// The number of games within each class, between members of the same class.
fn games_within(counts: &Counts, classes: &[usize]) -> Vec<u64> {
    let mut games = vec![0; classes.iter().map(|class| class + 1).max().unwrap_or(0)];
    for met in counts.pairings().filter(|met| classes[met.a] == classes[met.b]) {
        games[classes[met.a]] += met.total().games();
    }
    games
}

/// The strong class with the most games within it, which defines the zero; `None` if every class is a single bot. Ties
/// go to the larger and then to the stronger class, so that names and order do not matter.
fn main_class(games: &[u64], field: &Connectivity, members: &[usize], at: &[f64]) -> Option<Vec<usize>> {
    let mut classes: std::collections::BTreeMap<usize, Vec<usize>> = std::collections::BTreeMap::new();
    for bot in members {
        classes.entry(field.classes[*bot]).or_default().push(*bot);
    }
    let mean = |bots: &[usize]| bots.iter().map(|bot| at[*bot]).sum::<f64>() / bots.len() as f64;
    classes
        .into_iter()
        .filter(|(_, bots)| bots.len() >= 2)
        .max_by(|(x, bots), (y, others)| {
            (games[*x], bots.len()).cmp(&(games[*y], others.len())).then(mean(bots).total_cmp(&mean(others)))
        })
        .map(|(_, bots)| bots)
}

/// Whether the rating of each member is unbounded below and above.
///
/// It is if no chain of games gives it a point from the class that defines the zero, or that class a point from it.
/// Without such a class, it is for a bot that never lost, or never gained, half a point.
fn open_ends(graph: &Graph, classes: &[usize], members: &[usize], zero: Option<&[usize]>) -> Vec<[bool; 2]> {
    // A prior bounds every rating: all members are then in one class.
    if members.iter().all(|bot| classes[*bot] == classes[members[0]]) {
        return vec![[false; 2]; members.len()];
    }
    match zero {
        Some(zero) => {
            let (beaten, beating) = (graph.beaten_by(zero), graph.beating(zero));
            members.iter().map(|bot| [!beating[*bot], !beaten[*bot]]).collect()
        }
        None => members.iter().map(|bot| [!graph.scored(*bot), !graph.conceded(*bot)]).collect(),
    }
}
