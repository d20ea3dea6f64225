//! Search of boards with gravity as two words of [bits](super::super::bits).
//!
//! A move is looked at together with the cells that complete a line after it, so that a node knows them for both sides. What they
//! settle costs no search: a side takes a win, meets a threat, and does not play below one. A reply that is forced costs no depth.
//!
//! The evaluation is about the end of the game, when nothing is left but the columns in which neither side wants to play. The side that
//! then has the last move on the board can always reply on top of the other's move, and gets the cells of the top row and of every second
//! row below it; the other side gets the rest. So a threat is worth much in these rows, and little elsewhere (Allis, "A
//! knowledge-based approach of connect-four", 1988: odd threats of the first player, even ones of the second).

use super::super::bits::{BitBoard, Layout};
use super::super::board::Action;
use super::super::table::{Bound, TranspositionTable};
use super::{CERTAIN, Search, UNCERTAIN_MAX, Work, from_table, into_table};

/// One search for a move.
pub(super) struct Drops<'a> {
    layout: &'a Layout,
    root: Position,
    table: &'a mut TranspositionTable,
    work: Work<'a>,
    empties: usize,
    /// The top row, and every second one below it.
    top_rows: u64,
    /// The cells of each column.
    columns: Vec<u64>,
    /// What a stone is worth, by cell.
    places: [i8; 64],
}

/// A position, as the side to move sees it.
#[derive(Debug, Clone, Copy, Default)]
struct Position {
    own: u64,
    others: u64,
    /// Cells that complete a line of the side, empty or not.
    own_threats: u64,
    others_threats: u64,
    /// What the stones of the side are worth by their places, less those of the other.
    places: i32,
}

/// A move and what comes of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Candidate {
    cell: u8,
    rank: i32,
    next: Position,
}

/// Columns have at least two bits.
const COLUMNS_MAX: usize = 32;
/// A threat in a row of its side.
const THREAT: i32 = 100;
/// Values of places are rounded to this: small differences would only keep the search from skipping moves.
const PLACE_UNIT: i32 = 4;

impl<'a> Drops<'a> {
    pub(super) fn new(board: &'a BitBoard, table: &'a mut TranspositionTable, work: Work<'a>) -> Self {
        let layout = &*board.layout;
        let [own, others] = board.stones;
        let (own_threats, others_threats) = (layout.threats(own), layout.threats(others));
        let rows = layout.stride - 1;
        let top_rows = (0..rows).rev().step_by(2).fold(0, |cells, row| cells | layout.bottom << row);
        let places = places(layout);
        let columns = (0..64 / layout.stride)
            .map(|col| (((1_u64 << rows) - 1) << (col * layout.stride)) & layout.board)
            .collect();
        let sum = |stones: u64| {
            (0..64).filter(|cell| stones >> cell & 1 == 1).map(|cell| i32::from(places[cell])).sum::<i32>()
        };
        let root = Position { own, others, own_threats, others_threats, places: sum(own) - sum(others) };
        Self { layout, root, table, work, empties: board.empties(), top_rows, columns, places }
    }

    /// Plays on a cell.
    fn next(&self, at: &Position, cell: u64) -> Position {
        let own = at.own | cell;
        Position {
            own: at.others,
            others: own,
            own_threats: at.others_threats,
            others_threats: self.layout.threats(own),
            places: -at.places - i32::from(self.places[cell.trailing_zeros() as usize]),
        }
    }

    /// The evaluation of a position with this number of empty cells.
    fn evaluate(&self, at: &Position, empties: usize) -> i32 {
        let empty = self.layout.board & !(at.own | at.others);
        let (own, others) = (at.own_threats & empty, at.others_threats & empty);
        // Whether the side to move has the last move.
        let (own_rows, others_rows) =
            if empties % 2 == 1 { (self.top_rows, !self.top_rows) } else { (!self.top_rows, self.top_rows) };
        let count = |cells: u64| cells.count_ones() as i32;
        at.places / PLACE_UNIT * PLACE_UNIT + THREAT * (count(own & own_rows) - count(others & others_rows))
    }

    /// How promising the move to a position is: by its evaluation and by threats in any row, which force replies.
    fn promise(&self, next: &Position, empties: usize) -> i32 {
        let threats = next.others_threats & self.layout.board & !(next.own | next.others);
        THREAT * threats.count_ones() as i32 - self.evaluate(next, empties)
    }

    /// An upper bound of the value for the side to move, by strategies that answer each of its stones in the pair of cells it has entered:
    /// *hold*, *after* and *truncate* of the solver, which has the proofs (`pairing.rs` in `arena_core`).
    fn most(&self, at: &Position, free: u64, empties: usize, ply: i32) -> i32 {
        let layout = self.layout;
        let (empty, top) = (layout.board & !(at.own | at.others), self.top_rows);
        let loses_within = |plies: usize| ply + plies as i32 - CERTAIN;
        let own = empty & !top | free;
        let mut most = CERTAIN;
        if empties.is_multiple_of(2) && !layout.has_line(at.own | own) {
            let loses = layout.has_line(at.others | empty & top & !free);
            most = if loses { loses_within(empties) } else { 0 };
        }
        let mut cuts = at.others_threats & empty & !free;
        while cuts != 0 {
            let cell = cuts & cuts.wrapping_neg();
            cuts ^= cell;
            let column = self.columns[cell.trailing_zeros() as usize / layout.stride];
            let below = column & (cell - 1);
            let above = (column & !below).count_ones() as usize - 1;
            let value = loses_within(empties - above);
            if (empties - above) % 2 == 1 || value >= most {
                continue;
            }
            let rows = if top & cell == 0 { top } else { !top };
            let left = own & !column | empty & below & rows | free & column;
            if !layout.has_line(at.own | left) {
                most = value;
            }
        }
        most
    }

    /// The value of a position for the side to move: exact within `alpha..beta`, otherwise a bound. No line is full.
    fn search(&mut self, at: &Position, depth: usize, ply: i32, mut alpha: i32, mut beta: i32) -> i32 {
        if self.work.step() {
            return 0;
        }
        let all = at.own | at.others;
        let free = self.layout.free(all);
        if free & at.own_threats != 0 {
            return CERTAIN - ply - 1;
        }
        let empties = self.empties - ply as usize;
        let forced = free & at.others_threats;
        let moves = if forced == 0 { free } else { forced } & !(at.others_threats >> 1);
        if empties == 0 {
            return 0;
        }
        if moves == 0 || forced & forced.wrapping_sub(1) != 0 {
            return ply + 2 - CERTAIN;
        }
        if empties <= 2 {
            return 0;
        }
        // Neither side wins at once.
        let high = beta;
        (alpha, beta) = (alpha.max(ply + 4 - CERTAIN), beta.min(CERTAIN - ply - 3));
        if alpha >= beta {
            return alpha;
        }
        if forced != 0 {
            return -self.search(&self.next(at, forced), depth, ply + 1, -beta, -alpha);
        }
        let most = self.most(at, free, empties, ply);
        beta = beta.min(most);
        if alpha >= beta {
            return beta;
        }
        if depth == 0 {
            return self.evaluate(at, empties).min(most);
        }
        let depth = depth.min(empties);
        let hash = self.hash(at);
        let known = self.table.get(hash);
        if let Some(entry) = known {
            let value = from_table(entry.value, ply);
            if entry.settles(value, depth, alpha, beta, UNCERTAIN_MAX) {
                return value;
            }
        }
        let mut list = [Candidate::default(); COLUMNS_MAX];
        let count = self.order(at, moves, empties, known.map(|entry| entry.best), &mut list);
        let (before, mut best, mut value_best) = (alpha, 0, -CERTAIN);
        for candidate in &list[..count] {
            // A move that is not the first only has to show that it is no better.
            let narrow = if value_best == -CERTAIN { beta } else { alpha + 1 };
            let mut value = -self.search(&candidate.next, depth - 1, ply + 1, -narrow, -alpha);
            if value >= narrow && value < beta {
                value = -self.search(&candidate.next, depth - 1, ply + 1, -beta, -alpha);
            }
            if value > value_best {
                (value_best, best) = (value, candidate.cell);
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        value_best = value_best.min(most);
        if !self.work.stopped {
            let bound = match value_best {
                value if value >= high => Bound::AtLeast,
                value if value <= before => Bound::AtMost,
                _ => Bound::Exact,
            };
            self.table.put(hash, depth as u16, into_table(value_best, ply), bound, best.into());
        }
        value_best
    }

    /// Collects `moves` in `out`, the best known one first, then by promise, then from the centre; returns their number.
    fn order(&self, at: &Position, moves: u64, empties: usize, known: Option<Action>, out: &mut [Candidate]) -> usize {
        let mut count = 0;
        for column in &self.layout.order {
            let cell = column & moves;
            if cell == 0 {
                continue;
            }
            let next = self.next(at, cell);
            let cell = cell.trailing_zeros() as u8;
            let rank = if known == Some(cell.into()) { CERTAIN } else { self.promise(&next, empties - 1) };
            let mut place = count;
            while place > 0 && out[place - 1].rank < rank {
                out[place] = out[place - 1];
                place -= 1;
            }
            out[place] = Candidate { cell, rank, next };
            count += 1;
        }
        count
    }

    /// Hash of a position: its stones and heights identify it (Tromp), and multiplying mixes them.
    fn hash(&self, at: &Position) -> u64 {
        let key = at.own.wrapping_add((at.own | at.others).wrapping_add(self.layout.bottom));
        let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ mixed >> 32
    }
}

impl Search for Drops<'_> {
    type Candidate = Candidate;

    fn moves(&mut self) -> Vec<Candidate> {
        let mut list = [Candidate::default(); COLUMNS_MAX];
        let moves = self.layout.free(self.root.own | self.root.others);
        let count = self.order(&self.root, moves, self.empties, None, &mut list);
        list[..count].to_vec()
    }

    fn glance(&self, candidate: Candidate) -> i32 {
        match 1 << candidate.cell & self.root.own_threats {
            0 => -self.evaluate(&candidate.next, self.empties - 1),
            _ => CERTAIN - 1,
        }
    }

    fn value(&mut self, candidate: Candidate, depth: usize, alpha: i32, beta: i32) -> i32 {
        if 1 << candidate.cell & self.root.own_threats != 0 {
            return CERTAIN - 1;
        }
        -self.search(&candidate.next, depth - 1, 1, -beta, -alpha)
    }

    fn action(&self, candidate: Candidate) -> Action {
        candidate.cell.into()
    }

    fn work(&self) -> &Work<'_> {
        &self.work
    }
}

/// The number of lines through each cell.
fn places(layout: &Layout) -> [i8; 64] {
    let mut places = [0; 64];
    for step in [1, layout.stride - 1, layout.stride, layout.stride + 1] {
        for start in 0..64 {
            let cells = (0..layout.need).map(|index| start + index * step);
            if cells.clone().all(|cell| cell < 64 && layout.board >> cell & 1 == 1) {
                cells.for_each(|cell| places[cell] += 1);
            }
        }
    }
    places
}
