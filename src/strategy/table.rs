//! A transposition table: what a search has found out about positions that several orders of moves lead to.

use super::board::Action;

/// Entries; a power of two. 16 bytes each, so 1 MiB.
const ENTRIES: usize = 1 << 16;

/// What a value says about the true one (Knuth and Moore, "An analysis of alpha-beta pruning", 1975).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// What is known about a position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// High half of the hash; the low half is the place in the table.
    check: u32,
    pub(super) value: i32,
    pub(super) depth: u16,
    pub(super) best: Action,
    pub(super) bound: Bound,
}

/// Newer entries replace older ones.
#[derive(Debug)]
pub(super) struct Table(Vec<Option<Entry>>);

impl Table {
    pub(super) fn new() -> Self {
        Self(vec![None; ENTRIES])
    }

    /// Forgets everything, so that an answer does not depend on what was asked before.
    pub(super) fn clear(&mut self) {
        self.0.fill(None);
    }

    pub(super) fn get(&self, hash: u64) -> Option<Entry> {
        self.0[hash as usize % ENTRIES].filter(|entry| entry.check == (hash >> 32) as u32)
    }

    pub(super) fn put(&mut self, hash: u64, depth: u16, value: i32, bound: Bound, best: Action) {
        let check = (hash >> 32) as u32;
        self.0[hash as usize % ENTRIES] = Some(Entry { check, value, depth, best, bound });
    }
}
