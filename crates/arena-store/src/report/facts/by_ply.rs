//! Times of moves by ply, for the first bots of the standings. Memory does not grow with the number of games.

use arena_core::record::Record;
use arena_core::rules::Seat;

use super::times::RoughTimes;

/// Bots of which times by ply are kept.
const BOTS_MAX: usize = 12;
/// Ranges of plies at most.
const BINS: usize = 20;

/// Times by ranges of plies.
#[derive(Debug, Default)]
pub(crate) struct ByPly {
    /// The bots.
    pub(crate) bots: Vec<usize>,
    /// How often the ranges, of one ply each, were made twice as wide: no more than needed for their number to suffice.
    doublings: u32,
    /// For each bot, its times in each range.
    bins: Vec<Vec<RoughTimes>>,
}

impl ByPly {
    /// Nothing yet, for the first of these bots.
    pub(crate) fn new(bots: impl Iterator<Item = usize>) -> Self {
        let bots: Vec<usize> = bots.take(BOTS_MAX).collect();
        let bins = vec![Vec::new(); bots.len()];
        Self { bots, doublings: 0, bins }
    }

    /// Adds the moves of a game, with one that did not come in time.
    pub(crate) fn add(&mut self, bots: [usize; 2], record: &Record) {
        let places = bots.map(|bot| self.bots.iter().position(|known| *known == bot));
        for (ply, played) in (record.opening.len()..).zip(&record.played) {
            if let Some(place) = places[record.movers.seat(ply).index()] {
                self.add_move(place, ply, played.us);
            }
        }
        for seat in Seat::BOTH {
            if let (Some(place), Some(us)) = (places[seat.index()], record.stopped_us(seat)) {
                self.add_move(place, record.moves.len(), us);
            }
        }
    }

    fn add_move(&mut self, place: usize, ply: usize, us: u64) {
        while ply >> self.doublings >= BINS {
            self.doublings += 1;
            self.bins.iter_mut().for_each(halve);
        }
        let bins = &mut self.bins[place];
        let bin = ply >> self.doublings;
        if bins.len() <= bin {
            bins.resize(bin + 1, RoughTimes::default());
        }
        bins[bin].add(us);
    }

    /// The ranges up to the last with moves: first and last ply, from 1.
    pub(crate) fn ranges(&self) -> Vec<[usize; 2]> {
        let bins = self.bins.iter().map(Vec::len).max().unwrap_or(0);
        let first = (0..bins)
            .find(|bin| self.bins.iter().any(|of| of.get(*bin).is_some_and(|times| *times != RoughTimes::default())));
        (first.unwrap_or(bins)..bins).map(|bin| [(bin << self.doublings) + 1, (bin + 1) << self.doublings]).collect()
    }

    /// The times of the bot at `place` in one of the [`ranges`](Self::ranges): median and 90th percentile, in microseconds.
    pub(crate) fn times(&self, place: usize, [first, _]: [usize; 2]) -> Option<[u64; 2]> {
        let times = self.bins[place].get((first - 1) >> self.doublings)?;
        Some([times.percentile(50)?, times.percentile(90)?])
    }
}

/// Joins every two neighbours.
fn halve(bins: &mut Vec<RoughTimes>) {
    let sum = |mut sum: RoughTimes, times| {
        sum.append(times);
        sum
    };
    *bins = bins.chunks(2).map(|two| two.iter().fold(RoughTimes::default(), sum)).collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_widen_and_keep_all_times() {
        let mut by_ply = ByPly::new([7, 8].into_iter());
        assert_eq!(by_ply.ranges(), [[0; 2]; 0]);
        for ply in 4..200 {
            by_ply.add_move(ply % 2, ply, ply as u64);
        }
        assert_eq!(by_ply.doublings, 4);
        assert_eq!(by_ply.ranges()[..2], [[1, 16], [17, 32]]);
        assert_eq!(by_ply.ranges().len(), 13);
        // Plies 4, 6, … 14 and 5, 7, … 15, numbered from 0.
        assert_eq!([0, 1].map(|bot| by_ply.times(bot, [1, 16])), [Some([8, 14]), Some([9, 15])]);
    }

    #[test]
    fn in_short_games_each_ply_has_its_own_times() {
        let mut by_ply = ByPly::new(std::iter::once(0));
        by_ply.add_move(0, 3, 7);
        assert_eq!(by_ply.ranges(), [[4, 4]]);
        assert_eq!(by_ply.times(0, [4, 4]), Some([7, 7]));
    }

    #[test]
    fn the_order_of_games_does_not_matter() {
        let plies = [[3, 30], [500, 500], [0, 1], [3, 77]];
        let of = |order: &mut dyn Iterator<Item = &[usize; 2]>| {
            let mut by_ply = ByPly::new(std::iter::once(0));
            order.for_each(|[ply, us]| by_ply.add_move(0, *ply, *us as u64));
            let ranges = by_ply.ranges();
            ranges.into_iter().map(|range| (range, by_ply.times(0, range))).collect::<Vec<_>>()
        };
        assert_eq!(of(&mut plies.iter()), of(&mut plies.iter().rev()));
    }

    #[test]
    fn many_bots_take_no_memory() {
        let by_ply = ByPly::new(0..1_000);
        assert_eq!((by_ply.bots.len(), by_ply.bins.len()), (BOTS_MAX, BOTS_MAX));
    }
}
