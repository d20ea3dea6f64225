//! A transposition table: results of a search for positions that are reached in several ways.

use super::board::Action;

/// Number of entries, a power of two. An entry has 16 bytes, so this is 1 MiB.
const ENTRIES: usize = 1 << 16;

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

/// The table. Newer entries replace older ones.
#[derive(Debug)]
pub(super) struct TranspositionTable(Vec<Option<TableEntry>>);

impl TranspositionTable {
    pub(super) fn new() -> Self {
        Self(vec![None; ENTRIES])
    }

    /// Removes all entries, so that an answer does not depend on earlier ones.
    pub(super) fn clear(&mut self) {
        self.0.fill(None);
    }

    pub(super) fn get(&self, hash: u64) -> Option<TableEntry> {
        self.0[hash as usize % ENTRIES].filter(|entry| entry.check == (hash >> 32) as u32)
    }

    pub(super) fn put(&mut self, hash: u64, depth: u16, value: i32, bound: Bound, best: Action) {
        let check = (hash >> 32) as u32;
        self.0[hash as usize % ENTRIES] = Some(TableEntry { check, value, depth, best, bound });
    }
}
