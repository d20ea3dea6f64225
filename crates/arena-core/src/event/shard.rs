//! Shards: the equal parts of a tournament that several machines play without knowing of each other.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use crate::rng::derive_seed;

/// The most shards of a tournament; each has a folder.
pub const SHARDS_MAX: u32 = 100_000;

/// One of several equal parts of a tournament. Pairs are never split: both games of a pair are in one shard.
///
/// Each block of as many consecutive pairs as there are shards has one pair for each of them, in an order drawn for the
/// block. So all have equally many pairs, give or take one, and slow pairings are spread over all of them, whatever the
/// number of pairings in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    count: NonZeroU32,
    index: u32,
}

/// Why a text names no shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShardError {
    /// Not two numbers.
    #[error("expected INDEX/COUNT such as 0/8, or auto/8")]
    NotAShard,
    /// No shards, or too many.
    #[error("{0} shards: there are 1 to {SHARDS_MAX}")]
    Count(u32),
    /// The index is too large.
    #[error("there is no shard {index} of {count}: they are 0 to {}", count - 1)]
    Index {
        /// Given.
        index: u32,
        /// Number of shards.
        count: u32,
    },
}

impl Shard {
    /// The shard with this index, from 0.
    ///
    /// # Errors
    ///
    /// Returns [`ShardError`] if there is none.
    pub fn new(index: u32, count: u32) -> Result<Self, ShardError> {
        let valid = NonZeroU32::new(count).filter(|count| count.get() <= SHARDS_MAX).ok_or(ShardError::Count(count))?;
        if index >= count {
            return Err(ShardError::Index { index, count });
        }
        Ok(Self { count: valid, index })
    }

    /// Its index, from 0.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// The number of shards.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.count.get()
    }

    /// The numbers of its pairs among the first `pairs` of the schedule, from 0.
    pub fn pairs(self, pairs: u32) -> impl Iterator<Item = u32> {
        let count = self.count.get();
        let own = move |block: u32| {
            // Places of a block are turned by less than their number.
            let place = (u64::from(self.index) + u64::from(count - turn(block, self.count))) % u64::from(count);
            block * count + place as u32
        };
        (0..pairs.div_ceil(count)).map(own).filter(move |pair| *pair < pairs)
    }

    /// The index of the shard that has the pair with this number.
    #[must_use]
    pub fn index_of(pair: u32, count: NonZeroU32) -> u32 {
        let place = u64::from(pair % count) + u64::from(turn(pair / count, count));
        (place % u64::from(count.get())) as u32
    }

    /// The name of its folder: `3-of-8`.
    #[must_use]
    pub fn folder(self) -> String {
        format!("{}-of-{}", self.index, self.count)
    }

    /// The shard whose folder has this name.
    #[must_use]
    pub fn of_folder(name: &str) -> Option<Self> {
        let (index, count) = name.split_once("-of-")?;
        let shard = Self::new(index.parse().ok()?, count.parse().ok()?).ok()?;
        (shard.folder() == name).then_some(shard)
    }
}

/// By how many places the shards are shifted in a block of pairs; less than their number.
fn turn(block: u32, count: NonZeroU32) -> u32 {
    let drawn = derive_seed(u64::from(count.get()), "shard", &[&block.to_le_bytes()]);
    (drawn % u64::from(count.get())) as u32
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (index, count) = text.split_once('/').ok_or(ShardError::NotAShard)?;
        let number = |text: &str| text.parse().map_err(|_| ShardError::NotAShard);
        Self::new(number(index)?, number(count)?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_shard_is_read_as_it_is_written() {
        let shard: Shard = "3/8".parse().unwrap();
        assert_eq!((shard.to_string(), shard.folder()), ("3/8".to_owned(), "3-of-8".to_owned()));
        assert_eq!(Shard::of_folder("3-of-8"), Some(shard));
        for name in ["8-of-8", "03-of-8", "3-of-8.old", "3", "-of-8", "+3-of-8"] {
            assert_eq!(Shard::of_folder(name), None, "{name}");
        }
        let refused = |text: &str| text.parse::<Shard>().unwrap_err().to_string();
        assert_eq!(refused("8/8"), "there is no shard 8 of 8: they are 0 to 7");
        assert_eq!(refused("0/0"), "0 shards: there are 1 to 100000");
        assert_eq!(refused("-1/8"), "expected INDEX/COUNT such as 0/8, or auto/8");
        assert_eq!(refused("3"), refused("-1/8"));
    }

    proptest! {
        #[test]
        fn every_pair_is_in_one_shard_and_all_have_equally_many(count in 1..50_u32, pairs in 0..2_000_u32) {
            let mut sizes = vec![0_u32; count as usize];
            let mut owners = vec![Vec::new(); pairs as usize];
            for index in 0..count {
                let shard = Shard::new(index, count).unwrap();
                let own: Vec<u32> = shard.pairs(pairs).collect();
                prop_assert!(own.is_sorted());
                for pair in own {
                    owners[pair as usize].push(index);
                }
            }
            for (pair, owners) in (0..).zip(owners) {
                prop_assert_eq!(&owners, &[Shard::index_of(pair, NonZeroU32::new(count).unwrap())]);
                sizes[owners[0] as usize] += 1;
            }
            let [least, most] = [sizes.iter().min(), sizes.iter().max()].map(|size| *size.unwrap());
            prop_assert!(most - least <= 1, "{:?}", sizes);
        }

        #[test]
        fn a_slow_pairing_is_spread(pairings in 2..60_u32, count in 2..60_u32) {
            // The worst is a number of shards that goes together with that of the pairings.
            const ROUNDS: u32 = 600;
            let count = NonZeroU32::new(count).unwrap();
            for pairing in [0, pairings / 2, pairings - 1] {
                let mut rounds = vec![0; count.get() as usize];
                for round in 0..ROUNDS {
                    rounds[Shard::index_of(round * pairings + pairing, count) as usize] += 1;
                }
                let fair = f64::from(ROUNDS) / f64::from(count.get());
                let most = f64::from(*rounds.iter().max().unwrap());
                prop_assert!(most < fair + 6.0 * fair.sqrt() + 2.0, "{most} of {fair}");
            }
        }
    }
}
