//! Unguessable ids of 53 bits that can be recognised without keeping them.
//!
//! An id is a counter that went through a permutation with a secret key. Inverting the permutation gives the counter
//! back, and so tells whether the id was issued.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Bits of the two halves that a counter is split into.
const HALF_BITS: u32 = 26;
const HALF: u64 = (1 << HALF_BITS) - 1;
/// Added to each permuted counter: all ids have 53 bits, so that none survives in 32 bits and all are exact in a double.
const OFFSET: u64 = 1 << (2 * HALF_BITS);
const ROUNDS: u64 = 6;

/// The ids of one process.
#[derive(Debug)]
pub(super) struct Ids {
    /// The standard library's `SipHash` after the key: what follows hashes to numbers that cannot be predicted without it.
    keyed: DefaultHasher,
    issued: u64,
}

impl Ids {
    pub(super) fn new(key: [u64; 2]) -> Self {
        let mut keyed = DefaultHasher::new();
        key.hash(&mut keyed);
        Self { keyed, issued: 0 }
    }

    /// A new id.
    pub(super) fn issue(&mut self) -> u64 {
        let id = self.permute(self.issued);
        self.issued += 1;
        id
    }

    /// Whether this is one of the ids issued so far.
    pub(super) fn has_issued(&self, id: i64) -> bool {
        let id = u64::try_from(id).unwrap_or(0);
        (OFFSET..2 * OFFSET).contains(&id) && self.invert(id) < self.issued
    }

    /// A name that tells nothing, different for each number.
    pub(super) fn opaque_name(&self, number: u64) -> String {
        // Beyond every number that `half` is given.
        format!("{:016x}", self.hash(!number))
    }

    /// A Feistel network (Luby and Rackoff 1988): each round adds a keyed hash of one half to the other.
    fn permute(&self, counter: u64) -> u64 {
        let (mut left, mut right) = (counter >> HALF_BITS, counter & HALF);
        for round in 0..ROUNDS {
            (left, right) = (right, left ^ self.half(round, right));
        }
        OFFSET | left << HALF_BITS | right
    }

    fn invert(&self, id: u64) -> u64 {
        let (mut left, mut right) = ((id >> HALF_BITS) & HALF, id & HALF);
        for round in (0..ROUNDS).rev() {
            (left, right) = (right ^ self.half(round, left), left);
        }
        left << HALF_BITS | right
    }

    fn half(&self, round: u64, half: u64) -> u64 {
        self.hash(round << HALF_BITS | half) & HALF
    }

    fn hash(&self, word: u64) -> u64 {
        let mut hasher = self.keyed.clone();
        hasher.write_u64(word);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_id_is_recognised_once_it_was_issued(key: [u64; 2], counter in 0..OFFSET) {
            let ids = Ids { issued: counter, ..Ids::new(key) };
            let id = ids.permute(counter);
            prop_assert!((OFFSET..2 * OFFSET).contains(&id), "53 bits, never fewer");
            prop_assert_eq!(ids.invert(id), counter);
            prop_assert!(!ids.has_issued(id as i64));
            let ids = Ids { issued: counter + 1, ..ids };
            prop_assert!(ids.has_issued(id as i64));
        }

        #[test]
        fn an_id_that_was_never_issued_is_recognised(key: [u64; 2], guess: i64, near in -3_i64..=3) {
            let mut ids = Ids::new(key);
            let issued: Vec<i64> = (0..100).map(|_| ids.issue() as i64).collect();
            for guess in [guess, near, issued[99] + near, issued[0] + near] {
                prop_assert_eq!(ids.has_issued(guess), issued.contains(&guess));
            }
        }
    }
}
