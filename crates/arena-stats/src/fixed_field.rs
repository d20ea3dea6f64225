//! The rating of one player who met others of known ratings.
//!
//! Logistic Elo with half a point for a draw. The rating is the one at which the expected points are the points made, which is that
//! of maximum likelihood; its error is that of the sum of pairs of games, each from both seats of one opening, divided by the slope (the
//! sandwich of `sandwich.rs` for one parameter).

use super::elo::ELO_PER_NAT;
use super::normal::t95;

/// Ratings are looked for in here.
const RANGE: [f64; 2] = [-10_000.0, 10_000.0];
/// Chance of a result as good or as bad as the one that a bound is given for.
const DOUBT: f64 = 0.05;
/// The standard normal quantile of that.
const Z_DOUBT: f64 = 1.645;

/// Games against one player, from both seats of one opening: its rating, the number of games, and the points made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FixedPair {
    /// The rating of the other player.
    pub rating: f64,
    /// Games that count: two, or one if the other repeats an earlier one.
    pub games: u32,
    /// Points in them.
    pub points: f64,
}

/// What is known of a strength.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Strength {
    /// The rating, and its 95 % margin; infinite for a single pair.
    Rated {
        /// The rating.
        elo: f64,
        /// Its margin.
        margin: f64,
    },
    /// It made all points; with a lower rating that has less than one chance in twenty.
    Above(f64),
    /// It made no points; with a higher rating that has less than one chance in twenty.
    Below(f64),
}

/// The strength of a player in these pairs, against a field of this `misfit`; `None` without games. Pairs of the same rating are taken as
/// games against the same player.
#[must_use]
pub fn strength(pairs: &[FixedPair], misfit: f64) -> Option<Strength> {
    let games: u32 = pairs.iter().map(|pair| pair.games).sum();
    let points: f64 = pairs.iter().map(|pair| pair.points).sum();
    if games == 0 {
        return None;
    }
    // ln of the chance to win, or to lose, all of them.
    let all = |elo: f64, sign: f64| -> f64 {
        pairs
            .iter()
            .map(|pair| f64::from(pair.games) * -(-sign * (elo - pair.rating) / ELO_PER_NAT).exp().ln_1p())
            .sum()
    };
    if points >= f64::from(games) {
        let elo = root(|elo| all(elo, 1.0) - DOUBT.ln());
        return Some(Strength::Above(elo - Z_DOUBT * Slopes::of(pairs, elo).misfit(misfit)));
    }
    if points <= 0.0 {
        let elo = root(|elo| DOUBT.ln() - all(elo, -1.0));
        return Some(Strength::Below(elo + Z_DOUBT * Slopes::of(pairs, elo).misfit(misfit)));
    }
    let elo = likeliest(pairs);
    Some(Strength::Rated { elo, margin: margin(pairs, elo, misfit) })
}

/// Which of the players with these `ratings` to meet next: the one after whose pair the margin is smallest. The player's rating is
/// taken as that of [`strength`] with half a win and half a loss more against one of `usual` rating.
///
/// # Panics
///
/// Panics if there are no ratings.
#[must_use]
pub fn next_opponent(pairs: &[FixedPair], ratings: &[f64], usual: f64, misfit: f64) -> usize {
    let elo = likeliest(&[pairs, &[FixedPair { rating: usual, games: 1, points: 0.5 }]].concat());
    let known = Slopes::of(pairs, elo);
    let error = |rating: f64| {
        let mut slopes = known.clone();
        slopes.add(rating, 2.0 * variance(elo, rating));
        slopes.total.sqrt().recip().hypot(slopes.misfit(misfit) / ELO_PER_NAT)
    };
    let smallest = ratings.iter().map(|rating| error(*rating)).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    smallest.expect("there are ratings").0
}

/// How the expected points rise with the rating, in points per nat: as a whole, and against each player.
#[derive(Debug, Clone)]
struct Slopes {
    total: f64,
    by_rating: Vec<(f64, f64)>,
}

impl Slopes {
    /// The slopes of these pairs at a rating.
    fn of(pairs: &[FixedPair], elo: f64) -> Self {
        let mut slopes = Self { total: 0.0, by_rating: Vec::new() };
        for pair in pairs {
            slopes.add(pair.rating, f64::from(pair.games) * variance(elo, pair.rating));
        }
        slopes
    }

    fn add(&mut self, rating: f64, slope: f64) {
        self.total += slope;
        match self.by_rating.iter_mut().find(|(known, _)| known.to_bits() == rating.to_bits()) {
            Some((_, sum)) => *sum += slope,
            None => self.by_rating.push((rating, slope)),
        }
    }

    /// The standard error of the rating by a misfit against each player, both in Elo.
    fn misfit(&self, misfit: f64) -> f64 {
        let squares: f64 = self.by_rating.iter().map(|(_, slope)| slope * slope).sum();
        misfit * squares.sqrt() / self.total
    }
}

/// The rating of maximum likelihood, if the points are neither all nor none.
fn likeliest(pairs: &[FixedPair]) -> f64 {
    let points: f64 = pairs.iter().map(|pair| pair.points).sum();
    root(|elo| pairs.iter().map(|pair| f64::from(pair.games) * expected(elo, pair.rating)).sum::<f64>() - points)
}

fn margin(pairs: &[FixedPair], elo: f64, misfit: f64) -> f64 {
    let count = pairs.len() as f64;
    if count < 2.0 {
        return f64::INFINITY;
    }
    let slopes = Slopes::of(pairs, elo);
    let surplus = |pair: &FixedPair| pair.points - f64::from(pair.games) * expected(elo, pair.rating);
    let squares: f64 = pairs.iter().map(|pair| surplus(pair).powi(2)).sum();
    // Few pairs may agree by chance. Games of a pair that are decided by the seat vary less than independent ones, draws as well: by
    // half, say, but not by much more.
    let variance = (squares * count / (count - 1.0)).max(slopes.total / 2.0);
    t95(count - 1.0) * (variance.sqrt() / slopes.total * ELO_PER_NAT).hypot(slopes.misfit(misfit))
}

/// The expected points of a game.
fn expected(elo: f64, other: f64) -> f64 {
    1.0 / (1.0 + ((other - elo) / ELO_PER_NAT).exp())
}

/// How they rise with the rating, in points per nat; also their variance, without draws.
fn variance(elo: f64, other: f64) -> f64 {
    let chance = expected(elo, other);
    chance * (1.0 - chance)
}

/// Where an ascending function is 0.
fn root(f: impl Fn(f64) -> f64) -> f64 {
    let [mut low, mut high] = RANGE;
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_rules::rng::Rng;

    fn pair(rating: f64, points: f64) -> FixedPair {
        FixedPair { rating, games: 2, points }
    }

    #[test]
    fn even_points_are_the_rating_of_the_others() {
        let Some(Strength::Rated { elo, margin }) =
            strength(&[pair(300.0, 1.0), pair(300.0, 2.0), pair(300.0, 0.0)], 0.0)
        else {
            panic!("rated")
        };
        assert!((elo - 300.0).abs() < 1e-6 && margin > 300.0, "{elo} {margin}");
        // 3 of 4 points are odds of 3 to 1: 400 log10 3.
        let Some(Strength::Rated { elo, .. }) = strength(&[pair(0.0, 2.0), pair(0.0, 1.0)], 0.0) else {
            panic!("rated")
        };
        assert!((elo - 190.848_5).abs() < 1e-3, "{elo}");
    }

    #[test]
    fn all_or_nothing_is_a_bound() {
        // 0.05 = p^4: p = 0.4729, odds of 0.897.
        let Some(Strength::Above(elo)) = strength(&[pair(1_000.0, 2.0); 2], 0.0) else { panic!("a bound") };
        assert!((elo - (1_000.0 - 18.87)).abs() < 0.1, "{elo}");
        let Some(Strength::Below(below)) = strength(&[pair(1_000.0, 0.0); 2], 0.0) else { panic!("a bound") };
        assert!((below + elo - 2_000.0).abs() < 1e-6, "{below}");
        // One player alone may suit it by chance.
        let Some(Strength::Above(unsure)) = strength(&[pair(1_000.0, 2.0); 2], 50.0) else { panic!("a bound") };
        assert!((elo - unsure - 1.645 * 50.0).abs() < 1e-6, "{unsure}");
        assert_eq!(strength(&[], 0.0), None);
    }

    #[test]
    fn the_next_opponent_is_near_and_new() {
        let ratings = [0.0, 300.0, 600.0, 700.0, 900.0];
        let next = |pairs: &[FixedPair], misfit| next_opponent(pairs, &ratings, 690.0, misfit);
        let even = [pair(700.0, 1.0); 3];
        assert_eq!((next(&[], 0.0), next(&[], 80.0)), (3, 3));
        assert_eq!((next(&even, 0.0), next(&even, 80.0)), (3, 2));
        assert_eq!((next(&[pair(700.0, 2.0)], 80.0), next(&[pair(300.0, 0.0); 2], 80.0)), (4, 0));
    }

    #[test]
    fn the_margin_holds_nineteen_times_of_twenty() {
        let mut rng = Rng::new(3);
        let rungs = [0.0, 300.0, 600.0, 900.0, 1_200.0];
        for misfit in [0.0, 80.0] {
            let mut inside = 0;
            for _ in 0..400 {
                let truth = 200.0 + rng.below(800) as f64;
                // A sum of twelve uniform numbers is nearly normal.
                let mut normal = || (0..12).map(|_| rng.below(1_000_000) as f64 / 1e6).sum::<f64>() - 6.0;
                let seen_as = rungs.map(|_| truth + misfit * normal());
                let mut pairs = Vec::new();
                for _ in 0..25 {
                    let next = next_opponent(&pairs, &rungs, 600.0, misfit);
                    let chance = expected(seen_as[next], rungs[next]);
                    let points = (0..2).filter(|_| (rng.below(1_000_000) as f64) < 1e6 * chance).count();
                    pairs.push(pair(rungs[next], points as f64));
                }
                match strength(&pairs, misfit).unwrap() {
                    Strength::Rated { elo, margin } => inside += usize::from((elo - truth).abs() <= margin),
                    bound => panic!("{bound:?}"),
                }
            }
            assert!((370..400).contains(&inside), "misfit {misfit}: {inside} of 400");
        }
    }
}
