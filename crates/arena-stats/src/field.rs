//! A set of games prepared for fitting: which bots are comparable, and the virtual games that keep the fit finite.

use super::counts::Counts;
use super::graph::Graph;
use super::likelihood::{Model, Prior};
use super::newton::{NewtonFit, maximise};

/// Largest γ that this many games can determine, in nats, with a margin. One point lost in all of them gives ln(2
/// games); a larger γ means that the fit diverges.
fn gamma_max(games: u64) -> f64 {
    ((2 * games) as f64).ln().clamp(0.0, 13.0) + 2.0
}

/// Properties of a set of games that follow from its pairings.
pub(super) struct Connectivity {
    /// Connected component of each bot, numbered by first members; `None` without games.
    pub(super) groups: Vec<Option<usize>>,
    /// Class of each bot. Differences within a class are finite.
    pub(super) classes: Vec<usize>,
    /// Number of clusters of each bot.
    pub(super) clusters: Vec<u64>,
    /// Virtual draws of each pairing; empty if there are none.
    pub(super) draws: Vec<f64>,
    /// Unknowns that are held fixed when equations are solved: one bot of each group, and all bots without games.
    pub(super) held: Vec<bool>,
    /// Whether the games can separate the side advantage from strength.
    pub(super) sides_are_identifiable: bool,
}

/// A fit and its model.
pub(super) struct Fitted<'a> {
    pub(super) model: Model<'a>,
    pub(super) fit: NewtonFit,
}

impl Connectivity {
    /// Spreads `prior_draws` virtual draws of each bot over its pairings. Without them, a pairing between different
    /// strong classes gets virtual draws in proportion to its share of the busier bot's games: one draw in all for a
    /// bot that won everything, as in Ordo, but without a second fit.
    pub(super) fn new(counts: &Counts, graph: &Graph, prior_draws: f64) -> Self {
        let groups = graph.groups();
        let prior = if prior_draws.is_finite() { prior_draws.max(0.0) } else { 0.0 };
        let classes = if prior > 0.0 {
            groups.iter().enumerate().map(|(bot, group)| group.unwrap_or(counts.bots() + bot)).collect()
        } else {
            graph.strong_classes()
        };
        let mut games = vec![0; counts.bots()];
        let mut clusters = vec![0; counts.bots()];
        for pairing in counts.pairings() {
            for bot in [pairing.a, pairing.b] {
                games[bot] += pairing.total().games();
                clusters[bot] += pairing.cluster_count();
            }
        }
        let per_bot = |a: usize, b: usize| if classes[a] == classes[b] { prior } else { 1.0 };
        let mut draws = Vec::new();
        if prior > 0.0 || counts.pairings().any(|met| classes[met.a] != classes[met.b]) {
            draws.extend(
                counts.pairings().map(|met| {
                    per_bot(met.a, met.b) * met.total().games() as f64 / games[met.a].max(games[met.b]) as f64
                }),
            );
        }
        let mut held = vec![true; counts.bots()];
        let mut busiest: Vec<Option<usize>> = vec![None; counts.bots()];
        for (bot, group) in groups.iter().enumerate() {
            if let Some(group) = *group {
                held[bot] = false;
                let known = busiest[group].is_some_and(|other| games[other] >= games[bot]);
                busiest[group] = if known { busiest[group] } else { Some(bot) };
            }
        }
        busiest.into_iter().flatten().for_each(|bot| held[bot] = true);
        let sides_are_identifiable = graph.sides_are_identifiable();
        Self { groups, classes, clusters, draws, held, sides_are_identifiable }
    }

    /// The same games for a fit with a normal prior: it bounds all strengths, so nothing is virtual, and all bots of a
    /// group are in one class.
    pub(super) fn bounded(&self) -> Self {
        let Self { groups, clusters, sides_are_identifiable, .. } = self;
        Self {
            classes: groups.iter().enumerate().map(|(bot, group)| group.unwrap_or(groups.len() + bot)).collect(),
            draws: Vec::new(),
            held: groups.iter().map(Option::is_none).collect(),
            groups: groups.clone(),
            clusters: clusters.clone(),
            sides_are_identifiable: *sides_are_identifiable,
        }
    }

    /// Maximises the quasi-likelihood, starting from `start`.
    ///
    /// Fits γ if `side` is set and the games can separate it from strength. If γ diverges, as when the first seat won
    /// every game, a virtual draw between equal bots bounds it.
    pub(super) fn fit<'a>(&self, counts: &'a Counts, side: bool, start: Vec<f64>) -> Fitted<'a> {
        let side = side && self.sides_are_identifiable;
        let mut held = self.held.clone();
        held.push(!side);
        let mut model = Model { counts, draws: self.draws.clone(), side, side_draws: 0.0, prior: Prior::NONE, held };
        let mut fit = maximise(&model, start);
        let boundless = !fit.converged || fit.at[counts.bots()].abs() > gamma_max(counts.first_seat().games());
        if side && boundless {
            model.side_draws = 1.0;
            fit = maximise(&model, vec![0.0; counts.bots() + 1]);
        }
        Fitted { model, fit }
    }
}
