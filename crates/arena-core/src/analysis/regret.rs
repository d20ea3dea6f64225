//! The sums of each bot over its guesses.

use std::collections::BTreeMap;

use super::line::Line;
use super::verdict::GuessCost;
use crate::rules::Seat;
use crate::stats::ratio_margin;

/// A game with what its guesses cost.
#[derive(Debug, Clone, Copy)]
pub struct GuessedGame<'a> {
    /// The bots by seat, as indices.
    pub bots: [usize; 2],
    /// Number of its cluster of evidence: its pair, and games that repeat another move for move.
    pub cluster: u32,
    /// Its positions.
    pub line: &'a Line,
    /// What each guess costs.
    pub costs: &'a [Option<GuessCost>],
}

/// A bot's guesses against the reference strategy.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RegretRow {
    /// The bot.
    pub bot: usize,
    /// Games with a guess of the bot after the opening.
    pub games: u64,
    /// These guesses.
    pub moves: u64,
    /// Guesses of which the cost is known.
    pub judged: u64,
    /// All other guesses.
    pub unsolved: u64,
    /// Guesses that are at least as good as that of the reference.
    pub best: u64,
    /// Mean guesses lost a guess, if any is judged.
    pub regret: Option<f64>,
    /// Its 95 % interval, by clusters of games.
    pub interval: Option<[f64; 2]>,
}

impl RegretRow {
    /// The share of judged guesses that are at least as good as that of the reference.
    #[must_use]
    pub fn best_rate(&self) -> Option<f64> {
        (self.judged > 0).then(|| self.best as f64 / self.judged as f64)
    }
}

/// The sums of all bots.
#[derive(Debug)]
pub struct RegretTable {
    bots: Vec<Sums>,
}

#[derive(Debug, Default)]
struct Sums {
    row: RegretRow,
    /// `[guesses lost, guesses]` by cluster.
    clusters: BTreeMap<u32, [f64; 2]>,
}

impl RegretTable {
    /// Without games.
    #[must_use]
    pub fn new(bots: usize) -> Self {
        let sums = |bot| Sums { row: RegretRow { bot, ..RegretRow::default() }, ..Sums::default() };
        Self { bots: (0..bots).map(sums).collect() }
    }

    /// Adds the guesses of a game.
    pub fn add(&mut self, game: &GuessedGame<'_>) {
        for seat in Seat::BOTH {
            if game.line.movers.contains(&seat) {
                self.bots[game.bots[seat.index()]].add(game, seat);
            }
        }
    }

    /// A row for each bot that has games: the fewest guesses lost first, and those without judged guesses last.
    #[must_use]
    pub fn rows(&self) -> Vec<RegretRow> {
        let played = self.bots.iter().filter(|sums| sums.row.games > 0);
        let mut rows: Vec<RegretRow> = played.map(Sums::finished).collect();
        let key = |row: &RegretRow| row.regret.unwrap_or(f64::INFINITY);
        // Sorting is stable: ties are in the order of the roster.
        rows.sort_by(|a, b| key(a).total_cmp(&key(b)));
        rows
    }
}

impl Sums {
    fn add(&mut self, game: &GuessedGame<'_>, seat: Seat) {
        self.row.games += 1;
        let own = game.line.movers.iter().enumerate().filter(|(_, mover)| **mover == seat);
        for (place, _) in own {
            self.row.moves += 1;
            let Some(cost) = game.costs[place] else {
                self.row.unsolved += 1;
                continue;
            };
            self.row.judged += 1;
            self.row.best += u64::from(cost.played <= cost.reference);
            let [lost, guesses] = self.clusters.entry(game.cluster).or_default();
            *lost += cost.regret();
            *guesses += 1.0;
        }
    }

    fn finished(&self) -> RegretRow {
        let clusters: Vec<[f64; 2]> = self.clusters.values().copied().collect();
        let [lost, guesses] = clusters.iter().fold([0.0; 2], |sum, own| [sum[0] + own[0], sum[1] + own[1]]);
        let regret = (guesses > 0.0).then(|| lost / guesses);
        let margin = ratio_margin(&clusters);
        RegretRow {
            regret,
            interval: regret.zip(margin).map(|(mean, margin)| [mean - margin, mean + margin]),
            ..self.row.clone()
        }
    }
}
