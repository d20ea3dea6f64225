//! Making the book: hours of work in pieces that can be kept.

use std::collections::HashSet;

use super::super::table::{BUCKET_BITS, Table};
use super::board::{Classic, Discs, Geometry};
use super::book::{Book, canonical};
use super::search::{Memory, Run, Settled, settled};
use super::{KIND, Limits};

/// Positions in a chunk, except the last one.
const CHUNK: usize = 1_000;
/// The plies of the shipped book.
pub const PLIES: u32 = 10;

/// What has to be solved for the book of 6×7: all positions of its last ply that are not settled on the spot, of two mirror images one,
/// in order of their keys. Those of every second ply before follow from these.
#[derive(Debug)]
pub struct BookPlan {
    last_ply: u32,
    /// Of each ply of the book.
    levels: Vec<Vec<Discs>>,
}

/// A table that all workers of a book share: neighbours lead to the same positions.
#[derive(Debug)]
pub struct BookTable(Table);

/// Solves chunks of a book, one after the other.
#[derive(Debug)]
pub struct BookWorker<'a> {
    own: Table,
    shared: &'a BookTable,
}

impl BookPlan {
    /// Plans a book of the plies 0, 2, … `last_ply`, or of the odd ones if that is odd.
    #[must_use]
    pub fn new(last_ply: u32) -> Self {
        let mut level = vec![Discs { me: 0, opp: 0 }];
        let mut levels = Vec::new();
        for ply in 0..=last_ply {
            if ply % 2 == last_ply % 2 {
                let mut open = level.clone();
                open.retain(|discs| matches!(settled(Classic, *discs), Settled::Open(_)));
                levels.push(open);
            }
            if ply < last_ply {
                level = after(&level);
            }
        }
        Self { last_ply, levels }
    }

    /// All positions of the book.
    pub(super) fn into_entries(self) -> impl Iterator<Item = Discs> {
        self.levels.into_iter().flatten()
    }

    /// Number of positions on the last ply.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.levels.last().map_or(0, Vec::len)
    }

    /// Number of chunks.
    #[must_use]
    pub fn chunks(&self) -> usize {
        self.positions().div_ceil(CHUNK)
    }

    /// Number of positions in a chunk.
    #[must_use]
    pub fn chunk_len(&self, chunk: usize) -> usize {
        self.chunk(chunk).len()
    }

    fn chunk(&self, chunk: usize) -> &[Discs] {
        let last = self.levels.last().map_or(&[][..], Vec::as_slice);
        last.chunks(CHUNK).nth(chunk).unwrap_or_default()
    }

    /// The book, from the scores of all chunks; `None` if their number is wrong.
    #[must_use]
    pub fn finish(&self, scores: &[i8]) -> Option<Vec<u8>> {
        let (last, before) = self.levels.split_last()?;
        if scores.len() != last.len() {
            return None;
        }
        let of_last = last.iter().zip(scores).map(|(discs, score)| (canonical(*discs), i32::from(*score)));
        let mut keyed: Vec<(u64, i32)> = of_last.collect();
        let behind = Book::read(&Book::write(KIND.version, [self.last_ply; 2], &keyed)).ok()?;
        let table = Table::new(Classic.key_bits(), BUCKET_BITS);
        let memory = Memory { table: &table, large: None, book: Some(&behind) };
        for discs in before.iter().flatten() {
            let score = Run::new(Classic, memory, &Limits::NONE).score(*discs, None);
            keyed.push((canonical(*discs), score));
        }
        Some(Book::write(KIND.version, [self.last_ply % 2, self.last_ply], &keyed))
    }
}

/// The positions without a line one ply later, of two mirror images one, in order of their keys.
fn after(level: &[Discs]) -> Vec<Discs> {
    let mut seen = HashSet::new();
    let mut next = Vec::new();
    for Discs { me, opp } in level {
        let mut playable = Classic.playable(me | opp);
        while playable != 0 {
            let cell = playable & playable.wrapping_neg();
            playable ^= cell;
            let discs = Discs { me: *opp, opp: me | cell };
            if !Classic.has_line(discs.opp) && seen.insert(canonical(discs)) {
                next.push(discs);
            }
        }
    }
    next.sort_unstable_by_key(|discs| canonical(*discs));
    next
}

impl BookTable {
    /// Bits of a number of buckets that a table can have.
    pub const BITS: std::ops::RangeInclusive<u32> = BUCKET_BITS..=30;

    /// A table of 2^`bits` buckets of 16 bytes; `bits` is taken into [`BITS`](Self::BITS).
    #[must_use]
    pub fn new(bits: u32) -> Self {
        Self(Table::new(Classic.key_bits(), bits.clamp(*Self::BITS.start(), *Self::BITS.end())))
    }
}

impl<'a> BookWorker<'a> {
    /// A worker that has found nothing yet.
    #[must_use]
    pub fn new(shared: &'a BookTable) -> Self {
        Self { own: Table::new(Classic.key_bits(), BUCKET_BITS), shared }
    }

    /// The scores of a chunk; `None` if `stop` says so.
    pub fn solve(&mut self, plan: &BookPlan, chunk: usize, stop: &dyn Fn() -> bool) -> Option<Vec<i8>> {
        let limits = Limits { nodes: u64::MAX, stop };
        let memory = Memory { table: &self.own, large: Some(&self.shared.0), book: None };
        let mut scores = Vec::new();
        for discs in plan.chunk(chunk) {
            let mut run = Run::new(Classic, memory, &limits);
            let score = run.score(*discs, None);
            if run.stopped.is_some() {
                return None;
            }
            scores.push(score as i8);
        }
        Some(scores)
    }
}
