//! Tables of bounds.
//!
//! A worker's own is small and stays in the second-level cache of its core: larger ones look right in counts of nodes and are two to four
//! times slower in time. Only work of minutes wants a second, large one for the positions that took much work; workers share it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bounds of the scores of positions, in buckets of two entries. The first keeps the one that was more work, the second the last
/// one. Entries are words of their own, so that threads need no lock: each is right, whoever wrote it.
///
/// Entry: what of the key does not follow from the bucket, the work in 3 bits, and the two bounds in 6 bits each.
#[derive(Debug)]
pub(super) struct Table {
    buckets: Box<[[AtomicU64; 2]]>,
    key_bits: u32,
    index_bits: u32,
}

/// log₂ of the number of buckets in a table of 512 KiB.
pub(super) const BUCKET_BITS: u32 = 15;
const BOUND_BITS: u32 = 6;
const WORK_BITS: u32 = 3;
const REST_SHIFT: u32 = 2 * BOUND_BITS + WORK_BITS;
/// Added to bounds, which are from −32 to 31.
const OFFSET: i32 = 1 << (BOUND_BITS - 1);

impl Table {
    /// An empty table of 2^`bucket_bits` buckets for keys of at most `bucket_bits` + 49 bits.
    pub(super) fn new(key_bits: u32, bucket_bits: u32) -> Self {
        debug_assert!(key_bits <= bucket_bits + u64::BITS - REST_SHIFT);
        Self { buckets: (0..1 << bucket_bits).map(|_| Default::default()).collect(), key_bits, index_bits: bucket_bits }
    }

    pub(super) fn clear(&mut self) {
        for entry in self.buckets.as_flattened_mut() {
            *entry.get_mut() = 0;
        }
    }

    /// The bucket of a key, and the rest of it. Both together are a bijection, so that no other key is ever taken for it.
    #[inline]
    fn place(&self, key: u64) -> (usize, u64) {
        let mask = u64::MAX >> (u64::BITS - self.key_bits);
        // Multiplying by an odd number and adding higher bits to lower ones can both be undone.
        let mixed = (key ^ key >> (self.key_bits / 2)).wrapping_mul(0x9E37_79B9_7F4A_7C15) & mask;
        let mixed = mixed ^ mixed >> (self.key_bits / 2);
        ((mixed & ((1 << self.index_bits) - 1)) as usize, mixed >> self.index_bits)
    }

    /// The bounds of a position.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<(i32, i32)> {
        let (bucket, rest) = self.place(key);
        let entries = self.buckets[bucket].iter().map(|entry| entry.load(Ordering::Relaxed));
        let entry = { entries }.find(|entry| *entry != 0 && *entry >> REST_SHIFT == rest)?;
        let field = |shift: u32| (entry >> shift & ((1 << BOUND_BITS) - 1)) as i32 - OFFSET;
        Some((field(BOUND_BITS), field(0)))
    }

    /// Stores bounds that took `nodes` nodes.
    #[inline]
    pub(super) fn put(&self, key: u64, low: i32, high: i32, nodes: u64) {
        let (bucket, rest) = self.place(key);
        // 1 to 7, so that no entry is 0.
        let work = u64::from((nodes + 1).ilog2() / 2).clamp(1, (1 << WORK_BITS) - 1);
        let bounds = ((low + OFFSET) as u64) << BOUND_BITS | (high + OFFSET) as u64;
        let entry = rest << REST_SHIFT | work << (2 * BOUND_BITS) | bounds;
        let [kept, last] = &self.buckets[bucket];
        let old = kept.load(Ordering::Relaxed);
        let is_same = old != 0 && old >> REST_SHIFT == rest;
        if !is_same {
            if work < old >> (2 * BOUND_BITS) & ((1 << WORK_BITS) - 1) {
                return last.store(entry, Ordering::Relaxed);
            }
            last.store(old, Ordering::Relaxed);
        }
        kept.store(entry, Ordering::Relaxed);
    }
}
