//! Names with analysed games, from which the tables of standings are made, whether the games were played here or
//! imported.

use crate::stats::{Analysis, HeadToHead, Tally, head_to_head};
use crate::text::{cell, shown};

/// Analysed games with the names of their players.
#[derive(Debug)]
pub struct Ranking {
    names: Vec<Vec<u8>>,
    /// The analysis.
    pub analysis: Analysis,
    /// Number of games that repeat another move for move.
    pub repeated: u64,
    /// Withdrawn bots, if known.
    pub withdrawn: Vec<usize>,
}

impl Ranking {
    /// Names are indexed by bot, byte for byte.
    #[must_use]
    pub fn new(names: Vec<Vec<u8>>, analysis: Analysis, repeated: u64) -> Self {
        Self { names, analysis, repeated, withdrawn: Vec::new() }
    }

    /// The number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.analysis.counts.first_seat().games()
    }

    /// The number of rated games: all except those that withdrawn bots lost without playing.
    #[must_use]
    pub fn rated_games(&self) -> u64 {
        self.analysis.rated().first_seat().games()
    }

    /// A bot's name for tables.
    pub(super) fn cell(&self, bot: usize) -> String {
        cell(self.bytes(bot))
    }

    /// A bot's name for messages.
    pub(super) fn name(&self, bot: usize) -> String {
        shown(&String::from_utf8_lossy(self.bytes(bot)))
    }

    pub(super) fn bytes(&self, bot: usize) -> &[u8] {
        self.names.get(bot).map_or(&[], Vec::as_slice)
    }

    /// Every pairing that was played, in the order of the standings.
    pub fn head_to_head(&self) -> impl Iterator<Item = HeadToHead> + '_ {
        head_to_head(&self.analysis)
    }

    /// For each bot in the order of the standings, its results against the bots at the given places.
    pub(super) fn crosstable(&self) -> Vec<Vec<(usize, Tally)>> {
        let standings = &self.analysis.standings;
        let mut place = vec![0; standings.len()];
        for (index, row) in standings.iter().enumerate() {
            place[row.bot] = index;
        }
        let mut rows = vec![Vec::new(); standings.len()];
        for met in self.analysis.counts.pairings() {
            let total = met.total();
            rows[place[met.a]].push((place[met.b], total));
            rows[place[met.b]].push((place[met.a], total.reversed()));
        }
        for row in &mut rows {
            row.sort_unstable_by_key(|(place, _)| *place);
        }
        rows
    }
}
