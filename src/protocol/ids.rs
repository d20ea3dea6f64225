//! Unguessable ids of 53 bits that can be recognised without keeping them.
//!
//! An id is a counter that went through a permutation with a secret key. Inverting the permutation gives the counter
//! back, and so tells whether the id was issued.

/// Bits of the two halves that a counter is split into.
const HALF_BITS: u32 = 26;
const HALF: u64 = (1 << HALF_BITS) - 1;
/// Added to each permuted counter: all ids have 53 bits, so that none survives in 32 bits and all are exact in a double.
const OFFSET: u64 = 1 << (2 * HALF_BITS);
const ROUNDS: u64 = 6;

/// The ids of one process.
#[derive(Debug)]
pub(super) struct Ids {
    key: [u64; 2],
    issued: u64,
}

impl Ids {
    pub(super) fn new(key: [u64; 2]) -> Self {
        Self { key, issued: 0 }
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
        format!("{:016x}", siphash(self.key, !number))
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
        siphash(self.key, round << HALF_BITS | half) & HALF
    }
}

/// SipHash-1-3 of one word (Aumasson and Bernstein 2012), as the standard library hashes the keys of maps.
fn siphash([k0, k1]: [u64; 2], word: u64) -> u64 {
    const LENGTH: u64 = 8 << 56;
    let mut v = [
        k0 ^ 0x736f_6d65_7073_6575,
        k1 ^ 0x646f_7261_6e64_6f6d,
        k0 ^ 0x6c79_6765_6e65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ];
    for block in [word, LENGTH] {
        v[3] ^= block;
        v = sip_round(v);
        v[0] ^= block;
    }
    v[2] ^= 0xff;
    for _ in 0..3 {
        v = sip_round(v);
    }
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

fn sip_round([mut a, mut b, mut c, mut d]: [u64; 4]) -> [u64; 4] {
    a = a.wrapping_add(b);
    c = c.wrapping_add(d);
    b = b.rotate_left(13) ^ a;
    d = d.rotate_left(16) ^ c;
    a = a.rotate_left(32).wrapping_add(d);
    c = c.wrapping_add(b);
    [a, b.rotate_left(17) ^ c, c.rotate_left(32), d.rotate_left(21) ^ a]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_hash_is_that_of_the_standard_library() {
        // `DefaultHasher` of Rust 1.95, whose key is 0.
        assert_eq!(siphash([0, 0], 0x0123_4567_89ab_cdef), 0x8662_046e_5226_4db8);
    }

    proptest! {
        #[test]
        fn an_id_is_recognised_once_it_was_issued(key: [u64; 2], counter in 0..OFFSET) {
            let ids = Ids { key, issued: counter };
            let id = ids.permute(counter);
            prop_assert!((OFFSET..2 * OFFSET).contains(&id), "53 bits, never fewer");
            prop_assert_eq!(ids.invert(id), counter);
            prop_assert!(!ids.has_issued(id as i64));
            let ids = Ids { key, issued: counter + 1 };
            prop_assert!(ids.has_issued(id as i64));
        }

        #[test]
        fn what_was_never_issued_is_told_apart(key: [u64; 2], guess: i64, near in -3_i64..=3) {
            let mut ids = Ids::new(key);
            let issued: Vec<i64> = (0..100).map(|_| ids.issue() as i64).collect();
            for guess in [guess, near, issued[99] + near, issued[0] + near] {
                prop_assert_eq!(ids.has_issued(guess), issued.contains(&guess));
            }
        }
    }
}
