//! Wins that can be forced within a few plies, by exact search.
//!
//! One side attacks with a number of moves left, the other defends. A segment is *live* for a side if it has no stone of the
//! other side and misses no more stones than the side has moves left. All else can be left out, exactly:
//!
//! - Without a live segment an attack fails.
//! - Without gravity, a stone in no live segment of either side changes none that can still be completed: it is a pass. And
//!   a stone more never hurts its side. So an attack needs to try live cells only. A defence that holds with a pass holds;
//!   one that does not has live cells left to try. (With gravity each disc makes room for another, so all columns are tried.)
//! - A side that can be beaten at once has one move, or none.

use super::Grid;
use crate::rules::Seat;
use crate::rules::segments::{Segment, segments};

impl Grid {
    /// The side that can force a line within `plies` plies from this undecided position, if one can. With `gravity`, moves
    /// take the lowest empty cell of a column.
    pub(in crate::rules) fn winner_within(&self, plies: usize, gravity: bool) -> Option<Seat> {
        let mover = self.to_move();
        let mut board = Board::new(self, gravity, plies);
        // The shortest wins first: they are cheap to find, and most wins are short.
        (1..=plies).find_map(|plies| {
            let attacks = plies.div_ceil(2);
            if plies % 2 == 1 {
                board.attack_wins(mover, attacks).then_some(mover)
            } else {
                (!board.defence_holds(mover, attacks)).then_some(mover.other())
            }
        })
    }
}

/// A board with the stones of each segment counted.
struct Board {
    cols: usize,
    connect: usize,
    /// With gravity, the columns in the order in which they are tried.
    columns: Vec<usize>,
    /// Whether a cell is empty.
    empty: Vec<bool>,
    /// The segments that can be completed in time. Stones are only added, so no others ever can.
    segments: Vec<Segment>,
    /// The segments through each cell.
    through: Vec<Vec<u16>>,
    /// Stones of each seat in each segment.
    stones: Vec<[u8; 2]>,
    /// How many segments without a stone of the other seat miss each number of stones, by seat.
    missing: [Vec<u16>; 2],
}

impl Board {
    fn new(grid: &Grid, gravity: bool, plies: usize) -> Self {
        let mover = grid.to_move();
        let stones = |segment: &Segment, seat| segment.cells().filter(|cell| grid.owner(*cell) == Some(seat)).count();
        let is_live = |segment: &Segment, seat, moves| {
            stones(segment, seat) + moves >= grid.connect && stones(segment, seat.other()) == 0
        };
        let segments: Vec<Segment> = segments(grid.rows, grid.cols, grid.connect)
            .filter(|segment| is_live(segment, mover, plies.div_ceil(2)) || is_live(segment, mover.other(), plies / 2))
            .collect();
        let mut through = vec![Vec::new(); grid.cells.len()];
        for (index, segment) in segments.iter().enumerate() {
            for cell in segment.cells() {
                through[cell].push(index as u16);
            }
        }
        let mut missing = vec![0; grid.connect + 1];
        missing[grid.connect] = segments.len() as u16;
        let mut columns: Vec<usize> = if gravity { (0..grid.cols).collect() } else { Vec::new() };
        columns.sort_by_key(|column| grid.cols.abs_diff(2 * column + 1));
        let mut board = Self {
            cols: grid.cols,
            connect: grid.connect,
            columns,
            empty: vec![true; grid.cells.len()],
            stones: vec![[0, 0]; segments.len()],
            segments,
            through,
            missing: [missing.clone(), missing],
        };
        for cell in 0..grid.cells.len() {
            if let Some(seat) = grid.owner(cell) {
                board.put(cell, seat);
            }
        }
        board
    }

    const fn has_gravity(&self) -> bool {
        !self.columns.is_empty()
    }

    fn put(&mut self, cell: usize, seat: Seat) {
        self.empty[cell] = false;
        self.count(cell, seat, |stones| stones + 1);
    }

    fn lift(&mut self, cell: usize, seat: Seat) {
        self.empty[cell] = true;
        self.count(cell, seat, |stones| stones - 1);
    }

    fn count(&mut self, cell: usize, seat: Seat, change: impl Fn(u8) -> u8) {
        let own = seat.index();
        for &index in &self.through[cell] {
            let stones = &mut self.stones[usize::from(index)];
            let before = *stones;
            stones[own] = change(stones[own]);
            for (counts, steps) in [(before, u16::MAX), (*stones, 1)] {
                for seat in 0..2 {
                    if counts[1 - seat] == 0 {
                        let missing = &mut self.missing[seat][self.connect - usize::from(counts[seat])];
                        *missing = missing.wrapping_add(steps);
                    }
                }
            }
        }
    }

    /// The value of the search with a stone of `seat` on `cell`.
    fn with<T>(&mut self, cell: usize, seat: Seat, search: impl FnOnce(&mut Self) -> T) -> T {
        self.put(cell, seat);
        let found = search(self);
        self.lift(cell, seat);
        found
    }

    /// Whether `seat`, to move, can complete a line with one of its next `moves` moves against any defence.
    fn attack_wins(&mut self, seat: Seat, moves: usize) -> bool {
        if !self.has_live(seat, moves) {
            return false;
        }
        if self.completions(seat)[0].is_some() {
            return true;
        }
        if moves == 1 {
            return false;
        }
        let wins =
            |board: &mut Self, cell| board.with(cell, seat, |board| !board.defence_holds(seat.other(), moves - 1));
        match self.completions(seat.other()) {
            [_, Some(_)] => false,
            [Some(forced), None] => wins(self, forced),
            [None, None] => self.tries(seat, moves, moves - 1).into_iter().any(|cell| wins(self, cell)),
        }
    }

    /// Whether `seat`, to move, keeps the other side from completing a line with one of its next `moves` moves.
    fn defence_holds(&mut self, seat: Seat, moves: usize) -> bool {
        let attacker = seat.other();
        if !self.has_live(attacker, moves) || self.completions(seat)[0].is_some() {
            return true;
        }
        let holds = |board: &mut Self, cell| board.with(cell, seat, |board| !board.attack_wins(attacker, moves));
        match self.completions(attacker) {
            [_, Some(_)] => false,
            [Some(forced), None] => holds(self, forced),
            [None, None] if !self.has_gravity() && !self.attack_wins(attacker, moves) => true,
            [None, None] => {
                let tries = self.tries(attacker, moves, moves);
                // A full board is a draw.
                tries.is_empty() || tries.into_iter().any(|cell| holds(self, cell))
            }
        }
    }

    /// Whether some segment of `seat` can be completed with so many stones.
    fn has_live(&self, seat: Seat, moves: usize) -> bool {
        self.missing[seat.index()].iter().take(moves + 1).any(|count| *count > 0)
    }

    /// Up to two cells with which `seat` completes a line at once.
    fn completions(&self, seat: Seat) -> [Option<usize>; 2] {
        let mut found = [None, None];
        if self.missing[seat.index()][1] == 0 {
            return found;
        }
        for (index, segment) in self.segments.iter().enumerate() {
            if self.missing_of(index, seat) != Some(1) {
                continue;
            }
            let cell = segment.cells().find(|cell| self.empty[*cell]).filter(|cell| self.is_playable(*cell));
            if let Some(cell) = cell
                && found[0] != Some(cell)
            {
                if found[0].is_some() {
                    found[1] = Some(cell);
                    break;
                }
                found[0] = Some(cell);
            }
        }
        found
    }

    /// How many stones a segment misses that can still become a line of `seat`.
    fn missing_of(&self, index: usize, seat: Seat) -> Option<usize> {
        let stones = self.stones[index];
        (stones[seat.other().index()] == 0).then(|| self.connect - usize::from(stones[seat.index()]))
    }

    fn is_playable(&self, cell: usize) -> bool {
        self.empty[cell] && (!self.has_gravity() || self.empty.get(cell + self.cols).is_none_or(|below| !below))
    }

    /// The cells that are worth a try for either side while `attacker` has `attacks` moves left and the other side
    /// `counters`: the best for the attack first. With gravity all cells that can be taken.
    fn tries(&self, attacker: Seat, attacks: usize, counters: usize) -> Vec<usize> {
        let live = |index: usize| {
            let sides = [(attacker, attacks), (attacker.other(), counters)];
            let worth = |(seat, moves): (Seat, usize)| {
                let missing = self.missing_of(index, seat).filter(|missing| *missing <= moves);
                missing.map_or(0, |missing| 1_u32 << (3 * (moves - missing)))
            };
            sides.map(worth).iter().sum::<u32>()
        };
        let mut tries: Vec<(u32, usize)> = if self.has_gravity() {
            let lowest =
                |column: &usize| (*column..self.empty.len()).step_by(self.cols).rfind(|cell| self.empty[*cell]);
            let worth = |cell: usize| self.through[cell].iter().map(|index| live(usize::from(*index))).sum();
            self.columns.iter().filter_map(lowest).map(|cell| (worth(cell), cell)).collect()
        } else {
            let mut worth = vec![0; self.empty.len()];
            for (index, segment) in self.segments.iter().enumerate() {
                let live = live(index);
                if live > 0 {
                    segment.cells().for_each(|cell| worth[cell] += live);
                }
            }
            let cells = worth.into_iter().zip(0..);
            cells.filter(|(worth, cell)| *worth > 0 && self.empty[*cell]).collect()
        };
        tries.sort_by_key(|(worth, _)| std::cmp::Reverse(*worth));
        tries.into_iter().map(|(_, cell)| cell).collect()
    }
}
