//! Null-window search: is the score of a position at least β?
//!
//! The score of a side that wins is the number of cells that are empty then, and one more; that of the other side the negative, and
//! a draw is 0. So an earlier win is worth more, and a move does not change the scale.

use super::super::window::narrow;
use super::super::{Limits, Unsolved};
use super::lines::{CELLS_MAX, Lines};
use super::pairing::has_pairs;

/// How often the caller is asked whether to stop, in nodes.
const ASK_EVERY: u64 = 4_096;
/// Positions with at most this many marks are looked up by their smallest mirror image.
const SYMMETRIC_MARKS: u32 = 8;

/// The marks of the side to move, and of the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    pub(super) me: u32,
    pub(super) opp: u32,
}

impl Marks {
    pub(super) const fn count(self) -> u32 {
        (self.me | self.opp).count_ones()
    }
}

/// What the lines say about a position.
struct Look {
    /// The cells that complete a line of the side to move, and of the other.
    wins: u32,
    threats: u32,
    /// Bounds of the score.
    low: i32,
    high: i32,
    /// What a mark on each cell does for open lines of both sides.
    weight: [u32; CELLS_MAX],
    /// The cells on open lines.
    useful: u32,
}

/// One search, within limits.
pub(super) struct Run<'a> {
    lines: &'a Lines,
    table: &'a mut Table,
    limits: &'a Limits<'a>,
    /// Nodes searched so far.
    pub(super) nodes: u64,
    /// Why the search has to stop.
    pub(super) stopped: Option<Unsolved>,
}

impl<'a> Run<'a> {
    pub(super) const fn new(lines: &'a Lines, table: &'a mut Table, limits: &'a Limits<'a>) -> Self {
        Self { lines, table, limits, nodes: 0, stopped: None }
    }

    /// The exact score; `floor` is one that the mover is known to have. `None` once stopped.
    pub(super) fn score(&mut self, marks: Marks, floor: Option<i32>) -> Option<i32> {
        let cells = self.lines.cells as i32;
        narrow(-cells, cells, floor, |beta| self.expand(marks, beta))
    }

    /// Whether the score is at least `least`. `None` once stopped.
    pub(super) fn reaches(&mut self, marks: Marks, least: i32) -> Option<bool> {
        Some(self.expand(marks, least)? >= least)
    }

    /// A lower bound of the score if that is at least `beta`, otherwise an upper bound. Neither side has a line.
    fn expand(&mut self, marks: Marks, beta: i32) -> Option<i32> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(ASK_EVERY) && (self.limits.stop)() {
            self.stopped = Some(Unsolved::Stopped);
        } else if self.nodes > self.limits.nodes {
            self.stopped = Some(Unsolved::Nodes);
        }
        if self.stopped.is_some() {
            return None;
        }
        let Marks { me, opp } = marks;
        let n = marks.count();
        let look = self.look(marks);
        // The winner's mark leaves one less than there are now, or two.
        let left = (self.lines.cells - n) as i32;
        if look.wins != 0 {
            return Some(left);
        }
        if look.threats & look.threats.wrapping_sub(1) != 0 {
            return Some(1 - left);
        }
        let (mut low, mut high) = (look.low, look.high);
        if low >= beta || low == high {
            return Some(low);
        }
        if high < beta {
            return Some(high);
        }
        let key = match n {
            0..=SYMMETRIC_MARKS => self.lines.canonical(me, opp),
            _ => u64::from(me) << CELLS_MAX | u64::from(opp),
        };
        if let Some((known_low, known_high)) = self.table.get(key) {
            (low, high) = (low.max(known_low), high.min(known_high));
            if low >= beta || low == high {
                return Some(low);
            }
            if high < beta {
                return Some(high);
            }
        }
        let (before, mut best) = (self.nodes, i32::MIN);
        for cell in ordered(&look, me | opp, self.lines.cells) {
            let score = -self.expand(Marks { me: opp, opp: me | 1 << cell }, 1 - beta)?;
            best = best.max(score);
            if best >= beta {
                break;
            }
        }
        // Between bounds that are proved otherwise.
        best = best.clamp(low, high);
        if best >= beta {
            low = best;
        } else {
            high = best;
        }
        self.table.put(key, low, high, self.nodes - before);
        Some(best)
    }

    fn look(&self, Marks { me, opp }: Marks) -> Look {
        let Lines { cells, k, ref all, .. } = *self.lines;
        let taken = me | opp;
        let left = (cells - taken.count_ones()) as i32;
        let mut look = Look { wins: 0, threats: 0, low: 0, high: 0, weight: [0; CELLS_MAX], useful: 0 };
        // Marks that each side needs for its nearest line, and its open lines.
        let (mut need, mut open) = ([k + 1; 2], [const { Vec::new() }; 2]);
        for line in all {
            let (own, other) = (line & me, line & opp);
            if own != 0 && other != 0 {
                continue;
            }
            let free = line & !taken;
            let missing = free.count_ones();
            let weight = 1 << (2 * (k - missing)).min(20);
            let mut cells = free;
            while cells != 0 {
                look.weight[cells.trailing_zeros() as usize] += weight;
                cells &= cells - 1;
            }
            look.useful |= free;
            for (side, blocked) in [other, own].into_iter().enumerate() {
                if blocked == 0 {
                    need[side] = need[side].min(missing);
                    open[side].push(free);
                }
            }
            if missing == 1 {
                if other == 0 {
                    look.wins |= free;
                } else {
                    look.threats |= free;
                }
            }
        }
        // With its j-th mark from now the side to move makes 2j − 1 more, the other 2j.
        let earliest = |need: u32, plies: u32| (left + 1 - plies as i32).max(0) * i32::from(need <= k);
        look.high = earliest(need[0], 2 * need[0] - 1);
        look.low = -earliest(need[1], 2 * need[1]);
        if look.high > 0 && has_pairs(&open[0]) {
            look.high = 0;
        }
        if look.low < 0 && has_pairs(&open[1]) {
            look.low = 0;
        }
        look
    }
}

/// The moves to search, the most promising first. A threat is answered. Cells on no open line are all the same.
fn ordered(look: &Look, taken: u32, cells: u32) -> impl Iterator<Item = u32> {
    let empty = ((1_u64 << cells) - 1) as u32 & !taken;
    let idle = empty & !look.useful;
    let tried = match look.threats {
        0 => empty & look.useful | idle & idle.wrapping_neg(),
        threat => threat,
    };
    let mut moves: Vec<u32> = (0..cells).filter(|cell| tried >> cell & 1 != 0).collect();
    moves.sort_by_key(|cell| std::cmp::Reverse(look.weight[*cell as usize]));
    moves.into_iter()
}

/// Bounds of positions, in buckets of two entries: the one that was more work, and the last one.
#[derive(Debug)]
pub(super) struct Table(Box<[[Entry; 2]]>);

/// Entries are found by this many bits: 4 MiB.
const BUCKET_BITS: u32 = 17;

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    /// The key and one more, so that none is 0, and the logarithm of the work.
    key: u64,
    low: i8,
    high: i8,
    work: u8,
}

impl Table {
    pub(super) fn new() -> Self {
        Self(vec![[Entry::default(); 2]; 1 << BUCKET_BITS].into())
    }

    pub(super) fn clear(&mut self) {
        self.0.fill([Entry::default(); 2]);
    }

    fn bucket(key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - BUCKET_BITS)) as usize
    }

    fn get(&self, key: u64) -> Option<(i32, i32)> {
        let entry = self.0[Self::bucket(key)].iter().find(|entry| entry.key == key + 1)?;
        Some((entry.low.into(), entry.high.into()))
    }

    fn put(&mut self, key: u64, low: i32, high: i32, nodes: u64) {
        let entry = Entry { key: key + 1, low: low as i8, high: high as i8, work: (nodes + 1).ilog2() as u8 };
        let [kept, last] = &mut self.0[Self::bucket(key)];
        if kept.key == entry.key || entry.work >= kept.work {
            *kept = entry;
        } else {
            *last = entry;
        }
    }
}
