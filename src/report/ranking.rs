//! Names and what their games say: what the tables of standings are made from, whether the games were played here or
//! come from a file.

use crate::stats::{Analysis, HeadToHead, Tally, head_to_head};
use crate::text::{cell, shown};

/// Analysed games and the names of those who played them.
#[derive(Debug)]
pub struct Ranking {
    names: Vec<Vec<u8>>,
    /// What the games say.
    pub analysis: Analysis,
    /// Games that repeat another move for move.
    pub repeated: u64,
    /// Bots that are withdrawn, as far as that is known.
    pub withdrawn: Vec<usize>,
}

impl Ranking {
    /// Names are by number, byte for byte.
    #[must_use]
    pub fn new(names: Vec<Vec<u8>>, analysis: Analysis, repeated: u64) -> Self {
        Self { names, analysis, repeated, withdrawn: Vec::new() }
    }

    /// All games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.analysis.counts.first_seat().games()
    }

    /// Those that say how strong the bots are: all but what withdrawn bots lost.
    #[must_use]
    pub fn rated_games(&self) -> u64 {
        self.analysis.rated().first_seat().games()
    }

    /// A name for tables.
    pub(super) fn cell(&self, bot: usize) -> String {
        cell(self.bytes(bot))
    }

    /// A name for people.
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

    /// For each bot in the order of the standings, what it did against the bots at the places given.
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
