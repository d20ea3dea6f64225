//! Means over games whose clusters are the sampling unit: mistakes a game, for example.

use super::normal::t95;
use super::openings::OPENINGS_MIN;

/// The 95 % margin of `Σ events / Σ games` over these clusters of `[events, games]`; `None` where they are too few.
///
/// It is the margin of a ratio of sums over randomly drawn clusters of unequal sizes (Cochran, "Sampling techniques", 1977,
/// chapter 9A), with Student's deviate for the effective number of clusters (Satterthwaite, "An approximate distribution of
/// estimates of variance components", 1946), as for the points of the first seat in `openings.rs`.
#[must_use]
pub fn ratio_margin(clusters: &[[f64; 2]]) -> Option<f64> {
    let [events, games, squares, fourths] = clusters.iter().fold([0.0; 4], |sum, [events, games]| {
        let square = games * games;
        [sum[0] + events, sum[1] + games, sum[2] + square, sum[3] + square * square]
    });
    let number = squares * squares / fourths;
    // The number has a rounding error.
    if !number.is_finite() || number < 2.0 - 1e-6 {
        return None;
    }
    let degrees = (number - 1.0).max(1.0);
    let residuals: f64 = clusters.iter().map(|[own, of]| (own - of * events / games).powi(2)).sum();
    Some(t95(degrees) * (residuals * number / degrees).sqrt() / games)
}

/// The 95 % interval of events a game: the wider of the one by clusters and the one by openings, if there are enough of
/// these. Without any event, its upper end is that of a Poisson count with one trial a cluster (Garwood, "Fiducial limits for
/// the Poisson distribution", 1936). `None` for a single cluster, or none.
#[must_use]
pub fn events_per_game(clusters: &[[f64; 2]], openings: &[[f64; 2]]) -> Option<[f64; 2]> {
    /// −ln 0.025.
    const NONE_SEEN: f64 = 3.688_879_454_113_936;
    let margin = ratio_margin(clusters)?;
    let [events, games] = clusters.iter().fold([0.0; 2], |sum, [events, games]| [sum[0] + events, sum[1] + games]);
    if events == 0.0 {
        return Some([0.0, NONE_SEEN / clusters.len() as f64]);
    }
    let has_enough = openings.len() >= OPENINGS_MIN;
    let margin = ratio_margin(openings).filter(|_| has_enough).map_or(margin, |other| margin.max(other));
    let mean = events / games;
    Some([(mean - margin).max(0.0), mean + margin])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_of_one_game_give_students_interval_of_a_mean() {
        let events = [0.0, 2.0, 1.0, 1.0, 4.0, 0.0, 3.0, 1.0];
        let clusters = events.map(|events| [events, 1.0]);
        let mean = events.iter().sum::<f64>() / 8.0;
        let spread = (events.iter().map(|own| (own - mean).powi(2)).sum::<f64>() / 7.0).sqrt();
        // Student's 97.5 % quantile for 7 degrees of freedom.
        let expected = 2.364_624 * spread / 8.0_f64.sqrt();
        assert!((ratio_margin(&clusters).unwrap() - expected).abs() < 1e-5);
        // The wider interval counts, if there are enough openings.
        let openings = [[0.0, 2.0], [1.0, 2.0], [8.0, 2.0], [3.0, 2.0]];
        let [by_game, by_opening] = [&clusters[..], &openings[..]].map(|of| ratio_margin(of).unwrap());
        assert!(by_opening > by_game);
        let high = |openings| events_per_game(&clusters, openings).unwrap()[1] - mean;
        assert!((high(&openings) - by_opening).abs() < 1e-12);
        assert!((high(&openings[..3]) - by_game).abs() < 1e-12 && (high(&[[1.5, 1.0]; 8]) - by_game).abs() < 1e-12);
    }

    #[test]
    fn repeating_a_cluster_adds_games_and_no_certainty() {
        let clusters = [[1.0, 2.0], [4.0, 2.0], [2.0, 2.0], [0.0, 2.0]];
        let doubled = clusters.map(|[events, games]| [2.0 * events, 2.0 * games]);
        let [once, twice] = [&clusters, &doubled].map(|clusters| ratio_margin(clusters).unwrap());
        assert!((once - twice).abs() < 1e-12);
        assert_eq!(ratio_margin(&clusters[..1]), None);
        assert_eq!(ratio_margin(&[]), None);
    }

    #[test]
    fn no_event_is_no_certainty() {
        let [low, high] = events_per_game(&[[0.0, 2.0]; 20], &[]).unwrap();
        assert!(low == 0.0 && (high - 0.1844).abs() < 1e-3);
    }
}
