//! What a stepwise format tells about its results: ranks by its own rule, and its matches.

use super::{Field, Pair, Settled};

/// A pair of the schedule, and its result once both of its games are settled.
pub type KnownPair = (Pair, Option<Settled>);

/// The results of a stepwise format, by bot of its field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sheet {
    /// The best and the worst rank of each bot, from 1; empty where ratings determine the ranks.
    pub ranks: Vec<[usize; 2]>,
    /// The columns of the format in the standings, with a cell for each bot.
    pub columns: Vec<(&'static FormatColumn, Vec<String>)>,
    /// Matches, in the order of the rounds.
    pub matches: Vec<ShownMatch>,
    /// The table of the matches for people; `None` where ratings determine the ranks.
    pub table: Option<MatchTable>,
    /// The first round, if the winners of neighbouring matches meet until one bot is left.
    pub first_round: Option<FirstRound>,
    /// What the ranks do not show, in a sentence.
    pub caveat: Option<&'static str>,
}

/// A column that a format adds to the standings.
#[derive(Debug, PartialEq, Eq)]
pub struct FormatColumn {
    /// Its name in files.
    pub name: &'static str,
    /// What it says of a bot.
    pub means: &'static str,
    /// Its title, if people see it beside the ranks; at most one column of a format.
    pub title: Option<&'static str>,
}

/// The place of a bot before the first round.
pub(super) const SEED: FormatColumn = FormatColumn { name: "seed", means: "seed of the bot, from 1", title: None };

/// A table of matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchTable {
    /// The line above it.
    pub heading: &'static str,
    /// Its rows and columns.
    pub layout: TableLayout,
}

/// How a table shows matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableLayout {
    /// A row for each match.
    Matches,
    /// A row for each bot, with a column for each round.
    Rounds,
}

/// The first round of an elimination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstRound {
    /// What such a tournament is called.
    pub of: &'static str,
    /// Its matches from the top; the second bot is missing for a bye.
    pub matches: Vec<[Option<usize>; 2]>,
}

/// A match: all pairs of two bots in one round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownMatch {
    /// Round, from 1.
    pub round: u32,
    /// Its kind in files.
    pub kind: &'static str,
    /// The round as people call it: `semifinal`.
    pub stage: String,
    /// Its bots; the second is missing for a bye.
    pub bots: [Option<usize>; 2],
    /// Twice the points of each.
    pub half_points: [u32; 2],
    /// Its pairs.
    pub pairs: u32,
    /// Whether all of its pairs are settled, and no more follow.
    pub is_over: bool,
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
        for played in self.first_round.iter_mut().flat_map(|round| &mut round.matches) {
            *played = played.map(|bot| bot.map(&bots));
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
pub(super) fn batches(_: &Field, pairs: &[KnownPair]) -> Sheet {
    let row = |(number, (pair, settled)): (usize, &KnownPair)| {
        let half_points = settled.map_or([0; 2], |settled| settled.half_points().map(u32::from));
        let lead = half_points[0].cmp(&half_points[1]);
        let winner = match lead {
            std::cmp::Ordering::Greater => Some(pair.bots[0]),
            std::cmp::Ordering::Less => Some(pair.bots[1]),
            std::cmp::Ordering::Equal => None,
        };
        ShownMatch {
            round: pair.round,
            kind: "batch",
            stage: format!("batch {}", pair.round),
            bots: pair.bots.map(Some),
            half_points,
            pairs: 1,
            is_over: settled.is_some(),
            winner,
            how: if winner.is_some() { "points" } else { "" },
            floats: [None; 2],
            first_pair: Some(number),
        }
    };
    Sheet { matches: pairs.iter().enumerate().map(row).collect(), ..Sheet::default() }
}
