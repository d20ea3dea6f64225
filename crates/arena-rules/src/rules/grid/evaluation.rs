//! The winning lines on a board, and the sum over its segments.

use serde::Serialize;
use serde_json::value::RawValue;

use super::Grid;
use crate::rules::json::to_json;
use crate::rules::segments::{Segment, segment_worth, segments};
use crate::rules::{Seat, WinningLines};

impl Grid {
    /// The cells of each seat's lines, ascending.
    pub(in crate::rules) fn lines(&self) -> WinningLines {
        Seat::BOTH.map(|seat| {
            let stones = |segment: &Segment| self.stones(*segment)[seat.index()];
            let full = segments(self.rows, self.cols, self.connect).filter(|segment| stones(segment) == self.connect);
            let mut cells: Vec<usize> = full.flat_map(Segment::cells).collect();
            cells.sort_unstable();
            cells.dedup();
            cells.into_iter().map(|cell| self.place(cell)).collect()
        })
    }

    /// The sum over all segments, and the segments with a value.
    pub(in crate::rules) fn value(&self) -> Box<RawValue> {
        let mut value = Evaluation { score: 0, segments: Vec::new(), segment_count: 0, mixed_count: 0 };
        for segment in segments(self.rows, self.cols, self.connect) {
            value.segment_count += 1;
            let (seat, stones) = match self.stones(segment) {
                [first, 0] => (Seat::First, first),
                [0, second] => (Seat::Second, second),
                _ => {
                    value.mixed_count += 1;
                    continue;
                }
            };
            let worth = i64::from(segment_worth(self.connect, stones));
            let signed = if seat == Seat::First { worth } else { -worth };
            value.score += signed;
            if worth > 0 {
                let cells = segment.cells().map(|cell| self.place(cell)).collect();
                value.segments.push(CountedSegment { cells, seat: seat.index(), stones, value: signed });
            }
        }
        to_json(&value)
    }

    /// Number of marks of each seat in a segment.
    fn stones(&self, segment: Segment) -> [usize; 2] {
        let mut counts = [0, 0];
        for owner in segment.cells().filter_map(|cell| self.owner(cell)) {
            counts[owner.index()] += 1;
        }
        counts
    }
}

/// The sum over all segments of a board, from the first seat's side.
#[derive(Serialize)]
struct Evaluation {
    score: i64,
    /// The segments with a value, by their first cell.
    segments: Vec<CountedSegment>,
    segment_count: usize,
    mixed_count: usize,
}

#[derive(Serialize)]
struct CountedSegment {
    cells: Vec<[usize; 2]>,
    seat: usize,
    stones: usize,
    value: i64,
}
