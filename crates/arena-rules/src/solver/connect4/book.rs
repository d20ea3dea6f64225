//! The book of 6×7: the scores of all positions of the first plies that are not settled on the spot, as a *static function*
//! without keys.
//!
//! Three hashes of a position's key choose a cell in each third of a table; the exclusive-or of the three cells is the score + 16 in 5 bits. Such
//! a table exists with 1.23 cells a key: it is filled by peeling a random 3-uniform hypergraph (Majewski, Wormald, Havas and Czech, A family of
//! perfect hashing methods, 1996; Chazelle, Kilian, Rubinfeld and Tal, The Bloomier filter, 2004).
//!
//! For positions that are not in it the answer is garbage. So it is asked for reachable positions of its plies only, after
//! [`settled`](super::search::settled).
//!
//! File: [`MAGIC`], version of the solver, first and last ply, number of keys, seed, cells in a third, each a little-endian `u32`,
//! the BLAKE3 hash of all that with the cells, in 32 bytes, and the cells.

use std::sync::LazyLock;

use super::board::{Classic, Discs, Geometry};

/// Made by `cargo run --release -p arena-make -- book FILE`.
static SHIPPED: LazyLock<Option<Book>> = LazyLock::new(|| Book::read(include_bytes!("6x7.book")).ok());

/// What a file begins with.
const MAGIC: &[u8; 16] = b"arena connect4 1";
const NUMBERS: usize = 6;
const HEADER: usize = MAGIC.len() + 4 * NUMBERS + 32;
/// Bits of a cell.
const CELL_BITS: usize = 5;
/// Added to scores.
const OFFSET: i32 = 16;
/// Scores in the book. Those of plies before the last one may be beyond, after quick wins; these are at the ends.
pub(super) const SCORES: std::ops::RangeInclusive<i32> = -16..=15;

/// A book that has been read.
#[derive(Debug, Clone)]
pub(super) struct Book {
    first_ply: u32,
    last_ply: u32,
    seed: u32,
    third: u32,
    cells: Box<[u8]>,
}

/// The key of a position or its mirror image, whichever is smaller.
pub(super) fn canonical(discs: Discs) -> u64 {
    let key = Classic.key(discs.me, discs.opp);
    key.min(Classic.key(Classic.mirrored(discs.me), Classic.mirrored(discs.opp)))
}

impl Book {
    /// The book in the program.
    pub(super) fn shipped() -> Option<&'static Self> {
        SHIPPED.as_ref()
    }

    /// Without all plies but the last one.
    pub(super) fn of_last_ply(&self) -> Self {
        Self { first_ply: self.last_ply, ..self.clone() }
    }

    /// Reads a book; what is wrong with it otherwise.
    pub(super) fn read(file: &[u8]) -> Result<Self, &'static str> {
        let (head, cells) = file.split_at_checked(HEADER).ok_or("it is too short")?;
        let (said, hash) = head.split_at(HEADER - 32);
        if !said.starts_with(MAGIC) {
            return Err("it is no book of connect4");
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(said).update(cells);
        if hasher.finalize().as_bytes().as_slice() != hash {
            return Err("its hash is wrong");
        }
        let number = |index: usize| {
            let at = MAGIC.len() + 4 * index;
            u32::from_le_bytes([said[at], said[at + 1], said[at + 2], said[at + 3]])
        };
        let book =
            Self { first_ply: number(1), last_ply: number(2), seed: number(4), third: number(5), cells: cells.into() };
        if book.cells.len() == bytes_of(book.third) { Ok(book) } else { Err("it has the wrong size") }
    }

    /// Makes the file of a book from keys and scores, and the version of the solver that found them.
    pub(super) fn write(version: u32, [first_ply, last_ply]: [u32; 2], scores: &[(u64, i32)]) -> Vec<u8> {
        let third = (scores.len() as f64 * 1.23 / 3.0) as u32 + 11;
        let (seed, cells) = (0..)
            .find_map(|seed| filled(seed, third, scores).map(|cells| (seed, cells)))
            .expect("some seed works: most do");
        let mut file = MAGIC.to_vec();
        for number in [version, first_ply, last_ply, scores.len() as u32, seed, third] {
            file.extend_from_slice(&number.to_le_bytes());
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(&file).update(&cells);
        file.extend_from_slice(hasher.finalize().as_bytes());
        file.extend_from_slice(&cells);
        file
    }

    /// Last ply of its positions.
    pub(super) fn last_ply(&self) -> u32 {
        self.last_ply
    }

    /// The score of a reachable position that is not settled, if it is of one of the plies.
    pub(super) fn score(&self, discs: Discs) -> Option<i32> {
        let ply = discs.count();
        if !(self.first_ply..=self.last_ply).contains(&ply) || ply % 2 != self.last_ply % 2 {
            return None;
        }
        let score = self.score_of(canonical(discs));
        // Before the last ply, an end of the range may stand for more.
        let exact = ply == self.last_ply || (score != *SCORES.start() && score != *SCORES.end());
        exact.then_some(score)
    }

    /// What the table has for a key.
    pub(super) fn score_of(&self, key: u64) -> i32 {
        let cells = places(self.seed, self.third, key);
        i32::from(cells.into_iter().fold(0, |sum, cell| sum ^ get(&self.cells, cell))) - OFFSET
    }
}

/// Bytes of the cells; one more, so that two can be read at each.
fn bytes_of(third: u32) -> usize {
    (3 * third as usize * CELL_BITS).div_ceil(8) + 1
}

fn get(cells: &[u8], cell: usize) -> u8 {
    let bit = cell * CELL_BITS;
    let pair = u16::from_le_bytes([cells[bit / 8], cells[bit / 8 + 1]]);
    (pair >> (bit % 8)) as u8 & 0b1_1111
}

fn set(cells: &mut [u8], cell: usize, value: u8) {
    let bit = cell * CELL_BITS;
    let pair = u16::from_le_bytes([cells[bit / 8], cells[bit / 8 + 1]]);
    let [low, high] = (pair | u16::from(value) << (bit % 8)).to_le_bytes();
    (cells[bit / 8], cells[bit / 8 + 1]) = (low, high);
}

/// The cell of a key in each third.
fn places(seed: u32, third: u32, key: u64) -> [usize; 3] {
    // A finaliser of 64-bit hashes (Stafford's 13th variant of MurmurHash3's), once for each.
    let mut hash = key ^ u64::from(seed) << 49;
    std::array::from_fn(|index| {
        hash = hash.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = hash;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        index * third as usize + (((mixed >> 32) * u64::from(third)) >> 32) as usize
    })
}

/// The cells for which every key gives its score; `None` if the hashes with this seed do not allow it.
fn filled(seed: u32, third: u32, scores: &[(u64, i32)]) -> Option<Vec<u8>> {
    let count = 3 * third as usize;
    // Of each cell, the number of its keys and the exclusive-or of their indices: once it is alone, that is the key itself.
    let (mut degree, mut sum) = (vec![0_u32; count], vec![0_u32; count]);
    for (index, (key, _)) in scores.iter().enumerate() {
        for cell in places(seed, third, *key) {
            degree[cell] += 1;
            sum[cell] ^= index as u32;
        }
    }
    let mut alone: Vec<usize> = (0..count).filter(|cell| degree[*cell] == 1).collect();
    let mut peeled = Vec::with_capacity(scores.len());
    while let Some(cell) = alone.pop() {
        if degree[cell] != 1 {
            continue;
        }
        let index = sum[cell];
        peeled.push((index, cell));
        for other in places(seed, third, scores[index as usize].0) {
            degree[other] -= 1;
            sum[other] ^= index;
            if degree[other] == 1 {
                alone.push(other);
            }
        }
    }
    if peeled.len() < scores.len() {
        return None;
    }
    // In reverse, each key's own cell is still 0, and nothing after it changes the other two.
    let mut cells = vec![0; bytes_of(third)];
    for (index, own) in peeled.into_iter().rev() {
        let (key, score) = scores[index as usize];
        let others = places(seed, third, key).into_iter().fold(0, |sum, cell| sum ^ get(&cells, cell));
        let value = (score.clamp(*SCORES.start(), *SCORES.end()) + OFFSET) as u8;
        set(&mut cells, own, value ^ others);
    }
    Some(cells)
}
