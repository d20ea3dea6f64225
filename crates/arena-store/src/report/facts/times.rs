//! Exact percentiles of any number of times in bounded memory. A first pass counts the times in ranges;
//! a second pass counts the individual times in the ranges that contain a percentile.

use std::collections::BTreeMap;

/// Times below 2 to this power have a range each; above, the width of a range is less than a thousandth of its times.
const EXACT_BITS: u32 = 11;

/// Times with their frequencies, or ranges of times by their lower ends.
type Counted = BTreeMap<u64, u64>;

/// The times of a bot's moves, in microseconds.
#[derive(Debug, Default)]
pub(crate) struct MoveTimes {
    count: u64,
    total: u128,
    max: u64,
    ranges: Counted,
    /// The ranges that contain a percentile and are wider than one time, with their contents.
    within: BTreeMap<u64, Counted>,
}

impl MoveTimes {
    const PERCENTILES: [u64; 3] = [50, 90, 99];

    /// The number of times.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Adds a time.
    pub(crate) fn add(&mut self, us: u64) {
        self.count += 1;
        self.total += u128::from(us);
        self.max = self.max.max(us);
        *self.ranges.entry(range_of(us, EXACT_BITS)).or_default() += 1;
    }

    /// Whether all times must be passed to [`add_again`](Self::add_again) for exact percentiles. Call it after all were
    /// added.
    pub(crate) fn needs_second_pass(&mut self) -> bool {
        if self.count > 0 {
            let ranges = Self::PERCENTILES.map(|percent| self.range(percent).0);
            self.within
                .extend(ranges.into_iter().filter(|from| from >> EXACT_BITS > 0).map(|from| (from, Counted::new())));
        }
        !self.within.is_empty()
    }

    /// Adds a time in the second pass.
    pub(crate) fn add_again(&mut self, us: u64) {
        if let Some(counted) = self.within.get_mut(&range_of(us, EXACT_BITS)) {
            *counted.entry(us).or_default() += 1;
        }
    }

    /// Mean, median, 90th and 99th percentile, and maximum; `None` if there are no times.
    pub(crate) fn summary(&self) -> Option<[u64; 5]> {
        let count = u128::from(self.count);
        let mean = (self.total + count / 2).checked_div(count)?;
        let [median, p90, p99] = Self::PERCENTILES.map(|percent| {
            let (from, rank) = self.range(percent);
            self.within.get(&from).map_or(from, |counted| nth(counted, rank).0)
        });
        Some([mean as u64, median, p90, p99, self.max])
    }

    /// The range of a percentile, and its rank within.
    fn range(&self, percent: u64) -> (u64, u64) {
        // Nearest rank: the smallest time that at least this percentage of the moves did not exceed.
        nth(&self.ranges, (self.count * percent).div_ceil(100))
    }
}

/// Times with errors of 3 % at most, in less memory: no second pass is needed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RoughTimes {
    count: u64,
    ranges: Counted,
}

/// Times below 2 to this power are exact in [`RoughTimes`].
const ROUGH_BITS: u32 = 5;

impl RoughTimes {
    /// Adds a time.
    pub(crate) fn add(&mut self, us: u64) {
        self.count += 1;
        *self.ranges.entry(range_of(us, ROUGH_BITS)).or_default() += 1;
    }

    /// Adds all of `others`.
    pub(crate) fn append(&mut self, others: &Self) {
        self.count += others.count;
        for (from, count) in &others.ranges {
            *self.ranges.entry(*from).or_default() += count;
        }
    }

    /// The time that this percentage of times did not exceed: the middle of its range; `None` if there are none.
    pub(crate) fn percentile(&self, percent: u64) -> Option<u64> {
        let (from, _) = nth(&self.ranges, (self.count * percent).div_ceil(100));
        (self.count > 0).then(|| from + (1 << coarse(from, ROUGH_BITS)) / 2)
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

/// The lower end of the range of a time: its leading `bits`, then zeros.
fn range_of(us: u64, bits: u32) -> u64 {
    let coarse = coarse(us, bits);
    us >> coarse << coarse
}

/// The number of trailing bits of a time that do not count.
fn coarse(us: u64, bits: u32) -> u32 {
    (u64::BITS - us.leading_zeros()).saturating_sub(bits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn summary(us: &[u64]) -> Option<[u64; 5]> {
        let mut times = MoveTimes::default();
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
        assert_eq!(summary(&[7]), Some([7; 5]));
        assert_eq!(summary(&(1..=200).rev().collect::<Vec<_>>()), Some([101, 100, 180, 198, 200]));
        assert_eq!(summary(&[u64::MAX; 2]), Some([u64::MAX; 5]));
    }

    #[test]
    fn memory_is_bounded() {
        let mut times = MoveTimes::default();
        (0..1_000_000).for_each(|us| times.add(us));
        assert!(times.needs_second_pass());
        (0..1_000_000).for_each(|us| times.add_again(us));
        let held = times.ranges.len() + times.within.values().map(Counted::len).sum::<usize>();
        assert!(held < 15_000, "{held}");
        assert_eq!(times.summary(), Some([500_000, 499_999, 899_999, 989_999, 999_999]));
    }

    proptest! {
        #[test]
        fn rough_percentiles_are_nearly_those_of_the_sorted_times(
            us in prop::collection::vec(prop_oneof![0..3_000_u64, any::<u64>()], 1..200),
            split in any::<prop::sample::Index>(),
        ) {
            let mut parts = [RoughTimes::default(), RoughTimes::default()];
            for (index, us) in us.iter().enumerate() {
                parts[usize::from(index < split.index(us.to_string().len()))].add(*us);
            }
            let [mut all, others] = parts;
            all.append(&others);
            let mut sorted = us.clone();
            sorted.sort_unstable();
            for percent in [1, 50, 90, 100] {
                let exact = sorted[(sorted.len() * percent).div_ceil(100) - 1] as f64;
                let rough = all.percentile(percent as u64).unwrap() as f64;
                prop_assert!((rough - exact).abs() <= 0.035 * exact, "{rough} for {exact}");
            }
        }

        #[test]
        fn percentiles_are_those_of_the_sorted_times(
            us in prop::collection::vec(prop_oneof![0..3_000_u64, 2_000..9_000_u64, any::<u64>()], 1..200),
        ) {
            let mut sorted = us.clone();
            sorted.sort_unstable();
            let percentile = |percent: usize| sorted[(sorted.len() * percent).div_ceil(100) - 1];
            let [_, median, p90, p99, max] = summary(&us).unwrap();
            let expected = [percentile(50), percentile(90), percentile(99), percentile(100)];
            prop_assert_eq!([median, p90, p99, max], expected);
        }
    }
}
