//! What a stepwise format tells about its results: ranks by its own rule, and its matches.

use super::{Field, Pair, Settled};

/// A pair of the schedule, and its result once both of its games are settled.
pub type Known = (Pair, Option<Settled>);

/// The results of a stepwise format, by bot of its field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sheet {
    /// The best and the worst rank of each bot, from 1; empty where ratings determine the ranks.
    pub ranks: Vec<[usize; 2]>,
    /// Columns of the standings: name, and a cell for each bot.
    pub columns: Vec<(&'static str, Vec<String>)>,
    /// The column that people see beside the ranks, and its title there.
    pub shown_column: Option<(&'static str, &'static str)>,
    /// Matches, in the order of the rounds.
    pub matches: Vec<Match>,
    /// What the ranks do not show, in a sentence.
    pub caveat: Option<&'static str>,
}

/// A match: all pairs of two bots in one round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Round, from 1.
    pub round: u32,
    /// Its kind: `swiss`, `main`, `third`, `final` or `batch`.
    pub kind: &'static str,
    /// The round as people call it: `semifinal`.
    pub stage: String,
    /// Its bots; the second is missing for a bye.
    pub bots: [Option<usize>; 2],
    /// Twice the points of each.
    pub half_points: [u32; 2],
    /// Its pairs.
    pub pairs: u32,
    /// The winner, once it is known.
    pub winner: Option<usize>,
    /// By what it was decided: `points`, `tiebreak`, `seed`, `bye` or `withdrawn`; empty while it is open, and for a draw.
    pub how: &'static str,
    /// The points by which each bot was above or below its opponent before it, in halves; for a Swiss.
    pub floats: [Option<i32>; 2],
    /// Number of its first pair in the schedule, from 0.
    pub first_pair: Option<usize>,
}

impl Sheet {
    /// The same with other indices for the bots: bot k becomes `bots[k]`.
    #[must_use]
    pub fn relabelled(mut self, bots: impl Fn(usize) -> usize) -> Self {
        for played in &mut self.matches {
            played.bots = played.bots.map(|bot| bot.map(&bots));
            played.winner = played.winner.map(&bots);
        }
        self.ranks = moved(&self.ranks, &bots);
        for (_, cells) in &mut self.columns {
            *cells = moved(cells, &bots);
        }
        self
    }
}

fn moved<T: Clone>(all: &[T], to: impl Fn(usize) -> usize) -> Vec<T> {
    let mut sorted: Vec<(usize, T)> = all.iter().cloned().enumerate().map(|(from, value)| (to(from), value)).collect();
    sorted.sort_by_key(|(place, _)| *place);
    sorted.into_iter().map(|(_, value)| value).collect()
}

/// Every pair as a match of its own, where ratings determine the ranks.
pub(super) fn batches(_: &Field, pairs: &[Known]) -> Sheet {
    let row = |(number, (pair, settled)): (usize, &Known)| {
        let half_points = settled.map_or([0; 2], |settled| settled.half_points().map(u32::from));
        let lead = half_points[0].cmp(&half_points[1]);
        let winner = match lead {
            std::cmp::Ordering::Greater => Some(pair.bots[0]),
            std::cmp::Ordering::Less => Some(pair.bots[1]),
            std::cmp::Ordering::Equal => None,
        };
        Match {
            round: pair.round,
            kind: "batch",
            stage: format!("batch {}", pair.round),
            bots: pair.bots.map(Some),
            half_points,
            pairs: 1,
            winner,
            how: if winner.is_some() { "points" } else { "" },
            floats: [None; 2],
            first_pair: Some(number),
        }
    };
    Sheet { matches: pairs.iter().enumerate().map(row).collect(), ..Sheet::default() }
}
