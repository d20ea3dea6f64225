//! Two bots by themselves: the joint fit of one pairing, which has a closed form.

use super::chances::Chance;
use super::counts::Pairing;
use super::elo::{ELO_PER_NAT, Estimate};
use super::normal::Z95;
use super::ratings::likelihood_of_superiority;

/// What the games of two bots against each other say, all others left aside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duel {
    /// Strength of the first named minus that of the other.
    pub elo: Estimate,
    /// The probability that the first named is stronger.
    pub los: f64,
}

impl Pairing<'_> {
    /// Bot `a` against bot `b`, by their own games alone.
    #[must_use]
    pub fn duel(&self) -> Option<Duel> {
        Duel::of(self.clusters().map(|(cluster, count)| {
            let total = cluster.total();
            (count, total.half_points(), total.games())
        }))
    }
}

impl Duel {
    /// What clusters of games between two bots say, given as how many of them have the same twice the points of the
    /// first named in as many games. `None` without a game.
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
        // A sweep gets one virtual drawn game, as in the joint fit.
        let draws = if points <= 0.0 || lost <= 0.0 { 1.0 } else { 0.0 };
        let strength = ((points + draws / 2.0) / (lost + draws / 2.0)).ln();
        let p = Chance::new(strength);
        let excess = |(clusters, won, played): (f64, f64, f64)| {
            let above = p.surplus(won, played - won);
            clusters * above * above
        };
        let meat = clusters.map(excess).sum::<f64>()
            + (games / count).powi(2) * p.variance()
            + draws * ((p.win - p.loss) / 2.0).powi(2);
        let sd = meat.sqrt() / ((games + draws) * p.variance());
        let (elo, margin) = (strength * ELO_PER_NAT, Z95 * sd * ELO_PER_NAT);
        let lo = if points <= 0.0 { f64::NEG_INFINITY } else { elo - margin };
        let hi = if lost <= 0.0 { f64::INFINITY } else { elo + margin };
        Some(Self { elo: Estimate { elo, lo, hi }, los: likelihood_of_superiority(strength, sd) })
    }

    /// The same as the other bot sees it.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let Estimate { elo, lo, hi } = self.elo;
        Self { elo: Estimate { elo: -elo, lo: -hi, hi: -lo }, los: 1.0 - self.los }
    }
}
