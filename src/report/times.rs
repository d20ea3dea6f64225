//! Exact median and 99th percentile of any number of times in bounded memory. A first pass counts the times in ranges;
//! a second pass counts the individual times in the ranges that contain a percentile.

use std::collections::BTreeMap;

/// Times below 2 to this power have a range each; above, the width of a range is less than a thousandth of its times.
const EXACT_BITS: u32 = 11;

/// Times with their frequencies, or ranges of times by their lower ends.
type Counted = BTreeMap<u64, u64>;

/// The times of a bot's moves, in microseconds.
#[derive(Default)]
pub(super) struct Times {
    count: u64,
    total: u128,
    max: u64,
    ranges: Counted,
    /// The ranges that contain a percentile and are wider than one time, with their contents.
    within: BTreeMap<u64, Counted>,
}

impl Times {
    const PERCENTILES: [u64; 2] = [50, 99];

    /// The number of times.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Adds a time.
    pub(super) fn add(&mut self, us: u64) {
        self.count += 1;
        self.total += u128::from(us);
        self.max = self.max.max(us);
        *self.ranges.entry(range_of(us)).or_default() += 1;
    }

    /// Whether all times must be passed to [`add_again`](Self::add_again) for exact percentiles. Call it after all were
    /// added.
    pub(super) fn needs_second_pass(&mut self) -> bool {
        if self.count > 0 {
            let ranges = Self::PERCENTILES.map(|percent| self.range(percent).0);
            self.within
                .extend(ranges.into_iter().filter(|from| from >> EXACT_BITS > 0).map(|from| (from, Counted::new())));
        }
        !self.within.is_empty()
    }

    /// Adds a time in the second pass.
    pub(super) fn add_again(&mut self, us: u64) {
        if let Some(counted) = self.within.get_mut(&range_of(us)) {
            *counted.entry(us).or_default() += 1;
        }
    }

    /// Mean, median, 99th percentile and maximum; `None` if there are no times.
    pub(super) fn summary(&self) -> Option<[u64; 4]> {
        let count = u128::from(self.count);
        let mean = (self.total + count / 2).checked_div(count)?;
        let [median, high] = Self::PERCENTILES.map(|percent| {
            let (from, rank) = self.range(percent);
            self.within.get(&from).map_or(from, |counted| nth(counted, rank).0)
        });
        Some([mean as u64, median, high, self.max])
    }

    /// The range of a percentile, and its rank within.
    fn range(&self, percent: u64) -> (u64, u64) {
        // Nearest rank: the smallest time that at least this percentage of the moves did not exceed.
        nth(&self.ranges, (self.count * percent).div_ceil(100))
    }
}

/// The entry that contains the time of this rank (from 1), and the rank within it.
fn nth(counted: &Counted, mut rank: u64) -> (u64, u64) {
    for (from, count) in counted {
        if rank <= *count {
            return (*from, rank);
        }
        rank -= count;
    }
    (0, 0)
}

/// The lower end of a time's range.
fn range_of(us: u64) -> u64 {
    let coarse = (u64::BITS - us.leading_zeros()).saturating_sub(EXACT_BITS);
    us >> coarse << coarse
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn summary(us: &[u64]) -> Option<[u64; 4]> {
        let mut times = Times::default();
        for us in us {
            times.add(*us);
        }
        if times.needs_second_pass() {
            for us in us {
                times.add_again(*us);
            }
        }
        times.summary()
    }

    #[test]
    fn percentiles_are_times_that_occurred() {
        assert_eq!(summary(&[]), None);
        assert_eq!(summary(&[7]), Some([7; 4]));
        assert_eq!(summary(&(1..=200).rev().collect::<Vec<_>>()), Some([101, 100, 198, 200]));
        assert_eq!(summary(&[u64::MAX; 2]), Some([u64::MAX; 4]));
    }

    #[test]
    fn memory_is_bounded() {
        let mut times = Times::default();
        (0..1_000_000).for_each(|us| times.add(us));
        assert!(times.needs_second_pass());
        (0..1_000_000).for_each(|us| times.add_again(us));
        let held = times.ranges.len() + times.within.values().map(Counted::len).sum::<usize>();
        assert!(held < 13_000, "{held}");
        assert_eq!(times.summary(), Some([500_000, 499_999, 989_999, 999_999]));
    }

    proptest! {
        #[test]
        fn percentiles_are_those_of_the_sorted_times(
            us in prop::collection::vec(prop_oneof![0..3_000_u64, 2_000..9_000_u64, any::<u64>()], 1..200),
        ) {
            let mut sorted = us.clone();
            sorted.sort_unstable();
            let percentile = |percent: usize| sorted[(sorted.len() * percent).div_ceil(100) - 1];
            let [_, median, high, max] = summary(&us).unwrap();
            prop_assert_eq!([median, high, max], [percentile(50), percentile(99), percentile(100)]);
        }
    }
}
