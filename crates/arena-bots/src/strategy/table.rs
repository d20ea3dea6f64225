//! A transposition table: results of a search for positions that are reached in several ways.

use super::board::Action;

/// The relation of a stored value to the true one (Knuth and Moore, "An analysis of alpha-beta pruning", 1975).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// The stored result for a position.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableEntry {
    /// High half of the hash; the low half is the index.
    check: u32,
    pub(super) value: i32,
    pub(super) depth: u16,
    pub(super) best: Action,
    pub(super) bound: Bound,
}

/// The table, of a power of two of entries. Newer ones replace older ones.
#[derive(Debug)]
pub(super) struct TranspositionTable(Vec<Option<TableEntry>>);

impl TableEntry {
    /// Whether the entry tells all that a search to this depth within `alpha..beta` can; `value` is its value at this place.
    pub(super) fn settles(&self, value: i32, depth: usize, alpha: i32, beta: i32, certain: i32) -> bool {
        let deep = usize::from(self.depth) >= depth;
        match self.bound {
            _ if !deep && value.abs() <= certain => false,
            Bound::Exact if deep => true,
            // A win that is proved needs no more depth, but there may be a faster one, and a faster loss.
            Bound::Exact => {
                if value > 0 {
                    value >= beta
                } else {
                    value <= alpha
                }
            }
            Bound::AtLeast => value >= beta && (deep || value > 0),
            Bound::AtMost => value <= alpha && (deep || value < 0),
        }
    }
}

impl TranspositionTable {
    /// At least this number of entries, of 16 bytes each.
    pub(super) fn new(entries: usize) -> Self {
        Self(vec![None; entries.next_power_of_two()])
    }

    /// Removes all entries, so that an answer does not depend on earlier ones.
    pub(super) fn clear(&mut self) {
        self.0.fill(None);
    }

    pub(super) fn get(&self, hash: u64) -> Option<TableEntry> {
        self.0[hash as usize & (self.0.len() - 1)].filter(|entry| entry.check == (hash >> 32) as u32)
    }

    pub(super) fn put(&mut self, hash: u64, depth: u16, value: i32, bound: Bound, best: Action) {
        let check = (hash >> 32) as u32;
        let index = hash as usize & (self.0.len() - 1);
        self.0[index] = Some(TableEntry { check, value, depth, best, bound });
    }
}
