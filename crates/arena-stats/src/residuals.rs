//! Whether the games on one machine came out as those of the same pairings elsewhere.
//!
//! The sampling unit is a pair of games with seats swapped, which one machine plays whole. If machines make no difference,
//! the pairs of a pairing are spread over machines at random, whatever their outcomes. Then, given how many pairs of each
//! outcome a pairing has, the points that a machine saw have a known mean and variance (those of drawing without
//! replacement). Summed over all pairings, they give for each bot the points that it made there beyond its mean, and the
//! covariances of these sums. The statistic is their quadratic form, approximately chi² distributed (Landis, Heyman and Koch,
//! "Average partial association in three-way contingency tables", 1978). It needs many pairs on a machine, but not many of
//! each pairing.

use super::normal::chi2_tail;

/// Least variance of a bot's points, given those of bots before it. With fewer games they are too far from a normal
/// distribution: in simulations with this one, also of bots that win 97 % of their pairs, 1 % of p-values are below 0.01.
const VARIANCE_MIN: f64 = 5.0;
/// Bots that are looked at on each machine, those with the most evidence first: the effort grows with the cube.
const BOTS_MAX: usize = 200;

/// A pair of games that count, both played by one machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MachinePair {
    /// Its bots, the lower number first.
    pub bots: [u32; 2],
    /// Identifies the moves of its games: that in which the first of `bots` moved first, and the other one.
    pub moves: [u64; 2],
    /// A number that has nothing to do with machine or outcome, such as a hash.
    pub lot: u64,
    /// Who played it.
    pub machine: u32,
    /// Twice the points of the first of `bots`, 0 to 4.
    pub half_points: u8,
}

/// How the outcomes on one machine differ from those on all machines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// The statistic.
    pub chi2: f64,
    /// Its degrees of freedom: at most one for each bot.
    pub degrees: u32,
    /// Probability of a difference at least as large if machines make none. One of many machines has a small one by chance.
    pub p: f64,
}

/// What one machine saw of one pairing.
struct MachineSums {
    bots: [u32; 2],
    /// Points of the first bot beyond their mean, and their variance.
    points: f64,
    variance: f64,
}

/// The residual of each machine, by number; `None` if it has too few pairs that others played too.
///
/// Pairs that repeat another move for move count once: bots that always reply alike would else make evidence of the
/// openings that a machine was given. It counts for the machine of the lowest lot, so that no machine is preferred.
#[must_use]
pub fn residuals(mut pairs: Vec<MachinePair>, machines: usize) -> Vec<Option<Residual>> {
    pairs.retain(|pair| (pair.machine as usize) < machines && pair.bots[0] != pair.bots[1]);
    pairs.sort_unstable();
    pairs.dedup_by_key(|pair| (pair.bots, pair.moves));
    let mut seen: Vec<Vec<MachineSums>> = (0..machines).map(|_| Vec::new()).collect();
    for pairing in pairs.chunk_by_mut(|a, b| a.bots == b.bots) {
        pairing.sort_unstable_by_key(|pair| pair.machine);
        let played = pairing.len() as f64;
        let points = |pairs: &[MachinePair]| pairs.iter().map(|pair| u32::from(pair.half_points)).sum::<u32>();
        let mean = f64::from(points(pairing)) / 2.0 / played;
        let square = |pair: &MachinePair| (f64::from(pair.half_points) / 2.0 - mean).powi(2);
        let spread = pairing.iter().map(square).sum::<f64>() / played;
        for own in pairing.chunk_by(|a, b| a.machine == b.machine) {
            let count = own.len() as f64;
            // Without another machine, or with equal outcomes, this is 0.
            let variance = spread * count * (played - count) / (played - 1.0).max(1.0);
            if variance > 0.0 {
                let points = f64::from(points(own)) / 2.0 - count * mean;
                seen[own[0].machine as usize].push(MachineSums { bots: own[0].bots, points, variance });
            }
        }
    }
    seen.iter().map(|surpluses| residual(surpluses)).collect()
}

fn residual(surpluses: &[MachineSums]) -> Option<Residual> {
    let bots = informative_bots(surpluses);
    let place = |bot: u32| bots.iter().position(|known| *known == bot);
    let mut points = vec![0.0; bots.len()];
    let mut covariance = vec![vec![0.0; bots.len()]; bots.len()];
    for surplus in surpluses {
        let places = surplus.bots.map(place);
        for (place, sign) in places.into_iter().zip([1.0, -1.0]) {
            if let Some(place) = place {
                points[place] += sign * surplus.points;
                covariance[place][place] += surplus.variance;
            }
        }
        if let [Some(a), Some(b)] = places {
            covariance[a][b] -= surplus.variance;
            covariance[b][a] -= surplus.variance;
        }
    }
    let (chi2, degrees) = quadratic_form(points, covariance);
    (degrees > 0).then(|| Residual { chi2, degrees, p: chi2_tail(chi2, degrees) })
}

/// The bots with the largest variances, by number.
fn informative_bots(surpluses: &[MachineSums]) -> Vec<u32> {
    let mut variances = std::collections::BTreeMap::<u32, f64>::new();
    for surplus in surpluses {
        for bot in surplus.bots {
            *variances.entry(bot).or_default() += surplus.variance;
        }
    }
    let mut bots: Vec<(u32, f64)> = variances.into_iter().filter(|(_, variance)| *variance >= VARIANCE_MIN).collect();
    bots.sort_by(|a, b| b.1.total_cmp(&a.1));
    bots.truncate(BOTS_MAX);
    let mut bots: Vec<u32> = bots.into_iter().map(|(bot, _)| bot).collect();
    bots.sort_unstable();
    bots
}

/// `x' V⁻¹ x` in the directions with enough variance, and their number. Eliminates the largest variance first.
fn quadratic_form(mut x: Vec<f64>, mut v: Vec<Vec<f64>>) -> (f64, u32) {
    let mut open: Vec<usize> = (0..x.len()).collect();
    let (mut sum, mut degrees) = (0.0, 0);
    while let Some(largest) = (0..open.len()).max_by(|a, b| v[open[*a]][open[*a]].total_cmp(&v[open[*b]][open[*b]])) {
        let pivot = open.swap_remove(largest);
        let (variance, surplus, row) = (v[pivot][pivot], x[pivot], std::mem::take(&mut v[pivot]));
        if variance < VARIANCE_MIN {
            break;
        }
        sum += surplus * surplus / variance;
        degrees += 1;
        for other in &open {
            let factor = row[*other] / variance;
            x[*other] -= factor * surplus;
            for column in &open {
                v[*other][*column] -= factor * row[*column];
            }
        }
    }
    (sum, degrees)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use arena_rules::rng::Rng;

    /// Outcomes of pairs: for each pairing of six bots, chances that differ. No two pairs are alike.
    struct Simulation {
        rng: Rng,
        pairs: Vec<MachinePair>,
    }

    impl Simulation {
        fn new(seed: u64) -> Self {
            Self { rng: Rng::new(seed), pairs: Vec::new() }
        }

        /// Plays pairs on one machine.
        fn play(&mut self, machine: u32, bots: [u32; 2], count: usize) {
            for _ in 0..count {
                // Bot 0 beats bot 5 nearly always, and others less often.
                let strength = u64::from(30 + 10 * (bots[1] - bots[0]));
                let points = [0; 4].map(|_| u8::from(self.rng.below(100) < strength)).iter().sum();
                self.add(machine, bots, points);
            }
        }

        fn add(&mut self, machine: u32, bots: [u32; 2], half_points: u8) {
            let moves = [self.pairs.len() as u64, 0];
            let lot = self.rng.below(u64::MAX);
            self.pairs.push(MachinePair { bots, moves, lot, machine, half_points });
        }

        fn play_all(&mut self, counts: &[usize]) {
            for (machine, count) in (0..).zip(counts) {
                for a in 0..6 {
                    for b in a + 1..6 {
                        self.play(machine, [a, b], *count);
                    }
                }
            }
        }
    }

    /// Kolmogorov and Smirnov's distance from the uniform distribution.
    fn distance(mut ps: Vec<f64>) -> f64 {
        ps.sort_by(f64::total_cmp);
        let count = ps.len() as f64;
        let steps = ps.iter().enumerate();
        steps
            .map(|(index, p)| (p - index as f64 / count).abs().max((p - (index + 1) as f64 / count).abs()))
            .fold(0.0, f64::max)
    }

    #[test]
    fn machines_that_play_alike_have_uniform_p_values() {
        // Machines of all sizes, also with two pairs of each pairing.
        for counts in [&[20, 20, 20][..], &[40, 10], &[8; 12]] {
            let mut ps = Vec::new();
            for seed in 0..400 {
                let mut simulation = Simulation::new(seed);
                simulation.play_all(counts);
                ps.push(residuals(simulation.pairs, counts.len()).pop().flatten().expect("enough pairs").p);
            }
            let small = ps.iter().filter(|p| **p < 0.01).count();
            let distance = distance(ps);
            // The 1 % point of the distance of 400 is 0.081.
            assert!(distance < 0.081 && small < 12, "{counts:?}: {distance} {small}");
        }
    }

    #[test]
    fn a_machine_where_one_bot_always_loses_stands_out() {
        let mut simulation = Simulation::new(1);
        simulation.play_all(&[20, 20, 20]);
        for pair in simulation.pairs.iter_mut().filter(|pair| pair.machine == 1) {
            match pair.bots.iter().position(|bot| *bot == 2) {
                Some(0) => pair.half_points = 0,
                Some(_) => pair.half_points = 4,
                None => {}
            }
        }
        let found = residuals(simulation.pairs, 3).into_iter().map(|residual| residual.unwrap().p).collect::<Vec<_>>();
        assert!(found[1] < 1e-6, "{found:?}");
        assert!(found[1] < found[0] && found[1] < found[2], "{found:?}");
    }

    #[test]
    fn openings_of_bots_that_repeat_themselves_are_no_evidence() {
        let mut simulation = Simulation::new(2);
        // The first half of 16 openings is always won and the other lost, and each machine was given one half.
        for _ in 0..100 {
            for opening in 0..16_u64 {
                simulation.add((opening / 8) as u32, [0, 1], if opening < 8 { 4 } else { 0 });
                simulation.pairs.last_mut().unwrap().moves = [opening, opening];
            }
        }
        assert!(simulation.pairs.len() > 1_000);
        assert_eq!(residuals(simulation.pairs, 2), [None, None]);
    }

    #[test]
    fn games_that_are_often_repeated_do_not_make_large_machines_suspicious() {
        let mut ps = Vec::new();
        for seed in 0..300 {
            let mut simulation = Simulation::new(seed);
            // Won pairs are seldom alike, drawn ones often.
            for machine in [0, 0, 0, 1] {
                for _ in 0..60 {
                    let kind = simulation.rng.below(400);
                    simulation.add(machine, [0, 1], if kind < 200 { 2 } else { (kind % 2 * 4) as u8 });
                    simulation.pairs.last_mut().unwrap().moves = [if kind < 200 { kind % 30 } else { kind }, 0];
                }
            }
            ps.push(residuals(simulation.pairs, 2).pop().flatten().expect("enough pairs").p);
        }
        let small = ps.iter().filter(|p| **p < 0.01).count();
        assert!(distance(ps) < 0.094 && small < 10, "{small}");
    }

    #[test]
    fn without_others_there_is_nothing_to_compare() {
        assert_eq!(residuals(Vec::new(), 2), [None, None]);
        let mut simulation = Simulation::new(3);
        simulation.play_all(&[50]);
        assert_eq!(residuals(simulation.pairs.clone(), 1), [None]);
        simulation.play(1, [0, 1], 1);
        assert_eq!(residuals(simulation.pairs, 2)[1], None);
    }

    proptest! {
        #[test]
        fn neither_order_nor_repeats_matter(
            pairs in prop::collection::vec((0_u32..4, 0_u32..4, 0_u64..60, any::<u64>(), 0_u32..3, 0_u8..5), 0..300),
            again in any::<prop::sample::Index>(),
        ) {
            let pair = |(a, b, moves, lot, machine, half_points): (u32, u32, u64, u64, u32, u8)| {
                MachinePair { bots: [a.min(b), a.max(b)], moves: [moves, 1], lot, machine, half_points }
            };
            let pairs: Vec<MachinePair> = pairs.into_iter().map(pair).collect();
            let found = residuals(pairs.clone(), 3);
            for residual in found.iter().flatten() {
                prop_assert!((0.0..=1.0).contains(&residual.p) && residual.chi2 >= 0.0 && residual.degrees < 4);
            }
            let mut other = pairs.clone();
            other.reverse();
            other.extend(pairs.get(again.index(pairs.len().max(1))));
            prop_assert_eq!(residuals(other, 3), found);
        }
    }
}
