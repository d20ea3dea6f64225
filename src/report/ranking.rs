//! Names and what their games say: what the tables of standings are made from, whether the games were played here or
//! come from a file.

use std::collections::HashMap;

use crate::stats::{Analysis, HeadToHead, Tally};
use crate::text::shown;

/// Analysed games and the names of those who played them.
#[derive(Debug)]
pub struct Ranking {
    names: Vec<Vec<u8>>,
    /// What the games say.
    pub analysis: Analysis,
    /// Every pairing that was played, in the order of the standings.
    pub head_to_head: Vec<HeadToHead>,
    /// Games that repeat another move for move.
    pub repeated: u64,
}

impl Ranking {
    /// Names are by number, byte for byte.
    #[must_use]
    pub fn new(names: Vec<Vec<u8>>, analysis: Analysis, repeated: u64) -> Self {
        let head_to_head = analysis.head_to_head();
        Self { names, analysis, head_to_head, repeated }
    }

    /// All games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.analysis.counts.first_seat().games()
    }

    /// A name for files.
    pub(super) fn bytes(&self, bot: usize) -> &[u8] {
        self.names.get(bot).map_or(&[], Vec::as_slice)
    }

    /// A name for people.
    pub(super) fn name(&self, bot: usize) -> String {
        shown(&String::from_utf8_lossy(self.bytes(bot)))
    }

    /// What the first bot of each key did against the second; both ways round.
    pub(super) fn met(&self) -> HashMap<[usize; 2], Tally> {
        let both = |row: &HeadToHead| [([row.a, row.b], row.total()), ([row.b, row.a], row.total().reversed())];
        self.head_to_head.iter().flat_map(both).collect()
    }
}
