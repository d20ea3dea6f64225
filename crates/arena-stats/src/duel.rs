//! The ratings of two bots by their own games, which have a closed form.

use super::chances::Chance;
use super::counts::Pairing;
use super::elo::{ELO_PER_NAT, Estimate};
use super::normal::Z95;
use super::ratings::likelihood_of_superiority;

/// The difference between two bots according to the games between them, ignoring all others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duel {
    /// Strength of the first bot minus that of the second.
    pub elo: Estimate,
    /// The probability that the first bot is stronger.
    pub los: f64,
}

impl Pairing<'_> {
    /// Compares bots `a` and `b` by the games between them.
    #[must_use]
    pub fn duel(&self) -> Option<Duel> {
        Duel::of(self.clusters().map(|(cluster, count)| {
            let total = cluster.total();
            (count, total.half_points(), total.games())
        }))
    }
}

impl Duel {
    /// Compares two bots by their clusters of games. Each item is a number of clusters, with twice the points of the
    /// first bot and the number of games in each of them. Returns `None` if there are no games.
    #[must_use]
    pub fn of(clusters: impl Iterator<Item = (u64, u64, u64)> + Clone) -> Option<Self> {
        let played = clusters.filter(|(count, _, games)| *count > 0 && *games > 0);
        let clusters = played.map(|(count, half_points, games)| (count as f64, half_points as f64 / 2.0, games as f64));
        let (mut count, mut points, mut games) = (0.0, 0.0, 0.0);
        for (clusters, won, played) in clusters.clone() {
            count += clusters;
            points += clusters * won;
            games += clusters * played;
        }
        if games <= 0.0 {
            return None;
        }
        let lost = games - points;
        // If one bot won everything, add one virtual draw, as in the joint fit.
        let draws = if points <= 0.0 || lost <= 0.0 { 1.0 } else { 0.0 };
        let strength = ((points + draws / 2.0) / (lost + draws / 2.0)).ln();
        let p = Chance::new(strength);
        let excess = |(clusters, won, played): (f64, f64, f64)| {
            let above = p.surplus(won, played - won);
            clusters * above * above
        };
        let covariance = clusters.map(excess).sum::<f64>()
            + (games / count).powi(2) * p.variance()
            + draws * ((p.win - p.loss) / 2.0).powi(2);
        let sd = covariance.sqrt() / ((games + draws) * p.variance());
        let (elo, margin) = (strength * ELO_PER_NAT, Z95 * sd * ELO_PER_NAT);
        let elo = Estimate::new(elo, margin).unbounded([points <= 0.0, lost <= 0.0]);
        Some(Self { elo, los: likelihood_of_superiority(strength, sd) })
    }

    /// The same comparison from the other bot's side.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let Estimate { elo, lo, hi } = self.elo;
        Self { elo: Estimate { elo: -elo, lo: -hi, hi: -lo }, los: 1.0 - self.los }
    }
}
