//! How often two bots make the same move where both had the choice.
//!
//! A bot that chooses at random among moves is compared by the probability that two such choices agree. Positions that follow
//! from one opening are alike, so the interval is Wilson's for as many positions as these are worth: their number over the
//! design effect (Wilson, "Probable inference", 1927; Kish, "Survey sampling", 1965, chapter 8).

use std::collections::BTreeMap;

use super::normal::Z95;
use super::openings::OPENINGS_MIN;
use super::ratio::ratio_margin;

/// A move that a bot chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The bot.
    pub bot: u32,
    /// The move, by any number that is its own.
    pub played: u64,
    /// The opening of the game.
    pub opening: u32,
    /// The game.
    pub game: u32,
}

/// The choices of all bots, by position.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// For each position what was chosen there, and how often: one entry for a bot and a move, with its first game.
    positions: BTreeMap<u64, Vec<(Choice, u32)>>,
}

/// How often two bots agreed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// The bots, in ascending order.
    pub bots: [u32; 2],
    /// Number of positions in which both had the choice.
    pub positions: u32,
    /// The share of these in which they agreed.
    pub share: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
}

impl Choices {
    /// Notes a choice in a position, which any number stands for that is its own.
    pub fn add(&mut self, position: u64, choice: Choice) {
        let known = self.positions.entry(position).or_default();
        match known.iter_mut().find(|(other, _)| (other.bot, other.played) == (choice.bot, choice.played)) {
            Some((_, count)) => *count += 1,
            None => known.push((choice, 1)),
        }
    }

    /// Every two bots that share positions, in ascending order.
    #[must_use]
    pub fn agreements(&self) -> Vec<Agreement> {
        // For each pair and opening: agreements and positions.
        let mut pairs: BTreeMap<[u32; 2], BTreeMap<u32, [f64; 2]>> = BTreeMap::new();
        for choices in self.positions.values() {
            let mut bots: Vec<u32> = choices.iter().map(|(choice, _)| choice.bot).collect();
            bots.sort_unstable();
            bots.dedup();
            for (index, a) in bots.iter().enumerate() {
                for b in &bots[index + 1..] {
                    let of_pair = pairs.entry([*a, *b]).or_default();
                    let sums = of_pair.entry(choices[0].0.opening).or_default();
                    sums[0] += agreed(choices, *a, *b);
                    sums[1] += 1.0;
                }
            }
        }
        let agreement = |(bots, openings): ([u32; 2], BTreeMap<u32, [f64; 2]>)| {
            let openings: Vec<[f64; 2]> = openings.into_values().collect();
            let positions: f64 = openings.iter().map(|[_, positions]| positions).sum();
            let share = openings.iter().map(|[agreed, _]| agreed).sum::<f64>() / positions;
            let interval = wilson(share, positions / design_effect(share, positions, &openings));
            Agreement { bots, positions: positions as u32, share, interval }
        };
        pairs.into_iter().map(agreement).collect()
    }

    /// Two games of each of two bots in which they agreed most: of `a` and `b`, the most alike first.
    #[must_use]
    pub fn most_alike(&self, [a, b]: [u32; 2]) -> Vec<[u32; 2]> {
        let mut counts: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        for choices in self.positions.values() {
            for (of_a, _) in choices.iter().filter(|(choice, _)| choice.bot == a) {
                let same = |(other, _): &&(Choice, u32)| other.bot == b && other.played == of_a.played;
                if let Some((of_b, _)) = choices.iter().find(same) {
                    *counts.entry([of_a.game, of_b.game]).or_default() += 1;
                }
            }
        }
        let mut games: Vec<([u32; 2], u32)> = counts.into_iter().collect();
        games.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let Some(&(first, _)) = games.first() else { return Vec::new() };
        let second = games.iter().find(|([of_a, of_b], _)| *of_a != first[0] && *of_b != first[1]);
        [first].into_iter().chain(second.map(|(games, _)| *games)).collect()
    }
}

/// The probability that choices of `a` and `b` in a position agree.
fn agreed(choices: &[(Choice, u32)], a: u32, b: u32) -> f64 {
    let of = |bot: u32| choices.iter().filter(move |(choice, _)| choice.bot == bot);
    let total = |bot: u32| of(bot).map(|(_, count)| f64::from(*count)).sum::<f64>();
    let both = of(a).flat_map(|(own, count)| {
        of(b).filter(|(other, _)| other.played == own.played).map(|(_, times)| f64::from(*count) * f64::from(*times))
    });
    both.sum::<f64>() / (total(a) * total(b))
}

/// By how much the variance of the share is larger than that of as many positions without anything in common; 1 if there are too
/// few openings to tell.
fn design_effect(share: f64, positions: f64, openings: &[[f64; 2]]) -> f64 {
    let alone = share * (1.0 - share) / positions;
    let margin = ratio_margin(openings).filter(|_| openings.len() >= OPENINGS_MIN && alone > 0.0);
    margin.map_or(1.0, |margin| ((margin / Z95).powi(2) / alone).max(1.0))
}

/// Wilson's 95 % interval of a share of `count`.
fn wilson(share: f64, count: f64) -> [f64; 2] {
    let squared = Z95 * Z95 / count;
    let centre = share + squared / 2.0;
    let half = (squared * (share * (1.0 - share) + squared / 4.0)).sqrt();
    [centre - half, centre + half].map(|end| (end / (1.0 + squared)).clamp(0.0, 1.0))
}

/// What two bots of a field usually agree on: the median of all shares, and what nine in ten are at most. Only pairs with
/// [`POSITIONS_MIN`] positions count; `None` if there are fewer than three of them.
#[must_use]
pub fn usual_agreement(agreements: &[Agreement]) -> Option<[f64; 2]> {
    const PAIRS_MIN: usize = 3;
    let known = agreements.iter().filter(|it| it.positions >= POSITIONS_MIN);
    let mut shares: Vec<f64> = known.map(|it| it.share).collect();
    shares.sort_by(f64::total_cmp);
    let at = |share: f64| shares[((shares.len() - 1) as f64 * share).round() as usize];
    (shares.len() >= PAIRS_MIN).then(|| [at(0.5), at(0.9)])
}

/// The fewest positions that tell something.
pub const POSITIONS_MIN: u32 = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use arena_rules::rng::Rng;

    fn choice(bot: u32, played: u64, opening: u32, game: u32) -> Choice {
        Choice { bot, played, opening, game }
    }

    #[test]
    fn copies_agree_on_everything_and_their_games_are_named() {
        let mut choices = Choices::default();
        for position in 0..40 {
            for (bot, game) in [(0, 100), (1, 200)] {
                choices.add(position, choice(bot, position % 7, position as u32 / 5, game + position as u32 / 10));
            }
            choices.add(position, choice(2, position % 3, position as u32 / 5, 300));
        }
        let all = choices.agreements();
        assert_eq!(all.iter().map(|it| it.bots).collect::<Vec<_>>(), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!((all[0].positions, all[0].share, all[0].interval[1]), (40, 1.0, 1.0));
        assert!((all[0].interval[0] - 0.912).abs() < 1e-3, "{:?}", all[0]);
        let both = (0..40).filter(|position| position % 7 == position % 3).count();
        assert!(all[1..].iter().all(|it| (it.share - both as f64 / 40.0).abs() < 1e-12));
        assert_eq!(choices.most_alike([0, 1]), [[100, 200], [101, 201]]);
        assert_eq!(usual_agreement(&all), Some([all[1].share, 1.0]));
        assert_eq!(usual_agreement(&all[..2]), None);
    }

    #[test]
    fn a_bot_that_draws_lots_agrees_as_often_as_two_draws_do() {
        let mut choices = Choices::default();
        for (bot, played) in [(0, 1), (0, 2), (0, 2), (0, 2), (1, 1), (1, 2)] {
            choices.add(9, choice(bot, played, 0, 0));
        }
        assert!((choices.agreements()[0].share - 0.5).abs() < 1e-12);
        assert_eq!(Choices::default().agreements(), []);
    }

    /// Openings differ in how easy their positions are, so that those of one are alike.
    #[test]
    fn intervals_hold_the_truth_though_positions_of_an_opening_are_alike() {
        const RUNS: u32 = 400;
        let mut rng = Rng::new(5);
        let held = (0..RUNS).filter(|_| {
            let mut choices = Choices::default();
            for opening in 0..20 {
                let easy = [0.45, 0.95][rng.below(2) as usize];
                for position in 0..8 {
                    let same = (rng.below(1 << 30) as f64 / f64::from(1 << 30)) < easy;
                    let position = u64::from(opening) * 100 + position;
                    choices.add(position, choice(0, 1, opening, 0));
                    choices.add(position, choice(1, if same { 1 } else { 2 }, opening, 1));
                }
            }
            let [lo, hi] = choices.agreements()[0].interval;
            (lo..=hi).contains(&0.7)
        });
        let share = f64::from(held.count() as u32) / f64::from(RUNS);
        assert!((0.92..=0.985).contains(&share), "{share}");
    }
}
