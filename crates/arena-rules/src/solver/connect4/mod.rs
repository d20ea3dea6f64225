//! `connect4`, on every board whose columns fit 64 bits with one spare cell each: 6×7, 6×9, 7 rows by 8 columns, not 8×8.

mod board;
mod book;
pub(super) mod check_book;
pub(super) mod make_book;
mod pairing;
mod retract;
mod search;
#[cfg(test)]
mod tests;

use super::table::{BUCKET_BITS, Table};
use super::{Answer, Known, Limits, Solver, SolverKind, Unsolved, Value};
use crate::rules::{Picture, Seat, State, Viewer};
use board::{Classic, Discs, Geometry, Size};
use book::Book;
use retract::before;
use search::{Memory, Run, winning_score};

pub(super) const KIND: SolverKind = SolverKind {
    game: "connect4",
    version: 2,
    reach: "while (rows + 1) × cols is at most 64",
    digits: true,
    build: |variant| {
        let [rows, cols, connect] = ["rows", "cols", "connect"].map(|name| variant.params.size(name) as u32);
        if [rows, cols, connect] == [6, 7, 4] {
            return Some(Box::new(Connect4::new(Classic, Book::shipped())));
        }
        Some(Box::new(Connect4::new(Size::new(rows, cols, connect)?, None)))
    },
};

/// The solver of 6×7 without its book, which can hide a wrong search: for tests and benchmarks.
#[must_use]
pub fn without_book() -> Box<dyn Solver> {
    Box::new(Connect4::new(Classic, None))
}

struct Connect4<G> {
    geometry: G,
    table: Table,
    book: Option<&'static Book>,
    nodes: u64,
}

impl<G: Geometry> Connect4<G> {
    fn new(geometry: G, book: Option<&'static Book>) -> Self {
        Self { geometry, table: Table::new(geometry.key_bits(), BUCKET_BITS), book, nodes: 0 }
    }

    /// Runs a search of a position.
    fn run<T>(
        &mut self,
        state: &dyn State,
        limits: &Limits<'_>,
        search: impl FnOnce(&mut Run<'_, G>, Discs) -> T,
    ) -> Result<(T, Discs), Unsolved> {
        let discs = discs_of(state);
        let memory = Memory { table: &self.table, large: None, book: self.book };
        let mut run = Run::new(self.geometry, memory, limits);
        let found = search(&mut run, discs);
        let (nodes, stopped) = (run.nodes, run.stopped);
        self.nodes += nodes;
        stopped.map_or(Ok((found, discs)), Err)
    }
}

impl<G: Geometry> Solver for Connect4<G> {
    fn value(&mut self, state: &dyn State, floor: Option<Value>, limits: &Limits<'_>) -> Answer {
        let cells = self.geometry.cells();
        let (score, discs) = self.run(state, limits, |run, discs| {
            let floor = floor.map(|value| least_score(cells, discs.count(), value));
            run.score(discs, floor)
        })?;
        Ok(Known::Exact(value_of(cells, discs.count(), score)))
    }

    fn reaches(&mut self, state: &dyn State, least: Value, limits: &Limits<'_>) -> Result<bool, Unsolved> {
        let cells = self.geometry.cells();
        let search = |run: &mut Run<'_, G>, discs: Discs| run.reaches(discs, least_score(cells, discs.count(), least));
        Ok(self.run(state, limits, search)?.0)
    }

    fn floor(&self, state: &dyn State) -> Option<Value> {
        let book = self.book?;
        let discs = discs_of(state);
        let n = discs.count();
        // The book has every second ply.
        let is_after_book = n <= book.last_ply() + 1 && (book.last_ply() + 1 - n).is_multiple_of(2);
        if !is_after_book {
            return None;
        }
        let memory = Memory { table: &self.table, large: None, book: Some(book) };
        let run = Run::new(self.geometry, memory, &Limits::NONE);
        // A position is worth at least as much as each move from it.
        let scores = before(self.geometry, discs).into_iter().filter_map(|before| run.known(before));
        let score = scores.map(|score| -score).max()?;
        Some(value_of(self.geometry.cells(), n, score))
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn forget(&mut self) {
        self.table.clear();
    }
}

/// The discs of a position.
fn discs_of(state: &dyn State) -> Discs {
    let Picture::Board(board) = state.picture(Viewer::All) else { unreachable!("connect4 is played on a board") };
    let mut by_seat = [0; 2];
    for (cell, owner) in board.cells.iter().enumerate() {
        let (row, column) = (board.rows - 1 - cell / board.cols, cell % board.cols);
        if let Some(seat) = owner {
            by_seat[seat.index()] |= 1 << (column * (board.rows + 1) + row);
        }
    }
    let [first, second] = by_seat;
    match state.to_move() {
        Seat::First => Discs { me: first, opp: second },
        Seat::Second => Discs { me: second, opp: first },
    }
}

/// The value of a position with n discs and this score.
fn value_of(cells: u32, n: u32, score: i32) -> Value {
    // The winner's last disc makes `last` discs. It is the greatest number that has this score and whose parity is the winner's.
    let last = |score: u32, parity: u32| {
        let last = cells + 2 - 2 * score;
        last - (last + parity) % 2
    };
    match score {
        0 => Value::Draw,
        1.. => Value::Win(last(score as u32, n + 1) - n),
        ..0 => Value::Loss(last(score.unsigned_abs(), n) - n),
    }
}

/// The least score of values that are at least `least`.
fn least_score(cells: u32, n: u32, least: Value) -> i32 {
    match least {
        Value::Win(plies) => {
            let end = n.saturating_add(plies).min(cells);
            // Down to a disc of the mover.
            winning_score(cells, (end - (end + n + 1) % 2).saturating_sub(1)).max(1)
        }
        Value::Draw => 0,
        Value::Loss(plies) => {
            let end = n.saturating_add(plies).min(cells + 1);
            // Up to a disc of the other side; after the last cell, it is no loss.
            -winning_score(cells, (end + (end + n) % 2).clamp(1, cells + 1) - 1)
        }
    }
}
